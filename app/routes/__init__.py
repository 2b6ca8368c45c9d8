"""The routes, one file a subject: its models, its statements, its handlers."""

from __future__ import annotations

from litestar.types import ControllerRouterHandler

from app.routes.activities import log_activities, log_activity
from app.routes.changes import list_changes
from app.routes.hooks import answer_handshake, receive_webhook, tell_hook_methods
from app.routes.journal import lead_history, lead_timeline
from app.routes.leads import create_lead, list_leads, show_lead, tell_methods
from app.routes.operation import health, ready, show_metrics
from app.routes.opportunities import (
    list_opportunities,
    log_opportunity_activity,
    open_opportunity,
    opportunity_timeline,
    show_opportunity,
    tell_opportunity_methods,
)
from app.routes.people import (
    erase_person,
    export_person,
    list_people,
    merge_people,
    show_person,
    unmerge_people,
)
from app.routes.relationship import (
    list_approvals,
    log_person_activity,
    person_stages,
    person_timeline,
    show_approval,
)
from app.routes.reports import list_accounts, list_findings, show_funnel
from app.routes.requests import list_requests, requests_of_lead
from app.routes.rules import list_activity_types, list_transitions, show_model
from app.routes.subscriptions import (
    list_renewals,
    list_subscriptions,
    log_subscription_activity,
    show_subscription,
    start_subscription,
    subscription_timeline,
    tell_subscription_methods,
)

ROUTES: list[ControllerRouterHandler] = [
    tell_methods,
    create_lead,
    list_leads,
    show_lead,
    lead_timeline,
    lead_history,
    requests_of_lead,
    list_requests,
    log_activity,
    list_people,
    show_person,
    person_timeline,
    person_stages,
    log_person_activity,
    export_person,
    merge_people,
    unmerge_people,
    erase_person,
    list_approvals,
    show_approval,
    tell_opportunity_methods,
    open_opportunity,
    list_opportunities,
    show_opportunity,
    opportunity_timeline,
    log_opportunity_activity,
    tell_subscription_methods,
    start_subscription,
    list_subscriptions,
    show_subscription,
    subscription_timeline,
    list_renewals,
    log_subscription_activity,
    show_funnel,
    list_accounts,
    list_findings,
    list_activity_types,
    list_transitions,
    show_model,
    list_changes,
    tell_hook_methods,
    receive_webhook,
    answer_handshake,
    health,
    ready,
    show_metrics,
]

BATCH_ROUTES: list[ControllerRouterHandler] = [log_activities]  # these take larger bodies
