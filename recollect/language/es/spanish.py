"""Spanish, as the engine asks for it."""

from __future__ import annotations

from functools import partial
from types import MappingProxyType

from recollect.language import changes
from recollect.language.es.phrases import PHRASES
from recollect.language.es.questions import TIME_QUESTIONS
from recollect.language.es.sentence_rules import RULES
from recollect.language.es.states import states_in
from recollect.language.es.times import GRAMMAR
from recollect.language.frame.language import RuledLanguage
from recollect.language.terms import stem_in

SPANISH = RuledLanguage(
    code="es",
    speakers=MappingProxyType({"the user": "el usuario", "the assistant": "el asistente"}),
    nouns_are_capital=False,
    sentence_rules=RULES,
    phrases=PHRASES,
    grammar=GRAMMAR,
    time_questions=TIME_QUESTIONS,
    stemmed=partial(stem_in, "spanish"),
    denying=partial(changes.denies, "es"),
    changing=partial(changes.tells_change, "es"),
    stating=states_in,
)
