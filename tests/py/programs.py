"""Two workspaces that hold the same ids, the people in them, and what each of them may see.

May see by the written agreement: `Sight` says it in Python, and `Oracle` asks a question as the administrator
over relations of the same names that hold just that. Nothing here is read from sql/access.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple
from uuid import UUID, uuid4

import psycopg
from psycopg.sql import SQL, Identifier
from psycopg.types.json import Jsonb

from tests.databases import Database

# -- who may see what


class Sight(NamedTuple):
    """What is seen: of which workspace (None: of none), all leads or a person's, nobody's leads as well,
    names and texts, team and credentials."""

    workspace: UUID | None
    everything: bool = False
    person: UUID | None = None
    unassigned: bool = False
    contacts: bool = False
    team: bool = False


BLIND = Sight(None)

# Of leads and deals what is assigned to one; of people, and of what they pay, whoever is behind such a lead or deal.
VISIBLE = """
    visible as materialized (
        select l.lead_id, l.person_id from leadline.leads l
        where l.workspace_id = %(workspace)s::uuid
          and (%(everything)s::bool or l.assigned_user_id = %(person)s::uuid
               or (%(unassigned)s::bool and l.assigned_user_id is null))),
    visible_deals as materialized (
        select o.opportunity_id, o.person_id from leadline.opportunities o
        where o.workspace_id = %(workspace)s::uuid
          and (%(everything)s::bool or o.assigned_user_id = %(person)s::uuid
               or (%(unassigned)s::bool and o.assigned_user_id is null))),
    visible_people as materialized (
        select p.person_id from leadline.people p
        where p.workspace_id = %(workspace)s::uuid
          and (%(everything)s::bool or p.person_id in (select v.person_id from visible v)
               or p.person_id in (select d.person_id from visible_deals d))),
    visible_subscriptions as materialized (
        select u.subscription_id from leadline.subscriptions u
        where u.workspace_id = %(workspace)s::uuid and u.person_id in (select v.person_id from visible_people v))
"""
OF_THE_WORKSPACE = "x.workspace_id = %(workspace)s::uuid"
OF_THE_TEAM = f"{OF_THE_WORKSPACE} and %(team)s::bool"
OF_VISIBLE_LEADS = f"{OF_THE_WORKSPACE} and x.lead_id in (select v.lead_id from visible v)"
OF_VISIBLE_DEALS = (
    f"{OF_THE_WORKSPACE} and x.opportunity_id in (select v.opportunity_id from visible_deals v)"
)
OF_VISIBLE_PEOPLE = f"{OF_THE_WORKSPACE} and x.person_id in (select v.person_id from visible_people v)"
OF_VISIBLE_SUBSCRIPTIONS = (
    f"{OF_THE_WORKSPACE} and x.subscription_id in (select v.subscription_id from visible_subscriptions v)"
)
SUBJECTS = {
    "lead_activity": ("lead_id", "visible"),
    "relationship_activity": ("person_id", "visible_people"),
    "opportunity_activity": ("opportunity_id", "visible_deals"),
    "customer_activity": ("subscription_id", "visible_subscriptions"),
}
OF_VISIBLE_SUBJECTS = " or ".join(
    f"x.journal = '{journal}' and x.subject_id in (select v.{key} from {seen} v)"
    for journal, (key, seen) in SUBJECTS.items()
)
OF_VISIBLE_ACTIVITIES = " or ".join(
    f"x.activity_id in (select a.activity_id from leadline.{journal} a join {seen} v on v.{key} = a.{key}"
    " where a.workspace_id = %(workspace)s::uuid)"
    for journal, (key, seen) in SUBJECTS.items()
)
IN_THE_FEED = f"{OF_THE_WORKSPACE} and x.transaction_id < %(horizon)s::xid8"
# Of a person whose lead is seen, the addresses that stand on such a lead; the others are known from elsewhere.
OF_VISIBLE_KEYS = f"""{OF_THE_WORKSPACE} and %(contacts)s::bool and (%(everything)s::bool or exists (
    select from leadline.leads l join visible v on v.lead_id = l.lead_id
    where l.workspace_id = %(workspace)s::uuid and l.person_id = x.person_id
      and x.key = case x.kind when 'email' then l.email_key else l.phone_key end))"""

# The rows of a relation that may be seen; one with workspace_id and lead_id is OF_VISIBLE_LEADS, one without
# workspace_id is law, which everybody reads.
ROWS = {
    "workspaces": OF_THE_WORKSPACE,
    "memberships": OF_THE_WORKSPACE,
    "members": OF_THE_WORKSPACE,
    "workspace_activity": OF_THE_WORKSPACE,
    "tokens": OF_THE_TEAM,
    "logins": OF_THE_TEAM,
    "api_tokens": OF_THE_TEAM,
    "workspace_logins": OF_THE_TEAM,
    "accounts": OF_THE_WORKSPACE,
    "people": OF_VISIBLE_PEOPLE,
    "person_overview": OF_VISIBLE_PEOPLE,
    "contacts": OF_VISIBLE_PEOPLE,
    "relationship_activity": OF_VISIBLE_PEOPLE,
    "relationship_timeline": OF_VISIBLE_PEOPLE,
    "relationship_stage_events": OF_VISIBLE_PEOPLE,
    "product_signals": OF_VISIBLE_PEOPLE,
    "approvals": OF_VISIBLE_PEOPLE,
    "approval_queue": OF_VISIBLE_PEOPLE,
    "opportunities": OF_VISIBLE_DEALS,
    "opportunity_activity": OF_VISIBLE_DEALS,
    "opportunity_overview": OF_VISIBLE_DEALS,
    "opportunity_contacts": f"{OF_VISIBLE_DEALS} and %(contacts)s::bool",
    "opportunity_timeline": OF_VISIBLE_DEALS,
    "subscriptions": OF_VISIBLE_PEOPLE,
    "subscription_overview": OF_VISIBLE_PEOPLE,
    "customer_activity": OF_VISIBLE_SUBSCRIPTIONS,
    "customer_timeline": OF_VISIBLE_SUBSCRIPTIONS,
    "renewal_cycles": OF_VISIBLE_SUBSCRIPTIONS,
    "person_timeline": f"{OF_THE_WORKSPACE} and ({OF_VISIBLE_SUBJECTS})",
    "person_keys": OF_VISIBLE_KEYS,
    "person_contacts": OF_VISIBLE_KEYS,
    "outbox": f"{OF_THE_WORKSPACE} and (%(team)s::bool or x.recipient_user_id = %(person)s::uuid)",
    "idempotency_keys": "false",
    "webhook_sources": OF_THE_TEAM,
    "webhook_logs": OF_THE_TEAM,
    "webhooks": OF_THE_TEAM,
    "webhook_deliveries": OF_THE_TEAM,
    "webhook_bodies": OF_THE_TEAM,
    "suppressions": f"{OF_THE_WORKSPACE} and %(everything)s::bool",
    "checkpoints": f"{OF_THE_WORKSPACE} and %(everything)s::bool",
    "lead_contacts": f"{OF_VISIBLE_LEADS} and %(contacts)s::bool",
    "activity_content": f"{OF_THE_WORKSPACE} and %(contacts)s::bool and ({OF_VISIBLE_ACTIVITIES})",
    "workspace_changes": IN_THE_FEED,
    **{
        f"{journal.split('_')[0]}_changes": f"{IN_THE_FEED} and x.subject_id in (select v.{key} from {seen} v)"
        for journal, (key, seen) in SUBJECTS.items()
    },
    "change_feed": f"{IN_THE_FEED} and (x.journal = 'workspace_activity' or {OF_VISIBLE_SUBJECTS})",
}
# Views that count or follow: what they say of the rows that may be seen, by their own definition.
DERIVED = {
    "merged_people", "merged_leads", "lead_milestones", "opportunity_milestones", "person_milestones",
    "request_milestones", "lifecycle_funnel", "account_rollup", "findings",
}  # fmt: skip
DEFINITION = "select pg_get_viewdef(format('leadline.%%I', %s::text)::regclass)"
BARE = "(select a.{0} from leadline.{1} a where a.workspace_id = x.workspace_id and a.activity_id = x.activity_id)"
ALL_BARE = (
    "coalesce(" + ", ".join(BARE.replace("{1}", journal) for journal in SUBJECTS) + ")"
)  # an activity is in one journal
WITHOUT_TEXT = "case when %(contacts)s::bool then x.{0} else " + ALL_BARE + " end"
UNLESS_PERSONAL = (
    "case when %(contacts)s::bool or "
    + BARE.format("changes", "lead_activity")
    + " -> x.field is distinct from 'true' then x.{0} end"
)
# Columns that the administrator sees with other eyes than the one who asks.
COLUMNS = {
    ("lead_overview", "is_suppressed"): """exists (
        select from leadline.suppressions s join leadline.leads k on k.workspace_id = s.workspace_id
        where k.workspace_id = x.workspace_id and k.lead_id = x.lead_id and s.lifted_by is null
          and s.channel = 'any' and (s.kind, s.key) in (('email', k.email_key), ('phone', k.phone_key)))""",
    ("person_overview", "leads"): """(
        select count(*) from leadline.leads k join visible v on v.lead_id = k.lead_id
        where k.workspace_id = x.workspace_id and k.person_id = x.person_id)::int""",
    ("person_overview", "requests"): """(
        select count(*) from leadline.requests k join visible v on v.lead_id = k.lead_id
        where k.workspace_id = x.workspace_id and k.person_id = x.person_id)::int""",
    **{
        (f"{layer}_timeline", column): WITHOUT_TEXT.format(column)
        for layer in ("lead", "relationship", "opportunity", "customer", "person")
        for column in ("payload", "changes")
    },
    ("relationship_stage_events", "reason"): "case when %(contacts)s::bool then x.reason end",
    ("product_signals", "reason"): "case when %(contacts)s::bool then x.reason end",
    ("activities", "old_value"): UNLESS_PERSONAL.format("old_value"),
    ("activities", "new_value"): UNLESS_PERSONAL.format("new_value"),
}

RELATIONS = """
    select c.relname, quote_ident(a.attname), format_type(a.atttypid, null)
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'leadline'::regnamespace and c.relkind in ('r', 'p', 'v')
    order by c.relname, a.attnum
"""
READABLE = """
    select c.relname, quote_ident(a.attname)
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'leadline'::regnamespace and c.relkind in ('r', 'p', 'v')
      and has_column_privilege(%s, c.oid, a.attnum, 'select')
    order by c.relname, a.attnum
"""
Columns = dict[str, dict[str, str]]  # relation -> column -> type


class Oracle:
    """The administrator's answers: what somebody with a certain sight should get."""

    def __init__(self, admin: psycopg.Connection[Any]) -> None:
        self.admin = admin
        self.columns: Columns = {}
        for relation, column, kind in admin.execute(RELATIONS):
            self.columns.setdefault(relation, {})[column] = kind
        self.definitions = {
            view: str(self.value(DEFINITION, view)).rstrip(" ;") for view in self.columns.keys() & DERIVED
        }

    def readable(self, login: str) -> Columns:
        """The relations and columns that a login has the right to read."""
        found: Columns = {}
        for relation, column in self.admin.execute(READABLE, [login]):
            found.setdefault(relation, {})[column] = self.columns[relation][column]
        return found

    def ask(self, question: str, sight: Sight, horizon: str = "9223372036854775807") -> list[tuple[Any, ...]]:
        """The rows of a question whose unqualified relations hold only what `sight` may see; the change feed
        ends before the transaction `horizon`."""
        named: dict[str, str] = {}
        self._name(question, named)
        views = ", ".join([VISIBLE, *(f"{relation} as ({rows})" for relation, rows in named.items())])
        parameters = {**sight._asdict(), "horizon": horizon}
        return self.admin.execute(f"with {views} {question}", parameters).fetchall()

    def visible(self, sight: Sight, journal: str = "lead_activity") -> set[UUID]:
        """The ids of the subjects of a journal that may be seen: leads, people, deals, subscriptions."""
        key, seen = SUBJECTS[journal]
        return {subject for (subject,) in self.ask(f"select {key} from {seen}", sight)}

    def horizon(self) -> str:
        """The transaction before which the change feed is complete now."""
        return str(self.value("select pg_snapshot_xmin(pg_current_snapshot())::text"))

    def value(self, statement: str, *parameters: Any) -> Any:
        """One value, asked and committed as the administrator."""
        row = self.admin.execute(statement, parameters or None).fetchone()
        return None if row is None else row[0]

    def _name(self, text: str, named: dict[str, str]) -> None:
        """Collect the relations that a text names, what they are made of first."""
        for relation in self.columns:
            if relation not in named and re.search(rf"\b{relation}\b", text):
                if relation in self.definitions:
                    self._name(self.definitions[relation], named)
                named[relation] = self._relation(relation)

    def _relation(self, relation: str) -> str:
        if relation in self.definitions:
            return self.definitions[relation].replace("%", "%%")
        columns = self.columns[relation]
        shown = ", ".join(f"{COLUMNS.get((relation, c), 'x.' + c)} as {c}" for c in columns)
        return f"select {shown} from leadline.{relation} x where {self._rows(relation)}"

    def _rows(self, relation: str) -> str:
        columns = self.columns[relation]
        if relation in ROWS:
            return ROWS[relation]
        if "workspace_id" not in columns:
            return "true"
        assert "lead_id" in columns, f"nothing here says who may read {relation}"
        return OF_VISIBLE_LEADS


# -- questions

TENANT_RELATIONS_OF_LEADS = ("leads", "lead_overview", "lead_timeline", "stage_history", "activities",
                             "refused_activities", "lead_activity", "requests", "request_ledger", "sales_pipeline")  # fmt: skip
TENANT_RELATIONS_OF_PEOPLE = (
    "contacts", "people", "relationship_activity", "relationship_timeline", "relationship_stage_events", "approvals",
    "approval_queue", "person_timeline", "opportunities", "opportunity_overview", "opportunity_contacts", "leads",
    "subscriptions", "subscription_overview", "product_signals", "person_milestones", "merged_people",
)  # fmt: skip
COMPARABLE = {"text", "integer", "bigint", "timestamp with time zone", "numeric"}


@dataclass
class Questions:
    """Random questions in SQL about the relations and columns that somebody may read, naming leads, people
    and workspaces from here and from elsewhere."""

    chance: Random
    readable: Columns
    leads: list[UUID]
    people: list[UUID]
    workspaces: list[UUID]
    deals: list[UUID] = field(default_factory=list)
    persons: list[UUID] = field(default_factory=list)

    def any(self) -> str:
        """A question whose answer does not depend on the order of rows."""
        form = self.chance.choices(
            [self.rows, self.number, self.groups, self.extent, self.page, self.window, self.join, self.difference,
             self.presence, self.originals, self.texts, self.of_persons, self.layers, self.words],
            [6, 3, 3, 2, 2, 1, 4, 1, 2, 1, 2, 2, 4, 2],
        )[0]  # fmt: skip
        return form()

    def rows(self) -> str:
        relation = self.relation()
        columns = ", ".join(f"x.{c}" for c in self.some_columns(relation))
        return f"select {columns} from {relation} x where {self.condition(relation)}"

    def number(self) -> str:
        relation = self.relation()
        column = self.column(relation)
        return f"select count(*), count(distinct x.{column}::text) from {relation} x where {self.condition(relation)}"

    def groups(self) -> str:
        relation = self.relation()
        column = self.column(relation)
        return (
            f"select x.{column}::text, count(*) from {relation} x where {self.condition(relation)} group by 1"
        )

    def extent(self) -> str:
        relation = self.relation()
        columns = [c for c, kind in self.readable[relation].items() if kind in COMPARABLE]
        shown = ", ".join(
            f"min(x.{c}), max(x.{c})" for c in self.chance.sample(columns, min(2, len(columns)))
        )
        return f"select count(*){shown and ', ' + shown} from {relation} x where {self.condition(relation)}"

    def page(self) -> str:
        relation = self.relation()
        columns = self.some_columns(relation)
        order = ", ".join(f"x.{c}::text" for c in columns)
        shown = ", ".join(f"x.{c}" for c in columns)
        return f"select {shown} from {relation} x order by {order} limit 5 offset {self.chance.randint(0, 7)}"

    def window(self) -> str:
        relation = self.of_leads()
        return f"select lead_id, row_number() over (order by lead_id), count(*) over () from {relation}"

    def join(self) -> str:
        one, other = self.of_leads(), self.of_leads()
        kind = self.chance.choice(["join", "left join"])
        on = self.chance.choice(["", " and b.workspace_id = a.workspace_id"])
        column = self.column(other)
        return (
            f"select a.lead_id, count(*), count(distinct b.{column}::text) from {one} a"
            f" {kind} {other} b on b.lead_id = a.lead_id{on} where {self.condition(one, 'a')} group by a.lead_id"
        )

    def difference(self) -> str:
        one, other = self.of_leads(), self.of_leads()
        return f"select lead_id from {one} except select lead_id from {other} where {self.condition(other, other)}"

    def presence(self) -> str:
        relation = self.of_leads()
        lead = self.chance.choice(self.leads)
        return f"select exists (select from {relation} x where x.lead_id = '{lead}'), '{lead}' in (select lead_id from leads)"

    def originals(self) -> str:
        return (
            "select l.lead_id, l.duplicate_of, o.lead_id, o.stage, c.stage from leads l"
            " left join leads o on o.lead_id = l.duplicate_of left join leads c on c.lead_id = l.copied_from"
        )

    def texts(self) -> str:
        """Joined by activity_id alone, which the other workspace has as well."""
        return (
            "select a.lead_id, a.seq, c.content from lead_activity a join activity_content c"
            f" on c.activity_id = a.activity_id where {self.condition('lead_activity', 'a')}"
        )

    def of_persons(self) -> str:
        """The leads of people, by a person_id that the other workspace's rows never share."""
        return (
            "select l.lead_id, p.person_id, o.leads, o.requests, q.request_id, q.owner_user_id from leads l"
            " left join people p on p.person_id = l.person_id left join person_overview o on o.person_id = p.person_id"
            f" left join request_ledger q on q.person_id = p.person_id where {self.condition('leads', 'l')}"
        )

    def layers(self) -> str:
        """Two relations of people, joined by the person or, as it happens, by the deal."""
        known = [r for r in TENANT_RELATIONS_OF_PEOPLE if r in self.readable]
        one, other = self.chance.choice(known), self.chance.choice(known)
        shared = self.readable[one].keys() & self.readable[other].keys()
        key = self.chance.choice(sorted(shared & {"person_id", "opportunity_id", "workspace_id"}))
        column = self.column(other)
        return (
            f"select a.{key}, count(*), count(distinct b.{column}::text) from {one} a"
            f" left join {other} b on b.{key} = a.{key} where {self.condition(one, 'a')} group by a.{key}"
        )

    def words(self) -> str:
        """What was said of people, deals and subscriptions: by activity_id alone, which the other workspace has as well."""
        journal = self.chance.choice(["relationship_activity", "opportunity_activity", "customer_activity"])
        return (
            "select a.activity_id, a.seq, a.verdict, c.content from "
            f"{journal} a left join activity_content c on c.activity_id = a.activity_id"
            f" where {self.condition(journal, 'a')}"
        )

    # -- parts

    def relation(self) -> str:
        """Leads and their journals most often, what else a workspace has often, law now and then."""
        of_workspaces = {r for r, columns in self.readable.items() if "workspace_id" in columns}
        chance = self.chance.random()
        if chance < 0.5:
            return self.of_leads()
        if chance < 0.92:
            return self.chance.choice(sorted(of_workspaces - set(TENANT_RELATIONS_OF_LEADS)))
        return self.chance.choice(sorted(self.readable.keys() - of_workspaces))

    def of_leads(self) -> str:
        return self.chance.choice([r for r in TENANT_RELATIONS_OF_LEADS if r in self.readable])

    def column(self, relation: str) -> str:
        return self.chance.choice(sorted(self.readable[relation]))

    def some_columns(self, relation: str) -> list[str]:
        columns = list(self.readable[relation])
        return self.chance.choice([columns, sorted(self.chance.sample(columns, min(3, len(columns))))])

    def condition(self, relation: str, alias: str = "x") -> str:
        """True, or one or two conditions on columns that the relation has."""
        known = self._known(relation, alias)
        chosen = self.chance.sample(known, min(len(known), self.chance.choice([0, 1, 1, 2])))
        return " and ".join(chosen) or "true"

    def _known(self, relation: str, alias: str) -> list[str]:
        several = ", ".join(f"'{lead}'" for lead in self.chance.sample(self.leads, min(6, len(self.leads))))
        conditions = {
            "lead_id": [f"lead_id in ({several})", f"lead_id = '{self.chance.choice(self.leads)}'"],
            "workspace_id": [f"workspace_id = '{self.chance.choice(self.workspaces)}'"],
            "assigned_user_id": [
                "assigned_user_id is null",
                f"assigned_user_id = '{self.chance.choice(self.people)}'",
            ],
            "stage": ["stage = 'new'", "stage <> 'new'"],
            "is_open": ["is_open"],
            "is_suppressed": ["is_suppressed", "is_suppressed is not true"],
            "email_key": ["email_key = 'kim@example.com'"],
            "seq": ["seq > 1", "seq = 1"],
            "verdict": ["verdict = 'refused'", "verdict = 'applied'"],
            "activity_type": ["activity_type = 'lead_assigned'", "activity_type in ('note_added', 'dnc')"],
            "actor_kind": ["actor_kind = 'user'"],
            "kind": ["kind = 'email'", "kind = 'phone'"],
            "key": ["key = 'kim@example.com'", "key = '+16502530000'"],
            "clock": ["clock = 'running'"],
            "first_response_at": ["first_response_at is null"],
            "recipient_user_id": [f"recipient_user_id = '{self.chance.choice(self.people)}'"],
            "owner_user_id": [f"owner_user_id = '{self.chance.choice(self.people)}'"],
            "merged_into": ["merged_into is not null"],
            "opportunity_id": [f"opportunity_id = '{self.chance.choice(self.deals or self.leads)}'"],
            "person_id": [f"person_id = '{self.chance.choice(self.persons or self.leads)}'"],
            "status": ["status = 'open'", "status <> 'open'"],
            "caused_by": ["caused_by is not null"],
            "unit": ["unit = 'person'"],
            "is_possible_duplicate": ["is_possible_duplicate"],
            "workflow": ["workflow = 'sales'"],
            "activity_id": [f"activity_id between {(low := self.chance.randint(1, 2000))} and {low + 300}"],
        }
        return [
            f"{alias}.{condition}"
            for column, given in conditions.items()
            if column in self.readable[relation]
            for condition in given
        ]


# -- the workspaces

# The same five people in both, with other roles.
ROLES = (
    ("owner", "admin", "member", "member", "member"),
    ("member", "member", "owner", "member", "admin"),
)
MACHINES: dict[str, tuple[str, tuple[str, ...]]] = {
    "app": ("app", ("act_as",)),
    "analyst": ("analyst", ()),
    "analyst with contacts": ("analyst", ("contacts",)),
    "importer": ("importer", ("import",)),
    "billing": ("billing", ("act_as",)),
    "ai": ("ai", ()),
}
GROUPS = {
    "analyst": ["leadline_reader"],
    "analyst with contacts": ["leadline_reader", "leadline_contacts"],
}
EMAILS = ("kim@example.com", "Kim@Example.com", "lee@example.com", None)
PHONES = ("+16502530000", None, None)


@dataclass
class Credential:
    """One who asks: a person or a machine of one workspace, by a database login and by a token."""

    side: Side
    name: str
    person: UUID | None
    scopes: tuple[str, ...]
    login: str
    token: str = ""
    login_is_good: bool = True
    token_is_good: bool = True

    @property
    def role(self) -> str | None:
        """The role at present, None for a person who has left."""
        return self.side.roles.get(self.person) if self.person else MACHINES[self.name][0]

    def is_known(self, by_token: bool) -> bool:
        """Whether anybody is known behind the token or the login."""
        return self.role is not None and (self.token_is_good if by_token else self.login_is_good)

    def sight(self, by_token: bool) -> Sight:
        """What is seen by the token or the login."""
        if not self.is_known(by_token) or self.role is None:
            return BLIND
        return self.side.sight(self.role, self.person, self.role != "analyst" or "contacts" in self.scopes)

    def __str__(self) -> str:
        return f"{self.side.name}'s {self.name} ({self.role})"


@dataclass
class Side:
    """One of the two workspaces, as the agreement has it at present."""

    name: str
    id: UUID
    emails: dict[UUID, str]
    roles: dict[UUID, str] = field(default_factory=dict)  # of the active members
    sees_all: bool = False
    sees_unassigned: bool = False
    credentials: list[Credential] = field(default_factory=list)

    def sight(self, role: str, person: UUID | None, contacts: bool = True) -> Sight:
        """What somebody with this role sees."""
        everything = role != "member" or self.sees_all
        return Sight(self.id, everything, person, self.sees_unassigned, contacts, role in ("owner", "admin"))

    def gone(self) -> list[UUID]:
        """Those who have left."""
        return [person for person in self.emails if person not in self.roles]

    def of_role(self, *roles: str) -> list[Credential]:
        """Credentials whose role at present is one of these."""
        return [c for c in self.credentials if c.role in roles]

    def manager(self, *roles: str) -> Credential | None:
        """An owner or admin (or of the roles named) whose login is good."""
        return next((c for c in self.of_role(*(roles or ("owner", "admin"))) if c.login_is_good), None)


TRACES = """
    select w.workspace_id,
        (select (count(*), coalesce(sum(l.seq), 0))::text from leadline.leads l where l.workspace_id = w.workspace_id),
        (select (count(*), max(a.activity_id))::text from leadline.lead_activity a where a.workspace_id = w.workspace_id),
        (select (count(*), max(a.activity_id))::text from leadline.workspace_activity a where a.workspace_id = w.workspace_id),
        (select count(*) from leadline.activity_content c where c.workspace_id = w.workspace_id),
        (select count(*) from leadline_internal.activity_references r where r.workspace_id = w.workspace_id),
        (select (count(*), count(s.lifted_by))::text from leadline.suppressions s where s.workspace_id = w.workspace_id),
        (select (count(*), count(p.merged_into), count(p.erased_at))::text from leadline.people p where p.workspace_id = w.workspace_id),
        (select count(*) from leadline.person_keys k where k.workspace_id = w.workspace_id),
        (select (count(*), count(q.first_response_at), count(q.not_applicable_at), md5(string_agg(q.lead_id::text, '' order by q.request_id)))::text
         from leadline.requests q where q.workspace_id = w.workspace_id),
        (select count(*) from leadline.outbox o where o.workspace_id = w.workspace_id),
        (select count(*) from leadline.accounts a where a.workspace_id = w.workspace_id),
        (select (sum(p.seq), md5(string_agg(p.stage, ',' order by p.person_id)))::text from leadline.people p where p.workspace_id = w.workspace_id),
        (select md5(string_agg(o::text, ',' order by o.opportunity_id)) from leadline.opportunities o where o.workspace_id = w.workspace_id),
        (select md5(string_agg(u::text, ',' order by u.subscription_id)) from leadline.subscriptions u where u.workspace_id = w.workspace_id),
        (select md5(string_agg(k::text, ',' order by k.subscription_id, k.period_start)) from leadline.renewal_cycles k where k.workspace_id = w.workspace_id),
        (select md5(string_agg(q::text, ',' order by q.approval_id)) from leadline.approvals q where q.workspace_id = w.workspace_id)
    from unnest(%s::uuid[]) w (workspace_id)
"""
Traces = dict[UUID, tuple[Any, ...]]

BEAR = """
    insert into leadline.leads (lead_id, workflow, source, name, email, phone, assigned_user_id, deal_value)
    select * from unnest(%s::uuid[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::uuid[], %s::numeric[])
"""
ENQUIRE = """
    insert into leadline.lead_activity (lead_id, activity_type, payload)
    select l, 'inbound_enquiry', jsonb_build_object('message', %s::text, 'external_id', l) from unnest(%s::uuid[]) l
"""
NOTE = "insert into leadline.lead_activity (lead_id, activity_type, payload) select unnest(%s::uuid[]), 'note_added', %s"
COUNTER = "leadline_internal.activity_ids"
OPEN = """
    insert into leadline.opportunity_activity (workspace_id, opportunity_id, activity_type, payload, actor_kind, actor_id, writer)
    values (%s, %s, 'opportunity_opened', %s, 'user', %s, 'workflow:conversion')
"""
LOG_IN_JOURNAL = "select leadline.log_in_journal(%s, %s::uuid, %s, %s, %s, null, %s)"
SIGNAL = {"signal": "seats", "observed_at": "2026-01-01T00:00:00Z", "expires_at": "2031-01-01T00:00:00Z"}


class World:
    """Two workspaces with the same people, the same lead ids and, where twins were born, the same activity
    ids; the connections into them stay open."""

    def __init__(self, database: Database, admin: psycopg.Connection[Any], chance: Random, name: str) -> None:
        self.database, self.admin, self.chance, self.name = database, admin, chance, name
        self.oracle = Oracle(admin)
        self.connections: dict[str, psycopg.Connection[Any]] = {}
        self.readable: dict[str, Columns] = {}
        self.cursors: list[str | None] = [None]
        self.leads: list[UUID] = []
        self.deals: list[UUID] = []
        self.persons: list[UUID] = []
        self.subscriptions: list[UUID] = []
        self.approvals: list[UUID] = []
        self.addresses: list[str] = []
        self.born = 0
        self.sides = [self._side(number) for number in (0, 1)]
        self.twins(8)

    def close(self) -> None:
        """End the connections and their logins."""
        for connection in self.connections.values():
            connection.close()

    def connection(self, login: str) -> psycopg.Connection[Any]:
        """The connection of a login, the same at every call."""
        if login not in self.connections:
            options = "-c search_path=leadline,pg_catalog -c timezone=UTC -c client_min_messages=error"
            self.connections[login] = self.database.connect(login, autocommit=True, options=options)
        return self.connections[login]

    def columns(self, login: str) -> Columns:
        """What a login has the right to read."""
        if login not in self.readable:
            self.readable[login] = self.oracle.readable(login)
        return self.readable[login]

    def traces(self) -> Traces:
        """What would differ in each workspace if anything at all had been stored."""
        found = self.admin.execute(TRACES, [[side.id for side in self.sides]]).fetchall()
        return {row[0]: row[1:] for row in found}

    def other(self, side: Side) -> Side:
        """The other workspace."""
        return self.sides[1 - self.sides.index(side)]

    def known_subjects(self) -> None:
        """Read which leads, deals, people, subscriptions and approvals there are, of both workspaces."""
        ids = [side.id for side in self.sides]
        known = (
            (self.leads, "leads", "lead_id"), (self.deals, "opportunities", "opportunity_id"),
            (self.persons, "people", "person_id"), (self.subscriptions, "subscriptions", "subscription_id"),
            (self.approvals, "approvals", "approval_id"),
        )  # fmt: skip
        for kept, table, key in known:
            found = self.admin.execute(
                f"select distinct {key} from leadline.{table} where workspace_id = any (%s) order by 1", [ids]
            )
            kept[:] = [one for (one,) in found]

    # -- making

    def twins(self, count: int) -> None:
        """Fresh leads in both workspaces, with the same lead ids and the same activity ids, of different
        people and with different texts."""
        leads = [uuid4() for _ in range(count)]
        deals = [uuid4() for _ in range((count + 1) // 2)]
        before = self.oracle.value(f"select nextval('{COUNTER}')")
        ends = []
        for side in self.sides:
            self.oracle.value(f"select setval('{COUNTER}', %s)", before)
            self._bear(side, leads)
            self._deal(side, leads, deals)
            ends.append(self.oracle.value(f"select nextval('{COUNTER}')"))
        self.oracle.value(f"select setval('{COUNTER}', %s)", max(ends))
        self.known_subjects()

    def _bear(self, side: Side, leads: list[UUID]) -> None:
        owners: list[UUID | None] = [None, *side.roles]
        whose = [self.chance.choice(owners) for _ in leads]

        def some(values: Iterable[Any]) -> list[Any]:
            choice: list[Any] = list(values)
            return [self.chance.choice(choice) for _ in leads]

        with self.admin.transaction():
            self.admin.execute("select leadline_internal.enter_as(%s, 'app')", [side.id])
            names = [f"{side.name} {number}" for number, _ in enumerate(leads)]
            workflows, emails = some(["appointment", "appointment", "sales"]), some(EMAILS)
            for number, workflow in enumerate(workflows):
                if workflow == "sales":  # one open lead an address
                    self.born += 1
                    emails[number] = f"sale{self.born}@{self.name}.example"
            self.addresses += [email for email in emails if email]
            self.admin.execute(
                BEAR,
                [
                    leads,
                    workflows,
                    some(["web", "fair"]),
                    names,
                    emails,
                    some(PHONES),
                    whose,
                    some([None, 100]),
                ],
            )
            self.admin.execute(
                ENQUIRE, [f"an enquiry in {side.name}", self.chance.sample(leads, (len(leads) + 1) // 2)]
            )
            self.admin.execute(NOTE, [leads, Jsonb({"text": f"a note in {side.name}"})])

    def _deal(self, side: Side, leads: list[UUID], deals: list[UUID]) -> None:
        """Deals under the same ids in both, and what else there is of the people behind some leads."""
        owners: list[UUID | None] = [None, *side.roles]
        person_of = "select person_id from leadline.leads where workspace_id = %s and lead_id = %s"
        with self.admin.transaction():
            for deal, lead in zip(deals, leads, strict=False):
                person = str(self.oracle.value(person_of, side.id, lead))
                assignee = self.chance.choice(owners)
                opened = {
                    "pipeline": "expansion",
                    "person_id": person,
                    "amount": 70,
                    "close_date": "2031-01-01",
                }
                if assignee:
                    opened["assigned_user_id"] = str(assignee)
                self.admin.execute(OPEN, [side.id, deal, Jsonb(opened), next(iter(side.roles))])
                said = f"said in {side.name}"
                for role, journal, subject, activity_type, payload in (
                    ("app", "opportunity_activity", deal, "contact_role_set", {"person_id": person, "role": "executive sponsor"}),
                    ("app", "opportunity_activity", deal, "opportunity_lost", {"lost_reason": "Other", "notes": said}),
                    ("app", "relationship_activity", person, "product_signal_seen", SIGNAL | {"reason": said}),
                    ("app", "relationship_activity", person, "relationship_advanced",
                     {"to": self.chance.choice(["qualified", "opportunity", "client"]), "reason": said}),
                    ("billing", "customer_activity", None, "subscription_started", {"person_id": person, "plan": "pro"}),
                ):  # fmt: skip
                    if activity_type == "opportunity_lost" and self.chance.random() < 0.7:
                        continue
                    self.admin.execute("select leadline_internal.enter_as(%s, %s)", [side.id, role])
                    born = self.oracle.value(
                        LOG_IN_JOURNAL, journal, subject, activity_type, Jsonb(payload), None, None
                    )
                for activity_type, payload in (
                    ("renewal_opened", {"period_start": "2027-01-01", "period_end": "2028-01-01"}),
                    ("renewal_churned", {"reason": said}),
                )[: self.chance.randint(0, 2)]:
                    subject = born["subscription_id"]
                    self.oracle.value(
                        LOG_IN_JOURNAL,
                        "customer_activity",
                        subject,
                        activity_type,
                        Jsonb(payload),
                        None,
                        None,
                    )

    def _side(self, number: int) -> Side:
        name = "AB"[number]
        workspace = self.oracle.value("select leadline.create_workspace(%s)", f"{self.name} {name}")
        side = Side(name, workspace, {})
        for place, role in enumerate(ROLES[number]):
            email = f"p{place}@{self.name}.example"
            person = self.oracle.value("select leadline.add_member(%s, %s, %s)", workspace, email, role)
            side.emails[person], side.roles[person] = email, role
            self._credential(side, f"person {place}", person, (), ["leadline_writer"])
        self.oracle.value(
            "select leadline.set_account(%s, %s, %s, 'partner', %s)",
            *(workspace, f"{self.name}.partner", f"{name} partners", next(iter(side.roles))),
        )
        key = self.oracle.value(
            "select key from leadline.add_webhook_source(%s, %s, 'form')", workspace, f"{name} form"
        )
        self.oracle.value(
            "select leadline.receive_webhook(%s, '{}', 'application/x-www-form-urlencoded', %s, now())",
            *(key, f"fields[email][value]={name}@form.example".encode()),
        )
        for machine, (_, scopes) in MACHINES.items():
            self._credential(side, machine, None, scopes, GROUPS.get(machine, ["leadline_writer"]))
        return side

    def _credential(
        self, side: Side, name: str, person: UUID | None, scopes: tuple[str, ...], groups: list[str]
    ) -> None:
        login = f"{self.database.name}_{self.name}_{side.name}_{name.replace(' ', '_')}".lower()
        self.admin.execute(
            SQL("create role {} login in role {}").format(
                Identifier(login), SQL(", ").join(map(Identifier, groups))
            )
        )
        credential = Credential(side, name, person, scopes, login)
        side.credentials.append(credential)
        self.bind_login(credential)
        self.give_token(
            credential,
            lambda *given: self.oracle.value("select leadline.create_token(%s, %s, %s, %s)", *given),
        )

    def bind_login(self, credential: Credential) -> None:
        """The administrator binds the credential's login, again if it was revoked."""
        self.oracle.value(
            "select leadline.add_login(%s, %s, %s, %s, %s)", credential.side.id, credential.login,
            credential.role, credential.person, list(credential.scopes),
        )  # fmt: skip
        credential.login_is_good = True

    def give_token(self, credential: Credential, create_token: Callable[..., Any]) -> None:
        """A new token; the one before is forgotten, not revoked."""
        credential.token = create_token(
            credential.side.id, credential.role, credential.person, list(credential.scopes)
        )
        credential.token_is_good = True

    def token_id(self, credential: Credential) -> UUID:
        """The id of the credential's token."""
        prefix = credential.token.split("_")[1]
        found: UUID = self.oracle.value("select token_id from leadline.api_tokens where prefix = %s", prefix)
        return found
