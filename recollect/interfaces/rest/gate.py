"""What every request passes: an id, where it comes from and from whom, bounds on its body, and a line in the log."""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, MutableMapping
from contextlib import AbstractContextManager, nullcontext, suppress
from itertools import count
from typing import Any

from starlette.requests import ClientDisconnect

from recollect.config.guarding import ServeSettings
from recollect.errors import AccessDenied, ContentTooLarge, RecollectError, SearchTimeout
from recollect.interfaces.lanes import TookTooLong, stopping
from recollect.interfaces.rest import logs, sessions
from recollect.interfaces.rest.callers import AdmittedCaller, Door
from recollect.interfaces.rest.metrics import Metrics
from recollect.interfaces.rest.origins import Origins
from recollect.interfaces.rest.problems import MEDIA_TYPE, Problem, Refused, fault
from recollect.security.quota import Quota

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

LEFT = 499  # the client did not wait for an answer
UNKNOWN = "unknown"  # the template of a path that leads nowhere
IMPORT_PATH = "/v1/import"
OPEN_PATHS = frozenset({"/", "/v1/health", "/docs", "/openapi.json", sessions.PATH})  # nothing stored is told there
OPEN_BELOW = "/page/"  # … and there, without a token
_FOREIGN_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")
_SAFE = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_NOTHING = b"default-src 'none'; frame-ancestors 'none'"
_BODY_BYTES_PER_S = 64 * 1024  # a long body gets a second more for each of these


class Gate:
    """The outermost part of the application that is ours."""

    def __init__(
        self,
        app: App,
        *,
        door: Door,
        origins: Origins,
        quota: Quota,
        metrics: Metrics,
        settings: Callable[[], ServeSettings],
        stopped: Callable[[], bool] = lambda: False,
        traced: bool = False,
    ) -> None:
        self._app = app
        self._traced = traced
        self._door = door
        self._origins = origins
        self._quota = quota
        self._metrics = metrics
        self._settings = settings
        self._stopped = stopped
        self._ids = request_ids()

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        passing = Passing(scope, send, self._ids)
        self._metrics.begun()
        try:
            await self._let_through(scope, receive, passing)
        except (RecollectError, Refused) as error:
            self._door.note_refusal(passing.caller, error)
            await passing.refuse(error)
        except TookTooLong as late:
            await passing.refuse(Refused(504, str(late), like=SearchTimeout))
        except asyncio.CancelledError:
            if not self._stopped():
                raise
            await passing.refuse(stopping())
        except ClientDisconnect:
            pass  # it left in the middle of its body: nobody to answer, and nobody's fault
        except Exception as error:
            logs.failed(error, passing.id)
            await passing.refuse(fault())
        finally:
            self._metrics.ended()
            self._note(scope, passing)

    async def _let_through(self, scope: MutableMapping[str, Any], receive: Receive, passing: Passing) -> None:
        headers = passing.headers
        self._origins.check(headers)
        passing.caller = scope["recollect.caller"] = await self._caller(scope, headers)
        settings = self._settings()
        if passing.caller is not None and passing.caller.token is not None:
            self._quota.take(passing.caller.token.id, settings.requests_per_minute)
        size_max = settings.import_bytes_max if scope["path"] == IMPORT_PATH else settings.body_bytes_max
        body = Body(receive, headers, size_max=size_max, timeout_s=settings.body_timeout_s)
        try:
            with self._trace(headers):
                await self._app(scope, body.receive, passing.send)
        finally:
            if body.broken_off:  # whatever was answered then, nobody heard it
                passing.status = LEFT

    def _trace(self, headers: dict[bytes, bytes]) -> AbstractContextManager[None]:
        """Spans of this request belong to the caller's trace, where there is one and anybody is told."""
        if not self._traced or b"traceparent" not in headers:
            return nullcontext()
        from recollect.telemetry import continued

        return continued({name.decode("latin-1"): value.decode("latin-1") for name, value in headers.items()})

    async def _caller(self, scope: MutableMapping[str, Any], headers: dict[bytes, bytes]) -> AdmittedCaller | None:
        path = scope["path"]
        is_open = path in OPEN_PATHS or path.startswith(OPEN_BELOW)
        peer = str((scope.get("client") or ("unknown",))[0])
        proxied = b"forwarded" in headers or b"x-forwarded-for" in headers
        token, cookie = bearer(headers), None
        if token is None:
            token = cookie = sessions.cookie_token(headers)
        try:
            caller = await self._door.caller(token, peer=peer, proxied=proxied)
        except Refused:
            if is_open and b"authorization" not in headers:
                return None
            raise
        if cookie is not None:
            if not is_open:
                sessions.require_csrf(scope["method"], headers, cookie)
            scope["recollect.cookie"] = cookie
        return caller

    def _note(self, scope: MutableMapping[str, Any], passing: Passing) -> None:
        seconds = time.perf_counter() - passing.began
        path = getattr(scope.get("route"), "path", None) or ("/mcp" if scope["path"].startswith("/mcp") else UNKNOWN)
        method = scope["method"] if scope["method"] in _METHODS else "OTHER"
        self._metrics.count(method, path, passing.status, seconds)
        logs.answered(
            method=method,
            route=path,
            status=passing.status,
            ms=round(seconds * 1e3, 2),
            request=passing.id,
            token=passing.caller.name if passing.caller else None,
        )


_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def request_ids() -> Iterator[str]:
    """Ids for requests that bring none: told apart by number, and by process. They open no door, so none is drawn."""
    process = secrets.token_hex(4)
    return (f"{process}{number:08x}" for number in count(1))


class Passing:
    """One request on its way: what is known of it, and the answer as it goes out."""

    def __init__(self, scope: MutableMapping[str, Any], send: Send, ids: Iterator[str]) -> None:
        self._send = send
        self._started = False
        self.began = time.perf_counter()
        self.headers: dict[bytes, bytes] = dict(reversed(scope["headers"]))  # of a repeated one the first counts
        given = self.headers.get(b"x-request-id", b"").decode("latin-1")
        self.id = given if _FOREIGN_ID.fullmatch(given) else next(ids)
        self.status = LEFT  # until there is one
        self.caller: AdmittedCaller | None = None
        scope["recollect.request"] = self.id

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._started = True
            self.status = message["status"]
            own = list(message.get("headers", ()))
            told = {name for name, _ in own}
            own += [each for each in _SAFE if each[0] not in told]
            if b"content-security-policy" not in told:
                own.append((b"content-security-policy", _NOTHING))
            own.append((b"x-request-id", self.id.encode()))
            message = {**message, "headers": own}
        await self._send(message)

    async def refuse(self, error: RecollectError | Refused) -> None:
        """Answer with a problem document, unless an answer is on its way already."""
        if self._started:
            return
        problem = Problem(error, self.id)
        headers = {"content-type": MEDIA_TYPE, "content-length": str(len(problem.body)), **problem.headers}
        if problem.status in (408, 413):  # the rest of the body is not wanted
            headers["connection"] = "close"
        with suppress(ConnectionError):
            await self.send({"type": "http.response.start", "status": problem.status, "headers": encoded(headers)})
            await self.send({"type": "http.response.body", "body": problem.body})


class Body:
    """A request's body as it comes in: not too much, and not too slowly."""

    def __init__(self, receive: Receive, headers: dict[bytes, bytes], *, size_max: int, timeout_s: float) -> None:
        self._receive = receive
        self._left = size_max
        self._size_max = size_max
        self._until = time.monotonic() + timeout_s
        self._complete = False
        self.broken_off = False  # the client left before it had said everything
        announced = headers.get(b"content-length", b"0")
        if announced.isdigit() and int(announced) > size_max:
            raise self._too_large()

    async def receive(self) -> Message:
        if self._complete:  # from here on it is about whether the client is still there
            return await self._receive()
        try:
            async with asyncio.timeout(self._until - time.monotonic()):
                message = await self._receive()
        except TimeoutError:
            raise Refused(408, "the body came too slowly; send it in one go") from None
        self.broken_off = message["type"] == "http.disconnect"
        came = len(message.get("body", b""))
        self._left -= came
        self._until += came / _BODY_BYTES_PER_S
        if self._left < 0:
            raise self._too_large()
        self._complete = not message.get("more_body", False)
        return message

    def _too_large(self) -> ContentTooLarge:
        return ContentTooLarge(f"a body may have {self._size_max:,} bytes; send less at a time")


def bearer(headers: dict[bytes, bytes]) -> str | None:
    """The token of a request that says it itself."""
    given = headers.get(b"authorization")
    if given is None:
        return None
    kind, _, value = given.decode("latin-1").partition(" ")
    if kind.lower() == "bearer":
        return value.strip()
    raise Refused(
        401,
        "give the token as `Authorization: Bearer …`",
        like=AccessDenied,
        headers={"www-authenticate": 'Bearer realm="recollect"'},
    )


def encoded(headers: dict[str, str]) -> Iterable[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
