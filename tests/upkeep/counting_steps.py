"""Steps of upkeep for tests: what they do is easy to count, and doing it twice would be seen."""

from __future__ import annotations

from collections.abc import Callable

from recollect.clock import Clock, now_us
from recollect.ids import new_id
from recollect.language.terms import terms_of
from recollect.memory import Memory
from recollect.model.columns import RecordRow
from recollect.store import edges
from recollect.store.base import Tx
from recollect.store.journal import Op
from recollect.store.rows import content_hash
from recollect.upkeep.runs.activity import Activity
from recollect.upkeep.runs.run import Run
from recollect.upkeep.runs.runner import Runner

PORTION = 3


def nothing(position: int) -> None:
    """What happens at a point of a run, unless a test wants something there."""


class Shelving:
    """Puts every note away and writes a card that says so. That a note is put away is the mark that it is done."""

    name = "shelve"

    def __init__(self, inside: Callable[[int], None] = nothing, between: Callable[[int], None] = nothing) -> None:
        self._inside, self._between = inside, between

    def run(self, run: Run) -> None:
        with run.store.read() as tx:
            waiting = self._waiting(tx, run)
        for at in range(0, len(waiting), PORTION):
            portion = waiting[at : at + PORTION]
            run.portion(lambda tx, op, portion=portion: self._shelve(tx, op, run, portion))  # type: ignore[misc]
            run.progress((at + PORTION) / len(waiting))
            self._between(at // PORTION)

    def _waiting(self, tx: Tx, run: Run) -> list[int]:
        within = "1" if run.scope_pks is None else f"scope_pk IN ({', '.join(map(str, run.scope_pks))})"
        sql = (
            "SELECT pk FROM record WHERE category = 'note' AND tier <> 'archive' AND head_pk IS NULL "
            f"AND retired_at IS NULL AND {within} ORDER BY pk"
        )
        return [pk for (pk,) in tx.sql.all(sql)]

    def _shelve(self, tx: Tx, op: Op, run: Run, pks: list[int]) -> None:
        for pk in pks:
            note = tx.records.columns_of(pk)
            if note is None or note["tier"] == "archive" or note["retired_at"] is not None:
                continue
            tx.records.revise(op, pk, {"tier": "archive"}, reason="put away")
            said = f"card of {note['content']}"
            row = RecordRow(
                id=new_id(),
                scope_pk=note["scope_pk"],
                content=said,
                content_hash=content_hash(said),
                created_at=op.at,
                updated_at=op.at,
                recorded_at=op.at,
                category="card",
            )
            (card,) = tx.records.insert(op, [row], [terms_of(said)])
            tx.edges.insert(op, [edges.pair(card, pk, "derived_from")])
            run.note("archived", note["id"], "it was lying about")
            run.note("made", row.id, "it was put away")
            self._inside(pk)


def runner_of(memory: Memory, clock: Clock = now_us) -> Runner:
    engine = memory._engine
    return Runner(engine.store, engine.config, clock, Activity(sleep=lambda seconds: None))


def fill(memory: Memory, count: int = 10, **scope: str) -> list[str]:
    return list(memory.add([f"note number {n}" for n in range(count)], category="note", infer=False, **scope).ids)


def cards(memory: Memory) -> list[str]:
    return sorted(record.content for record in memory.get_all(categories=["card"], limit=1000, reach="all"))
