"""From sessions to knowledge: what was said in one is compared with all that was said before it in its scope.

Each session is gone over once, when it has ended: its last turn is long ago, or another session of its scope went on
after it. What perception drew from its turns is merged where it says the same, retired where it is outdated, set
against what contradicts it, and asked about where it may have changed something; a language model, where there is one,
adds what only the whole session tells. What was said outside any session is gone over as it comes. How far that is is
kept with what it made, in one transaction, so that a run that dies is gone on with, and nothing is done twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from recollect.clock import SECOND_US
from recollect.ingest.embedding import Embedding
from recollect.providers.base import Llm
from recollect.store.base import Tx
from recollect.store.journal import Op
from recollect.store.sessions import WaitingSession
from recollect.store.statements import KINDS
from recollect.upkeep.consolidation.conflict import Decision, decide, settle
from recollect.upkeep.consolidation.known_statements import KnownStatement, found_by, load, note
from recollect.upkeep.consolidation.repeats import Repeat, merge, repeats_among
from recollect.upkeep.consolidation.sessions_by_model import SessionsByModel
from recollect.upkeep.knowledge.gaps import ask_about_changes
from recollect.upkeep.runs.run import Run

PORTION = 80  # rows of a session gone over in one transaction
_SAYING = (*KINDS, "episodic")


class _SessionRows(NamedTuple):
    """The next rows of a session: turns and statements, and where they end."""

    turns: list[int]
    statements: list[int]
    reached: int
    last: bool  # there are none after these


class _PortionFindings(NamedTuple):
    """What one portion comes to."""

    new: Sequence[KnownStatement]
    repeats: Sequence[Repeat]
    decisions: Sequence[Decision]


class ConsolidateStep:
    """The step. `session_id` names the sessions to go over, ended or not; else it is those that have ended."""

    name = "consolidate"

    def __init__(
        self, llm: Llm | None = None, embedding: Embedding | None = None, session_id: str | None = None
    ) -> None:
        self._by_model = None if llm is None or embedding is None else SessionsByModel(llm, embedding)
        self._session_id = session_id

    def run(self, run: Run) -> None:
        with run.store.read() as tx:
            waiting = self._waiting(tx, run)
        state = _FoundSoFar()
        for place, each in enumerate(waiting):
            run.progress(place / len(waiting))
            asked = self._by_model is None or each.session_pk is None or self._by_model.note(run, each)
            self._go_over(run, each, state, asked=asked)
            ask_about_changes(run, each.scope_pk, each.session_pk)

    def _waiting(self, tx: Tx, run: Run) -> list[WaitingSession]:
        """What there is to go over: the scope first in which something was felt most, each from its oldest session on.

        Within a scope time decides, since what is said later takes the place of what was said before. What was said
        outside any session comes last.
        """
        if self._session_id is not None:
            return tx.sessions.named(self._session_id, run.scope_pks)
        quiet_us = int(run.config.upkeep.session_idle_s * SECOND_US)
        ended = tx.sessions.ended(run.scope_pks, run.clock(), quiet_us)
        if run.config.upkeep.felt_first:
            ended = _felt_first(tx, ended)
        return [*ended, *tx.sessions.apart(run.scope_pks)]

    def _go_over(self, run: Run, waiting: WaitingSession, state: _FoundSoFar, *, asked: bool) -> None:
        """By rules. A session that a model could not be asked about is not done with that: the next run asks."""
        while True:
            with run.store.read() as tx:
                rows = _next_rows(tx, waiting)
                found = None if rows is None else _compared(tx, rows, state)
            if rows is None or found is None:
                run.problem("consolidate: some turns are not read yet; their sessions wait for the next run")
                return
            if not run.portion(_keeping(run, waiting, rows, found, done=rows.last and asked)):
                return  # another process has gone over it, or goes on saying something in it
            state.remember(found)
            if rows.last:
                return
            waiting = waiting._replace(done_to=rows.reached)
            run.progress(0.0)


def _felt_first(tx: Tx, waiting: Sequence[WaitingSession]) -> list[WaitingSession]:
    felt = tx.sessions.felt([each.session_pk for each in waiting if each.session_pk is not None])
    strongest: dict[int, float] = {}
    for each in waiting:
        strongest[each.scope_pk] = max(strongest.get(each.scope_pk, 0.0), felt.get(each.session_pk or 0, 0.0))
    return sorted(waiting, key=lambda each: -strongest[each.scope_pk])  # stable: of one strength the oldest first


class _FoundSoFar:
    """What this run has found, for a dry run to see whose portions are taken back."""

    def __init__(self) -> None:
        self.noted: dict[int, set[int]] = {}
        self.gone: set[int] = set()

    def remember(self, found: _PortionFindings) -> None:
        for known in found.new:
            for number in (*known.traces, known.rewording):
                self.noted.setdefault(number, set()).add(known.pk)
        self.gone |= {repeat.younger.pk for repeat in found.repeats}
        self.gone |= {each.loser.pk for each in found.decisions if each.label == "supersedes"}


def _next_rows(tx: Tx, waiting: WaitingSession) -> _SessionRows | None:
    """None if some of them were not read yet."""
    found = tx.sessions.rows_after(waiting, _SAYING, PORTION)
    if any(unread for _, _, unread in found):
        return None
    turns = [pk for pk, kind, _ in found if kind == "episodic"]
    stated = [pk for pk, kind, _ in found if kind != "episodic"]
    return _SessionRows(turns, stated, found[-1][0] if found else waiting.done_to, len(found) < PORTION)


def _compared(tx: Tx, rows: _SessionRows, state: _FoundSoFar) -> _PortionFindings:
    """What is said in these rows, beside what was said before."""
    said = tx.statements.said_in(rows.turns) if rows.turns else set()
    known = load(tx, {*rows.statements, *said} - state.gone)
    new = list(known.values())
    numbers = {number for each in new for number in (*each.traces, each.rewording)}
    by_number: dict[int, list[int]] = found_by(tx, numbers, state.noted)
    for each in new:
        for number in (*each.traces, each.rewording):
            by_number.setdefault(number, []).append(each.pk)
    others = {pk for holders in by_number.values() for pk in holders} - known.keys() - state.gone
    everything = {**known, **load(tx, others)}
    repeats = repeats_among(new, everything, _near(new, by_number, lambda each: (each.rewording,)))
    merged = {repeat.younger.pk for repeat in repeats}
    left = {pk: each for pk, each in everything.items() if pk not in merged}
    decisions = decide([each for each in new if each.pk in left], left, _near(new, by_number, lambda each: each.traces))
    return _PortionFindings(new, repeats, decisions)


def _near(
    new: Sequence[KnownStatement],
    by_number: Mapping[int, Sequence[int]],
    numbers: Callable[[KnownStatement], Iterable[int]],
) -> dict[int, set[int]]:
    return {each.pk: {pk for number in numbers(each) for pk in by_number.get(number, ())} for each in new}


def _keeping(
    run: Run, waiting: WaitingSession, rows: _SessionRows, found: _PortionFindings, *, done: bool
) -> Callable[[Tx, Op], bool]:
    """What was found and how far that is, together; False if another process was there first."""

    def work(tx: Tx, op: Op) -> bool:
        if not tx.sessions.move_on(waiting, to=rows.reached, at=op.at if done else None):
            return False
        merge(tx, op, run, found.repeats)
        settle(tx, op, run, found.decisions)
        note(tx, found.new)
        return True

    return work
