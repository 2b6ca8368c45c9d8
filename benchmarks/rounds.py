"""Alternating rounds and what is said of them: medians, ratios within a round, and their spread."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from psycopg import Connection

Tell = Callable[[str], None]
BACKENDS = """
    select pid from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
"""
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Sample:
    """One contestant's round: rows written, seconds it took, seconds of processor time of its backends; where
    it was measured, of its client as well, and the client's memory at its most, in bytes."""

    rows: int
    seconds: float = 0.0
    cpu: float = float("nan")
    client_cpu: float = float("nan")
    memory: int = 0


@dataclass(frozen=True)
class Spread:
    """The median over the rounds of what was compared within each round, and how far the rounds spread."""

    median: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.median:.2f} [{self.low:.2f}-{self.high:.2f}]"


class Rounds:
    """Samples by contestant, one a round."""

    def __init__(self, samples: Mapping[str, list[Sample]]) -> None:
        self.samples = samples

    def seconds(self, name: str) -> float:
        """Median seconds a row."""
        return statistics.median(s.seconds / s.rows for s in self.samples[name])

    def cpu(self, name: str) -> float:
        """Median seconds of processor time a row."""
        return statistics.median(s.cpu / s.rows for s in self.samples[name])

    def client_cpu(self, name: str) -> float:
        """Median seconds of the client's processor time a row."""
        return statistics.median(s.client_cpu / s.rows for s in self.samples[name])

    def memory(self, name: str) -> float:
        """Median bytes of the client's memory at its most."""
        return statistics.median(s.memory for s in self.samples[name])

    def memory_ratio(self, name: str, base: str) -> Spread:
        """How many times as much memory as `base` the client needs."""
        return self._ratio(name, base, lambda s: s.memory)

    def time_ratio(self, name: str, base: str) -> Spread:
        """How many times as long as `base` a row takes."""
        return self._ratio(name, base, lambda s: s.seconds / s.rows)

    def cpu_ratio(self, name: str, base: str) -> Spread:
        """How many times the processor time of `base` a row takes."""
        return self._ratio(name, base, lambda s: s.cpu / s.rows)

    def throughput_ratio(self, name: str, base: str) -> Spread:
        """How many times as many rows a second as `base`."""
        return self._ratio(name, base, lambda s: s.rows / s.seconds)

    def added_cpu(self, name: str, base: str) -> tuple[Spread, float]:
        """What a row costs more than with `base`: seconds of processor time, of which the middle half of the
        rounds is told instead of the extremes; and the median share of base's."""
        pairs = [
            (a.cpu / a.rows, b.cpu / b.rows)
            for a, b in zip(self.samples[name], self.samples[base], strict=True)
        ]
        low, median, high = statistics.quantiles([a - b for a, b in pairs], n=4)
        return Spread(median, low, high), statistics.median((a - b) / b for a, b in pairs)

    def _ratio(self, name: str, base: str, of: Callable[[Sample], float]) -> Spread:
        found = [
            of(a) / of(b) for a, b in zip(self.samples[name], self.samples[base], strict=True) if of(b) > 0
        ] or [float("nan")]
        return Spread(statistics.median(found), min(found), max(found))


def alternate(
    subject: str, contestants: Mapping[str, Callable[[int], Sample]], rounds: int, tell: Tell
) -> Rounds:
    """Run A B C A B C …: round 0 only warms up, rounds 1 to `rounds` count."""
    samples: dict[str, list[Sample]] = {name: [] for name in contestants}
    for number in range(rounds + 1):
        tell(f"{subject}: " + (f"round {number} of {rounds}" if number else "warming up"))
        for name, run in contestants.items():
            sample = run(number)
            if number:
                samples[name].append(sample)
    return Rounds(samples)


def cpu_of_backends(admin: Connection[Any]) -> dict[int, float]:
    """Processor seconds so far of every other backend in the database of `admin`."""
    return {pid: cpu_of(pid) for (pid,) in admin.execute(BACKENDS)}


def cpu_of(pid: int) -> float:
    """Processor seconds of a process with one thread, such as a backend; nan where there is no /proc."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9
    except FileNotFoundError:
        return float("nan")


def cpu_of_threads(pid: int) -> float:
    """Processor seconds of all threads of a process; nan where there is no /proc."""
    return _clock_ticks(pid, 11)


def cpu_of_children(pid: int) -> float:
    """Processor seconds of the ended children of a process, such as a postmaster's former backends."""
    return _clock_ticks(pid, 13)


def _clock_ticks(pid: int, position: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except FileNotFoundError:
        return float("nan")
    return (int(fields[position]) + int(fields[position + 1])) / TICKS


@contextmanager
def measured(rows: int, pid: int, clock: Callable[[int], float] = cpu_of) -> Iterator[Sample]:
    """A sample filled at the end of the block: its seconds, and those that `clock` counts for `pid`."""
    sample = Sample(rows)
    cpu, begun = clock(pid), time.perf_counter()
    yield sample
    sample.seconds = time.perf_counter() - begun
    sample.cpu = clock(pid) - cpu
