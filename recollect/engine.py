"""The parts of one open store, put together by `wiring` and used by `memory`."""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from recollect.errors import RecollectError
from recollect.hook.places import folder_of

if TYPE_CHECKING:
    from recollect.bus.delivering import Delivering
    from recollect.bus.publishing import Publishing
    from recollect.clock import Clock
    from recollect.code.anchoring import RecordAnchors
    from recollect.code.projects import CodeProjects
    from recollect.config import LiveConfig
    from recollect.context.open_turns import OpenTurns
    from recollect.context.outgrown import Outgrown
    from recollect.context.window import Windows
    from recollect.exchange.erasure import Erasing
    from recollect.exchange.exchange import ImportExport
    from recollect.index.follow import Indexes
    from recollect.ingest.belief import Judging
    from recollect.ingest.compaction import Compacting
    from recollect.ingest.documents import DocumentIngest
    from recollect.ingest.echo import Echoes
    from recollect.ingest.embedding import Embedding
    from recollect.ingest.pipeline import Ingest
    from recollect.ingest.relate import Relating
    from recollect.ingest.removal import Removal
    from recollect.ingest.revision import Revision
    from recollect.ingest.screening import ScreeningGate
    from recollect.ingest.sealing import Sealing
    from recollect.insight.assess import Assessing
    from recollect.insight.degraded import Degraded
    from recollect.insight.doctor import Doctor
    from recollect.insight.health import Figures
    from recollect.insight.looking_back import Pages
    from recollect.insight.vitals import Vitals
    from recollect.observe.observer import Observer
    from recollect.providers.base import Embedder, Llm, PairReader, Reranker
    from recollect.reason.reasoner import Reasoner
    from recollect.reason.research import Research
    from recollect.recall.access import AccessLog
    from recollect.recall.graph import GraphReading
    from recollect.recall.past import PastOperations
    from recollect.recall.pipeline import ReadPath
    from recollect.recall.timeline import Timelines
    from recollect.recall.unsealing import Unsealing
    from recollect.security.access import Access
    from recollect.security.auditing import Audit
    from recollect.security.oracles import Oracles
    from recollect.security.protection import Protection
    from recollect.security.quota import CallLimits
    from recollect.security.screening.screen import Screen
    from recollect.security.signing import SigningKey
    from recollect.security.vault import Vault
    from recollect.store.base import Store
    from recollect.store.erase import Whom
    from recollect.telemetry import Telemetry
    from recollect.upkeep.backups import Backups
    from recollect.upkeep.jobs.embed import Backfill
    from recollect.upkeep.jobs.screening import Rescreening
    from recollect.upkeep.jobs.worker import JobWorker
    from recollect.upkeep.maintain import Keeper, UpkeepParts
    from recollect.upkeep.promotion import Promoting
    from recollect.upkeep.ram import RamWatch
    from recollect.upkeep.runs.activity import Activity
    from recollect.upkeep.runs.schedule import Calendar, Scheduler
    from recollect.working.minds import Minds
    from recollect.working.tools_at_hand import ToolCache


class Engine:
    """Everything a facade needs. Closing ends the threads from the outside in, the store last.

    A part is made when somebody first asks for it, once: whoever lists records does not wait for what searches them.
    `parts` makes them, by a method for each. One that nobody closed is closed when the process ends: its threads must
    not be in the middle of something then.
    """

    store: Store
    opened_with: Access
    config: LiveConfig
    clock: Clock
    embedder: Embedder | None
    owns_embedder: bool  # made here from its name; one that was handed in is its owner's to close
    llm: Llm | None
    owns_llm: bool
    reranker: Reranker | None
    reader: PairReader
    store_id: str  # the store's own name
    embedding: Embedding
    screen: Screen
    gate: ScreeningGate
    protection: Protection
    oracles: Oracles
    unsealing: Unsealing
    sealing: Sealing
    rescreening: Rescreening
    echoes: Echoes
    upkeep_parts: UpkeepParts
    calendar: Calendar
    indexes: Indexes
    ingest: Ingest
    revision: Revision
    documents: DocumentIngest
    compacting: Compacting
    removal: Removal
    exchange: ImportExport
    erasure: Erasing
    signing: Callable[..., SigningKey | None]  # the owner's key, as the vault stands now
    relating: Relating
    judging: Judging
    recall: ReadPath
    windows: Windows
    graph: GraphReading
    past: PastOperations
    timelines: Timelines
    reasoner: Reasoner
    research: Research
    access: AccessLog
    audit: Audit
    telemetry: Telemetry | None  # None: nobody is told of verbs
    minds: Minds
    turns: OpenTurns
    outgrown: Outgrown
    tool_cache: ToolCache
    publishing: Publishing
    promoting: Promoting
    delivering: Delivering
    observer: Observer
    code: CodeProjects
    anchors: RecordAnchors
    backfill: Backfill
    backups: Backups
    worker: JobWorker
    figures: Figures
    degraded: Degraded
    vitals: Vitals
    ram: RamWatch
    doctor: Doctor
    vault: Vault
    limits: CallLimits
    activity: Activity
    assessing: Assessing
    pages: Pages
    keeper: Keeper
    scheduler: Scheduler | None  # where the memory looks after itself

    def __init__(self, parts: Any, **ready: Any) -> None:
        self.__dict__.update(ready)
        self._parts = parts
        self._making = threading.RLock()
        _open.add(self)

    def __getattr__(self, name: str) -> Any:
        make = None if name.startswith("_") else getattr(self._parts, name, None)
        if make is None:
            raise AttributeError(f"an engine has no part {name!r}")
        with self._making:
            if name not in self.__dict__:
                self.__dict__[name] = make(self)
        return self.__dict__[name]

    def made(self, name: str) -> Any:
        """A part that somebody asked for already; None for one that nobody did."""
        return self.__dict__.get(name)

    def forget(self, whom: Whom) -> None:
        """Take what is being erased out of what this process keeps beside the database."""
        from recollect.context import history_gist

        self.indexes.forget_snapshots()
        self.backups.forget()
        history_gist.forget()
        if (outgrown := self.made("outgrown")) is not None:
            outgrown.forget()
        if (echoes := self.made("echoes")) is not None:
            echoes.forget()
        if (minds := self.made("minds")) is not None:
            minds.forget(user_id=whom.user_id, channel=whom.channel, session=whom.session_id)
        if whom.user_id is not None:
            self.audit.forget_person(whom.user_id)
        if self._has_hooks():
            self.observer.forget_files()

    def finish_erasures(self) -> None:
        """Do what a killed process left of an erasure, before anything else."""
        with self.store.read() as tx:
            waiting = tx.leaving.any_begun()
        if waiting:
            with suppress(RecollectError):  # busy, full or only to be read: the next opening tries again
                self.erasure.resume()

    def close(self, *, failed: bool = False) -> None:
        """End everything. After something `failed` nothing is done that can wait."""
        _open.discard(self)
        if self.store.inherited:  # threads, locks and file belong to the parent
            return
        until = time.monotonic() + self.config.current.store.close_timeout_s
        self.activity.close()
        for name in ("backups", "scheduler", "worker"):
            if (part := self.made(name)) is not None:
                part.close()
        if self.store.written and not failed:
            self.backups.make_before_closing(until - time.monotonic())
        for name in ("access", "audit"):
            if (part := self.made(name)) is not None:
                with suppress(RecollectError):  # what could not be counted must not keep the rest open
                    part.flush()
        if (minds := self.made("minds")) is not None:
            minds.suspend_all()
        self._leave_hints()
        if (indexes := self.made("indexes")) is not None:
            indexes.close()
        self.store.close()
        (self.made("vault") or self.opened_with).wipe()
        for model, own in ((self.made("embedder"), self.owns_embedder), (self.llm, self.owns_llm)):
            close = getattr(model, "close", None)
            if own and close is not None:
                close()

    def _leave_hints(self) -> None:
        """What hooks of coding clients are to find, as it is now; where there are none this is one look at a folder."""
        if (observer := self.made("observer")) is not None:
            observer.announcement.end()
        if self._has_hooks() and not self._hints_are_current():
            self.observer.renew()

    def _hints_are_current(self) -> bool:
        from recollect.observe.made import is_current

        with suppress(RecollectError, OSError):
            return is_current(self.store, self.config.current, self.clock, Path(folder_of(str(self.store.path))))
        return True  # what cannot be looked at cannot be made either

    def _has_hooks(self) -> bool:
        return self.store.path is not None and os.path.isdir(folder_of(str(self.store.path)))


_open: WeakSet[Engine] = WeakSet()


@atexit.register
def _close_all() -> None:
    for engine in list(_open):
        with suppress(RecollectError):
            engine.close(failed=hasattr(sys, "last_value") and not hasattr(sys, "ps1"))
