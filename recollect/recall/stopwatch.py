"""How long each stage of a search took."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


class Stopwatch:
    """Starts when it is made. A stage that comes twice is counted together."""

    def __init__(self) -> None:
        self._start = time.perf_counter()
        self.stages: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            took = (time.perf_counter() - start) * 1e3
            self.stages[name] = round(self.stages.get(name, 0.0) + took, 3)

    def total_ms(self) -> float:
        return round((time.perf_counter() - self._start) * 1e3, 3)
