"""How probable it is that two files are touched near each other in so many sessions though nothing joins them.

A session that touches both of them often brings them together anyway: where the same five files are edited all day,
every two are. Each touch of one is taken to fall anywhere in the session; sessions are independent of each other. One
that touches few files in all says by that alone that these belong together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable

import orjson

from recollect.store.observed import RepeatedSignal

FEW_FILES = 12  # of a session; with half as many, its files are near by chance half the time at most


class NearByChance:
    """Told from how often sessions touched each file; `steps` is how near near is."""

    def __init__(self, accesses: Iterable[RepeatedSignal], steps: int) -> None:
        self._window = 2 * steps + 1
        self._files: dict[str, int] = defaultdict(int)  # that a session touched
        self._length: dict[str, int] = defaultdict(int)  # steps of a session, up to its last touch of a file
        self._times: dict[str, dict[str, int]] = defaultdict(dict)
        for row in accesses:
            self._times[row.subject][row.session] = row.times
            self._files[row.session] += 1
            last = orjson.loads(row.detail)["steps"][1] if row.detail else 1
            self._length[row.session] = max(self._length[row.session], last)

    def of(self, one: str, other: str, near: Collection[str]) -> float:
        """The probability of at least as many sessions with the two near each other as there are."""
        first, second = self._times[one], self._times[other]
        odds = [1.0]  # by how many sessions they are near in
        known = first.keys() & second.keys()
        for session in known:
            apart = max(0.0, 1.0 - self._window * second[session] / self._length[session]) ** first[session]
            missed = max(apart, 1.0 - self._files[session] / FEW_FILES)
            before = [*odds, 0.0]
            odds = [missed * each + (1.0 - missed) * (before[n - 1] if n else 0.0) for n, each in enumerate(before)]
        return sum(odds[len(known & set(near)) :])
