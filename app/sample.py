"""Sample data: an invented dental practice and the working week of its two agents.

Every row goes through the doors that real writers use, as the person or program that would have reported it,
so a sample history is a history: decided, chained, and sound. The same seed and `now` give the same data but
for ids. Nobody here exists: addresses end in example.com, phone numbers are from ranges kept free for films.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from typing import Any
from uuid import UUID

import psycopg
from psycopg.rows import TupleRow
from psycopg.types.json import Jsonb

SEED = 20
WORKSPACE = "Harbour Dental"
OWNER = ("dana@harbour-dental.example.com", "owner", "Dana Whitlock")
AGENTS = {
    "maya": ("maya@harbour-dental.example.com", "member", "Maya Okafor"),
    "tom": ("tom@harbour-dental.example.com", "member", "Tom Ellery"),
}
SETTINGS = {"country": "GB", "currency": "GBP", "time_zone": "Europe/London"}

ADD_MEMBER = "select leadline.add_member(%s, %s, %s, %s)"
ENTER = "select leadline_internal.enter_as(%s, %s, %s, %s::text[], %s)"
SET_UP = "insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', %s)"
LOG = """
    select l.verdict, l.replayed, l.lead_id
    from leadline.log_activity(p_lead_id => %(lead_id)s, p_activity_type => %(activity_type)s,
        p_payload => %(payload)s, p_reference => %(reference)s, p_occurred_at => %(occurred_at)s,
        p_on_behalf_of => %(on_behalf_of)s) l
"""
LOG_ELSEWHERE = """
    select l.answer ->> 'verdict', (l.answer ->> %(id)s)::uuid
    from leadline.log_in_journal(p_journal => %(journal)s, p_subject_id => %(subject_id)s,
        p_activity_type => %(activity_type)s, p_payload => %(payload)s, p_occurred_at => %(occurred_at)s) l
        (answer)
"""
PERSON = "select l.person_id from leadline.leads l where l.lead_id = %s"
APPROVAL = "select q.approval_id from leadline.approval_queue q where q.person_id = %s and q.status = 'open'"

RELATIONSHIP, DEALS, CUSTOMERS = "relationship_activity", "opportunity_activity", "customer_activity"
BORN = {
    "opportunity_opened": "opportunity_id",
    "subscription_started": "subscription_id",
}

OPENS, CLOSES = time(9), time(17, 30)  # UTC; a practice in London, near enough
FIRST_NAMES = [
    "Aisha", "Ben", "Carmen", "Daniel", "Elena", "Farid", "Grace", "Hamza", "Imogen", "Jonas",
    "Keiko", "Liam", "Mira", "Nadia", "Oscar", "Priya", "Quentin", "Rosa", "Samuel", "Tara", "Umar",
    "Violet", "Wesley", "Yara",
]  # fmt: skip
LAST_NAMES = [
    "Abbott", "Brennan", "Castell", "Doyle", "Egerton", "Farrow", "Gallagher", "Hensley", "Idris",
    "Jarvis", "Kettle", "Lambourne", "Mercer", "Norwood", "Osgood", "Penhale", "Quigley",
    "Ramsbottom", "Sandoval", "Thorne", "Underhill", "Vickers", "Wainwright", "Yardley",
]  # fmt: skip
TREATMENTS = ("Implant", "Invisible braces", "Whitening", "Crown", "Veneers", "Check-up plan")
SOURCES = ("website", "website", "phone", "referral", "open day")
PRICES = (180, 420, 650, 1250, 2400, 3150)
NOTES = (
    "Asked about paying monthly.",
    "Prefers to be called after work.",
    "Nervous about injections, wants to meet the dentist first.",
    "Compares us with a practice across the river.",
    "Her sister is a patient already.",
)


@dataclass(frozen=True)
class Step:
    """One report: `at` is when it comes in, `occurred_at` when it happened, `lead` the number of the lead.
    `door` is who reports it: an agent, owner, dialer (on behalf of `agent`), website, importer or billing.
    `original` is the number of the lead that this one duplicates. In another journal than that of leads it is
    about the lead's person, their deal or their subscription."""

    at: datetime
    lead: int
    door: str
    agent: str
    activity_type: str
    payload: Mapping[str, Any]
    occurred_at: datetime
    reference: str | None = None
    original: int | None = None
    journal: str = "lead_activity"


@dataclass(frozen=True)
class Filled:
    """What fill() did: leads made, activities stored, how many got each verdict, and the owner's user id."""

    leads: int
    activities: int
    verdicts: Mapping[str, int]
    owner_id: UUID


def fill(
    connection: psycopg.Connection[TupleRow],
    workspace_id: UUID,
    now: datetime,
    dialer_id: UUID | None = None,
    seed: int = SEED,
    progress: Callable[[str], None] = lambda _: None,
) -> Filled:
    """Give an empty workspace its people, settings and leads, in the connection's present transaction.

    The connection acts as leadline_owner. `dialer_id` is the credential that the dialer is said to have used.
    `progress` is told a line a day. Raises psycopg.Error; whoever holds the transaction rolls it back."""
    user_ids: dict[str, UUID] = {}
    for who, member in {"owner": OWNER, **AGENTS}.items():
        for (user_id,) in connection.execute(ADD_MEMBER, (workspace_id, *member)):
            user_ids[who] = user_id

    def enter(door: str) -> None:
        role, user_id, scopes, credential_id = {
            "owner": ("owner", user_ids["owner"], [], None),
            "dialer": ("app", None, ["act_as"], dialer_id),
            "website": ("app", None, [], dialer_id),
            "importer": ("importer", None, ["import"], None),
            "billing": ("billing", None, [], None),
        }.get(door) or ("member", user_ids[door], [], None)
        connection.execute(ENTER, (workspace_id, role, user_id, scopes, credential_id))

    enter("owner")
    connection.execute(SET_UP, (Jsonb(SETTINGS),))
    lead_ids: dict[int, UUID] = {}
    others: dict[tuple[str, int], UUID] = {}  # deals and subscriptions, by journal and lead
    verdicts: dict[str, int] = {}
    for day, steps in itertools.groupby(plan(now, seed), key=lambda step: step.at.date()):
        count = 0
        for step in steps:
            enter(step.door)
            if step.journal != "lead_activity":
                verdict = _log_elsewhere(connection, step, lead_ids[step.lead], others)
                verdicts[verdict] = verdicts.get(verdict, 0) + 1
                count += 1
                continue
            payload = dict(step.payload)
            if step.activity_type in ("lead_assigned", "lead_imported"):
                payload["assigned_user_id"] = str(user_ids[step.agent])
            if step.original is not None:
                payload["duplicate_of"] = str(lead_ids[step.original])
            verdict, replayed, lead_id = connection.execute(
                LOG,
                {
                    "lead_id": lead_ids.get(step.lead),
                    "activity_type": step.activity_type,
                    "payload": Jsonb(payload),
                    "reference": step.reference,
                    "occurred_at": step.occurred_at,
                    "on_behalf_of": user_ids[step.agent] if step.door == "dialer" else None,
                },
            ).fetchone() or ("", False, None)
            lead_ids[step.lead] = lead_id
            if not replayed:
                verdicts[verdict] = verdicts.get(verdict, 0) + 1
                count += 1
        progress(f"{day:%A %d %B}: {count} activities")
    return Filled(len(lead_ids), sum(verdicts.values()), verdicts, user_ids["owner"])


def _log_elsewhere(
    connection: psycopg.Connection[TupleRow],
    step: Step,
    lead_id: UUID,
    others: dict[tuple[str, int], UUID],
) -> str:
    """The verdict about the person of a lead, their deal or their subscription, which it may open."""
    [(person_id,)] = connection.execute(PERSON, (lead_id,))
    payload = dict(step.payload)
    subject_id = person_id if step.journal == RELATIONSHIP else others.get((step.journal, step.lead))
    if step.activity_type in BORN:
        payload["person_id"] = str(person_id)
    elif step.activity_type == "opportunity_advanced":
        payload["contact"] = str(person_id)
    elif step.activity_type == "approval_granted":
        [(approval_id,)] = connection.execute(APPROVAL, (person_id,))
        payload["approval_id"] = str(approval_id)
    [(verdict, born)] = connection.execute(
        LOG_ELSEWHERE,
        {
            "id": BORN.get(step.activity_type, ""),
            "journal": step.journal,
            "subject_id": subject_id,
            "activity_type": step.activity_type,
            "payload": Jsonb(payload),
            "occurred_at": step.occurred_at,
        },
    )
    if born is not None:
        others[step.journal, step.lead] = born
    return str(verdict)


def plan(now: datetime, seed: int = SEED) -> list[Step]:
    """All reports of the nine days before `now`, in the order in which they come in."""
    now = now.astimezone(UTC)
    rng = random.Random(seed)  # noqa: S311 - a story, not a secret
    names = [f"{first} {last}" for first in FIRST_NAMES for last in LAST_NAMES]
    people = iter(rng.sample(names, 80))
    calls = itertools.count(1)
    leads: list[_Lead] = []
    for story, count, earliest, latest in STORIES:
        for _ in range(count):
            arrival = now - timedelta(days=9) + timedelta(days=9) * rng.uniform(earliest, latest)
            leads.append(
                _Lead(len(leads), next(people), rng.choice(list(AGENTS)), arrival, now, rng, calls, leads)
            )
            story(leads[-1])
    steps = [step for lead in leads for step in lead.steps]
    return sorted(steps, key=lambda step: step.at)


@dataclass
class _Lead:
    """A lead whose story is being told: each method lets some working time pass and adds what is then
    reported. What would lie after `now` has not happened yet and is left out."""

    number: int
    name: str
    agent: str
    clock: datetime
    now: datetime
    rng: random.Random
    calls: Iterator[int]
    others: list[_Lead]
    steps: list[Step] = field(default_factory=list)
    booking: int = 0

    @property
    def contact(self) -> dict[str, Any]:
        """Name, address and number: +44 7700 900xxx and +44 1632 960xxx belong to nobody."""
        line = ("7700 900", "1632 960")[self.number % 2]
        address = self.name.lower().replace(" ", ".")
        return {
            "name": self.name,
            "email": f"{address}@example.com",
            "phone": f"+44 {line}{self.number:03}",
        }

    def say(
        self,
        door: str,
        activity_type: str,
        reference: str | None = None,
        original: int | None = None,
        **payload: Any,
    ) -> None:
        """Report an activity as it happens."""
        at = self.clock
        self.report(Step(at, self.number, door, self.agent, activity_type, payload, at, reference, original))

    def report(self, step: Step) -> None:
        """Add a report to the story, unless it has yet to come."""
        if step.at <= self.now:
            self.steps.append(step)

    def wait(self, shortest: float, longest: float) -> None:
        """Let working hours pass."""
        self.clock = _working(self.clock + timedelta(hours=self.rng.uniform(shortest, longest)), self.rng)

    def arrive(self) -> None:
        """Born by the website's form or the practice's phone, then given to an agent by the owner."""
        self.say("website", "lead_created", source=self.rng.choice(SOURCES), **self.contact)
        self.assign(0.1, 1.5)

    def assign(self, shortest: float, longest: float) -> None:
        """Given to an agent, with the treatment asked for as a tag."""
        self.wait(shortest, longest)
        self.say("owner", "lead_assigned")
        self.say("owner", "tag_added", tag=self.rng.choice(TREATMENTS))

    def dial(self, activity_type: str, **payload: Any) -> None:
        """A call that the dialer made for the agent and reports under its own number."""
        self.say("dialer", activity_type, f"call-{next(self.calls):05}", channel="phone", **payload)

    def attempt(self, times: int = 1) -> None:
        """Dialled, nobody picks up."""
        for _ in range(times):
            self.wait(0.3, 5)
            self.dial("contact_attempted", outcome="no answer")

    def talk(self) -> None:
        """A conversation; sometimes with a note about it."""
        self.wait(0.3, 5)
        self.dial("call_completed", outcome="answered", duration_s=self.rng.randrange(60, 900))
        if self.rng.random() < 0.4:
            self.clock += timedelta(minutes=3)
            self.say(self.agent, "note_added", text=self.rng.choice(NOTES))

    def call_back(self, ahead: timedelta) -> None:
        """The lead asks for a call at a better hour."""
        self.clock += timedelta(minutes=2)
        at = _quarter(_working(self.clock + ahead, self.rng))
        self.say(self.agent, "callback_requested", callback_at=at.isoformat())

    def book(self, after: datetime | None = None) -> datetime:
        """An appointment one or two working days after `after` (now in the story); returns its hour."""
        self.clock += timedelta(minutes=4)
        self.booking += 1
        days = timedelta(days=self.rng.choice((1, 2)))
        at = _quarter(_working((after or self.clock) + days, self.rng))
        self.say(
            self.agent, "appointment_scheduled", starts_at=at.isoformat(), appointment_ref=self.reference
        )
        return at

    def tell(self, journal: str, door: str, activity_type: str, hours: float, **payload: Any) -> None:
        """Hours later, report what happened to the lead's person, their deal or their subscription."""
        self.clock += timedelta(hours=hours)
        self.report(
            Step(
                self.clock, self.number, door, self.agent, activity_type, payload, self.clock, journal=journal
            )
        )

    @property
    def reference(self) -> str:
        """The booking system's name of the current appointment."""
        return f"HD-{1000 + self.number * 10 + self.booking}"

    def outcome(self, activity_type: str, **payload: Any) -> None:
        """The agent closes the lead."""
        self.clock += timedelta(minutes=2)
        self.say(self.agent, activity_type, **payload)


def _working(instant: datetime, rng: random.Random) -> datetime:
    """`instant`, or shortly after the practice next opens."""
    if instant.time() >= CLOSES:
        instant = datetime.combine(instant.date() + timedelta(days=1), time(0), UTC)
    while instant.weekday() >= 5:
        instant = datetime.combine(instant.date() + timedelta(days=1), time(0), UTC)
    if instant.time() < OPENS:
        instant = datetime.combine(instant.date(), OPENS, UTC) + timedelta(minutes=rng.uniform(1, 90))
    return instant.replace(microsecond=0)


def _quarter(instant: datetime) -> datetime:
    return instant.replace(minute=instant.minute // 15 * 15, second=0)


# -- the stories --------------------------------------------------------------------------------------------


def _untouched(lead: _Lead) -> None:
    lead.arrive()


def _not_reached(lead: _Lead) -> None:
    lead.arrive()
    lead.attempt(lead.rng.choice((1, 2, 3)))


def _wants_a_callback(lead: _Lead) -> None:
    lead.arrive()
    lead.attempt(lead.rng.choice((0, 1)))
    lead.talk()
    lead.call_back(timedelta(hours=lead.rng.uniform(3, 60)))


def _is_booked(lead: _Lead) -> None:
    lead.arrive()
    lead.attempt(lead.rng.choice((0, 1)))
    lead.talk()
    lead.book(after=lead.now)


def _moves_the_appointment(lead: _Lead) -> None:
    _is_booked(lead)
    lead.wait(1, 4)
    lead.say("website", "message_received", text="Could we make it a little later in the day?")
    lead.clock += timedelta(minutes=9)
    at = _quarter(_working(lead.now + timedelta(days=3), lead.rng))
    lead.say(lead.agent, "appointment_scheduled", starts_at=at.isoformat(), appointment_ref=lead.reference)


def _called_back_and_booked(lead: _Lead) -> None:
    _wants_a_callback(lead)
    lead.wait(4, 8)
    lead.talk()
    lead.book(after=lead.now)


def _attends(lead: _Lead) -> None:
    lead.arrive()
    lead.attempt(lead.rng.choice((0, 1)))
    lead.talk()
    lead.clock = lead.book() + timedelta(minutes=lead.rng.randrange(40, 75))


def _buys(lead: _Lead) -> None:
    _attends(lead)
    lead.outcome("sale", deal_value=lead.rng.choice(PRICES), currency="GBP")
    if lead.number % 2:
        return  # becoming a client still waits for the owner's yes
    lead.tell(RELATIONSHIP, "owner", "approval_granted", 2)
    lead.tell(CUSTOMERS, "billing", "subscription_started", 1, plan="Check-up plan", trial=lead.number == 0)
    if lead.number:
        lead.tell(CUSTOMERS, "billing", "payment_succeeded", 20, amount=19, currency="GBP")


def _does_not_buy(lead: _Lead) -> None:
    _attends(lead)
    lead.outcome("no_sale", notes="Wants to think about the price.")
    if lead.number % 2:
        return
    close_date = str((lead.clock + timedelta(days=30)).date())
    lead.tell(DEALS, "owner", "opportunity_opened", 18, pipeline="new_business", amount=3150, currency="GBP",
              close_date=close_date)  # fmt: skip
    lead.tell(
        DEALS, "owner", "opportunity_advanced", 3, to_stage="proposal", problem="Two teeth to replace",
        decision_process="Asks the insurance first", next_step="Second visit with the plan of costs",
        next_step_on=str((lead.clock + timedelta(days=7)).date()),
    )  # fmt: skip


def _does_not_come(lead: _Lead) -> None:
    lead.arrive()
    lead.talk()
    lead.clock = lead.book() + timedelta(minutes=20)
    lead.say(lead.agent, "appointment_no_show", appointment_ref=lead.reference)


def _comes_the_second_time(lead: _Lead) -> None:
    _does_not_come(lead)
    lead.wait(0.5, 3)
    lead.dial("contact_attempted", outcome="voicemail")
    lead.wait(0.5, 2)
    lead.book(after=lead.now)


def _cancels(lead: _Lead) -> None:
    lead.arrive()
    lead.talk()
    lead.book(after=lead.now)
    lead.wait(2, 6)
    lead.say(
        lead.agent, "appointment_cancel", appointment_ref=lead.reference, reason="Has to travel for work."
    )


def _refuses(lead: _Lead) -> None:
    lead.arrive()
    lead.talk()
    lead.outcome("refused", notes="Has found another practice.")


def _is_somebody_else(lead: _Lead) -> None:
    lead.arrive()
    lead.talk()
    lead.outcome("wrong_number")


def _has_a_dead_line(lead: _Lead) -> None:
    lead.arrive()
    lead.attempt()
    lead.outcome("bad_number")


def _goes_silent(lead: _Lead) -> None:
    lead.arrive()
    lead.attempt(4)
    lead.outcome("unresponsive")


def _never_again(lead: _Lead) -> None:
    lead.arrive()
    lead.talk()
    lead.outcome("dnc", notes="Asked us not to call again.")


def _asks_twice(lead: _Lead) -> None:
    """A duplicate: the person of the lead before, through the form again; the same agent notices."""
    before = lead.others[lead.number - 1]
    lead.name, lead.agent = before.name, before.agent
    lead.say("website", "lead_created", source="website", **(before.contact | {"name": lead.name.upper()}))
    lead.assign(0.1, 1)
    lead.outcome("duplicate", original=before.number)


def _sold_too_soon(lead: _Lead) -> None:
    """A refusal: a sale is reported before there was an appointment; the agent then books one."""
    lead.arrive()
    lead.attempt()
    lead.wait(0.2, 1)
    lead.say(lead.agent, "sale", deal_value=lead.rng.choice(PRICES), currency="GBP")
    lead.book(after=lead.now)


def _given_up_too_soon(lead: _Lead) -> None:
    """A refusal: unresponsive, though nobody has tried yet."""
    lead.arrive()
    lead.wait(0.2, 1)
    lead.say(lead.agent, "unresponsive")
    lead.attempt()


def _reported_late(lead: _Lead) -> None:
    """Superseded: a callback noted on paper is typed in after the appointment was booked."""
    lead.arrive()
    lead.talk()
    then = lead.clock + timedelta(minutes=1)
    at = _quarter(_working(then + timedelta(days=1), lead.rng))
    lead.wait(1, 3)
    lead.book(after=lead.now)
    lead.wait(1, 3)
    callback = {"callback_at": at.isoformat()}
    lead.report(
        Step(
            lead.clock, lead.number, lead.agent, lead.agent, "callback_requested", callback, occurred_at=then
        )
    )


def _reported_twice(lead: _Lead) -> None:
    """A repeat: the dialer does not hear our answer and sends the same call again."""
    lead.arrive()
    lead.attempt()
    lead.clock += timedelta(seconds=30)
    call = lead.steps[-1]
    lead.say(call.door, call.activity_type, call.reference, **call.payload)


def _comes_from_the_old_system(lead: _Lead) -> None:
    """An import: a lead that was waiting for its callback when the practice changed systems."""
    lead.say(
        "importer", "lead_imported", f"old-crm-{lead.number:05}", stage="callback", source="old system",
        entered_at=(lead.clock - timedelta(days=3)).isoformat(), **lead.contact,
    )  # fmt: skip
    lead.wait(1, 4)
    lead.talk()
    lead.book(after=lead.now)


# Story, how many leads, and the part of the nine days in which they arrive.
STORIES: tuple[tuple[Callable[[_Lead], None], int, float, float], ...] = (
    (_buys, 6, 0.0, 0.25),
    (_does_not_buy, 3, 0.0, 0.25),
    (_does_not_come, 2, 0.05, 0.25),
    (_comes_the_second_time, 3, 0.0, 0.2),
    (_goes_silent, 3, 0.0, 0.3),
    (_cancels, 3, 0.1, 0.5),
    (_asks_twice, 1, 0.55, 0.6),  # whoever comes before
    (_never_again, 1, 0.3, 0.5),
    (_refuses, 3, 0.1, 0.6),
    (_is_somebody_else, 2, 0.1, 0.6),
    (_has_a_dead_line, 2, 0.1, 0.6),
    (_comes_from_the_old_system, 1, 0.3, 0.5),
    (_sold_too_soon, 2, 0.2, 0.6),
    (_given_up_too_soon, 1, 0.2, 0.6),
    (_reported_late, 1, 0.2, 0.5),
    (_reported_twice, 1, 0.3, 0.6),
    (_moves_the_appointment, 3, 0.2, 0.5),
    (_called_back_and_booked, 4, 0.1, 0.4),
    (_is_booked, 4, 0.3, 0.7),
    (_wants_a_callback, 6, 0.3, 0.8),
    (_not_reached, 5, 0.5, 0.9),
    (_untouched, 3, 0.98, 0.999),
)
