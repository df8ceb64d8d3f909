"""Calls into the memory from an event loop: they block, so each runs in a thread, and there are only so many.

Two lanes: what takes minutes (upkeep, exports) has threads of its own, so that no search waits behind it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextvars import copy_context
from typing import Any, TypeVar

from recollect.config.guarding import ServeSettings
from recollect.daemon_pool import DaemonPool
from recollect.errors import Interrupted, Overloaded

T = TypeVar("T")

LONG_THREADS, LONG_WAITING = 2, 6
_TOO_LONG = "this takes longer than serve.answer_timeout_s ({:g} s) and goes on; see what it did before you repeat it"
_STOPPING = "the server stops, and this was not done in time; see what it did before you repeat it"


class TookTooLong(TimeoutError):
    """A call that was given up on. It goes on by itself."""


class ThreadLane:
    """Some threads and a queue before them that has an end."""

    def __init__(self, name: str, threads: int) -> None:
        self._pool = DaemonPool(threads, name)
        self._threads = threads
        self._inside: set[asyncio.Future[Any]] = set()  # running or waiting to

    def begin(self, work: Callable[[], T], waiting_max: int) -> asyncio.Future[T]:
        """Have this done; `Overloaded` when too many wait already."""
        if len(self._inside) >= self._threads + waiting_max:
            raise Overloaded(f"{len(self._inside)} calls are under way; try again in a moment")
        future = asyncio.get_running_loop().run_in_executor(
            self._pool, copy_context().run, work
        )  # a trace goes on there
        self._inside.add(future)
        future.add_done_callback(self._left)
        return future

    def stop(self) -> None:
        """Nobody waits for anything here any more: callers are woken, and what has not begun never will."""
        for each in tuple(self._inside):
            each.cancel()
        self._pool.give_up()

    def close(self, seconds: float) -> None:
        self._pool.close(seconds)

    def _left(self, future: asyncio.Future[T]) -> None:
        self._inside.discard(future)
        if not future.cancelled():
            future.exception()  # one whose caller has gone is nobody's to raise


class Lanes:
    """The lanes of one server.

    A call that was begun is finished, even if its client has gone or gives up: closing waits for it, but not for ever.
    One that runs on, in a model that never answers say, finds the memory closed: what it writes is all there or not at
    all. Its thread ends with the process.
    """

    def __init__(self, settings: Callable[[], ServeSettings]) -> None:
        self._settings = settings
        self._quick = ThreadLane("recollect-serve", settings().threads)
        self._slow = ThreadLane("recollect-serve-long", LONG_THREADS)
        self._closes_by: float | None = None
        self.stopped = False

    async def run(self, work: Callable[[], T], *, long: bool = False, bounded: bool = True) -> T:
        """Do this in a thread. One that takes too long is given up on and ends by itself, unless not `bounded`."""
        if self.stopped:
            raise stopping()
        settings = self._settings()
        future = self._slow.begin(work, LONG_WAITING) if long else self._quick.begin(work, settings.waiting_max)
        try:
            if not bounded:
                return await asyncio.shield(future)
            try:
                async with asyncio.timeout(settings.answer_timeout_s):
                    return await asyncio.shield(future)
            except TimeoutError:
                raise TookTooLong(_TOO_LONG.format(settings.answer_timeout_s)) from None
        except asyncio.CancelledError:
            if self.stopped and future.cancelled():
                raise stopping() from None
            raise

    def drain(self) -> None:
        """From now on what runs has `serve.drain_s`."""
        self._closes_by = self._closes_by or time.monotonic() + self._settings().drain_s

    def stop(self) -> None:
        """In the loop: what runs has had its time. Whoever waits is told so (`Interrupted`)."""
        self.stopped = True
        self._quick.stop()
        self._slow.stop()

    def close(self, seconds: float | None = None) -> None:
        """Wait for what runs, so long or as long as it has been given; nothing new begins."""
        if seconds is None:
            self.drain()
        closes_by = time.monotonic() + seconds if seconds is not None else self._closes_by
        assert closes_by is not None
        for lane in (self._quick, self._slow):
            lane.close(max(0.0, closes_by - time.monotonic()))


def stopping() -> Interrupted:
    """What is said to whoever still waits when the server ends."""
    return Interrupted(_STOPPING)
