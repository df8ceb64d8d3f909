"""The same verbs, awaited: each call runs in a worker thread, since the store blocks and async code must not."""

from __future__ import annotations

import asyncio
import atexit
import functools
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Generator
from contextvars import copy_context
from typing import Any
from weakref import WeakSet

from recollect.context.turn import Turn
from recollect.daemon_pool import DaemonPool
from recollect.facade.handle import Namespace
from recollect.memory import Memory
from recollect.wiring import open_memory

_THREADS = 8

Caller = Callable[[Callable[[], Any]], Awaitable[Any]]


class AsyncMemory:
    """A `Memory` for async code: every verb of `Memory`, with `await`.

        async with AsyncMemory.open("team.db") as mem:
            await mem.add("Ana moved from vim to Helix", user_id="ana")

    `AsyncMemory("team.db")` opens as well, on the calling thread; `AsyncMemory(memory)` wraps one that is open.
    The signatures are in the stub beside this file, generated from `Memory` so that the two never differ.
    """

    def __init__(self, memory: Memory | str | os.PathLike[str] | None = None, **options: Any) -> None:
        self._memory = memory if isinstance(memory, Memory) else open_memory(memory, **options)
        self._pool = DaemonPool(_THREADS, "recollect-async")
        self._owner = True
        _open.add(self)

    @classmethod
    def open(cls, *args: Any, **kwargs: Any) -> AsyncOpening:
        """Open a memory without blocking the loop; arguments as for `recollect.open`. Await it, or `async with` it."""
        return AsyncOpening(functools.partial(open_memory, *args, **kwargs))

    def scoped(self, **scope: Any) -> AsyncMemory:
        """A handle bound to a scope. Not awaited: it touches nothing."""
        handle = object.__new__(AsyncMemory)  # the same threads; only the one that opened ends them
        handle._memory, handle._pool, handle._owner = self._memory.scoped(**scope), self._pool, False
        return handle

    def turn(self, *args: Any, **kwargs: Any) -> AsyncTurn:
        """One turn of an agent: `async with mem.turn(…) as turn`. Not awaited: it begins in the block."""
        return AsyncTurn(functools.partial(self._memory.turn, *args, **kwargs), self._call)

    async def events(self, **given: Any) -> AsyncIterator[dict[str, Any]]:
        """What happens from now on: `async for event in mem.events()`."""
        happening = self._memory.events(**given)
        ended = object()
        while (event := await self._call(functools.partial(next, happening, ended))) is not ended:
            yield event

    async def close(self) -> None:
        if self._owner:
            _open.discard(self)
            closing = DaemonPool(1, "recollect-close")  # the others may all hang in a model
            await asyncio.get_running_loop().run_in_executor(closing, self._memory.close)
            closing.shutdown(wait=False)
            self._pool.shutdown(wait=False)

    async def __aenter__(self) -> AsyncMemory:
        return self

    async def __aexit__(self, *failure: object) -> None:
        if self._owner:
            await self._call(functools.partial(self._memory.__exit__, *failure))
            self._pool.shutdown(wait=False)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        value = getattr(self._memory, name)
        if isinstance(value, Namespace):
            return AsyncNamespace(value, self._call)
        return _awaited(value, self._call) if callable(value) else value  # a property, such as `config`

    async def _call(self, call: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._pool, copy_context().run, call)


class AsyncTurn:
    """A turn about to begin. Inside the block it is the same `Turn`: what it is told stays in memory until the end."""

    def __init__(self, begin: Callable[[], Turn], call: Caller) -> None:
        self._begin = begin
        self._call = call
        self._turn: Turn | None = None

    async def __aenter__(self) -> Turn:
        def enter() -> Turn:
            return self._begin().__enter__()

        self._turn = turn = await self._call(enter)
        return turn

    async def __aexit__(self, *failure: Any) -> None:
        if self._turn is not None:
            await self._call(functools.partial(self._turn.__exit__, *failure))


class AsyncNamespace:
    """Verbs under a name of their own, such as `mem.working`, with `await`."""

    def __init__(self, verbs: Namespace, call: Caller) -> None:
        self._verbs = verbs
        self._call = call

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return _awaited(getattr(self._verbs, name), self._call)


def _awaited(method: Callable[..., Any], call: Caller) -> Callable[..., Awaitable[Any]]:
    async def verb(*args: Any, **kwargs: Any) -> Any:
        return await call(functools.partial(method, *args, **kwargs))

    return functools.wraps(method)(verb)


class AsyncOpening:
    """A memory about to be open: `mem = await …`, or `async with … as mem`."""

    def __init__(self, opener: Callable[[], Memory]) -> None:
        self._opener = opener
        self._opened: AsyncMemory | None = None

    def __await__(self) -> Generator[Any, None, AsyncMemory]:
        return self._open().__await__()

    async def __aenter__(self) -> AsyncMemory:
        self._opened = await self._open()
        return self._opened

    async def __aexit__(self, *failure: object) -> None:
        if self._opened is not None:
            await self._opened.__aexit__(*failure)

    async def _open(self) -> AsyncMemory:
        return AsyncMemory(await asyncio.to_thread(self._opener))


_open: WeakSet[AsyncMemory] = WeakSet()


@atexit.register
def _finish_all() -> None:
    """Calls whose program ends without them are finished, unless they take longer than closing may."""
    for memory in list(_open):
        memory._pool.close(memory._memory.config.store.close_timeout_s)
