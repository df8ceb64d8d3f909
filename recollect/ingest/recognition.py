"""What of the given is known already, and what becomes of it: it speaks for the record that is there.

One policy for each kind of write: `Recognition` for what people and programs give, others for what is summed up
(`ingest.compaction`) and for what was found (`reason.research`).
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import NamedTuple

from recollect.clock import SECOND_US
from recollect.ingest.material import Material
from recollect.model.columns import RecordRow
from recollect.model.record import DEFAULT_CATEGORY, Kind
from recollect.store.base import Tx
from recollect.store.journal import Op


class Repeats(NamedTuple):
    """Which rows say what was said before, by their position."""

    stored: dict[int, int]  # the key of the record that they repeat
    within: dict[int, int]  # the position of the earlier row that they repeat
    senses: dict[int, int]  # what every statement among them is found by

    def new(self, count: int) -> list[int]:
        """Positions of the rows that repeat nothing."""
        return [at for at in range(count) if at not in self.stored and at not in self.within]


class SaidAgain(NamedTuple):
    """A row that says what a record says: the key of the record, and of the turn that the row was drawn from."""

    pk: int
    row: RecordRow
    turn_pk: int | None = None


NO_REPEATS = Repeats({}, {}, {})


class Recognition:
    """What is given again: a turn that is delivered twice, a statement that was made before."""

    def __init__(self, material: Material) -> None:
        self.material = material
        self.config = material.config

    def repeats(self, tx: Tx, op: Op) -> Repeats:
        """Which of the given rows are known."""
        read, rows, turns = self.material.read, self.material.rows, self.material.drafts.turns
        if not (read.now or read.later):
            return NO_REPEATS
        again = dedupe().delivered_again(tx, [rows[position] for position in turns])
        find = dedupe().repeats if read.now else dedupe().repeated_texts
        found = find(tx, rows, at=op.at, overlap=self.overlap, **({"drawn": False} if read.now else {}))
        return Repeats(found.stored | {turns[at]: pk for at, pk in again.items()}, found.within, found.senses)

    def repeated_statements(self, tx: Tx, op: Op, rows: Sequence[RecordRow]) -> Repeats:
        """Which of the statements that were drawn are known."""
        found: Repeats = dedupe().repeats(tx, rows, at=op.at, overlap=self.overlap, drawn=True)
        return found

    def take_category(self, tx: Tx, op: Op, again: SaidAgain) -> bool:
        """What is said again as something else than before is that from now on; the usual category says nothing."""
        was = (tx.records.columns_of(again.pk) or {})["category"]
        if again.row.category in (was, DEFAULT_CATEGORY[Kind(again.row.kind)]):
            return False
        tx.records.revise(op, again.pk, {"category": again.row.category})
        return True

    def corroborate(self, tx: Tx, op: Op, again: Sequence[SaidAgain]) -> list[str]:
        """What is said again makes the records that say it surer; their ids."""
        if not again:
            return []
        from recollect.ingest.corroborate import Corroboration, corroborate

        sayings = [Corroboration(each.pk, each.row, each.turn_pk) for each in again]
        return corroborate(tx, op, sayings, scale=self.config.trust, window_us=self.window_us)

    @property
    def overlap(self) -> float:
        return self.config.ingest.duplicate_similarity

    @property
    def window_us(self) -> int:
        return int(self.config.ingest.duplicate_window_s * SECOND_US)


def dedupe() -> ModuleType:
    """Imported on first use: it reads tables of words."""
    from recollect.ingest import dedupe

    return dedupe
