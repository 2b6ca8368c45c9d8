"""Workspaces with a history: something of everything that can be said in them."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

import psycopg

from tests.tenant import Tenant

ENQUIRE = "insert into leadline.lead_activity (activity_type, payload) values ('inbound_enquiry', %s) returning lead_id"
LOG_IN = "select leadline.log_in_journal(%s, %s::uuid, %s, %s, %s)"


def lived_in(admin_dsn: str) -> Tenant:
    """A workspace with some history: births, refusals, personal text, a suppression, people's relationships, deals,
    subscriptions, a checkpoint."""
    tenant = Tenant(admin_dsn)
    with tenant.connect("app", "import") as connection:
        for number in range(20):
            row = connection.execute(
                "insert into leadline.leads (name, email, phone) values (%s, %s, %s) returning lead_id",
                [f"Person {number}", f"p{number}@example.com", f"+1 555 01{number:02}"],
            ).fetchone()
            for activity_type in [
                "sale",
                "contact_attempted",
                "callback_requested",
                "appointment_scheduled",
                "dnc",
            ][: 1 + number % 5]:
                connection.execute(
                    "insert into leadline.lead_activity (lead_id, activity_type, payload, reference)"
                    " values (%s, %s, %s, %s)",
                    [
                        row and row[0],
                        activity_type,
                        '{"notes": "said so", "callback_at": "2026-12-24T10:00:00Z"}',
                        f"{number} {activity_type}",
                    ],
                )
        connection.execute(
            "select leadline.log_activity(null, 'lead_imported', jsonb_build_object("
            "'stage', 'dnc', 'entered_at', '2025-11-02T10:00:00Z', 'phone', '+15550199'))"
        )
    people_write_in(tenant)
    people_become_customers(tenant)
    tenant.ask("select leadline.run_job('checkpoint', %s, now())", tenant.id)
    return tenant


def people_write_in(tenant: Tenant) -> None:
    """Enquiries to sales: lost and back, won, merged and not, turned away; an account, a kept answer, somebody erased."""
    with tenant.connect("owner", autocommit=True) as connection:
        connection.execute(
            "select leadline.set_account(%s, 'customer.example', 'Customer', 'customer')", [tenant.id]
        )
        leads = []
        for number in range(8):
            said = {
                "workflow": "sales",
                "email": f"w{number}@customer.example",
                "phone": f"+3460000000{number % 3}",
                "external_id": f"x{number}",
            }
            [(lead_id,)] = connection.execute(ENQUIRE, [json.dumps(said)]).fetchall()
            leads.append(lead_id)
        for number, activity_type, payload in (
            (0, "deal_lost", {"lost_reason": "Other", "notes": "too dear"}),
            (1, "proposal_sent", {"deal_value": 12.5}),
            (1, "deal_won", {}),
            (2, "leads_merged", {"into": str(leads[3])}),
            (4, "leads_merged", {"into": str(leads[5])}),
            (4, "leads_unmerged", {}),
            (6, "lead_archived", {}),
        ):
            report(connection, leads[number], activity_type, **payload)
        for said in ({"email": "w0@customer.example"}, {"email": "s@x.example", "exclusion": "spam"}):
            connection.execute(ENQUIRE, [json.dumps(said)])
        connection.execute("select leadline.erase_person(%s, 'asked')", [person_of(connection, leads[7])])
    tenant.ask(
        "insert into leadline.idempotency_keys values (%s, gen_random_uuid(), 'POST /leads', 'k', sha256('x'), 200,"
        " 'application/json', '{}', now()) returning key",
        tenant.id,
    )


def people_become_customers(tenant: Tenant) -> dict[str, UUID]:
    """Requests accepted, rejected, recycled and converted; moves that were granted, declined, or wait; deals won and
    lost; a subscription with its renewals, paid, late, cancelled. The ids by name."""
    made: dict[str, UUID] = {}
    confirmed = {"problem": "leaks", "timing": "in spring", "buying_role": "decides"}
    deal = {
        "problem": "leaks",
        "decision_process": "the board",
        "next_step": "call back",
        "next_step_on": "2031-02-01",
    }
    with tenant.connect("owner", autocommit=True) as owner, tenant.connect(autocommit=True) as app:
        for name in ("accepted", "converted", "recycled", "rejected", "undone"):
            said = {"workflow": "qualification", "email": f"{name}@buyer.example", "message": "a roof"}
            [(made[name],)] = app.execute(ENQUIRE, [json.dumps(said)]).fetchall()
            made[f"{name} person"] = person_of(owner, made[name])
        report(
            app, made["recycled"], "lead_recycled", reason="other", recycle_on="2031-01-01", notes="next year"
        )
        report(app, made["rejected"], "request_rejected", reason="other", notes="no roof")
        for name in ("accepted", "converted", "undone"):
            report(app, made[name], "request_accepted")
        for name in ("converted", "undone"):
            report(app, made[name], "lead_qualified", **confirmed)
            report(app, made[name], "lead_converted", amount=900, currency="EUR", close_date="2031-03-31")
        report(owner, made["undone"], "stage_corrected", to_stage="accepted", reason="entered_by_mistake")
        [(made["deal"],)] = owner.execute(
            "select opportunity_id from leadline.leads where lead_id = %s", [made["converted"]]
        ).fetchall()

        client, waits = made["converted person"], made["accepted person"]
        log_in(
            app,
            "opportunity_activity",
            made["deal"],
            "contact_role_set",
            person_id=str(waits),
            role="end user",
        )
        proposal = deal | {"to_stage": "proposal", "contact": str(client)}
        log_in(owner, "opportunity_activity", made["deal"], "opportunity_advanced", **proposal)
        log_in(app, "opportunity_activity", made["deal"], "opportunity_won")
        [(approval,)] = owner.execute(
            "select approval_id from leadline.approvals where person_id = %s and status = 'open'", [client]
        ).fetchall()
        granted = {"approval_id": str(approval), "reason": "the contract is signed"}
        log_in(owner, "relationship_activity", client, "approval_granted", **granted)
        log_in(
            owner,
            "relationship_activity",
            client,
            "relationship_advanced",
            to="onboarding",
            reason="went live",
        )
        lost = log_in(
            owner,
            "opportunity_activity",
            None,
            "opportunity_opened",
            pipeline="expansion",
            person_id=str(client),
        )
        made["lost deal"] = UUID(lost["opportunity_id"])
        log_in(
            owner,
            "opportunity_activity",
            made["lost deal"],
            "opportunity_lost",
            lost_reason="Other",
            notes="no roof",
        )
        for stage in ("client", "active"):
            log_in(
                app,
                "relationship_activity",
                waits,
                "relationship_advanced",
                to=stage,
                reason="said so on the phone",
            )
        [(approval,)] = owner.execute(
            "select approval_id from leadline.approvals where person_id = %s and to_stage = 'active'", [waits]
        ).fetchall()
        declined = {"approval_id": str(approval), "reason": "not yet"}
        log_in(owner, "relationship_activity", waits, "approval_declined", **declined)
        log_in(
            owner,
            "relationship_activity",
            made["rejected person"],
            "relationship_closed",
            reason="moved away",
        )
        signal = {
            "signal": "usage",
            "observed_at": "2026-01-01T00:00:00Z",
            "expires_at": "2031-01-01T00:00:00Z",
        }
        log_in(
            app,
            "relationship_activity",
            made["undone person"],
            "product_signal_seen",
            reason="much used",
            **signal,
        )
    with tenant.connect("billing", autocommit=True) as billing:
        started = log_in(
            billing,
            "customer_activity",
            None,
            "subscription_started",
            person_id=str(client),
            plan="team",
            trial=True,
        )
        made["subscription"] = UUID(started["subscription_id"])
        for activity_type, payload in (
            ("payment_succeeded", {}),
            ("payment_failed", {}),
            ("renewal_opened", {"period_start": "2025-01-01", "period_end": "2025-12-31"}),
            ("renewal_opened", {"period_start": "2026-01-01", "period_end": "2026-12-31"}),
            ("renewal_renewed", {}),
            ("renewal_churned", {"reason": "shut down"}),
            ("subscription_cancelled", {"reason": "shut down"}),
        ):
            log_in(billing, "customer_activity", made["subscription"], activity_type, **payload)
        log_in(billing, "customer_activity", None, "subscription_started", person_id=str(waits), plan="solo")
    return made


def report(connection: psycopg.Connection[Any], lead_id: UUID, activity_type: str, **payload: Any) -> None:
    """An activity of a lead."""
    connection.execute(
        "insert into leadline.lead_activity (lead_id, activity_type, payload) values (%s, %s, %s)",
        [lead_id, activity_type, json.dumps(payload)],
    )


def log_in(
    connection: psycopg.Connection[Any],
    journal: str,
    subject_id: UUID | None,
    activity_type: str,
    **payload: Any,
) -> dict[str, Any]:
    """The answer to an activity of another journal, which is not refused. Its reference is the type, by subject."""
    reference = f"{activity_type} {subject_id or ''} {json.dumps(payload, sort_keys=True)}"[:200]
    row = connection.execute(
        LOG_IN, [journal, subject_id, activity_type, json.dumps(payload), reference]
    ).fetchone()
    assert row is not None
    answer: dict[str, Any] = row[0]
    assert answer["verdict"] != "refused", answer
    return answer


def person_of(connection: psycopg.Connection[Any], lead_id: UUID) -> UUID:
    """Whom a lead is about."""
    [(person_id,)] = connection.execute(
        "select person_id from leadline.leads where lead_id = %s", [lead_id]
    ).fetchall()
    assert isinstance(person_id, UUID)
    return person_id
