"""Verbs about the store itself."""

from __future__ import annotations

from typing import Unpack

from recollect.config import Config
from recollect.errors import UsageError
from recollect.facade import arguments
from recollect.facade.arguments import ScopeArgs
from recollect.facade.handle import Handle
from recollect.ingest import check
from recollect.model.result import (
    Finding,
    Report,
)
from recollect.model.scope import GLOBAL


class Upkeep(Handle):
    """Figures, health, cures, settings."""

    def prune(
        self,
        *,
        min_confidence: float | None = None,
        max_edges: int | None = None,
        dry_run: bool = False,
    ) -> Report:
        """Forget weak relations: decay what was found automatically, drop what fell too low or is one too many.

        Args:
            min_confidence: Below this an edge goes; by default graph.prune_min_confidence.
            max_edges: Edges kept per record; by default graph.prune_max_edges_per_node.
            dry_run: Only say what would go.
        """
        self._owner_only("prune")
        settings = self._engine.config.current.graph
        least = settings.prune_min_confidence if min_confidence is None else min_confidence
        most = settings.prune_max_edges_per_node if max_edges is None else max_edges
        operation, decayed, retired = self._engine.relating.prune(
            min_confidence=check.share(least, "min_confidence"),
            max_per_record=arguments.count(most, "max_edges", 10**6),
            decay_factor=settings.prune_decay_factor, decay_days=settings.prune_decay_days,
            dry_run=dry_run, actor=self._actor,
        )  # fmt: skip
        return Report(figures={"decayed": decayed, "retired": retired, "dry_run": dry_run}, operation=operation)

    def reembed(self, *, wait: bool = False) -> Report:
        """Give every record a vector of the configured embedder, in the background; both spaces are searched meanwhile.

        Args:
            wait: Return when it is done.
        """
        self._owner_only("reembed")
        if self._engine.embedder is None:
            raise UsageError("no embedder is configured; open the memory with embedder='wordllama' or another")
        self._engine.backfill.request()
        if wait:
            self._engine.worker.run_pending()
        else:
            self._engine.worker.poke()
        return self._engine.backfill.report()

    def stats(self, **scope: Unpack[ScopeArgs]) -> Report:
        """What is stored, in figures."""
        where = self._in(scope)
        return self._engine.figures.stats(None if self._owner and where == GLOBAL else where)

    def health(self) -> Report:
        """How the memory is doing, with a warning for everything that needs a hand."""
        return self._engine.figures.health()

    def doctor(self, *, fix: bool = False) -> list[Finding]:
        """Check the store and say how to cure what is wrong.

        Args:
            fix: Cure what can be cured without losing anything.
        """
        self._owner_only("doctor")
        findings = self._engine.doctor.examine(fix=fix)
        if fix:
            self._engine.worker.poke()
        return findings

    @property
    def config(self) -> Config:
        """The settings in force."""
        return self._engine.config.current

    def reload(self) -> Report:
        """Read the configuration again: what may change while running does, the rest is named."""
        self._owner_only("reload")
        done = self._engine.config.reload()
        return Report(
            figures={
                "changed": {change.key: change.new for change in done.changed},
                "needs_reopening": [change.key for change in done.needs_reopening],
            },
            warnings=done.config.warnings,
        )
