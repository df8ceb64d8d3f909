"""What a language model notes of a session, before the rules go over it. Optional, within its budget.

What it does not answer, answers with nonsense or may not be asked any more is left to the rules: they have read every
turn already. What it notes is stored as what perception draws is: once, resting on its turn, compared with the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from recollect.clock import from_us
from recollect.errors import ProviderError
from recollect.ingest.embedding import Embedding
from recollect.ingest.material import Material, prepare_stated
from recollect.ingest.writer import MaterialWriter
from recollect.model.columns import RecordRow
from recollect.model.roles import is_machine
from recollect.model.tokens import estimate_tokens
from recollect.perceive.by_model.sessions import INSTRUCTIONS, SessionNote, ShownTurn, notes_from_json, prompt_of
from recollect.perceive.sameness.sense import says_the_same
from recollect.providers.base import Llm
from recollect.store.base import Tx
from recollect.store.journal import Op
from recollect.store.sessions import WaitingSession
from recollect.upkeep.language_model.asking import BudgetedModel, OutOfTokens
from recollect.upkeep.runs.run import Run

TURNS_MAX = 100  # shown at once
_TOKENS_BESIDE = 8  # a turn's number, speaker and day
_WHY = "noted by the model in its session"


class _UnaskedTurn(NamedTuple):
    pk: int
    row: RecordRow

    @property
    def shown(self) -> ShownTurn:
        row = self.row
        return ShownTurn(row.content, row.speaker, row.role, from_us(row.event_time or row.created_at))


class SessionsByModel:
    """Asks about the sessions of one run."""

    def __init__(self, llm: Llm, embedding: Embedding) -> None:
        self._llm = llm
        self._embedding = embedding
        self._asking: BudgetedModel | None = None
        self._spent = False

    def note(self, run: Run, waiting: WaitingSession) -> bool:
        """Store what the model notes of a session, as far as it was not asked before; False if it could not be had."""
        if run.dry_run:
            run.problem("consolidate: in a dry run no model is asked; a run may note more")
            return True
        self._asking = self._asking or BudgetedModel(self._llm, run.store, run.live, run.clock)
        while not (self._spent or self._asking.away):
            with run.store.read() as tx:
                unasked = tx.sessions.unasked_turns(waiting, TURNS_MAX)
            turns = list(_that_fit((_UnaskedTurn(pk, row) for pk, row in unasked), run.config.upkeep.session_tokens))
            if not turns:
                return True
            notes = self._noted(run, self._asking, turns)
            if notes is None:
                return not self._asking.unavailable
            materials = [each for each in (self._material(run, turns, note) for note in notes) if each is not None]
            if not run.portion(partial(self._keep, run=run, waiting=waiting, turns=turns, materials=materials)):
                return True
            waiting = waiting._replace(asked_to=turns[-1].pk)
        return not self._asking.unavailable

    def _noted(self, run: Run, asking: BudgetedModel, turns: Sequence[_UnaskedTurn]) -> Sequence[SessionNote] | None:
        try:
            answer = asking.complete(
                prompt_of([turn.shown for turn in turns]),
                instructions=INSTRUCTIONS,
                max_tokens=run.config.upkeep.session_output_tokens,
            )
        except OutOfTokens:
            self._spent = True
            run.problem("consolidate: the model's budget is used up; rules did the rest (perceive.model_day_tokens)")
            return None
        if answer is None:
            later = "; its sessions wait for it" if asking.unavailable else ""
            run.problem(f"consolidate: {self._llm.name} did not answer; rules did what they could{later}")
            return None
        try:
            notes = notes_from_json(answer, [turn.shown for turn in turns])
        except ProviderError as error:
            asking.understood(False)
            run.problem(f"consolidate: {error.message} ({error.code})")
            return None
        asking.understood(True)
        return notes

    def _material(self, run: Run, turns: Sequence[_UnaskedTurn], note: SessionNote) -> tuple[int, Material] | None:
        """A note as rows with their vectors, outside any transaction; None if it rests on what a machine said."""
        pk, row = turns[note.turn]
        if is_machine(row.role) and not run.config.perceive.assistant_statements:
            return None
        material = prepare_stated(row, [note.stated], self._embedding, run.config)
        for one in material.statements:
            one.row.kind = note.kind or one.row.kind
        return pk, material

    def _keep(
        self,
        tx: Tx,
        op: Op,
        *,
        run: Run,
        waiting: WaitingSession,
        turns: Sequence[_UnaskedTurn],
        materials: Sequence[tuple[int, Material]],
    ) -> bool:
        """The notes and up to where the model was asked, together."""
        if not tx.sessions.asked(waiting, to=turns[-1].pk):
            return False
        versions = {turn.pk: turn.row.version for turn in turns}
        for turn_pk, material in materials:
            content = material.statements[0].row.content
            drawn = tx.records.contents(tx.statements.drawn_from([turn_pk]))
            changed = not tx.records.is_at_version(turn_pk, versions[turn_pk])
            if changed or any(says_the_same(content, other) for other in drawn):
                continue
            writer = MaterialWriter(tx, op, material)
            writer.note_read([turn_pk])
            for row in writer.fresh:
                run.note("made", row.id, _WHY)
        return True


def _that_fit(turns: Iterator[_UnaskedTurn], tokens: int) -> Iterator[_UnaskedTurn]:
    """As many as fit, and always the first: what does not fit even alone must not keep the others waiting."""
    left = tokens
    for turn in turns:
        needed = estimate_tokens(turn.row.content) + _TOKENS_BESIDE
        if needed > left < tokens:
            return
        left -= needed
        yield turn
