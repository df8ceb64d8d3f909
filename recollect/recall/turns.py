"""Searches of one process take turns.

A search is some four milliseconds of Python with a score of short calls into libraries, each of which lets go of the
interpreter. Where several searches run at once, every such call hands it to another thread and waits to get it back:
four searches at once took up to twice the CPU of four in a row, and no answer came sooner. So one works at a time.
It is a courtesy and guards nothing: who has waited long, because another waits for a model or a disk, goes ahead.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

WAIT_S = 0.2  # some forty searches


class Turns:
    """One at a time, as far as that takes no longer than `wait_s`."""

    def __init__(self, wait_s: float = WAIT_S) -> None:
        self._wait_s = wait_s
        self._taken = Lock()

    @contextmanager
    def one(self) -> Iterator[None]:
        """Wait for a turn, but not for ever."""
        mine = self._taken.acquire(timeout=self._wait_s)
        try:
            yield
        finally:
            if mine:
                self._taken.release()
