"""Doubts that a language model decides, where one is configured, before a person is asked about them.

The reader of pairs is careful and leaves some pairs in doubt. Those go to the model in batches of one scope, within its
budgets. Its word settles a doubt the way a person's answer does. A pair of which it is unsure, or of which it does not
speak in the form it was asked for, stays in doubt and is left to people; none is sent twice. When there is no usable
answer at all, nothing was asked, and the next run asks again.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import groupby

from recollect.errors import ProviderError
from recollect.model.ending import Decider, EndCause, PairJudgement
from recollect.perceive.by_model.doubts import ANSWER_TOKENS, INSTRUCTIONS, ids_for, judgements_from_json, prompt_of
from recollect.providers.base import Llm
from recollect.store.base import Tx
from recollect.store.doubts import DoubtedPair, DoubtMark
from recollect.store.journal import Op
from recollect.upkeep.language_model.asking import BudgetedModel, OutOfTokens
from recollect.upkeep.pairs.settling import settle_doubt
from recollect.upkeep.runs.run import Run

PAIRS_MAX = 500  # of one run; the next one goes on
TRIES_MAX = 3  # runs in which the same pairs may be answered with something else than what was asked for
ENDED, LIFTED, UNSURE, REFUSED = "ended", "lifted", "unsure", "refused"  # what a report says became of a doubt


class _Unanswered(Exception):
    """There is no answer that could be read; the message says why. `for_all`: asking on is no use in this run."""

    def __init__(self, why: str, *, for_all: bool) -> None:
        super().__init__(why)
        self.for_all = for_all


class DoubtsStep:
    """The step."""

    name = "doubts"

    def __init__(self, llm: Llm | None = None) -> None:
        self._llm = llm

    def run(self, run: Run) -> None:
        settings = run.config.reader
        if self._llm is None or not settings.doubts_by_model:
            return
        with run.store.read() as tx:
            waiting = tx.doubts.waiting(run.scope_pks, now=run.clock(), limit=PAIRS_MAX)
        if waiting and run.dry_run:
            run.problem("doubts: in a dry run no model is asked; a run may decide some")
            return
        asking = _AskedPairs(run, self._llm)
        asked = 0
        for _, together in groupby(waiting, key=lambda pair: pair.scope_pk):
            pairs = list(together)  # of one scope: what is told in one is never shown beside another
            asked += len(pairs)
            try:
                for start in range(0, len(pairs), settings.doubts_at_once):
                    asking.ask(pairs[start : start + settings.doubts_at_once])
            except _Unanswered as why:
                run.problem(f"doubts: {why}; doubtful pairs wait for the next run")
                if why.for_all:
                    return
            run.progress(asked / len(waiting))


class _AskedPairs:
    """What one run asks about doubtful pairs."""

    def __init__(self, run: Run, llm: Llm) -> None:
        self._run = run
        self._llm = llm
        self._asking = BudgetedModel(llm, run.store, run.live, run.clock)

    def ask(self, batch: Sequence[DoubtedPair]) -> None:
        """Have pairs of one scope judged, and do what follows; or `_Unanswered`."""
        judgements = self._judged(batch)
        self._run.portion(partial(self._keep, batch=batch, judgements=judgements))

    def _judged(self, batch: Sequence[DoubtedPair]) -> Sequence[PairJudgement | None]:
        ids = ids_for(len(batch))
        try:
            answer = self._asking.complete(
                prompt_of([pair.texts for pair in batch], ids),
                instructions=INSTRUCTIONS,
                max_tokens=ANSWER_TOKENS * len(batch),
            )
        except OutOfTokens as spent:
            which = "perceive.model_day_tokens" if spent.today else "perceive.model_run_tokens"
            raise _Unanswered(f"the model's budget is used up ({which})", for_all=True) from spent
        if answer is None:
            raise _Unanswered(f"{self._llm.name} did not answer", for_all=True)
        try:
            found = judgements_from_json(answer, ids, model=self._llm.name)
        except ProviderError as error:
            self._asking.understood(False)
            return self._in_vain(batch, error)
        self._asking.understood(found.refused < len(batch))
        if found.refused:
            self._run.problem(
                "doubts: the model answered about some pairs in another form than it was asked for; they stay in doubt"
            )
        return found.judgements

    def _in_vain(self, batch: Sequence[DoubtedPair], error: ProviderError) -> Sequence[None]:
        """Nothing in the answer can be read. The same pairs may be tried a few times, then they are left to people."""
        scope_pk = batch[0].scope_pk
        with self._run.store.read() as tx:
            mark = tx.doubts.mark(scope_pk)
        if mark.tries + 1 >= TRIES_MAX:
            self._run.problem(f"doubts: {error.message} ({error.code}); some pairs are left to people")
            return [None] * len(batch)
        again = mark._replace(tries=mark.tries + 1)
        self._run.store.write(lambda tx: tx.doubts.move_on(scope_pk, mark, again))
        raise _Unanswered(f"{error.message} ({error.code})", for_all=self._asking.away) from error

    def _keep(
        self, tx: Tx, op: Op, *, batch: Sequence[DoubtedPair], judgements: Sequence[PairJudgement | None]
    ) -> None:
        """What was said of a batch and that it was asked, together. One that another process asked is left alone."""
        scope_pk = batch[0].scope_pk
        mark = tx.doubts.mark(scope_pk)
        if mark.reached >= batch[0].edge_pk or not tx.doubts.move_on(scope_pk, mark, DoubtMark(batch[-1].edge_pk)):
            return
        for pair, said in zip(batch, judgements, strict=True):
            if said is None:
                self._run.note(REFUSED, pair.older.id, "no answer in the form that was asked for")
            elif tx.doubts.is_as_asked(pair):
                self._run.note(*self._decided(tx, op, pair, said))

    def _decided(self, tx: Tx, op: Op, pair: DoubtedPair, said: PairJudgement) -> tuple[str, str, str]:
        """Do what follows from a model's word; what that was, to which record, and why."""
        tx.doubts.note_judgement(op, pair.edge_pk, said)
        why = f"{said.model} says {said.label} ({said.probability:.2f})"
        if said.probability < self._run.config.reader.doubts_model_min:
            return UNSURE, pair.older.id, why
        cause = EndCause(by=Decider.LLM, probability=said.probability, reason=said.reason, model=said.model)
        older, newer = pair.older.pk, pair.newer.pk
        if not settle_doubt(tx, op, older=older, newer=newer, is_over=said.is_over, cause=cause):
            return UNSURE, pair.older.id, f"{why}, but what is known otherwise speaks against it"
        return ENDED if said.is_over else LIFTED, pair.older.id, why
