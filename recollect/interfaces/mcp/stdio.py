"""MCP over stdin and stdout: one client, until it hangs up or the process is told to stop."""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
import threading
from collections.abc import Mapping
from io import TextIOWrapper
from typing import Any

import anyio
import anyio.to_thread
from mcp.server.stdio import stdio_server

from recollect.interfaces.lanes import Lanes
from recollect.interfaces.mcp.binding import Binding, binding
from recollect.interfaces.mcp.notices import Notices
from recollect.interfaces.mcp.server import LOG, build
from recollect.memory import Memory
from recollect.model.grant import MayAdd
from recollect.telemetry import send_last

_FOR_CALLS = 0.5  # of the time that closing may take; the rest is for jobs


def serve(
    memory: Memory,
    *,
    tools: str,
    scope: Mapping[str, Any] | None = None,
    may_add: MayAdd | None = None,
    policy: str | None = None,
    read_only: bool = False,
    verbose: bool = False,
) -> None:
    """Answer one client. Nothing but the protocol is written to stdout; the log, without content, to stderr."""
    given = binding(memory, tools=tools, scope=scope, may_add=may_add, policy=policy, read_only=read_only)
    _log_to_stderr(verbose=verbose)
    anyio.run(_serve, memory, given)


async def _serve(memory: Memory, given: Binding) -> None:
    lanes = Lanes(lambda: memory.config.serve)
    notices = Notices(given.memory, lanes)
    server = build(lambda _: given, lanes, notices)
    lines = anyio.wrap_file(WholeCharacters(sys.stdin.buffer, encoding="utf-8", errors="replace"))
    end = End(memory, lanes)
    async with stdio_server(stdin=lines) as (reading, writing), anyio.create_task_group() as tasks:
        tasks.start_soon(_stop_when_told, end)
        tasks.start_soon(notices.watch)
        await server.run(reading, writing, server.create_initialization_options())
        await anyio.to_thread.run_sync(end.come)
        tasks.cancel_scope.cancel()


class End:
    """The end of the memory and of the threads that use it; it comes once, whoever asks for it."""

    def __init__(self, memory: Memory, lanes: Lanes) -> None:
        self._memory = memory
        self._lanes = lanes
        self._coming = threading.Lock()

    def hurry(self) -> None:
        """In the loop: no call is waited for any more."""
        self._lanes.stop()

    def come(self) -> None:
        """What runs has a share of `store.close_timeout_s`; a call that hangs in a model is left to its thread."""
        with self._coming:
            self._lanes.close(_FOR_CALLS * self._memory.config.store.close_timeout_s)
            self._memory.close()


async def _stop_when_told(end: End) -> None:
    """On a signal finish what is queued and leave at once: the thread that reads stdin cannot be woken."""
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            end.hurry()
            await anyio.to_thread.run_sync(end.come)
            await anyio.to_thread.run_sync(send_last)
            sys.stderr.flush()
            os._exit(0)


class WholeCharacters(TextIOWrapper):
    """Lines in which half a character (`\\ud83d` alone, as JavaScript writes a text that was cut) is replaced.

    The SDK drops a message that holds one without an answer, and its client would wait for ever.
    """

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]  # bytes in the base of all files
        line = super().readline(size)
        return whole(line) if "\\ud" in line or "\\uD" in line else line


def whole(line: str) -> str:
    """A line of JSON without halves of characters; one that is no JSON as it is."""
    try:
        text = json.dumps(json.loads(line), ensure_ascii=False)
    except (ValueError, RecursionError):
        return line
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") + "\n"


def _log_to_stderr(*, verbose: bool) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("recollect mcp: %(message)s"))
    log = logging.getLogger(LOG)
    log.handlers[:] = [handler]
    log.propagate = False
    log.setLevel(logging.INFO if verbose else logging.ERROR)
