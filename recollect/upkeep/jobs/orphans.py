"""Closes turns that nobody goes on with: what they had is kept before it is consolidated."""

from __future__ import annotations

from collections.abc import Callable

from recollect.upkeep.runs.run import Run


class OrphansStep:
    """The step. Each turn is kept by an operation of its own, as if its agent had ended it."""

    name = "turns"

    def __init__(self, close: Callable[[bool], list[str]]) -> None:
        self._close = close

    def run(self, run: Run) -> None:
        if run.scope_pks is not None:
            return  # a run over one scope is about that scope
        for turn_id in self._close(run.dry_run):
            run.note("closed", turn_id, "nobody went on with this turn")
