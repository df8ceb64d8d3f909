"""Many small pieces of work in short transactions, a few pieces each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from recollect.store.base import Tx
from recollect.store.journal import Op
from recollect.upkeep.runs.run import Run

T = TypeVar("T")


def in_portions(run: Run, items: Sequence[T], size: int, work: Callable[[Tx, Op, T], None]) -> None:
    """Do the work for each of the items, so many of them in one portion of the run."""
    for start in range(0, len(items), size):
        run.portion(partial(_each, items=items[start : start + size], work=work))


def _each(tx: Tx, op: Op, items: Sequence[T], work: Callable[[Tx, Op, T], None]) -> None:
    for item in items:
        work(tx, op, item)
