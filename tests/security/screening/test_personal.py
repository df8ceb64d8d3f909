"""Personal data in a text: what is found, what is no more than it looks like, and the tier that follows."""

from __future__ import annotations

import pytest

from recollect.model.record import SecurityTier
from recollect.security.screening import personal
from recollect.security.screening.spans import PrivateSpan, SpanType, joined, redacted, tier_of


def found(text: str) -> list[tuple[str, str]]:
    return [(text[span.start : span.end], str(span.type)) for span in personal.find(text)]


@pytest.mark.parametrize(
    ("text", "part", "type"),
    [
        ("Charge 4111 1111 1111 1111 please", "4111 1111 1111 1111", "card"),
        ("my card 501800000009 is gone", "501800000009", "card"),
        ("Send it to DE89 3704 0044 0532 0130 00 today", "DE89 3704 0044 0532 0130 00", "iban"),
        ("IBAN: GB82WEST12345698765432", "GB82WEST12345698765432", "iban"),
        ("His social security number is 536-90-4399", "536-90-4399", "national_id"),
        ("NHS number 943 476 5919", "943 476 5919", "national_id"),
        ("NINO AB 12 34 56 C", "AB 12 34 56 C", "national_id"),
        ("Meine Steuer-ID ist 36 574 261 809", "36 574 261 809", "national_id"),
        ("mi DNI es 54362315K", "54362315K", "national_id"),
        ("NIE X-2482300W", "X-2482300W", "national_id"),
        ("NIR 2 95 10 99 126 111 93", "2 95 10 99 126 111 93", "national_id"),
        ("codice fiscale RCCMNL83S18D969H", "RCCMNL83S18D969H", "national_id"),
        ("CPF 390.533.447-05", "390.533.447-05", "national_id"),
        ("Her passport number is X1234567", "X1234567", "national_id"),
        ("driver's license: D123-4567-8901", "D123-4567-8901", "national_id"),
        ("account number 000123456789", "000123456789", "bank_account"),
        ("Write to ana.ruiz+x@mail.lisboa.pt!", "ana.ruiz+x@mail.lisboa.pt", "email"),
        ("call me at (415) 555-2671", "(415) 555-2671", "phone"),
        ("Meine Nummer: 030 901820", "030 901820", "phone"),
        ("+44 20 7946 0958 is the office", "+44 20 7946 0958", "phone"),
        ("see https://ana-writes.pt/about.", "https://ana-writes.pt/about", "domain"),
        ("the host is 81.2.69.142", "81.2.69.142", "ip"),
        ("wallet 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "crypto"),
        ("0x52908400098527886E0F7030069857D2E4169EE7", "0x52908400098527886E0F7030069857D2E4169EE7", "crypto"),
        ("I was born on 3 May 1984 in Porto", "3 May 1984", "birth_date"),
        ("Geburtsdatum: 03.05.1984", "03.05.1984", "birth_date"),
        ("I live at 221B Baker Street, London", "221B Baker Street, London", "address"),
        ("Lindenstraße 12, 10969 Berlin", "Lindenstraße 12, 10969 Berlin", "address"),
        ("vivo en Calle de Alcalá 45", "Calle de Alcalá 45", "address"),
        ("Send it to P.O. Box 1234", "P.O. Box 1234", "address"),
        ("zip code 94105", "94105", "postcode"),
        ("SW1A 1AA is where", "SW1A 1AA", "postcode"),
    ],
)
def test_what_is_personal_is_found(text: str, part: str, type: str) -> None:
    assert (part, type) in found(text)


@pytest.mark.parametrize(
    "text",
    [
        "We shipped version 2.3.1 on 2024-03-05 at 10:30 and 14 people came",
        "Order 4111 1111 1111 1112 has arrived",  # Luhn says no
        "DE89 3704 0044 0532 0130 01 has a typing mistake",
        "The range 192.168.1.0/24 and 10.0.0.1 are inside",
        "He scored 0.16777216 and paid $1,250,000",
        "On May 5, 2023, I moved to Flask 2.3 and Python 3",
        "Chapter 12: Section 3, page 4567",
        "Mail support@example.com",  # reserved for manuals
        "The file main.py calls utils.sh",
        "From 2015 2016 and 2017 2018 we grew 30 percent",
        "See you on Main Street",
    ],
)
def test_what_only_looks_like_it_is_left_alone(text: str) -> None:
    assert found(text) == []


def test_the_span_that_matters_most_decides_the_tier() -> None:
    assert tier_of(personal.find("See https://recollect.dev for more")) is SecurityTier.CLEARTEXT
    assert tier_of(personal.find("Write to ana@lisboa.pt")) is SecurityTier.SENSITIVE
    assert tier_of(personal.find("ana@lisboa.pt pays with 4111 1111 1111 1111")) is SecurityTier.CONFIDENTIAL


def test_a_redacted_text_holds_nothing_of_what_was_found() -> None:
    text = "Ana, ana@lisboa.pt, pays with 4111 1111 1111 1111 today"
    assert redacted(text, personal.find(text)) == "Ana, [email], pays with [card] today"


def test_spans_that_overlap_become_one_of_the_type_that_matters_most() -> None:
    email, card = PrivateSpan(2, 10, SpanType.EMAIL), PrivateSpan(8, 20, SpanType.CARD)
    assert joined([card, email]) == [PrivateSpan(2, 20, SpanType.CARD)]
