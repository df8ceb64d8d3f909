"""States as they are compared: who holds what, in which respect, and values by their sort."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from recollect.language.terms import telling, terms_of
from recollect.perceive.names.known import NO_NAMES
from recollect.perceive.states import claim_patterns
from recollect.perceive.states import holding_patterns as wording

# Sorts of values that are so much, or then.
AMOUNTS = ("number", "money", "percent", "clock", "date", "weekday", "ratio")
TIMES = ("clock", "date", "weekday")
ADJUNCT = re.compile(
    rf"(?<![\s,])[\s,]+(?:{wording.WHEN_OR_WHY}|with|as|near|while|so|but|and|when|where|which|who|for|from|this|next)\b.*$",
    re.IGNORECASE | re.DOTALL,
)
TIME_OR_REASON = re.compile(rf"(?<![\s,])[\s,]+(?:{wording.WHEN_OR_WHY})\b.*$", re.IGNORECASE | re.DOTALL)
_WEEKDAY = re.compile(r"(?:on\s+)?(?:next\s+)?(?:mon|tues|wednes|thurs|fri|satur|sun)day\b", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:an?|the|their|his|her|its|some)\s+", re.IGNORECASE)
_A_CLAUSE = re.compile(r"(?:to|that|when|how|if)\b")
_SPEAKERS = ("user", "assistant", "user and others")  # who has no name is called so


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """A statement, as `perceive.statements.propositions` or a model left it."""

    content: str
    subject: str | None = None
    predicate: str | None = None
    object: str | None = None
    polarity: str = "+"
    tense: str = "present"
    ended: bool = False
    topic: tuple[str, ...] = ()  # words of another language than English by which a question is about this

    @property
    def about(self) -> str:
        return self.subject or ""

    @property
    def verb(self) -> str:
        """In the third person, with its preposition: "lives in"."""
        return self.predicate or ""

    @property
    def rest(self) -> str:
        return self.object or ""

    @property
    def denies(self) -> bool:
        """Whether it says that something is not so, or no more."""
        return self.polarity == "-" or self.ended


class StateValue(NamedTuple):
    """What something is. Values of one sort can be compared; `beside` are the words around an amount."""

    sort: str
    words: tuple[str, ...]
    text: str
    beside: frozenset[str] = frozenset()

    def is_like(self, other: StateValue) -> bool:
        """Whether both may be the same: equal, or one the shorter form of the other."""
        mine, theirs = set(self.words), set(other.words)
        return mine <= theirs or theirs <= mine


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """One state. `single`: there is one value at a time. `changed`: the words say that it was another.

    What is an `event` brought the state about, and stays true when the state has passed.
    """

    holder: str
    respect: str
    value: StateValue
    denied: bool = False
    single: bool = False
    changed: bool = False
    event: bool = False
    was: StateValue | None = None


@lru_cache(maxsize=256)
def holders_of(subject: str) -> tuple[str, str]:
    """(owner, what of theirs) that a subject names: ("ana", "phone number") of "Ana's phone number"."""
    plain = subject.strip()
    of = wording.OF_NOUN.match(plain)
    if of is not None:
        return without_article(of["whose"]).casefold(), plain_noun(of["what"])
    owner, possessive, what = plain.replace("’", "'").rpartition("'s ")
    if possessive:
        return owner.casefold(), plain_noun(what)
    if plain[:4].casefold() == "the " and plain[4:].casefold() not in _SPEAKERS:
        return "the", plain_noun(plain[4:])
    return plain.casefold(), ""


def value_of(text: str) -> StateValue:
    """A value as it is compared."""
    plain = wording.LEADING.sub("", without_adjunct(text))
    found = claim_patterns.VALUE.match(plain)
    if found is not None and found.lastgroup is not None:
        kind = "number" if found["unit"] is not None or found.lastgroup in ("number", "word") else found.lastgroup
        amount = claim_patterns.day_of(found[0]) if kind == "date" else claim_patterns.amount_of(found)
        beside = frozenset(telling(terms_of(plain[found.end() :])))
        if kind == "number" and any(word[0].isdigit() for word in beside):
            return StateValue("code", tuple(terms_of(plain)), plain)  # a phone number, a range of ports
        unit = (found["unit"] or "").lower() if kind == "number" else ""
        return StateValue(kind if kind != "number" else f"number {unit}".strip(), (amount,), found[0], beside)
    if _WEEKDAY.match(plain):
        return StateValue("weekday", tuple(terms_of(plain)[:1]), plain)
    name = wording.NAME.match(plain)
    words = tuple(telling(terms_of(without_article(plain))))
    return StateValue("name" if name and name.end() == len(plain) else "plain", words, plain)


def is_single(what: str, value: StateValue) -> bool:
    """Whether there is one at a time of what is called so, and this is one."""
    last = what.split()[-1] if what else ""
    if last in wording.PERSONS:
        return value.sort == "name" and value.text.casefold() not in NO_NAMES  # "German" is no person
    if last in wording.AMOUNTS:
        return value.sort.startswith(AMOUNTS)
    if last in wording.THINGS and not _names_one(last, value):
        return False
    short = len(value.text.split()) <= wording.VALUE_WORDS_MAX and not _A_CLAUSE.match(value.text)
    favourite = wording.FAVOURITE.search(what) is not None and last not in wording.VAGUE
    return short and (last in wording.WORDS or favourite)


def _names_one(thing: str, value: StateValue) -> bool:
    """Whether a value says which thing it is, not how or where: "a Volvo", never "fast"."""
    if thing == "job" and wording.NAMES_A_JOB.match(value.text):
        return True
    return wording.NAMES_A_THING.search(value.text) is not None or bool(sort_of(value.text))


def comes_beside(stated: Stated) -> bool:
    """Whether the words say that it is one more, or so for a time or on a condition: nothing gives way to it."""
    fronted = not stated.content.startswith(stated.about) and wording.FRONTED.match(stated.content)
    if fronted or wording.ADDED.search(stated.content):
        return True
    return stated.tense == "present" and not stated.ended and wording.CONDITION.search(stated.content) is not None


def is_new(stated: Stated) -> bool:
    """Whether the words say that it was not always so."""
    return wording.NOW.search(stated.content) is not None


def plain_noun(what: str) -> str:
    """What something is called, without "new", "current" and the like; what is used above all is the "main" one."""
    plain = wording.RENEWED.sub("", wording.NOW.sub("", what).strip().casefold()).strip()
    return wording.BOSS.sub(wording.MANAGER, wording.MAIN.sub("main", plain))


def without_adjunct(text: str, adjunct: re.Pattern[str] = ADJUNCT) -> str:
    """Without what only says since when, with whom, why."""
    plain = text.strip().rstrip(".!")
    while (shorter := wording.TRAILING.sub("", plain)) != plain:
        plain = shorter
    return adjunct.sub("", plain) or plain


def without_article(text: str) -> str:
    return _ARTICLE.sub("", text)


def sort_of(name: str) -> str:
    """What something is one of, where several of a sort take each other's place: "editor"; "" for all else."""
    words = {word.casefold() for word in name.split()[:2]}
    return next((sort for sort, members in wording.SORTS.items() if words & members), "")
