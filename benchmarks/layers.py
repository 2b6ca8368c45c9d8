"""(i) What a row of the other journals costs in that of a lead's, and what an outcome's proposal adds to it.

One connection a writer, one-row statements in autocommit; what counts is the processor time of the backend.
The base is a tag_added, which changes a field of a lead. A move of a relationship, a deal that is lost, a
payment, each of a subject of its own; a reply that takes its person on to qualified, and the next one on the
same lead, whose person is there already.
"""

from __future__ import annotations

import contextlib
from functools import partial
from typing import Any

import psycopg
from psycopg import Connection
from psycopg.sql import SQL, Identifier

from benchmarks.enquiries import SOUND
from benchmarks.ground import Ground, value
from benchmarks.rounds import Rounds, Sample, alternate, measured

TAG, MOVE, DEAL, PAYMENT, REPLY, AGAIN = CONTESTANTS = (
    "tag", "move", "deal", "payment", "reply", "again",
)  # fmt: skip
STATEMENTS = {
    TAG: """
        insert into leadline.lead_activity (lead_id, activity_type, payload)
        values (%s, 'tag_added', '{"tag": "asked for a quote"}') returning verdict
    """,
    MOVE: """
        insert into leadline.relationship_activity (person_id, activity_type, payload)
        values (%s, 'relationship_advanced', '{"to": "qualified", "reason": "asked for a quote"}')
        returning verdict
    """,
    DEAL: """
        insert into leadline.opportunity_activity (opportunity_id, activity_type, payload)
        values (%s, 'opportunity_lost', '{"lost_reason": "Price"}') returning verdict
    """,
    PAYMENT: """
        insert into leadline.customer_activity (subscription_id, activity_type)
        values (%s, 'payment_failed') returning verdict
    """,
    REPLY: """
        insert into leadline.lead_activity (lead_id, activity_type) values (%s, 'email_replied')
        returning verdict
    """,
}
STATEMENTS[AGAIN] = STATEMENTS[REPLY]

# A person each for what is tagged, moved, sold to, charged and written by; n tells them apart.
PEOPLE = """
    insert into leadline.lead_activity (activity_type, payload)
    select 'lead_created', jsonb_build_object('workflow', 'sales', 'name', 'Ida ' || n,
        'email', k.kind || '.' || n || '@company' || n %% 500 || '.example')
    from generate_series(0, %s - 1) n, unnest(%s::text[]) k (kind)
"""
DEALS = """
    insert into leadline.opportunity_activity (activity_type, payload)
    select 'opportunity_opened', jsonb_build_object('pipeline', 'new_business', 'person_id', l.person_id)
    from leadline.leads l where l.email like 'deal.%'
"""
CUSTOMERS = """
    insert into leadline.customer_activity (activity_type, payload)
    select 'subscription_started', jsonb_build_object('person_id', l.person_id, 'plan', 'team')
    from leadline.leads l where l.email like 'payment.%'
"""
SUBJECTS = {
    TAG: "select lead_id from leadline.leads where email like 'tag.%' order by lead_id",
    MOVE: "select person_id from leadline.leads where email like 'move.%' order by person_id",
    DEAL: "select opportunity_id from leadline.opportunities order by opportunity_id",
    PAYMENT: "select subscription_id from leadline.subscriptions order by subscription_id",
    REPLY: "select lead_id from leadline.leads where email like 'reply.%' order by lead_id",
}
SUBJECTS[AGAIN] = SUBJECTS[REPLY]
MOVES = "select count(*) from leadline.relationship_activity where verdict = 'applied'"


def compare(ground: Ground, rounds: int, leads: int) -> Rounds:
    """Time of one row, of which a contestant writes `leads` in a round."""
    database = ground.clone("layers")
    billing = f"{ground.login}_billing"
    total = (rounds + 1) * leads
    with contextlib.ExitStack() as stack:
        admin = stack.enter_context(ground.admin(database))
        admin.execute(SQL("create role {} login in role leadline_writer").format(Identifier(billing)))
        stack.callback(_drop, ground, database, billing)
        workspace = value(admin, "select workspace_id from leadline.workspaces")
        admin.execute("select leadline.add_login(%s, %s, 'billing')", [workspace, billing])
        writer = stack.enter_context(ground.writer(database))
        biller = stack.enter_context(psycopg.connect(ground.server.dsn(database, billing), autocommit=True))
        writer.execute(PEOPLE, [total, [name for name in CONTESTANTS if name != AGAIN]])
        writer.execute(DEALS)
        admin.execute("vacuum (analyze)")
        biller.execute(CUSTOMERS)
        admin.execute("vacuum (analyze)")
        subjects = {name: [row[0] for row in admin.execute(query)] for name, query in SUBJECTS.items()}
        assert {len(found) for found in subjects.values()} == {total}
        moved = value(admin, MOVES)
        found = alternate(
            "layers",
            {
                name: partial(_write, name, biller if name == PAYMENT else writer, subjects[name], leads)
                for name in CONTESTANTS
            },
            rounds,
            ground.tell,
        )
        assert value(admin, MOVES) - moved == 2 * total, (
            "every move, and every first reply took its person on"
        )
        assert value(admin, SOUND) == 0
    return found


def _write(name: str, writer: Connection[Any], subjects: list[Any], each: int, number: int) -> Sample:
    said = set()
    with measured(each, writer.info.backend_pid) as sample:
        for subject in subjects[number * each : (number + 1) * each]:
            said |= set(writer.execute(STATEMENTS[name], [subject]))
    assert said == {("noted" if name in (REPLY, AGAIN) else "applied",)}, (name, said)
    return sample


def _drop(ground: Ground, database: str, login: str) -> None:
    ground.drop(database)
    with ground.admin("postgres") as connection:
        connection.execute(SQL("drop role {}").format(Identifier(login)))
