"""Dates of birth: a date with a word of birth beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.security.screening.spans import PrivateSpan, SpanType

_MONTHS = (
    r"(?:jan(?:uary|uar)?|feb(?:ruary|ruar)?|mar(?:ch)?|märz|apr(?:il)?|may|mai|june?|juni|july?|juli|aug(?:ust)?"
    r"|sept?(?:ember)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?|enero|febrero|marzo|abril|mayo|junio|julio|agosto"
    r"|septiembre|octubre|noviembre|diciembre|janvier|février|mars|avril|juin|juillet|août|septembre|octobre"
    r"|novembre|décembre)"
)
_DATE = (
    rf"(?:\d{{1,2}}(?:st|nd|rd|th|\.)? (?:of |de )?{_MONTHS}\.?(?:,? (?:de )?\d{{4}})?"
    rf"|{_MONTHS}\.? \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}})?"
    rf"|{_MONTHS}\.? (?:of )?\d{{4}}|(?:19|20)\d\d[-/.]\d{{1,2}}[-/.]\d{{1,2}}|\d{{1,2}}[-/.]\d{{1,2}}[-/.](?:19"
    rf"|20)?\d\d|(?:19|20)\d\d)"
)
_BORN = re.compile(
    rf"(?i)\b(?:born|birthda(?:y|te)s?|birth ?date|date of birth|d\.?o\.?b\b\.?|b-?day|geboren|geburtstag"
    rf"|geburtsdatum|geb\."
    rf"|naci(?:ó|do|da|mos)?|nací|nacimiento|cumpleaños|n[ée]e? le|naissance|anniversaire|nat[oa] il|nascita"
    rf"|nascid[oa]|nascimento)"
    rf"[^.!?\n\d]{{0,24}}?\b(?P<date>{_DATE})(?!\w)"
)
_CUES = (
    *("born", "birth", "dob", "d.o.b", "bday", "b-day", "gebor", "geburt", "geb.", "naci", "nací", "cumplea"),
    *("né le", "née le", "ne le", "nee le", "naissance", "annivers", "nato il", "nata il", "nasc"),
)


def births_in(text: str) -> Iterator[PrivateSpan]:
    """The dates, each without the word that told what it is."""
    folded = text.casefold()
    if not any(cue in folded for cue in _CUES):
        return
    for match in _BORN.finditer(text):
        yield PrivateSpan(*match.span("date"), SpanType.BIRTH_DATE)
