"""Ways over HTTP to every place and every refusal of qualification, relationship, deals and subscriptions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import httpx

from tests.service import Service, Workspace

Ask = Callable[[Service, Workspace], httpx.Response]

CONFIRMED = {"problem": "Too slow", "timing": "This quarter", "buying_role": "Decides"}
CLOSES_ON = "2031-03-31"


def applied(answer: httpx.Response) -> dict[str, Any]:
    """What is answered to an activity that is applied."""
    body: dict[str, Any] = answer.json()
    assert (answer.status_code, body["verdict"]) == (201, "applied"), answer.text
    return body


def new_person(service: Service, token: str, **fields: Any) -> str:
    """The path of a person who wrote in just now from an address of their own."""
    return service.person(token, **({"email": f"{uuid4().hex}@people.example"} | fields))


def held(service: Service, token: str, person: str, to: str = "client") -> str:
    """The approval that an app's move to client or beyond waits for."""
    answer = service.report(token, person, "relationship_advanced", to=to, reason="signed the offer")
    assert (answer.status_code, answer.json()["verdict"]) == (202, "held"), answer.text
    return str(answer.json()["approval_id"])


def add_account(workspace: Workspace, domain: str, name: str) -> str:
    """The company of a mail domain."""
    return str(workspace.ask("select leadline.set_account(%s, %s, %s)", workspace.id, domain, name))


# --- leads of the qualification workflow

ACCEPTED: list[tuple[str, dict[str, Any]]] = [("request_accepted", {})]
QUALIFIED = [*ACCEPTED, ("lead_qualified", CONFIRMED)]
WAYS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "new": [],
    "accepted": ACCEPTED,
    "qualified": QUALIFIED,
    "converted": [
        *QUALIFIED,
        ("lead_converted", {"amount": 900, "currency": "EUR", "close_date": CLOSES_ON}),
    ],
    "recycled": [("lead_recycled", {"reason": "bad_timing", "recycle_on": "2031-01-01"})],
    "disqualified": [("request_rejected", {"reason": "no_fit"})],
}


def qualification_lead(service: Service, token: str, stage: str = "new", **fields: Any) -> str:
    """A lead of the qualification workflow at this stage, or qualified and converted."""
    lead = service.lead(token, workflow="qualification", email=f"{uuid4().hex}@people.example", **fields)
    for activity_type, payload in WAYS[stage]:
        applied(service.log(token, lead, activity_type, **payload))
    return lead


def _qualifying(stage: str, activity_type: str, role: str = "app", **payload: Any) -> Ask:
    def ask(service: Service, workspace: Workspace) -> httpx.Response:
        app = workspace.token()
        token = app if role == "app" else workspace.member(role).token
        return service.log(token, qualification_lead(service, app, stage), activity_type, **payload)

    return ask


def _decided(service: Service, workspace: Workspace) -> httpx.Response:
    """The answer to taking back a conversion whose opportunity is won."""
    admin = workspace.member("admin").token
    lead = qualification_lead(service, admin, "converted")
    win(service, admin, deal_of(service, admin, lead))
    return service.log(admin, lead, "stage_corrected", to_stage="accepted", reason="wrong_record")


def deal_of(service: Service, token: str, lead: str) -> str:
    """The path of the opportunity that a lead was converted into."""
    (deal,) = service.get(f"/opportunities?lead_id={lead}", token).json()["opportunities"]
    return f"opportunities/{deal['opportunity_id']}"


def _not_open(service: Service, workspace: Workspace) -> httpx.Response:
    token = workspace.token()
    lost = deal_at(service, workspace, "closedlost").removeprefix("opportunities/")
    return service.log(token, qualification_lead(service, token, "qualified"), "lead_converted",
                       opportunity_id=lost)  # fmt: skip


# --- relationships


def _related(stage: str, activity_type: str, role: str = "app", **payload: Any) -> Ask:
    """The answer to an activity of a person at this stage, by an app or somebody with this role."""

    def ask(service: Service, workspace: Workspace) -> httpx.Response:
        token, fields = workspace.token(), {}
        if role != "app":
            user_id, token = workspace.member(role)
            fields["assigned_user_id"] = str(user_id)
        person = person_at(service, workspace, stage, **fields)
        return service.report(token, person, activity_type, **payload)

    return ask


def person_at(service: Service, workspace: Workspace, stage: str, **fields: Any) -> str:
    """The path of a person at this stage; an admin took them there, and gave them to whom the fields say."""
    admin = workspace.member("admin").token
    person = new_person(service, admin, **fields)
    if stage == "closed":
        applied(service.report(admin, person, "relationship_closed", reason="no need"))
    elif stage != "prospect":
        applied(service.report(admin, person, "relationship_advanced", to=stage, reason="met at the fair"))
    return person


def _merged_person(service: Service, workspace: Workspace) -> httpx.Response:
    admin = workspace.member("admin").token
    one, other = new_person(service, admin), new_person(service, admin)
    assert service.post(f"/{one}/merge", admin, {"into": other.removeprefix("people/")}).status_code == 201
    return service.report(admin, one, "relationship_advanced", to="qualified", reason="replied")


def _answering(activity_type: str) -> Ask:
    """The answer to an app's word about an approval."""

    def ask(service: Service, workspace: Workspace) -> httpx.Response:
        app = workspace.token()
        person = new_person(service, app)
        return service.report(app, person, activity_type, approval_id=held(service, app, person))

    return ask


def _by_a_member(service: Service, workspace: Workspace) -> httpx.Response:
    user_id, token = workspace.member()
    person = new_person(service, workspace.token(), assigned_user_id=str(user_id))
    approval = held(service, workspace.token(), person)
    return service.report(token, person, "approval_granted", approval_id=approval)


def _stale(service: Service, workspace: Workspace) -> httpx.Response:
    admin, app = workspace.member("admin").token, workspace.token()
    person = new_person(service, app)
    approval = held(service, app, person)
    applied(service.report(admin, person, "relationship_advanced", to="client", reason="signed"))
    return service.report(admin, person, "approval_granted", approval_id=approval)


def expire(workspace: Workspace, approval: str) -> None:
    """Let the time of an approval be over."""
    workspace.ask(
        "update leadline.approvals set expires_at = requested_at + interval '1 microsecond'"
        " where approval_id = %s::uuid returning true", approval,
    )  # fmt: skip


def _too_late(service: Service, workspace: Workspace) -> httpx.Response:
    admin, app = workspace.member("admin").token, workspace.token()
    person = new_person(service, app)
    approval = held(service, app, person)
    expire(workspace, approval)
    return service.report(admin, person, "approval_granted", approval_id=approval)


def _anothers_approval(service: Service, workspace: Workspace) -> httpx.Response:
    admin, app = workspace.member("admin").token, workspace.token()
    approval = held(service, app, new_person(service, app))
    return service.report(admin, new_person(service, app), "approval_granted", approval_id=approval)


# --- opportunities


def advance(service: Service, token: str, deal: str) -> None:
    """Take a deal to proposal, with everything the buyer confirmed."""
    person = service.get(f"/{deal}", token).json()["person_id"]
    applied(
        service.report(
            token, deal, "opportunity_advanced", to_stage="proposal", problem="Too slow",
            decision_process="The board decides", next_step="Demo", next_step_on="2031-02-01", contact=person,
        )
    )  # fmt: skip


def win(service: Service, token: str, deal: str) -> None:
    """Take a deal from evaluation to closedwon."""
    advance(service, token, deal)
    applied(service.report(token, deal, "opportunity_won", amount=900, currency="EUR", close_date=CLOSES_ON))


def deal_at(service: Service, workspace: Workspace, stage: str = "evaluation", **fields: Any) -> str:
    """The path of a deal at this stage."""
    admin = workspace.member("admin").token
    if stage == "withdrawn":
        lead = qualification_lead(service, admin, "converted")
        deal = deal_of(service, admin, lead)
        applied(service.log(admin, lead, "stage_corrected", to_stage="accepted", reason="wrong_record"))
        return deal
    deal = service.opportunity(admin, new_person(service, admin), **fields)
    if stage == "proposal":
        advance(service, admin, deal)
    elif stage == "closedwon":
        win(service, admin, deal)
    elif stage == "closedlost":
        applied(service.report(admin, deal, "opportunity_lost", lost_reason="Price"))
    return deal


def _dealt(stage: str, activity_type: str, role: str = "admin", **payload: Any) -> Ask:
    """The answer to an activity of a deal at this stage."""

    def ask(service: Service, workspace: Workspace) -> httpx.Response:
        token = workspace.token() if role == "app" else workspace.member(role).token
        return service.report(token, deal_at(service, workspace, stage), activity_type, **payload)

    return ask


def _a_part_of_ones_own(service: Service, workspace: Workspace) -> httpx.Response:
    token = workspace.token()
    person = new_person(service, token).rsplit("/", 1)[-1]
    deal = deal_at(service, workspace, "evaluation")
    return service.report(token, deal, "contact_role_set", person_id=person, role="the boss")


# --- subscriptions


def subscription_at(service: Service, workspace: Workspace, stage: str = "active", **fields: Any) -> str:
    """The path of a subscription at this stage."""
    billing = workspace.token("billing")
    person = new_person(service, workspace.token())
    subscription = service.subscription(billing, person, trial=stage == "trialing", **fields)
    activity_type = {"past_due": "payment_failed", "cancelled": "subscription_cancelled"}.get(stage)
    if activity_type is not None:
        applied(service.report(billing, subscription, activity_type))
    return subscription


def _billed(stage: str, activity_type: str, **payload: Any) -> Ask:
    """The answer to an activity of a subscription at this stage."""

    def ask(service: Service, workspace: Workspace) -> httpx.Response:
        subscription = subscription_at(service, workspace, stage)
        return service.report(workspace.token("billing"), subscription, activity_type, **payload)

    return ask


# rule -> status, and a request that meets it
RAISED: dict[str, tuple[int, Ask]] = {
    "no_such_request": (404, _qualifying("new", "request_accepted", request_id=str(uuid4()))),
    "no_such_approval": (404, _anothers_approval),
    "no_such_opportunity": (404, lambda s, w: s.get(f"/opportunities/{uuid4()}", w.token())),
    "no_such_subscription": (404, lambda s, w: s.get(f"/subscriptions/{uuid4()}", w.token())),
}

REFUSED: dict[str, Ask] = {
    "already_closed": _qualifying("disqualified", "request_accepted"),
    "rejection_reason_required": _qualifying("new", "request_rejected"),
    "unknown_rejection_reason": _qualifying("new", "request_rejected", reason="mood"),
    "recycle_reason_required": _qualifying("new", "lead_recycled", recycle_on="2031-01-01"),
    "unknown_recycle_reason": _qualifying("new", "lead_recycled", reason="mood", recycle_on="2031-01-01"),
    "recycle_date_required": _qualifying("new", "lead_recycled", reason="bad_timing"),
    "recycle_date_in_past": _qualifying("new", "lead_recycled", reason="bad_timing", recycle_on="2020-01-01"),
    "qualified_needs_accept": _qualifying("new", "lead_qualified", **CONFIRMED),
    "qualification_evidence_required": _qualifying("accepted", "lead_qualified", problem="Too slow"),
    "conversion_needs_qualified": _qualifying("accepted", "lead_converted"),
    "opportunity_not_open": _not_open,
    "opportunity_decided": _decided,
    "person_is_merged": _merged_person,
    "backward_move": _related("qualified", "relationship_advanced", to="prospect", reason="asked"),
    "approver_needed": _by_a_member,
    "approval_stale": _stale,
    "approval_has_expired": _too_late,
    "opportunity_is_won": _dealt("closedwon", "opportunity_lost", lost_reason="Price"),
    "opportunity_is_lost": _dealt("closedlost", "opportunity_won", amount=900, close_date=CLOSES_ON),
    "opportunity_is_withdrawn": _dealt("withdrawn", "opportunity_lost", lost_reason="Price"),
    "unknown_contact_role": _a_part_of_ones_own,
    "evidence_required": _dealt("evaluation", "opportunity_advanced", to_stage="proposal", problem="Slow"),
    "subscription_is_cancelled": _billed(
        "cancelled", "renewal_opened", period_start="2031-01-01", period_end="2032-01-01"
    ),
    "period_malformed": _billed(
        "active", "renewal_opened", period_start="2032-01-01", period_end="2031-01-01"
    ),
    "no_open_cycle": _billed("active", "renewal_renewed"),
}

# rule -> a request that is held by it
HELD: dict[str, Ask] = {
    "client_needs_a_person": _related("qualified", "relationship_advanced", to="client", reason="signed"),
}

# What journals have in common, met in the new ones too: rule -> requests.
SHARED: dict[str, list[Ask]] = {
    "ai_forbidden": [
        lambda s, w: s.report(w.token("ai"), new_person(s, w.token()), "relationship_advanced",
                              to="qualified", reason="x"),
        lambda s, w: s.report(w.token("ai"), deal_at(s, w), "opportunity_lost", lost_reason="Price"),
        lambda s, w: s.report(w.token("ai"), subscription_at(s, w), "payment_failed"),
    ],
    "system_only": [
        _related("prospect", "relationship_joined", **{"from": str(uuid4())}),
        _answering("approval_expired"),
        _dealt("evaluation", "conversion_undone"),
        _dealt("evaluation", "direct_change"),
    ],
    "writer_not_allowed": [
        lambda s, w: s.report(w.token(), subscription_at(s, w), "payment_succeeded"),
        lambda s, w: s.report(w.member("owner").token, subscription_at(s, w), "subscription_cancelled"),
        lambda s, w: s.report(w.token("importer"), subscription_at(s, w), "renewal_renewed"),
        lambda s, w: s.report(w.token("billing"), deal_at(s, w), "opportunity_won"),
        lambda s, w: s.report(w.token("billing"), new_person(s, w.token()), "relationship_advanced",
                              to="qualified", reason="paid"),
    ],
    "not_first": [
        lambda s, w: s.report(w.token(), deal := deal_at(s, w), "opportunity_opened", pipeline="expansion",
                              person_id=s.get(f"/{deal}", w.token()).json()["person_id"]),
        lambda s, w: s.report(w.token("billing"), paid := subscription_at(s, w), "subscription_started",
                              person_id=s.get(f"/{paid}", w.token()).json()["person_id"]),
    ],
    "needs_a_person": [
        _related("qualified", "relationship_closed", reason="no answer"),
        _answering("approval_granted"),
        _answering("approval_declined"),
        _dealt("evaluation", "opportunity_advanced", "app", to_stage="proposal"),
    ],
    "unknown_stage": [
        _related("prospect", "relationship_advanced", "admin", to="customer", reason="x"),
        _related("prospect", "relationship_advanced", "admin", to="closed", reason="x"),
        _dealt("evaluation", "opportunity_advanced", to_stage="closedwon"),
    ],
    "reason_required": [
        _related("prospect", "relationship_advanced", to="qualified"),
        _related("prospect", "relationship_closed", "admin", reason="  "),
        _dealt("proposal", "stage_corrected", to_stage="evaluation"),
        _billed("active", "renewal_churned"),
    ],
    "correction_needs_admin": [
        _dealt("proposal", "stage_corrected", "app", to_stage="evaluation", reason="data_repair"),
    ],
    "correction_goes_forward": [
        _dealt("evaluation", "stage_corrected", to_stage="proposal", reason="data_repair"),
    ],
    "won_value_needs_admin": [_dealt("closedwon", "amount_changed", "app", amount=1)],
    "deal_value_required": [_dealt("closedwon", "amount_changed", amount=0)],
    "won_needs_proposal": [_dealt("evaluation", "opportunity_won", amount=900, close_date=CLOSES_ON)],
    "lost_reason_required": [_dealt("proposal", "opportunity_lost")],
    "unknown_lost_reason": [_dealt("proposal", "opportunity_lost", lost_reason="price")],
    "notes_required": [_dealt("proposal", "opportunity_lost", lost_reason="Other")],
    "unknown_assignee": [_dealt("proposal", "opportunity_assigned", assigned_user_id=str(uuid4()))],
}  # fmt: skip
