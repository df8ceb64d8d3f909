"""How probable it is that two files are touched near each other in so many sessions though nothing joins them.

A session that touches both of them often, or is short, brings them together anyway: in a folder of five files every two
are. Each touch of one is taken to fall anywhere in the session; sessions are independent of each other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable

import orjson

from recollect.store.observed import RepeatedSignal


class NearByChance:
    """Told from how often sessions touched each file; `steps` is how near near is."""

    def __init__(self, accesses: Iterable[RepeatedSignal], steps: int) -> None:
        self._window = 2 * steps + 1
        self._length: dict[str, int] = defaultdict(int)  # steps of a session, up to its last touch of a file
        self._times: dict[str, dict[str, int]] = defaultdict(dict)
        for row in accesses:
            self._times[row.subject][row.session] = row.times
            last = orjson.loads(row.detail)["steps"][1] if row.detail else 1
            self._length[row.session] = max(self._length[row.session], last)

    def of(self, one: str, other: str, near: Collection[str]) -> float:
        """The probability of at least as many sessions with the two near each other as there are."""
        first, second = self._times[one], self._times[other]
        odds = [1.0]  # by how many sessions they are near in
        known = first.keys() & second.keys()
        for session in known:
            missed = max(0.0, 1.0 - self._window * second[session] / self._length[session]) ** first[session]
            before = [*odds, 0.0]
            odds = [missed * each + (1.0 - missed) * (before[n - 1] if n else 0.0) for n, each in enumerate(before)]
        return sum(odds[len(known & set(near)) :])
