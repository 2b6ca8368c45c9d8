"""Addresses and numbers in one spelling, whatever people and programs write."""

from __future__ import annotations

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.contact import is_scientific, normal_email, normal_phone, phone_and_extension

NUMBERS = [
    # the country code, with a zero that belongs to the number at home only, with or without its +
    ("+44 0161 1234567", None, "+441611234567"),
    ("(44) 0161 1234567", "GB", "+441611234567"),
    ("0044 161 1234567", "GB", "+441611234567"),
    ("+41 (044) 364 35 33", None, "+41443643533"),
    # in Italy the zero belongs to the number
    ("02 3661 8300", "IT", "+390236618300"),
    ("+39 02 3661 8300", None, "+390236618300"),
    # no digit is lost, and no area code taken for a country
    ("7034515115", "US", "+17034515115"),
    ("3106941956", "US", "+13106941956"),
    ("(330) 458-1111", "US", "+13304581111"),
    # what stands beside the number
    ("+5493516315733 ext.", None, "+5493516315733"),
    ("+5493516315733 ext. 12", None, "+5493516315733"),
    ("703 451 5115 x12", "US", "+17034515115"),
    ("tel:+44-7700-900123", None, "+447700900123"),
    ("\u202a+44 7700 900123\u202c", None, "+447700900123"),
    ("\u00a0+44\u00a07700\u00a0900123\u200b", None, "+447700900123"),
    ("447700900123.0", "GB", "+447700900123"),
    # Mexico's mobile numbers as they were until 2019
    ("+52 1 55 1234 5678", None, "+525512345678"),
    ("+52 55 1234 5678", None, "+525512345678"),
    ("1 55 1234 5678", "MX", "+525512345678"),
    # digits and letters of the telephone's keys
    ("٠٤٤ ٣٦٤ ٣٥ ٣٣", "CH", "+41443643533"),
    ("1-800-FLOWERS", "US", "+18003569377"),
    ("044 364 35 33", "ch", "+41443643533"),
]
NO_NUMBERS = [
    ("4.41E+11", "GB"),
    ("4,41e+11", "GB"),
    ("", "GB"),
    ("n/a", "US"),
    ("ask for Bob", "US"),
    ("7034515115 cell", "US"),
    ("458-1111", "US"),  # of some town
    ("0161 1234567", None),  # of some country
    ("0161 1234567", "XX"),
    ("+44 20 7946 0958 / 0959", "GB"),  # two of them
    ("+", None),
    ("1" * 300, "GB"),
]


@pytest.mark.parametrize(("text", "country", "expected"), NUMBERS)
def test_a_number_becomes_its_e164(text: str, country: str | None, expected: str) -> None:
    assert normal_phone(text, country) == expected
    assert normal_phone(expected, None) == expected


@pytest.mark.parametrize(("text", "country"), NO_NUMBERS)
def test_what_is_no_possible_number_is_none(text: str, country: str | None) -> None:
    assert normal_phone(text, country) is None


def test_an_extension_is_told_apart_and_an_empty_one_is_none() -> None:
    assert phone_and_extension("703 451 5115 ext 12", "US") == ("+17034515115", "12")
    assert phone_and_extension("+5493516315733 ext.", None) == ("+5493516315733", None)


def test_a_spreadsheets_notation_is_recognised() -> None:
    assert is_scientific(" 4.41E+11 ")
    assert not is_scientific("+44 161 123 4567")


@pytest.mark.parametrize(
    "spelling",
    [
        "user@bücher.example",
        "user@xn--bcher-kva.example",
        "user@XN--BCHER-KVA.example",
        "user@BÜCHER.example",
        "user@bu\u0308cher.example",
        "\tuser@bücher.example\n",
        "\u00a0user@xn--bcher-kva.example\u200b",
    ],
)
def test_a_domain_has_one_spelling(spelling: str) -> None:
    assert normal_email(spelling) == "user@bücher.example"


@pytest.mark.parametrize(
    "text",
    [
        "LEAD@EXAMPLE.COM",  # the key's affair
        "\tlead@example.com\n",
        "lead+fb@example.com",
        "le ad@example.com",
        "nobody",
        "",
        "@",
        "a@b@",
        "a@xn--",
        "a@bücher..example",
        "a@" + "ü" * 300 + ".example",
    ],
)
def test_what_is_ascii_or_no_domain_stays_as_it_is(text: str) -> None:
    assert normal_email(text) == text


def test_the_local_part_is_kept() -> None:
    assert normal_email("Jörg.MÜLLER@BÜCHER.example") == "Jörg.MÜLLER@bücher.example"


def test_the_spellings_of_one_address_have_one_key(owner: psycopg.Connection) -> None:
    """As the database compares them: case, invisible and outer white space, IDN."""
    for spellings in (
        ("lead@example.com", "LEAD@EXAMPLE.COM", "\tlead@example.com\n", "\u00a0lead@example.com\u200b"),
        ("user@bücher.example", "user@xn--bcher-kva.example", "USER@BÜCHER.example"),
    ):
        keys = {
            owner.execute("select leadline.email_key(%s)", (normal_email(spelling),)).fetchall()[0]
            for spelling in spellings
        }
        assert keys == {(spellings[0],)}


@given(st.text())
def test_neither_raises_and_both_are_idempotent(text: str) -> None:
    email = normal_email(text)
    assert normal_email(email) == email
    phone = normal_phone(text, "GB")
    assert phone is None or normal_phone(phone, None) == phone


@given(st.text(alphabet="xn-bcherüßςÜ.@kva\u200d", min_size=3))
def test_so_it_is_for_what_looks_like_idn(text: str) -> None:
    email = normal_email(f"a@{text}")
    assert normal_email(email) == email
