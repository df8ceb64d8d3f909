"""Whether a question asks how something came to be as it is: since when, what changed, how it developed."""

from __future__ import annotations

import re

from recollect.language.expression import expression

_DEVELOPMENT = expression(
    r"\b(?:since when|how long ha(?:s|ve)|used to|over (?:time|the years)|(?:history|evolution|development|timeline) of"
    r"|what(?:['’]s| has| have| is| was)? (?:\w+ ){0,3}chang(?:e|ed|es)"
    r"|(?:has|have|did) (?:[\w'’]+ ){1,6}?chang(?:e|ed)"
    r"|how (?:has|have|did) (?:[\w'’]+ ){1,6}?(?:chang|evolv|develop|progress)\w*|before (?:that|then)"
    r"|seit wann|wie lange schon|was hat sich|(?:hat|haben) sich (?:\w+ ){1,5}(?:geändert|verändert|entwickelt)"
    r"|desde cuándo|qué (?:ha )?cambi(?:ó|ado)|cómo (?:ha )?(?:cambi|evolucion)\w+)",
    re.IGNORECASE,
)


def asks_how_it_developed(text: str) -> bool:
    """Whether the steps that led to what holds now are asked for, and not only what holds."""
    return _DEVELOPMENT.search(text) is not None
