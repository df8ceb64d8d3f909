"""A server for tests: the application called directly, or listening on a port of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

import recollect
from recollect.clock import Clock, now_us
from recollect.interfaces import serving
from recollect.interfaces.rest.app import Server
from recollect.memory import Memory
from recollect.model.grant import OWNER, MayAdd
from recollect.store.tokens import Right

HOST = "http://127.0.0.1:7077"


@contextmanager
def client(
    path: Path, *, loopback: bool = True, config: dict[str, Any] | None = None, clock: Clock = now_us
) -> Iterator[TestClient]:
    """Requests straight into the application. The memory is opened for it and closed by it."""
    memory = recollect.open(path, embedder="fake", config=config, clock=clock)
    with TestClient(Server(memory, loopback=loopback).app, base_url=HOST, raise_server_exceptions=True) as found:
        found.memory = memory  # type: ignore[attr-defined]
        yield found


@contextmanager
def listening(
    path: Path, *, embedder: str = "fake", port: int = 0, key: bytes | None = None, llm: Any = None, **config: Any
) -> Iterator[int]:
    """A real server in a thread; its port."""
    memory = recollect.open(path, embedder=embedder, config=config, key=key, llm=llm)
    socket = serving.listen("127.0.0.1", port)
    server = serving.running(Server(memory))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [socket]})
    thread.start()
    until = time.monotonic() + 10
    while not server.started and time.monotonic() < until:
        time.sleep(0.01)
    try:
        yield socket.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(timeout=20)
        assert not thread.is_alive(), "the server did not stop"


def token(
    memory: Memory,
    *rights: str,
    name: str | None = None,
    expires_at: int | None = None,
    may_add: MayAdd | None = None,
    policy: str | None = None,
    **scope: str,
) -> str:
    """A new token's text."""
    engine = memory._opened
    wanted = frozenset(map(Right, rights or ("read", "write")))
    called = name or f"token of {len(rights)} {sorted(scope.items())} {engine.clock()}"
    made = engine.store.write(
        lambda tx: tx.tokens.create(
            name=called,
            grant=OWNER.narrowed(scope, may_add, policy),
            rights=wanted,
            at=engine.clock(),
            expires_at=expires_at,
        )
    )
    return made.text


def bearer(text: str) -> dict[str, str]:
    return {"authorization": f"Bearer {text}"}
