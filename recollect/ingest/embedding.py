"""The embedders' place in the write path: vectors at once where that is quick, a job where it is not."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple

from recollect.errors import ProviderError
from recollect.language.terms import is_withheld
from recollect.model.columns import SealedBox
from recollect.providers.base import Embedder, Vectors
from recollect.store import jobs
from recollect.store.base import Store, Tx
from recollect.store.journal import Op

EMBED_JOB = jobs.EMBED
NO_BOXES: Mapping[int, SealedBox] = MappingProxyType({})


class Embedding:
    """Knows the embedders of a store and their spaces in it. Without any it says so and stays out of it.

    `embedder` is the configured one. `beside` is a quick model kept next to a slow one: it finds a record by meaning
    while the slow one is still to come, and is weighed beside it afterwards.
    """

    def __init__(
        self,
        embedder: Embedder | None,
        store: Store,
        beside: Embedder | None = None,
        turned: Callable[[Vectors], Vectors] | None = None,
    ) -> None:
        self._turned = turned  # by a key: vectors of what is withheld
        self.embedder = embedder
        self.beside = beside
        self.models = tuple(model for model in (beside, embedder) if model is not None)
        self.later = any(not model.inline for model in self.models)  # whether vectors follow in the background
        self._store = store
        self._checked: set[str] = set()

    @property
    def here(self) -> tuple[Embedder, ...]:
        """The models that run in this process: no other one is told what is withheld."""
        return tuple(model for model in self.models if model.inline or is_prompt(model))

    def withheld(self, boxes: Sequence[SealedBox]) -> tuple[HiddenVectors, ...]:
        """Vectors for texts that are withheld, by what may be said of them. At once: they are few."""
        if not boxes or self._turned is None:
            return ()
        made = []
        for model in self.here:
            with suppress(ProviderError):  # the record is there, and found by its id
                vectors = self._turned(model.embed([box.spoken for box in boxes]))
                made.append(HiddenVectors(model, tuple(box.ref for box in boxes), vectors))
        return tuple(made)

    def prepare(self, texts: Sequence[str], boxes: Mapping[int, SealedBox] = NO_BOXES) -> Prepared:
        """Vectors for these texts, or the reason why they come later. Outside any transaction; writes nothing.

        `boxes` are what is sealed of texts, by position: of one that is withheld, the box is what has a vector.
        """
        if self.embedder is None:
            return Prepared(missing=("no embedder is configured: these records are found by their words only",))
        made: list[tuple[Embedder, Vectors]] = []
        missing: list[str] = []
        for model in self.models:
            if is_prompt(model) and made:  # a moment later; until then the vector beside it finds the record
                continue
            if not model.inline:
                missing.append(f"embedding with {model.name} is queued; until then found {_found_by(made)}")
                continue
            try:
                self._check_dimensions(model)
                made.append((model, model.embed(texts)))
            except ProviderError as error:
                missing.append(f"embedding failed ({error.code}) and is queued; until then found by words")
        unsaid = {at: boxes.get(at) for at, text in enumerate(texts) if is_withheld(text)}
        return Prepared(
            made=tuple(made),
            complete=not (missing or self.later),
            missing=tuple(missing),
            unsaid=unsaid,
            hidden=self.withheld([box for box in unsaid.values() if box is not None]),
        )

    def _check_dimensions(self, model: Embedder) -> None:
        """Once: neither the model nor what the store has of it changes while both are open."""
        if model.name not in self._checked:
            dimensions = model.dimensions
            with self._store.read() as tx:
                tx.vectors.check_dimensions(model.name, dimensions)
            self._checked.add(model.name)


def is_prompt(model: Embedder) -> bool:
    """Whether a model runs in this process, in milliseconds: a record has its vector a moment after it is stored.

    Such a model is asked sentence by sentence too.
    """
    return not model.inline and bool(getattr(model, "local", False))


def _found_by(made: Sequence[tuple[Embedder, Vectors]]) -> str:
    return f"by words and {made[0][0].name}" if made else "by words"


class HiddenVectors(NamedTuple):
    """Vectors of texts that are withheld, by one model, turned by a key; and the boxes they belong to."""

    model: Embedder
    refs: tuple[int, ...]
    vectors: Vectors


def store_hidden(tx: Tx, hidden: Iterable[HiddenVectors], *, now: int, among: Container[int] | None = None) -> None:
    """Keep vectors of withheld texts whose boxes are stored: of all of these, or of those `among` them."""
    for model, refs, vectors in hidden:
        space = tx.vectors.ensure_space(model.name, vectors.shape[1], at=now)
        each = zip(refs, space.encode_all(vectors), strict=True)
        tx.sealed.put_vectors(space, [(ref, data) for ref, data in each if among is None or ref in among])


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """What `prepare` found: vectors to store with the records; unless they are complete, a job brings the rest."""

    made: tuple[tuple[Embedder, Vectors], ...] = ()
    complete: bool = False
    missing: tuple[str, ...] = ()
    unsaid: Mapping[int, SealedBox | None] = field(default_factory=dict)  # by position: withheld, without a vector …
    hidden: tuple[HiddenVectors, ...] = ()  # … but for these, of their boxes

    def part(self, positions: Sequence[int]) -> Prepared:
        """What was found for some of the texts."""
        unsaid = {to: self.unsaid[at] for to, at in enumerate(positions) if at in self.unsaid}
        return replace(self, made=tuple((model, found[list(positions)]) for model, found in self.made), unsaid=unsaid)

    def store(self, tx: Tx, pks: Sequence[int], *, now: int) -> None:
        """Inside the transaction of the records, where no model is asked: one that hangs would hold up all writes."""
        for model, found in self.made:
            space = tx.vectors.ensure_space(model.name, found.shape[1], at=now)
            encoded = enumerate(zip(pks, space.encode_all(found), strict=True))
            rows = [each for at, each in encoded if at not in self.unsaid]
            tx.vectors.put(space, rows, announce=False)  # who follows the feed looks for vectors of new records too
        self.store_hidden(tx, now)
        self._queue_rest(tx, pks, now)

    def store_hidden(self, tx: Tx, now: int) -> None:
        """Once the boxes are stored: the vectors of what is withheld."""
        wanted = {box.ref for box in self.unsaid.values() if box is not None}
        store_hidden(tx, self.hidden if wanted else (), now=now, among=wanted)

    def replace(self, tx: Tx, op: Op, pk: int) -> None:
        """Inside the transaction that revises a record: the new text's vectors for the old one's."""
        new: dict[int, bytes] = {}
        for model, found in self.made if 0 not in self.unsaid else ():
            space = tx.vectors.ensure_space(model.name, found.shape[1], at=op.at)
            new[space.pk] = space.encode_all(found)[0]
        tx.vectors.replace(op, pk, new)
        self._queue_rest(tx, [pk], op.at)

    def _queue_rest(self, tx: Tx, pks: Sequence[int], now: int) -> None:
        if not self.complete and pks:
            tx.jobs.enqueue_from(EMBED_JOB, min(pks), now=now)
