"""Amounts, instants, truths and words as a file writes them, in formats that somebody declared."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

# What stands between groups of three digits, and what before the decimals.
CONVENTIONS = {
    "en": (",", "."),
    "de": (".", ","),
    "fr": (" \u00a0\u202f", ","),
    "ch": ("'\u2019", "."),
    "plain": ("", "."),
}
LARGEST = Decimal(10) ** 15
CURRENCY_OF = {"€": "EUR", "£": "GBP"}  # $ and ¥ are several currencies'
YES = frozenset(["1", "true", "t", "yes", "y", "x", "on", "ja", "j", "si", "sí", "oui"])
NO = frozenset(["0", "false", "f", "no", "n", "off", "nein", "non"])

_AMOUNT = re.compile(
    r"(?P<before>[A-Z]{3}|[A-Z]{0,2}\$|[€£¥])?\s*"
    r"(?P<number>\d(?:[\d.,'\u2019 \u00a0\u202f]{0,40}\d)?)"
    r"\s*(?P<after>[A-Z]{3}|[€£¥$])?",
    re.ASCII,
)
_ISO = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?\s?(?:Z|UTC|[+-]\d\d(?::?\d\d)?)?)?", re.ASCII
)
_OFFSET = re.compile(r"\s?([+-]\d\d):?(\d\d)?$", re.ASCII)
_FRACTION = re.compile(r"(\.\d{6})\d+")


class UnreadableError(ValueError):
    """A cell that does not say what its column is for; the message is the reason, for a person."""


def shown(text: str) -> str:
    """`text` as it is kept: NFC, without white space and invisible characters at either end."""
    normal = unicodedata.normalize("NFC", text)
    first, last = 0, len(normal)
    while first < last and _is_blank(normal[first]):
        first += 1
    while last > first and _is_blank(normal[last - 1]):
        last -= 1
    return normal[first:last]


def _is_blank(letter: str) -> bool:
    return letter.isspace() or unicodedata.category(letter) == "Cf"


def key(text: str) -> str:
    """The spelling under which headers and words are compared: letters and digits, without case."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(letter for letter in folded if letter.isalnum())


def amount(text: str, numbers: str) -> tuple[Decimal, str | None]:
    """An amount of money and the currency written beside it, if any.

    `numbers` is one of CONVENTIONS, or none: then the amount must read the same in all that can read it.
    Raises UnreadableError, also for what is negative, not finite, too large, or finer than a hundredth; an
    amount in the convention `plain`, written by a program, may be as fine as it likes."""
    found = _AMOUNT.fullmatch(text)
    if found is None:
        raise UnreadableError(f"{text!r} is no amount of zero or more")
    readings = {
        value
        for convention in (CONVENTIONS if numbers == "none" else (numbers,))
        if (value := _number(found["number"], *CONVENTIONS[convention])) is not None
    }
    if len(readings) > 1:
        raise UnreadableError(
            f"{text!r} is ambiguous ({' or '.join(f'{value:f}' for value in sorted(readings))}): "
            "declare `numbers` in the map"
        )
    if not readings:
        raise UnreadableError(f"{text!r} is no amount as declared (numbers: {numbers})")
    [value] = readings
    if numbers != "plain" and -int(value.as_tuple().exponent) > 2:
        raise UnreadableError(f"{text!r} has more than two decimals (numbers: {numbers})")
    if value > LARGEST:
        raise UnreadableError(f"{text!r} is larger than a deal can be")
    return value, _currency(found["before"], found["after"])


def _number(text: str, grouping: str, decimal: str) -> Decimal | None:
    """The number, when it is written by this convention to the letter."""
    groups = "|".join(rf"\d{{1,3}}(?:{re.escape(sign)}\d{{3}})+" for sign in grouping)
    found = re.fullmatch(rf"({groups + '|' if groups else ''}\d+)(?:{re.escape(decimal)}(\d+))?", text)
    if found is None:
        return None
    whole = re.sub(r"\D", "", found[1])
    return Decimal(f"{whole}.{found[2]}" if found[2] else whole)


def _currency(*marks: str | None) -> str | None:
    for mark in marks:
        if mark in CURRENCY_OF:
            return CURRENCY_OF[mark]
        if mark and len(mark) == 3 and mark.isalpha():
            return mark
    return None


def instant(text: str, formats: Sequence[str], zone: ZoneInfo) -> datetime:
    """An instant in UTC, from a text in one of `formats`: `iso`, or one of strptime.

    What names no offset is local time of `zone`, a date alone its midnight; of an hour that comes twice it is
    the first. Raises UnreadableError, also when two formats disagree."""
    readings = {found for form in formats if (found := _read_instant(text, form)) is not None}
    instants = {_in_utc(found, zone, text) for found in readings}
    if not instants:
        raise UnreadableError(f"{text!r} is no date as declared (dates: {', '.join(formats)})")
    if len(instants) > 1:
        raise UnreadableError(f"{text!r} is ambiguous: the declared formats disagree about it")
    return instants.pop()


def _read_instant(text: str, form: str) -> datetime | None:
    try:
        if form != "iso":
            return datetime.strptime(text, form)  # noqa: DTZ007 - a zone is given to it later
        if not _ISO.fullmatch(text):
            return None
        tidy = _FRACTION.sub(r"\1", text).replace("UTC", "Z").replace(" Z", "Z")
        if "T" in tidy or " " in tidy:
            tidy = _OFFSET.sub(lambda found: f"{found[1]}:{found[2] or '00'}", tidy)
        return datetime.fromisoformat(tidy)
    except ValueError:
        return None


def _in_utc(found: datetime, zone: ZoneInfo, text: str) -> datetime:
    try:
        return (found if found.tzinfo else found.replace(tzinfo=zone)).astimezone(UTC)
    except OverflowError as error:
        raise UnreadableError(f"{text!r} is no date that can be kept") from error


def truth(text: str) -> bool:
    """Yes or no; UnreadableError for any other word."""
    word = text.casefold()
    if word in YES:
        return True
    if word in NO:
        return False
    raise UnreadableError(f"{text!r} is neither yes nor no")
