"""What a comparison found, as a table for people; the aims are printed, not enforced."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks import enquiries as enquiry
from benchmarks import importing
from benchmarks import layers as layer
from benchmarks.growth import Growth
from benchmarks.rounds import Rounds
from benchmarks.safeties import WHOLE, Safeties
from benchmarks.tenancy import ADMIN, BARE, BOUND, KNOWN, MEMBER, TOKEN, Tenancy


def single(found: Rounds) -> str:
    """(a) Throughput of single inserts."""
    names = {
        "trigger": "through the trigger",
        "bare": "bare insert, untriggered twin",
        "client": "client transaction",
    }
    rows = [
        (
            said,
            f"{1 / found.seconds(name):,.0f}",
            micro(found.cpu(name)),
            *_unless(name == "trigger", found.throughput_ratio("trigger", name)),
            *_unless(name == "trigger", found.cpu_ratio(name, "trigger")),
        )
        for name, said in names.items()
    ]
    return table(
        "(a) single inserts, 4 clients, autocommit (aim: at least 0.55 of bare, 2 of client)",
        ("", "rows/s", "CPU µs/row", "trigger's throughput in it", "by CPU"),
        rows,
    )


def bulk(found: Rounds, leads: int, steps: int) -> str:
    """(b) Time of one large statement."""
    names = {
        "trigger": "through the trigger",
        "floor": "floor: finished rows, set-based",
        "bare": "bare insert, untriggered twin",
    }
    rows = [
        (
            said,
            micro(found.seconds(name)),
            micro(found.cpu(name)),
            *_unless(name == "trigger", found.time_ratio("trigger", name)),
            *_unless(name == "trigger", found.cpu_ratio("trigger", name)),
        )
        for name, said in names.items()
    ]
    return table(
        f"(b) one statement, {leads:,} leads, activities each: {steps} (aim: at most 1.8 times the floor)",
        ("", "µs/row", "CPU µs/row", "trigger's time in it", "by CPU"),
        rows,
    )


def service(found: Rounds) -> str:
    """(c) Throughput of the service."""
    return table(
        "(c) POST /v1/leads/{id}/activities, 4 keep-alive clients",
        ("", "rows/s", "CPU µs/row of service or client", "service's throughput in it"),
        [
            ("service", f"{1 / found.seconds('service'):,.0f}", micro(found.cpu("service")), ""),
            (
                "the same insert by psycopg",
                f"{1 / found.seconds('psycopg'):,.0f}",
                micro(found.cpu("psycopg")),
                str(found.throughput_ratio("service", "psycopg")),
            ),
        ],
    )


def growth(found: Growth) -> str:
    """(d) Time of a single insert by the size of the journal, and of its verification."""
    rounds = found.rounds
    rows = [
        (
            f"at {size:,} activities",
            micro(rounds.seconds(name)),
            micro(rounds.cpu(name)),
            *_unless(name == "small", rounds.time_ratio(name, "small")),
            *_unless(name == "small", rounds.cpu_ratio(name, "small")),
        )
        for name, size in (("small", found.small), ("large", found.large))
    ]
    text = table(
        "(d) single inserts, 4 clients, in a young and in a full journal (aim: at most 1.15)",
        ("", "µs/row", "CPU µs/row", "time in the first's", "by CPU"),
        rows,
    )
    verified = ", ".join(f"{name} {rate:,.0f} rows/s" for name, rate in found.verified.items())
    return f"{text}\n  the full journal is sound: {verified}"


def safeties(found: Safeties) -> str:
    """(e) Processor time by safety."""
    rows = [(f"an activity, {WHOLE}", micro(found.rounds.cpu(WHOLE)), "", "")]
    for said, (dearer, cheaper) in found.pairs.items():
        cost, share = found.rounds.added_cpu(dearer, cheaper)
        half = f"[{cost.low * 1e6:+.1f} to {cost.high * 1e6:+.1f}]"
        rows.append((said, f"{cost.median * 1e6:+.1f}", half, f"{share * 100:+.1f} %"))
    return table(
        "(e) what each safety costs, CPU of the backend",
        ("", "µs/row", "half of the rounds", "share of an activity"),
        rows,
    )


def tenancy(found: Tenancy) -> str:
    """(f) Time and processor time of a page and of an insert, by the walls around them."""
    names = {
        BARE: ("no row security, no context", BARE),
        KNOWN: ("a context: bound login", BARE),
        BOUND: ("row security, bound login", BARE),
        TOKEN: ("row security, token entered", BARE),
        ADMIN: ("row security, an admin", BARE),
        MEMBER: ("row security, a member", ADMIN),
    }
    rows = []
    for subject, rounds in (("page of 50 leads", found.page), ("insert", found.insert)):
        for name, (said, base) in names.items():
            rows.append(
                (
                    f"{subject}: {said}",
                    micro(rounds.seconds(name)),
                    micro(rounds.cpu(name)),
                    *_unless(name == BARE, rounds.time_ratio(name, base)),
                    *_unless(name == BARE, rounds.cpu_ratio(name, base)),
                )
            )
    return table(
        "(f) the walls between tenants, one client; a member in an admin's time, the others in the first's",
        ("", "µs", "CPU µs", "time in it", "by CPU"),
        rows,
    )


def imports(found: Rounds, lines: int) -> str:
    """(g) Time, its split, and memory of an import."""
    names = {
        importing.FEW: f"leadline import, {lines // 10:,} lines",
        importing.IMPORT: f"leadline import, {lines:,} lines",
        importing.PLAIN: f"plain INSERTs of the rows of {lines:,} lines",
    }
    rows = [
        (
            said,
            f"{1 / found.seconds(name):,.0f}",
            micro(found.seconds(name)),
            micro(found.client_cpu(name)),
            micro(found.cpu(name)),
            *_unless(name == importing.PLAIN, found.time_ratio(name, importing.PLAIN)),
            *_unless(name == importing.PLAIN, found.cpu_ratio(name, importing.PLAIN)),
        )
        for name, said in names.items()
    ]
    text = table(
        "(g) a list into a fresh workspace, 1 connection, 1,000 rows a transaction",
        ("", "rows/s", "µs/row", "CPU µs/row: Python", "database", "time in plain's", "by database's CPU"),
        rows,
    )
    few, many = (f"{found.memory(name) / 2**20:,.0f} MiB" for name in (importing.FEW, importing.IMPORT))
    return (
        f"{text}\n  peak memory of the command: {few} at {lines // 10:,} lines, {many} at {lines:,},"
        f" {found.memory_ratio(importing.IMPORT, importing.FEW)} of it;"
        f" time a row {found.time_ratio(importing.IMPORT, importing.FEW)}"
    )


def enquiries(found: Rounds) -> str:
    """(h) Time of an enquiry in that of a lead_created."""
    names = {
        enquiry.CREATED: "lead_created",
        enquiry.NEW: "inbound_enquiry, makes a lead",
        enquiry.MET: "inbound_enquiry, meets an open lead",
        enquiry.POSTED: "POST /v1/leads, makes a lead",
        enquiry.KEYED: "the same with an Idempotency-Key",
    }
    rows = [
        (
            said,
            f"{1 / found.seconds(name):,.0f}",
            micro(found.cpu(name)),
            *_unless(name == enquiry.CREATED, found.time_ratio(name, enquiry.CREATED)),
            *_unless(name == enquiry.CREATED, found.cpu_ratio(name, enquiry.CREATED)),
        )
        for name, said in names.items()
    ]
    return table(
        "(h) single enquiries, 4 clients, each report a transaction",
        ("", "reports/s", "CPU µs of the backends", "time in lead_created's", "by CPU"),
        rows,
    )


def layers(found: Rounds) -> str:
    """(i) Processor time of a row of each journal in that of a lead's; a reply's with its proposal."""
    names = {
        layer.TAG: ("lead: tag_added", None),
        layer.MOVE: ("relationship: a move", layer.TAG),
        layer.DEAL: ("opportunity: lost", layer.TAG),
        layer.PAYMENT: ("subscription: a payment fails", layer.TAG),
        layer.AGAIN: ("lead: a reply, its person is past", layer.TAG),
        layer.REPLY: ("lead: a reply that takes its person on", layer.AGAIN),
    }
    rows = [
        (
            said,
            micro(found.seconds(name)),
            micro(found.cpu(name)),
            str(found.time_ratio(name, base)) if base else "",
            str(found.cpu_ratio(name, base)) if base else "",
        )
        for name, (said, base) in names.items()
    ]
    return table(
        "(i) single inserts into each journal, one client; the last in the time of the reply above it, the"
        " others in the first's",
        ("", "µs/row", "CPU µs/row", "time in it", "by CPU"),
        rows,
    )


def micro(seconds: float) -> str:
    """Microseconds with one decimal."""
    return f"{seconds * 1e6:.1f}"


def table(title: str, head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Text in columns: the first to the left, the others to the right."""
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    lines = [
        "  ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in (head, *rows)
    ]
    return "\n".join((title, *("  " + line for line in lines)))


def _unless(is_base: bool, ratio: object) -> tuple[str]:
    return ("" if is_base else str(ratio),)
