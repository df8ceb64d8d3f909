"""mem0's `AsyncMemory`: the same calls, awaited. Each runs in a worker thread, since the store blocks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from recollect import memory as ours
from recollect.compat.mem0.memory import Memory

P = ParamSpec("P")
R = TypeVar("R")
M = TypeVar("M", bound=Memory)


def awaited(method: Callable[Concatenate[M, P], R]) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]:
    """A method of the memory inside, in a thread."""

    @wraps(method)
    async def call(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.to_thread(method, self.sync, *args, **kwargs)

    return call


class Awaiting:
    """What every awaited memory has. `sync` is the memory that does the work, `recollect` the one beneath."""

    sync: Memory

    @property
    def recollect(self) -> ours.Memory:
        return self.sync.recollect

    get = awaited(Memory.get)
    delete = awaited(Memory.delete)
    history = awaited(Memory.history)

    def close(self) -> None:
        self.sync.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self.close)


class AsyncMemory(Awaiting):
    """mem0's `AsyncMemory`."""

    def __init__(self, config: Any = None, *, memory: ours.Memory | None = None, **options: Any) -> None:
        self.sync = Memory(config, memory=memory, **options)

    @classmethod
    def from_config(cls, config_dict: Any, **options: Any) -> Self:
        return cls(config_dict, **options)

    add = awaited(Memory.add)
    get_all = awaited(Memory.get_all)
    search = awaited(Memory.search)
    update = awaited(Memory.update)
    delete_all = awaited(Memory.delete_all)
    reset = awaited(Memory.reset)
