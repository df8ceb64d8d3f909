"""The composition root: configuration in, a `Memory` out. The only importer of implementations."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from recollect.clock import Clock, now_us
from recollect.config import LiveConfig
from recollect.context.window import Windows
from recollect.engine import Engine
from recollect.errors import MissingExtra
from recollect.exchange.erasure import Erasure
from recollect.exchange.exchange import Exchange
from recollect.ids import new_id
from recollect.index.follow import Indexes
from recollect.index.snapshots import Snapshots
from recollect.ingest.belief import Judging
from recollect.ingest.compaction import Compacting
from recollect.ingest.documents import Documents
from recollect.ingest.echo import Echoes
from recollect.ingest.embedding import EMBED_JOB, Embedding
from recollect.ingest.pipeline import Ingest
from recollect.ingest.relate import Relating
from recollect.ingest.removal import Removal
from recollect.ingest.requests import (
    CONSOLIDATE_JOB,
    MODEL_RELATIONS_JOB,
    READING_JOB,
    RELATIONS_JOB,
    STATEMENTS_JOB,
)
from recollect.ingest.revision import Revision
from recollect.ingest.updates import UPDATES_JOB
from recollect.memory import Memory
from recollect.model.query import Criteria
from recollect.model.scope import Scope
from recollect.providers.base import Embedder, Llm, Reranker
from recollect.providers.prefetched import Prefetched
from recollect.providers.registry import DEFAULT, configured_llm, make_embedder, make_reranker
from recollect.reason.reasoner import Reasoner
from recollect.reason.research import Research
from recollect.recall.access import AccessLog
from recollect.recall.finish import Finisher
from recollect.recall.foremost import most_important
from recollect.recall.gather import Gatherer
from recollect.recall.graph import GraphReading
from recollect.recall.past import Past
from recollect.recall.pipeline import Recall
from recollect.recall.quality import QualityWindow
from recollect.recall.question.plan import Planner
from recollect.recall.sources.files import LinkedByRecords
from recollect.recall.sources.vector import VectorSource
from recollect.recall.timeline import Timelines
from recollect.store import records
from recollect.store.jobs import Job
from recollect.store.open import open_store
from recollect.store.sqlite.store import SqliteStore
from recollect.upkeep.activity import Activity
from recollect.upkeep.calendar import Calendar
from recollect.upkeep.consolidate_job import ConsolidateJob
from recollect.upkeep.doctor import Doctor
from recollect.upkeep.embed import Backfill
from recollect.upkeep.health import Figures
from recollect.upkeep.knowing import Knowing
from recollect.upkeep.maintain import Keeper, Parts
from recollect.upkeep.perceive import Perceiving
from recollect.upkeep.runner import Runner
from recollect.upkeep.schedule import Scheduler
from recollect.upkeep.updates import Updates
from recollect.upkeep.worker import Handler, Progress, Worker
from recollect.working.minds import Minds

_UNSET: Any = object()
_PREFETCH_BYTES = 1 << 22  # a store worth searching: its first question should not wait for the model


def open_memory(
    url: str | os.PathLike[str] | None = None,
    *,
    key: bytes | str | None = None,
    embedder: str | Embedder | None = _UNSET,
    llm: str | Llm | None = None,
    reranker: str | Reranker | None = None,
    config: Mapping[str, Any] | None = None,
    clock: Clock = now_us,
) -> Memory:
    """Open a memory, creating the store if it is new.

    `url` is a path, `:memory:`, or nothing for `$RECOLLECT_DB` and then `~/.recollect/memory.db`. `key` (32 bytes, or
    a passphrase) opens or creates an encrypted file. `embedder` names a model as `prefix:model`; `None` goes
    without. `llm` and `reranker` name models that make some searches better, or are such models; none are needed.
    `config` overrides settings by name, such as `{"recall.rrf_k": 30}`.
    """
    live = LiveConfig({**(config or {}), "llm": llm} if isinstance(llm, str) else config)
    chosen = live.current.embedder if embedder is _UNSET else embedder
    model = _embedder(chosen, live)
    advisers = Advisers(
        configured_llm(live.current, llm),
        make_reranker(live.current.recall.reranker if reranker is None else reranker),
        owned=llm is None or isinstance(llm, str),
    )
    store = open_store(url, key=key, config=live.current)
    if isinstance(chosen, str) and model is not None and model.inline and store.size_bytes() > _PREFETCH_BYTES:
        model = Prefetched(model)
    try:
        return Memory(_engine(store, model, advisers, live, clock, owned=isinstance(chosen, str)))
    except BaseException:
        store.close()
        raise


def _embedder(spec: str | Embedder | None, live: LiveConfig) -> Embedder | None:
    if not isinstance(spec, str):
        return make_embedder(spec)
    return make_embedder(spec, timeout_s=live.current.embedding.timeout_s)


def _beside(model: Embedder | None, live: LiveConfig) -> Embedder | None:
    """The static model, for a store whose own embedder is too slow to be one (docs/adr/0010)."""
    if model is None or model.inline or not live.current.embedding.static_beside:
        return None
    try:
        return make_embedder(DEFAULT)
    except MissingExtra:  # a slim installation: the slow model alone will do
        return None


_BURST_S = 0.2  # calls that follow each other so quickly are a burst; jobs wait for its end


class Advisers(NamedTuple):
    """Models that a search may ask, and does without."""

    llm: Llm | None = None
    reranker: Reranker | None = None
    owned: bool = False  # the language model was made here from its name; one that was handed in is its owner's


def _engine(
    store: SqliteStore, model: Embedder | None, advisers: Advisers, live: LiveConfig, clock: Clock, *, owned: bool
) -> Engine:
    snapshots = Snapshots(store.path if live.current.index.snapshot and not store.encrypted else None, _store_id(store))
    indexes = Indexes(store, live, snapshots)
    beside = _beside(model, live)
    embedding = Embedding(model, store, beside)
    access = AccessLog(store, clock)
    backfill = Backfill(store, embedding, live, clock)
    echoes = Echoes(_store_id(store).encode(), live, clock, partial(_contents, store))
    recall = _recall(store, indexes, embedding, advisers, access, echoes, live, clock)
    handlers = {UPDATES_JOB: Updates(store, indexes, clock).run, **_relating(store, indexes, advisers.llm, live, clock)}
    handlers |= _stating(store, embedding, advisers.llm, live, clock)
    handlers[READING_JOB] = Perceiving(store, embedding, live, clock).run
    if model is not None:
        handlers[EMBED_JOB] = backfill.run
    activity = Activity()
    parts = Parts(
        store=store, live=live, clock=clock, indexes=indexes, embedding=embedding, llm=advisers.llm, flush=access.flush
    )
    calendar = Calendar(store, live, clock)
    keeper = Keeper(parts, Runner(store, live, clock, activity), calendar)
    handlers[CONSOLIDATE_JOB] = ConsolidateJob(store, keeper, clock).run
    worker = Worker(store, live, clock, handlers, lambda: indexes.held or activity.idle_s < _BURST_S)
    ingest = Ingest(store, embedding, live, clock, echoes, indexes.hold, worker.poke, advisers.llm)
    minds = Minds(store, live, clock, embedder=model, foremost=partial(most_important, store, live, clock))
    graph = GraphReading(store, indexes, clock)
    engine = Engine(
        store=store, config=live, clock=clock, embedder=model, owns_embedder=owned, llm=advisers.llm,
        owns_llm=advisers.owned, indexes=indexes, access=access,
        recall=recall, windows=Windows(store, indexes, recall, live, clock, _store_id(store).encode()), ingest=ingest,
        revision=Revision(store, embedding, live, clock),
        documents=Documents(store, embedding, live, clock, ingest, indexes.hold),
        compacting=Compacting(store, embedding, live, clock, echoes, worker.poke),
        removal=Removal(store, clock, after_erasure=indexes.forget_snapshots),
        exchange=Exchange(store, ingest, live, clock, path=store.path, hold=indexes.hold),
        erasure=Erasure(store, clock, after_erasure=indexes.forget_snapshots),
        relating=Relating(store, clock), judging=Judging(store, model, live, clock),
        graph=graph, past=Past(store, clock),
        reasoner=Reasoner(store, indexes, recall, graph, live, clock, advisers.llm, _store_id(store).encode()),
        research=Research(store, embedding, live, clock, worker.poke),
        timelines=Timelines(store, recall, live, clock),
        backfill=backfill, worker=worker, minds=minds,
        figures=Figures(store, indexes, recall, live, embedding, clock, advisers.llm),
        doctor=Doctor(store, indexes, live, embedding, advisers.llm), activity=activity,
        knowing=Knowing(parts, recall), keeper=keeper,
        scheduler=(
            Scheduler(calendar, keeper.begin, live, activity, worker.poke) if live.current.upkeep.scheduled else None
        ),
    )  # fmt: skip
    indexes.each_tick(access.flush_if_due)
    indexes.each_tick(echoes.catch_up)
    indexes.each_tick(minds.shed_if_due)
    indexes.start()
    backfill.begin_beside()
    if backfill.resume():
        engine.worker.poke()
    if engine.scheduler is not None:
        engine.scheduler.start()
    return engine


def _stating(
    store: SqliteStore, embedding: Embedding, llm: Llm | None, live: LiveConfig, clock: Clock
) -> dict[str, Handler]:
    """The job by which a model draws statements from turns; without one rules do its work."""

    def by_model(job: Job, progress: Progress) -> None:
        from recollect.ingest.restating import Restating
        from recollect.upkeep.statements import StatementsByModel

        StatementsByModel(store, llm, live, clock, Restating(embedding, live)).run(job, progress)

    return {STATEMENTS_JOB: by_model}


def _relating(
    store: SqliteStore, indexes: Indexes, llm: Llm | None, live: LiveConfig, clock: Clock
) -> dict[str, Handler]:
    """The jobs that find relations. Their words are read when there is something to relate."""

    def by_rules(job: Job, progress: Progress) -> None:
        from recollect.upkeep.relations import Relations

        Relations(store, indexes, live, clock).run(job, progress)

    def by_model(job: Job, progress: Progress) -> None:
        from recollect.upkeep.relations_by_model import RelationsByModel

        assert llm is not None
        RelationsByModel(store, indexes, llm, live, clock).run(job, progress)

    handlers: dict[str, Handler] = {RELATIONS_JOB: by_rules}
    return handlers if llm is None else {**handlers, MODEL_RELATIONS_JOB: by_model}


def _recall(
    store: SqliteStore, indexes: Indexes, embedding: Embedding, advisers: Advisers, access: AccessLog,
    echoes: Echoes, live: LiveConfig, clock: Clock,
) -> Recall:  # fmt: skip
    model, beside = embedding.embedder, embedding.beside
    vectors = VectorSource(model, lambda name: _embedder(name, live), indexes, beside)
    window = QualityWindow()
    return Recall(
        store, indexes, vectors, Planner(model, live),
        Gatherer(indexes, vectors, LinkedByRecords(indexes), live),
        Finisher(indexes, model, advisers.reranker, window, live), window, access, live, clock,
        advisers.llm, echoes.recalled,
    )  # fmt: skip


def _contents(store: SqliteStore, ids: Sequence[str], scope: Scope) -> list[str]:
    """The texts of those of these records that are live and can be seen in a scope."""
    with store.read() as tx:
        return records.visible_contents(tx, ids, Criteria(scope=scope))


def _store_id(store: SqliteStore) -> str:
    """The store's own name, given once; files beside the database carry it."""
    with store.read() as tx:
        found = tx.value("SELECT value FROM meta WHERE key = 'store_id'")
    if found is None:
        fresh = new_id()
        store.write(lambda tx: tx.run("INSERT OR IGNORE INTO meta VALUES ('store_id', ?)", (fresh,)))
        with store.read() as tx:
            found = tx.value("SELECT value FROM meta WHERE key = 'store_id'")
    return str(found)
