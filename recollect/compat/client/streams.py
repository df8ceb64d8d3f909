"""Streams that are listened to on their way. What they are otherwise, they stay.

A memory that fails, where that is to be raised, does so when the stream has ended: by then all of it was passed on.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from types import TracebackType
from typing import Any, Self

from recollect.compat.client.dialects import Answer
from recollect.compat.client.exchange import RememberedCall


class _Ear:
    """Hears the events of one stream, and has the answer kept when it is whole."""

    def __init__(self, exchange: RememberedCall) -> None:
        self._exchange = exchange
        self._listen = exchange.listen()
        self._failed: Exception | None = None

    def hear(self, event: Any) -> Answer | None:
        try:
            return self._listen(event)
        except Exception as error:
            self._failed = self._failed or error
            return None

    def keep(self, answer: Answer) -> None:
        try:
            self._exchange.keep(answer, answer)
        except Exception as error:
            self._failed = error

    def ended(self) -> None:
        failed, self._failed = self._failed, None
        if failed is not None:
            raise failed


class HeardStream:
    """A stream whose events are heard before they are passed on."""

    def __init__(self, stream: Any, exchange: RememberedCall) -> None:
        self._stream = stream
        self._ear = _Ear(exchange)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        try:
            event = next(self._stream)
        except StopIteration:
            self._ear.ended()
            raise
        if (answer := self._ear.hear(event)) is not None:
            self._ear.keep(answer)
        return event

    def __enter__(self) -> Self:
        self._stream.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.__exit__(kind, error, trace)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class HeardAsyncStream:
    """The same, awaited. Memory blocks, so remembering has a thread."""

    def __init__(self, stream: Any, exchange: RememberedCall) -> None:
        self._stream = stream
        self._ear = _Ear(exchange)

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        try:
            event = await anext(self._stream)
        except StopAsyncIteration:
            self._ear.ended()
            raise
        if (answer := self._ear.hear(event)) is not None:
            await asyncio.to_thread(self._ear.keep, answer)
        return event

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stream.__aexit__(kind, error, trace)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class HeardBlock:
    """What `.stream(…)` gives: a `with` block around a stream that puts its pieces together itself.

    `snapshot` is where it keeps them. What is whole when the block ends well is remembered.
    """

    def __init__(self, open_: Callable[..., Any], begin: Callable[[], RememberedCall], snapshot: str) -> None:
        self._open = open_
        self._begin = begin
        self._snapshot = snapshot
        self._exchange: RememberedCall | None = None
        self._block: Any = None
        self._stream: Any = None

    def __enter__(self) -> Any:
        self._exchange = self._begin()
        self._block = self._open(**self._exchange.request)
        self._stream = self._block.__enter__()
        return self._stream

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._block.__exit__(kind, error, trace)
        if kind is None:
            self._remember()

    async def __aenter__(self) -> Any:
        self._exchange = await asyncio.to_thread(self._begin)
        self._block = self._open(**self._exchange.request)
        self._stream = await self._block.__aenter__()
        return self._stream

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._block.__aexit__(kind, error, trace)
        if kind is None:
            await asyncio.to_thread(self._remember)

    def _remember(self) -> None:
        assert self._exchange is not None
        try:
            whole = getattr(self._stream, self._snapshot)
        except AssertionError:  # the libraries' word for a stream of which nothing was read
            return
        self._exchange.answered(whole)
