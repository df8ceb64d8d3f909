"""Times of day in Spanish text: "a las 15:30", "a las tres y media", "de nueve a once", "por la noche"."""

from __future__ import annotations

import re
from collections.abc import Mapping

from recollect.language.es.calendar_words import DAY_PARTS, NUMBERS, WORDS
from recollect.language.frame.clocks import ClockPattern, Clocks
from recollect.language.numeric_dates import DIGITS
from recollect.language.rules import one_of

_HOUR_WORDS = {word: number for word, number in NUMBERS.items() if number <= 12 and word not in ("un", "uno")}
_MINUTE_WORDS = one_of(
    ["cuarto", "media", *(word for word, number in NUMBERS.items() if number in (5, 10, 15, 20, 25))]
)
_HOUR = rf"(?:{one_of(_HOUR_WORDS)}|[01]?\d|2[0-4])"
_CLOCK = rf"(?:(?:[01]?\d|2[0-4])[:.][0-5]\d|{_HOUR})"
_PARTS = one_of(DAY_PARTS)
_HALVES = rf"(?:de|por|en) la (?:{_PARTS})|del? mediod[ií]a|de madrugada"
_MORE = rf"(?: (?P<way>y|menos) (?P<minutes>{_MINUTE_WORDS}|[0-5]?\d))?(?: en punto)?(?: ?(?:h|hs|hrs|horas)\b)?"
# "A las tres amigas": what is counted is a plural; "vamos", "después" and their like end so too.
_COUNTED = re.compile(
    r"\s+(?!(?:antes|después|despues|menos|más|los|las|nos|es|mientras|entonces|lunes|martes|miércoles|jueves|viernes)\b)"
    r"(?:de\s+las\s+|[a-záéíóúñ]{2,}(?<!am)(?<!em)(?<!im)[aeo]s\b|%|€|euros?\b)",
    re.IGNORECASE,
)
_PATTERNS = (
    ClockPattern(  # de las 9 a las 11, entre las tres y las cinco
        frozenset(["las", "la"]),
        rf"(?:de|desde|entre) las? (?P<start>{_CLOCK})(?: y (?P<more>media|cuarto))?(?: horas?)? "
        rf"(?:a|hasta|y) las? (?P<end>{_CLOCK})(?: y (?P<end_more>media|cuarto))?(?: horas?)?",
    ),
    ClockPattern(  # de 9 a 11 de la mañana, de 9:00 a 11:00
        frozenset(["de"]),
        rf"de (?P<start>{_CLOCK}) a (?P<end>{_CLOCK})(?: ?(?:h|hs|hrs|horas)\b|(?= (?:{_HALVES})\b)|(?<=:\d\d))",
    ),
    ClockPattern(  # a las tres y media, sobre las 15:30, a la una menos cuarto
        frozenset(["las", "la"]),
        rf"(?:a|sobre|hacia|desde|hasta|para|antes de|después de|a eso de|son|eran|es|era|de) (?P<spoken>las?) "
        rf"(?P<start>{_CLOCK}){_MORE}",
        "ahead",
    ),
    ClockPattern(  # 15:30, 18h, 18 h, 18h30
        DIGITS, r"(?P<start>(?:[01]?\d|2[0-3])(?::[0-5]\d|h[0-5]\d))(?: ?(?:h|hs|hrs|horas)\b)?"
    ),
    ClockPattern(frozenset(["h", "hs", "hrs"]), r"(?P<start>(?:[01]?\d|2[0-3])) ?(?:h|hs|hrs)"),
    ClockPattern(frozenset(["medianoche"]), r"(?:a |hasta |sobre )?(?P<part>medianoche)"),
    ClockPattern(
        frozenset(DAY_PARTS),
        rf"(?:(?:(?:(?:por|de|en|a|durante) la|al?|de|del) )?(?:(?P<how>primera|última) hora de la )?"
        rf"(?P<part>{_PARTS})|a (?P<early>primera hora)(?: de la mañana)?)",
        "beside",
    ),
)
CLOCK_WORDS = frozenset(["las", "la", "medianoche", "hora"]) | DIGITS
_MORNING_AFTER = re.compile(
    r"\b(?:ayer|hoy|anteayer|lunes|martes|mi[eé]rcoles|jueves|viernes|s[aá]bado|domingo)\s+$", re.I
)


def _says_half(groups: Mapping[str, str | None]) -> bool:
    """In digits with minutes twenty-four hours are counted; "a las tres" may be of either half of the day."""
    return ":" in (groups["start"] or "")


CLOCKS = Clocks(
    calendar=WORDS,
    patterns=_PATTERNS,
    hours=_HOUR_WORDS,
    minutes={"media": 30, "cuarto": 15},
    forward=frozenset("y"),
    counted=_COUNTED,
    midnight="medianoche",
    mistaken=frozenset(DAY_PARTS),  # "mañana" alone is tomorrow, "tarde" is late
    day_before=_MORNING_AFTER,
    early=("primera",),
    late=("última",),
    early_part="mañana",
    says_half=_says_half,
    sure_alone=True,
)
