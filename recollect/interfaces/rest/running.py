"""The server itself: it takes connections until it is told to stop, and ends in time whatever hangs."""

from __future__ import annotations

import asyncio
import ctypes
import signal
import socket
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from typing import Any

import uvicorn

from recollect.interfaces.rest.app import Server
from recollect.interfaces.rest.connections import Accepting, patient
from recollect.interfaces.serving import BACKLOG
from recollect.interfaces.workers import AGAIN_S, HURRY

GRACE_S = 0.5  # for answers that say that the server stops, before their requests are broken off
GIVE_BACK_AFTER_S = 3.0  # when the indexes of all but large stores are in memory


class Running(uvicorn.Server):
    """A server of uvicorn's that leaves the exit code to us, and whose end is bounded.

    Told to stop it ends streams at once and gives requests `serve.drain_s`. Then, or when it is told again, those that
    still wait get a problem document, and the application closes. A call that hangs in a library is left behind on its
    thread, a daemon: so the process ends by itself, with its exit code and all that runs at exit, and needs no
    `os._exit`.
    """

    def __init__(self, serving: Server) -> None:
        settings = serving.memory.config.serve
        super().__init__(
            uvicorn.Config(
                serving.app,
                http=patient(settings.header_timeout_s),
                ws="none",
                lifespan="on",
                loop=_loop(),
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                backlog=BACKLOG,
                timeout_keep_alive=settings.keep_alive_s,
                timeout_graceful_shutdown=settings.drain_s + 2,  # our own end of it comes first
            )
        )
        self._serving = serving
        self._drain_s = settings.drain_s
        self._told_at = 0.0
        self._looping: asyncio.AbstractEventLoop | None = None

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {each: signal.signal(each, handler) for each, handler in self._handlers().items()}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)

    def _handlers(self) -> dict[signal.Signals, Any]:
        if not self._serving.place.shared:
            return dict.fromkeys((signal.SIGINT, signal.SIGTERM), self.handle_exit)
        # The lead hears all of it and passes it on; what the whole group is told is not a second word.
        return {signal.SIGINT: signal.SIG_IGN, signal.SIGTERM: self._stop, HURRY: self._hurry}

    def handle_exit(self, sig: int, frame: Any) -> None:
        if not self.should_exit:
            self._stop()
        elif time.monotonic() - self._told_at > AGAIN_S:
            self._hurry()

    def _stop(self, *_: object) -> None:
        self._told_at = time.monotonic()
        self.should_exit = True

    def _hurry(self, *_: object) -> None:
        self.should_exit = True
        if self._looping is not None:
            self._looping.call_soon_threadsafe(self._end_requests)

    def _end_requests(self) -> None:
        """What runs has had its time: whoever waits is answered, and what is left then is broken off."""
        self._serving.lanes.stop()
        asyncio.get_running_loop().call_later(GRACE_S, self._break_off)

    def _break_off(self) -> None:
        for task in self.server_state.tasks:
            task.cancel()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self._looping = asyncio.get_running_loop()
        shared = sockets if self._serving.place.shared else None
        await super().startup([] if shared else sockets)
        self._take_from(shared or ())
        self._serving.place.ready()
        asyncio.get_running_loop().call_later(GIVE_BACK_AFTER_S, _give_back)

    def _take_from(self, shared: Iterable[socket.socket]) -> None:
        servers: list[Any] = self.servers
        servers += [Accepting(each, self._protocol, self._connections) for each in shared]

    def _protocol(self) -> Any:
        make: Any = self.config.http_protocol_class
        return make(config=self.config, server_state=self.server_state, app_state=self.lifespan.state)

    def _connections(self) -> int:
        return len(self.server_state.connections)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._serving.feed.close()
        self._serving.lanes.drain()
        asyncio.get_running_loop().call_later(self._drain_s, self._end_requests)
        await super().shutdown(sockets)


def _give_back() -> None:
    """Return to the system what starting has used and freed, some megabytes that the C library would keep."""
    with suppress(AttributeError, OSError):  # another C library
        ctypes.CDLL(None).malloc_trim(0)


def _loop() -> Any:
    """uvloop where it is installed."""
    return "uvloop" if find_spec("uvloop") is not None else "asyncio"
