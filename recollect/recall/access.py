"""Accesses are counted aside and written now and then, so that a read never waits for the writer."""

from __future__ import annotations

import hashlib
import threading
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress

from recollect.clock import DAY_US, Clock
from recollect.errors import RecollectError
from recollect.store.base import Store, Tx

_WAITING_MAX = 100_000  # distinct records, or records in sessions; beyond that a flush is due at once
_FLUSH_AFTER_S = 2.0
_SESSION_DAYS = 30  # a session that comes back after more than that counts as another


class AccessLog:
    """How often records were returned since the last flush, and in which sessions."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._counts: Counter[int] = Counter()
        self._sessions: set[tuple[int, int]] = set()  # (record, hash of the session)
        self._lock = threading.Lock()
        self._since_us = clock()

    def note(self, pks: Iterable[int], session: str | None = None) -> None:
        """Count one access each, asked for in a session if that is known. Never touches the database."""
        keys = list(pks)
        with self._lock:
            self._counts.update(keys)
            if session is not None:
                token = session_hash(session)
                self._sessions.update((pk, token) for pk in keys)

    def flush_if_due(self) -> None:
        waiting = max(len(self._counts), len(self._sessions))
        due = self._clock() - self._since_us >= _FLUSH_AFTER_S * 1e6 or waiting > _WAITING_MAX
        if self._counts and due:
            with suppress(RecollectError):  # a full disk or a long lock: the counts wait for the next time
                self.flush()

    def flush(self) -> None:
        """Write what was counted. Bookkeeping: neither a version nor an operation."""
        with self._lock:
            counts, self._counts = self._counts, Counter()
            sessions, self._sessions = self._sessions, set()
            self._since_us = self._clock()
        if not counts:
            return
        now = self._clock()

        def work(tx: Tx) -> None:
            tx.accesses.count(counts, now=now)
            if sessions:
                tx.accesses.count_sessions(sessions, now=now, since=now - _SESSION_DAYS * DAY_US)

        try:
            self._store.write(work)
        except RecollectError:
            with self._lock:
                self._counts.update(counts)
                self._sessions |= sessions
            raise


def session_hash(session: str) -> int:
    """A session's name as a number: the name itself is not kept."""
    digest = hashlib.blake2b(session.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)
