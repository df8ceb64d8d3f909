"""The German words of the calendar: months, weekdays, seasons, units and numbers, and the patterns they make."""

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

SEASONS = {"frühling": 3, "frühjahr": 3, "fruehling": 3, "sommer": 6, "herbst": 9, "winter": 12}
# When each part of a day begins and ends, in hours; a night reaches into the next day.
DAY_PARTS = {
    "früh": (6, 12),
    "morgen": (6, 12),
    "vormittag": (8, 12),
    "mittag": (11, 13),
    "nachmittag": (12, 18),
    "abend": (18, 22),
    "nacht": (20, 28),
}
ENDINGS = ("e", "en", "er", "es", "em")  # of adjectives
_ORDINAL_STEMS = {1: "erst", 3: "dritt", 7: "siebt", 8: "acht"}

MONTHS, WEEKDAYS = numbered("de", "months", first=1), numbered("de", "weekdays", first=0)
UNITS, VAGUE = named("de", "units"), vague_numbers("de")
NUMBERS = with_compounds(
    whole_numbers("de", "numbers"), "{digit}und{ten}", tens_from=20, without=frozenset(["eins", "zwo", "zweien"])
)


def _ordinals() -> dict[str, int]:
    """ "erst" to "einunddreißigst", without their endings."""
    out: dict[str, int] = {}
    for word, number in NUMBERS.items():
        if 0 < number < 32:
            out[_ORDINAL_STEMS.get(number) or word + ("t" if number < 20 else "st")] = number
    return out


_ORDINALS = _ordinals()

# Abbreviated months have a full stop, or a number beside them: "Jan." and "3. Jan" but not the name Jan.
_MONTH_NAMES = one_of(name for name in MONTHS if len(name) > 3)
_MONTH_SHORT = one_of(name for name in MONTHS if len(name) <= 3 and name != "mai")
MONTH = rf"(?:(?:{_MONTH_NAMES}|mai)s?\b|(?:{_MONTH_SHORT}|sept)\b(?:\.(?=[\s,]|$)|(?=\s?\d|\s?$|[,;])))"
WEEKDAY_WORDS = frozenset(name for name in WEEKDAYS if len(name) > 2)
WEEKDAY = rf"(?:{one_of(WEEKDAY_WORDS)})"
WEEKDAY_SHORT = rf"(?:{one_of(name for name in WEEKDAYS if len(name) == 2)})"
UNIT = rf"(?:{one_of(UNITS)})\b"
ORDINAL_WORD = rf"(?:{one_of(_ORDINALS)})e[nrsm]?"
DAY = rf"(?:(?:[012]?\d|3[01])\.|{ORDINAL_WORD})"
COUNT = rf"(?:\d{{1,3}}(?:,\d)?|{one_of(VAGUE)}|{one_of(NUMBERS)})"
AMOUNT = rf"(?:{COUNT} {UNIT}(?: und {COUNT} {UNIT})?)"
MONTH_WORDS, UNIT_WORDS = frozenset(MONTHS), frozenset(UNITS)
WORDS = CalendarWords(
    months=MONTHS,
    weekdays=WEEKDAYS,
    units=UNITS,
    numbers=NUMBERS,
    vague=VAGUE,
    ordinals={stem + end: number for stem, number in (_ORDINALS | {"letzt": -1}).items() for end in ENDINGS},
    seasons=SEASONS,
    day_parts=DAY_PARTS,
    piece=rf"(?<!\w)(?P<count>{COUNT}) (?P<unit>{UNIT})",
)
