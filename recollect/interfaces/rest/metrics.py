"""Figures for Prometheus, in its text format: counts and times by route, and the levels of the store. No library.

Labels are route templates, never paths: neither ids nor words of anybody end up in a time series.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BOUNDS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)

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


class Metrics:
    """What the server has done since it started. Only the event loop writes here."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[Route, int]] = Counter()
        self._seconds: dict[Route, float] = defaultdict(float)
        self._buckets: dict[Route, list[int]] = defaultdict(lambda: [0] * (len(BOUNDS_S) + 1))
        self.in_flight = 0
        self.streams = 0

    def count(self, route: Route, status: int, seconds: float) -> None:
        """One request was answered."""
        self._requests[route, status] += 1
        self._seconds[route] += seconds
        self._buckets[route][bisect_left(BOUNDS_S, seconds)] += 1

    def text(self, health: Mapping[str, Any]) -> str:
        """Everything, as Prometheus reads it."""
        lines = [*self._counted(), *self._timed()]
        lines += _gauge("recollect_requests_in_flight", "Requests under way", self.in_flight)
        lines += _gauge("recollect_event_streams", "Event streams that are open", self.streams)
        lines += _gauge("recollect_indexes_warm", "Whether the indexes are in memory", int(health["indexes_warm"]))
        lines += _gauge("recollect_healthy", "Whether nothing needs a hand", int(health["status"] == "ok"))
        for figure, name, meaning in _LEVELS:
            lines += _gauge(name, meaning, health[figure])
        if health.get("rss_mb") is not None:
            lines += _gauge("process_resident_memory_bytes", "Resident memory", round(health["rss_mb"] * 2**20))
        return "\n".join((*lines, ""))

    def _counted(self) -> Iterator[str]:
        yield from _head("recollect_requests_total", "counter", "Requests answered")
        for (route, status), count in sorted(self._requests.items()):
            yield f"recollect_requests_total{_labels(route, status=status)} {count}"

    def _timed(self) -> Iterator[str]:
        name = "recollect_request_seconds"
        yield from _head(name, "histogram", "Time until a request was answered")
        for route, buckets in sorted(self._buckets.items()):
            below = 0
            for bound, count in zip((*BOUNDS_S, "+Inf"), buckets, strict=True):
                below += count
                yield f"{name}_bucket{_labels(route, le=bound)} {below}"
            yield f"{name}_sum{_labels(route)} {self._seconds[route]:.6f}"
            yield f"{name}_count{_labels(route)} {below}"


def _head(name: str, kind: str, meaning: str) -> Iterable[str]:
    return (f"# HELP {name} {meaning}", f"# TYPE {name} {kind}")


def _gauge(name: str, meaning: str, value: float) -> Iterable[str]:
    return (*_head(name, "gauge", meaning), f"{name} {value}")


def _labels(route: Route, **more: object) -> str:
    pairs = {"method": route.method, "route": route.path, **more}
    return "{" + ",".join(f'{name}="{value}"' for name, value in pairs.items()) + "}"
