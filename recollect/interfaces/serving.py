"""Starting and stopping the server: which address, who may come in, and how it ends without losing anything."""

from __future__ import annotations

import errno
import socket
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

    What still runs after `serve.drain_s`, or when it is told again, is answered with a problem document.

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
    from recollect.interfaces.rest.running import Running

    return Running(serving)


def _not_bound(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} is taken, maybe by another Recollect; stop that one, or choose another: --port {port + 1}"
    if error.errno == errno.EACCES:
        return f"port {port} is not for everybody; choose one above 1023, such as --port 7077"
    return f"cannot listen on {host} port {port}: {error.strerror or error}"
