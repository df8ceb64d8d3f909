"""English, as the engine asks for it."""

from __future__ import annotations

import re
from types import MappingProxyType

from recollect.language.base import StatedState
from recollect.language.en.phrases import PHRASES
from recollect.language.en.questions import TIME_QUESTIONS
from recollect.language.en.sentence_rules import RULES
from recollect.language.en.times import GRAMMAR
from recollect.language.expression import expression
from recollect.language.frame.language import RuledLanguage
from recollect.language.terms import stem_of

NOT = expression(r"\b(?:not|never|no longer|stopped|quit|cannot)\b|n['’]t\b", re.IGNORECASE)
_CHANGE = expression(
    r"\b(?:no longer|not any ?more|anymore|now(?! that)|these days|moved|switched|changed|quit|stopped|left|joined"
    r"|instead)\b",
    re.IGNORECASE,
)


def _denies(sentence: str) -> bool:
    return NOT.search(sentence) is not None


def _tells_change(sentence: str) -> bool:
    return _CHANGE.search(sentence) is not None


def _no_states(sentence: str) -> tuple[StatedState, ...]:
    """The grammar of statements reads English sentences, and finds more in them than states."""
    return ()


ENGLISH = RuledLanguage(
    code="en",
    speakers=MappingProxyType({}),
    nouns_are_capital=False,
    sentence_rules=RULES,
    phrases=PHRASES,
    grammar=GRAMMAR,
    time_questions=TIME_QUESTIONS,
    stemmed=stem_of,
    denying=_denies,
    changing=_tells_change,
    stating=_no_states,
)
