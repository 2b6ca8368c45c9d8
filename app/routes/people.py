"""People: who is behind the leads, two who are one, and the right to be told and to be forgotten."""

from __future__ import annotations

from uuid import UUID

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath
from psycopg import sql
from pydantic import BaseModel, Field

from app.db import ENTER, Database, Step
from app.description import BEARER, NEXT, PROBLEM, answer, component, describes, listed
from app.door import Caller, HttpRequest, Sent, checked, json_answer, read_query, uuid_or_nil
from app.errors import PROBLEM_JSON, Problem, no_such_person
from app.idempotency import Row, Write, perform, read_write
from app.routes.leads import page

# One person as shown; emails and phones are null for credentials that may not see contacts.
SHOWN = sql.SQL("""
    select row_to_json(p) from (
        select o.person_id, c.status, c.stage, c.stage_label, c.stage_entered_at, c.furthest_stage,
               c.first_qualified_at, o.account_id, o.account_name, o.account_kind, o.created_at,
               o.merged_into, o.erased_at, o.leads, o.requests, k.emails, k.phones
        from leadline.person_overview o
        join leadline.contacts c on c.workspace_id = o.workspace_id and c.person_id = o.person_id
        left join lateral (
            select coalesce(json_agg(c.key order by c.key) filter (where c.kind = 'email'), '[]') as emails,
                   coalesce(json_agg(c.key order by c.key) filter (where c.kind = 'phone'), '[]') as phones
            from leadline.person_contacts c
            where c.workspace_id = o.workspace_id and c.person_id = o.person_id
        ) k on (select leadline.sees_contacts())
        where o.person_id = %(person_id)s::uuid) p
""")
LISTED = sql.SQL("""
    select o.person_id, o.status, o.stage, o.stage_label, o.stage_entered_at, o.furthest_stage,
           o.first_qualified_at, o.account_id, o.account_name, o.account_kind, o.created_at, o.merged_into
    from leadline.contacts o
""")
ORDER = ("created_at", "person_id")

# A filter of the query string and the condition that it adds. Reads are forgiving (seed 002): a stage may be
# named in another system's word.
FILTERS = {
    "stage": "o.stage = (select leadline.normalise_stage(%(stage)s))",
    "furthest_stage": "o.furthest_stage = (select leadline.normalise_stage(%(furthest_stage)s))",
    "status": "o.status = %(status)s",
    "account_id": "o.account_id = %(account_id)s",
}
SHOW_PERSON = sql.SQL("select ({shown})").format(shown=SHOWN)
# After a merge, without keys: the answer may be kept, and whoever is erased is not looked for in it.
SHOW_MERGED = """
    select json_build_object('person_id', o.person_id, 'merged_into', o.merged_into)
    from leadline.person_overview o where o.person_id = %(person_id)s::uuid
"""
EXPORT_PERSON = "select leadline.export_person(%(person_id)s::uuid)::json"

MERGE = "select leadline.merge_people(%(person_id)s::uuid, %(into)s::uuid)"
UNMERGE = "select leadline.unmerge_people(%(person_id)s::uuid)"
ERASE = """
    select json_build_object('verdict', 'applied', 'people', e -> 'people', 'leads', e -> 'leads',
                             'contents', e -> 'contents')
    from leadline.erase_person(%(person_id)s::uuid, %(reason)s::text) e
"""


class PersonQuery(Sent):
    """Which people to list."""

    stage: str | None = Field(
        default=None,
        description="prospect, qualified, opportunity, client, onboarding, active or closed. Other systems' "
        "words are understood (lead, mql, customer, lost ...); what is none of them finds nobody.",
    )
    furthest_stage: str | None = Field(default=None, description="The furthest ever reached; read alike.")
    status: str | None = Field(default=None, description="open, or closed when it is not going on.")
    account_id: UUID | None = Field(default=None, description="The people of one company.")
    limit: int = Field(default=50, ge=1, le=200)
    cursor: str | None = Field(default=None, description="`next` of the page before.")


class ListedPerson(BaseModel):
    """Where a person stands (seed 002): what they are to the workspace. Nothing in it is personal."""

    person_id: UUID
    status: str = Field(json_schema_extra={"enum": ["open", "closed"]})
    stage: str
    stage_label: str
    stage_entered_at: str | None = Field(description="null for a prospect that never moved")
    furthest_stage: str = Field(description="The furthest of the six ever reached; never goes back.")
    first_qualified_at: str | None
    account_id: UUID | None = Field(description="The company, by their mail domain.")
    account_name: str | None
    account_kind: str | None
    created_at: str = Field(json_schema_extra={"format": "date-time"})
    merged_into: UUID | None = Field(description="The person that this one turned out to be.")


class Person(ListedPerson):
    """A person as far as they are known. What they are called stands in their leads."""

    erased_at: str | None
    leads: int = Field(description="Leads that the caller sees.")
    requests: int = Field(description="Requests that the caller sees.")
    emails: list[str] | None = Field(description="null for credentials that may not see contacts")
    phones: list[str] | None


class Merge(Sent):
    """With whom this person is one."""

    into: UUID = Field(description="The person that goes on.")


class Unmerge(Sent):
    """Nothing more to say: {}."""


class Erasure(Sent):
    """Why."""

    reason: str = Field(
        min_length=1, max_length=200, pattern=r"\S", description="Kept in the journal: name nobody in it."
    )


class Decided(BaseModel):
    """What came of it."""

    verdict: str = Field(
        json_schema_extra={"enum": ["applied", "noted"]}, description="noted: it was so before."
    )
    person_id: UUID
    merged_into: UUID | None = Field(description="The person that goes on; null after the undoing.")


class Erased(BaseModel):
    """What was erased. It does not come back."""

    verdict: str = Field(json_schema_extra={"const": "applied"})
    people: list[UUID] = Field(description="The person, and all that they were merged with.")
    leads: list[UUID]
    contents: int = Field(description="Activities whose texts went.")


REFUSED = answer(
    "The rules forbid it, or a request with this key is still being answered.", PROBLEM, PROBLEM_JSON
)
DECIDED = {201: answer("Applied, or noted when nothing changed.", component(Decided)), 409: REFUSED}
EVERY = (400, 401, 403, 404, 413, 415, 422, 503)

EXPORTED = {"type": "object", "description": "Everything held about the person, by kind."}


@get(
    "/v1/people",
    summary="List people, newest first",
    security=[{BEARER: []}],
    operation_class=describes(
        {200: answer("One page.", listed("people", ListedPerson, next=NEXT))},
        (400, 401, 403, 422, 503),
        query=PersonQuery,
    ),
)
async def list_people(
    request: HttpRequest, caller: NamedDependency[Caller], database: NamedDependency[Database]
) -> Response[bytes]:
    """One page of the visible people that pass every filter given, each with where they stand."""
    given = read_query(request, PersonQuery).model_dump(exclude_none=True)
    statement = page("people", LISTED, ORDER, given, FILTERS)
    return json_answer(await database.read(caller.token, statement, given))


@get(
    "/v1/people/{person_id:str}",
    summary="Show a person",
    security=[{BEARER: []}],
    operation_class=describes(
        {200: answer("The person.", component(Person))}, (400, 401, 403, 404, 422, 503), person=True
    ),
)
async def show_person(
    person_id: FromPath[str], caller: NamedDependency[Caller], database: NamedDependency[Database]
) -> Response[bytes]:
    """The person as they are now; 404 alike for foreign, unknown, unseen and malformed ids (seed 004 1.3)."""
    document = await database.read(caller.token, SHOW_PERSON, {"person_id": uuid_or_nil(person_id)})
    if document is None:
        raise no_such_person()
    return json_answer(document)


@get(
    "/v1/people/{person_id:str}/export",
    summary="Everything held about a person",
    security=[{BEARER: []}],
    operation_class=describes(
        {200: answer("One document.", EXPORTED)}, (400, 401, 403, 404, 422, 503), person=True
    ),
)
async def export_person(
    person_id: FromPath[str], caller: NamedDependency[Caller], database: NamedDependency[Database]
) -> Response[bytes]:
    """For owners and admins: what the person may ask for, with all they were merged with."""
    return json_answer(
        await database.read(caller.token, EXPORT_PERSON, {"person_id": uuid_or_nil(person_id)})
    )


@post(
    "/v1/people/{person_id:str}/merge",
    summary="Two people are one",
    security=[{BEARER: []}],
    operation_class=describes(DECIDED, EVERY, person=True, body=component(Merge), on_behalf_of=False),
)
async def merge_people(
    request: HttpRequest,
    person_id: FromPath[str],
    caller: NamedDependency[Caller],
    database: NamedDependency[Database],
) -> Response[bytes]:
    """For owners and admins: the one named in `into` goes on."""
    write = await _read_write(request, caller)
    into = checked(Merge, write.document).into
    return await _decide(database, write, MERGE, {"person_id": uuid_or_nil(person_id), "into": into})


@post(
    "/v1/people/{person_id:str}/unmerge",
    summary="Two people are not one after all",
    security=[{BEARER: []}],
    operation_class=describes(DECIDED, EVERY, person=True, body=component(Unmerge), on_behalf_of=False),
)
async def unmerge_people(
    request: HttpRequest,
    person_id: FromPath[str],
    caller: NamedDependency[Caller],
    database: NamedDependency[Database],
) -> Response[bytes]:
    """For owners and admins: this person is one of their own again."""
    write = await _read_write(request, caller)
    checked(Unmerge, write.document)
    return await _decide(database, write, UNMERGE, {"person_id": uuid_or_nil(person_id)})


@post(
    "/v1/people/{person_id:str}/erase",
    summary="Erase everything personal of a person",
    security=[{BEARER: []}],
    operation_class=describes(
        {201: answer("Erased.", component(Erased)), 409: REFUSED},
        EVERY, person=True, body=component(Erasure), on_behalf_of=False,
    ),
)  # fmt: skip
async def erase_person(
    request: HttpRequest,
    person_id: FromPath[str],
    caller: NamedDependency[Caller],
    database: NamedDependency[Database],
) -> Response[bytes]:
    """For owners and admins: texts, names and addresses go for good; what was decided stays and verifies."""
    write = await _read_write(request, caller)
    reason = checked(Erasure, write.document).reason
    steps: list[Step] = [
        (ENTER, (caller.token,)),
        (ERASE, {"person_id": uuid_or_nil(person_id), "reason": reason}),
    ]
    return await perform(database, write, steps, lambda rows: json_answer(rows[1][0], 201))


async def _read_write(request: HttpRequest, caller: Caller) -> Write:
    """As read_write(). Raises Problem 422 unknown_key when somebody else is named as the author."""
    if caller.on_behalf_of is not None:
        raise Problem(
            422, "unknown_key", "Leadline-On-Behalf-Of is not taken here.",
            "People are decided about by an owner or admin with a credential of their own.",
        )  # fmt: skip
    return await read_write(request, caller)


async def _decide(
    database: Database, write: Write, statement: str, parameters: dict[str, UUID]
) -> Response[bytes]:
    def tell(rows: list[Row]) -> Response[bytes]:
        (changed,), (shown,) = rows[1], rows[2]
        verdict = b"applied" if changed else b"noted"
        return json_answer(b'{"verdict":"%s",%s' % (verdict, shown[1:]), 201)

    steps: list[Step] = [(ENTER, (write.token,)), (statement, parameters), (SHOW_MERGED, parameters)]
    return await perform(database, write, steps, tell)
