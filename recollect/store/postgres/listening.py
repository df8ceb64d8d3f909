"""Hearing that other processes have written, without asking again and again.

Whoever tells the change feed also sends a NOTIFY with the commit. A process listens on a connection of its own. That
needs a session: a pooler in transaction mode hands the connection to others and drops what arrives. So a listener first
sends itself a word over another connection; what does not arrive within two seconds is not relied on, and the feed is
asked at each look, as before.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from uuid import uuid4

import psycopg

from recollect.errors import RecollectError
from recollect.one_thread import OneThread
from recollect.store.base import Row
from recollect.store.postgres.connection import ServerOpening, connect

_log = logging.getLogger(__name__)
_TRIAL_S = 2.0
_SLICE_S = 0.5  # how long closing waits at most
_AGAIN_S = 30.0  # until the next attempt where nothing is heard
_LOOK_S = 10.0  # the feed is asked that often all the same


class WriteListener:
    """One thread that listens, from `start` on."""

    def __init__(self, opening: ServerOpening, ask: Callable[[str], object]) -> None:
        self._opening = opening
        self._ask = ask  # runs a statement on another connection
        self._stirred = threading.Event()
        self._closing = threading.Event()
        self._looked_at = float("-inf")
        self._thread = OneThread(self._run, "recollect-listener")
        self.hears = False

    def start(self) -> None:
        self._thread.begin()

    def close(self) -> None:
        self._closing.set()
        self._thread.end(2 * _SLICE_S)

    def stirred(self) -> bool:
        """Whether anybody may have written since this was last asked."""
        heard = self._stirred.is_set()
        if heard or not self.hears or time.monotonic() - self._looked_at >= _LOOK_S:
            self._stirred.clear()  # before the feed is read: what comes meanwhile is a word of its own
            self._looked_at = time.monotonic()
            return True
        return False

    def _run(self) -> None:
        while not self._closing.is_set():
            with suppress(psycopg.Error, RecollectError), connect(self._opening) as db:
                self._listen(db)
            self.hears = False
            self._closing.wait(_AGAIN_S)

    def _listen(self, db: psycopg.Connection[Row]) -> None:
        db.execute(f"LISTEN {self._opening.channel}")
        token = uuid4().hex
        self._ask(f"SELECT pg_notify('{self._opening.channel}', '{token}')")
        until = time.monotonic() + _TRIAL_S
        while not self._closing.is_set():
            for word in db.notifies(timeout=_SLICE_S, stop_after=1):
                self._stirred.set()
                if word.payload == token:
                    self.hears = True
            if not self.hears and time.monotonic() > until:
                _log.info("a pooler stands between: the change feed is asked instead of heard")
                return
