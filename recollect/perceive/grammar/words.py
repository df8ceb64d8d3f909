"""The words of a sentence as a grammar wants them: contractions written out, quotations whole, places kept."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from recollect.language import lists


class Word(NamedTuple):
    """`low` is what rules look at, `text` what is written. A word out of a contraction has the place of the whole."""

    text: str
    low: str
    start: int
    end: int
    gap: bool  # whether space stands before it


Words = list[Word]
_new = tuple.__new__  # a sentence has many words, and making one this way takes half the time

_PIECE = re.compile(
    r"(?=\S)(?:[Nn]o longer\b|(?!https?://)[$€£@#]?\w+(?:(?:[-./:@_+&'’]|,(?=\d))\w+)*(?:\+\+|#(?!\w)|%|(?<=s)['’](?!\w))?"
    r"|\"[^\"\n]{1,300}\"|“[^“”\n]{1,300}”|`[^`\n]{1,300}`"
    r"|https?://[^\s<>()]+[^\s<>().,;:!?]"
    r"|\.{2,}|-{2,}|[^\w\s])"
)
_STRETCHED = re.compile(r"([^\W\d_])\1{2,}")
_APOSTROPHE = re.compile(r"(.+?)(n['’]t|['’](?:m|re|ve|ll|d|s))", re.IGNORECASE)
_SHORT = {"'m": "am", "'re": "are", "'ve": "have", "'ll": "will", "'d": "'d", "'s": "'s", "n't": "not"}
_STEMS = {"ca": "can", "wo": "will", "sha": "shall", "ai": "is"}
_TYPED = lists.pairs(lists.sections("en", "typed")["anywhere"])

_AT_BEGIN = lists.pairs(lists.sections("en", "typed")["at the beginning"])  # words of their own elsewhere
_SHORTENED = _TYPED.keys() | _AT_BEGIN.keys()


def words_of(sentence: str) -> Words:
    """The words and marks of a sentence, in order."""
    out: Words = []
    last = -1
    for match in _PIECE.finditer(sentence):
        text, (start, end) = match[0], match.span()
        low, is_short = _lowered(text)
        if is_short:
            _write_out(out, text, low, start, end, start > last)
        else:
            out.append(_new(Word, (text, low, start, end, start > last)))
        last = end
    return out


@lru_cache(maxsize=1 << 14)
def _lowered(text: str) -> tuple[str, bool]:
    """A word as rules look at it, and whether it may be short for others."""
    low = text.lower()
    if _STRETCHED.search(low):
        low = _STRETCHED.sub(r"\1", low)  # "himmm" points at a person as "him" does
    return low, low in _SHORTENED or "'" in low or "’" in low


def _write_out(out: Words, text: str, low: str, start: int, end: int, gap: bool) -> None:
    """Add what a word is short for; the word itself where it is not short for anything."""
    typed = _AT_BEGIN[low] if low in _AT_BEGIN and _begins(out) else _TYPED.get(low)
    if typed is not None and not (text.isupper() and len(text) > 1):
        _extend(out, typed.split(), start, end)
    elif ("'" in low or "’" in low) and (parts := _APOSTROPHE.fullmatch(text)):
        stem, short = parts[1], _SHORT[parts[2].lower().replace("’", "'")]
        stem = "I" if stem == "i" else _STEMS.get(stem.lower(), stem) if short == "not" else stem
        out.append(Word(stem, stem.lower(), start, end, gap))
        out.append(Word(short, short, start, end, short != "'s"))
    else:
        out.append(Word(text, low, start, end, gap))


_BEFORE_A_CLAUSE = frozenset(
    ", ; and but so then maybe because think guess hope thinking hoping that when until if before after".split()
)


def _begins(words: Words) -> bool:
    """Whether a clause may begin after these words."""
    return not words or words[-1].low in _BEFORE_A_CLAUSE


def _extend(out: Words, parts: list[str], start: int, end: int) -> None:
    if parts[0] == "have" and out and out[-1].low == "have":  # "I've gotta"
        parts = ["got", "to"]
    if parts[0] in ("going", "trying") and out and out[-1].low == "i":  # "I gonna"
        parts = ["am", *parts]
    out.extend(Word(part, part.lower(), start, end, True) for part in parts)


def join_words(words: Iterable[tuple[str, bool]]) -> str:
    """Text from words, each with whether space stands before it."""
    return "".join(f" {text}" if gap else text for text, gap in words if text).strip()


def is_word(word: Word) -> bool:
    """Whether it is one, and no mark."""
    return word.text[-1].isalnum() or word.text[0].isalnum() or len(word.text) > 2


def any_of(*phrases: str) -> str:
    """A pattern for one of the phrases, each up to the end of a word; `$` after one means the end of the text."""
    return "(?:" + "|".join(phrase if phrase.endswith("$") else rf"{phrase}\b" for phrase in phrases) + ")"
