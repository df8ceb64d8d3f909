"""A year in which things change, said in ordinary words: for tests of what a reader is told of it.

Which record ended which is said by the test, as a reader of pairs would find it; the rest is the product's.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from properties.tables import open_quick
from ticking import Ticking

from recollect.model.ending import Decider, EndCause
from recollect.model.record import Record
from recollect.model.result import Hit
from recollect.store.base import Tx
from recollect.store.journal import Op

QUIET = {"upkeep.after_session": False}
YEAR = (
    ("2025-01-05", "Mornings mean black coffee, full stop."),
    ("2025-01-14", "I use vim for everything."),
    ("2025-01-20", "I work at the bakery on Mill Street and I sing in a choir."),
    ("2025-02-03", "I run ten kilometres every Sunday."),
    ("2025-02-11", "I drive a blue Volvo."),
    ("2025-03-02", "I am allergic to peanuts."),
    ("2025-05-02", "Honestly I have been on Helix for a week and I am not going back."),
    ("2025-06-06", "I quit the bakery last Friday."),
    ("2025-08-19", "My knee hurts, so no running for me."),
    ("2025-09-30", "Zed opens my files these days."),
    ("2025-10-10", "Green tea instead, since the doctor frowned."),
)
SAID = {text: day for day, text in YEAR}


class ChangedLife:
    """A memory in which Ana told the year above. Turns and statements are named by the beginning of their words."""

    def __init__(self, path: Path | str, **more: Any) -> None:
        self.clock = Ticking()
        self.memory = open_quick(path, clock=self.clock, config={**QUIET, **more.pop("config", {})}, **more)
        for place, (day, text) in enumerate(YEAR):
            said = {"role": "user", "name": "Ana", "content": text, "timestamp": f"{day}T09:00:00Z"}
            self.memory.add([said], session_id=f"talk {place}", user_id="ana")
            self.clock.skip(0.01)
        self.memory.settle()
        self._known = {record.content: record.id for record in self.memory.get_all(limit=100, user_id="ana")}

    def record(self, beginning: str) -> Record:
        """The one record whose words begin so; it may have ended."""
        if beginning not in self._known:
            every = self.memory.get_all(limit=100, user_id="ana").records
            self._known |= {record.content: record.id for record in every}
        (found,) = {id_ for content, id_ in self._known.items() if content.startswith(beginning)}
        record = self.memory.get(found)
        assert record is not None
        return record

    def write(self, work: Callable[[Tx, Op], Any]) -> str:
        """One operation of upkeep; its id."""

        def change(tx: Tx) -> str:
            op = tx.journal.begin("consolidate", at=self.clock())
            work(tx, op)
            op.finish(1)
            return op.id

        return self.memory._engine.store.write(change)

    def end(self, newer: str, older: str, *, probability: float = 0.9, reason: str = "it changed") -> str:
        """The newer record ends the older one; the operation."""
        cause = EndCause(by=Decider.MODEL, probability=probability, reason=reason)
        one, other = self.record(newer).id, self.record(older).id
        return self.write(lambda tx, op: tx.endings.end(op, older=_pk(tx, other), newer=_pk(tx, one), cause=cause))

    def doubt(self, newer: str, older: str, *, probability: float = 0.5, reason: str = "it may have changed") -> str:
        """The newer record may end the older one; the operation."""
        cause = EndCause(by=Decider.MODEL, probability=probability, reason=reason)
        one, other = self.record(newer).id, self.record(older).id
        return self.write(lambda tx, op: tx.endings.doubt(op, older=_pk(tx, other), newer=_pk(tx, one), cause=cause))

    def hit(self, question: str, beginning: str, **more: Any) -> Hit:
        """What a search for this says of that record."""
        found = self.memory.search(question, user_id="ana", top_k=20, **more)
        return next(hit for hit in found if hit.content.startswith(beginning))


def _pk(tx: Tx, record_id: str) -> int:
    return tx.records.keys_by_id([record_id])[record_id]
