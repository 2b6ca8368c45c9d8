"""The one place that turns what went wrong into an answer: exceptions in, problem details (RFC 9457) out.

Reads SQLSTATE, MESSAGE, HINT and CONSTRAINT of errors that Leadline's own rules raised (class PT); of
PostgreSQL's own errors only the SQLSTATE. DETAIL, and the names of tables and columns, never leave the
service.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import msgspec
import psycopg
from litestar import Request, Response
from litestar.exceptions import HTTPException

from app.trace import trace_id

PROBLEM_JSON = "application/problem+json"
PREFIX_OF_TYPE = "urn:leadline:rule:"

log = logging.getLogger("leadline.http")


class Problem(Exception):  # noqa: N818 - the word of RFC 9457
    """An answer that is not a success.

    `rule` names it for programs, `detail` is a sentence for people, `hint` says what to do next."""

    def __init__(
        self, status: int, rule: str, detail: str, hint: str = "", headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(rule)
        self.status, self.rule, self.detail, self.hint = status, rule, detail, hint
        self.headers = dict(headers or {})

    def members(self) -> dict[str, Any]:
        """The problem details: type, title, status, detail, rule, hint. Title depends on the rule alone."""
        return {
            "type": PREFIX_OF_TYPE + self.rule,
            "title": title(self.rule),
            "status": self.status,
            "detail": self.detail,
            "rule": self.rule,
            "hint": self.hint,
        }


def title(rule: str) -> str:
    """A rule's name as words: no_such_lead -> No such lead."""
    return rule.replace("_", " ").capitalize()


def no_such_lead() -> Problem:
    """The one answer for a lead that is foreign, unknown, unseen or not even a uuid (seed 004 1.3)."""
    return Problem(
        404, "no_such_lead", "There is no such lead.", "Check the id; only leads of your workspace are found."
    )


def no_such_person() -> Problem:
    """The one answer for a person that is foreign, unknown, unseen or not even a uuid (seed 004 1.3)."""
    return Problem(
        404, "no_such_person", "There is no such person.",
        "Check the id; only people of your workspace are found.",
    )  # fmt: skip


def no_such_opportunity() -> Problem:
    """The one answer for an opportunity that is foreign, unknown, unseen or not even a uuid."""
    return Problem(
        404, "no_such_opportunity", "There is no such opportunity.",
        "Check the id; only opportunities of your workspace are found.",
    )  # fmt: skip


def no_such_subscription() -> Problem:
    """The one answer for a subscription that is foreign, unknown, unseen or not even a uuid."""
    return Problem(
        404, "no_such_subscription", "There is no such subscription.",
        "Check the id; only subscriptions of your workspace are found.",
    )  # fmt: skip


def no_such_approval() -> Problem:
    """The one answer for an approval that is foreign, unknown, unseen, another person's or not even a
    uuid."""
    return Problem(
        404, "no_such_approval", "There is no such approval.",
        "Check the id: GET /v1/approvals lists those that wait.",
    )  # fmt: skip


def value_malformed(detail: str, hint: str = "Correct the value and send the request again.") -> Problem:
    """422 for a value of the wrong kind, found before the database was asked."""
    return Problem(422, "value_malformed", detail, hint)


def _unavailable() -> Problem:
    return Problem(
        503, "database_unavailable", "The database cannot be reached at the moment.",
        "Try again shortly; with a reference, an activity that did arrive is not repeated.",
        {"Retry-After": "2"},
    )  # fmt: skip


def _busy() -> Problem:
    return Problem(
        503, "busy", "The database did not finish this in time, and nothing was changed.",
        "Try again shortly.", {"Retry-After": "1"},
    )  # fmt: skip


def _internal() -> Problem:
    return Problem(
        500,
        "internal_error",
        "Something went wrong on our side.",
        "Report it with the Trace-Id of this answer.",
    )


def _not_permitted() -> Problem:
    return Problem(
        403, "not_permitted", "This credential may not do that.", "Use a credential with the right to do it."
    )


def _conflict() -> Problem:
    return Problem(
        409, "conflict", "This contradicts what is already stored.", "Read the present state first."
    )


def _too_long() -> Problem:
    return value_malformed("A value is longer than the database can keep.")


def _stored_value_malformed() -> Problem:
    return value_malformed("A value is not of the kind that is asked for.")


# SQLSTATE, or its class (two characters), to the answer. The longer key wins.
BY_SQLSTATE = {
    "08": _unavailable,
    "22": _stored_value_malformed,
    "23": _stored_value_malformed,
    "23505": _conflict,
    "23P01": _conflict,
    "25P03": _unavailable,
    "40": _busy,
    "42501": _not_permitted,
    "53": _unavailable,
    "54": _too_long,
    "55P03": _busy,
    "57": _unavailable,
    "57014": _busy,
}

# Raised rules whose status over HTTP is not the one of their SQLSTATE.
BY_RULE = {"batch_too_large": 413}

# What is not there is answered in one way, whether a rule said so or a route found nothing.
NOT_THERE = {
    "no_such_lead": no_such_lead,
    "no_such_person": no_such_person,
    "no_such_opportunity": no_such_opportunity,
    "no_such_subscription": no_such_subscription,
    "no_such_approval": no_such_approval,
}

# Raised rules that pass by themselves: seconds after which to try again.
PASSING = {"request_in_progress": "1"}

CHALLENGE = 'Bearer realm="leadline"'
CHALLENGE_TO_UNKNOWN = f'{CHALLENGE}, error="invalid_token"'

BY_STATUS = {
    404: ("no_such_route", "There is nothing at this address.", "See /schema for the routes."),
    405: ("method_not_allowed", "This address does not answer that method.", "See the Allow header."),
    413: (
        "body_too_large",
        "The body is larger than this address accepts.",
        "Send less, or in several requests.",
    ),
}


def problem_of(error: BaseException) -> Problem:
    """What to answer for `error`; 500 internal_error for everything that has no answer of its own."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, psycopg.Error):
        return _problem_of_database(error)
    if isinstance(error, HTTPException) and error.status_code < 500:
        rule, detail, hint = BY_STATUS.get(
            error.status_code,
            ("bad_request", "The request cannot be understood.", "See /schema for the routes."),
        )
        return Problem(error.status_code, rule, detail, hint, error.headers)
    return _internal()


def _problem_of_database(error: psycopg.Error) -> Problem:
    code = error.sqlstate or ""
    if code.startswith("PT") and code[2:].isdigit():
        return _problem_of_rule(int(code[2:]), error.diag)
    answer = BY_SQLSTATE.get(code) or BY_SQLSTATE.get(code[:2])
    if answer is not None:
        return answer()
    if not code and isinstance(error, psycopg.OperationalError):  # no connection, or it broke
        return _unavailable()
    if not code and isinstance(error, psycopg.DataError):  # the driver itself could not send the value
        return _stored_value_malformed()
    return _internal()


def _problem_of_rule(status: int, diagnosis: psycopg.errors.Diagnostic) -> Problem:
    rule = diagnosis.constraint_name or "refused"
    if rule in NOT_THERE:
        return NOT_THERE[rule]()
    challenge = CHALLENGE if rule == "credential_required" else CHALLENGE_TO_UNKNOWN
    headers = {"WWW-Authenticate": challenge} if status == 401 else {}
    if rule in PASSING:
        headers["Retry-After"] = PASSING[rule]
    return Problem(
        BY_RULE.get(rule, status), rule, diagnosis.message_primary or title(rule),
        diagnosis.message_hint or "", headers,
    )  # fmt: skip


def answer_problem(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    """Litestar's exception handler for everything: problem details, and a log line for what is our fault."""
    problem = problem_of(error)
    if problem.status >= 500:
        log.error(
            "%s %s: %s [trace %s]", request.method, request.url.path, problem.rule, trace_id(request.scope),
            exc_info=error if problem.status == 500 else None,
        )  # fmt: skip
    return Response(
        msgspec.json.encode(problem.members()),
        status_code=problem.status,
        media_type=PROBLEM_JSON,
        headers=problem.headers,
    )
