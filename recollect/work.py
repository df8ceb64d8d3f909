"""What an open store does between calls: what runs each sort of job, and what is left for hooks of coding clients.

Parts of `wiring`, like which this imports an implementation where its work comes up.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from recollect.config.keeping import NO_READER
from recollect.errors import RecollectError
from recollect.hook import spool
from recollect.hook.places import folder_of

if TYPE_CHECKING:
    from recollect.clock import Clock
    from recollect.config import LiveConfig
    from recollect.engine import Engine
    from recollect.insight.levels import HealthLevel
    from recollect.model.scope import Scope
    from recollect.providers.base import Llm
    from recollect.security.vault import Vault
    from recollect.store.base import Store
    from recollect.store.jobs import Job
    from recollect.telemetry import Telemetry
    from recollect.upkeep.backups import Backups
    from recollect.upkeep.jobs.worker import Handler, Progress
    from recollect.upkeep.ram import RamWatch

_CATCH_UP_S = 0.5  # about 60 turns


def handlers(of: Engine) -> dict[str, Handler]:
    """What runs each sort of job; made when the first job of that sort comes."""
    from recollect.bus.publishing import DELIVER_JOB
    from recollect.ingest.embedding import EMBED_JOB
    from recollect.ingest.requests import CONSOLIDATE_JOB, PAIRS_JOB, READING_JOB
    from recollect.ingest.updates import UPDATES_JOB
    from recollect.upkeep.jobs.screening import SCREEN_JOB
    from recollect.upkeep.jobs.soundness import SOUNDNESS_JOB, Soundness

    store, live, clock, indexes = of.store, of.config, of.clock, of.indexes

    def updates(job: Job, progress: Progress) -> None:
        from recollect.upkeep.relations.updates import Updates

        Updates(store, indexes, clock).run(job, progress)

    def reading(job: Job, progress: Progress) -> None:
        from recollect.upkeep.jobs.unread import Perceiving

        Perceiving(store, of.embedding, live, clock).run(job, progress)

    def pairs(job: Job, progress: Progress) -> None:
        from recollect.upkeep.pairs.compared import ComparePairs

        ComparePairs(store, indexes, of.reader, live, clock).run(job, progress)

    def consolidate(job: Job, progress: Progress) -> None:
        from recollect.upkeep.maintain import ConsolidateJob

        ConsolidateJob(store, of.keeper, clock).run(job, progress)

    def deliver(job: Job, progress: Progress) -> None:
        of.delivering.run_job(job, progress)

    found: dict[str, Handler] = {UPDATES_JOB: updates, READING_JOB: reading, CONSOLIDATE_JOB: consolidate}
    if of.config.current.reader.model != NO_READER:
        found[PAIRS_JOB] = pairs
    found[SCREEN_JOB] = of.rescreening.run
    found |= _relating(store, indexes, of.llm, live, clock)
    found |= _stating(of)
    found |= _rewording(of)
    found[DELIVER_JOB] = deliver
    found[SOUNDNESS_JOB] = Soundness(store, live, clock).run
    if of.embedder is not None:
        found[EMBED_JOB] = of.backfill.run
    return found


def comparing() -> frozenset[str]:
    """Jobs that compare many records, for which a process needs indexes in memory."""
    from recollect.ingest.requests import MODEL_RELATIONS_JOB, PAIRS_JOB, RELATIONS_JOB
    from recollect.ingest.updates import UPDATES_JOB

    return frozenset({UPDATES_JOB, PAIRS_JOB, RELATIONS_JOB, MODEL_RELATIONS_JOB})


def _stating(of: Engine) -> dict[str, Handler]:
    """The job by which a model draws statements from turns; without one rules do its work."""
    from recollect.ingest.requests import STATEMENTS_JOB

    def by_model(job: Job, progress: Progress) -> None:
        from recollect.ingest.writer import Restating
        from recollect.upkeep.jobs.statements_by_model import StatementsByModel

        StatementsByModel(of.store, of.llm, of.config, of.clock, Restating(of.embedding, of.config)).run(job, progress)

    return {STATEMENTS_JOB: by_model}


def _rewording(of: Engine) -> dict[str, Handler]:
    """The job by which a model words what rules concluded from agents at work; without one templates do."""
    from recollect.ingest.requests import REWORDING_JOB

    def by_model(job: Job, progress: Progress) -> None:
        from recollect.upkeep.language_model.rewording import Rewording

        assert of.llm is not None
        Rewording(of.store, of.llm, of.config, of.clock, lambda: of.revision).run(job, progress)

    return {} if of.llm is None else {REWORDING_JOB: by_model}


def _relating(store: Store, indexes: Any, llm: Llm | None, live: LiveConfig, clock: Clock) -> dict[str, Handler]:
    """The jobs that find relations. Their words are read when there is something to relate."""
    from recollect.ingest.requests import MODEL_RELATIONS_JOB, RELATIONS_JOB

    def by_rules(job: Job, progress: Progress) -> None:
        from recollect.upkeep.relations.relations_by_rules import RelationsByRules

        RelationsByRules(store, indexes, live, clock).run(job, progress)

    def by_model(job: Job, progress: Progress) -> None:
        from recollect.upkeep.relations.relations_by_model import RelationsByModel

        assert llm is not None
        RelationsByModel(store, indexes, llm, live, clock).run(job, progress)

    handlers: dict[str, Handler] = {RELATIONS_JOB: by_rules}
    return handlers if llm is None else {**handlers, MODEL_RELATIONS_JOB: by_model}


def watch(of: Engine) -> None:
    """Take in what hooks of coding clients left, and leave them what is to be said."""
    if has_hooks(of.store):
        of.observer.tick()


def look_through(of: Engine) -> None:
    """Have a store that was left open looked through."""
    if of.store.was_left_open:
        from recollect.upkeep.jobs.soundness import Soundness

        Soundness(of.store, of.config, of.clock).begin()


def forget_files(of: Engine) -> None:
    """Files beside the database that may tell of what is erased."""
    of.indexes.forget_snapshots()
    of.backups.forget()
    if has_hooks(of.store):
        of.observer.forget_files()


def hooks_left_something(store: Store) -> bool:
    """Whether events wait to be taken in: a look at two files."""
    return store.path is not None and not spool.is_empty(folder_of(str(store.path)))


def has_hooks(store: Store) -> bool:
    """Whether hooks of coding clients leave something for this store: one look at a folder."""
    return store.path is not None and os.path.isdir(folder_of(str(store.path)))


def backups_of(of: Engine, place: str) -> Backups:
    """The backups of the store at a place."""
    from recollect.store.open import backup_folder
    from recollect.upkeep.backups import Backups

    return Backups(of.store, of.config, of.clock, partial(backup_folder, place))


def visible_contents(store: Store, ids: Sequence[str], scope: Scope) -> list[str]:
    """The texts of those of these records that are live and can be seen in a scope."""
    from recollect.model.query import Criteria

    with store.read() as tx:
        return tx.records.visible_contents(ids, Criteria(scope=scope))


def vault_of(of: Engine) -> Vault | None:
    """What changes the key of the store, where there is a key to change."""
    return of.vault if of.made("vault") is not None or of.opened_with.master is not None else None


def ram_watch(of: Engine) -> RamWatch:
    """What keeps the memory of the process within what is set, and the order in which it lets go (docs/adr/0050)."""
    from recollect.index.base import Pressure
    from recollect.providers.embedders._graph import let_graphs_go
    from recollect.upkeep.ram import RamStep, RamWatch, clear_caches

    indexes, store, minds = of.indexes, of.store, of.minds

    def press(level: Pressure) -> None:
        indexes.pressure = level

    return RamWatch(
        [
            RamStep("caches", clear_caches),
            RamStep("resident vectors", partial(press, Pressure.ELEVATED), partial(press, Pressure.NORMAL)),
            RamStep("readers", partial(store.spare, True, False), partial(store.spare, False, False)),
            RamStep("buffers", partial(store.spare, True, True), partial(store.spare, True, False)),
            RamStep("idle minds", partial(minds.shed, 0)),
            RamStep("models", let_graphs_go),
        ],
        indexes.relieve,
        of.config,
    )


def catch_up(of: Engine) -> None:
    """Make vectors that earlier processes left to be made, before a search in a process without background work.

    Commands of the shell end before the encoder would have loaded; a search has to load it anyway.
    """
    from recollect.ingest.embedding import EMBED_JOB, is_prompt

    if of.embedder is None or not is_prompt(of.embedder) or not of.backfill.pending():
        return
    with suppress(RecollectError):  # busy, full or only to be read: found by words and the static vector
        of.worker.run_briefly(EMBED_JOB, seconds=_CATCH_UP_S)


def telling(of: Engine) -> Telemetry:
    """What tells OpenTelemetry of this store."""
    from recollect.telemetry import Telemetry

    def levels() -> Iterable[HealthLevel]:
        from recollect.insight.levels import levels

        return levels(of.figures.health().to_dict())

    return Telemetry(levels)
