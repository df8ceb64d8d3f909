"""Which language a text is in, decided once, and what follows from that.

`language_for` is the door: it tells the language of a text and gives the `Language` that reads it. A text whose
language cannot be told is read as English, which most of them are. A text in a language without rules of its own is
read by what is the same in all of them: sentences, words, dates in digits.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from functools import cache

from recollect.language import lists
from recollect.language.base import Language
from recollect.language.calendar import Stretch
from recollect.language.detect import UNDETERMINED, Detected, detected
from recollect.language.finding import TimeMention
from recollect.language.sentences import Sentence

SUPPORTED = ("en", "de", "es")  # with rules; the folders of other languages hold lists
DEFAULT = "en"
EVIDENCE_MIN = 1.55  # words: one alone may be a name, or a slip ("met", "die", "im")
QUESTIONS, QUESTIONS_TOLD = "questions", "questions_told"  # the second where the language is known


def language_for(text: str) -> Language:
    """The language that reads this text; English unless enough words speak for another."""
    return reader_of(detected(text))


def reader_of(found: Detected) -> Language:
    """The language that reads what was detected so."""
    return language_named(found.code if found.evidence >= EVIDENCE_MIN else DEFAULT)


@cache
def language_named(code: str | None) -> Language:
    """The language of a two-letter code: English where it is not known, `OtherLanguage` where there are no rules."""
    if code in (None, "", UNDETERMINED, DEFAULT):
        from recollect.language.en.english import ENGLISH

        return ENGLISH
    if code == "de":
        from recollect.language.de.german import GERMAN

        return GERMAN
    if code == "es":
        from recollect.language.es.spanish import SPANISH

        return SPANISH
    from recollect.language.other import OtherLanguage

    return OtherLanguage(str(code))


def each_sentence(text: str) -> Iterator[Sentence]:
    """The sentences of a text by the rules of its language, one at a time."""
    return language_for(text).sentences(text)


def sentences_of(text: str) -> tuple[Sentence, ...]:
    """All sentences of a text by the rules of its language."""
    return tuple(each_sentence(text))


def times_in(text: str, said_at: datetime) -> tuple[TimeMention, ...]:
    """Every time a text names, by the rules of its language."""
    return language_for(text).times(text, said_at)


def stretch_of(phrase: str, now: datetime) -> Stretch | None:
    """The stretch of the calendar that a phrase names, in the first of our languages in which it names one."""
    for code in SUPPORTED:
        found = language_named(code).stretch(phrase, now)
        if found is not None:
            return found
    return None


@cache
def question_phrases(code: str | None = None) -> dict[str, tuple[str, ...]]:
    """The phrases of each sign in all languages that have such a list, and those of one that count in it alone."""
    out: dict[str, tuple[str, ...]] = {}
    every = [(path.parent.name, QUESTIONS) for path in sorted(lists.FOLDER.glob(f"*/{QUESTIONS}.txt"))]
    if code in SUPPORTED and (lists.FOLDER / code / f"{QUESTIONS_TOLD}.txt").exists():
        every.append((code, QUESTIONS_TOLD))
    for language, name in every:
        for sign, phrases in lists.sections(language, name).items():
            out[sign] = (*out.get(sign, ()), *phrases)
    return out
