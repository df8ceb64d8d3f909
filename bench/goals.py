"""What we want to reach, as a table: which measure of which figure, at which sizes, against what."""

from __future__ import annotations

from dataclasses import dataclass

from bench.measure import Figure

K = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """`at_most` or `at_least` a value, or at most so many times the floor, between two sizes of store."""

    measure: str
    at_most: float | None = None
    at_least: float | None = None
    times_floor: float | None = None
    size_min: int = 0
    size_max: int = 10**12

    def __str__(self) -> str:
        unit = {"p50_ms": " ms", "p95_ms": " ms", "p99_ms": " ms", "per_s": "/s", "rss_mb": " MB"}[self.measure]
        name = {"p50_ms": "p50 ", "p95_ms": "p95 ", "p99_ms": "p99 "}.get(self.measure, "")
        if self.times_floor is not None:
            return f"{name}≤ {self.times_floor:g}× floor"
        if self.at_least is not None:
            return f"{name}≥ {self.at_least:,.0f}{unit}"
        return f"{name}≤ {self.at_most:g}{unit}"

    def applies(self, figure: Figure) -> bool:
        if figure.skipped or getattr(figure, self.measure) is None:
            return False
        if self.times_floor is not None and self.measure not in figure.floor:
            return False
        return figure.size is None or self.size_min <= figure.size <= self.size_max

    def met(self, figure: Figure) -> bool:
        value = float(getattr(figure, self.measure))
        if self.at_least is not None:
            return value >= self.at_least
        bound = self.at_most if self.times_floor is None else self.times_floor * figure.floor[self.measure]
        assert bound is not None
        return value <= bound


_BATCH = (Goal(measure="per_s", at_least=10 * K),)
_RSS = (Goal(measure="rss_mb", at_most=350, size_max=100 * K),)

GOALS: dict[str, tuple[Goal, ...]] = {
    "single add": (Goal(measure="p50_ms", at_most=1), Goal(measure="p99_ms", at_most=10)),
    "batch add, texts": _BATCH,
    "batch add, with fields": _BATCH,
    "index catch-up": (Goal(measure="per_s", at_least=4 * K),),
    "search, everything": (
        Goal(measure="p50_ms", at_most=3, size_max=10 * K),
        Goal(measure="p50_ms", times_floor=2, size_min=100 * K),
    ),
    "context": (
        Goal(measure="p50_ms", at_most=15, size_max=10 * K),
        Goal(measure="p50_ms", at_most=25, size_min=10 * K + 1, size_max=100 * K),
    ),
    "mind, suspended and resumed": (Goal(measure="p50_ms", at_most=20),),
    "consolidate": (Goal(measure="per_s", at_least=10 * K / 60),),
    "search while maintaining": (Goal(measure="p95_ms", times_floor=2),),
    "open + first search": (Goal(measure="p50_ms", at_most=200, size_max=100 * K),),
    "import recollect": (Goal(measure="p50_ms", at_most=150),),
    "recollect --help": (Goal(measure="p50_ms", at_most=300),),
    "memory, opened and searched": _RSS,
    "memory, loaded": _RSS,
    "start to first answer": (Goal(measure="p50_ms", at_most=1500, size_max=100 * K),),
    "searches over HTTP": (
        Goal(measure="per_s", at_least=300, size_max=10 * K),
        Goal(measure="p95_ms", at_most=50, size_max=10 * K),
    ),
    "published": (Goal(measure="per_s", at_least=K),),
    "hook, own process": (Goal(measure="p50_ms", at_most=60), Goal(measure="p95_ms", at_most=120)),
    "hook at the start of a session": (Goal(measure="p50_ms", at_most=60), Goal(measure="p95_ms", at_most=120)),
    "index, all files": (Goal(measure="p50_ms", at_most=9 * K), Goal(measure="rss_mb", at_most=400)),
    "one file edited": (Goal(measure="p50_ms", at_most=150),),
    "look for changes": (Goal(measure="p50_ms", at_most=300),),
    "impact, warm": (Goal(measure="p95_ms", at_most=5),),
    "impact, fresh process": (Goal(measure="p50_ms", at_most=100),),
    "hook over HTTP": (Goal(measure="p95_ms", at_most=15),),
    "memory, served and idle": (Goal(measure="rss_mb", at_most=150, size_max=10 * K),),
}


def verdicts(figure: Figure) -> list[tuple[Goal, bool]]:
    """The goals this figure has, each with whether it is met."""
    return [(goal, goal.met(figure)) for goal in GOALS.get(figure.name, ()) if goal.applies(figure)]
