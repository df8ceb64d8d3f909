"""Figures about a store: what it holds (`stats`) and how it is doing (`health`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from recollect.clock import Clock, from_us, now_us
from recollect.config import LiveConfig
from recollect.deadline import within
from recollect.errors import StoreDamaged, StoreUnavailable
from recollect.index.base import Pressure
from recollect.index.follow import Indexes
from recollect.index.resident import resident_mb
from recollect.index.vector.registry import bytes_per_vector
from recollect.ingest.embedding import Embedding
from recollect.insight.degraded import Degraded, NotedLosses
from recollect.model.result import Report
from recollect.model.scope import Scope
from recollect.providers.base import Llm
from recollect.providers.health import reach_of
from recollect.recall.pipeline import ReadPath
from recollect.store import jobs
from recollect.store.base import Store, Tx
from recollect.store.figures import RecordCount
from recollect.upkeep.backups import Backups
from recollect.upkeep.forgetting.strength import strength_now
from recollect.upkeep.jobs.soundness import damaged_at
from recollect.upkeep.language_model.asking import ledger
from recollect.upkeep.language_model.awaited import Awaited, awaited
from recollect.upkeep.ram import RamWatch

NONE = "none"
SERVER_S = 1.0  # for a database server that may be away
_QUEUE_WARNING_SHARE = 0.8


class Figures:
    """Counts and levels of one store."""

    def __init__(
        self,
        store: Store,
        indexes: Indexes,
        recall: ReadPath,
        config: LiveConfig,
        embedding: Embedding,
        clock: Clock = now_us,
        llm: Llm | None = None,
        ram: RamWatch | None = None,
        backups: Backups | None = None,
        *,
        degraded: Degraded,
    ) -> None:
        self._backups = backups
        self._degraded = degraded
        self._llm = llm
        self._ram = ram
        self._store = store
        self._clock = clock
        self._embedding = embedding
        self._embedder = embedding.embedder
        self._indexes = indexes
        self._recall = recall
        self._config = config

    def stats(self, scope: Scope | None) -> Report:
        """What is stored: everything for the owner (`scope=None`), otherwise what the scope may see."""
        with self._store.read() as tx:
            visible = None if scope is None else tx.scopes.visible(scope)
            held = tx.figures.records(visible)
            live = [each for each in held if each.live]
            figures: dict[str, Any] = {
                "records": sum(each.records for each in live),
                "by_kind": _by(live, "kind"),
                "by_category": _by(live, "category"),
                "by_tier": _by(live, "tier"),
            }
            if visible is None:
                figures |= self._whole(tx, held)
        return Report(figures=figures)

    def _whole(self, tx: Tx, held: Sequence[RecordCount]) -> dict[str, Any]:
        """Figures that only make sense for the store as a whole."""
        live = [each for each in held if each.live]
        oldest = min((each.oldest for each in live), default=None)
        newest = max((each.newest for each in live), default=None)
        by_label = tx.figures.edges_by_label()
        return {
            "retired": sum(each.records for each in held if not each.live and not each.past),
            "past_versions": sum(each.records for each in held if each.past),
            "edges": sum(by_label.values()),
            "edges_by_label": by_label,
            "orphans": tx.figures.orphans(),
            "entities": tx.figures.entities(),
            "sessions": tx.figures.sessions(),
            "scopes": tx.figures.scopes(),
            "operations": tx.figures.operations(),
            "jobs": tx.jobs.counts(),
            "spaces": [
                {
                    "name": s.name,
                    "dimensions": s.dimensions,
                    "state": s.state,
                    "vectors": tx.vectors.coverage(s)[0],
                }
                for s in tx.vectors.spaces()
            ],
            "size_bytes": self._store.size_bytes(),
            "oldest": from_us(oldest).isoformat() if oldest else None,
            "newest": from_us(newest).isoformat() if newest else None,
        }

    def health(self, *, full: bool = False) -> Report:
        """How it is doing: queues, latencies, indexes, and a warning for everything that needs a hand.

        With `full` also what there is of each kind, and what waits to be consolidated or forgotten: it reads all
        records. Where a database server is away, what it would say is left out.
        """
        reach = None if self._llm is None else reach_of(self._llm)
        noted, of_tables = NotedLosses(), dict[str, Any]()
        try:
            with within(SERVER_S):
                noted, of_tables = self._of_tables(full)
        except (StoreUnavailable, StoreDamaged):
            """`degraded` says so."""
        window = self._recall.window
        latencies = window.latencies_ms()
        degraded = self._degraded.parts(noted)
        figures = {
            "status": "ok",
            "level": self._degraded.level,
            "degraded": [part.to_dict() for part in degraded],
            "embedder": NONE if self._embedder is None else self._embedder.name,
            "indexes_warm": self._indexes.warm,
            "index_warm_percent": self._indexes.warm_percent,
            "search": "database" if self._indexes.inside.ready else "memory",
            "vectors": {space.name: str(self._indexes.vectors[space.pk].choice) for space in self._indexes.spaces()},
            "searches": len(latencies),
            "search_ms_avg": round(sum(latencies) / len(latencies), 3) if latencies else None,
            "search_ms_p99": round(sorted(latencies)[int(0.99 * (len(latencies) - 1))], 3) if latencies else None,
            **window.figures(),
            "write_queue": self._store.queue_depth,
            "readers_idle": self._store.readers_idle,
            "index_mb": self._index_mb(),
            **of_tables,
            **({} if self._backups is None else self._backups.standing()),
            "model": None if self._llm is None else self._llm.name,
            "model_state": NONE if reach is None else reach.state,
            "encrypted": self._store.encrypted,
            "rss_mb": resident_mb(),
            **self._of_ram(),
        }
        warnings = [*(part.warning for part in degraded if part.cure), *self._warnings(figures)]
        if warnings:
            figures["status"] = "attention"
        return Report(figures=figures, warnings=tuple(warnings))

    def _of_tables(self, full: bool) -> tuple[NotedLosses, dict[str, Any]]:
        """What the tables say, and what of it is about parts that are missing."""
        now = self._clock()
        with self._store.read() as tx:
            waits = awaited(tx, self._config.current, now=now) if self._llm is not None else Awaited()
            asked = ledger(tx, now)
            floor = tx.tuning.floor(self._config.current)
            noted = NotedLosses(waits, damaged_at(tx))
            figures = {
                **self._of_upkeep(tx),
                **(self._counted(tx, now) if full else {}),
                "jobs": tx.jobs.counts(),
                "pending_embeddings": self._pending_embeddings(tx),
                "model_changed": self._other_model(tx),
                "waiting_for_model": waits.total,
                "model_tokens_today": asked.tokens,
                "model_failures_today": asked.failed,
                "recall_floor": floor.value,
                "recall_floor_by": floor.by,
                "recall_floor_why": floor.why,
            }
        return noted, {**figures, "index_lag": self._indexes.behind(), "erasure_pending": self._store.scrub_due}

    def _index_mb(self) -> float:
        """What the vectors in memory take, worked out of their number and form."""
        settings = self._config.current.index
        taken = 0
        for space in self._indexes.spaces():
            index = self._indexes.vectors[space.pk]
            taken += index.count() * bytes_per_vector(index.choice, index.dimensions, settings)
        return round(taken / 2**20, 3)

    def _of_upkeep(self, tx: Tx) -> dict[str, Any]:
        """When memories were last consolidated, and when what had faded was last put away."""
        nights = tx.runs.last_finished("maintain")
        return {
            "last_consolidation": _told([tx.runs.last_finished("consolidate"), nights]),
            "last_decay": _told([tx.runs.last_finished("decay"), nights]),
        }

    def _counted(self, tx: Tx, now: int) -> dict[str, Any]:
        """What takes a look at every record."""
        held = [each for each in tx.figures.records(None) if each.live]
        config = self._config.current
        fading = tx.imprints.fading(now=now)
        weak = int((strength_now(fading, now, config) < config.decay.gc_threshold).sum())
        return {
            "records": _by(held, "kind"),
            "edges": sum(tx.figures.edges_by_label().values()),
            "consolidation_backlog": tx.sessions.backlog(),
            "decay_candidates": weak,
        }

    def _of_ram(self) -> dict[str, Any]:
        """How far memory is from what is set, and what is done without."""
        level = Pressure.NORMAL if self._ram is None else self._ram.level
        return {"pressure": level.name.lower(), "let_go": [] if self._ram is None else self._ram.shed}

    def _pending_embeddings(self, tx: Tx) -> int:
        """Live records that wait for a vector of the configured embedder."""
        if self._embedder is None:
            return 0
        space = tx.vectors.find_space(self._embedder.name)
        if space is None:  # it is made when the first vectors are
            return tx.records.live_count()
        have, total = tx.vectors.coverage(space)
        return total - have

    def _other_model(self, tx: Tx) -> str | None:
        """The model of the active vectors if it is not the configured one, and nothing is under way to change that."""
        active = [space.name for space in tx.vectors.spaces() if space.state == "active"]
        if not active or self._embedder is None or self._embedder.name in active:
            return None
        mine = {model.name for model in self._embedding.models}
        return None if mine.issuperset(active) and tx.jobs.waiting(jobs.EMBED) else active[0]

    def _warnings(self, figures: dict[str, Any]) -> list[str]:
        config = self._config.current
        warnings = list(config.warnings)
        if figures.get("erasure_pending"):
            warnings.append("bytes of erased records may still be in the file or its log: it is tried again by itself")
        if self._indexes.inside.trouble:
            warnings.append(self._indexes.inside.trouble)
        if self._backups is not None:
            warnings += self._backups.warnings()
        jobs = figures.get("jobs", {})
        if self._indexes.inside.ready and jobs.get("ready"):
            warnings.append(
                f"{jobs['ready']} background jobs wait; those that compare records are done by a process "
                "with index.search=memory, of which a store needs one"
            )
        if figures["write_queue"] > _QUEUE_WARNING_SHARE * config.store.queue_max:
            warnings.append("the write queue is nearly full: writers wait for the disk")
        if jobs.get("failed"):
            warnings.append(f"{jobs['failed']} background jobs failed; `doctor` shows why")
        if figures.get("model_changed"):
            warnings.append(f"the store's vectors come from {figures['model_changed']}; run reembed")
        if figures.get("pending_embeddings"):
            left = "by words only" if self._embedding.beside is None else f"by words and {self._embedding.beside.name}"
            assert self._embedder is not None
            warnings.append(
                f"{figures['pending_embeddings']} records wait for a vector of {self._embedder.name}; "
                f"until then they are found {left}"
            )
        if figures.get("model_failures_today"):
            warnings.append(
                f"the language model failed background jobs {figures['model_failures_today']} times today: "
                "rules stand in for it"
            )
        warnings += self._recall.window.warnings(config.recall)
        return warnings


def _told(moments: Iterable[int | None]) -> str | None:
    """The last of these moments."""
    known = [moment for moment in moments if moment is not None]
    return from_us(max(known)).isoformat() if known else None


def _by(held: Iterable[RecordCount], name: str) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for each in held:
        counts[getattr(each, name)] += each.records
    return dict(counts.most_common())
