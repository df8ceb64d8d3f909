"""Calls into the memory from the event loop: they block, so each runs in a thread, and there are only so many."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import anyio
import anyio.to_thread

from recollect.config.guarding import Serve
from recollect.errors import Overloaded

T = TypeVar("T")


class Threads:
    """A bounded number of threads. A call that was begun is finished, even if its client has gone or gives up:
    what it writes is all there or not at all, and closing waits for it.
    """

    def __init__(self, settings: Callable[[], Serve]) -> None:
        self._settings = settings
        self._limiter = anyio.CapacityLimiter(settings().threads)

    async def run(self, work: Callable[[], T]) -> T:
        waiting = self._limiter.statistics().tasks_waiting
        if waiting >= self._settings().waiting_max:
            raise Overloaded(f"{waiting} calls wait already; try again in a moment")
        return await anyio.to_thread.run_sync(work, limiter=self._limiter)
