"""The same verbs, awaited: each call runs in a worker thread, since the store blocks and async code must not."""

from __future__ import annotations

import asyncio
import functools
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from recollect.memory import Memory

_THREADS = 8


class AsyncMemory:
    """A `Memory` for async code. `await AsyncMemory.open(...)`, then every verb of `Memory` with `await`.

    The signatures are in the stub beside this file, generated from `Memory` so that the two never differ.
    """

    def __init__(self, memory: Memory, pool: ThreadPoolExecutor | None = None) -> None:
        self._memory = memory
        self._pool = pool or ThreadPoolExecutor(_THREADS, thread_name_prefix="recollect-async")
        self._owns_pool = pool is None

    @classmethod
    async def open(cls, *args: Any, **kwargs: Any) -> AsyncMemory:
        """Open a memory; arguments as for `recollect.open`."""
        from recollect.wiring import open_memory

        return cls(await asyncio.to_thread(open_memory, *args, **kwargs))

    def scoped(self, **scope: Any) -> AsyncMemory:
        """A handle bound to a scope. Not awaited: it touches nothing."""
        return AsyncMemory(self._memory.scoped(**scope), self._pool)

    async def close(self) -> None:
        await self._call(self._memory.close)
        if self._owns_pool:
            self._pool.shutdown(wait=False)

    async def __aenter__(self) -> AsyncMemory:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        method = getattr(self._memory, name)
        if not callable(method):
            return method  # a property, such as `config`: it touches no store

        async def verb(*args: Any, **kwargs: Any) -> Any:
            return await self._call(functools.partial(method, *args, **kwargs))

        return functools.wraps(method)(verb)

    async def _call(self, call: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._pool, call)
