"""A list of leads comes in whole, once, and says of every row that does not why not."""

from __future__ import annotations

import contextlib
import csv
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import click
import psycopg
import pytest

from app.postgres import Server
from app.transfer import importing, mapping
from app.transfer.cells import Record, harmless, opened_table, restored
from app.transfer.rows import Facts, Reject, Row, RowReader, Workflow
from app.transfer.values import UnreadableError, amount, instant
from tests.databases import Database, clone
from tests.lists import Office, many, written
from tests.tenant import faults

DATA = Path(__file__).resolve().parents[1] / "data"
ROOT = DATA.parents[1]
BERLIN = ZoneInfo("Europe/Berlin")
DIRTY = """
numbers: en
dates: "%d/%m/%Y"
country: GB
columns:
  email: email
  name: first_name
  phone: phone
  deal_value: deal_value
  created_at: created
  stage: stage
  message: message
"""
SIMPLE = """
columns: {external_id: id, email: email, name: name, message: message}
columns_may_be_missing: true
"""


# -- values -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "numbers", "expected"),
    [
        ("1,12", "de", "1.12"),
        ("1,12", "en", None),
        ("1,12", "none", "1.12"),
        ("1.234,56", "de", "1234.56"),
        ("1.234,56", "en", None),
        ("1.234,56", "none", "1234.56"),
        ("1,000.50", "en", "1000.50"),
        ("1,000.50", "de", None),
        ("1,000.50", "none", "1000.50"),
        ("$1000.50", "en", "1000.50"),
        ("1.234", "de", "1234"),
        ("1.234", "en", None),  # three decimals
        ("1.234", "none", None),  # ambiguous
        ("1,234", "none", None),
        ("1.234", "plain", "1.234"),
        ("512.77", "en", "512.77"),
        ("512.77", "none", "512.77"),
        ("512.77", "de", None),
        ("1 234,56", "fr", "1234.56"),
        ("1\u202f234,56", "fr", "1234.56"),
        ("1'234.56", "ch", "1234.56"),
        ("1,12,000", "en", None),
        ("NaN", "en", None),
        ("Infinity", "plain", None),
        ("1e309", "plain", None),
        ("1e3", "en", None),
        ("-5", "en", None),
        ("(5)", "en", None),
        ("10000000000000000", "plain", None),
        ("\u0665", "en", None),
    ],
)
def test_an_amount_is_read_as_declared_and_never_guessed(
    text: str, numbers: str, expected: str | None
) -> None:
    if expected is None:
        with pytest.raises(UnreadableError, match=r"amount|ambiguous|decimals|larger"):
            amount(text, numbers)
    else:
        assert amount(text, numbers)[0] == Decimal(expected)


def test_an_amount_may_carry_its_currency() -> None:
    assert amount("€ 1.234,56", "de") == (Decimal("1234.56"), "EUR")
    assert amount("1,000.50 GBP", "en") == (Decimal("1000.50"), "GBP")
    assert amount("US$5", "en") == (Decimal(5), None)  # a dollar is several currencies'


@pytest.mark.parametrize(
    ("text", "formats", "expected"),
    [
        ("2026-03-01", ["iso"], "2026-02-28T23:00:00"),
        ("2026-03-01 10:00", ["iso"], "2026-03-01T09:00:00"),
        ("2026-03-01T10:00:00.000+0000", ["iso"], "2026-03-01T10:00:00"),
        ("2026-03-01T10:00:00.123456789Z", ["iso"], "2026-03-01T10:00:00.123456"),
        ("2026-03-29 02:30", ["iso"], "2026-03-29T01:30:00"),  # does not exist
        ("2026-10-25 02:30", ["iso"], "2026-10-25T00:30:00"),  # comes twice
        ("12/03/2021", ["%d/%m/%Y"], "2021-03-11T23:00:00"),
        ("13/04/2026", ["%d/%m/%Y", "%m/%d/%Y"], "2026-04-12T22:00:00"),
        ("12/03/2021", ["%d/%m/%Y", "%m/%d/%Y"], None),
        ("2026-02-30", ["iso"], None),
        ("31/02/2026", ["%d/%m/%Y"], None),
        ("12/03/2021", ["iso"], None),
        ("20260301", ["iso"], None),
        ("0001-01-01", ["iso"], None),
        ("infinity", ["iso"], None),
    ],
)
def test_a_date_is_read_as_declared_and_never_guessed(
    text: str, formats: list[str], expected: str | None
) -> None:
    if expected is None:
        with pytest.raises(UnreadableError, match=r"date|disagree"):
            instant(text, formats, BERLIN)
    else:
        assert instant(text, formats, BERLIN) == datetime.fromisoformat(expected).replace(tzinfo=UTC)


@pytest.mark.parametrize("cell", ["=1+1", "+1+1", "-1", "@x", "\tx", "\rx", "'=1", "''=1", "＝1", "+44 161"])  # noqa: RUF001
def test_a_formula_goes_out_harmless_and_comes_back(cell: str) -> None:
    assert harmless(cell) == f"'{cell}"
    assert restored(harmless(cell)) == cell


@pytest.mark.parametrize("cell", ["+441614960123", "x=1", "'quoted'", "O'Hara", "", " =1"])
def test_what_is_no_formula_stays(cell: str) -> None:
    assert harmless(cell) == cell == restored(cell)


# -- files --------------------------------------------------------------------------------------------------


def table(
    path: Path, encoding: str = "utf-8", delimiter: str | None = None
) -> tuple[list[str], list[Record]]:
    with opened_table(
        path, encoding, delimiter, lambda header: len({"email", "name"} & set(header))
    ) as opened:
        return opened.header, list(opened.records)


def test_the_first_column_is_recognised_behind_a_byte_order_mark() -> None:
    header, [record] = table(DATA / "semicolon_bom.csv")
    assert header[0] == "email"
    assert record.cells[3] == "1.234,56"


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_recognised(tmp_path: Path, mark: bytes, delimiter: str) -> None:
    text = f"name{delimiter}email{delimiter}a,b;c|d\nJo{delimiter}jo@example.com{delimiter}x\n"
    header, [record] = table(written(tmp_path / "a.csv", mark + text.encode()), delimiter=None)
    assert header[:2] == ["name", "email"]
    assert record.cells[:2] == ["Jo", "jo@example.com"]


def test_excels_line_about_the_delimiter_is_understood(tmp_path: Path) -> None:
    header, [record] = table(written(tmp_path / "a.csv", "sep=|\r\nname|email\r\nJo|x\r\n"))
    assert (header, record.line) == (["name", "email"], 3)


def test_other_encodings_are_read_when_they_are_declared() -> None:
    assert table(DATA / "tab_utf16.csv", "utf-16")[1] == [
        Record(2, ["zoë@example.com", "Zoë", "two\r\nlines"])
    ]
    assert [record.cells[1] for record in table(DATA / "bar_cp1252.csv", "cp1252")[1]] == ["René", "Ida €"]


@pytest.mark.parametrize(
    ("content", "encoding", "line"),
    [
        ("name,email\n" + "Jo,x\n" * 5000 + "René,y\n", "utf-8", 5002),
        ("name,email\nRené,y\n", "utf-8", 2),
    ],
)
def test_a_wrong_encoding_is_told_with_its_line(
    tmp_path: Path, content: str, encoding: str, line: int
) -> None:
    path = written(tmp_path / "a.csv", content.encode("cp1252"))
    with pytest.raises(click.ClickException, match=f"line {line} is not {encoding}"):
        table(path, encoding)


@pytest.mark.parametrize(
    ("content", "encoding", "said"),
    [
        ("name,email\nJo,x\nRené,y\n".encode(), "cp1252", "line 3 is not cp1252 .it is utf-8"),
        ("name,email\nJo,x\n".encode("utf-16"), "utf-8", "line 1 is not utf-8"),
        ("name,email\nJo,x\n".encode("utf-16-le"), "utf-8", "line 1 is not utf-8.*utf-16"),
        (b"name,email\nJo,x\n", "utf-16", "line 1 is not utf-16"),
        (b"", "utf-8", "empty"),
        (b"\n\n", "utf-8", "empty"),
    ],
)
def test_a_file_that_is_something_else_is_told(
    tmp_path: Path, content: bytes, encoding: str, said: str
) -> None:
    with pytest.raises(click.ClickException, match=said):
        table(written(tmp_path / "a.csv", content), encoding)


def test_rows_keep_their_lines_and_broken_ones_say_why(tmp_path: Path) -> None:
    lines = ["name,email", '"two', 'lines",a', "", ",", "x", 'y,"b"c', "z,d\0", "last,e"]
    _, records = table(written(tmp_path / "a.csv", "\n".join(lines)))
    assert [(record.line, record.cells[0], (record.fault or "")[:20]) for record in records] == [
        (2, "two\nlines", ""),
        (6, "x", "it has 1 cells where"),
        (7, 'y,"b"c\n', "its quotes are broke"),
        (8, "z", "it has a NUL charact"),
        (9, "last", ""),
    ]


def test_a_quote_that_never_ends_is_a_row_of_its_own_and_nothing_before_it_is_lost(tmp_path: Path) -> None:
    _, records = table(written(tmp_path / "a.csv", 'name,email\nJo,x\n"Ann,y\nBob,z\n'))
    assert [record.fault is None for record in records] == [True, False]
    assert "Bob,z" in records[1].cells[0]


# -- maps and rows ------------------------------------------------------------------------------------------

FACTS = Facts(
    {
        "appointment": Workflow("new", {"new": "new", "callback": "callback", "noshow": "no_show"}),
        "sales": Workflow(
            "new", {stage: stage for stage in ("new", "contacted", "qualified", "proposal", "won", "lost")}
        ),
        "qualification": Workflow(
            "new",
            {
                stage: stage
                for stage in ("new", "accepted", "attempting", "qualified", "recycled", "disqualified")
            },
        ),
    },
    "appointment",
    {
        "lost": [
            "Price",
            "Competitor",
            "No Response",
            "Not Qualified",
            "Timing",
            "Requirement Changed",
            "Other",
        ],
        "rejection": ["no_fit", "no_budget", "other"],
        "recycle": ["bad_timing", "other"],
    },
    {},
    "GB",
    BERLIN,
    datetime(2026, 3, 1, tzinfo=UTC),
)


def one(text: str, cells: dict[str, str], tmp_path: Path) -> Row | Reject:
    """A row of these cells by this map (a preset's name, or YAML)."""
    name = text if text in mapping.presets() else str(written(tmp_path / "map.yaml", text))
    return RowReader(mapping.load(name), list(cells), FACTS).read(Record(2, list(cells.values())))


def payload(row: Row | Reject) -> dict[str, Any]:
    assert isinstance(row, Row), row
    return dict(row.entry["payload"])


@pytest.mark.parametrize(
    ("preset", "column", "word", "stage"),
    [
        ("hubspot", "Deal Stage", "Negotiation", "proposal"),
        ("hubspot", "Deal Stage", "closed  won", "won"),
        ("hubspot", "Deal Stage", "decisionmakerboughtin", "qualified"),
        ("hubspot", "Lead Status", "OPEN", "new"),
        ("salesforce", "StageName", "Negotiation/Review", "proposal"),
        ("salesforce", "Stage", "Closed Lost", "lost"),
        ("salesforce", "Lead Status", "Open - Not Contacted", "new"),
        ("pipedrive", "Deal - Stage", "Contact Made", "contacted"),
        ("leadline", "stage", "new", "new"),
        ("pipedrive", "Deal - Stage", " Qualified ", "qualified"),
    ],
)
def test_stages_are_read_forgivingly(preset: str, column: str, word: str, stage: str, tmp_path: Path) -> None:
    assert payload(one(preset, {column: word, "Email": "a@b.example"}, tmp_path))["stage"] == stage


def test_an_unknown_stage_names_the_known_ones(tmp_path: Path) -> None:
    row = one("hubspot", {"Deal Stage": "Simmering", "Email": "a@b.example"}, tmp_path)
    assert isinstance(row, Reject)
    assert row.column == "Deal Stage"
    assert "'Simmering' is no stage: known are new, contacted, qualified" in row.reason


@pytest.mark.parametrize(
    ("said", "reason", "notes"),
    [
        ("too expensive", "Price", None),
        ("COMPETITOR", "Competitor", None),
        ("Moved to the moon", "Other", "Moved to the moon"),
        ("", "Other", "Closed Lost: no reason given"),
        ("Other", "Other", "no reason given"),
    ],
)
def test_a_loss_keeps_its_reason_or_the_word_for_it(
    said: str, reason: str, notes: str | None, tmp_path: Path
) -> None:
    cells = {"Deal Stage": "Closed Lost", "Closed Lost Reason": said, "Email": "a@b.example"}
    found = payload(one("hubspot", cells, tmp_path))
    assert (found["lost_reason"], found.get("notes")) == (reason, notes)


HUBSPOT_LEADS = """
extends: hubspot
workflow: qualification
dates: "%d/%m/%Y"
columns:
  stage: Lead Status
  rejection_reason: Disqualification Reason
  recycle_reason: Why later
  recycle_on: Not before
  accepted_at: Accepted
stages: {Unqualified: disqualified, Bad Timing: recycled, Working: attempting}
rejection_reasons: {Budget: no_budget}
recycle_reasons: {Next year: bad_timing}
"""


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ({"Lead Status": "Unqualified", "Disqualification Reason": "no fit"}, {"rejection_reason": "no_fit"}),
        (
            {"Lead Status": "Unqualified", "Disqualification Reason": "budget"},
            {"rejection_reason": "no_budget"},
        ),
        (
            {"Lead Status": "Unqualified", "Disqualification Reason": "a child"},
            {"rejection_reason": "other", "notes": "a child"},
        ),
        (
            {"Lead Status": "Unqualified", "Not before": "01/02/2027"},
            {"rejection_reason": "other", "notes": "Unqualified: no reason given"},
        ),
        (
            {"Lead Status": "Bad Timing", "Why later": "next YEAR", "Not before": "01/02/2027"},
            {"recycle_reason": "bad_timing", "recycle_on": "2027-02-01"},
        ),
        ({"Lead Status": "Working", "Accepted": "05/01/2026"}, {"accepted_at": "2026-01-04T23:00:00+00:00"}),
        ({"Lead Status": "Working", "Disqualification Reason": "no fit"}, {}),
    ],
)
def test_a_lead_of_qualification_says_why_and_until_when(
    cells: dict[str, str], said: dict[str, str], tmp_path: Path
) -> None:
    found = payload(one(HUBSPOT_LEADS, {"Email": "a@b.example"} | cells, tmp_path))
    names = ("rejection_reason", "recycle_reason", "recycle_on", "accepted_at", "notes")
    assert {name: found[name] for name in names if name in found} == said


def test_a_day_that_is_none_is_a_fault_of_the_row(tmp_path: Path) -> None:
    row = one(HUBSPOT_LEADS, {"Lead Status": "Bad Timing", "Not before": "soon"}, tmp_path)
    assert isinstance(row, Reject)
    assert row.column == "Not before"
    assert "'soon' is no date as declared" in row.reason


def test_a_status_counts_before_the_stage(tmp_path: Path) -> None:
    cells = {"Deal - Stage": "Qualified", "Deal - Status": "Won", "Deal - Won time": "2025-02-03"}
    found = payload(one("pipedrive", cells, tmp_path))
    assert (found["stage"], found["stage_text"]) == ("won", "Qualified")
    assert found["entered_at"] == "2025-02-02T23:00:00+00:00"
    row = one("pipedrive", {"Deal - Stage": "Qualified", "Deal - Status": "Deleted"}, tmp_path)
    assert isinstance(row, Reject)
    assert "Open, Won, Lost" in row.reason


def test_a_close_date_that_is_a_hope_is_no_date_of_an_open_deal(tmp_path: Path) -> None:
    cells = {"Deal Stage": "Contract Sent", "Close Date": "2031-01-01", "Create Date": "2025-01-01 10:00"}
    assert payload(one("hubspot", cells, tmp_path))["entered_at"] == "2025-01-01T09:00:00+00:00"


def test_a_date_in_the_future_is_a_fault_of_the_row(tmp_path: Path) -> None:
    row = one(DIRTY, dict.fromkeys(("phone", "first_name", "deal_value", "stage", "message"), "") | {
        "email": "a@b.example", "created": "31/12/2026"}, tmp_path)  # fmt: skip
    assert isinstance(row, Reject)
    assert (row.column, row.reason) == ("created", "'31/12/2026' lies in the future")


def test_a_number_that_is_none_is_kept_aside_with_a_warning(tmp_path: Path) -> None:
    row = one("hubspot", {"Phone Number": "4.41E+11", "Email": "a@b.example"}, tmp_path)
    assert isinstance(row, Row)
    assert payload(row)["phone_text"] == "4.41E+11"
    assert "phone" not in payload(row)
    assert "phone_scientific_notation" in row.warnings[0][1]


def test_what_a_field_cannot_hold_is_kept_under_a_key_of_its_own(tmp_path: Path) -> None:
    cells = {
        "Deal - Title": "Boats", "Person - Name": "Bea", "Person - Email - Work": "bea@x.example, b@y.example",
        "Person - Phone - Work": "+49 30 901820 ext. 7", "Deal - Owner": "Somebody Else",
    }  # fmt: skip
    found = payload(one("pipedrive", cells, tmp_path))
    assert (found["email"], found["other_emails"]) == ("bea@x.example", "b@y.example")
    assert (found["phone"], found["phone_text"]) == ("+4930901820", "+49 30 901820 ext. 7")
    assert found["assigned_text"] == "Somebody Else"
    assert found["columns"] == {"Deal - Title": "Boats"}


def test_an_address_with_a_space_in_it_is_none(tmp_path: Path) -> None:
    row = one("hubspot", {"Email": "le ad@example.com"}, tmp_path)
    assert isinstance(row, Reject)
    assert row.column == "Email"


def test_opting_out_is_any_yes_and_a_word_that_is_neither_is_a_fault(tmp_path: Path) -> None:
    text = "{columns: {email: email, do_not_contact: [dnc, stop]}}"
    for dnc, stop in (("yes", "no"), ("", "TRUE"), ("x", "")):
        row = one(text, {"email": "a@b.example", "dnc": dnc, "stop": stop}, tmp_path)
        assert isinstance(row, Row)
        assert row.entry["do_not_contact"] is True
    row = one(text, {"email": "a@b.example", "dnc": "no", "stop": ""}, tmp_path)
    assert isinstance(row, Row)
    assert "do_not_contact" not in row.entry
    row = one(text, {"email": "a@b.example", "dnc": "perhaps", "stop": "yes"}, tmp_path)
    assert isinstance(row, Reject)


def test_the_identity_of_a_row_is_neither_personal_nor_that_of_its_columns_order(tmp_path: Path) -> None:
    text = "{columns: {external_id: [id, email], email: email, name: name}, columns_may_be_missing: true}"
    by_address = one(text, {"email": "a@b.example", "name": "Ann"}, tmp_path)
    assert isinstance(by_address, Row)
    assert by_address.external_id is not None
    assert len(by_address.external_id) == 64  # hashed
    text = "{columns: {external_id: id, name: name}, columns_may_be_missing: true}"
    for said, kept in (("4711", True), ("DE-4711.a", True), ("Ann Smith", False), ("+4477", False)):
        row = one(text, {"id": said, "name": "Ann"}, tmp_path)
        assert isinstance(row, Row)
        assert (row.external_id == said) is kept
    rows = [
        one(SIMPLE, cells, tmp_path)
        for cells in (
            {"email": "a@b.example", "name": "Ann"},
            {"name": " Ann\u00a0", "email": "a@b.example"},
            {"line": "9", "column": "name", "reason": "mended", "email": "a@b.example", "name": "Ann"},
            {"email": "a@b.example", "name": "Anna"},
        )
    ]
    digests = [row.digest for row in rows if isinstance(row, Row)]
    assert len(digests) == 4
    assert digests[0] == digests[1] == digests[2] != digests[3]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("columns: {email: Adresse}", "names a column 'Adresse'; the file has: email, name"),
        ("columns: {e_mail: email}", "unknown field e_mail"),
        ("{columns: {email: email}, country: NO}", "need quotes"),
        ("{columns: {email: email}, numbers: us}", "numbers"),
        ("{columns: {email: email}, time_zone: UTC+3}", "no IANA time zone"),
        ("{columns: {email: email}, colour: red}", "colour"),
        ("{extends: sugar, columns: {email: email}}", "no preset sugar"),
        ("{columns: {email: email}, workflow: marriage}", "none of appointment, sales"),
        ("columns: {email: [a", "no YAML"),
        ("just words", "no map"),
        ("{columns: {phone: Telefon}, columns_may_be_missing: true}", "none of the file's columns"),
    ],
)
def test_a_map_that_is_wrong_says_where(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(click.ClickException) as raised:
        one(text, {"email": "a@b.example", "name": "Ann"}, tmp_path)
    assert said in raised.value.message


def test_a_map_may_begin_with_a_preset(tmp_path: Path) -> None:
    text = """
        extends: salesforce
        numbers: de
        dates: "%d.%m.%Y"
        columns: {email: [E-Mail]}
        stages: {Verhandlung: proposal}
    """
    cells = {
        "Stage": "Verhandlung",
        "Amount": "1.234,50",
        "E-Mail": "a@b.example",
        "Created Date": "01.02.2026",
    }
    found = payload(one(text, cells, tmp_path))
    assert (found["stage"], found["deal_value"], found["source"]) == (
        "proposal",
        Decimal("1234.50"),
        "salesforce",
    )


def test_columns_that_are_there_twice_are_not_chosen_between() -> None:
    with pytest.raises(click.ClickException, match="2 columns 'Email'"):
        RowReader(mapping.load("hubspot"), ["Email", "E-mail"], FACTS)


def test_presets_name_only_what_there_is() -> None:
    for name in mapping.presets():
        preset = mapping.load(name)
        assert set(preset.stages.values()) <= set(FACTS.workflows["sales"].stages)
        assert set(preset.lost_reasons.values()) <= set(FACTS.reasons["lost"])
        assert {stage for stage in preset.statuses.values() if stage} <= {"won", "lost", "archived"}


@pytest.mark.parametrize(
    ("file", "name"),
    [("leads.csv", "leads"), ("leads.rejects.csv", "leads"), ("HubSpot 2026-01.csv", "HubSpot 2026-01")],
)
def test_an_import_is_called_like_its_file(file: str, name: str) -> None:
    assert importing.default_name(Path(file)) == name


def test_a_file_called_like_somebody_gives_no_name_away() -> None:
    assert "ann" not in importing.default_name(Path("ann@example.com.csv"))


# -- into a workspace ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def place(server: Server, template: str) -> Iterator[Database]:
    """A database that the tests of this file share."""
    with clone(server, template) as database:
        yield database


@pytest.fixture
def office(place: Database) -> Iterator[Office]:
    office = Office(place.dsn())
    yield office
    assert faults(place.dsn()) == []


LEADS = """
    select c.email, o.stage, o.status, o.deal_value, o.currency, o.stage_entered_at::date::text, o.lost_reason, c.lost_notes
    from leadline.lead_overview o join leadline.lead_contacts c using (workspace_id, lead_id)
    where o.workspace_id = %s order by c.email
"""


@pytest.fixture
def dirty(tmp_path: Path) -> tuple[Path, Path]:
    """A copy of the dirty list, and its map."""
    path = written(tmp_path / "dirty.csv", (DATA / "dirty.csv").read_bytes())
    return path, written(tmp_path / "map.yaml", DIRTY)


def rejects(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def test_a_dirty_list_goes_in_as_far_as_it_is_clean_and_only_once(
    office: Office, dirty: tuple[Path, Path]
) -> None:
    path, map_file = dirty
    done = office.run("import", path, "--map", map_file)
    assert (done.status, done.out) == (
        1, "6 rows: 2 leads made, 1 open leads met, 0 repeated, 3 rejected\n",
    )  # fmt: skip
    assert "line 4, phone: '4.41E+11' is no number any more (phone_scientific_notation)" in done.err
    journal = office.all(
        "select activity_type, verdict, reference from leadline.lead_activity"
        " where workspace_id = %s order by activity_id"
    )
    assert sorted(row[:2] for row in journal) == [
        ("inbound_enquiry", "applied" if journal[-1][1] == "applied" else "noted"),
        ("lead_imported", "applied"),
        ("lead_imported", "applied"),
    ]
    assert all(row[2].startswith("import:dirty:") for row in journal)
    assert office.ask("select count(*) from leadline.requests where workspace_id = %s", office.id) == 1

    rejected = rejects(path.with_name("dirty.rejects.csv"))
    assert [(row["line"], row["column"]) for row in rejected] == [
        ("5", "stage, created"), ("6", "deal_value"), ("7", "deal_value"),
    ]  # fmt: skip
    assert rejected[0]["email"] == "nora+fb@example.com"
    assert "'2026-02-30' is no date as declared" in rejected[0]["reason"]

    again = office.run("import", path, "--map", map_file)
    assert again.out == "6 rows: 0 leads made, 0 open leads met, 3 repeated, 3 rejected\n"
    assert len(office.all("select 1 from leadline.lead_activity where workspace_id = %s")) == 3


def test_mended_rejects_go_in_by_the_same_map_and_the_list_again_does_nothing(
    office: Office, dirty: tuple[Path, Path]
) -> None:
    path, map_file = dirty
    office.run("import", path, "--map", map_file)
    mended = path.with_name("dirty.rejects.csv")
    text = mended.read_text("utf-8")
    for wrong, right in (
        ("2026-02-30", "28/02/2026"),
        ("Negotiation", "attempted"),
        ("NaN", ""),
        ("1e309", ""),
    ):
        text = text.replace(f",{wrong},", f",{right},")
    mended.write_text(text, "utf-8")
    done = office.run("import", mended, "--map", map_file)
    assert (
        done.out == "3 rows: 2 leads made, 1 open leads met, 0 repeated, 0 rejected\n"
    )  # two spellings of one address
    assert not mended.with_name("dirty.rejects.rejects.csv").exists()
    assert office.run("import", mended, "--map", map_file).out.startswith(
        "3 rows: 0 leads made, 0 open leads met, 3"
    )


def test_the_formula_of_a_list_is_text_and_goes_out_harmless(
    office: Office, dirty: tuple[Path, Path]
) -> None:
    path, map_file = dirty
    office.run("import", path, "--map", map_file)
    assert ('=HYPERLINK("http://evil.example")',) in office.all(
        "select name from leadline.leads where workspace_id = %s"
    )
    out = office.run("export", "-").out
    assert "\"'=HYPERLINK(" in out
    assert ",+441614960123," in out


def test_hubspot(office: Office, tmp_path: Path) -> None:
    office.ask("select leadline.add_member(%s, 'dana@acme.example', 'member', 'Dana Whitlock')", office.id)
    done = office.run(
        "import", DATA / "hubspot_deals.csv", "--map", "hubspot", "--rejects", tmp_path / "r.csv"
    )
    assert done.out == "7 rows: 6 leads made, 0 open leads met, 0 repeated, 1 rejected\n"
    assert "'Somebody Else' is no member" in done.err
    assert office.all(LEADS) == [
        ("ines@roof.example", "qualified", "active", Decimal("4200.5"), "USD", "2025-09-01", None, None),
        ("mia@mill.example", "won", "won", Decimal(800), "USD", "2025-10-20", None, None),
        (
            "nell@yard.example",
            "lost",
            "lost",
            Decimal(300),
            "USD",
            "2025-10-22",
            "Other",
            "Moved to the moon",
        ),
        (
            "noa@yard.example",
            "lost",
            "lost",
            Decimal(300),
            "USD",
            "2025-10-23",
            "Other",
            "closed lost: no reason given",
        ),
        ("otto@yard.example", "lost", "lost", Decimal(300), "USD", "2025-10-21", "Price", None),
        ("paul@view.example", "proposal", "active", Decimal(12000), "USD", "2025-09-02", None, None),
    ]
    owners = "select count(*) from leadline.leads where assigned_user_id is not null and workspace_id = %s"
    assert office.all(owners) == [(5,)]
    assert ("import:hubspot_deals:9001",) in office.all(
        "select reference from leadline.lead_activity where workspace_id = %s"
    )


def test_salesforce_with_its_opting_out(office: Office) -> None:
    done = office.run("import", DATA / "salesforce_leads.csv", "--map", "salesforce")
    assert (done.status, done.out) == (0, "3 rows: 3 leads made, 0 open leads met, 0 repeated, 0 rejected\n")
    assert [row[:3] for row in office.all(LEADS)] == [
        ("ada@byrne.example", "new", "active"),
        ("bo@cole.example", "contacted", "active"),
        ("cy@dunn.example", "lost", "lost"),
    ]
    channels = "select kind, key, channel from leadline.suppressions where workspace_id = %s order by 3, 1"
    assert office.all(channels) == [
        ("email", "bo@cole.example", "email"), ("phone", "+441614960102", "email"),
        ("email", "cy@dunn.example", "phone"), ("phone", "+441614960103", "phone"),
    ]  # fmt: skip


def test_pipedrive(office: Office, tmp_path: Path) -> None:
    done = office.run(
        "import", DATA / "pipedrive_deals.csv", "--map", "pipedrive", "--rejects", tmp_path / "r.csv"
    )
    assert done.out == "4 rows: 3 leads made, 0 open leads met, 0 repeated, 1 rejected\n"
    assert [row[:7] for row in office.all(LEADS)] == [
        ("bea@boat.example", "proposal", "active", Decimal(1500), "EUR", "2025-08-11", None),
        ("olaf@oar.example", "won", "won", Decimal(70), "EUR", "2025-08-12", None),
        ("sia@sail.example", "lost", "lost", Decimal(90), "EUR", "2025-08-13", "No Response"),
    ]
    assert office.all(
        "select tags from leadline.leads where email = 'bea@boat.example' and workspace_id = %s"
    ) == [(["Boats", "Hot"],)]


def test_a_lead_brings_its_past_and_nothing_is_done_about_it(office: Office, tmp_path: Path) -> None:
    path = written(
        tmp_path / "past.csv",
        "email,stage,created_at,entered_at\n"
        "ann@example.com,scheduled,2025-10-01T09:00:00Z,2025-11-02T10:00:00Z\n"
        "bob@example.com,sale,2025-10-01T09:00:00Z,2025-11-03T10:00:00Z\n",
    )
    assert office.run("import", path, "--map", "leadline").status == 0
    assert office.all(
        "select activity_type, verdict, to_stage, occurred_at::date::text from leadline.lead_activity"
        " where workspace_id = %s order by to_stage"
    ) == [
        ("lead_imported", "applied", "sale", "2025-10-01"),
        ("lead_imported", "applied", "scheduled", "2025-10-01"),
    ]
    assert office.all(
        "select stage, stage_entered_at::date::text, created_at::date::text from leadline.leads where workspace_id = %s order by stage"
    ) == [("sale", "2025-11-03", "2025-10-01"), ("scheduled", "2025-11-02", "2025-10-01")]
    assert office.all("select 1 from leadline.stage_history where workspace_id = %s") != []
    assert office.all("select 1 from leadline.outbox where workspace_id = %s") == []
    assert office.all("select 1 from leadline.requests where workspace_id = %s") == []


def test_an_open_lead_is_met_and_what_it_lacks_is_filled(office: Office, tmp_path: Path) -> None:
    with office.connect() as connection:
        connection.execute("insert into leadline.leads (email, name) values ('Ann@Example.com', 'Ann')")
    path = written(tmp_path / "list.csv", "email,name,company\nann@example.com,Somebody,Acme\n")
    map_file = written(tmp_path / "map.yaml", "columns: {email: email, name: name, company: company}")
    assert office.run("import", path, "--map", map_file).out == (
        "1 rows: 0 leads made, 1 open leads met, 0 repeated, 0 rejected\n"
    )
    assert office.all("select name, company from leadline.leads where workspace_id = %s") == [("Ann", "Acme")]
    kept = office.all(
        "select content from leadline.activity_content where workspace_id = %s order by activity_id"
    )
    assert kept[-1][0]["payload"]["imported"]["stage"] == "new"


def test_a_closed_row_is_a_lead_of_its_own_beside_an_open_one(office: Office, tmp_path: Path) -> None:
    cells = "email,workflow,stage,lost_reason\nann@example.com,sales,new,\nann@example.com,sales,lost,Price\n"
    map_file = written(
        tmp_path / "map.yaml",
        "columns: {email: email, workflow: workflow, stage: stage, lost_reason: lost_reason}",
    )
    office.run("import", written(tmp_path / "a.csv", cells), "--map", map_file)
    assert [row[1] for row in office.all(LEADS)] in (["new", "lost"], ["lost", "new"])


def test_equal_rows_are_told_apart_and_ids_may_not_be(office: Office, tmp_path: Path) -> None:
    map_file = written(tmp_path / "map.yaml", SIMPLE)
    path = written(tmp_path / "a.csv", "name\nAnn\nAnn\nAnn\n")
    assert office.run("import", path, "--map", map_file).out.startswith("3 rows: 3 leads made")
    assert office.run("import", path, "--map", map_file).out.startswith(
        "3 rows: 0 leads made, 0 open leads met, 3"
    )
    path = written(tmp_path / "b.csv", "id,name\n7,Ann\n7,Ann\n7,Bob\n")
    done = office.run("import", path, "--map", map_file)
    assert done.out == "3 rows: 1 leads made, 0 open leads met, 1 repeated, 1 rejected\n"
    assert (
        rejects(tmp_path / "b.rejects.csv")[0]["reason"] == "its id stands for another row already, on line 2"
    )


def test_what_the_database_forbids_is_rejected_by_its_rule(office: Office, tmp_path: Path) -> None:
    path = written(
        tmp_path / "a.csv",
        "email,workflow,stage,deal_value\n,sales,new,\nann@example.com,sales,proposal,\nbob@example.com,sales,new,\n",
    )
    assert office.run("import", path, "--map", "leadline").out.startswith("3 rows: 1 leads made")
    found = rejects(tmp_path / "a.rejects.csv")
    assert [(row["column"], row["reason"].split(":")[0]) for row in found] == [
        ("email, phone", "contact_info_required"), ("deal_value", "deal_value_required"),
    ]  # fmt: skip


def test_do_not_contact_can_be_set_and_never_cleared(office: Office, tmp_path: Path) -> None:
    map_file = written(
        tmp_path / "map.yaml", "columns: {external_id: id, email: email, do_not_contact: dnc, stage: stage}"
    )
    head = "id,email,dnc,stage\n"
    done = office.run(
        "import", written(tmp_path / "a.csv", f"{head}1,ann@example.com,yes,new\n"), "--map", map_file
    )
    assert done.status == 0, done
    listed = "select key from leadline.suppressions where lifted_by is null and workspace_id = %s"
    assert office.all(listed) == [("ann@example.com",)]
    assert [row[1:3] for row in office.all(LEADS)] == [("dnc", "resolved")]
    for name in ("a", "b"):
        path = written(tmp_path / f"{name}.csv", f"{head}1,ann@example.com,no,new\n")
        office.run("import", path, "--map", map_file)
        assert office.all(listed) == [("ann@example.com",)]
    path = written(tmp_path / "c.csv", f"{head}2,bob@example.com,no,new\n")
    office.run("import", path, "--map", map_file)
    written(path, f"{head}2,bob@example.com,yes,new\n")  # the wish came later
    office.run("import", path, "--map", map_file)
    assert ("bob@example.com",) in office.all(listed)


def test_only_an_importer_imports(office: Office) -> None:
    for role, scopes in (("app", ()), ("owner", ()), ("analyst", ()), ("member", ("import",))):
        with (
            office.connect(role, *scopes) as connection,
            pytest.raises(psycopg.Error) as raised,
        ):
            connection.execute("select * from leadline.import_leads('[]')")
        assert raised.value.sqlstate in ("PT403", "42501")
    with (
        psycopg.connect(office.admin_dsn) as connection,
        pytest.raises(psycopg.Error) as raised,
    ):
        connection.execute("select * from leadline.import_leads('[]')")
    assert raised.value.sqlstate == "PT401"
    with office.connect("importer", "import") as connection:
        assert connection.execute("select * from leadline.import_leads('[]')").fetchall() == []


def import_rows(office: Office, rows: list[Any]) -> list[dict[str, Any]]:
    with office.connect("importer", "import") as connection:
        found = connection.execute(
            "select i.item, i.result from leadline.import_leads(%s::jsonb) i", [json.dumps(rows)]
        ).fetchall()
    assert [item for item, _ in found] == list(range(1, len(rows) + 1))
    return [result for _, result in found]


def entry(reference: str, email: str | None = None, **more: Any) -> dict[str, Any]:
    told = {"stage": "new", "entered_at": "2025-11-02T10:00:00Z"} | ({"email": email} if email else {})
    return {"reference": reference, "payload": told | more.pop("payload", {}), **more}


def test_a_batch_answers_row_by_row_in_its_own_order(office: Office) -> None:
    rows: list[Any] = [
        entry("r1", "zoe@example.com"),
        entry("r2", "ann@example.com", payload={"stage": "nowhere"}),
        "no row",
        entry("r3", "ann@example.com"),
        entry("r4", "ANN@example.com", payload={"message": "again"}),
        {"payload": {}},
        entry("r5", "bob", payload={"email": "no address"}),
        entry("r6", "dan@example.com", do_not_contact="yes"),
        entry("r7", "dan@example.com", occurred_at="yesterday"),
    ]
    results = import_rows(office, rows)
    assert [(r["verdict"], r["rule"]) for r in results] == [
        ("applied", None), ("invalid", "unknown_stage"), ("invalid", "batch_malformed"), ("applied", None),
        (results[4]["verdict"], results[4]["rule"]), ("invalid", "batch_malformed"), ("invalid", "value_malformed"),
        ("invalid", "batch_malformed"), ("invalid", "value_malformed"),
    ]  # fmt: skip
    assert results[4]["activity_type"] == "inbound_enquiry"
    assert results[4]["lead_id"] == results[3]["lead_id"] != results[0]["lead_id"]
    again = import_rows(office, rows)
    assert [r.get("replayed") for r in again] == [True, None, None, True, True, None, None, None, None]
    assert [r.get("lead_id") for r in again] == [r.get("lead_id") for r in results]


@pytest.mark.parametrize("wrong", ["{}", "null", "[" + ",".join(["{}"] * 1001) + "]"])
def test_a_batch_that_is_none_is_refused(office: Office, wrong: str) -> None:
    with office.connect("importer", "import") as connection, pytest.raises(psycopg.Error) as raised:
        connection.execute("select * from leadline.import_leads(%s::jsonb)", [wrong])
    assert raised.value.sqlstate == "PT422"


def test_rows_of_two_workspaces_do_not_meet(place: Database, office: Office) -> None:
    other = Office(place.dsn(), "Other")
    [theirs] = import_rows(other, [entry("r1", "ann@example.com")])
    [ours, known] = import_rows(
        office, [entry("r1", "ann@example.com"), entry("r2", restores=True, lead_id=theirs["lead_id"])]
    )
    assert (ours["activity_type"], ours["replayed"]) == ("lead_imported", False)
    assert (known["activity_type"], known["replayed"]) == ("lead_imported", False)


@pytest.mark.slow
def test_imports_side_by_side_neither_wait_for_each_other_for_ever_nor_do_anything_twice(
    office: Office,
) -> None:
    results: list[dict[str, Any]] = []
    office.login("importer", "import")

    def work(shift: int) -> None:
        rows = [
            entry(f"r{i}", f"p{i % 40}@example.com", payload={"phone": f"+44161496{(i * 7 + shift) % 40:04}"})
            for i in range(200)
        ]
        results.extend(import_rows(office, rows[shift * 20 :] + rows[: shift * 20]))

    threads = [threading.Thread(target=work, args=(shift,)) for shift in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 800
    assert {result["verdict"] for result in results} <= {"applied", "noted"}
    assert sum(not result["replayed"] for result in results) == 200
    assert office.count() == 40


# -- interruptions, and much of it --------------------------------------------------------------------------


def started(office: Office, path: Path, map_file: Path, *wrapper: str) -> subprocess.Popen[str]:
    ours = {k: v for k, v in os.environ.items() if not k.startswith(("PG", "LEADLINE_", "DATABASE_"))}
    return subprocess.Popen(
        [
            sys.executable, *(wrapper or ("-m", "app.cli")), "import", str(path), "--map", str(map_file),
            "--workspace", str(office.id), "--dsn", office.admin_dsn,
        ],
        env=ours | {"PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGKILL, -9)])
def test_an_interrupted_import_leaves_nothing_by_half_and_goes_on(
    office: Office, tmp_path: Path, number: signal.Signals, status: int
) -> None:
    path, map_file = many(tmp_path / "many.csv", 3000), written(tmp_path / "map.yaml", SIMPLE)
    running = started(office, path, map_file)
    patience = time.monotonic() + 60
    while office.count() == 0 and running.poll() is None and time.monotonic() < patience:
        time.sleep(0.02)
    running.send_signal(number)
    out, err = running.communicate(timeout=60)
    assert running.returncode == status, err
    with contextlib.suppress(psycopg.Error):
        time.sleep(0.1)  # the server learns of a killed client when it answers
    stored = office.count()
    assert 0 < stored < 3000
    assert (stored - importing.FIRST_BATCH) % importing.BATCH == 0
    if number == signal.SIGINT:
        assert f"{stored} leads made" in out
        assert "the same command again does the rest" in err
    done = office.run("import", path, "--map", map_file)
    assert (
        done.out
        == f"3000 rows: {3000 - stored} leads made, 0 open leads met, {stored} repeated, 0 rejected\n"
    )
    assert office.count() == 3000


@pytest.mark.slow
def test_memory_does_not_grow_with_the_file(office: Office, tmp_path: Path) -> None:
    map_file = written(tmp_path / "map.yaml", SIMPLE)
    wrapper = written(
        tmp_path / "wrapper.py",
        "import atexit, resource, sys\n"
        "atexit.register(lambda: print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))\n"
        "from app.cli import main\n"
        "main()\n",
    )
    peaks = []
    for count in (1000, 5000):
        path = many(tmp_path / f"{count}.csv", count, size=4000)  # 4 and 20 MB
        out, err = started(office, path, map_file, str(wrapper)).communicate(timeout=300)
        assert f"{count} leads made" in out, err
        peaks.append(int(out.split()[-1]))
    assert peaks[1] - peaks[0] < 4000, f"{peaks} KiB"
