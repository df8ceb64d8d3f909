"""One reasoning's way to memory: every recall goes through here, is counted, and never happens twice."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from recollect.language.terms import terms_of
from recollect.model.query import Criteria
from recollect.model.reasoning import Step, StepKind, Why
from recollect.model.result import Hit, Quality, Recollection
from recollect.reason.budget import Spending
from recollect.reason.evidence import Evidence
from recollect.reason.rarity import Weighing, Worth
from recollect.reason.walk import Walked, Walking
from recollect.recall.pipeline import ReadPath
from recollect.recall.question.query import Query


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
