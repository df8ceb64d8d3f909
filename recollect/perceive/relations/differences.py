"""In what two sentences differ that otherwise say the same: a "not", a number, an opposite.

Measured on sentence pairs that people judged: asked for at least 7 of 10 words in common beside those that make the
difference, 97 of 100 pairs of which only one denies were called a contradiction; asked for 5 of 10, 88.
"""

from __future__ import annotations

from functools import cache

from recollect.language.terms import terms_of
from recollect.perceive.relations import patterns as wording
from recollect.perceive.relations.compared import ComparedSentence

SAME_SHARE = 0.7  # of the words of both, beside those that make the difference
SAME_WORDS_MIN = 2
FEW_WORDS = 3  # two sentences of fewer telling words must have all of them in common


def difference_between(one: ComparedSentence, other: ComparedSentence) -> str:
    """Why both cannot be so; "" if they can, or speak of different things anyway."""
    if not one.words & other.words or _is_relative(one) or _is_relative(other) or speak_of_two_things(one, other):
        return ""
    if _denies(one) is not _denies(other):
        return "only one of the two denies it" if _same(one, other, _of_denial()) else ""
    if wording.UNNAMED.match(one.text) or wording.UNNAMED.match(other.text):
        return ""
    here, there = numbers_in(one.text), numbers_in(other.text)
    if len(here) == len(there) > 0 and not here & there:
        named = frozenset(term for said in (one, other) for term in said.words if term[:1].isdigit()) | _of_numbers()
        return f"{', '.join(sorted(here))} here, {', '.join(sorted(there))} there" if _same(one, other, named) else ""
    return _opposite(one, other)


def speak_of_two_things(one: ComparedSentence, other: ComparedSentence) -> bool:
    """Whether each names what the other does not: what is so of room 1 says nothing of room 2."""
    mine, theirs = one.identifiers - numbers_in(one.text), other.identifiers - numbers_in(other.text)
    return bool(mine - theirs) and bool(theirs - mine)


def numbers_in(text: str) -> frozenset[str]:
    """The numbers that a text says something to have, those in words as digits."""
    written = (found["number"].lower().replace(",", "") for found in wording.NUMBER.finditer(text))
    return frozenset(wording.NUMBER_WORDS.get(number, number) for number in written)


def _opposite(one: ComparedSentence, other: ComparedSentence) -> str:
    mine, theirs = frozenset(one.lowered.split()), frozenset(other.lowered.split())
    only_here, only_there = mine - theirs, theirs - mine
    for left in only_here & _opposites().keys():
        for right in _opposites()[left] & only_there:
            if _same(one, other, frozenset((*terms_of(left), *terms_of(right)))):
                return f"{left} here, {right} there"
    return ""


def _same(one: ComparedSentence, other: ComparedSentence, besides: frozenset[str]) -> bool:
    """Whether two sentences have their words in common, some of them left out."""
    mine, theirs = one.words - besides, other.words - besides
    shared = len(mine & theirs)
    if min(len(one.words), len(other.words)) < FEW_WORDS and mine != theirs:
        return False
    return shared >= SAME_WORDS_MIN and shared >= SAME_SHARE * len(mine | theirs)


def _is_relative(said: ComparedSentence) -> bool:
    return wording.RELATIVE.search(said.text) is not None


def _denies(said: ComparedSentence) -> bool:
    return wording.NOT.search(said.text) is not None


@cache
def _of_denial() -> frozenset[str]:
    return frozenset(terms_of(" ".join(wording.OF_DENIAL)))


@cache
def _of_numbers() -> frozenset[str]:
    return frozenset(terms_of(" ".join(wording.NUMBER_WORDS)))


@cache
def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for one, other in wording.OPPOSITES:
        found[one] = found.get(one, frozenset()) | {other}
        found[other] = found.get(other, frozenset()) | {one}
    return found
