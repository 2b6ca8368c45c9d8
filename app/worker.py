"""The clock: it asks the database to do what is due, and tells it the time.

A job is an SQL function that claims its slot of time, so that any number of workers, restarted at any moment,
do the work of a slot once. APScheduler only says when to ask: nothing is kept here that a dead process could
lose.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import psycopg
from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.background import BackgroundScheduler

from app.db import WHAT_THE_LOGIN_MAY

JOBS = "select job, every_seconds from leadline.job_names() order by job"
WORKSPACES = "select w from leadline.list_workspaces() w order by w"
RUN = "select leadline.run_job(%s, %s, %s)"

EPOCH = datetime(2000, 1, 1, tzinfo=UTC)  # ticks are whole periods apart since then, as slots are
ASK_SECONDS = 60  # between two ticks at most: an outage, or the death of another worker, costs no slot
CONNECT_SECONDS = 5
log = logging.getLogger("leadline.worker")


class WorkerRefusedError(RuntimeError):
    """The login may do too much to run the clock; the message says which login to use."""


def utc_now() -> datetime:
    """The present instant, UTC."""
    return datetime.now(UTC)


class Worker:
    """Asks for every job of every workspace, in one transaction each.

    `dsn` leads to the login leadline_worker. start() raises WorkerRefusedError for a login above row security
    and psycopg.OperationalError when the database cannot be reached; afterwards a failing database is asked
    again within a minute. `clock` gives the instant that the jobs are told."""

    def __init__(self, dsn: str, clock: Callable[[], datetime] = utc_now) -> None:
        self.dsn = dsn
        self.clock = clock
        self._stopping = threading.Event()
        self._at_work: set[psycopg.Connection] = set()
        self._lock = threading.Lock()
        self._scheduler = BackgroundScheduler(timezone=UTC)

    def start(self) -> list[str]:
        """Begin asking, at once and then at least every minute; returns the names of the jobs."""
        with self._connection() as connection:
            if too_much := [str(what) for (what,) in connection.execute(WHAT_THE_LOGIN_MAY)]:
                raise WorkerRefusedError(
                    f"the login {connection.info.user} {', '.join(too_much)}: run it as leadline_worker"
                )
            jobs = [(str(job), int(every)) for job, every in connection.execute(JOBS)]
        self._scheduler.add_executor(ThreadPoolExecutor(max_workers=max(len(jobs), 1)))
        for job, every in jobs:
            self._scheduler.add_job(
                self.ask, "interval", args=(job,), id=job, seconds=min(every, ASK_SECONDS), start_date=EPOCH,
                next_run_time=utc_now(), coalesce=True, max_instances=1, misfire_grace_time=None,
            )  # fmt: skip
        self._scheduler.start()
        return [job for job, _ in jobs]

    def tick(self, job: str, now: datetime) -> int:
        """Offer `job` to every workspace for the slot that contains `now`; returns how many did the work.

        A workspace whose run fails does not keep the others from theirs; the first failure is raised at the
        end (psycopg.Error)."""
        done, failures = 0, list[psycopg.Error]()
        with self._connection() as connection:
            for (workspace,) in connection.execute(WORKSPACES).fetchall():
                if self._stopping.is_set():
                    break
                try:
                    row = connection.execute(RUN, (job, workspace, now)).fetchone()
                except psycopg.Error as failure:
                    if connection.closed:
                        raise
                    log.error("%s of workspace %s failed: %s", job, workspace, first_line(failure))
                    failures.append(failure)
                else:
                    done += row == (True,)
        if failures:
            raise failures[0]
        return done

    def stop(self, patience: float = 5.0) -> None:
        """Stop asking. A run in progress gets `patience` seconds to commit, then it is cancelled and rolled
        back, and its slot is free for the next worker. Returns when none is left, or a few seconds later."""
        self._stopping.set()
        if self._scheduler.running:
            self._scheduler.shutdown(wait=False)
        if not self._idle_within(patience):
            with self._lock:
                at_work = list(self._at_work)
            for connection in at_work:
                with contextlib.suppress(psycopg.Error):  # gone already
                    connection.cancel_safe(timeout=2.0)
            self._idle_within(2.0)

    def ask(self, job: str) -> None:
        """One tick by the clock; a failing database is logged, since it is asked again soon."""
        try:
            done = self.tick(job, self.clock())
        except psycopg.Error as failure:
            if not self._stopping.is_set():
                log.warning("%s: %s; asked again within a minute", job, first_line(failure))
        else:
            if done:
                log.info("%s ran for %d workspace%s", job, done, "" if done == 1 else "s")

    @contextlib.contextmanager
    def _connection(self) -> Iterator[psycopg.Connection]:
        with psycopg.connect(
            self.dsn, autocommit=True, connect_timeout=CONNECT_SECONDS, application_name="leadline worker"
        ) as connection:
            with self._lock:
                self._at_work.add(connection)
            try:
                yield connection
            finally:
                with self._lock:
                    self._at_work.discard(connection)

    def _idle_within(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while self._at_work and time.monotonic() < deadline:
            time.sleep(0.02)
        return not self._at_work


def first_line(failure: BaseException) -> str:
    """The first line of an error's message: what a log line has room for."""
    return (str(failure).strip() or type(failure).__name__).splitlines()[0]
