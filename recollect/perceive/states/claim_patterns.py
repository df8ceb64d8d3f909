"""The wording by which values and their changes are recognised: patterns, and the words of `language/en/claims.txt`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from recollect.language import lists
from recollect.language.en.calendar_words import ANY_MONTH
from recollect.language.expression import expression
from recollect.language.terms import telling, terms_of


def stems(words: Iterable[str]) -> frozenset[str]:
    """The terms of some words."""
    return frozenset(terms_of(" ".join(words)))


_WORDS = lists.sections("en", "claims")

_MONTH = f"(?:{ANY_MONTH})"
_AMOUNT = r"(?:\d++(?:,\d{3})++(?:\.\d++)?|\d++(?:\.\d++)?)"
_NUMBERS = "two three four five six seven eight nine ten eleven twelve".split()

VALUE = expression(
    rf"""(?P<money>[$€£]\s?{_AMOUNT}(?:\s?(?:k|m|million|thousand)\b)?)
    | (?P<percent>{_AMOUNT}\s?(?:%|percent\b))
    | (?P<clock>\b\d{{1,2}}(?::\d\d)?\s?[ap]\.?m\b\.?|\b\d{{1,2}}:\d\d\b)
    | (?P<date>\b{_MONTH}\.?\s+\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s+\d{{4}}\b)?
        |\b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}\b(?:,?\s+\d{{4}}\b)?|\b\d{{4}}-\d\d-\d\d\b)
    | (?P<ratio>(?<![\w/.])\d+\s?/\s?\d+(?![\w/.]))
    | (?P<number>(?<![\w./:\-]){_AMOUNT}(?:\s?[-–]\s?{_AMOUNT})?(?![\w./:]*\d)(?P<unit>[a-z]{{1,3}}\b)?)
    | (?P<word>\b(?:{"|".join(_NUMBERS)})\b)""",
    re.IGNORECASE | re.VERBOSE,
)
_KINDS = frozenset(("money", "percent", "clock", "date", "ratio"))  # names of sorts: never what is counted
_DIGIT = expression(r"\d")
_DAY_PARTS = expression(rf"({_MONTH})|\b(\d{{1,2}})(?:st|nd|rd|th)?\b", re.IGNORECASE)
_COUNTED = expression(r"\s(?:of\s|more\s|new\s|different\s|whole\s|full\s)?([a-z]+)", re.IGNORECASE)

# Before a value: "extended … to", "reached", "the increased … of", "now". A capital New begins a name.
CHANGED = expression(
    r"\b(?:re-?schedul\w+|postpon\w+|push(?:ed|ing)|delay(?:ed|ing)|mov(?:ed|ing)|shift(?:ed|ing)|chang(?:ed|ing)"
    r"|updat(?:e|ed|ing)|revis(?:ed|ing)|adjust(?:ed|ing)?|extend(?:ed|ing)|shorten(?:ed|ing)|expand(?:ed|ing)"
    r"|increas(?:ed|ing)|decreas(?:ed|ing)|reduc(?:ed|ing)|rais(?:ed|ing)|lower(?:ed|ing)|dropp?ed|rose|risen"
    r"|gr[eo]wn?|fell|fallen|climbed|jumped|improv(?:ed|ing)|boost(?:ed|ing)|bump(?:ed|ing)|upgrad(?:ed|ing)"
    r"|switch(?:ed|ing)|reach(?:ed|ing)|brought forward|(?-i:new)|instead|now(?! that)|currently|actually)\b",
    re.IGNORECASE,
)
NOW_AFTER = expression(r"(?:\s\w+){0,3}?\s(?:now|instead|currently)\b", re.IGNORECASE)
RESET = expression(r"re-?schedul|postpon|push|delay|mov|shift|chang|now", re.IGNORECASE)  # what a day can be set by
MOVED = expression(r"\b(?:re-?scheduled|postponed|called off|cancell?ed|pushed back|brought forward)\b", re.IGNORECASE)
ENDED = expression(
    r"\b(?:(?:no longer|(?:have|has|'ve|’ve)? ?(?:stopped|quit|given up|gave up))\s+(?!by\b|at\b|in\b|for\b|to\b)"
    r"|(?:switched|migrated|moved|changed)(?: over)? from\s+(?=\D))(?P<what>[^,.;]+?)(?=(?<!\s)\s+to\s|[,.;]|$)",
    re.IGNORECASE,
)
_CHANGE_HINTS = (
    "schedul",
    "postpon",
    "called off",
    "cancel",
    "pushed back",
    "brought forward",
    "no longer",
    "stopped",
    "quit",
    "given up",
    "gave up",
    " from ",
)
HELD = expression(
    r"\b(?P<who>I|We|[A-Z][a-z]+)(?:\s+(?:now|just|recently|currently|have|has|am|is)|['’](?:ve|m|s))*\s+"
    r"(?:(?P<home>(?:lives?|living|based)\s+in\s+|(?P<moved>(?:moved|relocated)\s+to\s+))"
    r"|(?:works?|working)\s+(?:at|for)\s+|(?:joined|started\s+at)\s+)(?P<where>[A-Z][\w&.-]*(?:\s+[A-Z][\w&.-]*){0,2})"
)
IS = expression(
    r"\b(?:(?P<owner>[A-Z][a-z]+)['’]s|[Mm]y|[Oo]ur)\s+(?P<what>[a-z]+(?:[ -][a-z]+){0,2})\s+(?:is|are)\s+"
    r"(?P<now>now\s+|currently\s+)?(?!to\b|that\b|not\b|going\b|when\b|how\b|if\b)(?P<value>[\w'’-]+(?:\s(?!now\b)[\w'’-]+)?)"
    r"(?P<after>\s+now\b)?\s*(?=[.,;!?)]|$|and\b|but\b)"
)
NOT = expression(r"\b(?:not|never|no longer|stopped|quit|cannot)\b|n['’]t\b", re.IGNORECASE)

# Right before a value: it is one more, a difference, an old one, a span of time, a day on which something happened.
MORE = expression(r"\b(?:another|second|third|additional|extra|each|per|other)\s+$", re.IGNORECASE)
STEP = expression(r"\bby\s+(?:about |around |almost |nearly |over )?$", re.IGNORECASE)
APART_AFTER = expression(r"\s(?:over|off|more than|less than|cheaper|each|apiece|extra)\b", re.IGNORECASE)
FROM = expression(r"\bfrom\s+(?:about |around )?$", re.IGNORECASE)
TO = expression(r"\s*(?:\w+\s+)?(?:to|down to|up to)\s+$", re.IGNORECASE)
ON = expression(r"\bon\s+$", re.IGNORECASE)
OF_A_SPAN = expression(
    r"\b(?:over|for|in|within|during|after|last|past|next|since|between)\s+(?:the |a |about |just |only )*$",
    re.IGNORECASE,
)
SPAN_UNITS = stems(_WORDS["span units"])
AIM = expression(
    r"\b(?:goal|target\w*|aim\w*|at least|at most|less than|more than|under|below|within|want|hop(?:e|ing)|need"
    r"|help me)\b|\b(?:ensur|achiev|maintain|gett?)(?:e|ing)?\s+(?:a |an |the )?$",
    re.IGNORECASE,
)
AIMED = expression(r"\s*(?:\w+\s+)?(?:goal|target)\b", re.IGNORECASE)  # … and right after it

# Which one of several is meant.
ORDINAL = expression(r"\b(first|second|third|fourth|fifth)\b", re.IGNORECASE)
NUMBERED = expression(r"\b([a-z]{3,})\s+#?(\d{1,2}|[IVX]{2,4}|[B-D])\b(?![,.:/]\d|%|\s*[ap]m)")
PERIOD = expression(rf"\b(?=[A-Z])(?:(?i:{_MONTH})|(?i:mon|tues|wednes|thurs|fri|satur|sun)day)\b(?!\.?\s*\d)")

ASSURING = stems(_WORDS["assuring"])  # of a value, not part of it
TALK = stems(_WORDS["talk"])  # words of asking and telling


def may_hold_a_value(lowered: str) -> bool:
    """A cheap test before `VALUE`, on lower-cased text."""
    return bool(_DIGIT.search(lowered)) or any(number in lowered for number in _NUMBERS)


def may_hold_a_change(lowered: str) -> bool:
    """A cheap test before `MOVED` and `ENDED`, on lower-cased text."""
    return any(hint in lowered for hint in _CHANGE_HINTS)


def amount_of(match: re.Match[str]) -> str:
    """The value as it is compared: "4,700" and "4700" are one, and so are "four" and "4"."""
    text = match[0].lower().replace(",", "")
    if match["word"]:
        return str(_NUMBERS.index(text) + 2)
    if match["unit"]:
        text = text.removesuffix(match["unit"].lower())
    return re.sub(r"\s|\.00?\b|(?<=[ap])\.|\.$", "", text)


def day_of(text: str) -> str:
    """A day without its year: "April 5, 2024" and "5th of April" are one."""
    parts = _DAY_PARTS.findall(text.lower())
    month = next((name for name, _ in parts if name), "")[:3]
    day = next((number for _, number in parts if number), "")
    return f"{month} {day}" if month and day else text


def unit_after(text: str) -> str:
    """What is counted, by the word after a number; "" when none follows."""
    following = _COUNTED.match(text)
    terms = telling(terms_of(following[1])) if following else []
    return terms[-1] if terms and terms[-1] not in TALK | _KINDS else ""
