"""What a memory can say of itself: why it believes a record, what it is about to lose, what it would like to know.

Each part is imported when it is asked for: a memory that only stores and finds never pays for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from recollect.errors import NotFound
from recollect.model.explanation import Explanation
from recollect.model.fading import FadingRecord
from recollect.model.knowledge import Assessment, KnowledgeMap
from recollect.model.query import Criteria
from recollect.model.question import Question
from recollect.model.record import Record
from recollect.model.review import Waiting
from recollect.model.scope import Scope
from recollect.model.trust import Trust
from recollect.recall.pipeline import Recall
from recollect.recall.ranking.trust import trust_in
from recollect.store import questions, records, scopes
from recollect.upkeep.maintain import Parts

if TYPE_CHECKING:
    from recollect.insight.assess import Assessing


class Knowing:
    """Over one store; what is seen of it is for the criteria to say."""

    def __init__(self, parts: Parts, recall: Recall) -> None:
        self._store = parts.store
        self._live = parts.live
        self._clock = parts.clock
        self._embedding = parts.embedding
        self._search = partial(recall.search, for_use=False)

    def explain(self, record_id: str, *, visible: Criteria | None) -> Explanation:
        """Why a record is there and why it is believed; `visible` None for the owner."""
        from recollect.insight.explain import Explaining

        return Explaining(self._store, self._live, self._clock).explain(record_id, visible=visible)

    def trust(self, found: Sequence[Record], criteria: Criteria) -> dict[str, Trust]:
        """How far records that nobody searched for can be believed, by id: the figure that a search tells of them."""
        with self._store.read() as tx:
            keys = records.load(tx, records.pks_of(tx, [record.id for record in found]))
            trust = trust_in(
                tx, keys, dict.fromkeys(keys, 1.0), now=self._clock(), config=self._live.current, visible=criteria
            )
        return {keys[pk].id: figures for pk, figures in trust.items()}

    def weak(self, criteria: Criteria, *, limit: int, within_days: float) -> list[FadingRecord]:
        """Records that are about to be forgotten, the soonest first."""
        from recollect.insight.weak import Weakening

        return Weakening(self._store, self._live, self._clock).weak(criteria, limit=limit, within_days=within_days)

    def review(self, criteria: Criteria, *, limit: int) -> list[Waiting]:
        """What waits for a person's word, the most pressing first."""
        from recollect.insight.review import Reviewing

        return Reviewing(self._store, self._live, self._clock).review(criteria, limit=limit)

    def assess(self, question: str, criteria: Criteria) -> Assessment:
        """Whether a question can be answered from memory."""
        return self._assessing().assess(question, criteria)

    def map(self, criteria: Criteria) -> KnowledgeMap:
        """The areas of what is known."""
        return self._assessing().map(criteria.scope, criteria.reach)

    def questions(self, scope: Scope, session: str | None, *, limit: int | None) -> list[Question]:
        """What to ask in a session now; it counts as asked."""
        from recollect.upkeep.knowledge.questions import questions_for

        now, settings = self._clock(), self._live.current.upkeep
        return self._store.write(lambda tx: questions_for(tx, scope, session, now=now, settings=settings, limit=limit))

    def questions_if_any(self, scope: Scope, session: str) -> list[Question]:
        """The same; where there is nothing to ask, which is nearly always, nothing is written."""
        from recollect.upkeep.knowledge.questions import is_due

        now, settings = self._clock(), self._live.current.upkeep
        with self._store.read() as tx:
            still_open = questions.still_open(tx, scopes.visible(tx, scope) or [])
        due = any(is_due(each, now, settings) for each in still_open)
        return self.questions(scope, session, limit=None) if due else []

    def dismiss(self, question_id: str, scope: Scope | None) -> None:
        """Never ask that again; `scope` None for the owner."""
        from recollect.upkeep.knowledge.questions import dismiss

        now = self._clock()
        if not self._store.write(lambda tx: dismiss(tx, question_id, scope, now=now)):
            raise NotFound(f"no open question has the id {question_id}; `questions` and `review` list them")

    def _assessing(self) -> Assessing:
        from recollect.insight.assess import Assessing

        return Assessing(self._store, self._embedding, self._search, self._live, self._clock)
