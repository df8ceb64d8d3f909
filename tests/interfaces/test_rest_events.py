"""Events as they happen, figures for Prometheus, and the description of the API."""

from __future__ import annotations

import http.client
import json
import re
import threading
import time
from pathlib import Path
from typing import Any

from interfaces.rest_server import bearer, client, listening, token

import recollect
from recollect.model.scope import Scope
from recollect.store.changes import IDS_MAX

OF_THE_STORE = ("ready", "health", "disk-full")


class Stream:
    """An event stream, read event by event."""

    def __init__(self, port: int, headers: dict[str, str] | None = None, query: str = "") -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        self._connection.request("GET", f"/v1/events{query}", headers=headers or {})
        self.answer = self._connection.getresponse()
        if self.answer.status == 200:
            assert self._block() == [": listening"]

    def event(self) -> dict[str, Any]:
        """The next change."""
        while (told := self.any_event())["event"] in OF_THE_STORE:
            pass
        return told

    def any_event(self) -> dict[str, Any]:
        """The next one that is no sign of life."""
        while (block := self._block())[0].startswith(":"):
            pass
        fields = dict(line.split(": ", 1) for line in block)
        return {**fields, "data": json.loads(fields["data"])}

    def sign_of_life(self) -> str:
        while not (block := self._block())[0].startswith(":"):
            pass
        return block[0]

    def close(self) -> None:
        self.answer.close()
        self._connection.close()

    def _block(self) -> list[str]:
        lines: list[str] = []
        while (line := self.answer.readline().decode().rstrip("\n")) or not lines:
            lines.append(line)
        return lines


def test_changes_are_told_as_they_happen_and_without_content(tmp_path: Path) -> None:
    with listening(tmp_path / "m.db") as port:
        stream = Stream(port)
        with recollect.open(tmp_path / "m.db", embedder="fake") as other:  # as another process would
            receipt = other.add("Ana moved from vim to Helix", infer=False)
            told = stream.event()
            assert told["event"] == "record"
            assert told["data"]["ids"] == [receipt.id]
            assert told["data"]["operation"] == receipt.operation
            assert told["data"]["verb"] == "add"
            assert "Helix" not in json.dumps(told)
            other.delete(receipt.id)
            gone = stream.event()
            assert gone["data"]["retired"] == [receipt.id]
            assert int(gone["id"]) > int(told["id"])
        stream.close()
        again = Stream(port, {"Last-Event-ID": told["id"]})
        assert again.event()["id"] == gone["id"]
        again.close()


def test_how_the_store_is_comes_first_and_at_its_period(tmp_path: Path) -> None:
    with listening(tmp_path / "m.db", **{"upkeep.health_period_s": 1.0}) as port:
        stream = Stream(port)
        told = [stream.any_event() for _ in range(3)]
        assert {each["event"] for each in told} == {"ready", "health"}
        health = [each for each in told if each["event"] == "health"]
        assert len(health) == 2
        assert all(each["data"]["status"] == "ok" and "id" not in each for each in health)
        stream.close()


def test_a_listener_hears_what_its_scope_sees(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "m.db", embedder="fake") as memory:
        ana = token(memory, "read", user_id="ana")
    with listening(tmp_path / "m.db") as port, recollect.open(tmp_path / "m.db", embedder="fake") as memory:
        stream = Stream(port, bearer(ana))
        memory.add("Ben's own", user_id="ben", infer=False)
        a, b = (memory.add(text, user_id="ana", infer=False).id for text in ("One of Ana's", "Another of Ana's"))
        ben = memory.add("Ben's other", user_id="ben", infer=False).id
        memory.relate(a, ben, "relates_to")
        edge = memory.relate(a, b, "supports")
        heard = [stream.event() for _ in range(3)]
        assert [each["data"]["ids"] for each in heard] == [[a], [b], [edge]]
        stream.close()


def test_streams_give_signs_of_life_are_counted_and_end_with_the_server(tmp_path: Path) -> None:
    settings = {"serve.heartbeat_s": 0.1, "serve.event_streams_max": 1}
    with listening(tmp_path / "m.db", **settings) as port:
        stream, second = Stream(port), Stream(port)
        wrong = Stream(port, {"Last-Event-ID": "yesterday"})
        assert stream.sign_of_life() == ": still here"
        assert second.answer.status == 503
        assert wrong.answer.status == 422
        second.close()
        wrong.close()
        ends: list[bool] = []
        reader = threading.Thread(target=lambda: ends.append(_drained(stream)))
        reader.start()
    reader.join(timeout=10)
    assert ends == [True]
    stream.close()


def test_a_stream_ends_soon_after_its_token(tmp_path: Path) -> None:
    with listening(tmp_path / "m.db") as port, recollect.open(tmp_path / "m.db", embedder="fake") as other:
        clock = other._opened.clock
        revoked, expiring = (
            Stream(port, bearer(token(other, "read", name=name, expires_at=ends)))
            for name, ends in (("revoked", None), ("expiring", clock() + 2_000_000))
        )
        staying = Stream(port, bearer(token(other, "read", name="staying")))
        other.add("Ana uses Helix", infer=False)
        for stream in (revoked, expiring, staying):
            assert stream.event()["event"] == "record"
        other._opened.store.write(lambda tx: tx.tokens.revoke("revoked", at=clock()))
        began = time.monotonic()
        assert revoked.event()["event"] == "over"
        assert time.monotonic() - began < 5.0
        assert expiring.event()["event"] == "over"
        other.add("Ana moved from Helix to Zed", infer=False)
        assert staying.event()["event"] == "record"
        for stream in (revoked, expiring):
            assert _drained(stream), "it is over, and nothing more was told"
        for stream in (revoked, expiring, staying):
            stream.close()


def _drained(stream: Stream) -> bool:
    while stream.answer.readline():
        pass
    return True


def test_a_stream_that_was_away_too_long_is_told_so(memory: recollect.Memory) -> None:
    store = memory._opened.store
    for number in range(5):
        memory.add(f"Number {number}", infer=False)
    store.write(lambda tx: tx.changes.trim(2))
    with store.read() as tx:
        portion = tx.changes.after(0, limit=100, visible=None)
        assert portion.lost
        assert portion.seq == tx.changes.newest()
        assert not tx.changes.after(portion.seq, limit=100, visible=None).lost


def test_many_at_once_are_counted_and_some_named(memory: recollect.Memory) -> None:
    memory.add([f"Number {number}" for number in range(250)], user_id="ana", infer=False)
    with memory._opened.store.read() as tx:
        told = tx.changes.after(0, limit=1000, visible=None).announcements
        assert sum(each.count for each in told if each.topic == "record") == 250
        assert max(len(each.ids) for each in told) == IDS_MAX
        assert tx.changes.after(0, limit=1000, visible=tx.scopes.visible(Scope(user_id="ben"))).announcements == []


def test_figures_are_what_prometheus_reads(tmp_path: Path) -> None:
    with client(tmp_path / "m.db") as rest:
        rest.post("/v1/memories", json={"content": "Ana uses Helix"})
        rest.get("/v1/memories/00000000-0000-4000-8000-000000000000")
        answer = rest.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = answer.text.splitlines()
    assert 'recollect_requests_total{method="POST",route="/v1/memories",status="201"} 1.0' in lines
    assert 'recollect_requests_total{method="GET",route="/v1/memories/{id}",status="404"} 1.0' in lines
    assert 'recollect_request_seconds_count{method="POST",route="/v1/memories"} 1.0' in lines
    sample = re.compile(r"[a-z_]+(\{([a-z]+=\"[^\"]*\",?)+\})? [-+0-9.e]+(Inf)?")
    assert all(line.startswith("#") or sample.fullmatch(line) for line in lines)
    buckets = [float(line.rpartition(" ")[2]) for line in lines if "_bucket" in line and 'route="/v1/memories"' in line]
    assert buckets == sorted(buckets)
    assert buckets[-1] == 1


def test_the_style_is_sealed(tmp_path: Path) -> None:
    from base64 import b64encode
    from hashlib import sha256

    with client(tmp_path / "m.db") as rest:
        page = rest.get("/docs")
        style = page.text.partition("<style>")[2].partition("</style>")[0]
        seal = b64encode(sha256(style.encode()).digest()).decode()
        assert f"'sha256-{seal}'" in page.headers["content-security-policy"]


def test_nobody_waits_for_a_stream_that_was_left(tmp_path: Path) -> None:
    began = time.monotonic()
    with listening(tmp_path / "m.db") as port:
        Stream(port).close()
    assert time.monotonic() - began < 10
