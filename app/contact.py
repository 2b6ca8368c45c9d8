"""One spelling for an address and one for a number, before the database compares them.

The database's own keys know neither IDN nor the numbering plans of the world; whoever takes contacts in from
outside (service, importer) sends them through here first. The functions are pure and never raise, and they
give back unchanged what they once gave.
"""

from __future__ import annotations

import re
import unicodedata

import idna
import phonenumbers

_LONGEST_DOMAIN = 253  # characters; no longer name can be looked up
_SCIENTIFIC = re.compile(r"[+-]?\d+(?:[.,]\d+)?e[+-]?\d+", re.IGNORECASE)
_LONGEST_PHONE = 128  # characters; no longer text is a number
_EMPTY_EXTENSION = re.compile(r"\b(?:ext(?:ension|n)?|x)[\s.:]*$", re.IGNORECASE)
_DECIMAL_ZERO = re.compile(r"(?<=\d{7})\.0+$")
_LETTERS = re.compile(r"[^\W\d_]{3}")


def normal_email(text: str) -> str:
    """The address with its domain in one spelling: `user@xn--bcher-kva.example` and `user@BÜCHER.example`
    become `user@bücher.example`.

    The part before the @ stays as it is, and so does an address in ASCII or one that cannot be read: case,
    NFC and outer white space are leadline.email_key's affair.
    """
    visible = _visible(text)
    local, at, domain = visible.rpartition("@")
    if not at or not _is_international(domain) or len(domain) > _LONGEST_DOMAIN:
        return text
    try:
        return f"{local}@{idna.decode(idna.encode(domain, uts46=True))}"
    except (UnicodeError, IndexError, ValueError):
        return text


def normal_phone(text: str, country: str | None) -> str | None:
    """The number in E.164, such as `+441611234567`; None for a text that is no possible number.

    `country` is the ISO 3166 code of the place where a number without a country code was written down;
    without it such a number is None. An extension is left out. A spreadsheet's `4.41E+11` is no number: its
    digits are gone.
    """
    return phone_and_extension(text, country)[0]


def phone_and_extension(text: str, country: str | None) -> tuple[str | None, str | None]:
    """The number as by normal_phone, and the extension that it leaves out."""
    number = _possible_number(text, country)
    if number is None:
        return None, None
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164), number.extension


def is_scientific(text: str) -> bool:
    """Whether a spreadsheet wrote the number as `4.41E+11`."""
    return _SCIENTIFIC.fullmatch(_visible(text)) is not None


def _visible(text: str) -> str:
    """Without format characters, which nobody sees or types, and without outer white space."""
    return "".join(letter for letter in text if unicodedata.category(letter) != "Cf").strip()


def _is_international(domain: str) -> bool:
    return not domain.isascii() or any(label.lower().startswith("xn--") for label in domain.split("."))


def _possible_number(text: str, country: str | None) -> phonenumbers.PhoneNumber | None:
    visible = _visible(text)
    if len(visible) > _LONGEST_PHONE:
        return None
    visible = _DECIMAL_ZERO.sub("", _EMPTY_EXTENSION.sub("", visible).rstrip(" \t,;"))
    if is_scientific(visible):
        return None
    try:
        number = phonenumbers.parse(visible, country.strip().upper() if country else None)
    except phonenumbers.NumberParseException:
        return None
    if not _is_possible(number):
        number = _as_of_today(number)
    return number if _is_possible(number) and _is_meant(number, visible) else None


def _is_possible(number: phonenumbers.PhoneNumber) -> bool:
    """Of full length: a number that can be dialled only within its own town names nobody."""
    return phonenumbers.is_possible_number_with_reason(number) == phonenumbers.ValidationResult.IS_POSSIBLE


def _is_meant(number: phonenumbers.PhoneNumber, text: str) -> bool:
    """Letters are read as the digits of a telephone's keys (1-800-FLOWERS): unless somebody can have that
    number, they were a word beside it.
    """
    before_extension = re.split(r"(?i)[\s,;]*(?:ext|x\d)", text.removeprefix("tel:"))[0]
    return _LETTERS.search(before_extension) is None or phonenumbers.is_valid_number(number)


def _as_of_today(number: phonenumbers.PhoneNumber) -> phonenumbers.PhoneNumber:
    """Mexico's mobile numbers lost their leading 1 in 2019; address books still have it."""
    national = str(number.national_number)
    if number.country_code != 52 or len(national) != 11 or not national.startswith("1"):
        return number
    return phonenumbers.PhoneNumber(country_code=52, national_number=int(national[1:]))
