"""How the routes describe themselves in OpenAPI: every status and content type that each of them can give.

Bodies and query strings are read by app.door, answers are built by PostgreSQL; so the description is
written
from the same pydantic models, here, instead of from handler signatures.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from litestar.openapi.spec import OpenAPIMediaType, OpenAPIResponse, Operation, Parameter, RequestBody, Schema
from litestar.openapi.spec.header import OpenAPIHeader
from pydantic import BaseModel

from app.errors import PROBLEM_JSON
from app.idempotency import BARE, HEADER, QUOTED, REPLAYED

JSON = "application/json"
BEARER = "token"

COMPONENTS: dict[str, Any] = {}

ERRORS = {
    400: "The request cannot be understood: malformed JSON, too deep, a bad Host header or Idempotency-Key.",
    401: "No token, or one that is unknown, expired or revoked.",
    403: "The credential may not do this kind of thing at all.",
    404: "There is nothing with this id, or it is not visible: the same body for both.",
    409: "The rules or the present state forbid it, or a request with this key is still being answered.",
    413: "The body is larger than this address accepts.",
    415: "The body is not application/json.",
    422: "A key, value or parameter is missing, unknown or malformed, or an Idempotency-Key was reused.",
    500: "A fault of ours; report the Trace-Id.",
    503: "The database is away or busy; Retry-After says when to try again.",
}


class ProblemDetails(BaseModel):
    """RFC 9457 problem details. `rule` is the name to program against."""

    type: str
    title: str
    status: int
    detail: str
    rule: str
    hint: str


def component(model: type[BaseModel]) -> dict[str, str]:
    """A reference to `model` among the components of the description."""
    name = model.__name__
    if name not in COMPONENTS:
        COMPONENTS[name] = model.model_json_schema(ref_template="#/components/schemas/{model}")
        for inner, schema in COMPONENTS[name].pop("$defs", {}).items():
            COMPONENTS.setdefault(inner, schema)
    return {"$ref": f"#/components/schemas/{name}"}


def listed(key: str, model: type[BaseModel], **more: Any) -> dict[str, Any]:
    """The schema of an object with a list of `model` under `key`, and further members."""
    properties = {key: {"type": "array", "items": component(model)}} | more
    return {"type": "object", "properties": properties, "required": list(properties)}


NEXT = {"type": ["string", "null"], "description": "Cursor of the next page; null on the last one."}
PROBLEM = component(ProblemDetails)


def answer(description: str, schema: Mapping[str, Any], media_type: str = JSON) -> OpenAPIResponse:
    """One documented answer; every one carries a Trace-Id."""
    return OpenAPIResponse(
        description=description,
        headers={
            "Trace-Id": OpenAPIHeader(
                description="Name of this request in the log.", schema=cast("Schema", {"type": "string"})
            )
        },
        content={media_type: OpenAPIMediaType(schema=cast("Schema", dict(schema)))},
    )


TOLD_AGAIN = OpenAPIHeader(
    description="true when this was answered before and nothing was done now.",
    schema=cast("Schema", {"type": "string", "enum": ["true"]}),
)


def problem(status: int) -> OpenAPIResponse:
    """The documented problem details of `status`."""
    return answer(ERRORS[status], PROBLEM, PROBLEM_JSON)


def _query_parameters(model: type[BaseModel]) -> list[Parameter]:
    schema = model.model_json_schema()
    return [
        Parameter(
            name=name,
            param_in="query",
            required=name in schema.get("required", []),
            description=described.get("description"),
            schema=cast("Schema", _without_null(described)),
        )
        for name, described in schema["properties"].items()
    ]


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """A parameter that is not given is absent; the word null is no value."""
    given = [choice for choice in schema.get("anyOf", []) if choice.get("type") != "null"]
    if len(given) == 1:
        return dict(given[0])
    return {key: value for key, value in schema.items() if key not in ("default", "title", "description")}


ON_BEHALF_OF = Parameter(
    name="Leadline-On-Behalf-Of",
    param_in="header",
    required=False,
    description="User id of the active member for whom this is reported; needs scope act_as.",
    schema=cast("Schema", {"type": "string", "format": "uuid"}),
)
IDEMPOTENCY_KEY = Parameter(
    name=HEADER,
    param_in="header",
    required=False,
    description=(
        "Your own name for this request, quoted or bare, such as a UUID. Sent again within 24 hours, the "
        "request is not done again but answered with the status and body of the first time, and "
        f"{REPLAYED}: true. Kept are successes and refusals by a rule. With another body it is 422 "
        "idempotency_key_reused; while the first is being answered, 409 request_in_progress."
    ),
    schema=cast("Schema", {"type": "string", "pattern": f"^(?:{BARE}|{QUOTED})$"}),
)


def _id_of(subject: str) -> Parameter:
    return Parameter(
        name=f"{subject}_id",
        param_in="path",
        required=True,
        description=f"Id of the {subject}.",
        schema=cast("Schema", {"type": "string", "format": "uuid"}),
    )


def describes(
    answers: Mapping[int, OpenAPIResponse],
    errors: tuple[int, ...],
    *,
    lead: bool = False,
    person: bool = False,
    opportunity: bool = False,
    subscription: bool = False,
    approval: bool = False,
    on_behalf_of: bool = True,
    query: type[BaseModel] | None = None,
    body: Mapping[str, Any] | None = None,
) -> type[Operation]:
    """The operation class of a route: its answers, its error statuses, and what it takes.

    `lead`, `person` and so on: the path has a lead_id, a person_id. `query`: the model of the query string.
    `body`: the schema of the JSON body. `on_behalf_of`: a credential with scope act_as may name a member."""
    subjects = {
        "lead": lead, "person": person, "opportunity": opportunity, "subscription": subscription,
        "approval": approval,
    }  # fmt: skip
    parameters = [_id_of(subject) for subject, is_named in subjects.items() if is_named]
    parameters += _query_parameters(query) if query else []
    parameters += [ON_BEHALF_OF] if body and on_behalf_of else []
    parameters += [IDEMPOTENCY_KEY] if body else []

    @dataclass
    class Described(Operation):
        def __post_init__(self) -> None:
            self.parameters = list(parameters) or None
            self.responses = {str(status): response for status, response in answers.items()}
            self.responses |= {str(s): problem(s) for s in sorted((*errors, 500)) if s not in answers}
            if body:
                for status in answers:
                    cast("dict[str, Any]", answers[status].headers)[REPLAYED] = TOLD_AGAIN
                content = {JSON: OpenAPIMediaType(schema=cast("Schema", dict(body)))}
                self.request_body = RequestBody(content=content, required=True)

    return Described
