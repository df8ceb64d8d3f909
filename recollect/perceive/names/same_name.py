"""Whether two names can be the same thing's: parts of a name, short forms, initials, misspellings.

A score from 0 to 1, and 0 where something speaks against it: other numbers, two given names that only look alike, two
places that both exist. Names are compared as `fold` leaves them.
"""

from __future__ import annotations

import re
from functools import lru_cache

from rapidfuzz import fuzz

from recollect.model.entity import EntityType
from recollect.perceive.names import known
from recollect.perceive.names.technologies import clear_names

SAME, PART, NICKNAME = 1.0, 0.97, 0.95  # written otherwise; a part of the name; a short form of it
_FUZZY_CHARS_MIN = 4  # of the longer name; one letter of three is no slip of the pen
_OTHER_SIMILARITY_MIN = 0.9  # things have fewer names than people, and more neighbours

_DIGITS = re.compile(r"\d+")
_TOKEN = re.compile(r"\w+(?:['’-]\w+)*")
_JOINERS = re.compile(r"[\s._-]+")
_SMALL = frozenset("of the de del da di du la le van von der and for".split())
_TITLES = frozenset("mr mrs ms miss mx dr prof professor sir madam uncle aunt grandma grandpa coach captain".split())
_GIVEN = frozenset(name.casefold() for name in (*known.GIVEN_NAMES, *known.FURTHER_NAMES))
_KIN = (
    frozenset({EntityType.TECHNOLOGY, EntityType.TOOL, EntityType.SERVICE, EntityType.PROJECT}),
    frozenset({EntityType.PLACE, EntityType.ORGANIZATION}),
    frozenset({EntityType.ORGANIZATION, EntityType.SERVICE, EntityType.TOOL, EntityType.TECHNOLOGY}),
)


def types_agree(one: EntityType, other: EntityType) -> bool:
    """Whether one name of both types may be one thing. Anything may turn out to be what was only a concept."""
    return one is other or EntityType.CONCEPT in (one, other) or any(one in kin and other in kin for kin in _KIN)


def keys_of(name: str) -> set[str]:
    """What another name for the same thing shares at least one of, misspellings aside."""
    tokens = _tokens(name)
    keys = {token for token in tokens if token not in _SMALL}
    keys |= {long for token in tokens for long in known.NICKNAMES.get(token, ())}
    keys |= {_plain(name), _abbreviated(name)}
    return keys | ({_initials(name)} if len(tokens) > 1 else set())


def likeness(one: str, other: str, type_: EntityType) -> float:
    """How surely two folded names of a type are one thing's."""
    if one == other:
        return SAME
    if type_ is EntityType.FILE or _DIGITS.findall(one) != _DIGITS.findall(other):
        return 0.0
    if type_ is EntityType.PERSON:
        return _same_person(_tokens(one), _tokens(other))
    if _plain(one) == _plain(other) or _abbreviated(one) == _abbreviated(other):
        return SAME
    short, long = sorted((one, other), key=len)
    if len(short) > 2 and " " in long and short in (_initials(long), _initials(long, small=True)):
        return NICKNAME
    if type_ in (EntityType.SERVICE, EntityType.CONCEPT) or (_is_known(one) and _is_known(other)):
        return 0.0
    similarity = fuzz.ratio(one, other) / 100 if len(long) > _FUZZY_CHARS_MIN and one[0] == other[0] else 0.0
    return similarity if similarity >= _OTHER_SIMILARITY_MIN else 0.0


def _same_person(one: tuple[str, ...], other: tuple[str, ...]) -> float:
    short, long = sorted((one, other), key=len)
    if not short:
        return 0.0
    if len(short) == 1:
        return _same_as_part(short[0], long)
    if len(short[-1]) == 1 or len(long[-1]) == 1:  # "Ana R."
        return PART if short[0] == long[0] and short[-1][0] == long[-1][0] else 0.0
    return min(_same_word(short[0], long[0]), _same_word(short[-1], long[-1]))


def _same_as_part(word: str, name: tuple[str, ...]) -> float:
    if len(name) > 1 and word in (name[0], name[-1]):
        return PART
    return min(_same_word(word, name[0]), NICKNAME)


def _same_word(one: str, other: str) -> float:
    """Of two words of a name: an initial, a short form, or a slip of the pen that makes no other name."""
    if one == other:
        return PART
    short, long = sorted((one, other), key=len)
    if (len(short) == 1 or "." in short) and long.startswith(short[0]):
        return NICKNAME
    if long in known.NICKNAMES.get(short, ()) or known.NICKNAMES.get(one, _NO_NAMES) & known.NICKNAMES.get(
        other, _NO_NAMES
    ):
        return NICKNAME
    if one[0] != other[0] or len(long) < _FUZZY_CHARS_MIN or (one in _GIVEN and other in _GIVEN):
        return 0.0
    return fuzz.ratio(one, other) / 100


_NO_NAMES: frozenset[str] = frozenset()


@lru_cache(maxsize=8192)
def _tokens(name: str) -> tuple[str, ...]:
    return tuple(token for token in _TOKEN.findall(name) if token not in _TITLES)


@lru_cache(maxsize=8192)
def _plain(name: str) -> str:
    """Without article, company form, and what joins words: "the billing-service" is "billing service"."""
    tokens = [token for token in _JOINERS.sub(" ", name).split() if token]
    while len(tokens) > 1 and tokens[0] in ("the", "project"):
        tokens = tokens[1:]
    while len(tokens) > 1 and tokens[-1] in (
        "inc",
        "ltd",
        "llc",
        "corp",
        "corporation",
        "gmbh",
        "plc",
        "co",
        "project",
    ):
        tokens = tokens[:-1]
    return " ".join(tokens)


@lru_cache(maxsize=8192)
def _initials(name: str, *, small: bool = False) -> str:
    return "".join(token[0] for token in _tokens(name) if small or token not in _SMALL)


def _abbreviated(name: str) -> str:
    while name in known.ABBREVIATIONS:
        name = known.ABBREVIATIONS[name]
    return name


def _is_known(name: str) -> bool:
    """Names that exist by themselves: two of them are never one misspelled."""
    return name in known.PLACES or name in known.ORGANISATIONS or name in clear_names()
