"""Moves the floor of the window by what was said of records that were barely shown.

`context.recall_floor` is the share of the best score that other records need in a model's window. Where those just
above it are no help, it is too low; where those near it are cited or helped, it is too high. Most of them have to say
the same, or nothing moves: a night's step is small, each judgement is used once, and the way is bounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from recollect.config.window import ContextSettings
from recollect.store.base import Tx
from recollect.store.journal import Op
from recollect.store.tuning import FLOOR, HAND, FloorMove, JudgedShown
from recollect.upkeep.runs.run import Run

STEP = 0.05  # of a night
NEAR = 0.15  # of the floor: what stood there was barely shown
JUDGED_MIN = 20  # records near it, before anything is learnt from them
AGREED_MIN = 0.8  # of them that say the same; by chance 20 that say anything do so once in 170 times


class TuningStep:
    """The step that moves the floor of the window, for the whole store."""

    name = "tuning"

    def run(self, run: Run) -> None:
        if run.scope_pks is not None or not run.config.context.self_tuning:
            return
        with run.store.read() as tx:
            acting, judged = tx.tuning.floor(run.config), tx.tuning.fresh()
        if acting.by != HAND and move_of(judged, acting.value, run.config.context) is not None:
            run.portion(partial(_move, run=run))


def _move(tx: Tx, op: Op, *, run: Run) -> None:
    floor = tx.tuning.floor(run.config).value
    moved = move_of(tx.tuning.fresh(), floor, run.config.context)
    if moved is None:  # somebody else moved it meanwhile, or took a judgement back
        return
    tx.tuning.move(moved._replace(at=op.at, operation=op.id))
    by = "raised" if moved.by > 0 else "lowered"
    told = f"{floor:.2f} to {floor + moved.by:.2f}: {moved.helpful} records that stood near it helped, "
    run.note(by, FLOOR, f"{told}{moved.unhelpful} did not")


def move_of(judged: Sequence[JudgedShown], floor: float, settings: ContextSettings) -> FloorMove | None:
    """The step that judgements since the last one ask for, within the bounds; None: they ask for none.

    What stood below the floor was shown where no floor acts. It tells whether a lower one would have admitted help.
    """
    above = [each for each in judged if floor <= each.level < floor + NEAR]
    around = [each for each in judged if abs(each.level - floor) < NEAR]
    if _agree(above, helpful=False):
        return _step(above, 1, settings.tuned_max - floor)
    if _agree(around, helpful=True):
        return _step(around, -1, floor - settings.tuned_min)
    return None


def _agree(judged: Sequence[JudgedShown], *, helpful: bool) -> bool:
    same = sum(each.helpful == helpful for each in judged)
    return len(judged) >= JUDGED_MIN and same >= AGREED_MIN * len(judged)


def _step(judged: Sequence[JudgedShown], direction: int, room: float) -> FloorMove | None:
    """A step in a direction, as far as there is room before the bound; none where there is none."""
    by = round(min(STEP, room), 4)
    if by <= 0.0:
        return None
    helpful = sum(each.helpful for each in judged)
    return FloorMove(direction * by, 0, helpful, len(judged) - helpful, None)
