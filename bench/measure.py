"""Taking measurements: latencies in turns, percentiles, resident memory, and the figure they become."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import psutil  # type: ignore[import-untyped,unused-ignore]

BLOCK = 25  # calls of one kind before the other kind has its turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One line of the report. `floor` holds the same measures of the bare parts, taken in the same run."""

    group: str
    name: str
    size: int | None = None  # records in the store; None where it does not matter
    p50_ms: float | None = None
    p95_ms: float | None = None
    p99_ms: float | None = None
    per_s: float | None = None
    rss_mb: float | None = None
    floor: dict[str, float] = field(default_factory=dict)
    note: str = ""
    skipped: bool = False

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def latency(
    group: str,
    name: str,
    times_ms: Sequence[float],
    *,
    size: int | None = None,
    floor_ms: Sequence[float] = (),
    note: str = "",
    per_s: float | None = None,
) -> Figure:
    """A figure of many calls. The rate is that of one caller unless given."""
    own = spread(times_ms)
    return Figure(
        group=group,
        name=name,
        size=size,
        p50_ms=own["p50_ms"],
        p95_ms=own["p95_ms"],
        p99_ms=own["p99_ms"],
        per_s=own["per_s"] if per_s is None else per_s,
        floor=spread(floor_ms) if floor_ms else {},
        note=note,
    )


def spread(times_ms: Sequence[float]) -> dict[str, float]:
    """Percentiles, and calls a second of one caller."""
    return {
        "p50_ms": percentile(times_ms, 0.50),
        "p95_ms": percentile(times_ms, 0.95),
        "p99_ms": percentile(times_ms, 0.99),
        "per_s": len(times_ms) / (sum(times_ms) / 1e3),
    }


def percentile(values: Sequence[float], share: float) -> float:
    """The value that `share` of the values do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


class Stopwatch:
    """Seconds since it was made."""

    def __init__(self) -> None:
        self._start = time.perf_counter()

    @property
    def s(self) -> float:
        return time.perf_counter() - self._start

    @property
    def ms(self) -> float:
        return self.s * 1e3


def timed(call: Callable[[Any], object], items: Sequence[Any]) -> list[float]:
    """Milliseconds of each call."""
    return [_one(call, item) for item in items]


def in_turns(calls: Mapping[str, Callable[[Any], object]], items: Sequence[Any]) -> dict[str, list[float]]:
    """The same items through several calls, a block each in turn: what else the machine does hits all alike."""
    out: dict[str, list[float]] = {name: [] for name in calls}
    for start in range(0, len(items), BLOCK):
        block = items[start : start + BLOCK]
        for name, call in calls.items():
            call(block[0])  # the caches belonged to the others a moment ago
            out[name].extend(_one(call, item) for item in block)
    return out


def _one(call: Callable[[Any], object], item: Any) -> float:
    start = time.perf_counter()
    call(item)
    return (time.perf_counter() - start) * 1e3


def rss_mb() -> float:
    """Resident memory of this process, garbage aside."""
    gc.collect()
    return float(psutil.Process().memory_info().rss) / 1e6
