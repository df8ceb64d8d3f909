"""Figures for Prometheus: counts and times by route, and the levels of the store.

Labels are route templates, never paths: neither ids nor words of anybody end up in a time series.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector

from recollect.insight.levels import levels
from recollect.interfaces.workers import WorkerPlace

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BOUNDS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_ROUTE = ("method", "route")

disable_created_metrics()  # type: ignore[no-untyped-call]  # a second series for each, which says when it began


class Metrics:
    """What the server has done since it started, all of its processes together. Only the event loop writes here."""

    def __init__(self, place: WorkerPlace) -> None:
        self._place = place
        self._registry = mine = CollectorRegistry()
        self._requests = Counter("recollect_requests", "Requests answered", (*_ROUTE, "status"), registry=mine)
        self._seconds = Histogram(
            "recollect_request_seconds", "Time until a request was answered", _ROUTE, buckets=BOUNDS_S, registry=mine
        )
        self._in_flight = _gauge("recollect_requests_in_flight", "Requests under way", mine)
        self._streams = _gauge("recollect_event_streams", "Event streams that are open", mine)
        _gauge("recollect_workers", "Processes that answer", mine).set(1)
        self.streams = 0  # of this process

    def begun(self) -> None:
        self._in_flight.inc()

    def ended(self) -> None:
        self._in_flight.dec()

    def stream_opened(self) -> None:
        self.streams += 1
        self._streams.inc()

    def stream_closed(self) -> None:
        self.streams -= 1
        self._streams.dec()

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """One request was answered."""
        self._requests.labels(method, route, status).inc()
        self._seconds.labels(method, route).observe(seconds)

    def text(self, health: Mapping[str, Any]) -> bytes:
        """Everything, as Prometheus reads it."""
        done, levels = self._registry, CollectorRegistry()
        if self._place.shared:
            done = CollectorRegistry()
            MultiProcessCollector(done, str(self._place.figures))  # type: ignore[no-untyped-call]
        levels.register(_Levels(health))
        return generate_latest(done) + generate_latest(levels)


class _Levels:
    """How the store is doing, which every process of a server would say in the same way."""

    def __init__(self, health: Mapping[str, Any]) -> None:
        self._health = health

    def collect(self) -> Iterator[GaugeMetricFamily]:
        health = self._health
        families: dict[str, GaugeMetricFamily] = {}
        for name, meaning, value, by, row in levels(health):
            family = families.setdefault(
                name, GaugeMetricFamily(f"recollect_{name}", meaning, labels=[by] if by else None)
            )
            if value is not None:
                family.add_metric([row] if by else [], value)
        yield from (family for family in families.values() if family.samples)
        if health.get("rss_mb") is not None:
            resident = round(health["rss_mb"] * 2**20)
            yield GaugeMetricFamily("process_resident_memory_bytes", "Resident memory", value=resident)


def _gauge(name: str, meaning: str, registry: CollectorRegistry) -> Gauge:
    """A level of this process; that of several is the sum over those that live."""
    return Gauge(name, meaning, registry=registry, multiprocess_mode="livesum")
