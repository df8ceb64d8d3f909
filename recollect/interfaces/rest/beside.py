"""MCP beside REST, at `/mcp`. Its library takes half a second and 25 MB to load, so that waits for the first client."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from starlette.routing import BaseRoute, Route

from recollect.errors import MissingExtra
from recollect.interfaces.lanes import Lanes
from recollect.interfaces.rest.problems import Refused
from recollect.memory import Memory

MODULE = "recollect.interfaces.mcp"  # offers `is_installed()` and `asgi(memory)`, an application with a `life()`
PATH = "/mcp"
Application = Callable[[MutableMapping[str, Any], Any, Any], Awaitable[None]]


class Beside:
    """An application that comes to life with its first request. Whoever calls it is `scope["recollect.caller"]`."""

    def __init__(self, memory: Memory, lanes: Lanes) -> None:
        self._memory = memory
        self._lanes = lanes
        self._application: Application | None = None
        self._coming = asyncio.Lock()
        self._going = asyncio.Event()
        self._living: asyncio.Task[None] | None = None

    def mount(self, routes: list[BaseRoute]) -> None:
        """Take its place among the paths, where the module is there."""
        if find_spec(MODULE) is not None:
            routes.append(Route(PATH, endpoint=self))

    @asynccontextmanager
    async def life(self) -> AsyncIterator[None]:
        """While the server lives; at the end what came to life is let go."""
        try:
            yield
        finally:
            self._going.set()
            if self._living is not None:
                await self._living

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        application = self._application or await self._alive()
        await application(scope, receive, send)

    async def _alive(self) -> Application:
        async with self._coming:
            if self._application is None:
                made = await asyncio.to_thread(_load, self._memory, self._lanes)
                ready = asyncio.get_running_loop().create_future()
                self._living = asyncio.create_task(self._live(made, ready))
                await ready
                self._application = made
            return self._application

    async def _live(self, made: Any, ready: asyncio.Future[None]) -> None:
        """One task from beginning to end: what is entered here is left here."""
        try:
            async with made.life():
                ready.set_result(None)
                await self._going.wait()
        except BaseException as error:
            if ready.done():
                raise
            ready.set_exception(error)


def _load(memory: Memory, lanes: Lanes) -> Any:
    try:
        # No hosts: the gate sees to names and origins.
        return import_module(MODULE).asgi(memory, hosts=None, lanes=lanes)
    except MissingExtra as missing:
        raise Refused(501, missing.message, like=MissingExtra) from None
