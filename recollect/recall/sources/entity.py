"""Candidates by the people, projects and things a question names, under any of their names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from recollect.index.base import Pks
from recollect.index.keys import among, each_once
from recollect.language.terms import FILLERS, STOP_WORDS, query_terms
from recollect.recall.sources.base import NOTHING, Look, SourceRanking, best_first
from recollect.store.entities import fold

WORDS_A_NAME = 6
CHARS_MAX = 600  # of a question in which names are looked for
ROWS_MAX = 2_000  # rows of one entity that are looked at, newest first
ABOUT, MENTIONS = 1.0, 0.8  # a record that is about an entity, and one that only names it
_OPENING, _CLOSING = "\"'“”‘’«»([{<¿¡", "\"'“”‘’«»)]}>.,;:!?…。，！？、；："
_WORD = re.compile(r"\S+")
_POSSESSIVE = re.compile(r"['’]s?$")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]{2,}")
_UNSPACED_CHARS_MAX = 8
_SILENT = STOP_WORDS | FILLERS


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedEntities:
    """What a question names: keys of entities by what it calls them, and what else each of those is called.

    A name without a key is known as the subject of records only.
    """

    pks: dict[str, tuple[int, ...]] = field(default_factory=dict)
    others: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def expanded_terms(self, asked: Collection[str]) -> list[str]:
        """Terms of the other names that the question does not hold itself, to widen the search for words with."""
        if not any(self.others.values()):
            return []
        every = (term for names in self.others.values() for name in names for term in query_terms(name))
        return [term for term in dict.fromkeys(every) if term not in asked]


class _Span(NamedTuple):
    """A piece of a question that could be a name, and how that name may be written."""

    first: int
    end: int
    names: list[str]


def named_in(look: Look, question: str, *, aliases_max: int) -> NamedEntities:
    """Whom and what a question names, the longest names first. Next to free in a store without names."""
    if look.criteria.known_at is not None or not look.holds().names:
        return NamedEntities()
    spans = sorted(_spans(question[:CHARS_MAX]), key=lambda span: span.first - span.end)
    known = look.tx.entities.found({name for span in spans for name in span.names}, look.visible())
    taken: set[int] = set()
    pks: dict[str, tuple[int, ...]] = {}
    for span in spans:
        name = next((name for name in span.names if name in known), None)
        if name is not None and taken.isdisjoint(range(span.first, span.end)):
            taken.update(range(span.first, span.end))
            pks[name] = known[name]
    names = look.tx.entities.names_of([pk for found in pks.values() for pk in found])
    others = {
        name: tuple(dict.fromkeys(other for pk in found for other in names.get(pk, ()) if fold(other) != name))
        for name, found in pks.items()
    }
    return NamedEntities(pks=pks, others={name: found[:aliases_max] for name, found in others.items()})


def by_entity(look: Look, named: NamedEntities) -> SourceRanking:
    """Rows about what the question names, and rows that name it, where their words do not say so: under another name,
    or as their subject only. Those of most of the names first, then the newest.

    Rows that hold the very name are found and weighed by their words; to count it twice made answers worse. A name that
    few records hold tells more than one that stands everywhere.
    """
    held = [
        (
            _array(look.tx.entities.about([name, *named.others.get(name, ())], limit=ROWS_MAX, unsaid=name)),
            _array(look.tx.entities.newest_mentions(entity_pks, limit=ROWS_MAX, unsaid=name)),
        )
        for name, entity_pks in named.pks.items()
    ]
    pks = each_once(np.concatenate([np.empty(0, dtype=np.int64), *(rows for pair in held for rows in pair)]))
    if not len(pks):
        return SourceRanking("entity", NOTHING)
    pks = pks[look.counts(pks)]
    score, most = np.zeros(len(pks)), 0.0
    for about, naming in held:
        share = np.maximum(ABOUT * among(pks, about), MENTIONS * among(pks, naming))
        worth = 1.0 / (1.0 + np.log1p(np.count_nonzero(share)))
        score += worth * share
        most += worth
    return SourceRanking("entity", best_first(pks, score / most if most else score, look.limit))


def _is_capital(word: str) -> bool:
    return word.lstrip(_OPENING)[:1].isupper()


def _array(pks: list[int]) -> Pks:
    return np.array(pks, dtype=np.int64)


def _spans(question: str) -> Iterator[_Span]:
    """Up to six words in a row; and, where words are not parted by spaces, up to eight characters."""
    words = list(_WORD.finditer(question))
    folded = fold(question).split(" ")  # of each word
    for at, word in enumerate(words):
        for last in range(at, min(at + WORDS_A_NAME, len(words))):
            raw = " ".join(folded[at : last + 1])
            bare = raw.lstrip(_OPENING).rstrip(_CLOSING)
            if not bare or (bare in _SILENT and (at == 0 or not _is_capital(word.group()))):
                continue  # "Will" is a name, "will" is not
            names = [bare] if raw == bare else [bare, raw]
            if "'" in bare or "’" in bare:
                names = list(dict.fromkeys((*names, _POSSESSIVE.sub("", bare))))
            yield _Span(word.start(), words[last].end(), names)
    for run in _UNSPACED.finditer(question):
        for first in range(run.start(), run.end() - 1):
            for end in range(first + 2, min(first + _UNSPACED_CHARS_MAX, run.end()) + 1):
                yield _Span(first, end, [fold(question[first:end])])
