"""Whether a German clause speaks of what was or of what is to come, at the place where it names a time.

German tells of the future in the present ("am Freitag fahre ich nach Wien"), and of the past mostly in the perfect,
with its participle at the end ("am Freitag bin ich nach Wien gefahren"). So a clause is of the past where it has a form
of the past or a participle beside "haben" or "sein"; everything else is arranged, unless a word says that it is
planned, possible or a habit.
"""

from __future__ import annotations

import re
from functools import cache

from recollect.language import lists
from recollect.language.frame.tense import TenseWords
from recollect.language.joining import Says

_CLAUSE_END = re.compile(
    r"[,;:]|\s[-–]\s|\b(?:und|aber|oder|denn|sondern|weil|dass|wenn|als|damals|danach|deshalb|dann)\b", re.IGNORECASE
)
_HAVE_OR_BE = re.compile(
    r"\b(?:habe?|hast|hat|haben|habt|bin|bist|ist|sind|seid|wurden?|worden|sei|hab['’]s?|gewesen)\b", re.IGNORECASE
)
_PARTICIPLE = re.compile(
    r"(?<![\wäöüß])(?:(?:an|ab|auf|aus|bei|ein|mit|nach|vor|zu|zurück|um|weg|her|hin|los|fest|frei|statt|weiter"
    r"|zusammen|über|kennen|rum"
    r"|teil|heim|runter|rauf|raus|rein|durch|unter|wieder|fern|krank)?ge[a-zäöüß]{2,}(?:t|en)"
    r"|(?:an|ab|auf|aus|ein|mit|vor|zu)?(?:be|ver|er|ent|emp|zer|miss|über|unter|wider|hinter)[a-zäöüß]{3,}(?:t|en)"
    r"|[a-zäöüß]{2,}iert|gewesen|worden)(?![\wäöüß])"
)
_PLANNED = re.compile(
    r"\b(?:werde|wirst|wird|werden|werdet|will|willst|wollen|wollt|möchte|möchten|soll|sollen|muss|müssen|plane"
    r"|planen|plant"
    r"|vorhabe|bitte|erinner\w*|nicht vergessen|fällig|frist|termin|geplant|verschoben|morgen|übermorgen|gebucht"
    r"|eingeladen|freue mich|freuen uns)\b",
    re.IGNORECASE,
)
_POSSIBLE = re.compile(r"\b(?:kann|kannst|können|könnte|könnten|dürfte|vielleicht|würde|würden|sollte|sollten)\b", re.I)
_HABIT = re.compile(
    r"\b(?:immer|meistens|normalerweise|gewöhnlich|üblicherweise|regelmäßig|oft|stets)\b", re.IGNORECASE
)
_OF_THE_PAST = re.compile(
    r"\b(?:gestern|vorgestern|neulich|damals|letzte[nrsm]?|vorige[nrsm]?|vergangene[nrsm]?)\b", re.I
)
_FIXED_AHEAD = re.compile(
    r"\b(?:verschoben|verlegt|gebucht|reserviert|angesetzt|eingeladen|vereinbart|ausgemacht)\b", re.I
)
_FOR_A_DAY = re.compile(r"\b(?:auf|für|zum|bis)\s+(?:den\s+|dem\s+)?(?:nächsten\s+)?$", re.IGNORECASE)
_SINCE = re.compile(r"\bseit\s+(?:de[mr]\s+)?(?:(?:anfang|mitte|ende)\s+)?$", re.IGNORECASE)


def _says(clause: str) -> Says | None:
    if _preterite().search(clause) or (_HAVE_OR_BE.search(clause) and _PARTICIPLE.search(clause)):
        return "past"
    if _HABIT.search(clause):
        return "habit"
    if _PLANNED.search(clause):
        return "planned"
    if _POSSIBLE.search(clause):
        return "possible"
    if _OF_THE_PAST.search(clause) and not _present().search(clause):
        return "past"
    return "arranged" if _present().search(clause) else None


@cache
def _preterite() -> re.Pattern[str]:
    stems = "|".join(sorted(lists.words("de", "preterites"), key=len, reverse=True))
    return re.compile(rf"(?<![\w])(?:{stems})(?:st|e?n|t|et)?(?![\w])", re.IGNORECASE)


@cache
def _present() -> re.Pattern[str]:
    stems = "|".join(sorted(lists.words("de", "verbs"), key=len, reverse=True))
    return re.compile(rf"(?<![\w])(?:an|ab|auf|aus|ein|mit|zu)?(?:{stems})(?:e|e?st|e?t|e?n)?(?![\w])", re.IGNORECASE)


TENSE = TenseWords(
    clause_end=_CLAUSE_END,
    says=_says,
    for_a_day=_FOR_A_DAY,
    set_ahead=_FIXED_AHEAD,
    since=_SINCE,
)
