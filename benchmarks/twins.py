"""Tables like Leadline's in all but triggers: columns, keys, indexes, checks, foreign keys, row security."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from psycopg import Connection
from psycopg.sql import SQL, Composed, Identifier

from benchmarks.story import columns_of

CLIENT, BARE, PLAIN = "client", "bare", "plain"
LEADS, JOURNAL, REQUESTS = "leadline.leads", "leadline.lead_activity", "leadline.requests"
# What an imported lead leaves behind, in an order that foreign keys allow.
IMPORTED = (
    "leadline.people", "leadline.person_keys", LEADS, JOURNAL, "leadline.activity_content",
    "leadline_internal.activity_references",
)  # fmt: skip

# The catalog is copied, so a twin cannot fall behind the table it stands for. Twins of a schema refer to each
# other where the originals do.
TWIN = """
    do $do$
    declare
        v_options text[]; v_name text; v_definition text;
    begin
        select coalesce(reloptions, '{{}}') into v_options
        from pg_class where oid = '{original}'::regclass;
        execute format('create table {twin} (like {original} including all) %s',
            case when v_options <> '{{}}' then 'with (' || array_to_string(v_options, ', ') || ')' end);
        for v_name, v_definition in
            select c.conname,
                regexp_replace(pg_get_constraintdef(c.oid), 'REFERENCES leadline\\.({own})\\M',
                    'REFERENCES {schema}.\\1')
            from pg_constraint c where c.conrelid = '{original}'::regclass and c.contype = 'f'
        loop
            execute format('alter table {twin} add constraint %I %s', v_name, v_definition);
        end loop;
        execute 'alter table {twin} enable row level security';
        for v_name, v_definition in
            select p.policyname, format('using (%s) with check (%s)', p.qual, p.with_check)
            from pg_policies p where format('%I.%I', p.schemaname, p.tablename) = '{original}'
        loop
            execute format('create policy %I on {twin} %s', v_name, v_definition);
        end loop;
    end $do$
"""
FILL = "insert into {twin} ({columns}) select {columns} from {original}"
GRANTS = """
    grant usage on schema {schema} to {login};
    grant select, insert, update on all tables in schema {schema} to {login}
"""


def make(admin: Connection[Any], login: str) -> None:
    """Schema client: leads, journal and requests, for who keeps the promises themselves; bare: a journal.

    Both hold what Leadline's own tables hold at this moment, and `login` may write to them. The bare journal
    refers to Leadline's leads.
    """
    for schema, originals in ((CLIENT, (LEADS, JOURNAL, REQUESTS)), (BARE, (JOURNAL,))):
        make_empty(admin, schema, originals)
        for original in originals:
            columns = SQL(", ").join(map(Identifier, columns_of(admin, original)))
            fill = SQL(FILL).format(twin=twin(schema, original), columns=columns, original=SQL(original))
            admin.execute(fill)
        admin.execute(SQL(GRANTS).format(schema=Identifier(schema), login=Identifier(login)))
    admin.execute("vacuum (analyze)")


def make_empty(admin: Connection[Any], schema: str, originals: Sequence[str]) -> None:
    """A schema of twins without rows."""
    admin.execute(SQL("create schema {}").format(Identifier(schema)))
    own = "|".join(original.split(".")[1] for original in originals)
    for original in originals:
        admin.execute(
            SQL(TWIN).format(
                twin=twin(schema, original), original=SQL(original), schema=Identifier(schema), own=SQL(own)
            )
        )


def twin(schema: str, original: str) -> Composed:
    """The twin's name in a statement."""
    return SQL("{}").format(Identifier(schema, original.split(".")[1]))
