"""One row of cells as one row for leadline.import_leads(): its cells read as the map declares."""

from __future__ import annotations

import csv
import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar
from uuid import UUID
from zoneinfo import ZoneInfo

import click
import msgspec

from app.contact import is_scientific, normal_email, phone_and_extension
from app.transfer.cells import Record
from app.transfer.mapping import Join, Map
from app.transfer.values import UnreadableError, amount, instant, key, shown, truth

AHEAD = timedelta(minutes=5)  # how far a clock may be ahead of ours
BESIDE = ("line", "column", "reason")  # what a file of rejects says before the cells
PLAIN_ID = re.compile(r"(?=.*\d)[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", re.ASCII)
ADDRESS = re.compile(r"[^\s@]+@[^\s@]+")
ADDRESSES = re.compile(r"\s*[,;]\s*")

# Of a stage that needs a reason: the field with the reason, its list, and the list's word for none of these.
REASONED = {
    "lost": ("lost_reason", "lost", "Other"),
    "disqualified": ("rejection_reason", "rejection", "other"),
    "recycled": ("recycle_reason", "recycle", "other"),
}

Value = TypeVar("Value")


@dataclass(frozen=True)
class Workflow:
    """A workflow by what a file may call its stages: key of code or label to code."""

    initial: str
    stages: Mapping[str, str]


@dataclass(frozen=True)
class Facts:
    """What the workspace knows: its workflows, the words of its lists of reasons, its people (by address, and
    by a name that only one has, both in lower case), and what it takes for granted."""

    workflows: Mapping[str, Workflow]
    default_workflow: str
    reasons: Mapping[str, Sequence[str]]
    members: Mapping[str, UUID]
    country: str | None
    zone: ZoneInfo
    now: datetime


@dataclass(frozen=True)
class Reject:
    """A row that does not go in: which columns are at fault, and why."""

    record: Record
    column: str
    reason: str


@dataclass(frozen=True)
class Row:
    """A row that may go in: as leadline.import_leads() takes it but for its reference, what makes it itself,
    and what a person should know about it (column and sentence)."""

    record: Record
    entry: dict[str, Any]
    external_id: str | None
    digest: bytes
    warnings: Sequence[tuple[str, str]]


@dataclass
class _Reading:
    """What has been found out about the present row."""

    cells: Sequence[str]
    faults: list[tuple[str, str]] = field(default_factory=list)
    warnings: list[tuple[str, str]] = field(default_factory=list)
    aside: dict[str, str] = field(default_factory=dict)  # what was meant for a field and does not fit it


class RowReader:
    """Reads rows of one file by its map; click.ClickException when the header lacks what the map names."""

    def __init__(self, mapped: Map, header: Sequence[str], facts: Facts) -> None:
        self.map = mapped
        self.facts = facts
        self.header = header
        self._keys = [key(name) for name in header]
        self._beside = len(BESIDE) if tuple(self._keys[: len(BESIDE)]) == BESIDE else 0
        self._stages = {key(word): stage for word, stage in mapped.stages.items()}
        self._statuses = {key(word): stage for word, stage in mapped.statuses.items()}
        self._reasons = {
            name: {key(word): reason for word, reason in getattr(mapped, f"{name}s").items()}
            | {key(reason): reason for reason in facts.reasons.get(listed, ())}
            for name, listed, _ in REASONED.values()
        }
        self._zone = ZoneInfo(mapped.time_zone) if mapped.time_zone else facts.zone
        self._columns = {name: self._sources(name) for name in mapped.columns}
        self._columns = {name: sources for name, sources in self._columns.items() if sources}
        self._kept = [(name, at) for name in mapped.keep if (at := self._index(name)) is not None]
        if not self._columns:
            raise click.ClickException(
                f"the map names none of the file's columns, which are: {', '.join(header)[:400]}"
            )
        if mapped.workflow is not None and mapped.workflow not in facts.workflows:
            raise click.ClickException(
                f"the map's workflow {mapped.workflow} is none of {', '.join(facts.workflows)}"
            )
        personal = ("email", "phone", "name")
        self._id_is_personal = any(
            at in self._indices(other) for other in personal for at in self._indices("external_id")
        )

    @property
    def unmapped(self) -> list[str]:
        """The file's columns that the map makes no use of."""
        used = {at for name in self._columns for at in self._indices(name)} | {at for _, at in self._kept}
        return [
            name for at, name in enumerate(self.header) if at not in used and self._keys[at] not in BESIDE
        ]

    def _indices(self, name: str) -> set[int]:
        return {at for source in self._columns.get(name, ()) for at in source[0]}

    def _sources(self, name: str) -> list[tuple[list[int], str]]:
        """Where a field's text may stand: columns, and what joins them."""
        found = []
        for column in self.map.columns[name]:
            parts, by = (column.join, column.by) if isinstance(column, Join) else ([column], "")
            indices = [at for part in parts if (at := self._index(part)) is not None]
            if indices:
                found.append((indices, by))
        return found

    def _index(self, name: str) -> int | None:
        found = [at for at in range(self._beside, len(self._keys)) if self._keys[at] == key(name)]
        if len(found) > 1:
            raise click.ClickException(
                f"the file has {len(found)} columns {name!r}: give each a name of its own"
            )
        if not found and not self.map.columns_may_be_missing:
            raise click.ClickException(
                f"the map names a column {name!r}; the file has: {', '.join(self.header)[:400]}"
            )
        return found[0] if found else None

    # -- a row --------------------------------------------------------------------------------------------

    def read(self, record: Record) -> Row | Reject:
        """The row as it goes in, or the reason why it does not."""
        if record.fault:
            return Reject(record, "", record.fault)
        reading = _Reading([shown(cell) for cell in record.cells])
        entry = self._entry(reading)
        if reading.faults:
            columns = list(dict.fromkeys(self.columns_of(name) for name, _ in reading.faults))
            return Reject(record, ", ".join(columns), "; ".join(reason for _, reason in reading.faults))
        return Row(
            record, entry, self._identity(reading), self._digest(reading),
            [(self.columns_of(name), sentence) for name, sentence in reading.warnings],
        )  # fmt: skip

    def _entry(self, reading: _Reading) -> dict[str, Any]:
        payload: dict[str, Any] = {
            name: self._text(reading, name) for name in ("name", "company", "message", "lost_notes")
        }
        payload["notes"] = payload.pop("lost_notes")
        payload["source"] = self._text(reading, "source") or self.map.source
        payload["external_id"] = self._text(reading, "external_id")
        payload["email"] = self._email(reading)
        payload["phone"] = self._phone(reading)
        payload["assigned_user_id"] = self._assigned(reading)
        payload |= self._deal(reading)
        is_archived = self._place(reading, payload)
        occurred_at = self._times(reading, payload)
        payload["columns"] = {name: cell for name, at in self._kept if (cell := reading.cells[at])}
        payload = {
            name: value for name, value in (payload | reading.aside).items() if value not in (None, "", {})
        }
        entry: dict[str, Any] = {"payload": payload, "occurred_at": occurred_at}
        entry["do_not_contact"] = self._is_true(reading, "do_not_contact")
        entry["unsubscribed"] = self._unsubscribed(reading)
        entry["tags"] = self._list(reading, "tags")
        entry["is_archived"] = is_archived
        if self.map.restores:
            entry["restores"] = True
            entry["lead_id"] = self._text(reading, "lead_id")
        return {name: value for name, value in entry.items() if value not in (None, [], False)}

    def _texts(self, reading: _Reading, name: str) -> list[str]:
        """What the columns of a field say, in the map's order; nothing for empty ones."""
        texts = (
            by.join(cell for at in indices if (cell := reading.cells[at]))
            for indices, by in self._columns.get(name, ())
        )
        return [text for text in texts if text]

    def _text(self, reading: _Reading, name: str) -> str | None:
        return next(iter(self._texts(reading, name)), None)

    def _parsed(self, reading: _Reading, name: str, parse: Callable[[str], Value]) -> Value | None:
        """A field's text as a value; what cannot be read is a fault of the row."""
        text = self._text(reading, name)
        if text is None:
            return None
        try:
            return parse(text)
        except UnreadableError as error:
            reading.faults.append((name, str(error)))
            return None

    def columns_of(self, name: str) -> str:
        """The file's own names of a field's columns."""
        return " / ".join(self.header[at] for at in sorted(self._indices(name))) or name

    # -- its identity -------------------------------------------------------------------------------------

    def _identity(self, reading: _Reading) -> str | None:
        """What other rows of this file do not share: its id there, hashed when it may say who somebody is."""
        text = self._text(reading, "lead_id") or self._text(reading, "external_id")
        if text is None:
            return None
        if PLAIN_ID.fullmatch(text) and not self._id_is_personal:
            return text
        return hashlib.sha256(text.encode()).hexdigest()

    def _digest(self, reading: _Reading) -> bytes:
        """The same for rows that say the same, in whatever order their columns stand."""
        said = [
            (self._keys[at], cell) for at, cell in enumerate(reading.cells) if cell and at >= self._beside
        ]
        return hashlib.sha256(msgspec.json.encode(sorted(said))).digest()

    # -- its fields ---------------------------------------------------------------------------------------

    def _email(self, reading: _Reading) -> str | None:
        text = self._text(reading, "email")
        if text is None:
            return None
        first, *others = [normal_email(part) for part in ADDRESSES.split(text) if part]
        if not all(ADDRESS.fullmatch(part) for part in (first, *others)):
            reading.faults.append(("email", f"{text!r} is no e-mail address"))
            return None
        if others:
            reading.aside["other_emails"] = ", ".join(others)
            reading.warnings.append(("email", f"several addresses: {first} is used, the others are kept"))
        return first

    def _phone(self, reading: _Reading) -> str | None:
        text = self._text(reading, "phone")
        if text is None:
            return None
        if self.map.restores:
            return text
        phone, extension = phone_and_extension(text, self.map.country or self.facts.country)
        if phone is None:
            why = (
                "no number any more (phone_scientific_notation)"
                if is_scientific(text)
                else "no possible number"
            )
            reading.warnings.append(("phone", f"{text!r} is {why}: imported without it, the text is kept"))
        if phone is None or extension:
            reading.aside["phone_text"] = text
        return phone

    def _assigned(self, reading: _Reading) -> str | None:
        text = self._text(reading, "assigned")
        if text is None:
            return None
        user_id = self.facts.members.get(" ".join(text.casefold().split()))
        if user_id is None:
            reading.aside["assigned_text"] = text
            reading.warnings.append(
                ("assigned", f"{text!r} is no member: imported for nobody, the text is kept")
            )
        return str(user_id) if user_id else None

    def _deal(self, reading: _Reading) -> dict[str, Any]:
        """Its value and currency, where there is a value."""
        found = self._parsed(reading, "deal_value", lambda text: amount(text, self.map.numbers))
        named = (self._text(reading, "currency") or "").upper() or None
        if named and not re.fullmatch("[A-Z]{3}", named):
            reading.faults.append(("currency", f"{named!r} is no currency such as EUR"))
        if found is None:
            return {"currency": named}
        value, marked = found
        if marked and named and marked != named:
            reading.faults.append(("deal_value", f"the amount is in {marked}, the currency is {named}"))
        return {"deal_value": value, "currency": marked or named or self.map.currency}

    def _place(self, reading: _Reading, payload: dict[str, Any]) -> bool:
        """Puts workflow, stage and what the stage needs into the payload; returns whether it is archived."""
        name = self._text(reading, "workflow") or self.map.workflow or self.facts.default_workflow
        workflow = self.facts.workflows.get(name)
        if workflow is None:
            reading.faults.append(
                ("workflow", f"{name!r} is no workflow: known are {', '.join(self.facts.workflows)}")
            )
            return False
        status = self._status(reading)
        told = status if status in workflow.stages.values() else None
        stage = told or self._stage(reading, workflow)
        payload |= {"workflow": name, "stage": stage}
        word = self._text(reading, "status" if told else "stage")
        if (text := self._text(reading, "stage")) and key(text) != key(stage):
            reading.aside["stage_text"] = text
        if stage in REASONED:
            self._reason(reading, payload, word or stage)
        else:
            payload["notes"] = None
        if stage == "recycled":
            payload["recycle_on"] = self._day(reading, "recycle_on")
        if "accepted" in workflow.stages.values():
            payload["accepted_at"] = _told(self._instant(reading, "accepted_at"))
        return status == "archived"

    def _status(self, reading: _Reading) -> str | None:
        """The stage that the status names; None when it says nothing about it; archived."""
        text = self._text(reading, "status")
        if text is None:
            return None
        if key(text) not in self._statuses:
            known = ", ".join(self.map.statuses)
            reading.faults.append(("status", f"{text!r} is no status: known are {known}"))
            return None
        return self._statuses[key(text)]

    def _stage(self, reading: _Reading, workflow: Workflow) -> str:
        text = self._text(reading, "stage")
        if text is None:
            return workflow.initial
        stage = workflow.stages.get(key(self._stages.get(key(text), text)))
        if stage is None:
            known = [*dict.fromkeys(workflow.stages.values()), *self.map.stages]
            reading.faults.append(("stage", f"{text!r} is no stage: known are {', '.join(known)}"))
        return stage or workflow.initial

    def _reason(self, reading: _Reading, payload: dict[str, Any], word: str) -> None:
        """The reason of the list that the file's word means; else Other, with the word in the notes."""
        name, _, other = REASONED[payload["stage"]]
        text = self._text(reading, name)
        reason = self._reasons[name].get(key(text or word), other)
        payload[name] = reason
        if reason == other and (text is None or key(text) != "other"):
            payload["notes"] = "\n".join(filter(None, (text or f"{word}: no reason given", payload["notes"])))
        elif reason == other and not payload["notes"]:
            payload["notes"] = "no reason given"

    def _times(self, reading: _Reading, payload: dict[str, Any]) -> str | None:
        """Puts entered_at and first_contacted_at into the payload; returns when the lead was made.

        Without a date of its own a stage was entered when the lead was made; without that either, now."""
        stage = payload.get("stage")
        names = {"won": "won_at", "lost": "lost_at"}
        ended = self._instant(reading, names[stage]) if stage in names else None
        entered = ended or self._instant(reading, "entered_at")
        created = self._instant(reading, "created_at")
        payload["entered_at"] = _told(entered or created or self.facts.now)
        payload["first_contacted_at"] = _told(self._instant(reading, "first_contacted_at"))
        return _told(created)

    def _instant(self, reading: _Reading, name: str) -> datetime | None:
        found = self._parsed(reading, name, lambda text: instant(text, self.map.dates, self._zone))
        if found is not None and found > self.facts.now + AHEAD:
            reading.faults.append((name, f"{self._text(reading, name)!r} lies in the future"))
        return found

    def _day(self, reading: _Reading, name: str) -> str | None:
        found = self._parsed(reading, name, lambda text: instant(text, self.map.dates, self._zone))
        return found.astimezone(self._zone).date().isoformat() if found else None

    # -- what else it says --------------------------------------------------------------------------------

    def _is_true(self, reading: _Reading, name: str) -> bool:
        """Whether any column of a field says yes."""
        answers = []
        for text in self._texts(reading, name):
            try:
                answers.append(truth(text))
            except UnreadableError as error:
                reading.faults.append((name, str(error)))
        return any(answers)

    def _unsubscribed(self, reading: _Reading) -> list[str]:
        """The channels in which somebody does not want to be written to."""
        channels = self._list(reading, "unsubscribed")
        channels += [
            channel for channel in ("email", "phone") if self._is_true(reading, f"{channel}_opt_out")
        ]
        return list(dict.fromkeys(channels))

    def _list(self, reading: _Reading, name: str) -> list[str]:
        """Several words in one cell; one that has the separator in it stands in quotes."""
        text = self._text(reading, name)
        if text is None:
            return []
        words = next(csv.reader([text], delimiter=self.map.tag_separator, skipinitialspace=True), [])
        return list(dict.fromkeys(word for part in words if (word := shown(part))))


def _told(moment: datetime | None) -> str | None:
    return moment.astimezone(UTC).isoformat() if moment else None
