"""The Spanish words of the calendar: months, weekdays, seasons, units and numbers, and the patterns they make."""

from __future__ import annotations

from recollect.language.frame.calendar_words import (
    CalendarWords,
    named,
    numbered,
    vague_numbers,
    whole_numbers,
    with_compounds,
)
from recollect.language.rules import one_of

SEASONS = {"primavera": 3, "verano": 6, "otoño": 9, "otono": 9, "invierno": 12}
# When each part of a day begins and ends, in hours; a night reaches into the next day.
DAY_PARTS = {
    "madrugada": (0, 6),
    "mañana": (6, 12),
    "manana": (6, 12),
    "mediodía": (12, 14),
    "mediodia": (12, 14),
    "tarde": (12, 20),
    "noche": (20, 28),
}

MONTHS, WEEKDAYS = numbered("es", "months", first=1), numbered("es", "weekdays", first=0)
UNITS, VAGUE = named("es", "units"), vague_numbers("es")
NUMBERS = with_compounds(whole_numbers("es", "numbers"), "{ten} y {digit}", tens_from=30)
ORDINALS = whole_numbers("es", "ordinals")

# Abbreviated months stand between a day and a year, or have a full stop: "3 mar 2021" but not "el mar".
_MONTH_NAMES = one_of(name for name in MONTHS if len(name) > 4)
_MONTH_SHORT = one_of(name for name in MONTHS if len(name) <= 4 and name != "mayo")
MONTH = rf"(?:(?:{_MONTH_NAMES}|mayo)\b)"
MONTH_ANY = rf"(?:{MONTH}|(?:{_MONTH_SHORT})\b\.?)"
WEEKDAY = rf"(?:{one_of(WEEKDAYS)})"
UNIT = rf"(?:{one_of(UNITS)})\b"
_COUNT_WORDS = one_of([*VAGUE, *NUMBERS])
COUNT = rf"(?:\d{{1,3}}(?:[.,]\d)?|{_COUNT_WORDS})"
ORDINAL = rf"(?:{one_of(ORDINALS)})"
DAY = rf"(?:(?:[12]\d|3[01]|0?[1-9])(?:\.?[ºo°])?|primero|{one_of(w for w, n in NUMBERS.items() if n < 32)})"
_AND_A_HALF = r"(?:hora|día|semana|mes|año) y medi[oa]"
AMOUNT = rf"(?:{COUNT} {UNIT}(?: y (?:medi[oa]|{COUNT} {UNIT}))?|{_AND_A_HALF})"  # un año y medio, hora y media
MONTH_WORDS, WEEKDAY_WORDS = frozenset(MONTHS), frozenset(WEEKDAYS)
UNIT_WORDS = frozenset(word for unit in UNITS for word in unit.split()[-1:])
WORDS = CalendarWords(
    months=MONTHS,
    weekdays=WEEKDAYS,
    units=UNITS,
    numbers=NUMBERS,
    vague=VAGUE,
    ordinals=ORDINALS,
    seasons=SEASONS,
    day_parts=DAY_PARTS,
    piece=rf"(?<!\w)(?:(?P<count>{COUNT}) (?={UNIT})|(?={_AND_A_HALF}))(?P<unit>{UNIT})(?P<half> y medi[oa]\b)?",
)
