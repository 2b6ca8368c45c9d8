"""The folder tests/sql/rule is the specification: it holds one file for every rule, and none for no rule."""

from pathlib import Path

import psycopg

FOLDER = Path(__file__).resolve().parents[1] / "sql" / "rule"


def test_every_rule_has_its_file(owner: psycopg.Connection) -> None:
    rules = {rule for (rule,) in owner.execute("select rule from leadline.rule_sentences")}
    assert {path.stem for path in FOLDER.glob("*.sql")} == rules


def test_a_rule_file_names_its_rule_and_shows_what_is_allowed() -> None:
    for path in FOLDER.glob("*.sql"):
        text = path.read_text()
        assert path.stem in text, path.name
        assert "-- test: allowed" in text, path.name
