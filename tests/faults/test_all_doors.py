"""REST, MCP over both transports and the shell on one store at once, while its server is killed again and again."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

pytest.importorskip("mcp")
from interfaces.rest_server import token
from properties.tables import assert_indexes_agree, assert_sound, open_quick

from faults.doors import McpOverHttp, McpOverStdio, Rest, Shell, Writer
from faults.processes import started
from faults.test_server_killed import SCRIPT, free_port, wait_until_up

REST_CLIENTS = 8
KILLS, BETWEEN_S = 9, 6.0
WRITES_MIN = 5  # of each; the shell takes a second for every word


def writers(path: Path, port: int) -> dict[str, Writer]:
    """Eight clients of REST, two of MCP, and somebody at the shell; each for a person of its own."""
    with open_quick(path) as memory:
        over_http = [f"rest{number}" for number in range(REST_CLIENTS)] + ["remote"]
        tokens = {name: token(memory, "read", "write", name=name, user_id=name) for name in over_http}
    found: dict[str, Writer] = {}
    for name, text in tokens.items():
        door = McpOverHttp(port, text) if name == "remote" else Rest(port, text)
        found[name] = Writer(name, door, found, pries=True)
    found["local"] = Writer("local", McpOverStdio(path, "local"), found, pries=True)
    found["shell"] = Writer("shell", Shell(path, "shell"), found, pries=False)  # the owner may see everything
    return found


def hammer(path: Path, port: int, writing: dict[str, Writer]) -> None:
    """All write while the server is killed and started again."""
    for kill in range(KILLS + 1):
        with started(SCRIPT, path, port) as server:
            wait_until_up(port, server)
            if not kill:
                for writer in writing.values():
                    writer.start()
            time.sleep(BETWEEN_S)
            if kill < KILLS:
                server.kill()  # SIGKILL: no handler, no flush, no goodbye
                continue
            for writer in writing.values():
                writer.stopping.set()
            for writer in writing.values():
                writer.join(timeout=60)
                assert not writer.is_alive(), writer.name
            server.send_signal(signal.SIGTERM)
            assert server.wait(timeout=30) == 0


def check(path: Path, writing: dict[str, Writer]) -> None:
    """What was acknowledged is there, as it was left; everything belongs to whoever wrote it."""
    with open_quick(path) as memory:
        for name, writer in writing.items():
            assert not writer.wrong, (name, writer.wrong[:3])
            assert writer.acknowledged >= WRITES_MIN, (name, writer.counts)
            for id_, text in writer.done.items():
                record = memory.get(id_)
                content = None if record is None else record.content
                assert content in (text, writer.unsure.get(id_, text)), f"{name} {id_}: {content!r}, not {text!r}"
        for record in memory.get_all(reach="all", limit=10_000):
            assert record.content.startswith(f"{record.scope.user_id} "), record.id
        assert_indexes_agree(memory)
    assert_sound(path)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_minute_of_everything_at_once(tmp_path: Path) -> None:
    path, port = tmp_path / "m.db", free_port()
    writing = writers(path, port)
    hammer(path, port, writing)
    for name, writer in writing.items():
        print(name, writer.acknowledged, "acknowledged", writer.counts)
    check(path, writing)
    assert sum(writer.counts["pry"] for writer in writing.values()) > REST_CLIENTS
