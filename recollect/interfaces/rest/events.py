"""What changes, as it changes: the change feed as server-sent events.

One task looks for new entries while anybody listens and wakes all listeners; each then reads what its own caller may
see. A stream that was cut goes on where it stopped (`Last-Event-ID`); one whose token was revoked or expired ends.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import suppress

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from recollect.config.guarding import ServeSettings
from recollect.errors import Overloaded, RecollectError, UsageError
from recollect.facade.audited import note_read
from recollect.facade.handle import engine_of
from recollect.interfaces.lanes import Lanes
from recollect.interfaces.rest.answers import caller_of, dumped
from recollect.interfaces.rest.callers import TRUSTED_S
from recollect.interfaces.rest.metrics import Metrics
from recollect.interfaces.rest.openapi import problem_responses
from recollect.interfaces.rest.paths import ServerPaths
from recollect.limits import EVENTS_PER_READ_MAX
from recollect.memory import Memory
from recollect.model.scope import DIMENSIONS, Scope
from recollect.store.changes import AnnouncedPortion, Announcement
from recollect.store.tokens import Right
from recollect.verbs.schema import TEXT, WHOLE

PATH = "/v1/events"
MEDIA_TYPE = "text/event-stream"
_LOOK_EVERY_S = 0.25
_LOST = b'event: lost\ndata: {"reason": "some entries were trimmed before they were read; read what you need anew"}\n\n'
_OVER = b'event: over\ndata: {"reason": "the token was revoked or has expired"}\n\n'
_DESCRIPTION = """\
Server-sent events, one for each change: `event` is `record`, `edge` or `entity`, `id` the place in the feed (send it
back as `Last-Event-ID` to go on from there), `data` has `ids`, those of them `retired`, their `count`, the `operation`
and its `verb`; never content. `event: lost` says that the feed was trimmed past you, `event: over` that the token is no
longer valid; the stream ends with it. `event: ready`, `health` and `disk-full` are about the store: its indexes are in
memory, its figures every `upkeep.health_period_s`, hardly any space is left. Comments are signs of life.
"""


class Feed:
    """The change feed of one memory, for as many listeners as allowed."""

    def __init__(self, memory: Memory, lanes: Lanes, metrics: Metrics, settings: Callable[[], ServeSettings]) -> None:
        self._engine = engine_of(memory)
        self._store = engine_of(memory).store
        self._clock = engine_of(memory).clock
        self._lanes = lanes
        self._metrics = metrics
        self._settings = settings
        self._news = asyncio.Event()  # set, and replaced by a new one, when something changed
        self._closing = False
        self._looking: asyncio.Task[None] | None = None
        self._tokens: Counter[str] = Counter()  # of those who listen, by id
        self._over: set[str] = set()  # those of them that are valid no longer

    def register(self, paths: ServerPaths) -> None:
        parameters = [{"name": name, "in": "query", "required": False, "schema": TEXT} for name in DIMENSIONS]
        place = {"name": "Last-Event-ID", "in": "header", "required": False, "schema": {**WHOLE, "minimum": 0}}
        answer = {"description": "A stream.", "content": {MEDIA_TYPE: {"schema": TEXT}}}
        described = {
            "tags": ["Events"],
            "summary": "What changes, as it changes.",
            "description": _DESCRIPTION,
            "operationId": "events",
            "parameters": [*parameters, place],
            "responses": {"200": answer, **problem_responses((401, 403, 422, 429, 503))},
        }
        paths.add(PATH, self._listen, described=described)

    def close(self) -> None:
        """End all streams: the server stops."""
        self._closing = True
        self._news.set()

    async def _listen(self, request: Request) -> Response:
        caller = caller_of(request)
        caller.require(Right.READ)
        unknown = sorted(set(request.query_params) - set(DIMENSIONS))
        if unknown:
            raise UsageError(f"there is no parameter {unknown[0][:60]!r} here; known: {', '.join(DIMENSIONS)}")
        sight = caller.sight(request.query_params)
        start = _place(request.headers.get("last-event-id"))
        if self._metrics.streams >= self._settings().event_streams_max:
            raise Overloaded("as many event streams are open as serve.event_streams_max allows")
        if start is None:
            start = await self._lanes.run(self._store.change_seq)
        token = None if caller.token is None else caller.token.id
        note_read(caller.memory, "events")
        return StreamingResponse(self._stream(request, start, sight, token), media_type=MEDIA_TYPE)

    async def _stream(self, request: Request, seq: int, sight: Scope | None, token: str | None) -> AsyncIterator[bytes]:
        self._metrics.stream_opened()
        if token is not None:
            self._tokens[token] += 1
            self._over.discard(token)  # it was let in just now
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())
        try:
            yield b": listening\n\n"
            heard: int | None = None
            while not self._closing and not await request.is_disconnected():
                news = self._news
                portion = await self._lanes.run(lambda at=seq: self._read(at, sight))  # type: ignore[misc]
                if token in self._over:
                    yield _OVER
                    return
                if portion.lost:
                    yield _LOST
                of_store = await self._lanes.run(lambda after=heard: self._engine.vitals.look(after))  # type: ignore[misc]
                for vital in of_store:
                    heard = vital.number
                    yield b"event: %b\ndata: %b\n\n" % (vital.topic.encode(), dumped(vital.to_dict()))
                heard = heard or 0
                if portion.announcements:
                    yield b"".join(map(_event, portion.announcements))
                if portion.seq == seq:
                    yield await self._wait(news)
                seq = portion.seq
        finally:
            self._metrics.stream_closed()
            if token is not None:
                self._tokens[token] -= 1

    async def _wait(self, news: asyncio.Event) -> bytes:
        """Until something changed, or it is time for a sign of life."""
        try:
            async with asyncio.timeout(self._settings().heartbeat_s):
                await news.wait()
        except TimeoutError:
            return b": still here\n\n"
        return b""

    def _read(self, seq: int, sight: Scope | None) -> AnnouncedPortion:
        with self._store.read() as tx:
            visible = None if sight is None else tx.scopes.visible(sight)
            return tx.changes.after(seq, limit=EVENTS_PER_READ_MAX, visible=visible)

    async def _look(self) -> None:
        """While there are listeners: has anything changed, here or by another process?"""
        seen, checked, heard = -1, 0.0, 0
        while self._metrics.streams and not self._closing:
            with suppress(RecollectError):  # a store that is busy is asked again
                over = set(self._over)
                if time.monotonic() - checked >= TRUSTED_S:
                    checked = time.monotonic()
                    self._tokens = +self._tokens
                    self._over = await self._lanes.run(self._tokens_over) if self._tokens else set()
                newest = await self._lanes.run(self._store.change_seq)
                of_store = await self._lanes.run(lambda after=heard: self._engine.vitals.look(after))  # type: ignore[misc]
                if newest != seen or self._over - over or of_store:
                    seen, heard = newest, of_store[-1].number if of_store else heard
                    self._news.set()
                    self._news = asyncio.Event()
            await asyncio.sleep(_LOOK_EVERY_S)

    def _tokens_over(self) -> set[str]:
        with self._store.read() as tx:
            return tx.tokens.over(list(self._tokens), now=self._clock())


def _event(told: Announcement) -> bytes:
    return b"id: %d\nevent: %b\ndata: %b\n\n" % (told.seq, told.topic.encode(), dumped(told.to_dict()))


def _place(header: str | None) -> int | None:
    if header is None:
        return None
    if not header.isascii() or not header.isdecimal() or len(header) > 18:
        raise UsageError("Last-Event-ID must be the id of an event of this stream, a whole number")
    return int(header)
