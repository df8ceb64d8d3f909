"""Times in running German text: the phrases of `de.phrases`, the times of day of `de.clocks`, `de.tense`."""

from __future__ import annotations

from recollect.language.de.calendar_words import COUNT, WEEKDAY, WEEKDAY_WORDS, WORDS
from recollect.language.de.clocks import CLOCK_WORDS, CLOCKS
from recollect.language.de.joins import JOINS
from recollect.language.de.phrases import PHRASES
from recollect.language.de.sentence_rules import RULES
from recollect.language.de.tense import TENSE
from recollect.language.finding import TimeGrammar
from recollect.language.frame.repeating import Repeating
from recollect.language.frame.times import grammar_of

_ADVERBS = "täglich wöchentlich monatlich jährlich vierteljährlich stündlich werktags wochenends".split()
_REPEATING_WORDS = frozenset(
    ["jede", "jeden", "jedes", "jeder", "jedem", "alle", "pro", "mal", "einmal", "zweimal", "dreimal", *_ADVERBS]
    + [f"{day}s" for day in WEEKDAY_WORDS]
)
_PERIOD = (
    "tag|woche|monat|quartal|jahr|abend|morgen|nacht|nachmittag|wochenende|sommer|winter|frühling|herbst|stunde|minute"
)
_PATTERNS = (
    rf"jede[nrsm]? (?:(?:zweite[nrsm]?|dritte[nrsm]?|{COUNT}) )?(?:{WEEKDAY}\w*|{_PERIOD})",
    rf"alle (?:{COUNT} )?(?:tage|wochen|monate|jahre|stunden|minuten)",
    rf"(?:einmal|zweimal|dreimal|{COUNT} ?mal) (?:pro|im|in der|am|jede[nrs]?) (?:tag|woche|monat|jahr|quartal)",
    rf"(?:immer )?(?:{WEEKDAY})s",
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
