"""Statements that a language model draws from turns, where one is configured and `perceive.statements` says "model".

Each turn is stored at once as it was said; its statements come from here, turn by turn, each in one transaction with
how far the job has come. What the model does not answer, answers with nonsense, or may not be asked any more today, the
rules draw instead: a turn never goes without.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from recollect.clock import Clock
from recollect.config import LiveConfig
from recollect.errors import ProviderError
from recollect.ingest.requests import STATEMENTS_JOB, TURNS
from recollect.perceive.by_model.statements import INSTRUCTIONS, prompt_of, propositions_from_json
from recollect.perceive.statements.propositions import Proposition, propositions_of
from recollect.providers.base import Llm
from recollect.store.base import Store, Tx
from recollect.store.jobs import Job
from recollect.store.journal import Op
from recollect.store.stretches import RowStretch, TurnRow
from recollect.upkeep.jobs.worker import ModelAway, Progress
from recollect.upkeep.language_model.asking import BudgetedModel, OutOfTokens, later
from recollect.upkeep.language_model.awaited import STATEMENTS_RULED, STATEMENTS_SEEN

PORTION = 64  # rows looked for new turns in at once
VERB = "add"  # of an operation made for statements whose turn's own is gone

# Stores what a turn states, inside a transaction: (transaction, operation, key of the turn, statements). What was drawn
# from an earlier version of the turn gives way to it.
StoreStatements = Callable[[Tx, Op, int, Sequence[Proposition]], None]


class StatementsByModel:
    """The handler of `statements_by_model` jobs."""

    def __init__(
        self, store: Store, llm: Llm | None, config: LiveConfig, clock: Clock, store_statements: StoreStatements
    ) -> None:
        self._store = store
        self._llm = llm
        self._config = config
        self._clock = clock
        self._store_statements = store_statements

    def run(self, job: Job, progress: Progress) -> None:
        """Draw statements from every turn stored since the last run, or until the budget of this run is used up.

        While the model cannot be had, rules draw from what is new, and `ModelAway` has the job come again:
        then the model is asked about the same turns, and what it draws takes the place of what the rules drew.
        """
        if self._llm is None:
            self._stand_in(progress)
            return
        asking = BudgetedModel(self._llm, self._store, self._config, self._clock)
        while self._wanted:
            here, turns = self._next(STATEMENTS_SEEN)
            if here is None:
                return
            try:
                self._draw(asking, here, turns, progress)
            except OutOfTokens as spent:
                self._store.write(partial(later, kind=STATEMENTS_JOB, now=self._clock(), spent=spent))
                return
            except ModelAway:
                self._stand_in(progress)
                raise

    @property
    def _wanted(self) -> bool:
        return self._config.current.perceive.statements == "model"

    def _next(self, key: str) -> tuple[RowStretch | None, dict[int, TurnRow]]:
        """The rows after the mark of that key, and the turns among them that are drawn from."""
        machines_too = self._config.current.perceive.assistant_statements
        with self._store.read() as tx:
            here = tx.stretches.next(key, PORTION)
            turns = tx.stretches.turns(here.records, TURNS) if here else []
        return here, {turn.pk: turn for turn in turns if machines_too or not turn.is_machines}

    def _draw(self, asking: BudgetedModel, here: RowStretch, turns: dict[int, TurnRow], progress: Progress) -> None:
        with self._store.read() as tx:
            ruled = tx.meta.number(STATEMENTS_RULED)
        for pk, row in here.records.items():
            turn = turns.get(pk)
            if turn is None:
                continue
            stated = None if asking.away else self._by_model(asking, turn)
            if asking.unavailable:
                assert self._llm is not None
                raise ModelAway(f"{self._llm.name} is unavailable; rules draw statements until it answers")
            if stated is None and row > ruled:  # what rules drew already stays
                stated = self._by_rules(turn)
            here = self._keep(STATEMENTS_SEEN, here, row, turn, stated)
            if not progress(here.share):
                raise InterruptedError("stopped before the end")
        self._keep(STATEMENTS_SEEN, here, here.reached, None, None)

    def _stand_in(self, progress: Progress) -> None:
        """Rules draw from what neither a model nor they drew from; the model's own mark stays where it is."""
        self._store.write(_catch_up)
        while self._wanted:
            here, turns = self._next(STATEMENTS_RULED)
            if here is None:
                return
            for pk, row in here.records.items():
                if (turn := turns.get(pk)) is not None:
                    here = self._keep(STATEMENTS_RULED, here, row, turn, self._by_rules(turn))
                    if not progress(here.share):
                        raise InterruptedError("stopped before the end")
            self._keep(STATEMENTS_RULED, here, here.reached, None, None)

    def _by_rules(self, turn: TurnRow) -> Sequence[Proposition]:
        return propositions_of(
            turn.content,
            speaker=turn.speaker,
            role=turn.role,
            said_at=turn.said_at,
            words_min=self._config.current.perceive.statement_words_min,
        )

    def _by_model(self, asking: BudgetedModel, turn: TurnRow) -> Sequence[Proposition] | None:
        """What the turn states; None if the model says nothing that can be used."""
        try:
            answer = asking.complete(
                prompt_of(turn.content, speaker=turn.speaker, role=turn.role, said_at=turn.said_at),
                instructions=INSTRUCTIONS,
                max_tokens=self._config.current.perceive.statement_output_tokens,
            )
        except OutOfTokens as spent:
            if spent.today:
                return None
            raise
        if answer is None:
            return None
        try:
            found = propositions_from_json(answer, turn.content, said_at=turn.said_at)
        except ProviderError:
            asking.understood(False)
            return None
        asking.understood(True)
        return found

    def _keep(
        self, key: str, here: RowStretch, reached: int, turn: TurnRow | None, stated: Sequence[Proposition] | None
    ) -> RowStretch:
        """New statements of a turn and how far we are, together; what is left of the stretch."""
        done = here._replace(reached=reached)

        def work(tx: Tx) -> None:
            moved = tx.stretches.move_on(key, done)
            if moved and turn is not None and stated is not None and tx.records.is_at_version(turn.pk, turn.version):
                op = tx.journal.of_row(reached, now=self._clock(), verb=VERB)
                self._store_statements(tx, op, turn.pk, stated)

        self._store.write(work)
        return here._replace(seen=reached)


def _catch_up(tx: Tx) -> None:
    """What a model drew from is not drawn from by rules."""
    tx.meta.note(STATEMENTS_RULED, max(tx.meta.number(STATEMENTS_SEEN), tx.meta.number(STATEMENTS_RULED)))
