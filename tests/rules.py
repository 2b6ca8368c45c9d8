"""docs/rules.md and docs/diagrams/: the law as a page, written from a database that has just been deployed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import psycopg

from app.commands.spec import workflow_of
from app.spec import diagram

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "rules.md"
FOLDER = ROOT / "docs" / "diagrams"

INTRODUCTION = """\
# The rules

<!-- Written by scripts/rules from the rules that a deploy loads; a test compares them. Change sql/rules/, not this. -->

Everything that decides about an activity is a row that this page shows: which activities there are and who may report
them, what each does at every stage, why it may be refused, and what proves that a stage was entered. In the database the
same stands in the views `activity_types`, `transition_rules` and `stage_model`; `leadline spec export` gives the blocks as
YAML.

In the matrices **→ x** moves there · **→ …** moves to the stage that the activity names, or back to where
it was · **F** changes fields, else it is noted under the rule · **N** is noted · **R** is refused · **+
waiting** somebody waits for an answer from then on · **-** does not belong to this workflow:
`wrong_workflow`.
"""
WORKFLOWS = """
    select w.workflow, w.label, w.journal, w.initial_stage, w.seed from leadline.rule_workflows w
    order by array_position('{lead_activity,relationship_activity,opportunity_activity,customer_activity}', w.journal), w.seed, w.workflow
"""
PLACES = """
    select s.stage, s.label, s.is_final, array_agg(p.status order by p.status = 'archived', p.status)
    from leadline.rule_stages s join leadline.rule_permitted p using (workflow, stage)
    where s.workflow = %s group by s.stage, s.label, s.is_final, s.position order by s.position
"""
CELLS = """
    select activity_type, from_stage, from_status = 'archived', effect, to_stage, rule, awaits_answer
    from leadline.rule_transitions where workflow = %s order by activity_type collate "C", from_stage collate "C"
"""
BLOCKS = """
    select m.id, m."from", m."to", m.unit, m.evidence, m.exclusions, m.field, m.activity_types, m.writer, m.precedence,
        m.entry_timestamp, m.exits
    from leadline.stage_model m join leadline.rule_stages s on s.workflow = m.workflow and s.stage = m."to"
    where m.workflow = %s order by s.position
"""
TYPES = """
    select t.activity_type, t.label, t.journals, t.writers, t.precedence, t.is_system_only, t.needs_person,
        (select coalesce(array_agg(k.key || ' ' || k.type || concat(case when k.is_needed then ', needed' end,
                case when k.is_nullable then ', nullable' end, case when k.is_personal then ', personal' end)
            order by not k.is_needed, k.key collate "C"), '{}')
         from leadline.rule_payload_keys k where k.activity_type = t.activity_type)
    from leadline.rule_activity_types t order by t.activity_type collate "C"
"""
REASONS = """
    select reason_list, array_agg(reason || case when needs_notes then ' (with notes)' else '' end order by position)
    from leadline.rule_reasons group by reason_list order by reason_list collate "C"
"""
PROPOSALS = """
    select activity_type, request_class, to_stage, verdicts from leadline.rule_proposals
    order by journal collate "C", activity_type collate "C", request_class collate "C"
"""
SENTENCES = 'select rule, verdict, sentence, hint from leadline.rule_sentences order by rule collate "C"'

Connection = psycopg.Connection[Any]


def pages(connection: Connection) -> dict[Path, str]:
    """Every file, as the rules of this database have it."""
    files = {}
    parts = [INTRODUCTION]
    workflows = connection.execute(WORKFLOWS).fetchall()
    parts.append(
        "\n".join(f"- [{label}](#{_anchor(f'{label} ({workflow})')})" for workflow, label, *_ in workflows)
        + "\n- [Activity types](#activity-types)\n- [Reasons](#reasons)\n- [Proposals](#proposals)\n- [Sentences](#sentences)\n"
    )
    for workflow, label, journal, initial_stage, seed in workflows:
        drawn = workflow_of(connection, workflow)
        files[FOLDER / f"{workflow}.svg"] = diagram.svg(drawn)
        parts += [
            f"## {label} ({workflow})\n",
            f"Journal `{journal}`, begins at `{initial_stage}`. Seed {seed}.\n",
            f"![{label}: the stages, and the ways between them](diagrams/{workflow}.svg)\n",
            f"<details><summary>The same as a Mermaid diagram</summary>\n\n```mermaid\n{diagram.mermaid(drawn)}```\n\n</details>\n",
            _stages(connection, workflow),
            _matrix(connection, workflow),
            _blocks(connection, workflow),
        ]
    parts += [_types(connection), _reasons(connection), _proposals(connection), _sentences(connection)]
    files[PAGE] = "\n".join(parts)
    return files


def _anchor(heading: str) -> str:
    return "".join(c for c in heading.lower().replace(" ", "-") if c.isalnum() or c in "-_")


def _table(*rows: list[str]) -> str:
    """A table; the first row is its head."""
    head, *body = [
        [" ".join(cell.split()).replace("|", "\\|").replace("<", "&lt;") for cell in row] for row in rows
    ]
    lines = [head, ["---"] * len(head), *body]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _code(words: list[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _stages(connection: Connection, workflow: str) -> str:
    rows = [
        [f"`{stage}`", label, _code(statuses), "closed" if is_final else ""]
        for stage, label, is_final, statuses in connection.execute(PLACES, [workflow])
    ]
    return f"### Stages of {workflow}\n\n{_table(['Stage', 'Label', 'Status', ''], *rows)}"


def _cell(effect: str, to_stage: str | None, rule: str | None, awaits_answer: bool) -> str:
    word = {"move": f"→ {to_stage}", "move_to": "→ …", "fields": "F", "note": "N", "refuse": "R"}[effect]
    return f"{word}{f' {rule}' if rule else ''}{' + waiting' if awaits_answer else ''}"


def _matrix(connection: Connection, workflow: str) -> str:
    places = connection.execute(PLACES, [workflow]).fetchall()
    columns = [stage for stage, *_ in places]
    if any("archived" in statuses for *_, statuses in places):
        columns.append("archived")
    cells: dict[str, dict[str, list[str]]] = {}
    for activity_type, stage, is_archived, *cell in connection.execute(CELLS, [workflow]):
        said = cells.setdefault(activity_type, {}).setdefault("archived" if is_archived else stage, [])
        if (word := _cell(*cell)) not in said:
            said.append(word)
    rows = [
        [f"`{activity_type}`", *(", ".join(said.get(column, ["-"])) for column in columns)]
        for activity_type, said in cells.items()
    ]
    return f"### Matrix of {workflow}\n\n{_table(['Activity', *columns], *rows)}"


def _blocks(connection: Connection, workflow: str) -> str:
    parts = [f"### Blocks of {workflow}\n"]
    for (
        name, begins, to, unit, evidence, exclusions, field, types, writers, precedence, entered, exits
    ) in connection.execute(BLOCKS, [workflow]):  # fmt: skip
        lines = [
            f"**{name}** · {_code(begins) if begins else 'begins'} → `{to}` · unit: {unit}\n",
            f"- Evidence: {evidence}",
            f"- Reported as {_code(types) if types else 'nothing of its own'} by {', '.join(writers)}."
            + (f" {precedence}" if precedence else ""),
            f"- Kept in `{field}`, entered at `{entered}`.",
        ]
        lines += [f"- Not: {e['exclude']}. {e['path']} Owner: {e['owner']}." for e in exclusions]
        lines += [
            f"- {way.capitalize()}: {exits[way]}"
            for way in ("advance", "recycle", "disqualify", "lost", "correction")
            if way in exits
        ]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _types(connection: Connection) -> str:
    rows = []
    for name, label, journals, writers, precedence, is_system_only, needs_person, keys in connection.execute(
        TYPES
    ):
        who = (
            "Leadline alone"
            if is_system_only
            else ", ".join(writers) + (" (a person decides)" if needs_person else "")
        )
        rows.append(
            [
                f"`{name}`",
                label,
                _code(journals),
                f"{who}. {precedence}" if precedence else who,
                "; ".join(keys),
            ]
        )
    return f"## Activity types\n\n{_table(['Type', 'Label', 'Journal', 'Writers', 'Payload'], *rows)}"


def _reasons(connection: Connection) -> str:
    rows = [[f"`{name}`", ", ".join(reasons)] for name, reasons in connection.execute(REASONS)]
    return f"## Reasons\n\nLetter for letter, at most twelve a list.\n\n{_table(['List', 'Reasons'], *rows)}"


def _proposals(connection: Connection) -> str:
    rows = [
        [
            f"`{activity}`{f' of class {request_class}' if request_class else ''}",
            ", ".join(verdicts),
            f"`{to_stage}`",
        ]
        for activity, request_class, to_stage, verdicts in connection.execute(PROPOSALS)
    ]
    return f"## Proposals\n\nWhat proposes that a person moves on, forward only.\n\n{_table(['Activity', 'Verdict', 'Proposes'], *rows)}"


def _sentences(connection: Connection) -> str:
    rows = [
        [f"`{rule}`", verdict or "", sentence, hint]
        for rule, verdict, sentence, hint in connection.execute(SENTENCES)
    ]
    return f"## Sentences\n\n{_table(['Rule', 'Verdict', 'Says', 'Next step'], *rows)}"


def differing(files: dict[Path, str]) -> list[Path]:
    """The files that are not as they should be: other, missing, or of a workflow that is no more."""
    stray = [path for path in FOLDER.glob("*.svg") if path not in files]
    return stray + [
        path for path, text in files.items() if not path.exists() or path.read_text("utf-8") != text
    ]


def main(arguments: list[str]) -> int:
    """Write the page and the diagrams anew, or with --check say whether they still hold."""
    from tests.databases import clone, cluster, migrated_template

    with (
        cluster() as server,
        clone(server, migrated_template(server)) as database,
        database.connect() as connection,
    ):
        files = pages(connection)
    wrong = differing(files)
    if "--check" in arguments and wrong:
        print(
            f"{', '.join(str(path.relative_to(ROOT)) for path in wrong)}: run scripts/rules.", file=sys.stderr
        )
        return 1
    FOLDER.mkdir(exist_ok=True)
    for path in wrong:
        if path in files:
            path.write_text(files[path], "utf-8")
        else:
            path.unlink()
    print(f"docs/rules.md and {len(files) - 1} diagrams say what the rules are.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
