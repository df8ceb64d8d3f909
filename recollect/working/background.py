"""One thread for what may be done ahead: searches nobody has asked for yet, the scale of a slow embedder.

It serves all minds of a process. It is a daemon, begun when there is work and gone when there was none for a while.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from queue import Empty, Full, Queue
from threading import Lock, Thread

_log = logging.getLogger(__name__)
_WAITING_MAX = 64  # one more is not done
_IDLE_S = 30.0


class Background:
    """Work in the order it was given, by one thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._queue: Queue[Callable[[], object]] = Queue(_WAITING_MAX)
        self._thread: Thread | None = None
        self._pid = os.getpid()

    def submit(self, work: Callable[[], object]) -> bool:
        """Have something done; False when too much is waiting."""
        with self._lock:
            if self._pid != os.getpid():  # after a fork the parent's thread is not here
                self._queue, self._thread, self._pid = Queue(_WAITING_MAX), None, os.getpid()
            try:
                self._queue.put_nowait(work)
            except Full:
                return False
            if self._thread is None:
                self._thread = Thread(target=self._serve, name="recollect-anticipate", daemon=True)
                self._thread.start()
        return True

    def _serve(self) -> None:
        while True:
            try:
                work = self._queue.get(timeout=_IDLE_S)
            except Empty:
                with self._lock:
                    if self._queue.empty():
                        self._thread = None
                        return
                continue
            quietly(work)


def quietly(work: Callable[[], object]) -> None:
    """What could not be done ahead is done when it is asked for: its errors concern nobody."""
    try:
        work()
    except Exception as error:
        _log.debug("not done ahead: %s", type(error).__name__)


background = Background()
