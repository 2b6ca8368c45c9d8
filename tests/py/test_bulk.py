"""Many rows in one statement, and the doors that stay shut for them."""

from __future__ import annotations

import subprocess

import pytest
from psycopg import errors

from tests.databases import Database
from tests.tenant import Tenant, faults


def test_five_thousand_activities_of_one_lead_in_one_statement_are_sound(database: Database) -> None:
    tenant = Tenant(database.dsn())
    (lead_id,) = tenant.leads(1)
    with tenant.connect(autocommit=True) as connection:
        done = connection.execute(
            "insert into leadline.lead_activity (lead_id, activity_type)"
            " select %s, 'contact_attempted' from generate_series(1, 5000)",
            [lead_id],
        )
        assert done.rowcount == 5000
    assert (
        tenant.ask("select (seq, version)::text from leadline.leads where lead_id = %s", lead_id)
        == "(5001,2)"
    )
    assert faults(database.dsn()) == []


def test_a_new_database_learns_what_is_in_it_while_one_statement_fills_it(database: Database) -> None:
    """Else the plans of its first moment, made for empty tables, would read more with every lead."""
    tenant = Tenant(database.dsn())
    known = "select array_agg(relname::text order by relname) from pg_class where reltuples > 0 and relname = any (%s)"
    tables = ["activity_content", "lead_activity", "leads", "people", "person_keys"]
    with tenant.connect() as connection:
        assert connection.execute(known, [tables]).fetchone() == (None,)
        connection.execute(
            "insert into leadline.lead_activity (activity_type, payload) select 'lead_created',"
            " jsonb_build_object('email', n || '@example.com', 'phone', '+4912345' || n) from generate_series(1000, 1600) n"
        )
        assert connection.execute(known, [tables]).fetchone() == (tables,)
        plans = connection.execute(
            "explain select stage from leadline.leads l where l.workspace_id = leadline.current_workspace() and l.phone_key = 'x'"
        ).fetchall()
        assert any("leads_by_phone" in line for (line,) in plans), plans
    assert faults(database.dsn()) == []


def test_copy_is_refused_under_row_security(database: Database) -> None:
    """PostgreSQL cannot check a policy in COPY: bulk is an INSERT of many rows."""
    tenant = Tenant(database.dsn())
    copy = "copy leadline.lead_activity (lead_id, activity_type) from stdin"
    with (
        tenant.connect() as connection,
        pytest.raises(errors.FeatureNotSupported),
        connection.cursor().copy(copy) as rows,
    ):
        rows.write_row([None, "contact_attempted"])


def test_a_dump_by_a_tenants_login_fails_instead_of_being_partial(database: Database) -> None:
    tenant = Tenant(database.dsn())
    tenant.leads(1)
    pg_dump = database.server.binaries.bin_dir / "pg_dump"
    done = subprocess.run(
        [pg_dump, "-d", database.dsn(tenant.login()), "--data-only", "-t", "leadline.lead_activity"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "row-level security" in done.stderr


def test_an_empty_search_path_changes_nothing(database: Database) -> None:
    """A dump through a pooler leaves one behind."""
    tenant = Tenant(database.dsn())
    (lead_id,) = tenant.leads(1)
    with tenant.connect(options="-c search_path=") as connection:
        row = connection.execute(
            "select verdict, to_stage from leadline.log_activity(%s, 'contact_attempted')", [lead_id]
        ).fetchone()
        assert row == ("applied", "attempted")
        assert connection.execute("select stage from leadline.lead_overview").fetchall() == [("attempted",)]
        connection.execute("select * from leadline.changes_after()")
