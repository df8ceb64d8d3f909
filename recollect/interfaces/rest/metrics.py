"""Figures for Prometheus, in its text format: counts and times by route, and the levels of the store. No library.

Labels are route templates, never paths: neither ids nor words of anybody end up in a time series.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from operator import add
from typing import Any, NamedTuple

import orjson

from recollect.interfaces.workers import Place

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BOUNDS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
BUCKETS = len(BOUNDS_S) + 1
NOTED_AFTER_S = 1.0  # where several processes serve, each knows what the others did a moment ago

# What health says of the store, as gauges: figure, name, help.
_LEVELS = (
    ("index_lag", "recollect_index_lag", "Entries of the change feed that the indexes have not applied yet"),
    ("write_queue", "recollect_write_queue", "Writes that wait for their commit"),
    ("pending_embeddings", "recollect_pending_embeddings", "Records that wait for a vector"),
)


class Route(NamedTuple):
    """Where a request went, as a template."""

    method: str
    path: str


@dataclass
class Done:
    """What was answered so far, by this process or by several."""

    requests: Counter[tuple[Route, int]] = field(default_factory=Counter)
    seconds: defaultdict[Route, float] = field(default_factory=lambda: defaultdict(float))
    buckets: defaultdict[Route, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0] * BUCKETS))
    in_flight: int = 0
    streams: int = 0

    def note(self) -> bytes:
        """The same, for other processes."""
        requests = [[*route, status, count] for (route, status), count in self.requests.items()]
        times = [[*route, self.seconds[route], buckets] for route, buckets in self.buckets.items()]
        return orjson.dumps([requests, times, self.in_flight, self.streams])

    def add(self, note: bytes) -> None:
        """What another process has noted."""
        requests, times, in_flight, streams = orjson.loads(note)
        for method, path, status, count in requests:
            self.requests[Route(method, path), status] += count
        for method, path, seconds, buckets in times:
            self.seconds[Route(method, path)] += seconds
            mine = self.buckets[Route(method, path)]
            mine[:] = map(add, mine, buckets)
        self.in_flight += in_flight
        self.streams += streams


class Metrics:
    """What the server has done since it started, all of its processes together. Only the event loop writes here."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._noting: asyncio.TimerHandle | None = None
        self._done = Done()
        if before := place.board.read(place.number):  # another was here, and fell over
            self._done.add(before)
            self._done.in_flight = self._done.streams = 0
        self._note()

    def begun(self) -> None:
        self._done.in_flight += 1

    def ended(self) -> None:
        self._done.in_flight -= 1

    @property
    def streams(self) -> int:
        """Event streams of this process."""
        return self._done.streams

    @streams.setter
    def streams(self, count: int) -> None:
        self._done.streams = count

    def count(self, route: Route, status: int, seconds: float) -> None:
        """One request was answered."""
        done = self._done
        done.requests[route, status] += 1
        done.seconds[route] += seconds
        done.buckets[route][bisect_left(BOUNDS_S, seconds)] += 1
        if self._place.shared and self._noting is None:
            self._noting = asyncio.get_running_loop().call_later(NOTED_AFTER_S, self._note)

    def _note(self) -> None:
        self._noting = None
        self._place.board.write(self._place.number, self._done.note())

    def text(self, health: Mapping[str, Any]) -> str:
        """Everything, as Prometheus reads it."""
        done = Done()
        notes = [self._done.note(), *self._place.board.others(self._place.number)]
        for note in notes:
            done.add(note)
        lines = [*_counted(done), *_timed(done)]
        lines += _gauge("recollect_workers", "Processes that answer", len(notes))
        lines += _gauge("recollect_requests_in_flight", "Requests under way", done.in_flight)
        lines += _gauge("recollect_event_streams", "Event streams that are open", done.streams)
        lines += _gauge("recollect_indexes_warm", "Whether the indexes are in memory", int(health["indexes_warm"]))
        lines += _gauge("recollect_healthy", "Whether nothing needs a hand", int(health["status"] == "ok"))
        for figure, name, meaning in _LEVELS:
            lines += _gauge(name, meaning, health[figure])
        if health.get("rss_mb") is not None:
            lines += _gauge("process_resident_memory_bytes", "Resident memory", round(health["rss_mb"] * 2**20))
        return "\n".join((*lines, ""))


def _counted(done: Done) -> Iterator[str]:
    yield from _head("recollect_requests_total", "counter", "Requests answered")
    for (route, status), count in sorted(done.requests.items()):
        yield f"recollect_requests_total{_labels(route, status=status)} {count}"


def _timed(done: Done) -> Iterator[str]:
    name = "recollect_request_seconds"
    yield from _head(name, "histogram", "Time until a request was answered")
    for route, buckets in sorted(done.buckets.items()):
        below = 0
        for bound, count in zip((*BOUNDS_S, "+Inf"), buckets, strict=True):
            below += count
            yield f"{name}_bucket{_labels(route, le=bound)} {below}"
        yield f"{name}_sum{_labels(route)} {done.seconds[route]:.6f}"
        yield f"{name}_count{_labels(route)} {below}"


def _head(name: str, kind: str, meaning: str) -> Iterable[str]:
    return (f"# HELP {name} {meaning}", f"# TYPE {name} {kind}")


def _gauge(name: str, meaning: str, value: float) -> Iterable[str]:
    return (*_head(name, "gauge", meaning), f"{name} {value}")


def _labels(route: Route, **more: object) -> str:
    pairs = {"method": route.method, "route": route.path, **more}
    return "{" + ",".join(f'{name}="{value}"' for name, value in pairs.items()) + "}"
