"""A webhook source under test: its address, and deliveries to it signed as its sender would."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import httpx

from tests.service import Service, Workspace

SAMPLES = Path(__file__).resolve().parent / "data" / "hooks"
FORM = "application/x-www-form-urlencoded"
JSON = "application/json"

ADD = """
    select row_to_json(s) from leadline.add_webhook_source(
        %s, 'Sender', p_preset => %s, p_mapping => %s::jsonb, p_scheme => %s, p_signature => %s::jsonb, p_secret => %s) s
"""


class Hook(NamedTuple):
    """A source of a workspace."""

    service: Service
    workspace: Workspace
    source_id: UUID
    key: str
    secret: str | None
    verify_token: str | None

    def post(self, body: bytes | str, content_type: str | None = JSON, **headers: str) -> httpx.Response:
        """The answer to one delivery; `headers` are written with _ for -."""
        told = {name.replace("_", "-"): value for name, value in headers.items()}
        if content_type is not None:
            told["Content-Type"] = content_type
        return self.service.send("POST", f"/hooks/{self.key}", content=body, headers=told)

    def post_sample(self, name: str) -> httpx.Response:
        """The answer to one of tests/data/hooks."""
        return self.post((SAMPLES / name).read_bytes(), FORM if name.endswith(".txt") else JSON)

    def delivered(self, body: bytes | str, content_type: str | None = JSON, **headers: str) -> dict[str, Any]:
        """What was made of a delivery that is taken in."""
        answer = self.post(body, content_type, **headers)
        assert answer.status_code == 202, answer.text
        told: dict[str, Any] = answer.json()
        return told

    def log(self, log_id: int | None = None) -> dict[str, Any]:
        """A delivery as it is stored, the latest unless said."""
        row: dict[str, Any] = self.workspace.ask(
            """select to_jsonb(l) || jsonb_build_object('body', encode(l.body, 'hex')) from leadline.webhook_logs l
               where l.workspace_id = %s and l.source_id = %s and l.log_id = coalesce(%s, l.log_id) order by l.log_id desc limit 1""",
            self.workspace.id, self.source_id, log_id,
        )  # fmt: skip
        return row

    def journal(self) -> list[dict[str, Any]]:
        """Every activity of the workspace's leads in order, its content put back."""
        rows: list[dict[str, Any]] = self.workspace.ask(
            """select coalesce(jsonb_agg(to_jsonb(a) || jsonb_build_object('payload', a.payload || coalesce(c.content -> 'payload', '{}')) order by a.activity_id), '[]')
               from leadline.lead_activity a left join leadline.activity_content c on c.workspace_id = a.workspace_id and c.activity_id = a.activity_id
               where a.workspace_id = %s""",
            self.workspace.id,
        )  # fmt: skip
        return rows

    def leads(self) -> list[dict[str, Any]]:
        """Every lead of the workspace, in the order they were made."""
        rows: list[dict[str, Any]] = self.workspace.ask(
            "select coalesce(jsonb_agg(to_jsonb(l) order by a.activity_id), '[]') from leadline.leads l join leadline.lead_activity a on a.lead_id = l.lead_id and a.seq = 1 where l.workspace_id = %s",
            self.workspace.id,
        )
        return rows


def add_hook(
    service: Service,
    workspace: Workspace,
    preset: str | None = "form",
    *,
    mapping: Any = None,
    scheme: str | None = "none",
    signature: Any = None,
    secret: str | None = None,
) -> Hook:
    """A new source; unsigned unless said."""
    made = workspace.ask(
        ADD, workspace.id, preset, None if mapping is None else json.dumps(mapping), scheme,
        None if signature is None else json.dumps(signature), secret,
    )  # fmt: skip
    if isinstance(made, bytes | str):
        made = json.loads(made)
    return Hook(
        service, workspace, UUID(made["source_id"]), made["key"], made["secret"], made["verify_token"]
    )
