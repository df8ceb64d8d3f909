"""Whether two statements say the same in other words: "Ana works for Acme", "Ana is employed at Acme".

`perceive.sameness` finds what is one sentence in two spellings, while it is being stored. This one goes further, for
upkeep to go over what is there: listed phrases and words that mean the same are taken for one, and the order of words
does not count. Everything else does: who it is about, whether it is denied, when, every number, every name and the
order of names, and each other word that tells something.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import NamedTuple

from recollect.language.terms import STOP_WORDS, terms_of
from recollect.perceive.relations.relation_words import NUMBER_WORDS
from recollect.perceive.sameness import rewording_words as wording
from recollect.perceive.states.values import Stated

_NAME = re.compile(r"\b[A-Z][\w'’-]*")
_OF_PERSONS = frozenset("their his her its he she they them him".split())
_SILENT = (STOP_WORDS - wording.KEPT - wording.AUXILIARY.keys()) | _OF_PERSONS
_SAME = wording.SAME | {term: number for word, number in NUMBER_WORDS.items() for term in terms_of(word)}
_WORD = re.compile(r"[^\W_]+(?:['’.:/-][^\W_]+)*")


class Worded(NamedTuple):
    """A statement as it is compared: what must be equal for two to say the same."""

    subject: str
    manner: tuple[str, str, bool]
    words: tuple[str, ...]
    names: tuple[str, ...]  # in their order, where there are several

    def number(self, within: int) -> int:
        """The same for statements of one scope that say the same, and for hardly any others."""
        data = repr(("reworded", *self)).encode("utf-8", "surrogatepass")
        return int.from_bytes(blake2b(data, digest_size=8, salt=within.to_bytes(8, "big")).digest(), "big", signed=True)


def worded(stated: Stated) -> Worded:
    """How a statement is compared with others."""
    subject, rest = _parts(stated)
    names = tuple(_NAME.findall(rest))
    return Worded(
        " ".join(_words(subject.removesuffix("'s name"))),
        (stated.polarity, stated.tense, stated.ended),
        tuple(sorted(_words(stated.content))),
        names if len(names) > 1 else (),
    )


def _parts(stated: Stated) -> tuple[str, str]:
    """Whom or what it is about, and the rest; "green is Ana's favourite colour" is about that colour."""
    subject, rest = stated.subject or "", stated.object or ("" if stated.subject else stated.content)
    if stated.predicate == "is" and "'s " in rest and "'s " not in subject:
        return rest, subject
    return subject, rest


def _words(content: str) -> list[str]:
    text = content.lower()
    for pattern, chosen in wording.PHRASES:
        text = pattern.sub(chosen, text)
    out: list[str] = []
    for word in _WORD.findall(text):
        if word in wording.AUXILIARY:
            out.append(wording.AUXILIARY[word])
        elif word not in _SILENT:
            out += [_SAME.get(term, term) for term in terms_of(word) if term not in wording.DROPPED]
    return out
