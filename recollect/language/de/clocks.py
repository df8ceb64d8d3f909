"""Times of day in German text: "um 15:30 Uhr", "um halb acht", "Viertel nach drei", "von 9 bis 17 Uhr", "abends"."""

from __future__ import annotations

import re
from collections.abc import Mapping

from recollect.language.de.calendar_words import DAY_PARTS, NUMBERS, WORDS
from recollect.language.frame.clocks import ClockPattern, Clocks
from recollect.language.numeric_dates import DIGITS
from recollect.language.rules import one_of

_HOUR_WORDS = {word: number for word, number in NUMBERS.items() if number <= 12} | {"eins": 1}
_HOUR = rf"(?:[01]?\d|2[0-4]|{one_of(_HOUR_WORDS)})"
_DIGIT_CLOCK = r"(?:[01]?\d|2[0-4])(?:[:.][0-5]\d)?"
_AT = r"(?:(?:um|gegen|ab|bis|kurz vor|kurz nach|so um) )?"
_COUNTED = re.compile(
    r"\s*(?:%|€|\$|[.,]\d|(?:prozent|euro|cent|grad|stück|meter|km|kg|jahre?n?|tagen?|wochen?|monaten?|stunden?"
    r"|minuten?|uhr|mal"
    r"|leute|personen|[a-zäöü]*ere[nrs]?)\b)",
    re.IGNORECASE,
)
_MORNING_AFTER = re.compile(
    r"\b(?:heute|gestern|vorgestern|übermorgen|jeden|diesen|\w{2,10}(?:tag|woch))\s+$", re.IGNORECASE
)
_ADVERBS = {f"{part}s": part for part in DAY_PARTS if part != "früh"} | {"nachts": "nacht"}
_PART_WORDS = frozenset([*DAY_PARTS, *_ADVERBS, "mitternacht"])
_PATTERNS = (
    ClockPattern(  # von 9 bis 17 Uhr
        frozenset(["bis"]),
        rf"(?:von|zwischen) (?P<start>{_DIGIT_CLOCK})(?: uhr)? (?:bis|und) (?P<end>{_DIGIT_CLOCK}) uhr",
    ),
    ClockPattern(  # 9-17 Uhr
        frozenset(["uhr"]), rf"(?P<start>{_DIGIT_CLOCK})\s?(?:-|–|bis)\s?(?P<end>{_DIGIT_CLOCK}) uhr"
    ),
    ClockPattern(  # halb vier, fünf vor halb vier
        frozenset(["halb"]),
        rf"{_AT}(?:(?P<minutes>fünf|zehn|\d\d?) (?P<way>vor|nach) )?(?P<half>halb) "
        rf"(?P<start>{one_of(_HOUR_WORDS)}|1[0-2]|[1-9])(?: uhr)?",
        "ahead",
    ),
    ClockPattern(  # dreiviertel vier
        frozenset(["dreiviertel"]),
        rf"{_AT}(?P<three>dreiviertel) (?P<start>{one_of(_HOUR_WORDS)}|1[0-2]|[1-9])",
        "ahead",
    ),
    ClockPattern(  # Viertel nach drei, zehn vor acht
        frozenset(["viertel", "nach", "vor"]),
        rf"{_AT}(?P<minutes>viertel|fünf|zehn|zwanzig|\d\d?(?: minuten)?) (?P<way>nach|vor) "
        rf"(?P<start>{one_of(_HOUR_WORDS)}|1[0-2]|[1-9])(?: uhr)?(?! (?:tagen?|wochen?|monaten?|jahren?"
        rf"|stunden?|minuten?)\b)",
        "ahead",
    ),
    ClockPattern(  # 15 Uhr 30
        frozenset(["uhr"]), rf"{_AT}(?P<start>{_HOUR}) uhr (?P<more>[0-5]\d|{one_of(NUMBERS)})(?! uhr)\b"
    ),
    ClockPattern(frozenset(["uhr"]), rf"{_AT}(?P<start>{_DIGIT_CLOCK}|{_HOUR}) ?uhr"),
    ClockPattern(DIGITS, rf"{_AT}(?P<start>(?:[01]?\d|2[0-3]):[0-5]\d)"),
    ClockPattern(frozenset(["um", "gegen"]), rf"(?:um|gegen) (?P<start>{_HOUR})(?P<spoken>)", "ahead"),
    ClockPattern(frozenset(["mitternacht"]), r"(?:um |gegen |vor |nach )?(?P<part>mitternacht)"),
    ClockPattern(
        _PART_WORDS,
        rf"(?:(?:am|in der|zu|gegen) )?(?:(?P<how>früh|spät|frühe[nr]|späte[nr]) )?"
        rf"(?P<part>{one_of([*DAY_PARTS, *_ADVERBS])})",
        "beside",
    ),
)
CLOCK_WORDS = frozenset(["uhr", "um", "halb", "viertel", "dreiviertel", "mitternacht"]) | DIGITS


def _says_half(groups: Mapping[str, str | None]) -> bool:
    """With "Uhr" twenty-four hours are counted; "halb acht" and a bare "um acht" may be of either half of the day."""
    return groups.get("spoken") is None and not any(groups.get(name) for name in ("half", "three", "minutes"))


CLOCKS = Clocks(
    calendar=WORDS,
    patterns=_PATTERNS,
    hours=_HOUR_WORDS,
    minutes={"viertel": 15},
    forward=frozenset(["nach"]),
    before={"half": 30, "three": 15},
    counted=_COUNTED,
    midnight="mitternacht",
    mistaken=frozenset(["morgen"]),  # tomorrow
    day_before=_MORNING_AFTER,
    early=("früh",),
    late=("spät",),
    says_half=_says_half,
    adverbs=_ADVERBS,
)
