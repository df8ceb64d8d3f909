"""What stands beside REST in a server, for a test: an application of its own that asks who is calling."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from fastapi import FastAPI
from fastapi.responses import JSONResponse

from recollect.memory import Memory

LIFE: list[str] = []


def mount(app: FastAPI, memory: Memory) -> AbstractAsyncContextManager[None]:
    async def beside(scope: Any, receive: Any, send: Any) -> None:
        caller = scope["recollect.caller"]
        answer = JSONResponse({"records": len(caller.memory.get_all()), "rights": sorted(caller.rights)})
        await answer(scope, receive, send)

    app.mount("/mcp", beside)
    return _life()


@asynccontextmanager
async def _life() -> AsyncIterator[None]:
    LIFE.append("begins")
    yield
    LIFE.append("ends")
