"""The composition root: configuration in, a `Memory` out. The only importer of implementations.

UpkeepParts are imported where they are made, and made when they are first asked for (`engine`): a command that lists
records starts in a third of the time of one that loads everything.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from recollect.advisers import (
    ShippedEncoder,
    answer_reader,
    configured_advisers,
    configured_embedder,
    embedder_beside,
    embedder_of_space,
    noted,
)
from recollect.clock import SECOND_US, Clock, now_us
from recollect.config import LiveConfig
from recollect.engine import Engine
from recollect.errors import StoreLocked
from recollect.ids import new_id
from recollect.memory import Memory
from recollect.providers.registry import embedder_named, make_embedder
from recollect.security.access import Access, KeyGiven, access_to
from recollect.security.openings import keep_failure, note_opening
from recollect.security.process import harden
from recollect.store.open import open_store, store_path
from recollect.upkeep.runs.activity import Activity
from recollect.work import (
    backups_of,
    catch_up,
    comparing,
    forget_files,
    handlers,
    hooks_left_something,
    look_through,
    ram_watch,
    telling,
    vault_of,
    visible_contents,
    watch,
)

if TYPE_CHECKING:
    from recollect.config.storage import IndexSettings
    from recollect.model.scope import Scope
    from recollect.providers.base import Embedder, Llm, Reranker
    from recollect.store.base import Store

_UNSET: Any = object()
_PREFETCH_BYTES = 1 << 22  # a store worth searching: its first question should not wait for the model


def open_memory(
    url: str | os.PathLike[str] | None = None,
    *,
    key: KeyGiven | Access = None,
    embedder: str | Embedder | None = _UNSET,
    llm: str | Llm | None = None,
    reranker: str | Reranker | None = None,
    config: Mapping[str, Any] | None = None,
    clock: Clock = now_us,
    background: bool = True,
    create: bool = True,
) -> Memory:
    """Open a memory, creating the store if it is new; without `create` a store that is not there is `NotFound`.

    `url` is a path, `:memory:`, a `postgresql://` URL, or nothing for `$RECOLLECT_DB` and then the usual file,
    `~/.recollect/memory.db`. `key` (32 bytes, or
    a passphrase) opens or creates an encrypted file. A store with a vault finds its key by itself, unless that takes a
    passphrase; a function given as `key` is asked for it. `embedder` names a model as `prefix:model`; `None` goes
    without. `llm` and `reranker` name models that make some searches better, or are such models; none are needed.
    `config` overrides settings by name, such as `{"recall.rrf_k": 30}`. Without `background` nothing is done between
    calls, neither indexes warmed nor upkeep begun: for a process that asks once and ends.
    """
    live = LiveConfig({**(config or {}), "llm": llm} if isinstance(llm, str) else config)
    chosen = live.current.embedder if embedder is _UNSET else embedder
    if isinstance(chosen, str):
        embedder_named(chosen)  # a mistake is told before there is a store
    else:
        chosen = make_embedder(chosen)
    advisers = configured_advisers(live, llm, reranker)
    place = store_path(url, live.current)
    try:
        access = access_to(place, key)
        if access.pages is not None and live.current.security.harden_process:
            harden()
        store = open_store(place, key=access.pages, config=live.current, create=create)
    except StoreLocked:
        keep_failure(place, at=clock())
        raise
    try:
        engine = Engine(
            _Parts(chosen, place, prefetch=background),
            store=store,
            opened_with=access,
            config=live,
            clock=clock,
            llm=advisers.llm,
            owns_llm=advisers.owned,
            reranker=advisers.reranker,
            owns_embedder=isinstance(chosen, str),
            activity=Activity(),
            telemetry=None,
        )
        if live.current.telemetry.otel:
            engine.telemetry = telling(engine)
        note_opening(engine, access)
        engine.finish_erasures()
        look_through(engine)
        if background:
            _begin(engine)
        elif hooks_left_something(store):
            engine.observer.spool.take_quietly()  # whoever opens the store next takes in what hooks left
        return Memory(engine)
    except BaseException:
        store.close()
        raise


_BURST_S = 0.2  # calls that follow each other so quickly are a burst; jobs wait for its end


def _anchoring(of: Engine) -> Any:
    """What notes in rows which code they are about; the part is made when there is such a row."""

    def anchor(rows: Any, scope: Scope) -> None:
        of.anchors.anchor(rows, scope)

    return anchor


class _Parts:
    """How each part of an engine is made: one method for each, by the name it has there."""

    def __init__(self, embedder: str | Embedder | None, place: str, *, prefetch: bool) -> None:
        self._embedder = embedder
        self._place = place
        self._prefetch = prefetch

    def embedder(self, of: Engine) -> Embedder | None:
        model = configured_embedder(self._embedder, of.config)
        here = model is not None and (model.inline or bool(getattr(model, "local", False)))
        named = isinstance(self._embedder, str) and here
        return noted(model, ahead=named and self._prefetch and of.store.size_bytes() > _PREFETCH_BYTES)

    def reader(self, of: Engine) -> Any:
        from recollect.perceive.reader.boosted import BoostedReader

        return BoostedReader()

    def store_id(self, of: Engine) -> str:
        return _store_id(of.store)

    def indexes(self, of: Engine) -> Any:
        from recollect.index.base import Implementations
        from recollect.index.follow import Indexes
        from recollect.index.snapshots import Snapshots
        from recollect.index.text.tantivy import TantivyText
        from recollect.index.vector.registry import IndexPlace, Registry

        def text(chosen: IndexSettings) -> TantivyText:
            return TantivyText(tail_rows_max=chosen.tail_max)

        path = None if of.store.encrypted else of.store.path
        backends = Registry(of.config, IndexPlace(path.parent if path is not None else None, of.store_id))
        backends.choose("", rows=0)  # a mistake in what is set is told now
        files = Snapshots(path if of.config.current.index.snapshot else None, of.store_id, backends)
        indexes = Indexes(of.store, of.config, files, Implementations(text=text, vectors=backends))
        indexes.look()
        return indexes

    def embedding(self, of: Engine) -> Any:
        from recollect.ingest.embedding import Embedding

        return Embedding(of.embedder, of.store, embedder_beside(of.embedder, of.config), of.protection.turned)

    def access(self, of: Engine) -> Any:
        from recollect.recall.access import AccessLog

        return AccessLog(of.store, of.clock)

    def audit(self, of: Engine) -> Any:
        from recollect.security.auditing import Audit

        return Audit(of.store, of.config, of.clock)

    def backfill(self, of: Engine) -> Any:
        from recollect.upkeep.jobs.embed import Backfill

        def rest() -> None:
            of.worker.rest()  # which is made with this, and after it

        return Backfill(
            of.store,
            of.embedding,
            of.config,
            of.clock,
            rest,
            of.rescreening.look,
            of.protection.spoken,
        )

    def screen(self, of: Engine) -> Any:
        from recollect.security.screening.screen import Screen

        return Screen(lambda: of.config.current.security, ShippedEncoder(of))

    def protection(self, of: Engine) -> Any:
        from recollect.security.protection import Protection

        def access() -> Any:
            vault = of.made("vault")
            return of.opened_with if vault is None else vault.access

        return Protection(access, in_memory=of.store.in_memory)

    def oracles(self, of: Engine) -> Any:
        from recollect.security.oracles import Oracles

        return Oracles(lambda: of.config.current.security, of.store_id.encode(), lambda: of.protection.fields)

    def unsealing(self, of: Engine) -> Any:
        from recollect.recall.unsealing import Unsealing

        return Unsealing(of.store, of.protection.fields, of.config, lambda: of.audit)

    def gate(self, of: Engine) -> Any:
        from recollect.ingest.screening import ScreeningGate

        return ScreeningGate(of.screen, lambda: of.protection.fields, lambda: of.config.current.security)

    def rescreening(self, of: Engine) -> Any:
        from recollect.upkeep.jobs.screening import Rescreening

        return Rescreening(of.store, of.screen, of.config, of.clock)

    def echoes(self, of: Engine) -> Any:
        from recollect.ingest.echo import Echoes

        return Echoes(of.store_id.encode(), of.config, of.clock, partial(visible_contents, of.store))

    def recall(self, of: Engine) -> Any:
        from recollect.recall.finish import Finisher
        from recollect.recall.gather import Gatherer
        from recollect.recall.pipeline import ReadPath
        from recollect.recall.quality import QualityWindow
        from recollect.recall.question.plan import Planner
        from recollect.recall.sources.files import LinkedByRecords, LinkedByWork
        from recollect.recall.sources.vector import VectorSource
        from recollect.recall.sources.withheld import WithheldVectors
        from recollect.recall.suspects import Suspects

        def go_over() -> None:
            of.worker.poke()

        def about_code(hits: Any) -> Any:
            return of.anchors.seen(hits)

        def companions(tx: Any, project: str, path: str) -> Any:
            from recollect.code.together import companions as found  # a question names a file

            return found(tx, project, path, live.current.codegraph, now_s=of.clock() // SECOND_US)

        if not self._prefetch:
            catch_up(of)
        live, indexes, model = of.config, of.indexes, of.embedder
        withheld = WithheldVectors(of.protection.turning)
        older = partial(embedder_of_space, live=live)
        vectors = VectorSource(model, older, indexes, live, of.embedding.beside, withheld)
        window = QualityWindow()
        return ReadPath(
            store=of.store,
            indexes=indexes,
            vectors=vectors,
            planner=Planner(model, live),
            gatherer=Gatherer(indexes, vectors, LinkedByWork(LinkedByRecords(indexes), companions)),
            finisher=Finisher(indexes, vectors, of.reranker, window),
            window=window,
            access=of.access,
            config=live,
            clock=of.clock,
            llm=of.llm,
            reader=answer_reader(model),
            shown=of.echoes.recalled,
            suspects=Suspects(of.store, lambda: of.screen, live, go_over),
            code=about_code,
        )

    def windows(self, of: Engine) -> Any:
        from recollect.context.window import Windows

        return Windows(of.store, of.indexes, of.recall, of.config, of.clock, of.store_id.encode(), lambda: of.unsealing)

    def ingest(self, of: Engine) -> Any:
        from recollect.ingest.pipeline import Ingest

        return Ingest(
            of.store,
            of.embedding,
            of.config,
            of.clock,
            of.echoes,
            of.gate,
            of.indexes.hold,
            of.worker.poke,
            of.llm,
            _anchoring(of),
        )

    def revision(self, of: Engine) -> Any:
        from recollect.ingest.revision import Revision

        return Revision(of.store, of.embedding, of.config, of.clock, of.gate, lambda: of.sealing, _anchoring(of))

    def sealing(self, of: Engine) -> Any:
        from recollect.ingest.sealing import Sealing

        parts = of.store, of.embedding, of.config, of.clock, of.gate
        return Sealing(*parts, after_erasure=partial(forget_files, of))

    def documents(self, of: Engine) -> Any:
        from recollect.ingest.documents import DocumentIngest

        return DocumentIngest(of.store, of.embedding, of.config, of.clock, of.ingest, of.gate, of.indexes.hold)

    def compacting(self, of: Engine) -> Any:
        from recollect.ingest.compaction import Compacting

        return Compacting(of.store, of.embedding, of.config, of.clock, of.echoes, of.gate, of.worker.poke)

    def removal(self, of: Engine) -> Any:
        from recollect.ingest.removal import Removal

        return Removal(of.store, of.clock, after_erasure=partial(forget_files, of))

    def exchange(self, of: Engine) -> Any:
        from recollect.exchange.exchange import ImportExport

        parts = (of.store, of.ingest, of.gate, of.config, of.clock)
        return ImportExport(*parts, path=of.store.path, key=of.signing, hold=of.indexes.hold)

    def signing(self, of: Engine) -> Any:
        from recollect.security.signing import signing_key

        return partial(signing_key, lambda: of.vault.master)

    def erasure(self, of: Engine) -> Any:
        from recollect.exchange.erasure import Erasing

        return Erasing(of.store, of.clock, of.signing, of.forget)

    def relating(self, of: Engine) -> Any:
        from recollect.ingest.relate import Relating

        return Relating(of.store, of.clock, of.config)

    def judging(self, of: Engine) -> Any:
        from recollect.ingest.belief import Judging

        return Judging(of.store, of.embedder, of.config, of.clock, _anchoring(of))

    def graph(self, of: Engine) -> Any:
        from recollect.recall.graph import GraphReading

        return GraphReading(of.store, of.indexes, of.clock)

    def backups(self, of: Engine) -> Any:
        return backups_of(of, self._place)

    def past(self, of: Engine) -> Any:
        from recollect.recall.past import PastOperations

        return PastOperations(of.store, of.clock)

    def reasoner(self, of: Engine) -> Any:
        from recollect.reason.reasoner import Reasoner

        return Reasoner(of.store, of.indexes, of.recall, of.graph, of.config, of.clock, of.llm, of.store_id.encode())

    def research(self, of: Engine) -> Any:
        from recollect.reason.research import Research

        return Research(of.store, of.embedding, of.config, of.clock, of.gate, of.worker.poke)

    def timelines(self, of: Engine) -> Any:
        from recollect.recall.timeline import Timelines

        return Timelines(of.store, of.recall, of.config, of.clock)

    def minds(self, of: Engine) -> Any:
        from recollect.security.screening.policy import bare_words
        from recollect.upkeep.knowledge.rhythms import begins_with
        from recollect.working.minds import Minds

        foremost = partial(begins_with, of.store, of.config, of.clock)
        kept_of = partial(bare_words, lambda: of.config.current.security)
        return Minds(of.store, of.config, of.clock, embedder=of.embedder, foremost=foremost, kept_of=kept_of)

    def turns(self, of: Engine) -> Any:
        from recollect.context.open_turns import OpenTurns

        return OpenTurns(of.store, of.config, of.clock, lambda: of.ingest, lambda: of.minds)

    def outgrown(self, of: Engine) -> Any:
        from recollect.context.outgrown import Outgrown

        return Outgrown(of.config, lambda: of.compacting)

    def tool_cache(self, of: Engine) -> Any:
        from recollect.working.tools_at_hand import ToolCache

        return ToolCache()

    def publishing(self, of: Engine) -> Any:
        from recollect.bus.publishing import Publishing

        return Publishing(of.store, of.config, of.clock, of.worker.poke)

    def delivering(self, of: Engine) -> Any:
        from recollect.bus.delivering import Delivering

        return Delivering(of.store, of.embedding, of.config, of.clock, of.gate, of.worker.poke)

    def promoting(self, of: Engine) -> Any:
        from recollect.upkeep.promotion import Promoting

        return Promoting(of.store, of.embedding, of.config, of.clock, of.gate, of.worker.poke)

    def limits(self, of: Engine) -> Any:
        from recollect.security.quota import CallLimits

        return CallLimits(lambda: of.config.current)

    def observer(self, of: Engine) -> Any:
        from recollect.observe.conclusions import Conclusions
        from recollect.observe.failed_reviews import FailedReviews
        from recollect.observe.observer import Observer
        from recollect.observe.weekly import WeeklyPairs
        from recollect.observe.work_state import WorkStates

        def secret() -> bytes:
            return of.store_id.encode()

        def search() -> Any:
            return partial(of.recall.search, for_use=False, imagine=False)

        states = WorkStates(of.store, of.config, of.clock, ingest=lambda: of.ingest, revision=lambda: of.revision)
        conclusions = Conclusions(
            of.store, of.config, of.clock, ingest=lambda: of.ingest, embedder=lambda: of.embedder, states=states
        )
        reviews = FailedReviews(of.store, of.clock, ingest=lambda: of.ingest, revision=lambda: of.revision)
        return Observer(
            of.store,
            of.config,
            of.clock,
            secret=secret,
            search=search,
            weekly=WeeklyPairs(of.store, of.config, of.clock, ingest=lambda: of.ingest, revision=lambda: of.revision),
            has_model=lambda: of.llm is not None,
            code=lambda about: of.anchors.states(about),  # noqa: PLW0108 (made where there is code to look at)
            conclusions=conclusions,
            failed_reviews=reviews,
        )

    def code(self, of: Engine) -> Any:
        from recollect.code.projects import CodeProjects

        return CodeProjects(of.store, of.config, of.clock, of.anchors)

    def anchors(self, of: Engine) -> Any:
        from recollect.code.anchoring import RecordAnchors
        from recollect.working.background import background

        return RecordAnchors(of.store, of.config, background.submit if self._prefetch else None)

    def vault(self, of: Engine) -> Any:
        from recollect.security.vault import Vault

        def leave_files() -> None:
            of.observer.forget_files()
            if (indexes := of.made("indexes")) is not None:
                indexes.leave_files()

        return Vault(of.store, of.opened_with, leave_files=leave_files, around=of.backups.around_key_change)

    def ram(self, of: Engine) -> Any:
        return ram_watch(of)

    def figures(self, of: Engine) -> Any:
        from recollect.insight.health import Figures

        parts = (of.store, of.indexes, of.recall, of.config, of.embedding, of.clock, of.llm, of.ram, of.backups)
        return Figures(*parts, degraded=of.degraded)

    def degraded(self, of: Engine) -> Any:
        from recollect.insight.degraded import Degraded

        parts = (of.store, of.indexes, of.embedding, of.config)
        return Degraded(*parts, llm=of.llm, reranker=of.reranker, ram=of.ram, vault=partial(vault_of, of))

    def pages(self, of: Engine) -> Any:
        from recollect.insight.looking_back import Pages

        return Pages(of.store, of.indexes, of.recall, of.config, of.clock, of.assessing.map)

    def vitals(self, of: Engine) -> Any:
        from recollect.insight.vitals import Vitals

        return Vitals(of.store, lambda: of.indexes, lambda: of.figures, of.config)

    def doctor(self, of: Engine) -> Any:
        from recollect.insight.doctor import Doctor

        parts = (of.store, of.config, of.clock, of.embedding, of.backups, of.llm)
        return Doctor(*parts, embed_missing=of.backfill.request, vault=partial(vault_of, of))

    def upkeep_parts(self, of: Engine) -> Any:
        from recollect.upkeep.maintain import UpkeepParts

        return UpkeepParts(
            store=of.store,
            live=of.config,
            clock=of.clock,
            indexes=of.indexes,
            embedding=of.embedding,
            llm=of.llm,
            flush=of.access.flush,
            asks=partial(of.recall.search, for_use=False, imagine=False, measured=False),
            forget=partial(forget_files, of),
            close_orphans=lambda dry_run: of.turns.close_orphans(dry_run=dry_run),
        )

    def calendar(self, of: Engine) -> Any:
        from recollect.upkeep.runs.schedule import Calendar

        return Calendar(of.store, of.config, of.clock)

    def keeper(self, of: Engine) -> Any:
        from recollect.upkeep.maintain import Keeper
        from recollect.upkeep.runs.runner import Runner

        return Keeper(of.upkeep_parts, Runner(of.store, of.config, of.clock, of.activity), of.calendar)

    def assessing(self, of: Engine) -> Any:
        from recollect.insight.assess import Assessing

        search = partial(of.recall.search, for_use=False)
        return Assessing(of.store, of.embedding, search, of.config, of.clock)

    def scheduler(self, of: Engine) -> Any:
        if not of.config.current.upkeep.scheduled:
            return None
        from recollect.upkeep.runs.schedule import Scheduler

        return Scheduler(of.calendar, of.keeper.begin, of.config, of.activity, of.worker.poke)

    def worker(self, of: Engine) -> Any:
        from recollect.upkeep.jobs.worker import JobWorker

        def crowded() -> bool:
            return of.indexes.held or of.activity.idle_s < _BURST_S

        def elsewhere() -> Any:
            return comparing() if of.indexes.inside.ready else ()

        return JobWorker(of.store, of.config, of.clock, handlers(of), crowded, elsewhere)


def _begin(engine: Engine) -> None:
    """Start what works between calls."""
    indexes, minds = engine.indexes, engine.minds
    indexes.each_tick(engine.access.flush_if_due)
    indexes.each_tick(engine.audit.flush_if_due)
    indexes.each_tick(engine.echoes.catch_up)
    indexes.each_tick(minds.shed_if_due)
    indexes.each_tick(engine.ram.look)
    indexes.each_tick(engine.backups.look)
    if engine.store.path is not None:
        indexes.each_tick(partial(watch, engine))
    indexes.start()
    engine.backfill.begin_beside()
    engine.rescreening.begin()
    if engine.backfill.resume():
        engine.worker.poke()
    if engine.scheduler is not None:
        engine.scheduler.start()


def _store_id(store: Store) -> str:
    """The store's own name, given once; files beside the database carry it."""
    with store.read() as tx:
        found = tx.meta.text("store_id")
    return found or store.write(lambda tx: tx.meta.note_once("store_id", new_id()))
