"""Starting and stopping the server: which address, who may come in, and how it ends without losing anything."""

from __future__ import annotations

import asyncio
import ctypes
import errno
import signal
import socket
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from recollect.errors import AccessDenied, MissingExtra, UsageError
from recollect.facade.handle import engine_of

if TYPE_CHECKING:
    from recollect.interfaces.rest.app import Server
    from recollect.interfaces.workers import WorkerPlace
    from recollect.memory import Memory

LIBRARIES = ("starlette", "prometheus_client", "uvicorn", "httptools")
BACKLOG = 256
GIVE_BACK_AFTER_S = 3.0  # when the indexes of all but large stores are in memory


def require_libraries() -> None:
    """`MissingExtra`, with the line that installs them, where the server's libraries are not there."""
    missing = [name for name in LIBRARIES if find_spec(name) is None]
    if missing:
        raise MissingExtra(f"the server needs {', '.join(missing)}; run: pip install 'recollect[server]'")


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens there; connections wait in it until the store is open."""
    if not 0 <= port <= 65_535:
        raise UsageError(f"{port} is no port; they go to 65535, and 0 takes any that is free")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError:
        raise UsageError(f"{host!r:.80} is no address of this machine; 127.0.0.1 is, 0.0.0.0 is all of them") from None
    listening = socket.socket(family, kind, protocol)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(BACKLOG)
    except OSError as error:
        listening.close()
        raise UsageError(_not_bound(host, port, error)) from None
    listening.set_inheritable(False)
    return listening


def require_tokens(memory: Memory) -> None:
    """Off loopback anybody may knock: without a token that opens, there is no door."""
    engine = engine_of(memory)
    with engine.store.read() as tx:
        if not tx.tokens.usable(now=engine.clock()):
            raise AccessDenied(
                "other machines can reach this address and no token exists; "
                "create one with `recollect token create`, or listen on 127.0.0.1"
            )


def serve(
    memory: Memory,
    listening: socket.socket,
    *,
    loopback: bool,
    trusting: bool = False,
    place: WorkerPlace | None = None,
) -> None:
    """Answer until told to stop (SIGTERM, SIGINT); then finish what runs, and close the memory.

    `trusting` asks for no token off loopback: something in front of the server decides who comes in. `place` is where
    this process stands among several that serve the same socket.
    """
    from recollect.interfaces.rest.app import Server

    if not loopback and not trusting:
        require_tokens(memory)
    serving = Server(memory, loopback=loopback, asks_for_token=False if trusting else None, place=place)
    if loopback and not memory.config.serve.require_token and listening.family == socket.AF_INET:
        engine_of(memory).observer.announcement.serve_at(listening.getsockname()[1])  # hooks need no fixed port
    running(serving).run(sockets=[listening])


def running(serving: Server) -> Any:
    """A uvicorn server for the application, set up as we want it."""
    import uvicorn

    from recollect.interfaces.rest.connections import Accepting, patient

    settings = serving.memory.config.serve
    config = uvicorn.Config(
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
        timeout_graceful_shutdown=settings.drain_s,
    )

    class Running(uvicorn.Server):
        """Ends streams as soon as it is told to stop, and leaves the exit code to us."""

        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            if threading.current_thread() is not threading.main_thread():
                yield
                return
            before = {each: signal.signal(each, self.handle_exit) for each in (signal.SIGINT, signal.SIGTERM)}
            try:
                yield
            finally:
                for each, handler in before.items():
                    signal.signal(each, handler)

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            shared = sockets if serving.place.shared else None
            await super().startup([] if shared else sockets)
            self._take_from(shared or ())
            serving.place.ready()
            asyncio.get_running_loop().call_later(GIVE_BACK_AFTER_S, _give_back)

        def _take_from(self, shared: Iterable[socket.socket]) -> None:
            servers: list[Any] = self.servers
            servers += [Accepting(each, self._protocol, self._connections) for each in shared]

        def _protocol(self) -> Any:
            make: Any = config.http_protocol_class
            return make(config=config, server_state=self.server_state, app_state=self.lifespan.state)

        def _connections(self) -> int:
            return len(self.server_state.connections)

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            serving.feed.close()
            await super().shutdown(sockets)

    return Running(config)


def _give_back() -> None:
    """Return to the system what starting has used and freed, some megabytes that the C library would keep."""
    with suppress(AttributeError, OSError):  # another C library
        ctypes.CDLL(None).malloc_trim(0)


def _loop() -> Any:
    """uvloop where it is installed."""
    return "uvloop" if find_spec("uvloop") is not None else "asyncio"


def _not_bound(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} is taken, maybe by another Recollect; stop that one, or choose another: --port {port + 1}"
    if error.errno == errno.EACCES:
        return f"port {port} is not for everybody; choose one above 1023, such as --port 7077"
    return f"cannot listen on {host} port {port}: {error.strerror or error}"
