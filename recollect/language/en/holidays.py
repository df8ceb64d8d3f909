"""The holidays that English chats date things by: of a fixed date, so many days from Easter, or the nth weekday."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from recollect.language.calendar import easter, nth_weekday_of

_FIXED = {
    "new year": (1, 1),
    "groundhog day": (2, 2),
    "valentine": (2, 14),
    "women": (3, 8),
    "patrick": (3, 17),
    "st patrick": (3, 17),
    "saint patrick": (3, 17),
    "april fool": (4, 1),
    "earth day": (4, 22),
    "may day": (5, 1),
    "cinco de mayo": (5, 5),
    "juneteenth": (6, 19),
    "independence day": (7, 4),
    "fourth of july": (7, 4),
    "bastille day": (7, 14),
    "halloween": (10, 31),
    "all saint": (11, 1),
    "guy fawkes": (11, 5),
    "bonfire night": (11, 5),
    "veteran": (11, 11),
    "christmas eve": (12, 24),
    "christmas": (12, 25),
    "xmas": (12, 25),
    "boxing day": (12, 26),
    "new year eve": (12, 31),
}
_EASTER = {
    "mardi gras": -47,
    "ash wednesday": -46,
    "palm sunday": -7,
    "maundy thursday": -3,
    "good friday": -2,
    "easter": 0,
    "easter sunday": 0,
    "easter monday": 1,
    "ascension": 39,
    "pentecost": 49,
    "whit sunday": 49,
    "whit monday": 50,
}
_MONDAY, _THURSDAY, _SUNDAY = 0, 3, 6
# The month, the weekday and which of them (-1 the last), and days after it.
_NTH = {
    "martin luther king": (1, _MONDAY, 3, 0),
    "mlk": (1, _MONDAY, 3, 0),
    "president": (2, _MONDAY, 3, 0),
    "mother": (5, _SUNDAY, 2, 0),
    "memorial day": (5, _MONDAY, -1, 0),
    "father": (6, _SUNDAY, 3, 0),
    "labor day": (9, _MONDAY, 1, 0),
    "labour day": (9, _MONDAY, 1, 0),
    "columbus day": (10, _MONDAY, 2, 0),
    "thanksgiving": (11, _THURSDAY, 4, 0),
    "black friday": (11, _THURSDAY, 4, 1),
    "cyber monday": (11, _THURSDAY, 4, 4),
}
_SINGULAR = {
    word + "s": word
    for word in ("year", "valentine", "president", "veteran", "mother", "father", "patrick", "women", "saint", "fool")
}
# Names that say by themselves that they are a day of the year, and names that do so by their last word.
SELF_TELLING = (
    r"christmas eve|christmas(?: day)?|xmas|halloween|mardi gras|maundy thursday|easter(?: (?:sunday|monday))?|"
    r"pentecost|cinco de mayo|juneteenth|bonfire night|thanksgiving(?: day)?"
)
COMPOSED = (
    r"new year['’]?s? (?:eve|day)|new year['’]s|(?<=on\s)new year|april fools?['’]?s?(?: day)?|boxing day|"
    r"ash wednesday|palm sunday|good friday|whit (?:sunday|monday)|black friday|cyber monday|fourth of july|"
    r"(?:valentine|president|veteran|mother|father|patrick|women)['’]?s?['’]? day|mlk day|"
    r"(?:martin luther king(?: jr\.?)?|(?:st\.?|saint) patrick['’]?s?|all saints['’]?|international women['’]?s) day|"
    r"(?:groundhog|earth|may|independence|bastille|memorial|labou?r|columbus|ascension) day|guy fawkes (?:day|night)"
)
HOLIDAY = f"{SELF_TELLING}|{COMPOSED}"
SELF_TELLING_WORDS = frozenset(
    "christmas xmas halloween mardi maundy easter pentecost cinco juneteenth bonfire thanksgiving".split()
)
LAST_WORDS = frozenset("day eve year years fool fools friday wednesday sunday monday july night".split())
FIRST_WORDS = frozenset(
    "new april boxing ash palm good whit black cyber fourth valentine valentines president presidents veteran veterans "
    "mother mothers father fathers patrick patricks king women womens saint saints mlk groundhog earth may "
    "independence bastille memorial labor labour columbus ascension fawkes".split()
)


def holiday_of(name: str, year: int) -> datetime:
    """The day a holiday falls on, without a zone."""
    key = _key(name)
    if key in _FIXED:
        return datetime(year, *_FIXED[key])
    if key in _EASTER:
        return easter(year) + timedelta(days=_EASTER[key])
    month, weekday, nth, later = _NTH[key]
    return nth_weekday_of(year, month, weekday, nth) + timedelta(days=later)


def _key(name: str) -> str:
    """The name as the tables have it: without an apostrophe and its s, and without a "day" that can be left out."""
    words = [re.sub(r"['’]s$|s['’]$|['’]|\.", "", word) for word in name.lower().split()]
    key = " ".join(_SINGULAR.get(word, word) for word in words if word not in ("jr", "international"))
    return key if any(key in table for table in (_FIXED, _EASTER, _NTH)) else key.rpartition(" ")[0]


def days_off(holiday: datetime) -> tuple[datetime, datetime]:
    """The weekend a holiday makes: with it where it touches one or leaves one day between, else the one after it."""
    weekday = holiday.weekday()
    saturday = holiday + timedelta(days=(5 - weekday) if weekday > 0 else -2)
    monday = saturday + timedelta(days=2)
    starts_it = weekday in (_THURSDAY, 4)
    return holiday if starts_it else saturday, monday + timedelta(days=1) if weekday == _MONDAY else monday
