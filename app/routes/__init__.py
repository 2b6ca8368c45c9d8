"""The routes, one file a subject: its models, its statements, its handlers."""

from __future__ import annotations

from litestar.types import ControllerRouterHandler

from app.routes.activities import log_activities, log_activity
from app.routes.changes import list_changes
from app.routes.hooks import answer_handshake, receive_webhook, tell_hook_methods
from app.routes.journal import lead_history, lead_timeline
from app.routes.leads import create_lead, list_leads, show_lead, tell_methods
from app.routes.operation import health, ready, show_metrics
from app.routes.people import erase_person, export_person, merge_people, show_person, unmerge_people
from app.routes.requests import list_requests, requests_of_lead
from app.routes.rules import list_activity_types, list_transitions

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
    show_person,
    export_person,
    merge_people,
    unmerge_people,
    erase_person,
    list_activity_types,
    list_transitions,
    list_changes,
    tell_hook_methods,
    receive_webhook,
    answer_handshake,
    health,
    ready,
    show_metrics,
]

BATCH_ROUTES: list[ControllerRouterHandler] = [log_activities]  # these take larger bodies
