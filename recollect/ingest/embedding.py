"""The embedder's place in the write path: vectors at once where that is quick, a job where it is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.errors import ProviderError
from recollect.providers.base import Embedder, Vectors
from recollect.store import jobs, vectors
from recollect.store.base import Store, Tx
from recollect.store.journal import Op
from recollect.store.vectors import Space

EMBED_JOB = jobs.EMBED


class Embedding:
    """Knows the configured embedder and its space in the store. Without an embedder it says so and stays out of it."""

    def __init__(self, embedder: Embedder | None, store: Store) -> None:
        self.embedder = embedder
        self._store = store
        self._checked = False

    def prepare(self, texts: Sequence[str]) -> Prepared:
        """Vectors for these texts, or the reason why they come later. Outside any transaction; writes nothing."""
        if self.embedder is None:
            return Prepared(missing=("no embedder is configured: these records are found by their words only",))
        if not self.embedder.inline:
            return Prepared(missing=(f"embedding with {self.embedder.name} is queued; until then found by words",))
        try:
            self._check_dimensions(self.embedder)
            return Prepared(embedding=self, found=self.embedder.embed(texts))
        except ProviderError as error:
            return Prepared(missing=(f"embedding failed ({error.code}) and is queued; until then found by words",))

    def _check_dimensions(self, embedder: Embedder) -> None:
        """Once: neither the model nor what the store has of it changes while both are open."""
        if not self._checked:
            with self._store.read() as tx:
                vectors.check_dimensions(tx, embedder.name, embedder.dimensions)
            self._checked = True

    def space(self, tx: Tx, *, now: int) -> Space:
        """The embedder's space, made on first use."""
        assert self.embedder is not None
        return vectors.ensure_space(tx, self.embedder.name, self.embedder.dimensions, at=now)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """What `prepare` found: vectors to store with the records, or the reason for a job to queue with them."""

    embedding: Embedding | None = None
    found: Vectors | None = None
    missing: tuple[str, ...] = ()

    def store(self, tx: Tx, pks: Sequence[int], *, now: int) -> None:
        """Inside the transaction of the records."""
        if self.embedding is None or self.found is None:
            jobs.enqueue_once(tx, EMBED_JOB, now=now)
            return
        space = self.embedding.space(tx, now=now)
        rows = list(zip(pks, space.encode_all(self.found), strict=True))
        vectors.put(tx, space, rows, announce=False)  # who follows the feed looks for the vectors of new records too

    def replace(self, tx: Tx, op: Op, pk: int) -> None:
        """Inside the transaction that revises a record: the new text's vector for the old one's."""
        if self.embedding is None or self.found is None:
            vectors.replace(tx, op, pk, {})
            jobs.enqueue_once(tx, EMBED_JOB, now=op.at)
            return
        space = self.embedding.space(tx, now=op.at)
        vectors.replace(tx, op, pk, {space.pk: space.encode_all(self.found)[0]})
