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
WORKERS = 2  # one for each core
CLIENTS = 4  # connections, in one process: a second core has to carry all of them
_MAIN = "import sys; from recollect.interfaces.cli import main; sys.exit(main())"
_HEADERS = {"Content-Type": "application/json"}
_WARM_S = 60.0
_IDLE_S = 3.5  # until what starting took has been given back


def measure(folder: Path, size: int, plan: Plan) -> list[Figure]:
    store = str(folder / data.STORE_FILE)
    with served(store):  # compiles what the next start finds compiled
        pass
    with served(store) as server:
        first = server.first_answer_ms
        server.wait_until_warm()
        time.sleep(_IDLE_S)
        idle_mb = server.rss_mb()
        alone = _searches("searches over HTTP, one process", server, size, plan)
    with served(store, workers=WORKERS) as server:
        server.wait_until_warm()
        both = _searches("searches over HTTP", server, size, plan)
    return [
        Figure(group=GROUP, name="start to first answer", size=size, p50_ms=first, note="the process, and one search"),
        alone,
        both,
        Figure(group=GROUP, name="memory, served and idle", size=size, rss_mb=idle_mb),
    ]


def _searches(name: str, server: Served, size: int, plan: Plan) -> Figure:
    seconds = plan.together_s
    (times,) = together([Child("bench.server:ask_for", port=server.port, seconds=seconds, clients=CLIENTS)])
    asked = f"{CLIENTS} connections, {server.workers} workers, project scope, top_k 10"
    note = f"{asked}; {server.rss_mb():.0f} MB afterwards"
    return latency(GROUP, name, times, size=size, per_s=len(times) / seconds, note=note)


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

    def __init__(self, store: str, workers: int = 1) -> None:
        self.workers = workers
        command = [sys.executable, "-c", _MAIN, "serve", "--db", store, "--port", "0", "--quiet", "-o", "json"]
        command += ["--workers", str(workers)]
        start = time.perf_counter()
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.port = int(self._told()["url"].rpartition(":")[2])
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        _answer(connection, json.dumps({"query": data.questions(1)[0], "project": data.PROJECT}))
        self.first_answer_ms = (time.perf_counter() - start) * 1e3

    def wait_until_warm(self) -> None:
        """Until all processes answer, and so many in a row, each over a connection of its own, from warm indexes."""
        until, warm = time.monotonic() + _WARM_S, 0
        while time.monotonic() < until and warm < 10 * self.workers:
            all_here = f"recollect_workers {self.workers}.0\n".encode() in self._got("/metrics")
            health = json.loads(self._got("/v1/health"))
            ready = all_here and health["indexes_warm"] and not health["index_lag"]
            warm = warm + 1 if ready else 0
            time.sleep(0.0 if ready else 0.1)

    def _got(self, path: str) -> bytes:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", path)
        answer = connection.getresponse().read()
        connection.close()
        return answer

    def rss_mb(self) -> float:
        return float(sum(each.memory_info().rss for each in self._serving()) / 2**20)

    def _serving(self) -> list[psutil.Process]:
        lead = psutil.Process(self.process.pid)
        return lead.children() if self.workers > 1 else [lead]

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
def served(store: str, workers: int = 1) -> Iterator[Served]:
    server = Served(store, workers)
    try:
        yield server
    finally:
        server.process.terminate()
        server.process.wait(timeout=60)
