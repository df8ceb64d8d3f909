"""A server killed while many write through it: what it acknowledged is there when it comes back."""

from __future__ import annotations

import http.client
import json
import random
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from properties.tables import assert_indexes_agree, assert_sound, open_quick

from faults.processes import started

SCRIPT = "serve_until_killed.py"
HEADERS = {"content-type": "application/json"}


class Client(threading.Thread):
    """Writes and reads over HTTP until told to stop. A server that is away is waited for."""

    def __init__(self, port: int, name: str) -> None:
        super().__init__()
        self._port = port
        self.name = name
        self._rng = random.Random(name)
        self._connection: http.client.HTTPConnection | None = None
        self.done: dict[str, str | None] = {}  # what was acknowledged; None: deleted
        self.unsure: dict[str, str | None] = {}  # asked for, and the server died before it said anything
        self.wrong: list[str] = []
        self.stopping = threading.Event()

    def run(self) -> None:
        number = 0
        while not self.stopping.is_set():
            number += 1
            try:
                self._one(f"{self.name} wrote number{number}")
            except (OSError, http.client.HTTPException):
                self._hang_up()
                time.sleep(0.02)
        self._hang_up()

    def _hang_up(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _one(self, text: str) -> None:
        live = [each for each, content in self.done.items() if content is not None and each not in self.unsure]
        choice = self._rng.choice(("add", "add", "batch", "update", "delete", "get", "search"))
        if choice in ("add", "batch") or not live:
            texts = [text] if choice != "batch" else [f"{text} part{part}" for part in range(5)]
            answer = self._ask("POST", "/v1/memories", {"content": texts, "user_id": self.name, "infer": False})
            self.done.update(zip(answer["ids"], texts, strict=True))
            return
        chosen = self._rng.choice(live)
        path = f"/v1/memories/{chosen}"
        if choice == "get":
            got = self._ask("GET", path)
            if got.get("memory") != self.done[chosen]:
                self.wrong.append(f"{chosen}: {got.get('memory')!r}, not {self.done[chosen]!r}")
        elif choice == "search":
            self._ask("POST", "/v1/memories/search", {"query": text, "user_id": self.name, "top_k": 3})
        else:
            self._change(chosen, path, text if choice == "update" else None)

    def _change(self, chosen: str, path: str, after: str | None) -> None:
        self.unsure[chosen] = after
        if after is None:
            self._ask("DELETE", path)
        else:
            self._ask("PATCH", path, {"content": after})
        del self.unsure[chosen]
        self.done[chosen] = after

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        self._connection = self._connection or http.client.HTTPConnection("127.0.0.1", self._port, timeout=10)
        self._connection.request(method, path, None if body is None else json.dumps(body), HEADERS)
        answer = self._connection.getresponse()
        data = json.loads(answer.read())
        if answer.status >= 400:
            raise http.client.HTTPException(f"{answer.status} {data}")
        return data


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def wait_until_up(port: int, process: subprocess.Popen[str]) -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        assert process.poll() is None, "the server ended by itself"
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            connection.request("GET", "/v1/health")
            connection.getresponse().read()
            connection.close()
            return
        except OSError:
            time.sleep(0.05)
    raise AssertionError("the server did not start")


def hammer(path: Path, *, clients: int, kills: int, between_s: float) -> list[Client]:
    """Clients write while the server is killed and started again; what each was told."""
    port = free_port()
    writers = [Client(port, f"client{number}") for number in range(clients)]
    for kill in range(kills + 1):
        with started(SCRIPT, path, port) as server:
            wait_until_up(port, server)
            if not kill:
                for writer in writers:
                    writer.start()
            time.sleep(between_s)
            if kill < kills:
                server.kill()  # SIGKILL: no handler, no flush, no goodbye
                continue
            for writer in writers:
                writer.stopping.set()
            for writer in writers:
                writer.join(timeout=30)
            server.send_signal(signal.SIGTERM)
            assert server.wait(timeout=30) == 0
    return writers


def check(path: Path, writers: list[Client], *, least: int) -> None:
    with open_quick(path) as memory:
        for writer in writers:
            assert not writer.wrong, writer.wrong[:3]
            assert len(writer.done) >= least, "it hardly wrote anything"
            for record_id, text in writer.done.items():
                record = memory.get(record_id)
                content = None if record is None else record.content
                assert content in (text, writer.unsure.get(record_id, text)), f"{record_id}: {content!r}, not {text!r}"
        assert_indexes_agree(memory)
    assert_sound(path)


def test_what_was_acknowledged_survives_the_server(tmp_path: Path) -> None:
    writers = hammer(tmp_path / "m.db", clients=8, kills=2, between_s=1.0)
    check(tmp_path / "m.db", writers, least=5)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_minute_of_it(tmp_path: Path) -> None:
    writers = hammer(tmp_path / "m.db", clients=8, kills=9, between_s=6.0)
    check(tmp_path / "m.db", writers, least=50)


def test_told_to_stop_it_finishes_what_runs(tmp_path: Path) -> None:
    port = free_port()
    with started(SCRIPT, tmp_path / "m.db", port) as server:
        wait_until_up(port, server)
        texts = [f"Ana counts to {number}" for number in range(3_000)]
        answers: list[Any] = []

        def load() -> None:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            connection.request("POST", "/v1/memories", json.dumps({"content": texts}), HEADERS)
            answers.append(json.loads(connection.getresponse().read()))
            connection.close()

        loading = threading.Thread(target=load)
        loading.start()
        time.sleep(0.15)
        server.send_signal(signal.SIGTERM)
        loading.join(timeout=60)
        assert server.wait(timeout=60) == 0
    assert len(answers[0]["ids"]) == 3_000
    with open_quick(tmp_path / "m.db") as memory:
        assert memory.stats()["records"] >= 3_000
