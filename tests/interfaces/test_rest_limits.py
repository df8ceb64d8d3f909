"""Bounds of the server: sizes, times, rates, and clients that take their time."""

from __future__ import annotations

import http.client
import json
import logging
import socket
import threading
import time
from pathlib import Path

import pytest
from interfaces.rest_server import bearer, client, listening, token

from recollect.config import load_config
from recollect.errors import MissingExtra, RateLimited, UsageError
from recollect.interfaces import serving
from recollect.interfaces.rest import logs
from recollect.memory import Memory
from recollect.security.quota import CallLimits, Quota

JSON = {"content-type": "application/json"}


def test_a_body_over_its_limit_is_refused(tmp_path: Path) -> None:
    with client(tmp_path / "m.db", config={"serve.body_bytes_max": 2000}) as rest:
        announced = rest.post("/v1/memories", json={"content": "x" * 3000})
        assert announced.status_code == 413
        assert announced.json()["code"] == "E4004"
        assert announced.headers["connection"] == "close"
        portions = (b'{"content": "', *[b"x" * 500] * 6, b'"}')
        unannounced = rest.post("/v1/memories", content=iter(portions), headers=JSON)
        assert unannounced.status_code == 413
        assert rest.get("/v1/stats").json()["records"] == 0


def test_a_record_over_the_stores_own_limit_is_refused_the_same_way(tmp_path: Path) -> None:
    with client(tmp_path / "m.db") as rest:
        answer = rest.post("/v1/memories", json={"content": "x" * 3_000_000})
        assert answer.status_code == 413
        assert answer.json()["code"] == "E4004"


def test_a_token_may_call_so_often_and_the_owner_as_often_as_he_likes(tmp_path: Path) -> None:
    with client(tmp_path / "m.db", config={"serve.requests_per_minute": 3}) as rest:
        headers = bearer(token(rest.memory, "read"))  # type: ignore[attr-defined]
        answers = [rest.get("/v1/stats", headers=headers) for _ in range(5)]
        assert [each.status_code for each in answers] == [200, 200, 200, 429, 429]
        assert answers[-1].json()["code"] == "E2003"
        assert answers[-1].json()["retryable"] is True
        assert 1 <= int(answers[-1].headers["retry-after"]) <= 20
        assert {rest.get("/v1/stats").status_code for _ in range(5)} == {200}


def test_a_bucket_fills_again() -> None:
    now = 0.0
    quota = Quota(lambda: now)
    for _ in range(60):
        quota.take("ana", 60)
    with pytest.raises(RateLimited):
        quota.take("ana", 60)
    quota.take("ben", 60)
    now = 1.1
    quota.take("ana", 60)
    with pytest.raises(RateLimited):
        quota.take("ana", 60)


def test_a_session_of_searches_ends_by_silence() -> None:
    now = 0.0
    limits = {"security.limit_searches": True, "security.searches_per_minute": 100, "security.searches_per_session": 2}
    config = load_config({**limits, "upkeep.session_idle_s": 600.0})
    searches = CallLimits(lambda: config, lambda: now)
    for _ in range(2):
        searches.search("ana")
    with pytest.raises(RateLimited, match="has made its 2 searches"):
        searches.search("ana")
    searches.search("ben")
    now = 500.0
    with pytest.raises(RateLimited, match="after 100 s of silence"):
        searches.search("ana")
    now = 601.0
    searches.search("ana")


def test_a_client_that_leaves_in_the_middle_of_its_body_is_no_fault(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger=logs.NAME), listening(tmp_path / "m.db") as port:
        for path in (b"/v1/memories", b"/mcp"):
            with socket.create_connection(("127.0.0.1", port), timeout=5) as leaving:
                leaving.sendall(
                    b"POST " + path + b" HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                    b"Accept: application/json, text/event-stream\r\nContent-Length: 100\r\n\r\n{"
                )
                time.sleep(0.05)
        until = time.monotonic() + 10
        while len(caplog.records) < 2 and time.monotonic() < until:
            time.sleep(0.01)
    told = [json.loads(logs.JsonLines().format(record)) for record in caplog.records if record.name == logs.NAME]
    assert [each["level"] for each in told] == ["info", "info"]
    assert {each["status"] for each in told} == {499}


def test_what_takes_too_long_is_answered_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = threading.Event()

    def slow(self: Memory, **_: object) -> object:
        time.sleep(0.5)
        done.set()
        return {}

    monkeypatch.setattr(Memory, "stats", slow)
    with client(tmp_path / "m.db", config={"serve.answer_timeout_s": 0.1}) as rest:
        answer = rest.get("/v1/stats")
        assert answer.status_code == 504
        assert answer.json()["code"] == "E2001"
        assert not done.is_set()
    assert done.is_set(), "closing waits for what runs"


def test_more_calls_at_once_than_can_wait_are_sent_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = threading.Event()
    monkeypatch.setattr(Memory, "topology", lambda self, **_: release.wait(20) and {})
    answers: list[tuple[int, dict[str, str], bytes]] = []
    with listening(tmp_path / "m.db", **{"serve.threads": 1, "serve.waiting_max": 1}) as port:
        threads = [
            threading.Thread(target=lambda: answers.append(asked(port, "POST", "/v1/verbs/topology", b"{}")))
            for _ in range(6)
        ]
        for thread in threads:
            thread.start()
        until = time.monotonic() + 8
        while len(answers) < 4 and time.monotonic() < until:
            time.sleep(0.01)
        sent_away = list(answers)
        release.set()
        for thread in threads:
            thread.join()
    assert [status for status, _, _ in sent_away] == [503] * 4
    assert {headers["retry-after"] for _, headers, _ in sent_away} == {"1"}
    assert {json.loads(body)["code"] for _, _, body in sent_away} == {"E5006"}
    assert sorted(status for status, _, _ in answers) == [200, 200, 503, 503, 503, 503]


def test_a_client_that_never_says_what_it_wants_is_dropped(tmp_path: Path) -> None:
    with listening(tmp_path / "m.db", **{"serve.header_timeout_s": 0.3}) as port:
        silent, dripping = (socket.create_connection(("127.0.0.1", port), timeout=5) for _ in range(2))
        dripping.sendall(b"GET /v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        began = time.monotonic()
        for line in range(20):
            try:
                dripping.sendall(b"X-Drip-%d: 1\r\n" % line)
            except OSError:
                break
            time.sleep(0.05)
        assert silent.recv(100) == b""
        assert closed(dripping)
        assert time.monotonic() - began < 4
        assert asked(port, "GET", "/v1/health", b"")[0] == 200
        silent.close()
        dripping.close()


def test_a_body_that_drips_is_given_up_on(tmp_path: Path) -> None:
    with listening(tmp_path / "m.db", **{"serve.body_timeout_s": 0.3}) as port:
        slow = socket.create_connection(("127.0.0.1", port), timeout=5)
        slow.sendall(
            b"POST /v1/memories HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            b'Content-Length: 100\r\n\r\n{"content'
        )
        answer = slow.recv(4000)
        assert answer.startswith(b"HTTP/1.1 408")
        assert b"application/problem+json" in answer
        slow.close()


def test_headers_without_end_are_cut(tmp_path: Path) -> None:
    with listening(tmp_path / "m.db") as port:
        greedy = socket.create_connection(("127.0.0.1", port), timeout=5)
        greedy.sendall(b"GET /v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        try:
            for _ in range(100):
                greedy.sendall(b"X-More: " + b"x" * 1000 + b"\r\n")
            assert closed(greedy)
        except OSError:
            pass  # cut while it was still sending
        assert asked(port, "GET", "/v1/health", b"")[0] == 200
        greedy.close()


def test_what_is_no_http_is_refused_without_harm(tmp_path: Path) -> None:
    with listening(tmp_path / "m.db") as port:
        for junk in (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"HELLO\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", port), timeout=5) as foreign:
                foreign.sendall(junk)
                assert not foreign.recv(4000).startswith(b"HTTP/1.1 5")
        assert asked(port, "GET", "/v1/health", b"")[0] == 200


def test_a_taken_port_says_what_to_do() -> None:
    with serving.listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"--port {port + 1}"):
            serving.listen("127.0.0.1", port)
    with pytest.raises(UsageError, match=r"0\.0\.0\.0"):
        serving.listen("no such host.invalid", 0)


def test_a_missing_library_is_named_with_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"pip install 'recollect\[server\]'"):
        serving.require_libraries()


def test_the_log_has_no_content(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger=logs.NAME), client(tmp_path / "m.db") as rest:
        rest.post("/v1/memories", json={"content": "Ana's passphrase is hummingbird", "user_id": "ana"})
        rest.post("/v1/memories/search", json={"query": "hummingbird", "user_id": "ana"})
        rest.get("/", params={"q": "hummingbird"})
        rest.get("/v1/entities/hummingbird")
        rest.get("/hummingbird")
    lines = [logs.JsonLines().format(record) for record in caplog.records if record.name == logs.NAME]
    assert len(lines) == 5
    assert not any("hummingbird" in line or "ana" in line.lower() for line in lines)
    assert json.loads(lines[3])["route"] == "/v1/entities/{name}"
    assert json.loads(lines[0]).keys() >= {"at", "level", "method", "route", "status", "ms", "request", "token"}


def asked(port: int, method: str, path: str, body: bytes) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request(method, path, body, JSON)
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    finally:
        connection.close()


def closed(connection: socket.socket) -> bool:
    """Whether the other side has hung up, with or without a last word."""
    try:
        while connection.recv(4000):
            pass
    except ConnectionError:
        return True
    except TimeoutError:
        return False
    return True
