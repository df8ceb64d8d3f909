"""Vectors for records that have none yet: queued ones, and whole stores that move to another model."""

from __future__ import annotations

from recollect.clock import Clock
from recollect.config import LiveConfig
from recollect.ingest.embedding import EMBED_JOB, Embedding, space_of
from recollect.model.result import Report
from recollect.providers.base import Embedder
from recollect.store.base import Store, Tx
from recollect.store.jobs import Job
from recollect.store.vectors import Space
from recollect.upkeep.jobs.worker import Progress


class Backfill:
    """Fills the spaces of a store's embedders. When they hold everything, they are active and all others retire."""

    def __init__(self, store: Store, embedding: Embedding, config: LiveConfig, clock: Clock) -> None:
        self._store = store
        self._embedding = embedding
        self._config = config
        self._clock = clock

    def run(self, job: Job, progress: Progress) -> None:
        """The handler of `embed` jobs: until no live record is without a vector. Stops early when told to."""
        for model in self._embedding.models:
            self._fill(model, progress)
        if self._embedding.models:
            self._store.write(self._promote)

    def _fill(self, model: Embedder, progress: Progress) -> None:
        space = self._store.write(lambda tx: space_of(tx, model, now=self._clock()))
        with self._store.read() as tx:
            have, total = tx.vectors.coverage(space)
        after = 0
        while True:
            with self._store.read() as tx:
                batch = tx.vectors.without_vector(space, limit=self._config.current.embedding.batch, after_pk=after)
            if not batch:
                return
            self._embed(model, space, batch)
            after, have = batch[-1][0], have + len(batch)
            if not progress(min(1.0, have / max(1, total))):
                raise InterruptedError("stopped before the end")

    def _embed(self, model: Embedder, space: Space, batch: list[tuple[int, str]]) -> None:
        stored = space.encode_all(model.embed([content for _, content in batch]))
        encoded = {pk: (content, data) for (pk, content), data in zip(batch, stored, strict=True)}

        def work(tx: Tx) -> None:
            """A record revised or deleted meanwhile is left for the next round: its text is another."""
            there = tx.records.live_contents(encoded)
            tx.vectors.put(space, [(pk, encoded[pk][1]) for pk, text in there.items() if encoded[pk][0] == text])

        self._store.write(work)

    def _promote(self, tx: Tx) -> None:
        mine = [space_of(tx, model, now=self._clock()) for model in self._embedding.models]
        building = any(space.state == "building" for space in mine)
        if building and not any(tx.vectors.without_vector(space, limit=1) for space in mine):
            tx.vectors.promote(*(space.pk for space in mine))

    def request(self) -> None:
        """Queue the job unless one waits already."""
        self._store.write(lambda tx: tx.jobs.enqueue_once(EMBED_JOB, now=self._clock()))

    def resume(self) -> bool:
        """Queue again what failed when the store was last open; whether there is anything to embed."""
        with self._store.read() as tx:
            failed = tx.jobs.any_failed(EMBED_JOB)
        if failed and self._embedding.models:
            self._store.write(lambda tx: tx.jobs.revive(kind=EMBED_JOB))
        return self.pending()

    def pending(self) -> bool:
        """Whether live records lack a vector of the store's embedders."""
        mine = {model.name for model in self._embedding.models}
        if not mine:
            return False
        with self._store.read() as tx:
            states = {space.name: space.state for space in tx.vectors.spaces() if space.name in mine}
            if len(states) < len(mine):
                return tx.records.any_live()
            return "building" in states.values() or tx.jobs.waiting(EMBED_JOB)

    def begin_beside(self) -> None:
        """Queue the job for a store that was filled before a quick model was kept beside the configured one.

        A store of another model is left alone: moving it may cost money, so it takes `reembed`.
        """
        if len(self._embedding.models) < 2:
            return
        beside, configured = (model.name for model in self._embedding.models)
        with self._store.read() as tx:
            active = {space.name for space in tx.vectors.spaces() if space.state == "active"}
        if configured in active and beside not in active:
            self.request()

    def report(self) -> Report:
        """How far each space is."""
        with self._store.read() as tx:
            spaces = [
                {
                    "name": s.name,
                    "dimensions": s.dimensions,
                    "state": s.state,
                    "embedded": have,
                    "records": total,
                }
                for s in tx.vectors.spaces()
                for have, total in [tx.vectors.coverage(s)]
            ]
        return Report(figures={"spaces": spaces})
