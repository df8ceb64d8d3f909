"""Vectors for records that have none yet: queued ones, and whole stores that move to another model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise

import numpy as np

from recollect.clock import Clock
from recollect.config import LiveConfig
from recollect.ingest.embedding import EMBED_JOB, Embedding, HiddenVectors, is_prompt, store_hidden
from recollect.language.packed import packed_sentences
from recollect.model.columns import SealedBox
from recollect.model.result import Report
from recollect.providers.base import Embedder, Vectors
from recollect.store.base import Store, Tx
from recollect.store.jobs import Job
from recollect.store.vectors import Space
from recollect.upkeep.jobs.worker import Progress

# Told of texts that have vectors now: the model, (key, text) of each record, its parts, and the vectors of all texts
# and then of all parts.
Look = Callable[[Embedder, Sequence[tuple[int, str]], Sequence[Sequence[str]], Vectors], None]
PORTION_TEXTS, PORTION_CHARS = 32, 16_000  # of a model in this process: a quarter of a second, then callers come first


class Backfill:
    """Fills the spaces of a store's embedders. When they hold everything, they are active and all others retire."""

    def __init__(
        self,
        store: Store,
        embedding: Embedding,
        config: LiveConfig,
        clock: Clock,
        rest: Callable[[], None] = lambda: None,
        look: Look = lambda model, batch, parts, vectors: None,
        spoken: Callable[[Sequence[SealedBox]], list[SealedBox]] = list,
    ) -> None:
        self._spoken = spoken  # boxes of withheld texts with what these are found by; without a key, none
        self._look = look  # at texts and what they mean, for whoever judges them by that
        self._store = store
        self._embedding = embedding
        self._config = config
        self._clock = clock
        self._rest = rest  # makes way for callers, between two portions

    def run(self, job: Job, progress: Progress) -> None:
        """The handler of `embed` jobs: until no live record is without a vector. Stops early when told to.

        A job that names a key looks at the records from there on: with 100,000 stored, a look at all takes longer than
        the vector of a new one.
        """
        for model in self._embedding.models:
            self._fill(model, int(job.payload.get("from_pk", 0)) - 1, progress)
        self._fill_withheld()
        self._promote()

    def _fill_withheld(self) -> None:
        """Vectors of withheld texts: they are made when the texts come, and here for a model that came later."""
        for space in [self._space(model) for model in self._embedding.here]:
            while True:
                with self._store.read() as tx:
                    boxes = tx.sealed.without_vector(space, limit=PORTION_TEXTS) if tx.sealed.any() else []
                hidden = self._embedding.withheld(self._spoken(boxes))
                if not hidden:
                    break
                self._store.write(partial(_keep_hidden, hidden, self._clock()))

    def _fill(self, model: Embedder, after: int, progress: Progress) -> None:
        space = self._space(model)
        limit = self._portion(model)
        have = total = done = 0
        while True:
            with self._store.read() as tx:
                batch = tx.vectors.without_vector(space, limit=limit, after_pk=after)
                if not done and len(batch) == limit:  # it takes a while: how far it is will be asked
                    have, total = tx.vectors.coverage(space)
            if not batch:
                return
            if done:
                self._rest()
                if not progress(min(1.0, (have + done) / max(1, total))):
                    raise InterruptedError("stopped before the end")
            batch = _within(batch, PORTION_CHARS) if is_prompt(model) else batch
            self._embed(model, space, batch)
            after, done = batch[-1][0], done + len(batch)

    def _portion(self, model: Embedder) -> int:
        most = self._config.current.embedding.batch
        return min(most, PORTION_TEXTS) if is_prompt(model) else most

    def _space(self, model: Embedder) -> Space:
        """The model's space. Nearly always it is there: a look costs no commit.

        The model is asked for its dimensions before: inside a transaction, one that hangs would hold up all writes.
        """
        dimensions = model.dimensions
        with self._store.read() as tx:
            found = tx.vectors.find_space(model.name)
        if found is not None and found.state != "retired" and found.dimensions == dimensions:
            return found
        return self._store.write(lambda tx: tx.vectors.ensure_space(model.name, dimensions, at=self._clock()))

    def _embed(self, model: Embedder, space: Space, batch: list[tuple[int, str]]) -> None:
        parts = [packed_sentences(content) if is_prompt(model) else [] for _, content in batch]
        made = model.embed([content for _, content in batch] + [part for each in parts for part in each])
        stored = space.encode_all(made[: len(batch)])
        ends = np.cumsum([len(batch), *map(len, parts)])
        of_parts = {
            pk: space.encode_sentences(made[start:end])
            for (pk, _), (start, end) in zip(batch, pairwise(ends), strict=True)
            if end > start
        }
        encoded = {pk: (content, data) for (pk, content), data in zip(batch, stored, strict=True)}

        def work(tx: Tx) -> None:
            """A record revised or deleted meanwhile is left for the next round: its text is another."""
            there = tx.records.live_contents(encoded)
            rows = [(pk, encoded[pk][1]) for pk, text in there.items() if encoded[pk][0] == text]
            tx.vectors.put(space, rows, sentences=of_parts if is_prompt(model) else None)

        self._store.write(work)
        self._look(model, batch, parts, made)

    def _promote(self) -> None:
        """Make the spaces active when they hold everything; nearly always they are."""
        names = {model.name for model in self._embedding.models}
        with self._store.read() as tx:
            states = [space.state for space in tx.vectors.spaces() if space.name in names]
        if "building" not in states:
            return
        dimensions = {model.name: model.dimensions for model in self._embedding.models}

        def work(tx: Tx) -> None:
            mine = [tx.vectors.ensure_space(*each, at=self._clock()) for each in dimensions.items()]
            if not any(tx.vectors.without_vector(space, limit=1) for space in mine):
                tx.vectors.promote(*(space.pk for space in mine))

        self._store.write(work)

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
        """Queue the job for a store that was filled when only one of its two models was in use.

        So it was before a quick model was kept beside the configured one, and before the encoder shipped. A store of
        another model is left alone: moving it may cost money, so it takes `reembed`.
        """
        if len(self._embedding.models) < 2:
            return
        beside, configured = self._embedding.models
        with self._store.read() as tx:
            held = {space.name: space.state for space in tx.vectors.spaces()}
            waiting = tx.jobs.waiting(EMBED_JOB)
        active = {name for name, state in held.items() if state == "active"}
        follows = is_prompt(configured) and active == {beside.name}
        if not waiting and ((configured.name in active and beside.name not in active) or follows):
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


def _keep_hidden(hidden: Sequence[HiddenVectors], now: int, tx: Tx) -> None:
    there = tx.sealed.load([ref for each in hidden for ref in each.refs])  # others were erased meanwhile
    store_hidden(tx, hidden, now=now, among=there)


def _within(batch: list[tuple[int, str]], chars_max: int) -> list[tuple[int, str]]:
    """As many of the first texts as have so many characters together, one at least."""
    ends = np.cumsum([len(content) for _, content in batch])
    return batch[: max(1, int(np.searchsorted(ends, chars_max, side="right")))]
