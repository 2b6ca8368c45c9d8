"""The comparisons run, and what they compare does the same work: they assert it themselves, row by row."""

import pytest

from app.postgres import Server
from benchmarks.__main__ import Sizes, run
from benchmarks.ground import ground, value

TINY = Sizes(
    rounds=1,
    single_leads=2,
    bulk=((3, 10), (5, 1)),
    service_leads=1,
    growth_leads=2,
    growth=(300, 600),
    safety_leads=2,
    tenancy_leads=30,
    import_rounds=1,
    import_lines=100,
    enquiry_leads=2,
    layer_rows=2,
)


@pytest.mark.slow
def test_every_comparison_does_the_same_work(server: Server) -> None:
    shown: list[str] = []
    with ground(server, lambda _: None) as on:
        run(on, TINY, set(), shown.append)
        login = on.login
    letters = [text[:3] for text in shown]
    assert letters == ["(a)", "(b)", "(b)", "(c)", "(d)", "(e)", "(f)", "(g)", "(h)", "(i)"]
    with on.admin("postgres") as connection:
        assert value(connection, "select count(*) from pg_database where datname ~ %s", f"^{login[:-6]}") == 0
        assert value(connection, "select count(*) from pg_roles where rolname ~ %s", f"^{login}") == 0
