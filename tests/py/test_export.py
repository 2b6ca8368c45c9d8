"""What a workspace gives out is whole, harmless to a spreadsheet, and the same again when it is taken in elsewhere."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner

from app.cli import cli
from app.postgres import Server
from app.transfer.exporting import COLUMNS
from tests.databases import Database, clone
from tests.lists import Office, many, written
from tests.tenant import faults

ROOT = Path(__file__).resolve().parents[2]
QUALIFYING = {"workflow": "qualification", "entered_at": "2025-11-02T10:00:00.123456Z"}
QUALIFICATION: list[tuple[str, dict[str, Any]]] = [
    ("new", {}),
    ("accepted", {}),
    ("attempting", {"accepted_at": "2025-11-01T10:00:00Z", "first_contacted_at": "2025-11-02T09:00:00Z"}),
    ("qualified", {"accepted_at": "2025-11-01T10:00:00Z"}),
    ("recycled", {"recycle_reason": "bad_timing", "recycle_on": "2031-01-01"}),
    ("disqualified", {"rejection_reason": "no_fit", "phone": "+441614960115"}),
    ("disqualified", {"rejection_reason": "other", "notes": "a child"}),
]
SALES = {"workflow": "sales", "entered_at": "2025-11-02T10:00:00.123456Z"}


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


def exported(office: Office) -> list[dict[str, str]]:
    """The rows of an export."""
    done = office.run("export", "-")
    assert done.status == 0, done
    rows = list(csv.DictReader(io.StringIO(done.out, newline="")))
    assert done.err == f"{len(rows)} leads exported\n"
    return rows


def fill(office: Office) -> None:
    """Leads at every kind of place, with everything that a lead can have, some of it hostile."""
    user_id = office.ask("select leadline.add_member(%s, 'dana@acme.example', 'member', 'Dana')", office.id)
    people: list[dict[str, Any]] = [
        SALES | {"stage": "new", "name": '=HYPERLINK("http://evil.example")', "phone": "+441614960101"},
        SALES | {"stage": "new", "name": "'=quoted", "company": "@home", "phone": "0161 496 0102"},
        SALES
        | {"stage": "contacted", "name": "Zoë \u202eevil", "first_contacted_at": "2025-11-01T09:00:00Z"},
        SALES
        | {"stage": "qualified", "company": 'Say "yes", Ltd\nSecond line', "assigned_user_id": str(user_id)},
        SALES | {"stage": "proposal", "deal_value": 1234.5678, "currency": "KWD", "source": "-fair"},
        SALES | {"stage": "won", "deal_value": 99000, "currency": "JPY"},
        SALES | {"stage": "lost", "lost_reason": "Price"},
        SALES | {"stage": "lost", "lost_reason": "Other", "notes": "moved, to; the moon\n+1"},
        SALES | {"workflow": "appointment", "stage": "scheduled"},
        SALES | {"workflow": "appointment", "stage": "sale", "deal_value": 10, "currency": "EUR"},
        SALES | {"workflow": "appointment", "stage": "dnc", "phone": "+441614960111"},
        SALES | {"workflow": "appointment", "stage": "new", "email": "same@example.com"},
        SALES | {"workflow": "appointment", "stage": "callback", "email": "same@example.com"},
        SALES | {"workflow": "appointment", "stage": "new", "email": None},
        SALES | {"stage": "new", "phone": "+441614960111"},  # open, and suppressed by another's wish
        *(QUALIFYING | {"stage": stage} | more for stage, more in QUALIFICATION),
    ]
    with office.connect("importer", "import") as connection:
        for number, payload in enumerate(people):
            told = {"email": f"p{number}@example.com"} | payload
            connection.execute(
                "insert into leadline.lead_activity (activity_type, payload, occurred_at)"
                " values ('lead_imported', %s::jsonb, %s)",
                [_json(told), f"2025-10-{number + 1:02}T08:00:00Z"],
            )
    with office.connect() as connection:
        for email, activity_type, payload in (
            ("p3@example.com", "tag_added", {"tag": "a, b"}),
            ("p3@example.com", "tag_added", {"tag": '"quoted"'}),
            ("p3@example.com", "tag_added", {"tag": "=tag"}),
            ("p5@example.com", "dnc", {}),  # a won deal stays won
            ("p2@example.com", "unsubscribed", {"channel": "email"}),
            ("p0@example.com", "lead_archived", {}),
            ("p7@example.com", "lead_archived", {}),
        ):
            connection.execute(
                "insert into leadline.lead_activity (lead_id, activity_type, payload)"
                " select l.lead_id, %s, %s::jsonb from leadline.leads l where l.email = %s",
                [activity_type, _json(payload), email],
            )
        # open, and on the list without another lead that says why
        connection.execute(
            "insert into leadline.lead_activity (lead_id, activity_type, payload)"
            " select l.lead_id, t.activity_type, t.payload from leadline.leads l, (values"
            " ('unsubscribed', '{\"channel\": \"any\"}'::jsonb)) t (activity_type, payload)"
            " where l.email = 'p4@example.com'"
        )


def _json(payload: dict[str, Any]) -> str:
    return json.dumps({key: value for key, value in payload.items() if value is not None})


def without_ids(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    return [{key: value for key, value in row.items() if key != "lead_id"} for row in rows]


def test_an_export_taken_in_elsewhere_gives_the_same_export(
    place: Database, office: Office, tmp_path: Path
) -> None:
    fill(office)
    first = exported(office)
    assert len(first) == 22
    statuses = {"active", "archived", "won", "lost", "open", "resolved", "closed"}
    assert {row["status"] for row in first} == statuses
    assert [row["accepted_at"] for row in first if row["workflow"] == "qualification"] == [
        "", "2025-11-02T10:00:00.123456Z", "2025-11-01T10:00:00Z", "2025-11-01T10:00:00Z", "", "", "",
    ]  # fmt: skip
    assert [row["rejection_reason"] for row in first][-2:] == ["no_fit", "other"]
    assert [(row["recycle_reason"], row["recycle_on"]) for row in first if row["stage"] == "recycled"] == [
        ("bad_timing", "2031-01-01")
    ]
    assert [row["email"] for row in first if row["do_not_contact"] == "yes"] == [
        "p4@example.com", "p5@example.com", "p10@example.com", "p14@example.com",
    ]  # fmt: skip
    path = tmp_path / "all.csv"
    assert office.run("export", path).status == 0

    other = Office(place.dsn(), "Elsewhere")
    other.ask("select leadline.add_member(%s, 'dana@acme.example', 'member', 'Dana')", other.id)
    done = other.run("import", path, "--map", "leadline")
    assert (done.status, done.out) == (
        0, "22 rows: 22 leads made, 0 open leads met, 0 repeated, 0 rejected\n",
    ), done  # fmt: skip
    assert without_ids(exported(other)) == without_ids(first)
    again = other.run("import", path, "--map", "leadline")
    assert again.out == "22 rows: 0 leads made, 0 open leads met, 22 repeated, 0 rejected\n"
    assert without_ids(exported(other)) == without_ids(first)


def test_an_export_taken_in_where_it_comes_from_changes_nothing_but_wishes(
    office: Office, tmp_path: Path
) -> None:
    fill(office)
    before = exported(office)
    path = tmp_path / "all.csv"
    office.run("export", path)
    assert office.run("import", path, "--map", "leadline", "--name", "replace").out == (
        "22 rows: 0 leads made, 0 open leads met, 22 repeated, 0 rejected\n"
    )
    assert exported(office) == before

    rows = list(csv.DictReader(path.open(newline="", encoding="utf-8")))
    for row in rows:
        row["do_not_contact"] = (
            "yes" if row["email"] == "p3@example.com" else "no"
        )  # set one, clear the others
        row["unsubscribed"] = ""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    assert office.run("import", path, "--map", "leadline", "--name", "wishes").status == 0
    wishes = {row["email"] for row in before if row["do_not_contact"] == "yes"} | {"p3@example.com"}
    after = exported(office)
    assert {row["email"] for row in after if row["do_not_contact"] == "yes"} == wishes
    assert [row["unsubscribed"] for row in after] == [row["unsubscribed"] for row in before]
    assert [row["stage"] for row in after] == [row["stage"] for row in before]


def test_nothing_in_an_export_is_a_formula_and_numbers_stay_whole(office: Office) -> None:
    fill(office)
    rows = exported(office)
    for row in rows:
        for cell in row.values():
            assert cell[:1] not in ("=", "-", "@", "\t", "\r"), cell
            assert not cell.startswith("+") or cell[1:].isdigit(), cell
    by_email = {row["email"]: row for row in rows}
    assert by_email["p0@example.com"]["phone"] == "+441614960101"
    assert by_email["p0@example.com"]["name"].startswith("'=HYPERLINK(")
    assert by_email["p1@example.com"]["name"] == "''=quoted"
    assert by_email["p4@example.com"]["deal_value"] == "1234.5678"
    assert by_email["p4@example.com"]["source"] == "'-fair"
    assert by_email["p3@example.com"]["assigned"] == "dana@acme.example"


def test_one_workspace_gives_out_nothing_of_another(place: Database, office: Office) -> None:
    fill(office)
    assert exported(Office(place.dsn(), "Other")) == []


def test_an_export_names_its_columns_also_when_there_is_nothing(office: Office, tmp_path: Path) -> None:
    path = tmp_path / "all.csv"
    assert office.run("export", path).err == "0 leads exported\n"
    assert path.read_text().strip() == ",".join(COLUMNS)


def test_who_was_turned_away_before_anybody_looked_is_nobodys_lead(office: Office) -> None:
    """Rejected by somebody is a lead all the same, and so is one that was put right."""
    with office.connect("owner", autocommit=True) as connection:
        leads = {}
        for name, said in (("spam", {"exclusion": "spam"}), ("right", {"exclusion": "test"}), ("seen", {})):
            told = {"workflow": "qualification", "email": f"{name}@x.example"} | said
            [(leads[name],)] = connection.execute(
                "insert into leadline.lead_activity (activity_type, payload) values ('inbound_enquiry', %s) returning lead_id",
                [_json(told)],
            ).fetchall()
        for name, activity_type, payload in (
            ("right", "stage_corrected", {"to_stage": "new", "reason": "entered_by_mistake"}),
            ("seen", "request_rejected", {"reason": "spam"}),
        ):
            connection.execute(
                "insert into leadline.lead_activity (lead_id, activity_type, payload) values (%s, %s, %s)",
                [leads[name], activity_type, _json(payload)],
            )
    assert [(row["email"], row["stage"]) for row in exported(office)] == [
        ("right@x.example", "new"), ("seen@x.example", "disqualified"),
    ]  # fmt: skip


def test_a_workspace_must_be_named_when_there_are_several(place: Database, office: Office) -> None:
    Office(place.dsn(), "Another")
    done = CliRunner().invoke(cli, ["export", "-", "--dsn", place.dsn()], env={"DATABASE_URL": None})
    assert done.exit_code == 2
    assert "name one with --workspace" in done.stderr


def test_a_file_that_cannot_be_written_is_told(office: Office, tmp_path: Path) -> None:
    done = office.run("export", tmp_path / "nowhere" / "all.csv")
    assert done.status == 1
    assert "cannot write" in done.err


@pytest.mark.slow
def test_an_interrupted_export_leaves_the_file_of_before(office: Office, tmp_path: Path) -> None:
    map_file = written(tmp_path / "map.yaml", "columns: {external_id: id, name: name, message: message}")
    office.run("import", many(tmp_path / "many.csv", 1000), "--map", map_file)
    path = written(tmp_path / "all.csv", "of before")
    with psycopg.connect(office.admin_dsn) as blocker:  # so that it cannot end before it is interrupted
        blocker.execute("lock table leadline.suppressions in access exclusive mode")
        running = subprocess.Popen(
            [sys.executable, "-m", "app.cli", "export", str(path), "--workspace", str(office.id), "--dsn", office.admin_dsn],
            env=os.environ | {"PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        patience = time.monotonic() + 30
        while not list(tmp_path.glob(".all.csv.*")) and time.monotonic() < patience:
            time.sleep(0.02)
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=30)
    assert running.returncode not in (0, None)
    assert path.read_text() == "of before"
    assert list(tmp_path.glob(".all.csv.*")) == []
