"""Keeps the derived indexes in step with the tables.

At first they are cold: a thread fills them in portions while searches are answered from the disk. Once warm they
follow the change feed. A search brings them up to date itself when little has changed, other processes' writes
included, so what was just stored is found at once; after a bulk load the thread catches up and searches use the
disk meanwhile.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress

import numpy as np

from recollect.config import LiveConfig
from recollect.errors import ProviderError, RecollectError, StoreClosed, StoreError
from recollect.index.base import BackendChoice, GrowingVectors, Implementations, Pressure, VectorIndex
from recollect.index.columns import Columns
from recollect.index.forward import Forward
from recollect.index.graph import GraphIndex
from recollect.index.inside import DatabaseSearch
from recollect.index.load import chunks, edge_portion, merged, portion
from recollect.index.resident import release_free_memory
from recollect.index.snapshots import Snapshots
from recollect.outage import Outage
from recollect.store.base import Store, Tx
from recollect.store.changes import Change
from recollect.store.vectors import Space

_log = logging.getLogger(__name__)
_RETRY_S = 5.0
_WARM_DELAY_S = 0.2  # the first search of a short-lived process should not share the CPU with a warm-up
_CHANGES_PER_STEP = 10_000
_BULK_ROWS = 5_000
SMALL_ROWS = 1_000  # a store up to here is warmed by its first search
_TRIM_EVERY_S = 600.0
_WAIT_S = 0.05  # a search waits so long for another thread to finish bringing the indexes up to date
_TAIL_ROWS_MAX = 4_000  # vectors scanned before the graph; beyond that they are settled at once
_HOLD_AFTER_S, _HOLD_MAX_S = 0.3, 20.0


class _Closing(Exception):
    """Raised inside the thread to leave a long warm-up."""


class Indexes:
    """The derived indexes of one store."""

    def __init__(
        self, store: Store, config: LiveConfig, snapshots: Snapshots, implementations: Implementations
    ) -> None:
        self._store = store
        self._implementations = implementations
        self._config = config
        self._snapshots = snapshots
        self.inside = DatabaseSearch(store, config)
        self.columns = Columns()
        self.text = implementations.text(config.current.index)
        self.graph = GraphIndex()
        self.forward = Forward()
        self.vectors: dict[int, GrowingVectors] = {}
        self._views: dict[int, VectorIndex | None] = {}
        self._coming: dict[int, GrowingVectors] = {}  # indexes that are about to take the place of others
        self._leaving: list[GrowingVectors] = []  # and those whose last searches may still be under way
        self.pressure = Pressure.NORMAL
        self._read_share = 0.0
        self.outage: Outage[str] = Outage()  # vectors are not held as is set, or not at all
        self._doubt: ProviderError | None = None
        self._spaces: dict[int, Space] = {}
        self._watermark = 0
        self._warm = self._small = False
        self._erased = False
        self._stirred = True  # somebody may have written since the last look
        self._saved_at = 0
        self._committed_at = self._trimmed_at = self._hold_until = 0.0
        self._settle_at = 0.0  # not before: who holds vectors is away
        self._holds = 0
        self._held_since: float | None = None
        self._feeding = threading.RLock()  # one thread at a time changes the indexes
        self._closing = threading.Event()
        self._ticks: list[Callable[[], None]] = []
        self._thread = threading.Thread(target=self._follow, name="recollect-indexes", daemon=True)

    # --- what searches ask -------------------------------------------------------------------------------------

    @property
    def warm(self) -> bool:
        """Whether searches have all they need: indexes in memory, or a database that searches."""
        return self._warm or self.inside.ready

    def current(self) -> bool:
        """Bring the indexes up to date if that is quick. False: not warm yet or far behind; ask the database."""
        if self.inside.ready:
            return False
        if not self._warm and not self._warm_at_once():
            return False
        if self._store.change_seq() == self._watermark:
            return True
        if not self._feeding.acquire(timeout=_WAIT_S):
            return False  # a bulk load is being taken in; the disk knows it already
        try:
            return self._catch_up(rows_max=self._config.current.index.catch_up_rows)
        except _Closing:
            raise StoreClosed("this memory was closed while it was searched; open it again") from None
        except ProviderError as error:  # who holds the vectors does not answer
            self._let_vectors_go(error)
            return False
        except RecollectError:
            raise
        except Exception as error:  # a fault of ours: the disk answers, the thread makes new indexes
            _log.error("the indexes failed and start over: %s", type(error).__name__)
            self._start_over()
            return False
        finally:
            self._feeding.release()

    def doubted(self, error: ProviderError) -> None:
        """Somebody who searched got no answer of who holds the vectors: hold them here until there is one."""
        self._doubt = error

    def _warm_at_once(self) -> bool:
        """A small store is read in the time one search may take, so a command that asks once gets the full answer."""
        if not self._small:
            return False
        self._small = False  # one attempt; if it fails, the thread goes on trying
        self._warm_up()
        return self._warm

    @property
    def warm_percent(self) -> int:
        """How much of the tables the indexes have read since they began, 100 once searches use them."""
        return 100 if self.warm else min(99, int(100 * self._read_share))

    def spaces(self) -> list[Space]:
        """The spaces whose vectors are held."""
        return list(self._spaces.values())

    def behind(self) -> int:
        """Entries of the feed not applied yet."""
        if self.inside.ready:
            return self.inside.behind()
        return max(0, self._store.change_seq() - self._watermark)

    def view(self, space: Space) -> VectorIndex | None:
        """The saved vectors of a space, for searches before the index is warm."""
        if self._warm:
            return None
        if space.pk not in self._views:
            found = self._snapshots.view(space)
            self._views[space.pk] = found[0] if found else None
        return self._views[space.pk]

    def empty(self, space: Space) -> GrowingVectors:
        """An index for vectors of a space that holds none yet."""
        backends = self._implementations.vectors
        choice = backends.choose(space.name, rows=0, pressure=self.pressure)
        return backends.make(choice, space.name, space.dimensions)

    # --- life --------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to follow in the background."""
        self._store.listen()
        self._thread.start()

    def look(self) -> None:
        """See how much there is: an empty store is warm at once, a small one is read by its first search.

        Where the database is to search, it is asked whether it can; what that takes is done by the thread.
        """
        with self._store.read() as tx:
            last_pk = tx.candidates.last_pk()
            self._small = last_pk <= SMALL_ROWS
            if not tx.indexed.any_record():
                self._watermark = tx.changes.newest()
                self._warm = True
        if not self._warm or self._small:
            self.inside.step(last_pk, lambda: self._small)

    def read_up(self) -> None:
        """Where no thread follows, read now whatever there is to read, however much that is."""
        if self._thread.is_alive() or self.inside.ready:
            return
        if not self._warm:
            self._warm_up()
            return
        with self._feeding:
            self._catch_up(rows_max=None)

    @contextmanager
    def hold(self) -> Iterator[None]:
        """While many rows are being prepared and stored, let the thread wait: it would only take turns with them."""
        self._holds += 1
        try:
            yield
        finally:
            self._holds -= 1
            self._hold_until = time.monotonic() + _HOLD_AFTER_S

    @property
    def held(self) -> bool:
        """Whether much is being stored right now."""
        return self._holds > 0

    def each_tick(self, call: Callable[[], None]) -> None:
        """Have something small done by the thread now and then."""
        self._ticks.append(call)

    def relieve(self) -> None:
        """Give back memory that can be had again: what was read of files."""
        for index in list(self.vectors.values()):
            index.relieve()

    def forget_snapshots(self) -> None:
        """After an erasure: no file may keep what was erased, and none is written from this process any more."""
        self._erased = True
        self._snapshots.forget()

    def leave_files(self) -> None:
        """Before the store is encrypted: let go of its vector files, which are about to be wiped, and write no more."""
        with self._feeding:
            self._snapshots.leave()
            self._implementations.vectors.leave_files()
            self._close_views()
            if not all(index.small for index in self.vectors.values()):
                self._start_over()  # rows may lie in files

    def close(self) -> None:
        if self._closing.is_set():
            return
        fresh = False
        with suppress(RecollectError):  # a store that cannot be read now is closed all the same
            fresh = self._warm and self.current()
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join()
        with self._feeding:
            with suppress(RecollectError):
                if fresh and self._store.change_seq() == self._watermark:  # else it might keep what others erased
                    self._save_snapshots()
            self.text.close()
            for index in [*self.vectors.values(), *self._leaving]:
                index.close()
            self._close_views()

    # --- the thread --------------------------------------------------------------------------------------------

    def _follow(self) -> None:
        pause = 0.0 if self._warm else _WARM_DELAY_S
        while not self._closing.wait(pause):
            pause = self._config.current.index.poll_interval_s
            self._stirred = self._store.stirred() or self._stirred
            try:
                if (doubt := self._doubt) is not None:
                    raise doubt
                self._search_inside()
                if self._warm or self.inside.ready:
                    self._step()
                else:
                    self._warm_up()
            except (_Closing, StoreClosed):
                return
            except ProviderError as error:
                with self._feeding:
                    self._let_vectors_go(error)
            except RecollectError as error:  # searches go on from the disk; what passes is tried again
                pause = _RETRY_S
                _log.error("the indexes could not follow, the next attempt is in %g s: %s", pause, error.code)
            except Exception as error:  # a fault of ours: the tables are whole, so the indexes are made anew
                pause = _RETRY_S
                _log.error("the indexes failed and start over: %s", type(error).__name__)
                with self._feeding:
                    self._start_over()

    def _search_inside(self) -> None:
        """Have the database ready where it is to search; what is held in memory goes then."""
        if not self.inside.possible or not (self._stirred or self.inside.trouble):
            return
        with self._store.read() as tx:
            last_pk = tx.candidates.last_pk()
        self.inside.step(last_pk, lambda: not self._closing.is_set())
        if self.inside.ready and self._warm:
            with self._feeding:
                self._start_over()
            release_free_memory()

    def _step(self) -> None:
        if self._warm:
            self._take_in()
        else:
            self._stirred = False
        if time.monotonic() - self._trimmed_at >= _TRIM_EVERY_S:
            self._trim_feed()
        for call in self._ticks:
            call()
        if self._warm:
            self._reconsider()

    def _take_in(self) -> None:
        """What changed, into the indexes in memory."""
        if self._stirred and self._store.change_seq() == self._watermark:
            self._stirred = False
        elif self._stirred and not self._held():
            with self._feeding:
                before = self.columns.count()
                self._stirred = not self._catch_up(rows_max=None)
                if self.columns.count() - before >= _BULK_ROWS:
                    self.text.commit()
                    release_free_memory()
        self._settle_all()
        if time.monotonic() - self._committed_at >= self._config.current.index.commit_interval_s:
            with self._feeding:
                self.text.commit()
            self._committed_at = time.monotonic()

    def _held(self) -> bool:
        """Whether to leave the processor to a bulk load; not for ever."""
        if not self._holds and time.monotonic() >= self._hold_until:
            self._held_since = None
            return False
        self._held_since = self._held_since or time.monotonic()
        return time.monotonic() - self._held_since < _HOLD_MAX_S

    def _settle(self, indexes: Iterable[GrowingVectors]) -> None:
        """Move the newest vectors into their back ends, a few at a time, so that no search waits long for its turn."""
        for index in indexes:
            while index.unsettled() and not self._closing.is_set():
                with self._feeding:
                    index.settle(index.portion)

    def _settle_all(self) -> None:
        """The same with all that is held. What has no back end yet, since who holds it is away, stays in memory."""
        if time.monotonic() < self._settle_at:
            return
        for index in list(self.vectors.values()):
            try:
                self._settle([index])
            except ProviderError as error:
                if not index.small:
                    raise
                self._left_in_memory(error)

    def _left_in_memory(self, error: ProviderError) -> None:
        self.outage.begins(f"[{error.code}] {error.message}")
        self._settle_at = time.monotonic() + _RETRY_S

    def _reconsider(self) -> None:
        """Hold the vectors of each space as is set, or as suits their number, use and the memory there is, by now."""
        while self._leaving:
            self._leaving.pop().close()
        trouble = ""
        for space in self.spaces():
            index = self.vectors[space.pk]
            try:
                wanted = self._implementations.vectors.choose(
                    space.name,
                    rows=index.count(),
                    searches=index.searches,
                    pressure=self.pressure,
                    now=index.choice,
                )
                if wanted != index.choice:
                    self._exchange(space, index, wanted)
            except (StoreError, StoreClosed):
                raise
            except RecollectError as error:  # as it was is better than not at all
                trouble = f"[{error.code}] vectors of {space.name} stay in {index.choice}: {error.message}"
        if trouble:
            self.outage.begins(trouble)
        elif time.monotonic() >= self._settle_at:
            self.outage.ends()

    def _exchange(self, space: Space, index: GrowingVectors, wanted: BackendChoice) -> None:
        """Fill another index from the tables while the old one is searched and kept up to date, then swap them."""
        fresh = self._implementations.vectors.make(wanted, space.name, space.dimensions)
        with self._store.read() as tx:
            last_pk = tx.candidates.last_pk()
        self._coming[space.pk] = fresh
        try:
            for first, last in chunks([(1, last_pk)]):
                self._check_closing()
                with self._feeding:
                    self._fill_vectors(space, [(first, last)], [fresh])
                if self._store.change_seq() != self._watermark:
                    with self._feeding:
                        self._catch_up(rows_max=None)
            self._settle([fresh])
            with self._feeding:
                if self.vectors.get(space.pk) is not index:  # all of them were thrown away meanwhile
                    return
                self.vectors[space.pk] = fresh
                self._leaving.append(index)
                self._saved_at = 0
            fresh.relieve()
        finally:
            del self._coming[space.pk]
        release_free_memory()

    def _warm_up(self) -> None:
        """Fill everything from the tables, a portion at a time, each in its own short read."""
        with self._store.read() as tx:
            seq = tx.changes.newest()
            last_pk = tx.candidates.last_pk()
            last_edge = tx.indexed.last_edge()
        with self._feeding:
            if self._warm:  # another thread was quicker
                return
            marks = self._load_spaces(seq)
            for first, last in chunks([(1, last_pk)]):
                self._check_closing()
                self._read_share = first / max(1, last_pk)
                with self._store.read() as tx:
                    part = portion(tx, first, last)
                self.columns.apply(part.columns, part.gone)  # gone since an earlier attempt that failed
                self.text.apply(part.texts, part.gone)
                self.forward.apply(part.forward, part.gone)
            self.text.commit()
            self._fill_graph([(1, last_edge)])
            for space in self._spaces.values():
                if space.pk in marks:
                    self._refresh_vectors(space, marks[space.pk])
                else:
                    self._fill_vectors(space, [(1, last_pk)])
            self._watermark = seq
            whole = all(pk in marks or self.vectors[pk].small for pk in self._spaces)
            self._saved_at = seq if whole else 0  # else closing writes the file that was missing or of no use
            self._warm = True
            self._close_views()
            self.relieve()
        release_free_memory()

    def _load_spaces(self, seq: int) -> dict[int, int]:
        """Open what was saved; watermarks by space. A file older than the feed or newer than the tables is unusable."""
        marks: dict[int, int] = {}
        with self._store.read() as tx:
            oldest = tx.changes.oldest()
            known = tx.vectors.spaces()
        for space in known:
            self._index_of(space)
            found = self._snapshots.load(space)
            if found and oldest - 1 <= found[1].watermark <= seq:
                self.vectors[space.pk] = found[0]
                marks[space.pk] = found[1].watermark
        return marks

    def _refresh_vectors(self, space: Space, since: int) -> None:
        """Bring a loaded index from its watermark to now."""
        while True:
            with self._store.read() as tx:
                entries = tx.changes.since(since, _CHANGES_PER_STEP)
            if not entries:
                return
            spans = [(c.first_pk, c.last_pk) for c in entries if c.topic == "record" or c.space_pk == space.pk]
            self._fill_vectors(space, merged(spans))
            since = entries[-1].seq

    def _fill_vectors(
        self, space: Space, spans: Iterable[tuple[int, int]], into: Sequence[GrowingVectors] = ()
    ) -> None:
        """Apply what the tables hold for these keys to the space's index, and to the one that is to follow it."""
        indexes = into or [self._index_of(space), *([self._coming[space.pk]] if space.pk in self._coming else [])]
        for first, last in chunks(spans):
            self._check_closing()
            with self._store.read() as tx:
                pks, data = tx.vectors.load_span(space, first, last)
            gone = np.setdiff1d(np.arange(first, last + 1), pks, assume_unique=True)
            for index in indexes:
                index.apply((pks, data), gone.tolist() if index.count() else [])
                if index.unsettled() >= _TAIL_ROWS_MAX and time.monotonic() >= self._settle_at:
                    try:
                        index.settle()
                    except ProviderError as error:
                        if into or not index.small:
                            raise
                        self._left_in_memory(error)

    def _fill_graph(self, spans: Iterable[tuple[int, int]]) -> None:
        for first, last in chunks(spans):
            self._check_closing()
            with self._store.read() as tx:
                rows, gone = edge_portion(tx, first, last)
            self.graph.apply(rows, gone)

    def _close_views(self) -> None:
        """The files of the last run are mapped memory; a search still in one of them just finds nothing there."""
        while self._views:
            view = self._views.popitem()[1]
            if view is not None:
                view.close()

    def _check_closing(self) -> None:
        if self._closing.is_set():
            raise _Closing

    # --- following the feed ------------------------------------------------------------------------------------

    def _catch_up(self, *, rows_max: int | None) -> bool:
        """Apply what is new. With a bound, only if it is within it; True when nothing is left."""
        while True:
            with self._store.read() as tx:
                entries = tx.changes.since(self._watermark, _CHANGES_PER_STEP)
                lost = bool(entries) and tx.changes.oldest() > self._watermark + 1
            if not entries:
                return True
            if lost:  # the feed was trimmed past us: only a fresh start knows everything
                self._start_over()
                return False
            if rows_max is not None and sum(c.last_pk - c.first_pk + 1 for c in entries) > rows_max:
                return False
            self._apply(entries)
            self._watermark = entries[-1].seq
            if len(entries) < _CHANGES_PER_STEP and rows_max is not None:
                return True

    def _let_vectors_go(self, error: ProviderError) -> None:
        """Who holds vectors for us is away: start over with indexes of our own, until it is there again."""
        _log.error("vectors cannot be had (%s), the indexes start over in memory", error.code)
        self.outage.begins(f"[{error.code}] {error.message}")
        self._doubt = None
        self._settle_at = time.monotonic() + _RETRY_S
        self._start_over()

    def _start_over(self) -> None:
        """Throw the indexes away; the thread fills new ones while searches ask the disk."""
        self._warm = False  # searches that still hold the old ones finish with them, so they are not closed here
        self.columns, self.graph, self.forward = Columns(), GraphIndex(), Forward()
        self.text = self._implementations.text(self._config.current.index)
        self.vectors, self._spaces = {}, {}

    def _trim_feed(self) -> None:
        """Forget changes that every index has long seen; one that was away for longer starts over."""
        keep = self._config.current.store.change_feed_max
        with self._store.read() as tx:
            surplus = tx.changes.newest() - tx.changes.oldest() - keep
        if surplus > keep // 10:
            self._store.write(lambda tx: tx.changes.trim(keep))
        self._trimmed_at = time.monotonic()

    def _apply(self, entries: Sequence[Change]) -> None:
        touched = merged((c.first_pk, c.last_pk) for c in entries if c.topic == "record")
        for first, last in chunks(touched):
            with self._store.read() as tx:
                part = portion(tx, first, last)
                self._note_erasures(tx, part.gone)
            self.columns.apply(part.columns, part.gone)
            self.text.apply(part.texts, part.gone)
            self.forward.apply(part.forward, part.gone)
        self._fill_graph(merged((c.first_pk, c.last_pk) for c in entries if c.topic == "edge"))
        with self._store.read() as tx:
            known = tx.vectors.spaces()
        self._forget_spaces({space.pk for space in known})
        for space in known:
            own = [(c.first_pk, c.last_pk) for c in entries if c.topic == "vector" and c.space_pk == space.pk]
            self._fill_vectors(space, merged([*touched, *own]))

    def _note_erasures(self, tx: Tx, gone: list[int]) -> None:
        """Rows that are not even retired were erased: their vectors must not reach a file."""
        if gone and not self._erased:
            self._erased = tx.indexed.kept(gone) < len(gone)

    def _index_of(self, space: Space) -> GrowingVectors:
        self._spaces[space.pk] = space
        if space.pk not in self.vectors:
            self.vectors[space.pk] = self.empty(space)
        return self.vectors[space.pk]

    def _forget_spaces(self, known: set[int]) -> None:
        for pk in self._spaces.keys() - known:
            self._spaces.pop(pk)
            self.vectors.pop(pk).close()

    def _save_snapshots(self) -> None:
        if not self._warm or self._erased or self._watermark == self._saved_at:
            return
        for space in self._spaces.values():
            self._snapshots.save(space, self.vectors[space.pk], self._watermark)
        self._saved_at = self._watermark
