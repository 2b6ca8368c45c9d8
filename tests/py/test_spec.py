"""The stage model as a document: written, read, linted, compared and drawn, by people and by whoever means harm."""

from __future__ import annotations

import copy
import json
import re
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
import pytest
import yaml
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from app.cli import cli
from app.deploy import ROOT, DeployError, migrate
from app.postgres import Server
from app.spec import document
from app.spec.diagram import Arrow, Stage, Workflow, mermaid, svg
from app.spec.difference import differences
from tests.databases import Database, clone
from tests.rules import PAGE, differing, pages
from tests.tenant import Tenant

WORKFLOWS = {
    "appointment", "sales", "qualification", "relationship", "new_business", "expansion", "subscription", "workspace",
}  # fmt: skip
SVG = "{http://www.w3.org/2000/svg}"
NOWHERE = "host=/nowhere port=1 dbname=none"


class Done(NamedTuple):
    """A command that has ended."""

    status: int
    out: str
    err: str


class Desk:
    """The command line of somebody with a login of the database."""

    def __init__(self, dsn: str) -> None:
        self.dsn = dsn

    def spec(self, *words: str | Path, stdin: str | bytes | None = None) -> Done:
        result = CliRunner().invoke(
            cli,
            ["spec", *map(str, words), "--dsn", self.dsn],
            prog_name="leadline",
            env={"DATABASE_URL": None},
            input=stdin,
        )
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Done(result.exit_code, result.stdout, result.stderr)


@pytest.fixture(scope="module")
def place(server: Server, template: str) -> Iterator[Database]:
    """A database that the tests of this file read."""
    with clone(server, template) as database:
        yield database


@pytest.fixture(scope="module")
def desk(place: Database) -> Desk:
    return Desk(place.dsn())


@pytest.fixture(scope="module")
def model(place: Database) -> document.Model:
    """The model of the database."""
    with place.connect() as connection:
        ((found,),) = connection.execute("select leadline.stage_model_document()")
    return dict(found)


@pytest.fixture(scope="module")
def exported(desk: Desk) -> str:
    done = desk.spec("export")
    assert (done.status, done.err) == (0, "")
    return done.out


def block(model: document.Model, name: str) -> dict[str, Any]:
    (found,) = [one for one in model["blocks"] if one["id"] == name]
    return dict(found)


def changed(model: document.Model, name: str, **keys: Any) -> document.Model:
    """The model with keys of one block set; None takes a key away."""
    other = copy.deepcopy(model)
    (found,) = [one for one in other["blocks"] if one["id"] == name]
    found |= keys
    for key in [key for key, value in keys.items() if value is None]:
        del found[key]
    return other


# Written and read


def test_an_export_says_what_the_database_says(exported: str, model: document.Model) -> None:
    told = yaml.safe_load(exported)
    assert list(told) == ["blocks", "reasons", "stages"]
    assert told["reasons"] == model["reasons"]
    assert told["stages"] == model["stages"]
    assert told["blocks"] == model["blocks"]
    assert {one["workflow"] for one in told["blocks"]} == WORKFLOWS


def test_an_export_is_written_for_people_and_always_alike(desk: Desk, exported: str) -> None:
    assert desk.spec("export").out == exported
    assert exported.startswith("# The stage model")
    assert max(map(len, exported.splitlines())) <= 130
    assert "&" not in re.sub(r"'[^']*'", "", exported)  # no anchors
    for found in yaml.safe_load(exported)["blocks"]:
        assert list(found) == [key for key in document.KEYS if key in found]
        assert list(found["exits"]) == [way for way in document.WAYS if way in found["exits"]]


def test_what_was_exported_is_sound_and_no_different(desk: Desk, exported: str, tmp_path: Path) -> None:
    file = tmp_path / "model.yaml"
    assert desk.spec("export", "--out", file) == (0, "", "")
    assert file.read_text("utf-8") == exported
    for words, stdin in ((("lint", "-"), exported), (("lint", file), None), (("lint",), None)):
        assert desk.spec(*words, stdin=stdin) == (0, "", "49 blocks, nothing to say against them\n")
    assert desk.spec("diff", "-", stdin=exported) == (0, "", "")
    assert desk.spec("diff", file) == (0, "", "")
    assert desk.spec("diff", "-", file, stdin=exported) == (0, "", "")


@pytest.mark.parametrize("workflow", sorted(WORKFLOWS))
def test_one_workflow_alone(desk: Desk, workflow: str) -> None:
    out = desk.spec("export", "--workflow", workflow).out
    told = yaml.safe_load(out)
    assert {one["workflow"] for one in told["blocks"]} == {workflow} == set(told["stages"])
    assert desk.spec("lint", "-", stdin=out).status == 0
    assert desk.spec("diff", "-", "--workflow", workflow, stdin=out) == (0, "", "")
    assert desk.spec("diff", "-", stdin=out).status == 1, "the others are missing"


def test_an_analyst_may_do_all_of_it(place: Database, exported: str) -> None:
    analyst = Desk(place.dsn(Tenant(place.dsn()).login("analyst")))
    assert analyst.spec("export").out == exported
    assert analyst.spec("lint").status == 0
    assert analyst.spec("diff", "-", stdin=exported).status == 0
    assert analyst.spec("diagram", "sales").status == 0


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=120)
words = st.text("abc _-:#'\"[]{}&*!|>%@`\n", max_size=12)


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "id": words,
                "evidence": texts,
                "from": st.lists(words),
                "exits": st.fixed_dictionaries({"advance": texts}),
            }
        ),
        max_size=3,
    )
)
def test_any_text_survives_being_written_and_read(blocks: list[dict[str, Any]]) -> None:
    model = {"blocks": blocks, "reasons": {"lost": ["no", "yes", "1", "2027-01-01", "null", "~"]}}
    assert document.read(document.write(model).encode()) == model


# Linted

FAULTS: dict[str, tuple[str, dict[str, Any], str]] = {
    "missing_unit": ("T-NEW", {"unit": None}, "T-NEW"),
    "unknown_unit": ("T-NEW", {"unit": "spoon"}, "T-NEW"),
    "missing_evidence": ("T-NEW", {"evidence": "  "}, "T-NEW"),
    "evidence_is_no_fact": ("T-NEW", {"evidence": "An e-mail was opened."}, "T-NEW"),
    "missing_writer": ("T-NEW", {"writer": []}, "T-NEW"),
    "two_automated_writers_without_precedence": ("T-NEW", {"precedence": None}, "T-NEW"),
    "missing_entry_timestamp": ("T-NEW", {"entry_timestamp": None}, "T-NEW"),
    "missing_exit": ("T-NEW", {"exits": {"advance": "a", "recycle": "b", "disqualify": "c"}}, "T-NEW"),
    "exclusion_without_path": ("T-NEW", {"exclusions": ["competitor"]}, "T-NEW"),
    "duplicate_block": ("T-RECYCLED", {"id": "T-NEW"}, "T-NEW"),
    "block_without_stage": ("T-NEW", {"from": ["nowhere"]}, "T-NEW"),
    "malformed": ("T-NEW", {"id": None}, "qualification.new"),
}


@pytest.mark.parametrize("finding", FAULTS)
def test_a_planted_fault_is_found(desk: Desk, model: document.Model, finding: str) -> None:
    name, keys, subject = FAULTS[finding]
    told = changed(document.only(model, "qualification"), name, **keys)
    done = desk.spec("lint", "-", stdin=document.write(told))
    assert done.status == 1
    assert re.findall(r"^(?:high|warn)  (\S+)  (\S+): ", done.out, re.MULTILINE) == [(finding, subject)]
    assert done.err == ""


def test_faults_of_the_whole_are_found(desk: Desk, model: document.Model) -> None:
    other = copy.deepcopy(model)
    other["blocks"] = [one for one in other["blocks"] if one["id"] != "S-WON"]
    other["reasons"]["lost"] = [f"reason {number}" for number in range(13)]
    done = desk.spec("lint", "-", stdin=document.write(other))
    assert done.out.splitlines() == [
        "high  stage_without_block  sales.won: No block says how it is entered.",
        "high  too_many_reasons  lost: 13 reasons; a list has at most 12.",
    ]


def test_the_example_of_seed_003_is_read_as_it_stands(desk: Desk) -> None:
    text = """
      - id: D-PROPOSAL
        from: evaluation
        to: proposal
        unit: opportunity
        evidence: buyer-confirmed problem, decision process and a dated next step recorded on the deal
        exclusions: competitor, test, spam
        field: dealstage
        value: proposal
        writer: CRM_UI (the AE); integrations propose through product summary properties
        entry_timestamp: Date entered proposal (stage calculated properties on for every stage)
        exits:
          advance: closedwon with the closed-won packet gate fields filled
          lost: closedlost with closed_lost_reason from a list of at most 12 values
          correction: sales manager moves the deal back with a reason
    """
    assert desk.spec("lint", "-", stdin=text).out.splitlines() == [
        "high  missing_exit  D-PROPOSAL: The exit recycle is missing: how, or why it does not apply.",
        "high  exclusion_without_path  D-PROPOSAL: competitor, test, spam has no path and no owner.",
    ]


# Compared

CHANGES: dict[str, Any] = {
    "workflow": "sales", "from": ["new"], "to": "elsewhere", "unit": "person", "evidence": "Another.", "field": "leads.status",
    "value": "other", "activity_types": ["sale"], "writer": ["person"], "precedence": None, "entry_timestamp": "leads.created_at",
    "seed": "004",
}  # fmt: skip


@pytest.mark.parametrize("key", CHANGES)
def test_a_diff_names_the_key_that_differs(desk: Desk, model: document.Model, key: str) -> None:
    workflow = None if key == "workflow" else "qualification"
    words = ["--workflow", workflow] if workflow else []
    told = changed(document.only(model, workflow), "T-NEW", **{key: CHANGES[key]})
    done = desk.spec("diff", "-", *words, stdin=document.write(told))
    assert done.status == 1
    lines = done.out.splitlines()
    assert lines[:3] == ["--- the database", "+++ -", f"T-NEW: {key}"]
    assert [line for line in lines[3:] if not line.startswith(("  ", "    "))] == []
    before, after = block(model, "T-NEW")[key], CHANGES[key]
    assert lines[3].startswith(f"  - {before if isinstance(before, str) else ', '.join(sorted(before))}"[:40])
    if after is not None:
        assert lines[-1] == f"  + {after if isinstance(after, str) else ', '.join(after)}"


def test_a_diff_goes_into_exits_and_exclusions(model: document.Model) -> None:
    exits = block(model, "T-NEW")["exits"] | {"recycle": "Never."}
    assert differences(model, changed(model, "T-NEW", exits=exits)) == [
        "T-NEW: exits.recycle",
        "  - lead_recycled with a reason of the list and a day ahead takes it to recycled.",
        "  + Never.",
    ]
    exclusions = copy.deepcopy(block(model, "T-NEW")["exclusions"])
    exclusions[0]["owner"] = "sales"
    del exclusions[1]
    lines = differences(model, changed(model, "T-NEW", exclusions=exclusions))
    assert lines[:3] == [
        "T-NEW: exclusions.competitor.owner",
        "  - admins, who keep the accounts",
        "  + sales",
    ]
    assert "T-NEW: exclusions.test" in lines
    assert "T-NEW: exclusions.spam" not in lines


def test_a_diff_tells_what_came_and_what_went(model: document.Model) -> None:
    other = copy.deepcopy(model)
    other["blocks"] = [one for one in other["blocks"] if one["id"] != "S-WON"] + [{"id": "Z-NEW"}]
    other["reasons"]["recycle"] = ["other"]
    del other["stages"]["workspace"]
    assert differences(model, other) == [
        "- S-WON", "reasons recycle", "  - bad_timing, no_budget, no_response, other", "  + other", "- stages workspace", "+ Z-NEW",
    ]  # fmt: skip
    assert differences(model, {"blocks": model["blocks"]}) == [], (
        "what a file does not speak of is not compared"
    )


def test_order_and_white_space_say_nothing(model: document.Model) -> None:
    one = block(model, "T-CONNECTED")
    assert differences(model, changed(model, "T-CONNECTED", **{
        "from": one["from"][::-1], "writer": one["writer"][::-1], "evidence": one["evidence"] + "\n", "exclusions": one["exclusions"],
    })) == []  # fmt: skip
    assert differences(model, model | {"blocks": model["blocks"][::-1]}) == []


def test_two_files_need_no_database(tmp_path: Path, exported: str) -> None:
    one, two = tmp_path / "one.yaml", tmp_path / "two.yaml"
    one.write_text(exported, "utf-8")
    two.write_text(exported.replace("A proposal with a value above zero was sent.", "It was sent."), "utf-8")
    away = Desk(NOWHERE)
    assert away.spec("diff", one, one) == (0, "", "")
    done = away.spec("diff", one, two)
    assert (done.status, done.out.splitlines()) == (
        1,
        [
            f"--- {one}",
            f"+++ {two}",
            "S-PROPOSAL: evidence",
            "  - A proposal with a value above zero was sent.",
            "  + It was sent.",
        ],
    )
    assert away.spec("diff", one).status == 1, "the database is away"


@pytest.mark.parametrize(
    ("text", "said"), [("- id: A\n- id: A\n", "there are two blocks A"), ("- to: x\n", "block 1 has no id")]
)
def test_a_diff_does_not_guess_which_block_is_meant(desk: Desk, text: str, said: str) -> None:
    done = desk.spec("diff", "-", stdin=text)
    assert (done.status, done.out) == (2, "")
    assert said in done.err


# Drawn


def drawing(text: str) -> ET.Element:
    return ET.fromstring(text)  # noqa: S314 - our own


def texts_of(picture: ET.Element, look: str) -> list[str]:
    return [found.text or "" for found in picture.iter(f"{SVG}text") if found.get("class") == look]


@pytest.mark.parametrize("workflow", sorted(WORKFLOWS))
def test_a_diagram_has_every_stage_and_no_other(desk: Desk, model: document.Model, workflow: str) -> None:
    stages = model["stages"][workflow]
    picture = desk.spec("diagram", workflow, "--format", "svg").out
    assert texts_of(drawing(picture), "code") == stages
    chart = desk.spec("diagram", workflow).out
    assert re.findall(r'^    state ".*" as (\w+)$', chart, re.MULTILINE) == stages
    ends = {end for pair in re.findall(r"^    (\S+) --> ([^:\s]+)", chart, re.MULTILINE) for end in pair}
    assert ends - {"[*]"} <= set(stages)
    assert all(stage in ends for stage in stages)


@pytest.mark.parametrize("workflow", sorted(WORKFLOWS))
def test_a_diagram_has_every_way_into_a_stage(desk: Desk, model: document.Model, workflow: str) -> None:
    named = set(
        " ".join(texts_of(drawing(desk.spec("diagram", workflow, "--format", "svg").out), "label"))
        .replace(",", "")
        .split()
    )
    told = set(re.findall(r"\w+", desk.spec("diagram", workflow).out))
    for one in model["blocks"]:
        if one["workflow"] == workflow:
            assert set(one["activity_types"]) <= named
            assert set(one["activity_types"]) <= told


@pytest.mark.parametrize("workflow", sorted(WORKFLOWS))
def test_nothing_in_a_diagram_lies_on_another_or_outside(desk: Desk, workflow: str) -> None:
    picture = drawing(desk.spec("diagram", workflow, "--format", "svg").out)
    width, height = int(picture.get("width", 0)), int(picture.get("height", 0))
    boxes = [r for r in picture.iter(f"{SVG}rect") if (r.get("class") or "").startswith("box")]
    edges = sorted((int(r.get("x", 0)), int(r.get("x", 0)) + int(r.get("width", 0))) for r in boxes)
    assert all(right < left for (_, right), (left, _) in pairwise(edges))
    assert edges[-1][1] <= width
    labels = [
        (int(t.get("x", 0)), int(t.get("y", 0)), len(t.text or ""))
        for t in picture.iter(f"{SVG}text")
        if t.get("class") == "label"
    ]
    assert all(x + 7 * length < edges[0][0] for x, _, length in labels)
    lines = sorted(y for _, y, _ in labels)
    assert all(below - above >= 14 for above, below in pairwise(lines))
    assert lines[-1] < height
    for rect, look in ((r, t) for r in boxes for t in ("stage", "code")):
        x = int(rect.get("x", 0)) + int(rect.get("width", 0)) // 2
        words = [
            t.text or ""
            for t in picture.iter(f"{SVG}text")
            if t.get("class") == look and t.get("x") == str(x)
        ]
        assert [len(word) * 7 <= int(rect.get("width", 0)) for word in words] == [True]


def test_a_label_is_only_ever_text() -> None:
    evil = '<script>alert("1")</script> & ]]> #; {x}'
    workflow = Workflow(
        "w",
        evil,
        [Stage("a", evil, False), Stage("b", "B", True)],
        [Arrow("birth", None, "a", None), Arrow("move", "a", "b", "go")],
    )
    picture = svg(workflow)
    assert "<script" not in picture
    assert texts_of(drawing(picture), "stage") == [evil, "B"]
    assert evil not in mermaid(workflow)
    assert re.findall(r'state "([^"]*)" as a', mermaid(workflow)) == [
        "#60;script#62;alert(#34;1#34;)#60;/script#62; #38; #93;#93;#62; #35;#59; #123;x#125;"
    ]


def test_an_unknown_workflow_is_answered_with_the_known_ones(desk: Desk) -> None:
    for words in (
        ("diagram", "nothing"),
        ("export", "--workflow", "nothing"),
        ("lint", "--workflow", "nothing"),
    ):
        done = desk.spec(*words)
        assert (done.status, done.out) == (2, "")
        assert "there is no workflow nothing: appointment, expansion, new_business" in done.err


# Harm

HOSTILE: dict[str, tuple[str | bytes, str]] = {
    "a bomb": ("a: &a [x, x]\nblocks: [*a, *a, *a]\n", "line 1: anchors and aliases are not taken: write it out"),
    "an anchor alone": ("blocks:\n  - &x {id: A}\n", "line 2: anchors and aliases are not taken"),
    "a tag": ("blocks:\n  - !!python/object/apply:os.system ['true']\n", "line 2: tags are not taken"),
    "a harmless tag": ("blocks:\n  - id: !!str A\n", "line 2: tags are not taken"),
    "a tag of its own": ("blocks: !mine []\n", "line 1: tags are not taken"),
    "a key twice": ("blocks:\n  - id: A\n    unit: lead\n    unit: person\n", "line 4: the key unit stands here twice"),
    "blocks twice": ("blocks: []\nblocks: []\n", "line 2: the key blocks stands here twice"),
    "a merge": ("blocks:\n  - <<: {id: A}\n", "line 2: this key is no text"),
    "a key that is a truth": ("blocks:\n  - id: A\n    no: x\n", "line 3: this key is no text"),
    "a key that is a list": ("? [a]\n: b\n", "line 1: this key is no text"),
    "two documents": ("blocks: []\n---\nblocks: []\n", "line 2: there is a second document"),
    "a deep one": (f"blocks: {'[' * 100_000}\n", "line 1: it is nested more than 8 deep"),
    "a deep map": ("blocks: " + "{a: " * 50_000, "line 1: it is nested more than 8 deep"),
    "not closed": ("blocks: [\n", "line 2: "),
    "a tab": ("blocks:\n\t- id: A\n", "line 2: found character '\\t'"),
    "a number": ("blocks:\n  - id: A\n    evidence: 17\n", "A.evidence: Input should be a valid string; words such as no, yes and on, numbers and dates need quotes"),
    "a truth": ("blocks:\n  - id: A\n    unit: no\n", "A.unit: Input should be a valid string; words such as"),
    "a date": ("blocks:\n  - id: A\n    seed: 2027-01-01\n", "A.seed: Input should be a valid string; words such as"),
    "no date": ("blocks:\n  - id: A\n    seed: 2027-13-45\n", "a value needs quotes"),
    "a long number": (f"blocks:\n  - id: {'9' * 5000}\n", "a value needs quotes"),
    "a list for a text": ("blocks:\n  - id: A\n    evidence: [a, b]\n", "A.evidence: Input should be a valid string"),
    "a text for exits": ("blocks:\n  - id: A\n    exits: none\n", "A.exits: Input should be"),
    "an unknown key": ("blocks:\n  - id: A\n    evidnce: x\n", "A: unknown key evidnce"),
    "an unknown exit": ("blocks:\n  - to: x\n    exits: {sideways: x}\n", "block 1.exits: unknown key sideways"),
    "an unknown part": ("blocks:\n  - id: A\n    exclusions: [{exclude: x, way: y}]\n", "A.exclusions.0: unknown key way"),
    "an unknown section": ("blocks: []\nstates: {}\n", "unknown key states"),
    "reasons that are none": ("blocks: []\nreasons: {lost: Price}\n", "reasons.lost: Input should be a valid list"),
    "a text": ("just words\n", "it has no blocks"),
    "nothing": ("", "it has no blocks"),
    "a map": ("a: b\n", "it has no blocks"),
    "blocks that are none": ("blocks: {}\n", "blocks: Input should be a valid list"),
    "no blocks in it": ("blocks: [a, 1]\n", "block 1: Input should be"),
    "not UTF-8": (b"blocks: []\n# \xff\n", "it is not UTF-8: byte 14"),
    "a zero byte": (b"blocks: []\n# \x00\n", "unacceptable character #x0000: special characters are not allowed"),
    "too much": ("blocks: []\n#" + "x" * document.LARGEST, "it is larger than 256 KiB"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_no_model_is_refused_in_a_line(desk: Desk, name: str) -> None:
    text, said = HOSTILE[name]
    for command in ("lint", "diff"):
        done = desk.spec(command, "-", stdin=text)
        assert (done.status, done.out) == (2, "")
        assert done.err.startswith(f"Error: stdin: {said}")
        assert done.err.count("\n") == 1


def test_files_that_cannot_be_read_or_written(desk: Desk, tmp_path: Path) -> None:
    for words in (
        ("lint", tmp_path / "none.yaml"),
        ("diff", tmp_path / "none.yaml"),
        ("diff", "-", tmp_path / "none.yaml"),
    ):
        done = desk.spec(*words, stdin="[]")
        assert (done.status, done.err) == (
            2,
            f"Error: cannot read {tmp_path / 'none.yaml'}: No such file or directory\n",
        )
    done = desk.spec("export", "--out", tmp_path / "no" / "where.yaml")
    assert (done.status, done.err.startswith("Error: cannot write")) == (1, True)
    assert "only one of the two can be stdin" in desk.spec("diff", "-", "-", stdin="").err


def test_a_database_without_leadline_is_said(server: Server) -> None:
    with clone(server, "template1") as empty:
        done = Desk(empty.dsn()).spec("export")
    assert (done.status, done.err) == (
        1,
        "Error: this database holds no Leadline yet: run leadline migrate\n",
    )


leaves = st.none() | st.booleans() | st.integers() | st.text("ab \t", max_size=3)
keys = st.sampled_from([*document.KEYS, *document.PARTS, *document.WAYS, "blocks", "reasons", "stages"])
anything = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4)
)


@pytest.fixture(scope="module")
def asking(place: Database) -> Iterator[psycopg.Connection[Any]]:
    with place.connect(autocommit=True) as connection:
        yield connection


@given(anything, anything, anything)
def test_the_linter_answers_whatever_it_is_asked(
    asking: psycopg.Connection[Any], one: Any, two: Any, three: Any
) -> None:
    """Never with an error: what is no model is a finding."""
    asked = [
        one,
        {"blocks": [two, one], "reasons": three, "stages": {"a": ["b"]}},
        {"blocks": [one], "stages": three},
    ]
    statement = "select count(*) from unnest(%s::jsonb[]) m cross join lateral leadline.lint_model(m)"
    asking.execute(statement, [list(map(json.dumps, asked))])


# Kept


def test_the_page_of_the_rules_is_fresh(owner: psycopg.Connection[Any]) -> None:
    assert differing(pages(owner)) == [], "run scripts/rules"


def test_links_of_the_page_lead_to_files() -> None:
    text = PAGE.read_text("utf-8")
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (PAGE.parent / target).exists(), target
    headings = {
        re.sub(r"[^\w-]", "", line[3:].lower().replace(" ", "-"))
        for line in text.splitlines()
        if line.startswith("## ")
    }
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) == headings


def test_the_deployed_rules_are_linted(owner: psycopg.Connection[Any]) -> None:
    assert (
        owner.execute("select * from leadline.lint_model(leadline.stage_model_document())").fetchall() == []
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "instead", "said"),
    [
        ("    ('workspace', 'W-CLOSED', ", "    ('workspace', 'W-GONE', 'active', 'workspace', '0', 'x');\n--", "violates unique constraint"),
        ("    ('sales', 'S-WON', ", "--", "stages without a block: sales.won"),
        ("    ('{sales}', '{won}', 'correction', ", "--", "null value in column \"correction\""),
    ],
)  # fmt: skip
def test_a_model_with_a_hole_is_not_deployed(
    server: Server, template: str, tmp_path: Path, line: str, instead: str, said: str
) -> None:
    for folder in ("migrations", "sql"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    blocks = tmp_path / "sql/rules/blocks.sql"
    text = blocks.read_text("utf-8")
    assert text.count(line) == 1
    blocks.write_text(text.replace(line, f"{instead}{line}"), "utf-8")
    with clone(server, template) as database:
        with pytest.raises(DeployError) as refused:
            migrate(database.dsn(), root=tmp_path)
        assert said in str(refused.value)
        with database.connect() as connection:
            assert connection.execute("select count(*) from leadline.rule_blocks").fetchone() == (49,)
