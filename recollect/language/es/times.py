"""Times in running Spanish text: the phrases of `es.phrases`, the times of day of `es.clocks`, `es.tense`."""

from __future__ import annotations

from recollect.language.es.calendar_words import COUNT, UNIT, WEEKDAY, WORDS
from recollect.language.es.clocks import CLOCK_WORDS, CLOCKS
from recollect.language.es.joins import JOINS
from recollect.language.es.phrases import PHRASES
from recollect.language.es.sentence_rules import RULES
from recollect.language.es.tense import TENSE
from recollect.language.finding import TimeGrammar
from recollect.language.frame.repeating import Repeating
from recollect.language.frame.times import grammar_of

_ADVERBS = "diariamente semanalmente mensualmente anualmente trimestralmente".split()
_REPEATING_WORDS = frozenset(["cada", "todos", "todas", "los", "vez", "veces", "diario", "entre", *_ADVERBS])
_PERIOD = (
    "días?|dias?|semanas?|mes(?:es)?|trimestres?|años?|mañanas?|tardes?|noches?|veranos?|inviernos?|horas?"
    "|fines? de semana"
)
_PATTERNS = (
    rf"(?:todos|todas) (?:los|las) (?:{WEEKDAY}s?|{_PERIOD})",
    rf"cada (?:{COUNT} )?(?:{WEEKDAY}|{_PERIOD})",
    rf"los {WEEKDAY}s?(?: y (?:los )?{WEEKDAY}s?)?(?: alternos)?",
    rf"(?:una vez|{COUNT} veces) (?:al|a la|por|cada) {UNIT}",
    "a diario",
    "entre semana",
    "|".join(_ADVERBS),
)
REPEATING = Repeating(words=_REPEATING_WORDS, patterns=_PATTERNS)
GRAMMAR: TimeGrammar = grammar_of(
    phrases=PHRASES,
    sentence_rules=RULES,
    clocks=CLOCKS,
    clock_words=CLOCK_WORDS,
    repeating=REPEATING,
    weekday_in=WORDS.weekday_in,
    tense=TENSE,
    joins=JOINS,
)
