"""One story for all leads, and the same writes without the trigger.

One lead goes through the story by plain inserts. What the trigger made of it is kept by step (1 is the
birth): the journal rows in bench.story, the states of the lead in bench.states. From this pattern come the
finished rows of the bare insert, the floor's statements, and whole populations of leads. The set-based
statements compute every hash over the lead's own row and head with the function the trigger uses, so what
they write is sound: verify_state() and verify_chain() find nothing.
"""

from __future__ import annotations

from typing import Any, LiteralString

from psycopg import Connection
from psycopg.sql import SQL, Composed, Identifier, Literal

# Six activities move the lead, three are noted, one is refused. Three change other fields as well. Four carry
# a payload, none of it personal.
STORY = (
    ("contact_attempted", "{}"),
    ("call_received", "{}"),
    ("callback_requested", "{}"),
    ("contact_attempted", '{"channel": "phone", "outcome": "no_answer"}'),
    ("appointment_scheduled", '{"starts_at": "2030-03-04T10:00:00Z", "appointment_ref": "a-1"}'),
    ("message_received", "{}"),
    ("appointment_no_show", "{}"),
    ("appointment_cancel", "{}"),
    ("appointment_scheduled", '{"starts_at": "2030-03-11T10:00:00Z", "appointment_ref": "a-2"}'),
    ("sale", '{"deal_value": 1200}'),
)
BIRTH = 1
FIRST, LAST = 2, 1 + len(STORY)  # the steps of STORY

# Lead n has this id: scattered as random ids are, and known by its number to SQL and to pgbench alike.
ID_PREFIX = "00000000-0000-4000-8000-"
ID_SUFFIX = "100000000000 + {} * 829348951 % 899999999981"


def lead_id(number: int) -> str:
    """The id of lead `number`."""
    return f"{ID_PREFIX}{100000000000 + number * 829348951 % 899999999981}"


SCHEMA = """
    create schema bench;
    create function bench.lead_id(n bigint) returns uuid language sql immutable parallel safe
        return ({prefix} || (100000000000 + n * 829348951 % 899999999981)::text)::uuid;
    create table bench.story (like leadline.lead_activity, constraint story_pkey primary key (seq));
    create table bench.states (like leadline.leads, constraint states_pkey primary key (seq));
    create view bench.workspace as select workspace_id from leadline.workspaces;
    grant usage on schema bench to {login};
    grant select on all tables in schema bench to {login};
    grant select on leadline_internal.rulings to {login};
    grant usage on sequence leadline_internal.activity_ids to {login};
    grant execute on function leadline_internal.canonical(leadline_internal.entry) to {login};
"""

COLUMNS = """
    select array_agg(a.attname::text order by a.attnum) from pg_attribute a
    where a.attrelid = %s::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
"""

# A step of the story for leads first..last: one INSERT of finished rows, each hashed into its lead's chain,
# and one UPDATE of those leads, of every column that their journal owns.
WRITE_STEP = """
    with written as (
        insert into {schema}.lead_activity ({columns})
        select {row}, sha256(coalesce(x.before, '')
            || leadline_internal.canonical(row({row}, null)::leadline_internal.entry))
        from (select {made}, l.hash as before
              from generate_series({first}::bigint, {last}) n
              join bench.story s on s.seq = {step}
              join {schema}.leads l on l.workspace_id = s.workspace_id and l.lead_id = bench.lead_id(n)
              order by n) x
        returning workspace_id, lead_id, hash
    )
    update {schema}.leads t set hash = w.hash, {state}
    from written w, bench.states s
    where t.workspace_id = w.workspace_id and t.lead_id = w.lead_id and s.seq = {step}
"""
BEAR = """
    with people as (
        insert into leadline.people (workspace_id, person_id)
        select s.workspace_id, bench.lead_id(n)
        from bench.states s, generate_series({first}::bigint, {last}) n where s.seq = 1
    )
    insert into {schema}.leads ({columns}, hash)
    select {born}, null from bench.states s, generate_series({first}::bigint, {last}) n
    where s.seq = 1 order by n
"""
# Columns of leads that no activity of the story writes: of the birth, or kept by a trigger of their own.
FOR_LIFE = (
    "workspace_id", "lead_id", "person_id", "workflow", "source", "created_at", "copied_from",
    "email_key", "email_stem", "phone_key",
)  # fmt: skip
MADE = {  # what a finished row does not take from the pattern
    "activity_id": "nextval('leadline_internal.activity_ids') as activity_id",
    "lead_id": "l.lead_id",
    "transaction_id": "pg_current_xact_id() as transaction_id",
}

# Every row, every lead; but for ids, clocks and hashes, which no two runs have in common.
JOURNAL_DIGEST = """
    select count(*), md5(string_agg(concat_ws('|', a.lead_id, a.seq, a.activity_type, a.payload, a.verdict,
        a.rule, a.from_stage, a.to_stage, a.from_status, a.to_status, a.changes - 'resolved_at', a.version,
        a.actor_kind, a.actor_id, a.writer), ',' order by a.lead_id, a.seq))
    from {}.lead_activity a join generate_series({}::bigint, {}) n on a.lead_id = bench.lead_id(n)
"""
LEADS_DIGEST = """
    select count(*), sum(l.seq), md5(string_agg(concat_ws('|', l.lead_id, l.stage, l.status, l.seq, l.version,
        l.deal_value, l.currency, l.appointment_ref, l.appointment_at, l.resolved_at is null,
        l.late_before is null, l.first_contacted_at is null, l.last_touch_at is null, l.waiting_since is null,
        l.hash is null), ',' order by l.lead_id))
    from {}.leads l join generate_series({}::bigint, {}) n on l.lead_id = bench.lead_id(n)
"""


def record(admin: Connection[Any], writer: Connection[Any]) -> None:
    """Send a first lead through the story and keep what becomes of it."""
    admin.execute(SQL(SCHEMA).format(prefix=Literal(ID_PREFIX), login=Identifier(writer.info.user)))
    made = writer.execute("insert into leadline.leads (source) values ('bench') returning lead_id").fetchone()
    assert made is not None
    keep_state = "insert into bench.states ({0}) select {0} from leadline.leads where lead_id = %s"
    columns = SQL(", ").join(map(Identifier, columns_of(admin, "leadline.leads")))
    admin.execute(SQL(keep_state).format(columns), made)
    for activity in STORY:
        writer.execute(
            "insert into leadline.lead_activity (lead_id, activity_type, payload) values (%s, %s, %s)",
            [made[0], *activity],
        )
        admin.execute(SQL(keep_state).format(columns), made)
    admin.execute("insert into bench.story select * from leadline.lead_activity where lead_id = %s", made)
    admin.execute("analyze bench.story; analyze bench.states")


def bear(admin: Connection[Any], first: int, last: int) -> None:
    """Leads first..last at their birth, each of a person of its own, past the trigger; for a superuser."""
    columns = [name for name in columns_of(admin, "leadline.leads") if name != "hash"]
    statement = SQL(BEAR).format(
        schema=Identifier("leadline"),
        columns=SQL(", ").join(map(Identifier, columns)),
        born=SQL(", ").join(
            SQL("bench.lead_id(n)") if name in ("lead_id", "person_id") else Identifier("s", name)
            for name in columns
        ),
        first=Literal(first),
        last=Literal(last),
    )
    admin.execute("set session_replication_role = replica")
    admin.execute(statement)
    admin.execute(write_step(admin, "leadline", BIRTH, first, last))
    admin.execute("set session_replication_role = origin")


def live(admin: Connection[Any], first: int, last: int) -> None:
    """The whole story of leads first..last, past the trigger; for a superuser."""
    admin.execute("set session_replication_role = replica")
    for step in range(FIRST, LAST + 1):
        admin.execute(write_step(admin, "leadline", step, first, last))
        admin.execute("vacuum leadline.leads")  # so that the next step's rows find room
    admin.execute("set session_replication_role = origin")


def write_step(connection: Connection[Any], schema: str, step: int, first: int, last: int) -> Composed:
    """The statement that lets leads first..last go one step, with finished rows and without a decision."""
    journal = columns_of(connection, "leadline.lead_activity")
    states = [n for n in columns_of(connection, "leadline.leads") if n not in FOR_LIFE and n != "hash"]
    return SQL(WRITE_STEP).format(
        schema=Identifier(schema),
        columns=SQL(", ").join(map(Identifier, journal)),
        row=SQL(", ").join(Identifier("x", name) for name in journal[:-1]),
        made=SQL(", ").join(SQL(MADE[c]) if c in MADE else Identifier("s", c) for c in journal[:-1]),
        state=SQL(", ").join(SQL("{} = {}").format(Identifier(c), Identifier("s", c)) for c in states),
        step=Literal(step),
        first=Literal(first),
        last=Literal(last),
    )


def digest(connection: Connection[Any], schema: str, first: int, last: int) -> tuple[Any, ...]:
    """What is the same for all who wrote the same rows about leads first..last."""
    return _one(connection, JOURNAL_DIGEST, schema, first, last)


def digest_of_leads(connection: Connection[Any], schema: str, first: int, last: int) -> tuple[Any, ...]:
    """What is the same for all who brought leads first..last to the same state."""
    return _one(connection, LEADS_DIGEST, schema, first, last)


def _one(
    connection: Connection[Any], statement: LiteralString, schema: str, first: int, last: int
) -> tuple[Any, ...]:
    query = SQL(statement).format(Identifier(schema), Literal(first), Literal(last))
    row = connection.execute(query).fetchone()
    assert row is not None
    return tuple(row)


def columns_of(connection: Connection[Any], relation: str) -> list[str]:
    """The columns of a table that a writer may fill, in order."""
    row = connection.execute(COLUMNS, [relation]).fetchone()
    assert row is not None
    return list(row[0])
