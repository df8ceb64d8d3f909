"""What moved thresholds of the window, and the judgements that they are moved by: notes of the store, kept short.

Nothing here needs a journal: a move counts while the operation that made it is not undone, and so does a judgement.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import orjson

from recollect.clock import from_us
from recollect.config import Config
from recollect.limits import MOVES_KEPT, SHOWN_JUDGEMENTS_KEPT
from recollect.store.base import Group

FLOOR = "context.recall_floor"
SETTING, HAND, TUNED = "setting", "hand", "tuned"
_JUDGED, _MOVES = "tuning:judged", "tuning:moves"


class JudgedShown(NamedTuple):
    """What somebody said of a record that a window showed. `level` is where it stood, in terms of `recall_floor`."""

    record_pk: int
    level: float
    helpful: bool
    at: int
    operation: str | None  # that it came with


class FloorMove(NamedTuple):
    """One step of `recall_floor`. `operation` undoes it; None: it is too long ago to be undone."""

    by: float
    at: int
    helpful: int
    unhelpful: int
    operation: str | None


class ActingFloor(NamedTuple):
    """The `recall_floor` that acts: `by` the setting as it comes, one that was given by hand, or tuned by `moves`."""

    value: float
    by: str
    moves: tuple[FloorMove, ...] = ()

    @property
    def why(self) -> str:
        """What it was moved by, in words; empty where it was not."""
        if not self.moves:
            return ""
        helpful, unhelpful = sum(each.helpful for each in self.moves), sum(each.unhelpful for each in self.moves)
        since, last = (from_us(self.moves[place].at).date().isoformat() for place in (0, -1))
        return (
            f"moved {len(self.moves)} times from {since} to {last}: of records that were barely shown {helpful} helped "
            f"and {unhelpful} did not"
        )


class Tuning(Group):
    """Judgements about what windows showed, and what was learnt from them."""

    def judge(self, levels: Mapping[str, float], *, helpful: bool, at: int, operation: str | None) -> None:
        """Keep where these records stood when they were judged; of very many the newest."""
        kept = self._noted(_JUDGED)
        for record_id, level in levels.items():
            pks = self.tx.records.pks_of([record_id])
            kept += [list(JudgedShown(pk, round(level, 4), helpful, at, operation)) for pk in pks]
        self.tx.meta.note(_JUDGED, _told(kept[-SHOWN_JUDGEMENTS_KEPT:]))

    def fresh(self) -> list[JudgedShown]:
        """What was judged since the last move, undone or not: of each record the newest that was not taken back."""
        moves = self._noted(_MOVES)
        since = max((FloorMove(*each).at for each in moves), default=-1)
        found = [JudgedShown(*each) for each in self._noted(_JUDGED)]
        new = [each for each in found if each.at > since]
        undone = self._undone(each.operation for each in new)
        return list({each.record_pk: each for each in new if each.operation not in undone}.values())

    def move(self, move: FloorMove) -> None:
        """Keep a move. Of very many the oldest are told as one, which cannot be undone any more."""
        moves = [FloorMove(*each) for each in self._noted(_MOVES)] + [move]
        if len(moves) > MOVES_KEPT:
            undone = self._undone(each.operation for each in moves[:2])
            first = [each for each in moves[:2] if each.operation not in undone]
            whole = FloorMove(
                sum(each.by for each in first),
                moves[1].at,
                sum(each.helpful for each in first),
                sum(each.unhelpful for each in first),
                None,
            )
            moves = [whole, *moves[2:]]
        self.tx.meta.note(_MOVES, _told([list(each) for each in moves]))

    def moves(self) -> list[FloorMove]:
        """The moves that hold, the oldest first."""
        moves = [FloorMove(*each) for each in self._noted(_MOVES)]
        undone = self._undone(each.operation for each in moves)
        return [each for each in moves if each.operation not in undone]

    def floor(self, config: Config) -> ActingFloor:
        """The share of the best score that acts. What was given by hand goes first; so does tuning switched off."""
        settings = config.context
        if FLOOR in config.given:
            return ActingFloor(settings.recall_floor, HAND)
        moves = tuple(self.moves()) if settings.self_tuning else ()
        if not moves:
            return ActingFloor(settings.recall_floor, SETTING)
        wanted = settings.recall_floor + sum(each.by for each in moves)
        return ActingFloor(round(min(max(wanted, settings.tuned_min), settings.tuned_max), 4), TUNED, moves)

    def _noted(self, key: str) -> list[list[Any]]:
        found: list[list[Any]] = orjson.loads(self.tx.meta.text(key) or "[]")
        return found

    def _undone(self, operations: Iterable[str | None]) -> set[str]:
        """Which of these operations are undone."""
        given = sorted({each for each in operations if each is not None})
        if not given:
            return set()
        rows = self.sql.all(
            "SELECT o.id FROM EACH_ITEM(?) given JOIN operation o ON o.id = given.value WHERE o.undone_by IS NOT NULL",
            (_told(given),),
        )
        return {str(row[0]) for row in rows}


def _told(values: Any) -> str:
    return orjson.dumps(values).decode()
