"""What comes in about a person, in one spelling: e-mail and phone as app.contact writes them.

A number with its country's code says where it belongs; only one without is read as one of the workspace's
country. To know that country is a question to the database, so it is asked for such numbers alone, and the
answer is kept a few seconds for each token.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from app.contact import normal_email, normal_phone
from app.db import Database

KEPT_SECONDS = 10.0
MOST_KEPT = 1000
LONGEST_ADDRESS, LONGEST_NUMBER = 320, 128  # characters; a longer text is none

TELLING_WHO = frozenset({"inbound_enquiry", "lead_created", "lead_imported", "contact_changed"})

COUNTRY = "select w.country from leadline.workspaces w"


class Intake:
    """Puts what is reported about people into one spelling. What is no number or address stays as given."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.monotonic) -> None:
        self._database = database
        self._clock = clock
        self._countries: dict[str, tuple[float, str | None]] = {}

    async def payload(self, token: str, activity_type: object, payload: Any) -> Any:
        """`payload` of an activity with its email and phone in one spelling. Raises as phone()."""
        if not isinstance(activity_type, str) or activity_type not in TELLING_WHO:
            return payload
        if not isinstance(payload, dict):
            return payload
        changed = {}
        if isinstance(email := payload.get("email"), str):
            changed["email"] = self.email(email)
        if isinstance(phone := payload.get("phone"), str):
            changed["phone"] = await self.phone(token, phone)
        return payload | changed

    def email(self, text: str) -> str:
        """The address, its domain in one spelling."""
        return normal_email(text) if len(text) <= LONGEST_ADDRESS else text

    async def phone(self, token: str, text: str) -> str:
        """The number in E.164. Raises PT401 for an unknown token when the country had to be asked for."""
        if len(text) > LONGEST_NUMBER or not any(letter.isdigit() for letter in text):
            return text
        number = normal_phone(text, None)
        if number is None and "+" not in text:
            number = normal_phone(text, await self._country(token))
        return number or text

    async def _country(self, token: str) -> str | None:
        until, country = self._countries.get(token, (0.0, None))
        if until <= self._clock():
            country = await self._database.read(token, COUNTRY, ())
            if len(self._countries) >= MOST_KEPT:
                self._countries.clear()
            self._countries[token] = (self._clock() + KEPT_SECONDS, country)
        return country
