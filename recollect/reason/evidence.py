"""What was found for all the questions of a tree, each record once, best first.

A record counts by what the question itself makes of it, or a part of the question, and by the best chain it stands in:
both ends of a chain, since neither answers without the other. Without chains the scores are those of the search.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from recollect.model.reasoning import Why
from recollect.model.result import Hit

# What a hit of another question counts for this one. Whoever answers a part of the question answers that part; whoever
# only says what the question is about has to be the beginning of a chain.
SHARES: dict[Why, float] = {
    "asked": 1.0,
    "part": 0.9,
    "compared": 0.9,
    "counted": 0.9,
    "sub_question": 0.9,
    "gap": 0.9,
    "inner": 0.5,
    "event": 0.5,
    "bridge": 0.0,
}
WALKED_SHARE = 0.6  # of a record that only a relation leads to
_UNRANKED_SHARE = 0.8  # of the lowest score: what the question itself did not find stands below what it did


class Evidence:
    """Collects hits and the chains they stand in. Not for several threads."""

    def __init__(self) -> None:
        self._hits: dict[str, Hit] = {}
        self._direct: dict[str, float] = {}
        self._chained: dict[str, float] = {}
        self._asked: set[str] = set()

    def note(self, hits: Iterable[Hit], why: Why) -> None:
        """What a question found; `why` it was asked says how much that counts."""
        found = [hit for hit in hits if hit.score > 0]
        self._note(found, SHARES[why])
        if why == "asked":
            self._asked.update(hit.id for hit in found)

    def walk_to(self, hits: Iterable[Hit]) -> None:
        """What relations led to."""
        self._note(hits, WALKED_SHARE)

    def _note(self, hits: Iterable[Hit], share: float) -> None:
        for hit in hits:
            self._hits.setdefault(hit.id, hit)
            self._direct[hit.id] = max(self._direct.get(hit.id, 0.0), share * hit.score)

    def join(self, first: Hit, second: Hit, value: float) -> None:
        """The second record goes on from the first."""
        for hit in (first, second):
            self._hits.setdefault(hit.id, hit)
            self._chained[hit.id] = max(self._chained.get(hit.id, 0.0), value)

    @property
    def gained(self) -> bool:
        """Whether there is more than the question itself found."""
        return len(self._hits) > len(self._asked)

    def ordered(self, limit: int | None = None) -> tuple[Hit, ...]:
        """The hits best first, with what speaks for each as their score."""
        best = max(self._direct.values(), default=0.0) or 1.0
        floor = _UNRANKED_SHARE * min((self._direct[each] for each in self._asked), default=0.0)
        scale = best / (1.0 + max(self._chained.values(), default=0.0))
        scored = [
            replace(hit, score=scale * (max(self._direct.get(each, 0.0), floor) / best + self._chained.get(each, 0.0)))
            for each, hit in self._hits.items()
        ]
        return tuple(sorted(scored, key=lambda hit: -hit.score)[:limit])
