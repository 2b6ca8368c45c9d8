"""README.md tells the truth: its blocks, its tables, its links."""

from __future__ import annotations

import re

import pytest

from tests.readme import README, ROOT, normal, rendered


@pytest.mark.slow
def test_the_console_blocks_are_what_happens() -> None:
    text = README.read_text("utf-8")
    assert normal(rendered(text)) == normal(text), "run scripts/readme"


def test_the_error_table_has_every_code_that_is_raised() -> None:
    sql = "".join(path.read_text("utf-8") for path in (ROOT / "sql").rglob("*.sql"))
    raised = set(re.findall(r"'(PT\d{3})'", sql))
    listed = dict(re.findall(r"^\| (PT\d{3}) \| (\d{3}) \|", README.read_text("utf-8"), re.MULTILINE))
    assert set(listed) == raised
    assert all(code == f"PT{status}" for code, status in listed.items())


def test_links_lead_to_files() -> None:
    for name in ("README.md", "CONTRIBUTING.md", "docs/operations.md", "docs/sql.md", "docs/decisions.md"):
        page = ROOT / name
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{name}: {target}"
