"""Which of several rows say what was said before."""

from __future__ import annotations

from typing import NamedTuple


class Repeats(NamedTuple):
    """Which rows say what was said before, by their position."""

    stored: dict[int, int]  # the key of the record that they repeat
    within: dict[int, int]  # the position of the earlier row that they repeat
    senses: dict[int, int]  # what every statement among them is found by

    def new(self, count: int) -> list[int]:
        """Positions of the rows that repeat nothing."""
        return [at for at in range(count) if at not in self.stored and at not in self.within]


NO_REPEATS = Repeats({}, {}, {})
