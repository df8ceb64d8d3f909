"""The figures of health as numbers under names, for whoever draws curves: Prometheus, OpenTelemetry.

Every figure of `health` is among them: truths are 0 and 1, times are seconds since 1970, a choice among a few is a row
for each. Left out are names, such as that of a model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from recollect.insight.degraded import PARTS


class HealthLevel(NamedTuple):
    """One number, None while it is not known. `row` tells those of one figure apart: its label is `by`."""

    name: str
    meaning: str
    value: float | None
    by: str = ""
    row: str = ""


# What a figure means, where its name does not say it.
MEANINGS = {
    "indexes_warm": "Whether the indexes are in memory",
    "degraded": "Whether a part is missing",
    "index_lag": "Entries of the change feed that the indexes have not applied yet",
    "index_warm_percent": "How much of the indexes is in memory",
    "write_queue": "Writes that wait for their commit",
    "readers_idle": "Connections that are open and read nothing",
    "pending_embeddings": "Records that wait for a vector",
    "searches": "Searches among the newest that latencies are worked out of",
    "search_ms_avg": "Mean time of the newest searches",
    "search_ms_p99": "Time that one in a hundred of the newest searches took at least",
    "erasure_pending": "Whether bytes of something erased may still be in the file",
    "encrypted": "Whether the file is encrypted",
    "rss_mb": "Resident memory of the process, in MB",
    "index_mb": "Vectors in memory, in MB",
    "jobs": "Background jobs by state",
    "last_consolidation": "When memories were last consolidated",
    "last_decay": "When what had faded was last put away",
    "backup": "When the newest backup was made",
    "backups": "Backups there are",
    "recall_floor": "Share of the best score that acts in a model's window",
    "recall_floor_by": "What that share comes from",
}
# Figures that say one word of a few: a row for each, 1 for the one that holds.
CHOICES = {
    "level": ("full", "partial", "words", "warming", "none"),
    "pressure": ("normal", "elevated", "critical"),
    "model_state": ("none", "ready", "down", "refused", "unknown"),
    "search": ("memory", "database"),
    "recall_floor_by": ("setting", "hand", "tuned"),
}
DEGRADED = "degraded"  # a list of parts: a row for each that may be in it
COUNTED = ("jobs",)  # tables whose rows are words of ours
NOT_LEVELS = frozenset("status warnings operation embedder model model_changed vectors let_go recall_floor_why".split())
TIMES = frozenset(("last_consolidation", "last_decay", "backup"))


def levels(health: Mapping[str, Any]) -> Iterator[HealthLevel]:
    """What `health` says, figure by figure."""
    yield HealthLevel("healthy", "Whether nothing needs a hand", float(health["status"] == "ok"))
    yield HealthLevel("warnings", "What needs a hand", len(health.get("warnings", ())))
    for name, value in health.items():
        if name not in NOT_LEVELS:
            yield from _of(name, value)


def _of(name: str, value: Any) -> Iterator[HealthLevel]:
    meaning = MEANINGS.get(name, name.replace("_", " ").capitalize())
    if name == DEGRADED:
        missing = {each["part"] for each in value}
        for part in PARTS:
            yield HealthLevel(name, meaning, float(part in missing), "part", part)
    elif name in CHOICES:
        for each in CHOICES[name]:
            yield HealthLevel(name, meaning, float(value == each), "is", each)
    elif name in COUNTED:
        for row, number in value.items():
            yield HealthLevel(name, meaning, float(number), "state", row)
    elif name in TIMES:
        yield HealthLevel(f"{name}_timestamp_seconds", meaning, _seconds(value))
    elif value is None or isinstance(value, bool | int | float):
        yield HealthLevel(name, meaning, None if value is None else float(value))


def _seconds(moment: str | None) -> float | None:
    return None if moment is None else datetime.fromisoformat(moment).timestamp()
