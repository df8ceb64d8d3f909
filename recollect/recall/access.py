"""Accesses are counted aside and written now and then, so that a read never waits for the writer."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress

from recollect.clock import Clock
from recollect.errors import RecollectError
from recollect.store.base import Store, Tx

_WAITING_MAX = 100_000  # distinct records; beyond that a flush is due at once
_FLUSH_AFTER_S = 2.0


class AccessLog:
    """How often records were returned since the last flush."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._counts: Counter[int] = Counter()
        self._lock = threading.Lock()
        self._since_us = clock()

    def note(self, pks: Iterable[int]) -> None:
        """Count one access each. Never touches the database."""
        with self._lock:
            self._counts.update(iter(pks))

    def flush_if_due(self) -> None:
        due = self._clock() - self._since_us >= _FLUSH_AFTER_S * 1e6 or len(self._counts) > _WAITING_MAX
        if self._counts and due:
            with suppress(RecollectError):  # a full disk or a long lock: the counts wait for the next time
                self.flush()

    def flush(self) -> None:
        """Write what was counted. Bookkeeping: neither a version nor an operation."""
        with self._lock:
            counts, self._counts = self._counts, Counter()
            self._since_us = self._clock()
        if not counts:
            return
        now = self._clock()

        def work(tx: Tx) -> None:
            tx.many(
                "UPDATE record SET access_count = access_count + ?, last_access = ? WHERE pk = ?",
                ((count, now, pk) for pk, count in counts.items()),
            )

        try:
            self._store.write(work)
        except RecollectError:
            with self._lock:
                self._counts.update(counts)
            raise
