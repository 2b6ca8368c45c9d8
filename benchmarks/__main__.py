"""Compares, on one server of its own, and prints ratios: `scripts/bench [--quick] [part …]`."""

from __future__ import annotations

import argparse
import dataclasses
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from app.postgres import PostgresError, Server, find_binaries
from benchmarks import (
    bulk,
    enquiries,
    growth,
    importing,
    layers,
    report,
    safeties,
    service,
    single,
    tenancy,
)
from benchmarks.ground import Ground, ground

SETTINGS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "off",  # the comparisons vacuum themselves, between rounds
    "shared_buffers": "1GB",
    "work_mem": "64MB",
    "maintenance_work_mem": "256MB",
    "max_wal_size": "8GB",
    "checkpoint_timeout": "1h",
}


@dataclasses.dataclass(frozen=True)
class Sizes:
    """How much each part does."""

    rounds: int = 7
    single_leads: int = 200
    bulk: tuple[tuple[int, int], ...] = ((10_000, 10), (100_000, 1))
    service_leads: int = 50
    growth_leads: int = 100
    growth: tuple[int, int] = (20_000, 2_000_000)
    safety_leads: int = 40
    tenancy_leads: int = 100
    import_rounds: int = 5
    import_lines: int = 100_000
    enquiry_leads: int = 200
    layer_rows: int = 100


QUICK = Sizes(
    rounds=3,
    single_leads=50,
    bulk=((1_000, 10), (10_000, 1)),
    service_leads=10,
    growth_leads=25,
    growth=(5_000, 100_000),
    safety_leads=10,
    tenancy_leads=20,
    import_rounds=2,
    import_lines=10_000,
    enquiry_leads=25,
    layer_rows=25,
)


def run(on: Ground, sizes: Sizes, parts: set[str], show: Callable[[str], None]) -> None:
    """The comparisons of `parts` (all when empty), each shown when it is done."""

    for part, compare in PARTS.items():
        if not parts or part in parts:
            for text in compare(on, sizes):
                show(text)


def _bulk(on: Ground, sizes: Sizes) -> Iterator[str]:
    for leads, steps in sizes.bulk:
        yield report.bulk(bulk.compare(on, sizes.rounds, leads, steps), leads, steps)


def _import(on: Ground, sizes: Sizes) -> Iterator[str]:
    found = importing.compare(on, sizes.import_rounds, sizes.import_lines)
    yield report.imports(found, sizes.import_lines)


PARTS: dict[str, Callable[[Ground, Sizes], Iterable[str]]] = {
    "single": lambda on, s: [report.single(single.compare(on, s.rounds, s.single_leads))],
    "bulk": _bulk,
    "service": lambda on, s: [report.service(service.compare(on, s.rounds, s.service_leads))],
    "growth": lambda on, s: [report.growth(growth.compare(on, s.rounds, s.growth_leads, *s.growth))],
    "safeties": lambda on, s: [report.safeties(safeties.compare(on, 3 * s.rounds, s.safety_leads))],
    "tenancy": lambda on, s: [report.tenancy(tenancy.compare(on, 3 * s.rounds, s.tenancy_leads))],
    "import": _import,
    "enquiries": lambda on, s: [report.enquiries(enquiries.compare(on, s.rounds, s.enquiry_leads))],
    "layers": lambda on, s: [report.layers(layers.compare(on, 3 * s.rounds, s.layer_rows))],
}


def main(arguments: list[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, three rounds: does it run at all?")
    parser.add_argument("--rounds", type=int, help="rounds that count, beside the one that warms up")
    parser.add_argument(
        "part", nargs="*", choices=[[], *PARTS], metavar="part", help=f"of {', '.join(PARTS)}; else all"
    )
    given = parser.parse_args(arguments)
    sizes = QUICK if given.quick else Sizes()
    if given.rounds:
        sizes = dataclasses.replace(sizes, rounds=given.rounds, import_rounds=given.rounds)

    found: list[str] = []
    try:
        binaries = find_binaries()
        folder = Path(tempfile.gettempdir()) / f"leadline-bench-{os.geteuid()}-{binaries.major}"
        with Server(folder, SETTINGS, binaries, ephemeral=True) as server, ground(server, _tell) as on:
            found.append(_machine(server, sizes))
            run(on, sizes, set(given.part), found.append)
    except PostgresError as error:
        raise SystemExit(f"scripts/bench: {error}") from error
    except KeyboardInterrupt:
        raise SystemExit("scripts/bench: interrupted; the server is stopped") from None
    finally:
        print("\n\n".join(found))


def _tell(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')}  {text}", file=sys.stderr, flush=True)


def _machine(server: Server, sizes: Sizes) -> str:
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        cpu = names[0].split(":", 1)[1].strip() if names else cpu
    settings = ", ".join(f"{name} {value}" for name, value in SETTINGS.items())
    return "\n".join(
        (
            f"PostgreSQL {server.binaries.version} ({server.binaries.origin}), {os.cpu_count()} x {cpu}",
            f"  {settings}; Unix socket",
            f"  medians of {sizes.rounds} alternating rounds [lowest-highest], ratios taken within a round",
        )
    )


if __name__ == "__main__":
    main()
