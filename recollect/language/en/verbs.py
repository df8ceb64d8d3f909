"""Forms of English verbs: what a word may be a form of, and the forms a statement needs."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from recollect.language import lists

# Seldom verbs after a noun: "my work schedule", "the test plan", "my art show".
NOUNS_FIRST = lists.words("en", "nouns_first")

_VOWELS = frozenset("aeiou")

# Of "be", "have" and "do", and the modals: finite, and followed by another verb or none.
BE = frozenset("am is are was were".split())
BEING = BE | {"be", "been", "being"}
HAVE = frozenset("have has had".split())
DO = frozenset("do does did".split())
MODALS = frozenset("will would can could may might must shall should".split())
AUXILIARIES = BE | HAVE | DO | MODALS

_THIRD_OF_AUXILIARY = {"am": "is", "are": "is", "have": "has", "do": "does", "were": "was", "be": "is"}


class Forms(NamedTuple):
    """Which verb each form belongs to; the base form is its own."""

    base: frozenset[str]
    third: dict[str, str]
    past: dict[str, str]
    participle: dict[str, str]
    ing: dict[str, str]


@lru_cache(maxsize=1)
def forms() -> Forms:
    """The forms of every verb in the lists, made once."""
    third: dict[str, str] = {}
    past: dict[str, str] = {}
    participle: dict[str, str] = {}
    ing: dict[str, str] = {}
    verbs = [entry.split() for entry in lists.entries("en", "irregular_verbs")]
    irregular = {base for base, *_ in verbs}
    verbs += [[base, *[_past(base)] * 2] for base in lists.entries("en", "regular_verbs") if base not in irregular]
    for base, pasts, participles in verbs:
        third[third_person(base)] = base
        ing[_ing(base)] = base
        past |= dict.fromkeys(pasts.split("/"), base)
        participle |= dict.fromkeys(participles.split("/"), base)
    for base in ("travel", "cancel", "label", "model"):  # as they are written on the other side of the ocean
        past[base + "ed"] = participle[base + "ed"] = ing[base + "ing"] = base
    return Forms(frozenset(base for base, *_ in verbs), third, past, participle, ing)


def is_finite(word: str) -> bool:
    """Whether the lower-case word can be what a clause turns on."""
    return word in finite_forms()


def lemma_of(word: str) -> str | None:
    """The verb that the lower-case word is a form of, None if it is of none that we know."""
    return _lemmas().get(word)


@lru_cache(maxsize=1)
def finite_forms() -> frozenset[str]:
    """Every lower-case word that can be what a clause turns on."""
    known = forms()
    return AUXILIARIES.union(known.base, known.third, known.past)


@lru_cache(maxsize=1)
def _lemmas() -> dict[str, str]:
    """The verb of each form; where a form belongs to several, the first of these counts."""
    known = forms()
    of_itself = {base: base for base in known.base}
    return known.ing | known.participle | known.past | known.third | of_itself | dict.fromkeys(BEING, "be")


def third_person(verb: str) -> str:
    """ "use" → "uses", "have" → "has"; a word that has no such form stays what it is."""
    if verb in _THIRD_OF_AUXILIARY:
        return _THIRD_OF_AUXILIARY[verb]
    if verb in MODALS:
        return verb
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return verb + "es"
    if verb.endswith("y") and verb[-2:-1] not in _VOWELS:
        return verb[:-1] + "ies"
    return verb + "s"


_NEVER_DOUBLED = frozenset(_VOWELS) | frozenset("wxyh")


def _doubles(base: str) -> bool:
    if base in lists.words("en", "doubling_verbs"):
        return True
    end = base[-3:]
    return (
        len(end) == 3
        and end[0] not in _VOWELS
        and end[1] in _VOWELS
        and end[2] not in _NEVER_DOUBLED
        and sum(letter in _VOWELS for letter in base) == 1
    )


def _past(base: str) -> str:
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2] not in _VOWELS:
        return base[:-1] + "ied"
    return base + (base[-1] if _doubles(base) else "") + "ed"


def _ing(base: str) -> str:
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if base.endswith("e") and base not in ("be", "see", "agree", "flee", "disagree", "dye"):
        return base[:-1] + "ing"
    return base + (base[-1] if _doubles(base) else "") + "ing"
