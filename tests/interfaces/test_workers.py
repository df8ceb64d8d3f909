"""Several processes behind one socket: what they share, who starts them again, and how they end."""

from __future__ import annotations

import http.client
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil  # type: ignore[import-untyped,unused-ignore]
import pytest
from interfaces.test_cli_serve import asked, shell, told

from recollect.errors import UsageError
from recollect.interfaces.workers import FIGURES, Crew, WorkerPlace

SEARCH = "/v1/memories/search"


def until(true: Callable[[], bool], *, seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


def searches_counted(url: str) -> int:
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=10)
    connection.request("GET", "/metrics")
    lines = connection.getresponse().read().decode().splitlines()
    connection.close()
    wanted = f'recollect_requests_total{{method="POST",route="{SEARCH}",status="200"}} '
    return sum(int(float(line.removeprefix(wanted))) for line in lines if line.startswith(wanted))


def test_one_worker_is_no_crew() -> None:
    place = Crew(1, ends_in_s=1).work()
    assert isinstance(place, WorkerPlace)
    assert place.first
    assert not place.shared


def test_several_need_a_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork")
    with pytest.raises(UsageError, match="--workers"):
        Crew(2, ends_in_s=1)


COUNTING = """
import os, pathlib, sys
from recollect.interfaces.rest.metrics import Metrics
from recollect.interfaces.workers import FIGURES, WorkerPlace
mine = Metrics(WorkerPlace(0, pathlib.Path(os.environ[FIGURES])))
for _ in range(int(sys.argv[1])):
    mine.begun()
    mine.count("GET", "/v1/stats", 200, 0.002)
health = {"indexes_warm": True, "status": "ok", "index_lag": 0, "write_queue": 0, "pending_embeddings": 0}
print(mine.text(health).decode())
"""


def test_figures_are_those_of_all_and_outlive_a_worker(tmp_path: Path) -> None:
    """Two that count and end, the first of them as the lead sees it; then one that only tells."""
    environment = {**os.environ, FIGURES: str(tmp_path)}
    for count in ("3", "4", "0"):
        worker = subprocess.Popen([sys.executable, "-c", COUNTING, count], env=environment, stdout=subprocess.PIPE)
        told = worker.communicate(timeout=60)[0].decode().splitlines()
        if count == "3":
            for gone in tmp_path.glob(f"gauge_live*_{worker.pid}.db"):
                gone.unlink()
    assert 'recollect_requests_total{method="GET",route="/v1/stats",status="200"} 7.0' in told
    assert 'recollect_request_seconds_bucket{le="0.0025",method="GET",route="/v1/stats"} 7.0' in told
    assert "recollect_requests_in_flight 4.0" in told
    assert "recollect_workers 2.0" in told
    assert "recollect_healthy 1.0" in told


def test_two_workers_serve_and_one_that_falls_over_is_replaced(tmp_path: Path) -> None:
    with shell("serve", "--db", str(tmp_path / "s.db"), "--port", "0", "-o", "json", "--quiet", "-w", "2") as lead:
        url = told(lead)["url"]
        first = psutil.Process(lead.pid)
        until(lambda: len(first.children()) == 2)
        assert asked(url, "/v1/memories", {"content": "Ana sails", "user_id": "ana"})[0] == 201
        fallen = first.children()[0]
        os.kill(fallen.pid, signal.SIGKILL)
        until(lambda: len(first.children()) == 2 and fallen.pid not in [each.pid for each in first.children()])
        for _ in range(6):
            status, found = asked(url, SEARCH, {"query": "who sails?", "user_id": "ana"})
            assert (status, [hit["memory"] for hit in found["results"]]) == (200, ["Ana sails"])
        until(lambda: searches_counted(url) == 6)
        lead.send_signal(signal.SIGTERM)
        assert lead.wait(timeout=30) == 0


def test_workers_end_with_their_lead(tmp_path: Path) -> None:
    with shell("serve", "--db", str(tmp_path / "s.db"), "--port", "0", "-o", "json", "--quiet", "-w", "2") as lead:
        told(lead)
        until(lambda: len(psutil.Process(lead.pid).children()) == 2)
        workers = psutil.Process(lead.pid).children()
        lead.kill()
        until(lambda: not any(each.is_running() and each.status() != "zombie" for each in workers))


def test_what_is_wrong_with_the_store_is_said_once(tmp_path: Path) -> None:
    with shell("serve", "--db", str(tmp_path), "--port", "0", "-o", "json", "-w", "3") as lead:
        _, errors = lead.communicate(timeout=60)
        assert lead.returncode == 1
        assert errors.count("E1005") == 1
