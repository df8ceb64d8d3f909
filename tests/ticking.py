"""A clock for tests: it moves a little at every look, and further when told to."""

from __future__ import annotations

from datetime import UTC, datetime

from recollect.clock import DAY_US, from_us, to_us

START = datetime(2026, 5, 13, 12, tzinfo=UTC)  # a Wednesday


class Ticking:
    def __init__(self, step_us: int = 1) -> None:
        self.now = to_us(START)
        self._step_us = step_us

    def __call__(self) -> int:
        self.now += self._step_us
        return self.now

    def skip(self, days: float) -> datetime:
        """Let days pass; the moment it is then."""
        self.now += int(days * DAY_US)
        return from_us(self.now)
