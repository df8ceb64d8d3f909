"""Taking connections from a socket that other processes take from as well, so that each gets its share.

A system wakes all who wait and lets the quickest have everything. Here whoever holds more connections waits a little
longer before it takes the next one.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable

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
