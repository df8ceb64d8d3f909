"""The current truth before the outdated one.

Similarity cannot tell which of two values holds now. Edges can: `updates`, found when a record was stored, and
`supersedes`, stated by a caller. Where a question asks how things are, the newer end of such an edge stands directly
above the older one, brought in if no source had found it. Asked of an earlier day (`as_of`), the present is that day:
what was said later is not there to stand above anything. A question that itself is about the past, or names a time, is
answered in the order it was ranked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from recollect.index.base import Mask, Pks
from recollect.index.follow import Indexes
from recollect.model.ending import Decider
from recollect.recall.question.present import asks_for_the_present
from recollect.recall.ranking.lexical import WeighedQuestion
from recollect.recall.ranking.rank import Ranked
from recollect.recall.sources.base import Look
from recollect.recall.sources.relations import Joined, linked
from recollect.recall.sources.time import event_times
from recollect.store.endings import BY

LABELS = ("updates", "supersedes")
TOP = 10  # places whose rows are looked up: further down an outdated value misleads no reader
HOPS = 3  # longest chain of updates that is followed
NEARNESS_MIN = 0.9  # of the older row's score that a newer one needs where only a reader of texts joined them
ABOUT_SHARE = 1 / 3  # of an edge's words that the question has to hold
READERS = (Decider.MODEL.value, Decider.LLM.value)  # who joins two texts by reading them

Newer = dict[int, set[int]]  # what updates a row


def current_first(ranked: Ranked, asked: WeighedQuestion, indexes: Indexes, look: Look) -> Ranked:
    """The same rows, the current ones above those they update."""
    if not asks_for_the_present(asked.text, asked.cues):
        return ranked
    newer = _newer_than(ranked, asked.terms, indexes, look)
    return _raised(ranked, newer, lambda pks: event_times(look, pks, indexes)) if newer else ranked


def _newer_than(ranked: Ranked, terms: Sequence[str], indexes: Indexes, look: Look) -> Newer:
    """For each of the best rows what updates it, directly or along a chain, if it is on the question."""
    found: Newer = {}
    scores = dict(zip(ranked.pks.tolist(), ranked.scores.tolist(), strict=True))
    frontier = best = ranked.pks[:TOP]
    for _ in range(HOPS):
        arcs = linked(look, indexes, frontier, LABELS, "in")
        if not len(arcs.start):
            break
        near = [scores.get(new, 0.0) >= NEARNESS_MIN * scores.get(old, 0.0) for old, new in _ends(arcs)]
        keep = look.counts(arcs.end) & _on_topic(arcs.edge, terms, look, np.array(near))
        for (old, new), kept in zip(_ends(arcs), keep.tolist(), strict=True):
            if kept:
                found.setdefault(old, set()).add(new)
        frontier = np.array(sorted(set(arcs.end[keep].tolist()).difference(found)), dtype=np.int64)
    return {pk: newer for pk in best.tolist() if (newer := _closure(pk, found))}


def _ends(arcs: Joined) -> list[tuple[int, int]]:
    return list(zip(arcs.start.tolist(), arcs.end.tolist(), strict=True))


def _on_topic(edge_pks: Pks, terms: Sequence[str], look: Look, near: Mask) -> Mask:
    """Edges that bear on the question; `near` are those whose newer end answers it about as well as the older.

    An edge found in the text says by which words; one from a reader of two texts, which may be wrong, joins what both
    answer; one that a caller stated counts for every question.
    """
    told_by = look.tx.edges.told_by(set(edge_pks.tolist()))
    asked = set(terms)
    off = {pk for pk, attributes in told_by.items() if not _met(attributes, asked)}
    read = {pk for pk, attributes in told_by.items() if attributes.get(BY) in READERS}
    return ~np.isin(edge_pks, list(off)) & (near | ~np.isin(edge_pks, list(read)))


def _met(attributes: Mapping[str, Any], asked: set[str]) -> bool:
    about = attributes.get("about") or ()
    return not about or len(asked.intersection(about)) >= ABOUT_SHARE * len(about)


def _closure(pk: int, newer: Newer) -> set[int]:
    reached: set[int] = set()
    left = [pk]
    while left:
        for further in newer.get(left.pop(), ()):
            if further not in reached and further != pk:
                reached.add(further)
                left.append(further)
    return reached


def _raised(ranked: Ranked, newer: Newer, times_of: Callable[[Pks], Pks]) -> Ranked:
    """Each row's updates right above it, the newest first, with a score to match; `current` is what that added."""
    held = {pk: place for place, pk in enumerate(ranked.pks.tolist())}
    coming = np.array(sorted(set[int]().union(*newer.values()) - held.keys()), dtype=np.int64)
    pks = np.concatenate([ranked.pks, coming])
    parts = {name: np.concatenate([part, np.zeros(len(coming))]) for name, part in ranked.parts.items()}
    scores = np.concatenate([ranked.scores, np.zeros(len(coming))])
    place = {pk: at for at, pk in enumerate(pks.tolist())}
    times = dict(zip(pks.tolist(), times_of(pks).tolist(), strict=True))
    order: dict[int, None] = {}
    gained = np.zeros(len(pks))
    for pk in ranked.pks.tolist():
        for above in sorted(newer.get(pk, ()), key=lambda row: (-times[row], -row)):
            if above not in order:
                order[above] = None
                gained[place[above]] = max(0.0, scores[place[pk]] - scores[place[above]])
        order[pk] = None
    rows = np.array([place[pk] for pk in order], dtype=np.int64)
    parts["current"] = gained
    return Ranked(pks[rows], (scores + gained)[rows], {name: part[rows] for name, part in parts.items()})
