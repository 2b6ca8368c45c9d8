"""What migrations/ and sql/ promise before a database is asked: names, twins, checksums, order, one
transaction.
"""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]
ROOT = _PACKAGE if (_PACKAGE / "sql").is_dir() else _PACKAGE.parent  # a wheel carries the two folders inside
ROLES = "access/roles.sql"  # runs first, as whoever deploys; hence not in load.sql

_NAME = re.compile(r"(\d{4})_[a-z0-9_]+")
_DEPENDS = re.compile(r"^--\s*depends:(.*)$", re.MULTILINE)
_ROUTINE = re.compile(r"\bcreate\s+(?:or\s+replace\s+)?(?:function|procedure)\s+([\w.]+)", re.IGNORECASE)
_TRANSACTIONAL = re.compile(r"^--\s*transactional:", re.MULTILINE)
_INCLUDE = re.compile(r"\\ir\s+(\S+)")
_LOCK_TIMEOUT = re.compile(r"set\s+(local\s+)?lock_timeout\b", re.IGNORECASE)
_TRANSACTION_CONTROL = re.compile(
    r"(begin|commit|end|rollback|abort|savepoint|release|start\s+transaction|prepare\s+transaction)\b",
    re.IGNORECASE,
)
_OPAQUE = re.compile(  # what may hold a semicolon or a keyword of its own: comments, literals, names, bodies
    r"""--[^\n]*|/\*.*?\*/|\be'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$(?:[a-z_]\w*)?\$).*?\1""",
    re.DOTALL | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the tables: `NNNN_subject.sql` and its way back, `NNNN_subject.rollback.sql`."""

    number: int
    up: Path
    down: Path

    @property
    def name(self) -> str:
        """The file's name without its ending; yoyo's identity of the migration."""
        return self.up.stem

    @property
    def sha256(self) -> str:
        """Hex digest of the way up, as the database remembers it."""
        return _sha256(self.up)

    @property
    def depends(self) -> list[str]:
        """Names of the migrations its `-- depends:` lines ask for."""
        return [name for line in _DEPENDS.findall(self.up.read_text("utf-8")) for name in line.split()]


def migrations(root: Path) -> list[Migration]:
    """The well-named migrations of a tree in the order of their numbers."""
    return [
        Migration(int(match[1]), up, up.with_name(f"{up.stem}.rollback.sql"))
        for up in sorted((root / "migrations").glob("*.sql"))
        if (match := _NAME.fullmatch(up.stem))
    ]


def routines_of_migrations(root: Path) -> set[str]:
    """Qualified names of the functions and procedures that migrations make, as they are written there."""
    return {
        name for migration in migrations(root) for name in _ROUTINE.findall(migration.up.read_text("utf-8"))
    }


def load_list(root: Path) -> list[Path]:
    r"""The files of sql/ in load order: the `\ir` lines of load.sql, as paths below sql/."""
    lines = _lines_of_load(root)
    return [root / "sql" / match[1] for _, line in lines if (match := _INCLUDE.fullmatch(line))]


def rules_version(root: Path = ROOT) -> str:
    """Hash of everything in sql/, names and contents: 16 hex digits, written into every journal row."""
    digest = hashlib.sha256()
    for path in _sql_files(root):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(root / 'sql').as_posix()}\n{len(content)}\n".encode() + content)
    return digest.hexdigest()[:16]


def checksums(root: Path = ROOT) -> str:
    """What migrations/checksums.txt must say: digest, two spaces and name a line, as sha256sum writes it."""
    return "".join(f"{_sha256(path)}  {path.name}\n" for path in sorted((root / "migrations").glob("*.sql")))


def problems(root: Path = ROOT) -> list[str]:
    """Every broken promise of the two folders, a sentence each; an empty list for a tree that may be
    deployed.
    """
    return [*_migration_problems(root), *_load_problems(root)]


def _migration_problems(root: Path) -> list[str]:
    folder = root / "migrations"
    known = migrations(root)
    names = {path.name for path in folder.glob("*.sql")}
    strays = names - {migration.up.name for migration in known} - {migration.down.name for migration in known}
    found = [
        f"migrations/{name}: no migration NNNN_subject.sql and no rollback of one" for name in sorted(strays)
    ]
    for position, migration in enumerate(known, start=1):
        where = f"migrations/{migration.up.name}"
        if migration.number != position:
            found.append(f"{where}: number {migration.number:04} stands where {position:04} is next")
        if not migration.down.exists():
            found.append(f"{where}: its way back, {migration.down.name}, is missing")
        found += _dependency_problems(migration, {earlier.name for earlier in known[: position - 1]})
        for path in (migration.up, migration.down):
            found += _text_problems(root, path) if path.exists() else []
    return found + _checksum_problems(folder, names)


def _dependency_problems(migration: Migration, earlier: set[str]) -> list[str]:
    where = f"migrations/{migration.up.name}"
    if not _DEPENDS.search(migration.up.read_text("utf-8")):
        return [f"{where}: no line `-- depends:` names what it builds on"]
    late = [name for name in migration.depends if name not in earlier]
    return [f"{where}: depends on {name}, which does not come before it" for name in late]


def _text_problems(root: Path, path: Path) -> list[str]:
    where, text = _shown(root, path), path.read_text("utf-8")
    found = _control_problems(root, path)
    if _TRANSACTIONAL.search(text):
        found.append(f"{where}: every migration is one transaction, so `-- transactional:` has no place")
    if not any(_LOCK_TIMEOUT.match(statement) for _, statement in _statements(text)):
        found.append(
            f"{where}: no `set lock_timeout`: behind one long query it would queue and stop all others"
        )
    return found


def _checksum_problems(folder: Path, names: set[str]) -> list[str]:
    ledger = folder / "checksums.txt"
    lines = ledger.read_text("utf-8").splitlines() if ledger.exists() else []
    listed = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    found = [
        f"migrations/{name}: not in checksums.txt; once it is final: sha256sum *.sql > checksums.txt"
        for name in sorted(names - listed.keys())
    ]
    gone = sorted(listed.keys() - names)
    found += [f"migrations/{name}: in checksums.txt, but the file is gone or renamed" for name in gone]
    edited = [name for name in sorted(names & listed.keys()) if _sha256(folder / name) != listed[name]]
    return found + [
        f"migrations/{name}: differs from checksums.txt; a landed migration is never edited: write a new one"
        for name in edited
    ]


def _load_problems(root: Path) -> list[str]:
    if not (root / "sql" / "load.sql").exists():
        return ["sql/load.sql is missing"]
    found = [
        rf"sql/load.sql:{number}: neither a comment nor `\ir folder/file.sql`"
        for number, line in _lines_of_load(root)
        if not _INCLUDE.fullmatch(line)
    ]
    listed = load_list(root)
    existing = [
        path for path in _sql_files(root) if path not in (root / "sql" / "load.sql", root / "sql" / ROLES)
    ]
    if not (root / "sql" / ROLES).exists():
        found.append(f"sql/{ROLES} is missing")
    if root / "sql" / ROLES in listed:
        found.append(f"sql/load.sql: {ROLES} runs before the first migration and is not listed")
    found += [f"{_shown(root, path)}: not in load.sql" for path in existing if path not in listed]
    found += [
        f"{_shown(root, path)}: in load.sql, but there is no such file"
        for path in listed
        if not path.is_file()
    ]
    found += [
        f"{_shown(root, path)}: listed twice in load.sql"
        for path in sorted({p for p in listed if listed.count(p) > 1})
    ]
    for path in existing:
        found += _control_problems(root, path)
    return found


def _control_problems(root: Path, path: Path) -> list[str]:
    return [
        f"{_shown(root, path)}:{line}: `{match[0].lower()}` would end the one transaction it runs in"
        for line, statement in _statements(path.read_text("utf-8"))
        if (match := _TRANSACTION_CONTROL.match(statement))
    ]


def _statements(text: str) -> list[tuple[int, str]]:
    """Line and outline of every statement: comments, literals and bodies are blanked, lines stay where they
    are.
    """
    outline = _OPAQUE.sub(lambda match: " " + "\n" * match[0].count("\n"), text)
    found, line = [], 1
    for piece in outline.split(";"):
        statement = piece.strip()
        if statement:
            found.append((line + piece[: piece.index(statement[0])].count("\n"), statement))
        line += piece.count("\n")
    return found


def _lines_of_load(root: Path) -> list[tuple[int, str]]:
    lines = (root / "sql" / "load.sql").read_text("utf-8").splitlines()
    return [
        (n, line.strip())
        for n, line in enumerate(lines, start=1)
        if line.strip() and not line.strip().startswith("--")
    ]


def _sql_files(root: Path) -> list[Path]:
    return sorted((root / "sql").rglob("*.sql"), key=lambda path: path.relative_to(root / "sql").as_posix())


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _shown(root: Path, path: Path) -> str:
    return path.relative_to(root).as_posix()
