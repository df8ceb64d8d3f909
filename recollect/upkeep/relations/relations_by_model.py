"""Relations that a language model finds, where one is configured and `perceive.relations_by_model` asks for it.

A job of its own beside the one that goes by rules: that one is done at once, this one goes on as the budget allows.
What the model does not answer, or answers with nonsense, is left to the rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from recollect.clock import Clock
from recollect.config import LiveConfig
from recollect.errors import ProviderError
from recollect.index.follow import Indexes
from recollect.ingest.requests import MODEL_RELATIONS_JOB, SOUGHT_IN
from recollect.perceive.by_model.relations import INSTRUCTIONS, METHOD, prompt_of, relations_from_json
from recollect.perceive.relations.standing import RelationCandidate, TextRelation
from recollect.providers.base import Llm
from recollect.store.base import Store, Tx
from recollect.store.jobs import Job
from recollect.store.stretches import RowStretch
from recollect.upkeep.jobs.worker import ModelAway, Progress, await_indexes
from recollect.upkeep.language_model.asking import BudgetedModel, OutOfTokens, later
from recollect.upkeep.language_model.awaited import RELATIONS_SEEN as _SEEN
from recollect.upkeep.relations.extracted import TextRelations, keep
from recollect.upkeep.relations.relations_by_rules import SimilarRows
from recollect.upkeep.relations.texts import LiveText, live_texts

PORTION = 64  # rows looked for new records in at once


class RelationsByModel:
    """The handler of `relations_by_model` jobs."""

    def __init__(self, store: Store, indexes: Indexes, llm: Llm, config: LiveConfig, clock: Clock) -> None:
        self._store = store
        self._indexes = indexes
        self._llm = llm
        self._config = config
        self._clock = clock

    def run(self, job: Job, progress: Progress) -> None:
        """Ask about every record stored since the last run, until the budget is used up; then a later job goes on."""
        asking = BudgetedModel(self._llm, self._store, self._config, self._clock)
        while self._config.current.perceive.relations_by_model:
            kinds = SOUGHT_IN[self._config.current.perceive.relations]
            with self._store.read() as tx:
                here = tx.stretches.next(_SEEN, PORTION)
                read = live_texts(tx, here.records, kinds) if here and kinds else {}
            if here is None:
                return
            if read:
                await_indexes(self._indexes, progress)
            try:
                self._ask(asking, here, read, progress)
            except OutOfTokens as spent:
                self._store.write(partial(later, kind=MODEL_RELATIONS_JOB, now=self._clock(), spent=spent))
                return

    def _ask(self, asking: BudgetedModel, here: RowStretch, read: Mapping[int, LiveText], progress: Progress) -> None:
        """One record after the other, each kept at once: an answer that was paid for is not thrown away."""
        for head, row in here.records.items():
            if head not in read:
                continue
            found = self._asked(asking, read[head], row)
            here = self._keep(here, row, found)
            if not progress(here.share):
                raise InterruptedError("stopped before the end")
        self._keep(here, here.reached, None)

    def _asked(self, asking: BudgetedModel, note: LiveText, row_pk: int) -> TextRelations | None:
        """What the model says about one record and those around it; None if it says nothing that can be used."""
        settings = self._config.current.perceive
        kinds = SOUGHT_IN[settings.relations]
        near = SimilarRows(self._indexes, self._clock()).of(note, kinds, settings.relation_candidates)
        with self._store.read() as tx:
            others = live_texts(tx, near, kinds)
        candidates = [RelationCandidate(key=str(pk), text=others[pk].content) for pk in near if pk in others]
        if note.is_code or not candidates:
            return None
        answer = asking.complete(
            prompt_of(note.content, [others[int(each.key)].content for each in candidates], settings=settings),
            instructions=INSTRUCTIONS,
            max_tokens=settings.relation_output_tokens,
        )
        relations = None if answer is None else self._understood(asking, answer, candidates)
        if asking.unavailable or asking.away:
            raise ModelAway(f"{self._llm.name} did not answer in the requested form; the job is tried again later")
        if relations is None:
            return None
        return TextRelations(note, row_pk, [(each, others[int(each.key)]) for each in relations])

    def _understood(
        self, asking: BudgetedModel, answer: str, candidates: Sequence[RelationCandidate]
    ) -> tuple[TextRelation, ...] | None:
        try:
            relations = relations_from_json(answer, candidates, settings=self._config.current.perceive)
        except ProviderError:
            asking.understood(False)
            return None
        asking.understood(True)
        return relations

    def _keep(self, here: RowStretch, reached: int, found: TextRelations | None) -> RowStretch:
        """What was found and how far that is; what is left of the stretch."""
        done = here._replace(reached=reached)

        def work(tx: Tx) -> None:
            if tx.stretches.move_on(_SEEN, done) and found is not None:
                keep(tx, [found], methods=(METHOD,), now=self._clock())

        self._store.write(work)
        return here._replace(seen=reached)
