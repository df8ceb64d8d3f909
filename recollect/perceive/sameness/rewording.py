"""Whether two statements say the same in other words: "Ana works for Acme", "Ana is employed at Acme".

`perceive.sameness` finds what is one sentence in two spellings, while it is being stored. This one goes further, for
upkeep to go over what is there: listed phrases and words that mean the same are taken for one, and the order of words
does not count. Everything else does: who it is about, whether it is denied, when, every number, every name and the
order of names, what stands before and after a word that compares ("tea over coffee"), and each other word that tells
something.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import blake2b
from typing import NamedTuple

from recollect.language import lists
from recollect.language.terms import STOP_WORDS, terms_of
from recollect.language.words import JOINED
from recollect.perceive.relations.patterns import NUMBER_WORDS
from recollect.perceive.states.values import Stated

# A phrase → the one that is chosen for it. Tried in this order, on lower-case text.
_PHRASES = tuple(
    (re.compile(rf"\b(?:{pattern})\b"), chosen)
    for pattern, chosen in (
        (
            r"(?:is|am|are) employed (?:by|at)|works? for|has a job (?:at|with)|(?:is|are) working (?:for|at)",
            "works at",
        ),
        (r"(?:is|are) (?:based|living|residing|located) in|resides? in|(?:has|makes?) (?:a|their) home in", "lives in"),
        (r"(?:is|are) (?:a )?(?:big |huge |great )?(?:fan of|fond of|into|keen on)", "likes"),
        (r"(?:is|are) called|goes by|has the name|(?:is|are) named", "is named"),
        (r"(?:is|are) unable to|can ?not|can't", "cannot"),
        (r"(?:is|are) the owner of|owns?|has got|possess(?:es)?", "has"),
        (r"(?:each|every) day|on a daily basis", "daily"),
        (r"(?:each|every) week|once a week", "weekly"),
        (r"(?:each|every) month|once a month|per month|a month", "monthly"),
        (r"(?:each|every) year|once a year|per year|a year", "yearly"),
        (r"does not eat meat(?: or fish)?", "is vegetarian"),
        (r"gets up|wakes up", "rises"),
        (r"no longer|not any ?more|not any longer", "no longer"),
        (r"(?:is|are) (?:currently |now )?using|makes? use of|utili[sz]es?", "uses"),
        (r"(?:is|are) (?:currently |now )?learning|(?:is|are) studying", "studies"),
        (r"(?:is|are) married with|has (?:a )?(?:husband|wife) (?:called|named)", "is married to"),
        (r"a couple of", "two"),
        (r"(?:is|are) (?:currently |now )?living", "lives"),
        (r"(?:is|are) (?:currently |now )?working", "works"),
        (r"(prefers?) (\w+) (?:to|rather than|instead of)", r"\1 \2 over"),
        (r"(?:rather|other) than|instead of", "than"),
        (r"('s|s') name is", r" is named"),
    )
)


def _synonyms() -> dict[str, str]:
    """The term of each listed word → the term of the word that stands for its group."""
    found: dict[str, str] = {}
    for group in _LISTS["synonyms"]:
        stems = [terms_of(word)[0] for word in group.split()]
        found.update(dict.fromkeys(stems, stems[0]))
    return found


_LISTS = lists.sections("en", "rewording")
_AUXILIARY = lists.pairs(_LISTS["auxiliaries"])
_DROPPED = frozenset(terms_of(" ".join(_LISTS["dropped"])))
_NAME = re.compile(r"\b[A-Z][\w'’-]*")
_OF_PERSONS = frozenset("their his her its he she they them him".split())
_SILENT = (STOP_WORDS - frozenset(_LISTS["kept"]) - _AUXILIARY.keys()) | _OF_PERSONS
_BETWEEN = frozenset(term for word in _LISTS["between"] for term in terms_of(word))
_FROM, _TO = "from", "to"
_SAME = _synonyms() | {term: number for word, number in NUMBER_WORDS.items() for term in terms_of(word)}


class StatementWording(NamedTuple):
    """A statement as it is compared: what must be equal for two to say the same."""

    subject: str
    manner: tuple[str, str, bool]
    words: tuple[str, ...]
    names: tuple[str, ...]  # in their order, where there are several

    def number(self, within: int) -> int:
        """The same for statements of one scope that say the same, and for hardly any others."""
        data = repr(("reworded", *self)).encode("utf-8", "surrogatepass")
        return int.from_bytes(blake2b(data, digest_size=8, salt=within.to_bytes(8, "big")).digest(), "big", signed=True)


def wording_of(stated: Stated) -> StatementWording:
    """How a statement is compared with others."""
    subject, rest = _parts(stated)
    names = tuple(_NAME.findall(rest))
    return StatementWording(
        " ".join(_words(subject.removesuffix("'s name"))),
        (stated.polarity, stated.tense, stated.ended),
        tuple(_in_sides(_words(stated.content))),
        names if len(names) > 1 else (),
    )


def _in_sides(words: list[str]) -> Iterator[str]:
    """Words in one order, those on either side of a word that compares by themselves.

    "To" is one beside "from" alone: "I go to Porto on Fridays" says the same as "on Fridays I go to Porto".
    """
    compares = _BETWEEN if _FROM in words else _BETWEEN - {_TO}
    side: list[str] = []
    for word in words:
        if word in compares:
            yield from (*sorted(side), word)
            side = []
        else:
            side.append(word)
    yield from sorted(side)


def _parts(stated: Stated) -> tuple[str, str]:
    """Whom or what it is about, and the rest; "green is Ana's favourite colour" is about that colour."""
    subject, rest = stated.subject or "", stated.object or ("" if stated.subject else stated.content)
    if stated.predicate == "is" and "'s " in rest and "'s " not in subject:
        return rest, subject
    return subject, rest


def _words(content: str) -> list[str]:
    text = content.lower()
    for pattern, chosen in _PHRASES:
        text = pattern.sub(chosen, text)
    out: list[str] = []
    for word in JOINED.findall(text):
        if word in _AUXILIARY:
            out.append(_AUXILIARY[word])
        elif word not in _SILENT:
            out += [_SAME.get(term, term) for term in terms_of(word) if term not in _DROPPED]
    return out
