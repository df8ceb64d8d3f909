"""The signs in a question's words: which phrase asks, and what stands beside it."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import NamedTuple

from recollect.language import lists
from recollect.language.expression import expression
from recollect.language.spoken import DEFAULT, SUPPORTED, each_sentence, language_for, question_phrases
from recollect.language.words import PLAIN
from recollect.recall.question.signs import SIGNS, PhrasePlace, QuestionSign

_OPENING_WORDS = 3  # "and when …", "so, hey, when …"
_PERSON_WORDS = 3  # "what famous jazz singer": how far behind `what` the noun may be
_MARK = expression("[\u0300-\u036f]")
_UNSPACED = expression("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")  # written without spaces, or with endings
_ENDS_ASKING = ("?", "？")

Phrase = tuple[str, ...]


class FoundSign(NamedTuple):
    """A sign, and the words it was found in."""

    sign: QuestionSign
    start: int
    end: int


class Wording(NamedTuple):
    """What the words of a question say. `asked` is the phrase that asks, `beside` the signs that only add."""

    length: int  # in words; 0 without any
    asked: QuestionSign | None
    beside: dict[str, QuestionSign]
    of_person: bool  # `which colleague …`
    questions: int  # phrases that ask, and question marks, whichever are more


def wording_of(text: str) -> Wording:
    """Read all words of a text; where it holds a question and more, that question asks."""
    words, code = words_of(text), language_for(text).code
    found = found_in(words, code)
    question = _question_in(text)
    asking_words = words if question == text else words_of(question)
    asked = _asked_in(found if asking_words is words else found_in(asking_words, code)) or _asked_in(found)
    return Wording(
        length=length_of(text) if words else 0,
        asked=asked and asked.sign,
        beside={each.sign.name: each.sign for each in found if each.sign.place is PhrasePlace.ANYWHERE},
        of_person=asked is not None and _of_person(asking_words, asked, code),
        questions=max(sum(each.sign.place is PhrasePlace.FIRST for each in found), sum(map(text.count, _ENDS_ASKING))),
    )


def words_of(text: str) -> list[str]:
    """The folded words of a text; phrases of languages without spaces stand by themselves."""
    folded = fold(text)
    if not folded.isascii() and _UNSPACED.search(folded):
        folded = _unspaced_words().sub(r" \g<0> ", folded)
    return PLAIN.findall(folded)


def length_of(text: str) -> int:
    """How many words; two characters count as one where they are written without spaces."""
    unspaced = 0 if text.isascii() else len(_UNSPACED.findall(text))
    return len(text.split()) + unspaced // 2


def fold(text: str) -> str:
    """Lower case without accents; `ß` is `ss`."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", _MARK.sub("", unicodedata.normalize("NFKD", text.casefold())))


def found_in(words: list[str], code: str | None = None) -> list[FoundSign]:
    """The signs of all phrases, from left to right; at one place the longest phrase, and none inside another.

    With the `code` of the language, phrases count too that mean something else in another one.
    """
    known = _phrases(code if code in SUPPORTED and code != DEFAULT else None)
    found: list[FoundSign] = []
    behind = 0
    for start, word in enumerate(words):
        if start < behind or word not in known:
            continue
        for phrase, signs in known[word]:
            end = start + len(phrase)
            if tuple(words[start:end]) == phrase:
                found += [FoundSign(sign, start, end) for sign in signs]
                behind = end
                break
    return found


def _asked_in(found: list[FoundSign]) -> FoundSign | None:
    first = (each for each in found if each.sign.place is PhrasePlace.FIRST)
    opening = (each for each in found if each.sign.place is PhrasePlace.OPENING and each.start < _OPENING_WORDS)
    return next(first, None) or next(opening, None)


def _of_person(words: list[str], asked: FoundSign, code: str) -> bool:
    """`Which old friend called?` is after a person; `which friend's car` and `what is my friend` are not."""
    if asked.end - asked.start > 1 or asked.sign.asks != "what":
        return False
    links = lists.words(code if code in SUPPORTED else DEFAULT, "question_links")
    for place in range(asked.end, min(asked.end + _PERSON_WORDS, len(words))):
        if words[place] in links:
            return False
        if words[place] in _person_words():
            return words[place + 1 : place + 2] != ["s"]
    return False


def _question_in(text: str) -> str:
    """The first sentence that ends in a question mark; the whole text if there is none."""
    if not any(mark in text for mark in _ENDS_ASKING):
        return text
    return next((each.text for each in each_sentence(text) if each.text.endswith(_ENDS_ASKING)), text)


@cache
def _phrases(code: str | None) -> dict[str, list[tuple[Phrase, list[QuestionSign]]]]:
    """By its first word: each phrase with the signs it gives, longest first."""
    signs: dict[Phrase, list[QuestionSign]] = {}
    for sign in SIGNS:
        for phrase in dict.fromkeys(tuple(each.split()) for each in _alternatives(sign.name, code)):
            signs.setdefault(phrase, []).append(sign)
    by_first: dict[str, list[tuple[Phrase, list[QuestionSign]]]] = {}
    for phrase in sorted(signs, key=len, reverse=True):
        by_first.setdefault(phrase[0], []).append((phrase, signs[phrase]))
    return by_first


def _alternatives(name: str, code: str | None = None) -> list[str]:
    return [fold(phrase) for phrase in question_phrases(code)[name]]


@cache
def _person_words() -> frozenset[str]:
    return frozenset(_alternatives("people"))


@cache
def _unspaced_words() -> re.Pattern[str]:
    every = (word for name in question_phrases() for phrase in _alternatives(name) for word in phrase.split())
    words = {word for word in every if _UNSPACED.search(word)}
    return re.compile("|".join(map(re.escape, sorted(words, key=len, reverse=True))))
