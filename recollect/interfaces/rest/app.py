"""The application: the verbs as paths, and what stands around them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response

from recollect.config.guarding import ServeSettings
from recollect.errors import AccessDenied, UsageError
from recollect.facade.handle import engine_of
from recollect.interfaces.lanes import Lanes
from recollect.interfaces.rest import (
    described,
    hooks,
    machine,
    openapi,
    page_files,
    sessions,
    settings,
    tokens,
    transfer,
)
from recollect.interfaces.rest.answers import JSON, caller_of, carry_out, dumped, response
from recollect.interfaces.rest.beside import Beside
from recollect.interfaces.rest.callers import AdmittedCaller, Door
from recollect.interfaces.rest.events import Feed
from recollect.interfaces.rest.gate import Gate
from recollect.interfaces.rest.metrics import MEDIA_TYPE as METRICS_TYPE
from recollect.interfaces.rest.metrics import Metrics
from recollect.interfaces.rest.origins import Origins
from recollect.interfaces.rest.paths import Endpoint, ServerPaths
from recollect.interfaces.rest.requests import body_of, query_of, version_of
from recollect.interfaces.rest.routes import VerbRoute, routes, verb_of
from recollect.interfaces.workers import WorkerPlace
from recollect.memory import Memory
from recollect.providers.llms.naming import shown
from recollect.security.quota import Quota
from recollect.store.tokens import Right
from recollect.verbs.signature import signature_of
from recollect.verbs.table import find

ALIVE: dict[str, Any] = {"status": "ok", "warnings": [], "operation": None}


class Server:
    """One memory and everything that serves it. `app` is the ASGI application; closing it closes the memory."""

    def __init__(
        self,
        memory: Memory,
        *,
        loopback: bool = True,
        asks_for_token: bool | None = None,
        place: WorkerPlace | None = None,
    ) -> None:
        settings = memory.config.serve
        self.memory = memory
        self.place = place or WorkerPlace()
        self.lanes = Lanes(self._settings)
        self.quota = Quota()
        self.metrics = Metrics(self.place)
        self.feed = Feed(memory, self.lanes, self.metrics, self._settings)
        asks = (not loopback or settings.require_token) if asks_for_token is None else asks_for_token
        self._beside = Beside(memory, self.lanes)
        self._door = Door(memory, self.lanes, self.quota, asks_for_token=asks)
        self.paths = self._all_paths()
        self._openapi: dict[str, Any] = {}
        gate = Middleware(
            Gate,
            door=self._door,
            origins=Origins(loopback=loopback, names=settings.hosts.split(",")),
            quota=self.quota,
            metrics=self.metrics,
            settings=self._settings,
            stopped=lambda: self.lanes.stopped,
            traced=engine_of(memory).telemetry is not None,
        )
        self.app = Starlette(
            routes=self.paths.routes,
            middleware=[gate],
            exception_handlers={HTTPException: self.paths.refuse},
            lifespan=self._life,
        )

    def _settings(self) -> ServeSettings:
        return self.memory.config.serve

    @asynccontextmanager
    async def _life(self, _: Starlette) -> AsyncIterator[None]:
        try:
            async with self._beside.life(), settings.kept_current(self.memory, self.lanes):
                yield
        finally:
            self.feed.close()
            await asyncio.to_thread(self._finish)

    def _finish(self) -> None:
        """What runs is finished if it ends in time, what was stored is on disk, then the store is let go."""
        self.lanes.close()
        self.memory.close()

    def _all_paths(self) -> ServerPaths:
        paths = ServerPaths()
        for route in routes():
            endpoint = self._graph if route.path == "/v1/graph" else self._endpoint(route)
            paths.add(route.path, endpoint, method=route.method, described=openapi.describe(route))
        self.feed.register(paths)
        transfer.register(paths, self.lanes)
        tokens.register(paths, self.lanes)
        settings.register(paths, self.lanes)
        machine.register(paths, self.lanes)
        hooks.register(paths, self.lanes)
        sessions.register(paths, self._admit, self._facts)
        page_files.register(paths)
        described.register(paths, self.document)
        paths.add("/metrics", self._figures)
        paths.add("/openapi.json", self._document)
        self._beside.mount(paths.routes)
        return paths

    async def _admit(self, token: str, peer: str) -> AdmittedCaller:
        return await self._door.caller(token, peer=peer)

    def _facts(self) -> dict[str, Any]:
        """What the page draws itself by."""
        llm = self.memory.config.llm
        return {"model": None if llm is None else shown(llm)}  # no password of an address

    def document(self) -> dict[str, Any]:
        """The OpenAPI document, made when it is first asked for."""
        self._openapi = self._openapi or openapi.document(self.paths.described())
        return self._openapi

    def _endpoint(self, route: VerbRoute) -> Endpoint:
        verb, signature = verb_of(route), signature_of(verb_of(route))
        long = verb.group == "Upkeep" and verb.writes

        async def endpoint(request: Request) -> Response:
            caller = request.scope["recollect.caller"]
            if caller is None:  # the one verb that tells a stranger anything: that the server is up
                return Response(dumped(ALIVE), media_type=JSON)
            given = await body_of(request) if route.has_body else query_of(request, signature, without=route.in_path)
            for name in route.in_path:
                if name in given:
                    raise UsageError(f"{name} stands in the path; leave it out of the body")
                given[name] = request.path_params[name]
            if verb.name in ("update", "delete") and (version := version_of(request.headers.get("if-match"))):
                given["if_version"] = version
            done = await self.lanes.run(lambda: carry_out(caller, verb, given), long=long)
            return response(request, verb, done)

        return endpoint

    async def _graph(self, request: Request) -> Response:
        """The strongest relations; with `id` what is near that record."""
        verb = find("related" if "id" in request.query_params else "relations")
        given = query_of(request, signature_of(verb))
        done = await self.lanes.run(lambda: carry_out(caller_of(request), verb, given))
        return response(request, verb, done)

    async def _figures(self, request: Request) -> Response:
        caller = caller_of(request)
        caller.require(Right.READ)
        if caller.memory.grant.held.items():
            raise AccessDenied("figures are about the whole store; this token is bound to a part of it")
        health = await self.lanes.run(lambda: self.memory.health().to_dict())
        return Response(self.metrics.text(health), media_type=METRICS_TYPE)

    async def _document(self, _: Request) -> Response:
        return Response(await self.lanes.run(lambda: dumped(self.document())), media_type=JSON)
