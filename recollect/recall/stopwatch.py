"""How long each stage of a search took."""

from __future__ import annotations

import time


class Stage:
    """Measures what is done inside `with`. Not a generator: a search enters eight of them."""

    __slots__ = ("_name", "_stages", "_start")

    def __init__(self, stages: dict[str, float], name: str) -> None:
        self._stages = stages
        self._name = name
        self._start = 0.0

    def __enter__(self) -> None:
        self._start = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        took = (time.perf_counter() - self._start) * 1e3
        self._stages[self._name] = round(self._stages.get(self._name, 0.0) + took, 3)


class Stopwatch:
    """Starts when it is made. A stage that comes twice is counted together."""

    def __init__(self) -> None:
        self._start = time.perf_counter()
        self.stages: dict[str, float] = {}

    def stage(self, name: str) -> Stage:
        return Stage(self.stages, name)

    def total_ms(self) -> float:
        return round((time.perf_counter() - self._start) * 1e3, 3)
