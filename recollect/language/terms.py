"""The terms of a text: what every text index stores and what every query is made of.

One analysis for all of them, so that the on-disk index, the one in memory and the tail of newest records agree
on what matches. Lower case, accents folded, English stems ("bought" is a form of "buy"), code identifiers whole and in
parts (`parse_config` → `parse_config`, `pars`, `config`), Chinese, Japanese and Korean as pairs of characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from threading import Lock
from typing import Any

from recollect.language import lists
from recollect.language.expression import expression
from recollect.language.spoken import DEFAULT, SUPPORTED, language_for
from recollect.limits import QUERY_TERMS_MAX

# Vowel signs and points of Hebrew, Arabic, the scripts of India, Thai, Lao, Burmese and Khmer: parts of a word, which
# Python's \w does not count as such.
_SIGNS = (
    "\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff"
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ebc\u0ec8-\u0ecd\u102b-\u103e\u17b4-\u17d3"
)
_LETTERS = rf"(?:[^\W_]|[{_SIGNS}])+"
# Letters and digits, joined inside by the characters that hold identifiers, paths, handles and versions together.
_WORD = expression(rf"(?:(?<![@#_])[@#_]++)?{_LETTERS}(?:[._\-@'’]++{_LETTERS})*")
_ASCII_WORD = re.compile(
    r"(?:(?<![@#_])[@#_]++)?[A-Za-z0-9]++(?:[._\-@']++[A-Za-z0-9]++)*"
)  # the same for most texts, in half the time
_PART = re.compile(_LETTERS)
_ACCENT = expression("[\u0300-\u036f]")
_NOT_A_TERM = expression(rf"(?![._\-@#{_SIGNS}])[\W]")  # what is left of ½ between 1 and 2
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_CJK = expression(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_POSSESSIVE = re.compile(r"['’]s$")
_TERM_CHARS_MAX = 64
_WITHHELD = re.compile(r"\[(?:confidential|sensitive)(?:: [a-z_, ]{1,200})?\]")

_FOREIGN = tuple(code for code in SUPPORTED if code != DEFAULT)
STOP_WORDS = lists.words("en", "stop_words")
FILLERS = lists.words("en", "question_fillers")

_STEMMING = Lock()  # a Snowball stemmer keeps state between calls; misses of the cache below take turns


def is_withheld(text: str) -> bool:
    """Whether a text only stands for one that is sealed, and says nothing of it but what sort of data it holds."""
    return text[:1] == "[" and _WITHHELD.fullmatch(text) is not None


def terms_of(text: str) -> list[str]:
    """Every term of a text, in order, with repeats: what an index stores. What is withheld has none."""
    out: list[str] = []
    if is_withheld(text):
        return out
    for word in _ASCII_WORD.findall(text) if text.isascii() else _words_of_any_script(text):
        out.extend(_terms_of_word(word))
    return out


def _words_of_any_script(text: str) -> list[str]:
    """A letter and its accent may come as two characters, and would fall apart if they stayed two."""
    return _WORD.findall(unicodedata.normalize("NFKC", text))


def telling(terms: Sequence[str]) -> list[str]:
    """The terms that tell something: function words and fillers of our languages left out."""
    silent = _silent_terms()
    return [term for term in terms if term not in silent]


def query_terms(text: str) -> list[str]:
    """The distinct telling terms of a question; all of them if nothing else is left.

    A question that is told to be German also loses "die" and "war", which in any other text may be English words.
    """
    every = list(dict.fromkeys(terms_of(text)))
    silent = _silent_in(language_for(text).code)
    return ([term for term in telling(every) if term not in silent] or every)[:QUERY_TERMS_MAX]


@lru_cache(maxsize=1 << 16)
def _terms_of_word(word: str) -> tuple[str, ...]:
    """Terms of one word; cached, as texts repeat their words and stemming is the costly part."""
    if not word.isascii() and _CJK.search(word):
        return _cjk_terms(word)
    word = _POSSESSIVE.sub("", word).replace("'", "").replace("’", "")
    whole = _fold(word)
    parts = [_fold(piece) for part in _PART.findall(word) for piece in _CAMEL.split(part)]
    if parts == [whole]:
        return (stem_of(whole),)
    name = stem_of(whole) if whole.isalnum() else whole[:_TERM_CHARS_MAX]  # `parseConfig` is also asked for as one word
    return tuple(dict.fromkeys([name, *map(stem_of, parts)]))


def _fold(word: str) -> str:
    lowered = word.lower()
    if lowered.isascii():
        return lowered
    plain = _ACCENT.sub("", unicodedata.normalize("NFKD", lowered))
    return _NOT_A_TERM.sub("", unicodedata.normalize("NFKC", plain).casefold())


def _cjk_terms(word: str) -> tuple[str, ...]:
    """Pairs of neighbouring characters: there are no spaces to split on."""
    terms: list[str] = []
    for run in _CJK.findall(word):
        terms.extend(run[i : i + 2] for i in range(max(1, len(run) - 1)))
    for rest in _CJK.split(word):
        terms.extend(stem_of(_fold(part)) for part in _PART.findall(rest))
    return tuple(terms)


def stem_of(word: str) -> str:
    """What the forms of an English word have in common; an irregular form has that of its word."""
    word = _plain_forms().get(word, word)
    with _STEMMING:
        return str(_snowball("english").stemWord(word))[:_TERM_CHARS_MAX]


def stem_in(language: str, word: str) -> str:
    """What the forms of a word have in common in the language that Snowball calls so; for `Language.stem`."""
    with _STEMMING:
        return str(_snowball(language).stemWord(word.lower()))[:_TERM_CHARS_MAX]


@lru_cache(maxsize=8)
def _snowball(language: str) -> Any:
    import Stemmer

    return Stemmer.Stemmer(language)


@lru_cache(maxsize=1)
def _plain_forms() -> dict[str, str]:
    """The word that each irregular form is a form of."""
    lines = (entry.split() for entry in lists.entries("en", "irregular_forms"))
    return {form: word for word, *forms in lines for form in forms}


@lru_cache(maxsize=1)
def _silent_terms() -> frozenset[str]:
    """Of all our languages, in a text of any of them: of others than English without those whose terms are English."""
    foreign = frozenset[str]().union(*map(_silent_in, _FOREIGN))
    return _silent_in(DEFAULT) | (foreign - _terms_in("stop_words_english_too", *_FOREIGN))


@lru_cache(maxsize=16)
def _silent_in(code: str) -> frozenset[str]:
    """The function words and fillers of one of our languages, as terms."""
    return _terms_in("stop_words", code) | _terms_in("question_fillers", code) if code in SUPPORTED else frozenset()


def _terms_in(name: str, *codes: str) -> frozenset[str]:
    return frozenset(stem_of(_fold(word)) for code in codes for word in lists.words(code, name))
