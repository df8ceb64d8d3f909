"""The embedder's place in the write path: vectors at once where that is quick, a job where it is not."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.clock import Clock
from recollect.errors import ProviderError
from recollect.providers.base import Embedder
from recollect.store import jobs, vectors
from recollect.store.base import Store, Tx
from recollect.store.vectors import Space

EMBED_JOB = "embed"


class Embedding:
    """Knows the configured embedder and its space in the store. Without an embedder it says so and stays out of it."""

    def __init__(self, embedder: Embedder | None, store: Store, clock: Clock) -> None:
        self.embedder = embedder
        self._store = store
        self._clock = clock
        self._space: Space | None = None

    def prepare(self, texts: Sequence[str]) -> Prepared:
        """Vectors for these texts, or the reason why they come later. Called outside any transaction."""
        if self.embedder is None:
            return Prepared(
                None, None, ("no embedder is configured: these records are found by their words only",), later=True
            )
        if not self.embedder.inline:
            return Prepared(
                None,
                None,
                (f"embedding with {self.embedder.name} is queued; until then found by words",),
                True,
            )
        try:
            found = self.embedder.embed(texts)
            space = self.space()
            return Prepared(space, [space.encode(vector) for vector in found], ())
        except ProviderError as error:
            return Prepared(
                None,
                None,
                (f"embedding failed ({error.code}) and is queued; until then found by words",),
                True,
            )

    def space(self) -> Space:
        """The embedder's space, made on first use."""
        if self._space is None:
            assert self.embedder is not None
            name, dimensions = self.embedder.name, self.embedder.dimensions
            self._space = self._store.write(lambda tx: vectors.ensure_space(tx, name, dimensions, at=self._clock()))
        return self._space

    def refresh(self) -> None:
        """Forget what was known of the space; its state changes when a migration ends."""
        self._space = None


class Prepared:
    """What `prepare` found: vectors to store with the records, or a job to queue with them."""

    __slots__ = ("data", "later", "missing", "space")

    def __init__(
        self, space: Space | None, data: list[bytes] | None, missing: tuple[str, ...], later: bool = False
    ) -> None:
        self.space, self.data, self.missing, self.later = space, data, missing, later

    def store(self, tx: Tx, pks: Sequence[int], *, now: int) -> None:
        """Inside the transaction of the records."""
        if self.space is not None and self.data is not None:
            vectors.put(tx, self.space, list(zip(pks, self.data, strict=True)))
        elif self.later:
            jobs.enqueue_once(tx, EMBED_JOB, now=now)

    def by_space(self) -> dict[int, bytes]:
        """The vector of a single text, for a revised record."""
        return {self.space.pk: self.data[0]} if self.space is not None and self.data else {}
