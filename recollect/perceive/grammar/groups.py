"""Verb groups: the finite word, its helpers and the main verb ("has not been working"), found and written out."""

from __future__ import annotations

import re
from typing import NamedTuple

from recollect.language.en.verbs import AUXILIARIES, BE, DO, HAVE, MODALS, forms, is_finite, lemma_of
from recollect.perceive.grammar import clause_words as wording
from recollect.perceive.grammar.words import Words

_HABIT = re.compile(r"\b(?:every|always|usually|often|never|sometimes|a lot|each|daily|a (?:day|week)|\w+days)\b")
_GIVEN = frozenset(
    "called named allowed given offered paid shown told taught promised owed".split()
)  # to whom it is done
_DONE = frozenset("work research exercise design dance study practice code paint support care film sketch".split())


class VerbGroup(NamedTuple):
    """Positions in a clause: of the finite word, of the main verb, and after it."""

    start: int
    main: int
    end: int
    lemma: str
    helpers: tuple[str, ...]  # the auxiliaries before the main verb
    negated: bool
    past: bool  # the finite word is a past form
    going: bool = False  # "is going to"


def group_at(words: Words, at: int) -> VerbGroup | None:
    """The verb group that begins here."""
    start = skip_adverbs(words, at)
    if start >= len(words):
        return None
    negated = _denies(words, at, start)
    helpers: list[str] = []
    place, going = start, False
    while True:
        low = _written_out(words, place)
        after = skip_adverbs(words, place + 1)
        following = words[after].low if after < len(words) else ""
        denied = _denies(words, place + 1, after)
        if not _helps(low, following, denied=denied):
            break
        helpers.append(low)
        negated = negated or denied
        place = after
        if following == "going" and _goes_to_do(words, after):
            going, place = True, after + 2
            break
    low = _written_out(words, place)
    lemma = "have" if low == "got" and helpers[-1:] in (["have"], ["has"]) else lemma_of(low)
    if lemma is None or (place == start and not is_finite(low)):
        return None
    after = skip_adverbs(words, place + 1)
    # No other verb is denied behind itself: "I ate not too long ago". "I try not to" is.
    denies = low in AUXILIARIES or any(word.low == "to" for word in words[after : after + 1])
    negated = negated or (denies and _denies(words, place + 1, after))
    end = after if any(word.low == "not" for word in words[place + 1 : after]) else place + 1
    finite = _written_out(words, start)
    return VerbGroup(start, place, end, lemma, tuple(helpers), negated, _is_past(finite, words), going)


def _denies(words: Words, begin: int, end: int) -> bool:
    """Whether one of these words says no; "not only" says more."""
    for at in range(begin, end):
        low = words[at].low
        if low in ("never", "no longer") or (low == "not" and words[at + 1 : at + 2] and words[at + 1].low != "only"):
            return True
    return False


def _goes_to_do(words: Words, at: int) -> bool:
    return at + 2 < len(words) and words[at + 1].low == "to" and lemma_of(words[at + 2].low) is not None


def _is_past(finite: str, words: Words) -> bool:
    if finite in AUXILIARIES:
        return finite in ("was", "were", "had", "did")
    if finite not in forms().past:
        return False
    # "put", "read": once, or always
    return finite not in forms().base or not _HABIT.search(" ".join(word.low for word in words))


def _helps(low: str, following: str, *, denied: bool) -> bool:
    """Whether the word before is an auxiliary of the one that follows; "do work" is something done."""
    known = forms()
    if low in MODALS:
        return following in known.base or following == "be"
    if low in HAVE:
        return following in known.participle or following == "been"
    if low in DO:
        return following in known.base and (denied or following not in _DONE)
    if low in BE or low in ("be", "been"):
        return following in known.ing
    return False


def _written_out(words: Words, place: int) -> str:
    """The word here, 's and 'd as what they are short for."""
    low = words[place].low
    if low not in ("'s", "'d"):
        return low
    after = skip_adverbs(words, place + 1)
    following = words[after].low if after < len(words) else ""
    known = forms()
    perfect = following in known.participle and following not in known.base
    if low == "'s":
        return "has" if following in ("been", "got", "gotten") or (perfect and _has_object(words, after)) else "is"
    return "had" if perfect or following == "better" else "would"


def _has_object(words: Words, participle: int) -> bool:
    """ "he's taken care of dogs" has; "she's based in Rome" and "it's called Pixel" are."""
    after = participle + 1
    if after >= len(words) or words[participle].low in _GIVEN or not words[after].text[0].isalpha():
        return False
    low = words[after].low
    return low not in wording.PREPOSITIONS | wording.COORDINATORS | wording.SUBORDINATORS and not is_adverb(low)


def write_out(words: Words, place: int) -> str:
    """The word at this place as it is written in a statement."""
    return _written_out(words, place) if words[place].low in ("'s", "'d") else words[place].text


def skip_adverbs(words: Words, at: int) -> int:
    """The next place that is no adverb."""
    while at < len(words) and is_adverb(words[at].low):
        at += 1
    return at


def is_adverb(low: str) -> bool:
    """Whether the lower-case word may stand between a subject and its verb."""
    return low in wording.VERB_ADVERBS or (low.endswith("ly") and low not in wording.NOT_ADVERBS)
