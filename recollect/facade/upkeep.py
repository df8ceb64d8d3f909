"""Verbs about the store itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Unpack

from recollect.config import Config
from recollect.errors import UsageError
from recollect.facade import arguments
from recollect.facade.arguments import ScopeArgs
from recollect.facade.handle import Handle
from recollect.ingest import check
from recollect.ingest.progress import report
from recollect.limits import PAGE_RECORDS_MAX
from recollect.model.result import Finding, Report
from recollect.model.scope import GLOBAL, Reach

if TYPE_CHECKING:
    from recollect.model.run import RunReport

_STEPS = 1_000  # that the progress of a run is told in


class Upkeep(Handle):
    """What a memory does for itself, figures, health, cures, settings."""

    def consolidate(
        self,
        *,
        session_id: str | None = None,
        run_id: str | None = None,
        dry_run: bool = False,
        **scope: Unpack[ScopeArgs],
    ) -> RunReport:
        """Make knowledge of what was said: statements, merged where they repeat, settled where they conflict.

        Sessions that were gone over and have no new turn are passed over. Sources stay; `undo` takes all of it back.

        Args:
            session_id: Only this session; by default all that wait.
            run_id: Another name for session_id.
            dry_run: Only say what would be done.
        """
        session = arguments.session(session_id, run_id)
        wanted = None if session is None else check.name(session, "session_id")
        return self._run("consolidate", scope, dry_run=dry_run, session_id=wanted)

    def decay(self, *, dry_run: bool = False, **scope: Unpack[ScopeArgs]) -> RunReport:
        """Archive what has faded: nobody used it for long, nothing confirms it, and it matters little.

        Args:
            dry_run: Only say what would go.
        """
        return self._run("decay", scope, dry_run=dry_run)

    def retain(
        self,
        rule: str | None = None,
        *,
        dry_run: bool = True,
        hard: bool = False,
        keep: str | None = None,
        drop: str | None = None,
        list: bool = False,
    ) -> Report:
        """Forget what a rule names (kind=episodic,age>365d), or only say what that is, which is the default.

        Softly, as one operation that `undo` takes back. What a person confirmed or asked to be remembered is spared,
        unless the rule names it (confirmed=yes). Without a rule, the rules that are kept.

        Args:
            rule: Conditions with commas between them: age>365d, unused>90d, kind=…, category=…, tier=…, tag=…,
                project=…, user=…, agent=…, squad=…, channel=…, session=…, source=…, importance<0.3, confidence<0.5,
                confirmed=no, remembered=no, flagged=yes. Alternatives are written kind=episodic|snippet.
            dry_run: Only say what would go.
            hard: Erase it for good.
            keep: Keep the rule under this name: upkeep applies it from now on.
            drop: Drop the rule of this name.
            list: The rules that are kept.
        """
        from recollect.upkeep.forgetting.retention import Retention

        self._owner_only("retention")
        only_told, erasing = arguments.truth(dry_run, "dry_run"), arguments.truth(hard, "hard")
        engine = self._engine
        retention = Retention(engine.store, engine.clock, engine.removal)
        if sum((rule is not None, drop is not None, arguments.truth(list, "list"))) > 1:
            raise UsageError("give a rule, drop= or list=, one at a time")
        if drop is not None:
            return retention.drop(check.name(drop, "drop"))
        if rule is None:
            if keep is not None:
                raise UsageError("say which rule to keep")
            return retention.listed()
        if keep is not None:
            return retention.keep(check.name(keep, "keep"), rule, hard=erasing)
        return retention.apply(rule, dry_run=only_told, hard=erasing, actor=self._writer())

    def replay(self, *, dry_run: bool = False, **scope: Unpack[ScopeArgs]) -> RunReport:
        """Go over some memories: strengthen what is used but fading, link what belongs together.

        Args:
            dry_run: Only say what would be done.
        """
        return self._run("replay", scope, dry_run=dry_run)

    def maintain(
        self, *, dry_run: bool = False, status: bool = False, limit: int = 10, **scope: Unpack[ScopeArgs]
    ) -> RunReport:
        """Do all that is done at night: consolidate, find patterns, infer, forget, ask, summarise, replay, tidy up.

        Args:
            dry_run: Only say what would be done.
            status: Run nothing; tell of the run under way or the last one, those before it, and what is due.
            limit: How many runs the status tells of.
        """
        told = arguments.count(limit, "limit", PAGE_RECORDS_MAX)
        if arguments.truth(status, "status"):
            self._owner_only("the status of upkeep")
            return self._opened.keeper.status(told)
        return self._run("maintain", scope, dry_run=dry_run)

    def _run(
        self,
        verb: str,
        given: ScopeArgs,
        *,
        dry_run: bool,
        session_id: str | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> RunReport:
        """A run over the whole store for its owner, or over what lies inside a scope."""
        where, dry_run = self._in(given), arguments.truth(dry_run, "dry_run")
        whole = self._owner and where == GLOBAL
        if verb == "maintain" and whole and not dry_run:
            self._do_what_waits()
        return self._opened.keeper.run(
            verb,
            scope=None if whole else where,
            reach=Reach.INSIDE if self._owner else Reach.OWN,
            session_id=session_id,
            dry_run=dry_run,
            actor=self._writer(),
            going_on=_told,
            settings=settings,
        )

    def _do_what_waits(self) -> None:
        """Queued work of processes that ended before it was done, what waits for the language model included."""
        from recollect.upkeep.language_model import awaited

        engine = self._opened
        if engine.llm is not None:
            engine.store.write(lambda tx: awaited.request(tx, engine.config.current, now=engine.clock()))
        engine.worker.run_pending(ahead_s=_SOON_S)

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
            decay_factor=settings.prune_decay_factor,
            decay_days=settings.prune_decay_days,
            dry_run=arguments.truth(dry_run, "dry_run"),
            actor=self._writer(),
        )
        return Report(figures={"decayed": decayed, "retired": retired, "dry_run": dry_run}, operation=operation)

    def reembed(self, *, wait: bool = False) -> Report:
        """Give every record a vector of the configured embedder, in the background; both spaces are searched meanwhile.

        Args:
            wait: Return when it is done.
        """
        self._owner_only("reembed")
        if self._engine.embedder is None:
            raise UsageError("no embedder is configured; open the memory with embedder='minilm' or another")
        waits = arguments.truth(wait, "wait")
        self._engine.backfill.request()
        if waits:
            self._engine.worker.run_pending()
        else:
            self._engine.worker.poke()
        return self._engine.backfill.report()

    def settle(self) -> Report:
        """Do now what would be done in the background: read, relate and embed what was stored."""
        self._owner_only("settling")
        return Report(figures={"jobs": self._opened.worker.run_pending(ahead_s=_SOON_S)})

    def stats(self, **scope: Unpack[ScopeArgs]) -> Report:
        """What is stored, in figures."""
        where = self._in(scope)
        return self._opened.figures.stats(None if self._owner and where == GLOBAL else where)

    def health(self, *, full: bool = False) -> Report:
        """How the memory is doing, with a warning for everything that needs a hand.

        Args:
            full: Also what there is of each kind, and what waits to be consolidated or forgotten: it reads all records.
        """
        whole = arguments.truth(full, "full")
        if whole:
            self._owner_only("the figures of the whole store")
        return self._opened.figures.health(full=whole)  # whoever watches is no reason for background work to wait

    def doctor(self, *, fix: bool = False) -> list[Finding]:
        """Check the store and say how to cure what is wrong.

        Args:
            fix: Cure what can be cured without losing anything.
        """
        self._owner_only("doctor")
        findings = self._engine.doctor.examine(fix=arguments.truth(fix, "fix"))
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


_SOON_S = 60.0  # what is due within this time is done now


def _told(share: float) -> bool:
    """Tell whoever watches how far a run is; it goes on."""
    report(round(share * _STEPS), _STEPS)
    return True


def run_of(
    memory: Upkeep, operation: str, *, dry_run: bool = False, settings: Mapping[str, Any] | None = None
) -> RunReport:
    """One operation of upkeep by itself, for bridges whose callers ask for a step that has no verb of its own."""
    return memory._run(operation, {}, dry_run=dry_run, settings=settings)
