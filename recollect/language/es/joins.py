"""The Spanish words that join times: "desde", "del … al", "a las", "dos semanas antes de", "durante tres días"."""

from __future__ import annotations

import re

from recollect.language.es.calendar_words import AMOUNT, WORDS
from recollect.language.expression import expression
from recollect.language.found import Relation
from recollect.language.frame.joins import later, relation_before, tail_behind
from recollect.language.joining import Joins

_RELATIONS: dict[str, Relation] = {
    "desde": "since",
    "desde hace": "since",
    "ya desde": "since",
    "a partir de": "since",
    "a partir del": "since",
    "llevo": "since",
    "llevas": "since",
    "lleva": "since",
    "llevamos": "since",
    "llevan": "since",
    "después de": "after",
    "después del": "after",
    "despues de": "after",
    "despues del": "after",
    "tras": "after",
    "antes de": "before",
    "antes del": "before",
    "hasta": "until",
    "como muy tarde": "until",
    "a más tardar": "until",
    "sobre": "around",
    "hacia": "around",
    "alrededor de": "around",
    "alrededor del": "around",
    "en torno a": "around",
    "en torno al": "around",
}
_ARTICLE = r"(?:(?:el|la|los|las|día|año|mes de|en|a)\s+)?"
_RELATION = relation_before(_RELATIONS, _ARTICLE)
_TAILS: dict[str, Relation] = {"o después": "since", "o más tarde": "since", "o antes": "until", "en adelante": "since"}
_TAIL = tail_behind(_TAILS)
_BETWEEN = expression(rf"\b(?:(?P<and>entre)|desde|del?)\s+{_ARTICLE}$", re.IGNORECASE)
_TO = expression(rf"\s*(?:-|–|—|\ba|\bal|\bhasta)\s*{_ARTICLE}", re.IGNORECASE)
_AND_OR_TO = expression(rf"\s*(?:-|–|—|\ba|\bal|\bhasta|\by)\s*{_ARTICLE}", re.IGNORECASE)
_TOGETHER = expression(
    r"\s*+[,-]?\s*+(?:a|por|en|de|sobre|hacia|(?P<how>antes de|después de|hasta|desde))?\s*+(?:el\s+|la\s+)?",
    re.IGNORECASE,
)
_END_OF = expression(r"(?:a\s+)?(?:finales|fines|fin)\s+de\b", re.IGNORECASE)
_STARTING = expression(r"\b(?:desde|a\s+partir\s+del?|empezando)\s+(?:el\s+)?$", re.IGNORECASE)

_DISTANCE = (
    rf"(?<![\w-])(?:(?P<than>más|menos) de )?(?:(?:el|la) (?P<unit>día|semana|mes|año)|"
    rf"(?P<amount>{AMOUNT})) (?P<way>antes|después|despues) (?:de |del ){_ARTICLE}$"
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
    end_of=_END_OF,
    starting=_STARTING,
    distance=later(_DISTANCE),
    lasting=later(rf"(?:,? (?:durante|por) (?P<amount>{AMOUNT}))(?!\w)"),
    beginning=later(rf"(?<![\w-])(?P<amount>{AMOUNT}),? (?:a partir del?|desde)(?: el)? $"),
    backward=frozenset(["antes"]),
    more=frozenset(["más"]),
    amount_of=WORDS.amount_of,
    unit_named=WORDS.unit_named,
    apart=True,
)
