"""German, as the engine asks for it."""

from __future__ import annotations

from functools import partial
from types import MappingProxyType

from recollect.language import changes
from recollect.language.de.phrases import PHRASES
from recollect.language.de.questions import TIME_QUESTIONS
from recollect.language.de.sentence_rules import RULES
from recollect.language.de.states import states_in
from recollect.language.de.times import GRAMMAR
from recollect.language.frame.language import RuledLanguage
from recollect.language.terms import stem_in

GERMAN = RuledLanguage(
    code="de",
    speakers=MappingProxyType({"the user": "der Nutzer", "the assistant": "der Assistent"}),
    nouns_are_capital=True,
    sentence_rules=RULES,
    phrases=PHRASES,
    grammar=GRAMMAR,
    time_questions=TIME_QUESTIONS,
    stemmed=partial(stem_in, "german"),
    denying=partial(changes.denies, "de"),
    changing=partial(changes.tells_change, "de"),
    stating=states_in,
)
