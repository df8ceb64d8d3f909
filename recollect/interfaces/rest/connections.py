"""Connections: taken in turn with other processes, and given a deadline and a bound for the head of each request."""

from __future__ import annotations

import asyncio
import socket
from asyncio import TimerHandle, Transport
from collections.abc import Callable
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from recollect.limits import HEADER_BYTES_MAX

WAIT_S = 0.0005  # for each connection held
CONNECTIONS_MAX = 20  # that are waited for
FULL_S = 0.1  # before trying again when the process may open no more files


class Accepting:
    """Takes connections until it is closed. `held` says how many there are."""

    def __init__(
        self, listening: socket.socket, protocol: Callable[[], asyncio.BaseProtocol], held: Callable[[], int]
    ) -> None:
        listening.setblocking(False)
        self._listening = listening
        self._number = listening.fileno()  # the server closes the socket when it stops
        self._protocol = protocol
        self._held = held
        self._somebody = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._task = self._loop.create_task(self._take())

    def close(self) -> None:
        """Take no more; the socket stays open."""
        self._task.cancel()
        self._loop.remove_reader(self._number)

    async def wait_closed(self) -> None:
        """Until it has ended."""
        await asyncio.wait([self._task])

    async def _take(self) -> None:
        while True:
            await self._wait_for_somebody()
            await asyncio.sleep(WAIT_S * min(self._held(), CONNECTIONS_MAX))
            try:
                connection, _ = self._listening.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                continue  # another process took it, or it left
            except OSError:
                await asyncio.sleep(FULL_S)
                continue
            connection.setblocking(False)
            await self._loop.connect_accepted_socket(self._protocol, connection)

    async def _wait_for_somebody(self) -> None:
        self._somebody.clear()
        self._loop.add_reader(self._number, self._somebody.set)
        try:
            await self._somebody.wait()
        finally:
            self._loop.remove_reader(self._number)


class PatientProtocol(HttpToolsProtocol):
    """HTTP/1.1 with a deadline and a bound for the head of each request. `head_timeout_s` is set where it is made."""

    head_timeout_s = 10.0

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._deadline: TimerHandle | None = None
        self._head_bytes = 0
        self._in_head = True

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_came()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._in_head:
            self._head_bytes += len(data)
        super().data_received(data)
        if self._in_head and self._head_bytes > HEADER_BYTES_MAX:
            self.transport.close()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head = True
        if self._deadline is None:
            self._expect_head()

    def on_headers_complete(self) -> None:
        self._in_head, self._head_bytes = False, 0
        self._head_came()
        if sum(len(name) + len(value) for name, value in self.headers) + len(self.url) > HEADER_BYTES_MAX:
            self.transport.close()
        else:
            super().on_headers_complete()

    def _expect_head(self) -> None:
        self._deadline = self.loop.call_later(self.head_timeout_s, self.transport.close)

    def _head_came(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


def patient(head_timeout_s: float) -> type[PatientProtocol]:
    """The protocol with this deadline."""
    return type("PatientProtocol", (PatientProtocol,), {"head_timeout_s": head_timeout_s})
