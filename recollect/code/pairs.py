"""Files that belong together: how surely one is needed where another is.

An occasion is a commit, or a session of work, in which some files took part. The weight of B beside A is a lower bound
of the probability that B takes part where A does (Wilson's, one-sided 95 %), so that three of three is less than thirty
of thirty. Commits of one day are one occasion to learn from, however many they are: a branch of twenty small commits
over the same files says once that they belong together. Older occasions count less, by half a year after year.

Measured commit by commit on the last fifth of two public histories (3,758 and 2,050 commits), pairs above .6 with three
common commits: .61 and .89 right with commits as occasions, .86 and .92 with days; by plain share .49 and .64. One
of the first five is right for .44 and .66 of all changed files. `python -m bench.quality --set pairs` measures it.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from recollect.clock import SECOND_US, from_us
from recollect.model.code import PairedFile

SESSION_COUNTS = 3.0  # a session that was watched, against a commit: it shows what was read, too
TOGETHER_MIN = 3  # occasions, before a pair may be acted upon
FIRST_SHARE = 0.8
FIRST_SESSIONS = 5

_DAY_S = 86_400
# Files that change with everything, so that they say nothing about anything.
_BYSTANDER = re.compile(
    r"(?:^|/)(?:[^/]*\.lock|[^/]*-lock\.(?:json|ya?ml)|npm-shrinkwrap\.json|go\.sum"
    r"|(?:changelog|changes|history|news|release[-_]?notes?)(?:\.(?:md|rst|txt|adoc))?)$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """When a file took part in something, and what else did: each with the steps between, where they were watched.

    Steps are negative for what came before the file; `None` in a commit, which has no order.
    """

    at_s: int
    beside: tuple[tuple[str, int | None], ...]
    watched: bool = False


def bystander(path: str) -> bool:
    """Whether a file changes with everything: lock files, change logs."""
    return _BYSTANDER.search(path) is not None


def paired(occasions: Iterable[Occasion], *, now_s: int, half_life_days: float, surety: float) -> list[PairedFile]:
    """What belongs to a file, by the occasions it took part in, the surest first."""
    total = 0.0
    days: dict[int, float] = {}
    beside: dict[str, _Beside] = defaultdict(_Beside)
    for occasion in occasions:
        age_days = max(0.0, (now_s - occasion.at_s) / _DAY_S)
        counts = (SESSION_COUNTS if occasion.watched else 1.0) * 0.5 ** (age_days / half_life_days)
        total += counts
        day = occasion.at_s // _DAY_S
        days[day] = max(days.get(day, 0.0), counts)
        for path, steps in occasion.beside:
            if not bystander(path):
                beside[path].note(occasion, counts, steps)
    seen = min(total, sum(days.values()))
    found = [each.as_pair(path, lower_bound(each.counts / total, seen, surety)) for path, each in beside.items()]
    return sorted(found, key=lambda pair: (-pair.weight, pair.path))


class _Beside:
    """What is counted of one file beside another."""

    __slots__ = ("before", "counts", "last_at_s", "sessions", "steps", "together")

    def __init__(self) -> None:
        self.counts = 0.0
        self.together = self.sessions = self.before = self.steps = self.last_at_s = 0

    def note(self, occasion: Occasion, counts: float, steps: int | None) -> None:
        self.counts += counts
        self.together += 1
        self.last_at_s = max(self.last_at_s, occasion.at_s)
        if steps is not None:
            self.sessions += 1
            self.before += steps < 0
            self.steps += abs(steps)

    def as_pair(self, path: str, weight: float) -> PairedFile:
        follows: bool | None = None
        if self.sessions >= FIRST_SESSIONS:
            share = self.before / self.sessions
            follows = False if share >= FIRST_SHARE else True if share <= 1 - FIRST_SHARE else None
        return PairedFile(
            path=path,
            weight=weight,
            together=self.together,
            sessions=self.sessions,
            steps=self.steps / self.sessions if self.sessions else None,
            follows=follows,
            last_at=from_us(self.last_at_s * SECOND_US),
        )


def lower_bound(share: float, seen: float, surety: float) -> float:
    """Wilson's lower bound of a share that was seen so often."""
    if seen <= 0.0:
        return 0.0
    share = min(1.0, share)
    square = surety * surety / seen
    spread = surety * math.sqrt(share * (1.0 - share) / seen + square / (4.0 * seen))
    return max(0.0, (share + square / 2.0 - spread) / (1.0 + square))
