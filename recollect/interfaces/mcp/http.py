"""MCP over HTTP, without sessions: each request stands alone, so any number of clients share a store, and a server that
was started again is the same server to them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, MutableMapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings

from recollect.interfaces.lanes import Lanes
from recollect.interfaces.mcp.binding import Binding, binding, narrowed
from recollect.interfaces.mcp.server import Context, build
from recollect.memory import Memory
from recollect.model.grant import MayAdd


class McpApplication:
    """The ASGI application. Who comes in is decided before it, by the server's gate."""

    def __init__(
        self,
        memory: Memory,
        *,
        tools: str,
        scope: Mapping[str, Any] | None = None,
        may_add: MayAdd | None = None,
        policy: str | None = None,
        read_only: bool = False,
        hosts: Sequence[str] | None = None,
        lanes: Lanes | None = None,
    ) -> None:
        self._memory = memory
        self._lanes = lanes
        self._origins = _origins(hosts)
        self._given = binding(memory, tools=tools, scope=scope, may_add=may_add, policy=policy, read_only=read_only)
        self._requests: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def life(self) -> AsyncIterator[None]:
        """Everything it needs while it serves. It may be entered again after it was left."""
        lanes = self._lanes or Lanes(lambda: self._memory.config.serve)
        server = build(self._bind, lanes)
        requests = StreamableHTTPSessionManager(
            server,
            json_response=True,
            stateless=True,
            security_settings=self._origins,
            max_request_body_size=self._memory.config.serve.body_bytes_max,
        )
        async with requests.run():
            self._requests = requests
            try:
                yield
            finally:
                self._requests = None
        if lanes is not self._lanes:
            await asyncio.to_thread(lanes.close)

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close"})
            return
        assert self._requests is not None, "enter life() before it is served"
        if scope["method"] != "POST":  # nothing is ever sent unasked, and there is no session to end
            await send({"type": "http.response.start", "status": 405, "headers": [(b"allow", b"POST")]})
            await send({"type": "http.response.body", "body": b""})
            return
        await self._requests.handle_request(scope, receive, send)

    def _bind(self, ctx: Context) -> Binding:
        request = ctx.request
        return self._given if request is None else narrowed(self._given, request.scope, request.query_params)

    async def _live(self, receive: Any, send: Any) -> None:
        """The life of an application that is run alone."""
        async with AsyncExitStack() as stack:
            await receive()
            alive: AbstractAsyncContextManager[None] = self.life()
            await stack.enter_async_context(alive)
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})


def _origins(hosts: Sequence[str] | None) -> TransportSecuritySettings:
    """Requests under other names, or from pages of other sites, are refused; without names none are."""
    if hosts is None:
        return TransportSecuritySettings(enable_dns_rebinding_protection=False)
    return TransportSecuritySettings(
        allowed_hosts=[each for host in hosts for each in (host, f"{host}:*")],
        allowed_origins=[
            f"{kind}://{host}{port}" for host in hosts for kind in ("http", "https") for port in ("", ":*")
        ],
    )
