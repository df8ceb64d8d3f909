"""The English words that join times: "since", "from … to", "at", "two weeks before", "for three days"."""

from __future__ import annotations

import re

from recollect.language.en.amounts import AMOUNT, UNIT, amount_of
from recollect.language.en.calendar_words import unit_named
from recollect.language.expression import expression
from recollect.language.found import Relation
from recollect.language.frame.joins import later
from recollect.language.joining import Joins

_RELATIONS: dict[str, Relation] = {
    "since": "since",
    "ever since": "since",
    "starting": "since",
    "starting on": "since",
    "starting from": "since",
    "beginning": "since",
    "beginning on": "since",
    "as of": "since",
    "as early as": "since",
    "no earlier than": "since",
    "as far back as": "since",
    "not before": "since",
    "on or after": "since",
    "after": "after",
    "later than": "after",
    "before": "before",
    "prior to": "before",
    "earlier than": "before",
    "until": "until",
    "till": "until",
    "up to": "until",
    "up until": "until",
    "by": "until",
    "as late as": "until",
    "no later than": "until",
    "on or before": "until",
    "around": "around",
    "circa": "around",
}
_RELATION = expression(
    rf"\b({'|'.join(sorted(map(re.escape, _RELATIONS), key=len, reverse=True))})\s+(?:the\s+)?(?:year\s+)?$",
    re.IGNORECASE,
)
_TAILS: dict[str, Relation] = {
    "onward": "since",
    "onwards": "since",
    "or later": "since",
    "or after": "since",
    "and later": "since",
    "or before": "until",
    "or earlier": "until",
    "and earlier": "until",
}
_TAIL = expression(
    rf"\s*+,?\s*+({'|'.join(sorted(_TAILS, key=len, reverse=True))})\b(?!\s+(?:in|this|that|on|at|today)\b)",
    re.IGNORECASE,
)
_BETWEEN = expression(r"\b(?:(?P<and>between)|from)\s+(?:the\s+)?$", re.IGNORECASE)
_TO = expression(r"\s*(?:-|–|—|~|to|until|till|through|thru|and)\s*(?:the\s+)?", re.IGNORECASE)
_TO_IN_WORDS = expression(r"\s*(?:-|–|—|~|to|until|till|through|thru)\s*(?:the\s+)?", re.IGNORECASE)
_TOGETHER = expression(
    r"\s*+[,-]?\s*+(?:@|at|on|in|of|for|from|(?P<how>before|after|until|till|by|since))?\s*+(?:the\s+)?", re.IGNORECASE
)
_ENDS = expression(r"(?:the\s+)?end\s+of\b", re.IGNORECASE)
_FROM = expression(r"\b(?:from|starting|beginning)\s+(?:on\s+)?(?:the\s+)?$", re.IGNORECASE)

_DISTANCE = (
    rf"(?<![\w-])(?:(?P<than>more|less) than )?(?:the (?P<unit>{UNIT})|(?P<amount>{AMOUNT})) "
    r"(?P<way>before|after|from|following|prior to) (?:the )?$"
)
_BEGINNING = rf"(?<![\w-])(?P<amount>{AMOUNT}),? (?:starting|beginning|commencing)(?: on| from| at)? $"
JOINS = Joins(
    relations=_RELATIONS,
    relation=_RELATION,
    tails=_TAILS,
    tail=_TAIL,
    between=_BETWEEN,
    to=_TO_IN_WORDS,
    and_or_to=_TO,
    together=_TOGETHER,
    end_of=_ENDS,
    starting=_FROM,
    distance=later(_DISTANCE),
    lasting=later(rf"(?:,? for (?P<amount>{AMOUNT}))(?!\w)"),
    beginning=later(_BEGINNING),
    backward=frozenset(["before", "prior to"]),
    more=frozenset(["more"]),
    amount_of=amount_of,
    unit_named=unit_named,
)
