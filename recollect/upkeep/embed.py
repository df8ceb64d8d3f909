"""Vectors for records that have none yet: queued ones, and whole stores that move to another model."""

from __future__ import annotations

from recollect.clock import Clock
from recollect.config import LiveConfig
from recollect.ingest.embedding import EMBED_JOB, Embedding
from recollect.model.result import Report
from recollect.store import jobs, vectors
from recollect.store.base import Store, Tx
from recollect.store.jobs import Job
from recollect.store.vectors import Space
from recollect.upkeep.worker import Progress


class Backfill:
    """Fills the configured embedder's space. When a building space holds everything, it becomes the active one."""

    def __init__(self, store: Store, embedding: Embedding, config: LiveConfig, clock: Clock) -> None:
        self._store = store
        self._embedding = embedding
        self._config = config
        self._clock = clock

    def run(self, job: Job, progress: Progress) -> None:
        """The handler of `embed` jobs: until no live record is without a vector. Stops early when told to."""
        if self._embedding.embedder is None:
            return
        space = self._store.write(lambda tx: self._embedding.space(tx, now=self._clock()))
        with self._store.read() as tx:
            have, total = vectors.coverage(tx, space)
        after = 0
        while True:
            with self._store.read() as tx:
                batch = vectors.without_vector(tx, space, limit=self._config.current.embedding.batch, after_pk=after)
            if not batch:
                break
            self._embed(space, batch)
            after, have = batch[-1][0], have + len(batch)
            if not progress(min(1.0, have / max(1, total))):
                raise InterruptedError("stopped before the end")
        self._store.write(lambda tx: self._promote(tx, space))

    def _embed(self, space: Space, batch: list[tuple[int, str]]) -> None:
        assert self._embedding.embedder is not None
        found = self._embedding.embedder.embed([content for _, content in batch])
        stored = space.encode_all(found)
        encoded = {pk: (content, data) for (pk, content), data in zip(batch, stored, strict=True)}

        def work(tx: Tx) -> None:
            """A record revised or deleted meanwhile is left for the next round: its text is another."""
            rows = tx.all(
                "SELECT pk, content FROM record WHERE pk IN carray(?) AND retired_at IS NULL ORDER BY pk",
                (tx.pk_list(encoded),),
            )
            vectors.put(tx, space, [(pk, encoded[pk][1]) for pk, content in rows if encoded[pk][0] == content])

        self._store.write(work)

    def _promote(self, tx: Tx, space: Space) -> None:
        current = vectors.find_space(tx, space.name)
        complete = not vectors.without_vector(tx, space, limit=1)
        if current is not None and current.state == "building" and complete:
            vectors.promote(tx, space.pk)

    def request(self) -> None:
        """Queue the job unless one waits already."""
        self._store.write(lambda tx: jobs.enqueue_once(tx, EMBED_JOB, now=self._clock()))

    def pending(self) -> bool:
        """Whether live records lack a vector of the configured embedder."""
        if self._embedding.embedder is None:
            return False
        with self._store.read() as tx:
            space = vectors.find_space(tx, self._embedding.embedder.name)
            if space is None:
                return bool(tx.value("SELECT 1 FROM record WHERE retired_at IS NULL LIMIT 1"))
            return space.state == "building" or bool(
                tx.value("SELECT 1 FROM job WHERE kind = ? AND state IN ('ready', 'running')", (EMBED_JOB,))
            )

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
                for s in vectors.spaces(tx)
                for have, total in [vectors.coverage(tx, s)]
            ]
        return Report(figures={"spaces": spaces})
