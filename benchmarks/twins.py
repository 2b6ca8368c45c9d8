"""Tables like Leadline's in all but triggers: columns, keys, indexes, checks, foreign keys, row security."""

from __future__ import annotations

from typing import Any

from psycopg import Connection
from psycopg.sql import SQL, Identifier

from benchmarks.story import columns_of

CLIENT, BARE = "client", "bare"

# The catalog is copied, so a twin cannot fall behind the table it stands for.
TWIN = """
    do $do$
    declare
        v_options text[]; v_name text; v_definition text;
    begin
        select coalesce(reloptions, '{{}}') into v_options
        from pg_class where oid = 'leadline.{table}'::regclass;
        execute format('create table {schema}.{table} (like leadline.{table} including all) %s',
            case when v_options <> '{{}}' then 'with (' || array_to_string(v_options, ', ') || ')' end);
        for v_name, v_definition in
            select c.conname,
                replace(pg_get_constraintdef(c.oid), 'REFERENCES leadline.leads', 'REFERENCES {leads}.leads')
            from pg_constraint c where c.conrelid = 'leadline.{table}'::regclass and c.contype = 'f'
        loop
            execute format('alter table {schema}.{table} add constraint %I %s', v_name, v_definition);
        end loop;
        execute 'alter table {schema}.{table} enable row level security';
        for v_name, v_definition in
            select p.policyname, format('using (%s) with check (%s)', p.qual, p.with_check)
            from pg_policies p where p.schemaname = 'leadline' and p.tablename = '{table}'
        loop
            execute format('create policy %I on {schema}.{table} %s', v_name, v_definition);
        end loop;
    end $do$
"""
FILL = "insert into {schema}.{table} ({columns}) select {columns} from leadline.{table}"
GRANTS = """
    grant usage on schema {schema} to {login};
    grant select, insert, update on all tables in schema {schema} to {login}
"""


def make(admin: Connection[Any], login: str) -> None:
    """Schema client: leads and journal, for who keeps the promises themselves. Schema bare: a journal.

    Both hold what Leadline's own tables hold at this moment, and `login` may write to them. The bare journal
    refers to Leadline's leads.
    """
    for schema, tables, leads in (
        (CLIENT, ("leads", "lead_activity"), CLIENT),
        (BARE, ("lead_activity",), "leadline"),
    ):
        admin.execute(SQL("create schema {}").format(Identifier(schema)))
        for name in tables:
            names = {"schema": SQL(schema), "table": SQL(name)}
            columns = SQL(", ").join(map(Identifier, columns_of(admin, f"leadline.{name}")))
            admin.execute(SQL(TWIN).format(leads=SQL(leads), **names))
            admin.execute(SQL(FILL).format(columns=columns, **names))
        admin.execute(SQL(GRANTS).format(schema=Identifier(schema), login=Identifier(login)))
    admin.execute("vacuum (analyze)")
