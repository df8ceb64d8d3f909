"""One reasoning's way to memory: every recall goes through here, is counted, and never happens twice.

What was found is evidence: each record once, best first. A record counts by what the question itself makes of it, or a
part of the question, and by the best chain it stands in: both ends of a chain, since neither answers without the other.
Without chains the scores are those of the search.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from recollect.language.terms import terms_of
from recollect.model.query import Criteria
from recollect.model.reasoning import Step, StepKind, Why
from recollect.model.result import Hit, Quality, Recollection
from recollect.reason.budget import Spending
from recollect.reason.rarity import Weighing, Worth
from recollect.reason.walk import Walked, Walking
from recollect.recall.pipeline import ReadPath
from recollect.recall.question.cues import cues_of
from recollect.recall.question.present import asks_for_the_present
from recollect.recall.question.query import Query

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


class AskingMemory:
    """Recall and walk for one reasoning, within what may be spent. Not for several threads."""

    def __init__(
        self,
        recall: ReadPath,
        walking: Walking,
        weighing: Weighing,
        criteria: Criteria,
        *,
        records: int,
        spending: Spending,
        asked_in: str | None = None,
    ) -> None:
        self._recall = recall
        self._walking = walking
        self._weighing = weighing
        self._criteria = criteria
        self._records = records
        self._asked_in = asked_in
        self._asked: set[tuple[str, ...]] = set()
        self.spending = spending
        self.evidence = Evidence()
        self.steps: list[Step] = []
        self.missing: dict[str, None] = {}

    def is_new(self, question: str) -> bool:
        """Whether nothing was asked in these words before; their order does not matter."""
        return _words(question) not in self._asked

    def ask(self, question: str, why: Why, depth: int) -> Recollection | None:
        """What answers a question; None if it was asked before, or if no further one may be."""
        if not self.is_new(question) or not self.spending.may_ask_memory():
            return None
        self._asked.add(_words(question))
        query = Query(text=question, criteria=self._criteria, top_k=self._records, asked_in=self._asked_in)
        found = self._recall.search(query, for_use=why != "bridge", imagine=False)
        self.missing |= dict.fromkeys(found.missing)
        if why != "bridge":
            self.note("recall" if why == "asked" else "sub_question", question, len(found), depth)
            self.evidence.note(found, why)
        return found

    def walk(self, question: str, found: Sequence[Hit], wanted: Collection[str], depth: int) -> Walked:
        """What relations lead to from the best hits."""
        if self._criteria.known_at is not None:
            self.missing["relations: they are followed in what is believed now, not in what was believed then"] = None
            return Walked()
        if not found or not self._walking.hops:
            return Walked()
        walked = self._walking.walk(found, wanted, self._criteria)
        if walked.hits:
            self.note("walk", question, len(walked.hits), depth)
        self.evidence.walk_to(walked.hits)
        return walked

    def weigh(self, texts: Sequence[str]) -> Worth:
        """What the words of these texts are worth among the records that may be seen."""
        return self._weighing.worth(texts, self._criteria)

    def note(self, kind: StepKind, question: str, count: int, depth: int) -> None:
        self.steps.append(Step(kind=kind, question=question, count=count, depth=depth))


def nothing(question: str) -> Recollection:
    """No hits, for a question that was not asked."""
    return Recollection(query=question, hits=(), quality=Quality())


def _words(question: str) -> tuple[str, ...]:
    return tuple(sorted(set(terms_of(question))))


class Evidence:
    """Collects hits and the chains they stand in. Not for several threads."""

    def __init__(self) -> None:
        self._hits: dict[str, Hit] = {}
        self._direct: dict[str, float] = {}
        self._chained: dict[str, float] = {}
        self._asked: set[str] = set()
        self._of_now = False

    def note(self, hits: Iterable[Hit], why: Why) -> None:
        """What a question found; `why` it was asked says how much that counts."""
        found = [hit for hit in hits if hit.score > 0]
        self._note(found, SHARES[why])
        if why == "asked":
            self._asked.update(hit.id for hit in found)
            if isinstance(hits, Recollection):
                self._of_now = asks_for_the_present(hits.query, cues_of(hits.query))

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
        """The hits best first, with what speaks for each as their score.

        Where the question asks how things are, what has ended stands below what is said instead.
        """
        best = max(self._direct.values(), default=0.0) or 1.0
        floor = _UNRANKED_SHARE * min((self._direct[each] for each in self._asked), default=0.0)
        scale = best / (1.0 + max(self._chained.values(), default=0.0))
        scored = [
            replace(hit, score=scale * (max(self._direct.get(each, 0.0), floor) / best + self._chained.get(each, 0.0)))
            for each, hit in self._hits.items()
        ]
        ranked = sorted(scored, key=lambda hit: -hit.score)
        return tuple((_current_first(ranked) if self._of_now else ranked)[:limit])


def _current_first(hits: Sequence[Hit]) -> list[Hit]:
    """The same hits; one that has ended comes right after the last of what is said instead of it."""
    place = {hit.id: at for at, hit in enumerate(hits)}

    def order(at: int) -> tuple[int, int]:
        hit = hits[at]
        later = [place[each] for each in hit.replaced_by if each in place] if not hit.current else []
        return max([at, *later]), at if not later else len(hits) + at

    return [hits[at] for at in sorted(range(len(hits)), key=order)]
