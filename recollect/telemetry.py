"""Verbs told to OpenTelemetry: which, by which way in, how long, how it ended, how many records. The seam to its API.

Never told: what was asked, stored or answered, who asked, and what an error said. A verb that another one is made of is
part of that one. Where nothing is told there is no object of this class, and a call pays for looking at an attribute.

Where spans and figures go is for the program to say that this is a part of: it sets OpenTelemetry's providers. A
process that is all ours, such as `recollect serve`, has them set here (`export`).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from recollect._version import __version__
from recollect.errors import MissingExtra, RecollectError

T = TypeVar("T")
Levels = Callable[[], Iterable[tuple[str, str, float | None, str, str]]]  # name, meaning, value; label and its value

NAME = "recollect"
DONE = "done"  # the outcome of a verb that answered; any other is the code of an error, or the kind of a fault
_BOUNDS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
LAST_S = 2.0  # for what waits to be sent when the process ends; supervisors give it ten seconds for everything
_LEVELS_FRESH_S = 1.0  # gauges are read one by one; they are of one look


class Telemetry:
    """One open store as OpenTelemetry sees it. Safe to use from many threads."""

    def __init__(self, levels: Levels | None = None) -> None:
        try:
            from opentelemetry import metrics, trace
        except ImportError:
            raise MissingExtra("telemetry.otel needs: pip install 'recollect[otel]'") from None
        self._trace = trace
        self._tracer = trace.get_tracer(NAME, __version__)
        self._meter = metrics.get_meter(NAME, __version__)
        self._seconds = self._meter.create_histogram(
            "recollect.verb.duration",
            unit="s",
            description="Time until a verb had answered",
            explicit_bucket_boundaries_advisory=_BOUNDS_S,
        )
        self._records = self._meter.create_counter(
            "recollect.verb.records", unit="{record}", description="Records in answers of verbs"
        )
        self._levels = levels
        self._looked_at = float("-inf")
        self._found: dict[str, list[Any]] = {}
        self._watched = False

    def verb(self, name: str, channel: str, work: Callable[[], T], size: Callable[[T], int]) -> T:
        """Have a verb done, in a span of its own; `size` says how many records an answer has."""
        about = {"recollect.verb": name, "recollect.channel": channel}
        began, outcome, records = time.perf_counter(), DONE, 0
        # Neither text nor stack of an exception: both may quote somebody.
        with self._tracer.start_as_current_span(
            f"{NAME}.{name}", attributes=about, record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                answer = work()
                records = size(answer)
                return answer
            except BaseException as error:
                outcome = error.code if isinstance(error, RecollectError) else type(error).__name__
                span.set_status(self._trace.StatusCode.ERROR)
                raise
            finally:
                span.set_attributes({"recollect.outcome": outcome, "recollect.records": records})
                self._seconds.record(time.perf_counter() - began, {**about, "recollect.outcome": outcome})
                self._records.add(records, about)

    def watch(self) -> None:
        """Have the levels of the store read whenever figures are collected, until the process ends."""
        if self._watched or self._levels is None:
            return
        self._watched = True

        def observe(name: str) -> Callable[[Any], Iterable[Any]]:
            return lambda options: self._now().get(name, ())

        for name, meaning in {row[0]: row[1] for row in self._levels()}.items():
            self._meter.create_observable_gauge(f"{NAME}.{name}", callbacks=[observe(name)], description=meaning)

    def _now(self) -> dict[str, list[Any]]:
        """The levels by name, none of them older than a moment. Of a store that is closed or busy there are none."""
        from opentelemetry.metrics import Observation

        assert self._levels is not None
        if time.monotonic() - self._looked_at > _LEVELS_FRESH_S:
            self._looked_at = time.monotonic()
            found: dict[str, list[Any]] = {}
            with suppress(RecollectError):
                for name, _, value, by, row in self._levels():
                    if value is not None:
                        found.setdefault(name, []).append(Observation(value, {by: row} if by else None))
            self._found = found
        return self._found


@contextmanager
def continued(carrier: Mapping[str, str]) -> Iterator[None]:
    """Within, spans belong to the trace that a request's headers name (W3C `traceparent`)."""
    from opentelemetry import context, propagate

    token = context.attach(propagate.extract(carrier))
    try:
        yield
    finally:
        context.detach(token)


def export() -> bool:
    """Have spans and figures sent over OTLP, as OpenTelemetry's own variables say (`OTEL_EXPORTER_OTLP_ENDPOINT` …).

    Whoever calls this calls `send_last` at the end.

    Nothing is done where the program's own providers are set already, as `opentelemetry-instrument` does; False then.
    """
    try:
        from opentelemetry import metrics, trace
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        raise MissingExtra("telemetry.otel needs: pip install 'recollect[otel]'") from None
    if not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        return False
    service = Resource.create({"service.name": NAME, "service.version": __version__})
    spans = TracerProvider(resource=service, shutdown_on_exit=False)
    spans.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(spans)
    reader = PeriodicExportingMetricReader(OTLPMetricExporter())
    figures = MeterProvider([reader], resource=service, shutdown_on_exit=False)
    metrics.set_meter_provider(figures)
    _exporting.extend((spans, figures))
    return True


def send_last() -> None:
    """Send what still waits, for `LAST_S` at most: a collector that hangs keeps no process."""
    until = time.monotonic() + LAST_S
    ending = [threading.Thread(target=each.shutdown, name="recollect-otel", daemon=True) for each in _exporting]
    _exporting.clear()
    for each in ending:
        each.start()
    for each in ending:
        each.join(max(0.0, until - time.monotonic()))


_exporting: list[Any] = []  # providers that are ours to end
