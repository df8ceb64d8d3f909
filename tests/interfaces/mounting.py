"""What stands beside REST in a server, for a test: an application of its own that asks who is calling."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from starlette.responses import JSONResponse

from recollect.memory import Memory

LIFE: list[str] = []


def asgi(memory: Memory, **_: Any) -> Application:
    return Application()


class Application:
    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        caller = scope["recollect.caller"]
        answer = JSONResponse({"records": len(caller.memory.get_all()), "rights": sorted(caller.rights)})
        await answer(scope, receive, send)

    @asynccontextmanager
    async def life(self) -> AsyncIterator[None]:
        LIFE.append("begins")
        yield
        LIFE.append("ends")
