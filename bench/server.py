"""The server: how long until its first answer, how many searches a second, how much memory while nobody asks."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped,unused-ignore]

from bench import data
from bench.child import Child, gate, together
from bench.measure import Figure, Stopwatch, latency
from bench.plan import Plan

GROUP = "server"
CLIENTS = 4  # connections, in one process: a second core has to carry all of them
_MAIN = "import sys; from recollect.interfaces.cli import main; sys.exit(main())"
_HEADERS = {"Content-Type": "application/json"}
_WARM_S = 60.0


def measure(folder: Path, size: int, plan: Plan) -> list[Figure]:
    store = str(folder / data.STORE_FILE)
    with served(store):  # compiles what the next start finds compiled
        pass
    with served(store) as server:
        first = server.first_answer_ms
        server.wait_until_warm()
        idle_mb = server.rss_mb()
        seconds = plan.together_s
        (times,) = together([Child("bench.server:ask_for", port=server.port, seconds=seconds, clients=CLIENTS)])
        busy_mb = server.rss_mb()
    note = f"{CLIENTS} connections over HTTP, project scope, top_k 10; {busy_mb:.0f} MB afterwards"
    return [
        Figure(group=GROUP, name="start to first answer", size=size, p50_ms=first, note="the process, and one search"),
        latency(GROUP, "searches over HTTP", times, size=size, per_s=len(times) / seconds, note=note),
        Figure(group=GROUP, name="memory, served and idle", size=size, rss_mb=idle_mb),
    ]


def ask_for(port: int, seconds: float, clients: int) -> list[float]:
    """In a child: milliseconds of each search, by several connections at once."""
    questions = data.questions(500, seed=5)
    times: list[list[float]] = [[] for _ in range(clients)]
    go = threading.Event()
    threads = [
        threading.Thread(target=_ask, args=(port, seconds, questions[n::clients], times[n], go)) for n in range(clients)
    ]
    for thread in threads:
        thread.start()
    gate()
    go.set()
    for thread in threads:
        thread.join()
    return [ms for mine in times for ms in mine]


def _ask(port: int, seconds: float, questions: list[str], times: list[float], go: threading.Event) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    bodies = [json.dumps({"query": text, "project": data.PROJECT, "top_k": 10}) for text in questions]
    _answer(connection, bodies[0])
    go.wait()
    watch = Stopwatch()
    while watch.s < seconds:
        start = time.perf_counter()
        _answer(connection, bodies[len(times) % len(bodies)])
        times.append((time.perf_counter() - start) * 1e3)


def _answer(connection: http.client.HTTPConnection, body: str) -> bytes:
    connection.request("POST", "/v1/memories/search", body, _HEADERS)
    response = connection.getresponse()
    got = response.read()
    assert response.status == 200, got[:200]
    return got


class Served:
    """A server in a process of its own."""

    def __init__(self, store: str) -> None:
        command = [sys.executable, "-c", _MAIN, "serve", "--db", store, "--port", "0", "--quiet", "-o", "json"]
        start = time.perf_counter()
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.port = int(self._told()["url"].rpartition(":")[2])
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        _answer(connection, json.dumps({"query": data.questions(1)[0], "project": data.PROJECT}))
        self.first_answer_ms = (time.perf_counter() - start) * 1e3

    def wait_until_warm(self) -> None:
        until = time.monotonic() + _WARM_S
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        while time.monotonic() < until:
            connection.request("GET", "/v1/health")
            health = json.loads(connection.getresponse().read())
            if health["indexes_warm"] and not health["index_lag"]:
                return
            time.sleep(0.1)

    def rss_mb(self) -> float:
        return float(psutil.Process(self.process.pid).memory_info().rss / 2**20)

    def _told(self) -> Any:
        """The one JSON document that it prints when it listens."""
        assert self.process.stdout is not None
        text = ""
        for line in self.process.stdout:
            text += line
            if line == "}\n":
                return json.loads(text)
        raise RuntimeError("the server ended before it listened")


@contextmanager
def served(store: str) -> Iterator[Served]:
    server = Served(store)
    try:
        yield server
    finally:
        server.process.terminate()
        server.process.wait(timeout=60)
