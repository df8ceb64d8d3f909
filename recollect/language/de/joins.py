"""The German words that join times: "seit", "von … bis", "um", "zwei Wochen vor", "ab … für drei Tage"."""

from __future__ import annotations

import re

from recollect.language.de.calendar_words import AMOUNT, WORDS
from recollect.language.expression import expression
from recollect.language.found import Relation
from recollect.language.frame.joins import later, relation_before, tail_behind
from recollect.language.joining import Joins

_RELATIONS: dict[str, Relation] = {
    "seit": "since",
    "schon seit": "since",
    "ab": "since",
    "beginnend": "since",
    "frühestens": "since",
    "nach": "after",
    "vor": "before",
    "vorm": "before",
    "bis": "until",
    "bis spätestens": "until",
    "spätestens": "until",
    "bis zum": "until",
    "bis zur": "until",
    "bis ende": "until",
    "gegen": "around",
    "rund um": "around",
    "um": "around",
    "circa": "around",
    "etwa": "around",
}
_ARTICLE = r"(?:(?:de[mnrs]|das|die|zum|zur|am|im|in|jahr)\s+)?"
_RELATION = relation_before(_RELATIONS, _ARTICLE)
_TAILS: dict[str, Relation] = {"oder später": "since", "oder früher": "until", "herum": "around"}
_TAIL = tail_behind(_TAILS)
_BETWEEN = expression(rf"\b(?:(?P<and>zwischen)|von|vom)\s+{_ARTICLE}$", re.IGNORECASE)
_TO = expression(rf"\s*(?:-|–|—|bis)\s*{_ARTICLE}", re.IGNORECASE)
_AND_OR_TO = expression(rf"\s*(?:-|–|—|bis|und)\s*{_ARTICLE}", re.IGNORECASE)
_TOGETHER = expression(
    r"\s*+[,-]?\s*+(?:um|gegen|am|in der|zu|so um|(?P<how>vor|nach|bis|ab|seit))?\s*+(?:dem\s+)?", re.IGNORECASE
)
_NEVER = expression(r"(?!)")
_STARTING = expression(r"\b(?:ab|von|vom|beginnend)\s+(?:am\s+|dem\s+)?$", re.IGNORECASE)

_DISTANCE = (
    rf"(?<![\w-])(?:(?P<than>mehr|weniger) als )?(?:(?:am|der|den|die|dem) (?P<unit>tag|woche|monat|jahr)|"
    rf"(?P<amount>{AMOUNT})) (?P<way>vor|nach) {_ARTICLE}$"
)
JOINS = Joins(
    relations=_RELATIONS,
    relation=_RELATION,
    tails=_TAILS,
    tail=_TAIL,
    between=_BETWEEN,
    to=_TO,
    and_or_to=_AND_OR_TO,
    together=_TOGETHER,
    end_of=_NEVER,
    starting=_STARTING,
    distance=later(_DISTANCE),
    lasting=later(rf"(?:,? für (?P<amount>{AMOUNT}))(?!\w)"),
    beginning=later(rf"(?<![\w-])(?P<amount>{AMOUNT}),? (?:ab|beginnend am) $"),
    backward=frozenset(["vor"]),
    more=frozenset(["mehr"]),
    amount_of=WORDS.amount_of,
    unit_named=WORDS.unit_named,
    apart=True,
)
