"""OpenTelemetry is told which verb took how long and how it ended, never what it was about, and nothing unasked."""

from __future__ import annotations

import http.server
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

pytest.importorskip("opentelemetry.sdk")
pytest.importorskip("mcp")
from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from test_logs_without_content import MARK, SAID, Heard, every_verb

import recollect
from recollect.aio import AsyncMemory
from recollect.errors import InvalidQuery, NotFound
from recollect.facade.handle import engine_of
from recollect.insight.levels import CHOICES, NOT_LEVELS, levels
from recollect.memory import Memory

ON = {"telemetry.otel": True}
NOTHING = "00000000-0000-4000-8000-000000000000"


class Watcher:
    """The program around: its own providers, which may be set once in a process."""

    def __init__(self) -> None:
        self.spans_seen, self.reader = InMemorySpanExporter(), InMemoryMetricReader()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self.spans_seen))
        trace.set_tracer_provider(provider)
        metrics.set_meter_provider(MeterProvider([self.reader]))

    def spans(self) -> list[ReadableSpan]:
        return list(self.spans_seen.get_finished_spans())

    def figures(self) -> dict[str, list[Any]]:
        read = self.reader.get_metrics_data()
        scopes = [scope for each in (read.resource_metrics if read else []) for scope in each.scope_metrics]
        return {metric.name: list(metric.data.data_points) for scope in scopes for metric in scope.metrics}


@pytest.fixture(scope="session")
def only_watcher() -> Watcher:
    return Watcher()


@pytest.fixture
def watcher(only_watcher: Watcher) -> Watcher:
    only_watcher.spans_seen.clear()
    return only_watcher


@pytest.fixture
def mem(watcher: Watcher) -> Iterator[Memory]:
    with recollect.open(":memory:", embedder="fake", config=ON, background=False) as memory:
        yield memory


def test_a_verb_is_one_span_with_how_it_ended_and_how_much_it_found(mem: Memory, watcher: Watcher) -> None:
    mem.add(["Ana lives in Oslo", "Ben lives in Rome"], user_id="ana")
    mem.search("Oslo", user_id="ana", top_k=1)
    add, search = watcher.spans()
    assert (add.name, search.name) == ("recollect.add", "recollect.search")
    assert dict(search.attributes or {}) == {
        "recollect.verb": "search",
        "recollect.channel": "python",
        "recollect.outcome": "done",
        "recollect.records": 1,
    }
    assert add.status.is_ok or add.status.is_unset
    assert (search.end_time or 0) > (search.start_time or 0)


def test_an_error_is_told_by_its_code_and_not_in_its_words(mem: Memory, watcher: Watcher) -> None:
    with pytest.raises(NotFound):
        mem.history(NOTHING)
    with pytest.raises(InvalidQuery):
        mem.search("x", filters={MARK: {"like": MARK}})
    with pytest.raises(TypeError):
        mem.search("x", **{MARK: 1})  # type: ignore[arg-type]
    spans = watcher.spans()
    assert [(span.attributes or {})["recollect.outcome"] for span in spans] == [
        NotFound.code,
        InvalidQuery.code,
        "UnknownArgument",
    ]
    for span in spans:
        assert span.status.status_code is trace.StatusCode.ERROR
        assert (span.status.description, list(span.events)) == (None, [])


def test_times_are_counted_by_verb_and_outcome(mem: Memory, watcher: Watcher) -> None:
    mem.add("Ana lives in Oslo")
    points = watcher.figures()["recollect.verb.duration"]
    mine = [point for point in points if point.attributes["recollect.verb"] == "add"]
    assert mine
    assert {point.attributes["recollect.outcome"] for point in mine} == {"done"}
    assert all(point.count >= 1 and point.sum > 0 for point in mine)


def test_every_verb_is_told_of_and_none_says_what_people_said(
    tmp_path: Path, watcher: Watcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with recollect.open(tmp_path / "m.db", embedder="fake", config=ON) as memory:
        every_verb(memory, Heard(), tmp_path)
        spans = watcher.spans()
        told = [span.to_json() for span in spans]
        figures = str(watcher.figures())
    assert len({span.name for span in spans}) > 80
    assert [line for line in told if MARK in line.lower()] == []
    assert MARK not in figures.lower()
    assert SAID not in figures


def test_spans_belong_to_the_trace_of_whoever_calls(mem: Memory, watcher: Watcher) -> None:
    with trace.get_tracer("mine").start_as_current_span("a request") as outer:
        mem.add("Ana lives in Oslo")
    add = next(span for span in watcher.spans() if span.name == "recollect.add")
    assert add.parent is not None
    assert add.parent.span_id == outer.get_span_context().span_id


async def _awaited(mem: Memory) -> int:
    with trace.get_tracer("mine").start_as_current_span("a request") as outer:
        await AsyncMemory(mem).add("Ana lives in Oslo")
    return outer.get_span_context().span_id


def test_awaited_verbs_too(mem: Memory, watcher: Watcher) -> None:
    import asyncio

    outer = asyncio.run(_awaited(mem))
    add = next(span for span in watcher.spans() if span.name == "recollect.add")
    assert add.parent is not None
    assert add.parent.span_id == outer


def test_levels_are_read_whenever_figures_are_collected(mem: Memory, watcher: Watcher) -> None:
    told = engine_of(mem).telemetry
    assert told is not None
    told.watch()
    told.watch()
    figures = watcher.figures()
    assert figures["recollect.healthy"][0].value in (0, 1)
    pressure = {point.attributes["is"]: point.value for point in figures["recollect.pressure"]}
    assert pressure == {"normal": 1, "elevated": 0, "critical": 0}
    mem.close()
    told._looked_at = float("-inf")
    assert "recollect.healthy" not in watcher.figures(), "a store that is closed has no levels, and raises nothing"


def test_every_figure_of_health_is_a_level(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "m.db", embedder="fake") as mem:
        mem.add("Ana lives in Oslo")
        mem.maintain()
        mem.backup()
        health = mem.health().to_dict()
    found = list(levels(health))
    names = {level.name.removesuffix("_timestamp_seconds") for level in found}
    assert names == (health.keys() - NOT_LEVELS) | {"healthy", "warnings"}
    for name in CHOICES:
        assert sum(level.value or 0 for level in found if level.name == name) == 1, name
    assert all(isinstance(health[name], str | list | dict | None) for name in NOT_LEVELS - {"operation"})


def test_without_the_setting_nothing_of_it_is_loaded(tmp_path: Path) -> None:
    program = (
        "import sys, recollect\n"
        "with recollect.open(sys.argv[1], embedder='fake') as mem:\n"
        "    mem.add('Ana lives in Oslo'); mem.search('Oslo')\n"
        "print([name for name in sys.modules if name.startswith('opentelemetry')])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "m.db")], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_a_collector_that_hangs_keeps_no_server(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=50) as hanging:  # connections are made, and nobody reads
        env = {
            **os.environ,
            "RECOLLECT_TELEMETRY__OTEL": "true",
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{hanging.getsockname()[1]}",
            "PYTHONUNBUFFERED": "1",
        }
        words = ["serve", "--db", str(tmp_path / "m.db"), "--port", "0", "--embedder", "fake", "--quiet"]
        command = [sys.executable, "-m", "recollect.interfaces.cli", *words]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env) as process:
            try:
                assert process.stdout is not None
                address = process.stdout.readline().split()[-1]
                assert httpx.post(f"{address}/v1/memories", json={"content": SAID}, timeout=30).status_code == 201
                began = time.monotonic()
                process.send_signal(signal.SIGTERM)
                assert process.wait(timeout=60) == 0
                assert time.monotonic() - began < 7, "docker waits ten seconds for all of it"
            finally:
                process.kill()


class Collector(http.server.BaseHTTPRequestHandler):
    """An OTLP collector: notes what it is sent."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.sent.append((self.path, body))  # type: ignore[attr-defined]
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: Any) -> None: ...


def test_a_server_sends_what_it_does_to_a_collector(tmp_path: Path) -> None:
    collector = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    collector.sent = []  # type: ignore[attr-defined]
    threading.Thread(target=collector.serve_forever, daemon=True).start()
    env = {
        **os.environ,
        "RECOLLECT_TELEMETRY__OTEL": "true",
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{collector.server_port}",
        "OTEL_METRIC_EXPORT_INTERVAL": "200",
        "PYTHONUNBUFFERED": "1",
    }
    words = ["serve", "--db", str(tmp_path / "m.db"), "--port", "0", "--embedder", "fake", "--quiet"]
    process = subprocess.Popen(
        [sys.executable, "-m", "recollect.interfaces.cli", *words], stdout=subprocess.PIPE, text=True, env=env
    )

    def received(path: str) -> bytes:
        return b"".join(body for to, body in collector.sent if to == path)  # type: ignore[attr-defined]

    try:
        assert process.stdout is not None
        address = process.stdout.readline().split()[-1]
        parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        answer = httpx.post(
            f"{address}/v1/memories", json={"content": SAID}, headers={"traceparent": parent}, timeout=30
        )
        assert answer.status_code == 201
        until = time.monotonic() + 30
        while b"recollect.index_lag" not in received("/v1/metrics") and time.monotonic() < until:
            time.sleep(0.1)
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        collector.shutdown()
        collector.server_close()
    spans, figures = received("/v1/traces"), received("/v1/metrics")
    assert b"recollect.add" in spans
    assert bytes.fromhex("0af7651916cd43dd8448eb211c80319c") in spans, "it belongs to the caller's trace"
    assert b"recollect.verb.duration" in figures
    assert b"recollect.index_lag" in figures
    assert MARK.encode() not in (spans + figures).lower()
