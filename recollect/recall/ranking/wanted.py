"""What a question wants of its topic: in "what was the weather like at the fair?" the weather; the fair is its topic.

English only. In another language nothing is found, and nothing concluded from it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache

from recollect.language.terms import terms_of

WANTED_WORDS = 2

_ASKS = re.compile(r"\b(?:what|which|whose|tell me (?:more )?about|provide|explain|describe|give me)\b", re.IGNORECASE)
_ASKS_OTHERWISE = re.compile(
    r"\s*(?:how (?:many|much|long|often|far|old)|when|have i|did i|do i|is|are|was|were|does|has|had)\b", re.IGNORECASE
)

_ASKS_ADVICE = re.compile(
    r"\b(?:recommend|suggest|advice|advise|tips?|ideas?|help me|best way|planning|should i"
    r"|what (?:are|would be) (?:some|good|the best))\b",
    re.IGNORECASE,
)

# Words that say how to answer, or stand beside what is asked for, and are not expected in a record.
_LIGHT = """
say said says saying mention mentioned told talk talked talking kind type sort specific specifically exact exactly
detail details detailed provide explain describe give list listed summary summarize order help suggest recommend ever
before after during between total number numbers different way ways main key current currently recent recently im want
wanted look looking should make made use used using day days week weeks month months year years time times thing things
name named called first last most often long far old walk show share shared one two three four five six seven eight nine
ten take took into think feel good best new back up out over down off through across behind while since until both each
every these those such own same well even still now only ensure need please information
"""


@lru_cache(maxsize=1)
def _light_terms() -> frozenset[str]:
    return frozenset(term for word in _LIGHT.split() for term in terms_of(word))


def wanted_of(text: str, terms: Sequence[str], names: Collection[str]) -> list[int]:
    """Which of a question's terms say what is wanted: the first telling ones after the word that asks.

    None in a question for a number, for a day, or for yes or no: its answer need not name what was asked for.
    """
    asks = _ASKS.search(text)
    if asks is None or _ASKS_OTHERWISE.match(text):
        return []
    places = {term: place for place, term in enumerate(terms)}
    after = dict.fromkeys(term for term in terms_of(text[asks.end() :]) if term in places)
    return [places[term] for term in after if is_topical(term, names)][:WANTED_WORDS]


def is_topical(term: str, names: Collection[str]) -> bool:
    """Whether records about the topic can be expected to hold a term; names of people and numbers are not asked for."""
    return term not in names and not is_light(term) and not term.isdecimal()


def is_light(term: str) -> bool:
    """Whether a term says how to answer, or stands beside what is asked for."""
    return term in _light_terms()


def asks_advice(text: str) -> bool:
    """Whether a question asks for advice: it asks for nothing stored, yet what is known of the asker bears on it."""
    return _ASKS_ADVICE.search(text) is not None
