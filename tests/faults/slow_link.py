"""A link between a program and its database server that can be slow, silent or cut: a TCP port that passes bytes on."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from urllib.parse import parse_qs, quote, urlsplit, urlunsplit

_CHUNK_BYTES = 1 << 16


class SlowLink:
    """Listens on loopback and passes on to where a URL of PostgreSQL leads, over a Unix socket or TCP."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._socket_folder = parse_qs(parts.query).get("host", [""])[0]
        self._to = (parts.hostname or "127.0.0.1", parts.port or 5432)
        self.delay_s = 0.0  # of each portion of bytes, in each direction
        self._open = threading.Event()  # cleared: bytes wait
        self._open.set()
        self._ends: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        query = "" if self._socket_folder else parts.query
        login = f"{quote(parts.username or '')}{':' + quote(parts.password) if parts.password else ''}@"
        self._parts = parts._replace(netloc=f"{login}127.0.0.1:{self.port}", query=query)
        self.url = urlunsplit(self._parts)
        threading.Thread(target=self._accept, daemon=True, name="slow-link").start()

    def pause(self) -> None:
        """From now on nothing arrives, in neither direction, and nobody is told."""
        self._open.clear()

    def resume(self) -> None:
        self._open.set()

    def cut(self) -> None:
        """End every connection that goes through."""
        with self._lock:
            ends, self._ends = self._ends, set()
        for end in ends:
            _shut(end)

    def close(self) -> None:
        _shut(self._listening)  # wakes whoever accepts
        self.resume()
        self.cut()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listening.accept()
            except OSError:
                return
            try:
                far = self._connected()
            except OSError:
                _shut(near)
                continue
            near.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self._lock:
                self._ends |= {near, far}
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self._pass_on, args=(one, other), daemon=True, name="slow-link").start()

    def _connected(self) -> socket.socket:
        if not self._socket_folder:
            return socket.create_connection(self._to)
        far = socket.socket(socket.AF_UNIX)
        try:
            far.connect(f"{self._socket_folder}/.s.PGSQL.{self._to[1]}")
        except OSError:
            far.close()
            raise
        return far

    def _pass_on(self, one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := one.recv(_CHUNK_BYTES):
                self._open.wait()
                if self.delay_s:
                    time.sleep(self.delay_s)
                other.sendall(data)
        for end in (one, other):
            _shut(end)
        with self._lock:
            self._ends -= {one, other}


def _shut(end: socket.socket) -> None:
    with contextlib.suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()
