"""How long: "two hours", "3 months and 2 days", "an hour and a half", "2h", "four business days"."""

from __future__ import annotations

import re

from recollect.language.en.calendar_words import number_of, unit_named
from recollect.language.expression import expression
from recollect.language.resolving import Amount

_DIGIT = "one|two|three|four|five|six|seven|eight|nine"
COUNT = (
    rf"(?:\d{{1,3}}|an?|{_DIGIT}|ten|eleven|twelve|\w{{3,5}}teen|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|"
    rf"ninety)(?:[-\s](?:{_DIGIT}))?|(?:a )?couple(?: of)?|(?:a )?few|several|some)"
)
UNIT = (
    r"(?:(?:second|minute|min|hour|hr|(?:business |working |work)?day|night|workweek|week|fortnight|month|quarter|"
    r"year|yr|decade)s?)"
)
_HALF = r"half(?: an?)?"
_AND_HALF = r"(?: and (?:a )?half)?"
_ONE = (
    rf"(?:(?:{_HALF}|{COUNT}{_AND_HALF}) (?:{UNIT}|weekends?)|\d{{1,3}}(?:\.\d)?(?:-|\s?)(?:{UNIT}|h|wks?)){_AND_HALF}"
)
AND_MORE = rf"(?:(?:,| and|, and)? {_ONE}\b)*"
# Without groups of its own, so that a pattern can hold it more than once; a space is any space, as in `en.phrases`.
AMOUNT = rf"(?:{_ONE}{AND_MORE})"
_PIECE = expression(
    (
        rf"(?<!\d)(?:(?P<half>{_HALF})|(?P<count>\d++(?:\.\d)?|{COUNT})(?P<more>{_AND_HALF}))(?:-|\s?)"
        rf"(?P<unit>{UNIT}|weekends?|wks?|h)\b(?P<after>{_AND_HALF})"
    ).replace(" ", r"\s+"),
    re.IGNORECASE,
)


def amount_of(words: str) -> Amount:
    """What an `AMOUNT` says. `ValueError` where nothing is counted."""
    pieces = tuple((_count_in(match), unit_named(match["unit"])) for match in _PIECE.finditer(words))
    if not pieces:
        raise ValueError(words)
    return Amount(pieces)


def _count_in(match: re.Match[str]) -> float:
    if match["half"]:
        return 0.5
    count = float(match["count"]) if "." in match["count"] else number_of(match["count"])
    return count + 0.5 if match["more"] or match["after"] else count
