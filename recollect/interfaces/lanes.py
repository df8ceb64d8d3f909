"""Calls into the memory from an event loop: they block, so each runs in a thread, and there are only so many.

Two lanes: what takes minutes (upkeep, exports) has threads of its own, so that no search waits behind it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

from recollect.config.guarding import ServeSettings
from recollect.errors import Overloaded

T = TypeVar("T")

LONG_THREADS, LONG_WAITING = 2, 6
_TOO_LONG = "this takes longer than serve.answer_timeout_s ({:g} s) and goes on; see what it did before you repeat it"


class TookTooLong(TimeoutError):
    """A call that was given up on. It goes on by itself."""


class ThreadLane:
    """Some threads and a queue before them that has an end."""

    def __init__(self, name: str, threads: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._threads = threads
        self._inside = 0  # running or waiting to

    def begin(self, work: Callable[[], T], waiting_max: int) -> asyncio.Future[T]:
        """Have this done; `Overloaded` when too many wait already."""
        if self._inside >= self._threads + waiting_max:
            raise Overloaded(f"{self._inside} calls are under way; try again in a moment")
        self._inside += 1
        future = asyncio.get_running_loop().run_in_executor(
            self._pool, copy_context().run, work
        )  # a trace goes on there
        future.add_done_callback(self._left)
        return future

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _left(self, future: asyncio.Future[T]) -> None:
        self._inside -= 1
        if not future.cancelled():
            future.exception()  # one whose caller has gone is nobody's to raise


class Lanes:
    """The lanes of one server.

    A call that was begun is finished, even if its client has gone or gives up: what it writes is all there or not at
    all, and closing waits for it.
    """

    def __init__(self, settings: Callable[[], ServeSettings]) -> None:
        self._settings = settings
        self._quick = ThreadLane("recollect-serve", settings().threads)
        self._slow = ThreadLane("recollect-serve-long", LONG_THREADS)

    async def run(self, work: Callable[[], T], *, long: bool = False, bounded: bool = True) -> T:
        """Do this in a thread. One that takes too long is given up on and ends by itself, unless not `bounded`."""
        settings = self._settings()
        future = self._slow.begin(work, LONG_WAITING) if long else self._quick.begin(work, settings.waiting_max)
        if not bounded:
            return await asyncio.shield(future)
        try:
            async with asyncio.timeout(settings.answer_timeout_s):
                return await asyncio.shield(future)
        except TimeoutError:
            raise TookTooLong(_TOO_LONG.format(settings.answer_timeout_s)) from None

    def close(self) -> None:
        """Wait for what runs; nothing new begins."""
        self._quick.close()
        self._slow.close()
