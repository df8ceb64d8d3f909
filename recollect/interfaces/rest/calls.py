"""Calls into the memory, from the event loop: they block, so each runs in a thread, and there are only so many."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from recollect.config.guarding import Serve
from recollect.errors import Overloaded, SearchTimeout
from recollect.interfaces.rest.problems import Refused

T = TypeVar("T")

_TOO_LONG = "this takes longer than serve.answer_timeout_s ({:g} s) and goes on; see what it did before you repeat it"


class Calls:
    """A bounded pool of threads. What does not fit into its queue is refused at once instead of waiting for ever."""

    def __init__(self, settings: Callable[[], Serve]) -> None:
        self._settings = settings
        self._threads = settings().threads
        self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="recollect-serve")
        self.inside = 0  # running or waiting to

    async def run(self, work: Callable[[], T], *, bounded: bool = True) -> T:
        """Do this in a thread. One that takes too long is given up on and ends by itself, unless not `bounded`."""
        settings = self._settings()
        if self.inside >= self._threads + settings.waiting_max:
            raise Overloaded(f"{self.inside} calls are under way; try again in a moment")
        self.inside += 1
        future = asyncio.get_running_loop().run_in_executor(self._pool, work)
        future.add_done_callback(self._left)
        if not bounded:
            return await asyncio.shield(future)
        try:
            async with asyncio.timeout(settings.answer_timeout_s):
                return await asyncio.shield(future)
        except TimeoutError:
            raise Refused(504, _TOO_LONG.format(settings.answer_timeout_s), like=SearchTimeout) from None

    def close(self) -> None:
        """Wait for what runs; nothing new begins."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _left(self, future: asyncio.Future[T]) -> None:
        self.inside -= 1
        if not future.cancelled():
            future.exception()  # one whose caller has gone is nobody's to raise
