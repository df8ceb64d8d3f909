"""A model that never answers keeps no process: servers and programs end in time, with the memory closed."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from properties.tables import assert_sound, open_quick

import recollect
from faults.hung_model import HungModel
from faults.test_server_killed import HEADERS, free_port, wait_until_up

DRAIN_S, CLOSE_S, SPARE_S = 1, 1, 4.0  # the last for a busy machine: starting a thread, a checkpoint, Python's own end
QUESTION = json.dumps({"question": "Who keeps bees, and what happened to Ana then?"})
RUN = [sys.executable, "-W", "error", "-m", "recollect.interfaces.cli"]


@pytest.fixture
def model() -> Iterator[HungModel]:
    with HungModel() as found:
        yield found  # type: ignore[misc]


def environment(model: HungModel, path: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(path.parent),
        "PYTHONPATH": str(Path(recollect.__file__).parents[1]),
        "RECOLLECT_DB": str(path),
        "RECOLLECT_LLM": model.llm,
        "RECOLLECT_LLM_TIMEOUT_S": "300",
        "RECOLLECT_EMBEDDER": "fake",
        "RECOLLECT_SERVE__DRAIN_S": str(DRAIN_S),
        "RECOLLECT_STORE__CLOSE_TIMEOUT_S": str(CLOSE_S),
        "RECOLLECT_RECALL__TIMEOUT_S": "300",
    }


@contextmanager
def started(model: HungModel, path: Path, *words: str, **more: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [*RUN, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(model, path) | more,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


class Waiting(threading.Thread):
    """A client that asks what the model never answers."""

    def __init__(self, port: int) -> None:
        super().__init__(daemon=True)
        self._port = port
        self.status = 0
        self.answer: Any = None
        self.start()

    def run(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        connection.request("POST", "/v1/verbs/reason", QUESTION, HEADERS)
        answer = connection.getresponse()
        self.status, self.answer = answer.status, json.loads(answer.read())
        connection.close()


def told_no(client: Waiting) -> None:
    client.join(timeout=20)
    assert (client.status, client.answer["code"]) == (503, "E5005")
    assert "the server stops" in client.answer["detail"]


def closed_well(path: Path) -> None:
    assert not path.with_name(path.name + "-wal").exists(), "the log was not folded into the file"
    with open_quick(path) as memory:
        assert [each.content for each in memory.get_all()] == ["Ana keeps bees"]
    assert_sound(path)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_server_ends_while_a_model_hangs(tmp_path: Path, model: HungModel, workers: int) -> None:
    port, path = free_port(), tmp_path / "m.db"
    with started(model, path, "serve", "--port", str(port), "--quiet", "--workers", str(workers)) as server:
        wait_until_up(port, server)
        add(port)
        client = Waiting(port)
        assert model.asked_something.wait(20)
        began = time.monotonic()
        server.send_signal(signal.SIGTERM)
        assert server.wait(timeout=60) == 0
        assert DRAIN_S <= time.monotonic() - began < DRAIN_S + CLOSE_S + SPARE_S
        told_no(client)
        assert server.stderr is not None
        assert "Exception in ASGI" not in server.stderr.read()
    closed_well(path)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_second_word_ends_it_at_once(tmp_path: Path, model: HungModel, workers: int) -> None:
    port, path = free_port(), tmp_path / "m.db"
    words = ("serve", "--port", str(port), "--quiet", "--workers", str(workers))
    with started(model, path, *words, RECOLLECT_SERVE__DRAIN_S="300") as server:
        wait_until_up(port, server)
        add(port)
        client = Waiting(port)
        assert model.asked_something.wait(20)
        server.send_signal(signal.SIGTERM)
        server.send_signal(signal.SIGTERM)  # the same word, told to a group and to the process
        time.sleep(1.5)
        assert server.poll() is None, "it waits for what runs"
        began = time.monotonic()
        server.send_signal(signal.SIGINT)
        assert server.wait(timeout=60) == 0
        assert time.monotonic() - began < CLOSE_S + SPARE_S
        told_no(client)
    closed_well(path)


def add(port: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("POST", "/v1/memories", json.dumps({"content": "Ana keeps bees", "infer": False}), HEADERS)
    assert connection.getresponse().status == 201
    connection.close()


def said(process: subprocess.Popen[str], method: str, number: int, **params: Any) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n")
    process.stdin.flush()


@pytest.mark.parametrize("how", ["it hangs up", "a signal", "it hangs up, then a signal"])
def test_mcp_ends_while_a_model_hangs(tmp_path: Path, model: HungModel, how: str) -> None:
    pytest.importorskip("mcp")
    path = tmp_path / "m.db"
    with started(model, path, "mcp", "--tools", "all") as server:
        assert server.stdin is not None
        assert server.stdout is not None
        who = {"name": "by hand", "version": "1"}
        said(server, "initialize", 1, protocolVersion="2025-06-18", capabilities={}, clientInfo=who)
        server.stdout.readline()
        with open_quick(path) as memory:
            memory.add("Ana keeps bees", infer=False)
        said(server, "tools/call", 2, name="memory_reason", arguments=json.loads(QUESTION))
        assert model.asked_something.wait(20)
        began = time.monotonic()
        if "hangs up" in how:
            server.stdin.close()
            server.stdin = None
        if "then" in how:
            time.sleep(0.2)
        if "signal" in how:
            server.send_signal(signal.SIGTERM)
        assert server.wait(timeout=60) == 0
        assert time.monotonic() - began < CLOSE_S + SPARE_S
    closed_well(path)


PROGRAM = """
import asyncio, sys
from recollect.aio import AsyncMemory

async def main():
    mem = AsyncMemory(sys.argv[1])
    await mem.add("Ana keeps bees", infer=False)
    call = asyncio.create_task(mem.reason("Who keeps bees, and what happened to Ana then?"))
    print("asked", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    if "close" in sys.argv:
        await mem.close()

asyncio.run(main())
"""


@pytest.mark.parametrize("how", ["close", "leave"])
def test_an_async_program_ends_while_a_model_hangs(tmp_path: Path, model: HungModel, how: str) -> None:
    path = tmp_path / "m.db"
    command = [sys.executable, "-c", PROGRAM, str(path), how]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, env=environment(model, path), **pipes) as process:
        try:
            assert model.asked_something.wait(20)
            assert process.stdin is not None
            began = time.monotonic()
            process.stdin.write("end\n")
            process.stdin.flush()
            assert process.wait(timeout=30) == 0
            assert time.monotonic() - began < CLOSE_S + SPARE_S
        finally:
            process.kill()
    closed_well(path)
