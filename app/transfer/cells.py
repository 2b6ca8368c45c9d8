"""A CSV file as rows of cells: declared encoding, declared or recognised delimiter, formulas made harmless.

A spreadsheet runs a cell that begins with = + - or @. What leaves Leadline therefore begins with an
apostrophe there, and what comes in loses it again; E.164 numbers are no formulas and stay as they are.
"""

from __future__ import annotations

import codecs
import csv
import io
import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

if TYPE_CHECKING:
    from _csv import Reader

DELIMITERS = (",", ";", "\t", "|")
LONGEST_HEADER = 100  # lines; what is longer has lost a quote
CHUNK = 1 << 16  # bytes

_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")  # noqa: RUF001 - a spreadsheet takes these too
_E164 = re.compile(r"\+[1-9]\d{4,14}", re.ASCII)
_SEPARATOR = re.compile(r'"?sep=([,;|\t])"?\r?\n?')


def harmless(cell: str) -> str:
    """The cell so that no spreadsheet runs it; restored() gives it back."""
    return f"'{cell}" if _FORMULA.match(cell) and not _E164.fullmatch(cell) else cell


def restored(cell: str) -> str:
    """The cell as it was before harmless()."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell, 1) else cell


@dataclass(frozen=True, slots=True)
class Record:
    """One row: the line of the file it begins on, its cells as they were meant, and what is wrong with it as
    a row of this table (None: nothing)."""

    line: int
    cells: list[str]
    fault: str | None = None


@dataclass(frozen=True)
class Table:
    """An open file: its header, its rows as they are asked for, and how it is written."""

    header: list[str]
    records: Iterator[Record]
    delimiter: str
    encoding: str
    position: Callable[[], int]
    has_mark: bool


@contextmanager
def opened_table(
    path: Path, encoding: str, delimiter: str | None, known: Callable[[Sequence[str]], int]
) -> Iterator[Table]:
    """The file as a table. `known` says how many of a header's columns it knows: that picks the delimiter
    when none is given.

    Raises click.ClickException for a file that cannot be opened or has no header, and, here or while rows are
    read, for bytes that are not of the encoding: with the line's number."""
    try:
        binary = path.open("rb")
    except OSError as error:
        raise click.ClickException(f"cannot read {path}: {error.strerror}") from error
    with binary, io.TextIOWrapper(binary, _codec(encoding), newline="") as text:
        first = binary.peek(3)[:3]
        if encoding == "utf-16" and first[:2] not in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            raise _wrong_encoding(path, 1, encoding, "no byte order mark: utf-16-le or -be?")
        lines = _lines(text, path, encoding)
        head: list[str] = []
        skipped = 0
        for line in itertools.islice(lines, LONGEST_HEADER):
            if skipped == len(head) == 0 and (told := _SEPARATOR.fullmatch(line)):
                delimiter, skipped = delimiter or told[1], 1  # a line for Excel
                continue
            head.append(line)
            if _is_whole(head):
                break
        if not "".join(head).strip():
            raise click.ClickException(f"{path} is empty: its first line must name the columns")
        if "\0" in "".join(head):
            raise click.ClickException(
                f"{path}, line 1 is not {encoding}: it looks like utf-16 (see `encoding`)"
            )
        delimiter = delimiter or _recognised(head, known, path)
        taken = _Taken(itertools.chain(head, lines))
        reader = csv.reader(taken, delimiter=delimiter, strict=True)
        try:
            header = [restored(cell) for cell in next(reader)]
        except (csv.Error, StopIteration) as error:
            raise click.ClickException(
                f"{path}: the line that names the columns is broken: {error}"
            ) from error
        records = _records(reader, taken, len(header), skipped)
        yield Table(header, records, delimiter, encoding, binary.tell, first == codecs.BOM_UTF8)


def _codec(encoding: str) -> str:
    return "utf-8-sig" if encoding == "utf-8" else encoding


def _lines(text: IO[str], path: Path, encoding: str) -> Iterator[str]:
    """The file's lines; what is not of the encoding ends it with the line's number."""
    number = 0
    try:
        for number, line in enumerate(text, start=1):
            if encoding == "cp1252" and not line.isascii() and _is_utf8(line):
                raise _wrong_encoding(path, number, encoding, "it is utf-8")
            yield line
    except UnicodeError as error:
        raise _wrong_encoding(
            path, _line_of_error(path, encoding) or number + 1, encoding, _what(error)
        ) from error


def _wrong_encoding(path: Path, line: int, encoding: str, what: str) -> click.ClickException:
    return click.ClickException(
        f"{path}, line {line} is not {encoding} ({what}): say in the map which `encoding` the file has"
    )


def _what(error: UnicodeError) -> str:
    if isinstance(error, UnicodeDecodeError):
        return f"byte 0x{error.object[error.start]:02X}"
    return str(error)


def _is_utf8(line: str) -> bool:
    """Whether a line read as cp1252 is utf-8: every byte beyond ASCII is part of a sequence of utf-8."""
    try:
        line.encode("cp1252").decode("utf-8")
    except UnicodeError:
        return False
    return True


def _line_of_error(path: Path, encoding: str) -> int | None:
    """The line that cannot be decoded; read again, since what was read ahead does not tell."""
    decoder = codecs.getincrementaldecoder(_codec(encoding))()
    line = 1
    with path.open("rb") as binary:
        while True:
            chunk = binary.read(CHUNK)
            try:
                line += decoder.decode(chunk, final=not chunk).count("\n")
            except UnicodeDecodeError as error:
                return line + error.object[: error.start].count(b"\n")
            except UnicodeError:
                return line
            if not chunk:
                return None


def _is_whole(head: list[str]) -> bool:
    """Whether the lines end outside of quotes."""
    return "".join(head).count('"') % 2 == 0


def _recognised(head: list[str], known: Callable[[Sequence[str]], int], path: Path) -> str:
    """The delimiter that makes most known columns of the header; then the one that makes most columns."""
    found: list[tuple[int, int, int, str]] = []
    for delimiter in DELIMITERS:
        try:
            header = next(csv.reader(head, delimiter=delimiter, strict=True))
        except (csv.Error, StopIteration):
            continue
        found.append((known(header), len(header), -len(found), delimiter))
    if not found:
        raise click.ClickException(f"{path}: the line that names the columns is broken")
    return max(found)[3]


class _Taken:
    """The lines that the present row is made of, for a row that cannot be read."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self.lines: list[str] = []

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self.lines.append(line)
        return line


def _records(reader: Reader, taken: _Taken, width: int, skipped: int) -> Iterator[Record]:
    while True:
        line = reader.line_num + skipped + 1
        taken.lines.clear()
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield Record(line, ["".join(taken.lines)], f"its quotes are broken: {error}")
            continue
        if not any(cell.strip() for cell in cells):
            continue
        fault = None
        if len(cells) != width:
            fault = f"it has {len(cells)} cells where the header has {width}"
        elif any("\0" in cell for cell in cells):
            fault = "it has a NUL character in it"
        yield Record(line, [restored(cell) for cell in cells], fault)
