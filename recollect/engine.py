"""The parts of one open store, put together by `wiring` and used by `memory`."""

from __future__ import annotations

import atexit
from contextlib import suppress
from dataclasses import dataclass
from weakref import WeakSet

from recollect.clock import Clock
from recollect.config import LiveConfig
from recollect.context.window import Windows
from recollect.errors import RecollectError
from recollect.exchange.erasure import Erasure
from recollect.exchange.exchange import Exchange
from recollect.index.follow import Indexes
from recollect.ingest.belief import Judging
from recollect.ingest.compaction import Compacting
from recollect.ingest.documents import Documents
from recollect.ingest.pipeline import Ingest
from recollect.ingest.relate import Relating
from recollect.ingest.removal import Removal
from recollect.ingest.revision import Revision
from recollect.providers.base import Embedder, Llm
from recollect.reason.reasoner import Reasoner
from recollect.reason.research import Research
from recollect.recall.access import AccessLog
from recollect.recall.graph import GraphReading
from recollect.recall.past import Past
from recollect.recall.pipeline import Recall
from recollect.recall.timeline import Timelines
from recollect.store.base import Store
from recollect.upkeep.activity import Activity
from recollect.upkeep.doctor import Doctor
from recollect.upkeep.embed import Backfill
from recollect.upkeep.health import Figures
from recollect.upkeep.knowing import Knowing
from recollect.upkeep.maintain import Keeper
from recollect.upkeep.schedule import Scheduler
from recollect.upkeep.worker import Worker
from recollect.working.minds import Minds


@dataclass(frozen=True, kw_only=True, eq=False)
class Engine:
    """Everything a facade needs. Closing ends the threads from the outside in, the store last.

    One that nobody closed is closed when the process ends: its threads must not be in the middle of something then.
    """

    store: Store
    config: LiveConfig
    clock: Clock
    embedder: Embedder | None
    owns_embedder: bool  # made here from its name; one that was handed in is its owner's to close
    llm: Llm | None
    owns_llm: bool
    indexes: Indexes
    ingest: Ingest
    revision: Revision
    documents: Documents
    compacting: Compacting
    removal: Removal
    exchange: Exchange
    erasure: Erasure
    relating: Relating
    judging: Judging
    recall: Recall
    windows: Windows
    graph: GraphReading
    past: Past
    timelines: Timelines
    reasoner: Reasoner
    research: Research
    access: AccessLog
    minds: Minds
    backfill: Backfill
    worker: Worker
    figures: Figures
    doctor: Doctor
    activity: Activity
    knowing: Knowing
    keeper: Keeper
    scheduler: Scheduler | None  # where the memory looks after itself

    def __post_init__(self) -> None:
        _open.add(self)

    def close(self) -> None:
        _open.discard(self)
        if self.store.inherited:  # threads, locks and file belong to the parent
            return
        self.activity.close()
        if self.scheduler is not None:
            self.scheduler.close()
        self.worker.close()
        with suppress(RecollectError):  # what could not be counted must not keep the rest open
            self.access.flush()
        self.minds.suspend_all()
        self.indexes.close()
        self.store.close()
        for model, own in ((self.embedder, self.owns_embedder), (self.llm, self.owns_llm)):
            close = getattr(model, "close", None)
            if own and close is not None:
                close()


_open: WeakSet[Engine] = WeakSet()


@atexit.register
def _close_all() -> None:
    for engine in list(_open):
        with suppress(RecollectError):
            engine.close()
