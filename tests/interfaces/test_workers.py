"""Several processes behind one socket: what they share, who starts them again, and how they end."""

from __future__ import annotations

import http.client
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import psutil  # type: ignore[import-untyped,unused-ignore]
import pytest
from interfaces.test_cli_serve import asked, shell, told

from recollect.errors import UsageError
from recollect.interfaces.rest.metrics import Metrics, Route
from recollect.interfaces.workers import NOTE_BYTES, Board, Crew, Place

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
    return sum(int(line.removeprefix(wanted)) for line in lines if line.startswith(wanted))


def test_one_worker_is_no_crew() -> None:
    place = Crew(1, drain_s=1).work()
    assert isinstance(place, Place)
    assert place.first
    assert not place.shared


def test_several_need_a_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork")
    with pytest.raises(UsageError, match="--workers"):
        Crew(2, drain_s=1)


def test_a_note_is_read_by_the_others_and_a_torn_one_by_nobody() -> None:
    board = Board(2)
    assert board.others(0) == []
    board.write(1, b"seven")
    board.write(1, b"x" * NOTE_BYTES)  # too long: the one before stays
    assert board.others(0) == [b"seven"]
    assert board.others(1) == []
    board._notes[1][10] = ord("!")
    assert board.read(1) == b""


def test_figures_are_those_of_all_and_outlive_a_worker() -> None:
    board, health = Board(2), {"indexes_warm": True, "status": "ok", "index_lag": 0, "write_queue": 0}
    health["pending_embeddings"] = 0
    route, line = Route("GET", "/v1/stats"), 'recollect_requests_total{method="GET",route="/v1/stats",status="200"} '
    for number in (0, 1):
        mine = Metrics(Place(number, board))
        mine._done.requests[route, 200] = 3 + number
        mine._note()
    assert line + "7" in Metrics(Place(0, board)).text(health).splitlines()


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
