"""The few holidays that English chats date things by."""

from __future__ import annotations

from datetime import datetime, timedelta

_FIXED = {
    "new year": (1, 1), "valentine": (2, 14), "halloween": (10, 31), "christmas eve": (12, 24), "christmas": (12, 25),
    "xmas": (12, 25), "boxing day": (12, 26), "new year eve": (12, 31),
}  # fmt: skip
_EASTER = {"good friday": -2, "easter": 0, "easter sunday": 0, "easter monday": 1}
_MONDAY, _THURSDAY = 0, 3
# The nth weekday of a month, and days after it.
_NTH = {"labor day": (9, _MONDAY, 1, 0), "thanksgiving": (11, _THURSDAY, 4, 0), "black friday": (11, _THURSDAY, 4, 1)}

HOLIDAY = (
    r"new year['’]?s? eve|new year['’]?s? day|new year['’]s|christmas eve|christmas(?: day)?|xmas|boxing day|"
    r"valentine['’]?s? day|halloween|good friday|easter(?: (?:sunday|monday))?|labor day|thanksgiving(?: day)?|"
    r"black friday"
)
HOLIDAY_WORDS = frozenset(
    "christmas xmas boxing valentine valentines halloween easter labor thanksgiving friday year years".split()
)


def holiday_of(name: str, year: int) -> datetime:
    """The day a holiday falls on, without a zone."""
    key = " ".join(name.lower().replace("’", "'").replace("'s", "").replace("'", "").split())
    key = key.replace("years", "year").replace("valentines", "valentine")
    if key not in ("boxing day", "labor day"):
        key = key.removesuffix(" day")
    if key in _FIXED:
        return datetime(year, *_FIXED[key])
    if key in _EASTER:
        return easter(year) + timedelta(days=_EASTER[key])
    month, weekday, nth, later = _NTH[key]
    first = datetime(year, month, 1)
    return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (nth - 1) + later)


def easter(year: int) -> datetime:
    """Easter Sunday of the Gregorian calendar (the method of Meeus, Jones and Butcher)."""
    golden, (century, of_century) = year % 19, divmod(year, 100)
    leap_centuries, rest = divmod(century, 4)
    correction = (century - (century + 8) // 25 + 1) // 3
    epact = (19 * golden + century - leap_centuries - correction + 15) % 30
    leap, of_leap = divmod(of_century, 4)
    weekday = (32 + 2 * rest + 2 * leap - epact - of_leap) % 7
    shift = (golden + 11 * epact + 22 * weekday) // 451
    month, day = divmod(epact + weekday - 7 * shift + 114, 31)
    return datetime(year, month, day + 1)
