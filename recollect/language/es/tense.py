"""Whether a Spanish clause speaks of what was or of what is to come, at the place where it names a time.

Spanish says it by the ending of the verb: "compré", "compraba", "he comprado" are over, "compraré" and "voy a comprar"
are to come, and the present tells of both ("mañana viajo"). Where an ending is shared ("compramos", "preparé"), what
the rest of the clause says decides; lists hold the irregular forms and the words that only look like one.
"""

from __future__ import annotations

import re
from functools import cache

from recollect.language import lists
from recollect.language.frame.tense import TenseWords
from recollect.language.joining import Says

_CLAUSE_END = re.compile(
    r"[,;:]|\s[-–]\s|\b(?:y|e|pero|o|sino|porque|aunque|cuando|mientras|entonces|luego|si)\b", re.IGNORECASE
)
_WORD = re.compile(r"[a-záéíóúüñ]+")
# Endings of the future stand behind an "r"; those of the imperfect in "-ía" do not, or they are a conditional.
_FUTURE = tuple(
    stem + end for stem in ("ar", "er", "ir", "dr", "br", "rr", "lr") for end in "é ás á emos éis án".split()
)
_PRETERITE = ("é", "ó", "aste", "iste", "aron", "ieron", "asteis", "isteis", "í")
_IMPERFECT = ("aba", "abas", "aban", "ábamos", "abais")
_IMPERFECT_IA, _CONDITIONAL = ("ía", "ías", "ían", "íamos", "íais"), ("ría", "rías", "rían", "ríamos", "ríais")
_SHARED = ("amos", "imos")  # the same in the present: the past where a word of it says so
_STEM_CHARS_MIN = 2
_PERFECT = re.compile(
    r"\b(?:he|has|ha|hemos|habéis|han|había|habías|habían|habíamos)\s+(?:\w+\s+)?\w*(?:ado|ido|ído|cho|sto|rto|lto|oto)\b"
)
_PLANNED = re.compile(
    r"\b(?:(?:voy|vas|va|vamos|vais|van)\s+a\s+\w+r(?:me|te|se|nos|lo|la)?\b|quiero|queremos|quiere|pienso|pensamos|planeo"
    r"|tengo\s+que|tenemos\s+que|hay\s+que|debo|debemos|toca|recu[eé]rda\w*|av[ií]same|no\s+olvid\w+|vence|caduca|plazo"
    r"|pendiente|previsto|prevista|aplaz\w+|reservad[oa]|quedamos|queda|quedan|cita|mañana|pasado\s+mañana)\b"
)
_POSSIBLE = re.compile(
    r"\b(?:puedo|puede|pueden|podemos|podría|podrían|quizás?|tal\s+vez|a\s+lo\s+mejor|\w+ría[ns]?)\b"
)
_HABIT = re.compile(
    r"\b(?:siempre|normalmente|habitualmente|suelo|suele|solemos|suelen|a\s+menudo|generalmente|cada)\b", re.IGNORECASE
)
_OF_THE_PAST = re.compile(r"\b(?:ayer|anteayer|anoche|antier|pasad[oa]s?|hace|últim[oa]s?)\b")
_AHEAD = re.compile(r"\b(?:que\s+viene|próxim[oa]s?|dentro\s+de|siguiente)\b")
_SINCE = re.compile(
    r"\bdesde\s+(?:(?:el|la|los|las)\s+)?(?:(?:principios|mediados|finales|inicios)\s+de\s+)?$", re.IGNORECASE
)
_SET_FOR = re.compile(
    r"\b(?:aplaz|pospuest|pospon|cambi|mov|mud|traslad|reserv|fij|acord|invit|adelant|retras)\w*", re.IGNORECASE
)
_FOR_A_DAY = re.compile(r"\b(?:para|al|a|hasta)\s+(?:el\s+|la\s+)?(?:próxim[oa]\s+)?$", re.IGNORECASE)


def _says(clause: str) -> Says | None:
    lowered = clause.lower()
    if _HABIT.search(lowered):
        return "habit"
    words = _WORD.findall(lowered)
    if _PERFECT.search(lowered) or any(map(_is_past, words)):
        return "past"
    if _PLANNED.search(lowered) or any(word.endswith(_FUTURE) for word in words):
        return "planned"
    if _POSSIBLE.search(lowered):
        return "possible"
    if _OF_THE_PAST.search(lowered) and not _AHEAD.search(lowered):
        return "past"
    if any(word.endswith(_SHARED) and word not in _verbs()["present"] for word in words):
        return "arranged" if _AHEAD.search(lowered) else None
    return "arranged" if not _verbs()["present"].isdisjoint(words) else None


def _is_past(word: str) -> bool:
    known = _verbs()
    if word in known["past"]:
        return True
    if word in known["not past"]:
        return False
    if len(word) <= _STEM_CHARS_MIN or word.endswith((*_FUTURE, *_CONDITIONAL)):
        return False
    return word.endswith((*_PRETERITE, *_IMPERFECT, *_IMPERFECT_IA))


@cache
def _verbs() -> dict[str, frozenset[str]]:
    return dict(lists.sets("es", "verbs"))


TENSE = TenseWords(
    clause_end=_CLAUSE_END,
    says=_says,
    for_a_day=_FOR_A_DAY,
    set_ahead=_SET_FOR,
    since=_SINCE,
)
