"""One search on its way from question to answer: what was asked, what was decided about it, and what each step found.

The steps of `pipeline` take a search and add to it; each reads what those before it put in. A value that no step has
put in yet is not there, and to ask for it is a mistake of ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.config import Config
from recollect.deadline import current
from recollect.index.base import Pks
from recollect.providers.base import Vectors
from recollect.recall.quality import Stopwatch
from recollect.recall.question.plan import Plan
from recollect.recall.question.query import Query
from recollect.recall.ranking.abstain import Answerability
from recollect.recall.ranking.ground import Ground
from recollect.recall.ranking.lexical import WeighedQuestion
from recollect.recall.ranking.rank import Ranked
from recollect.recall.sources.base import Look, SourceRanking
from recollect.recall.sources.marked import MarkFilter
from recollect.recall.sources.relations import Activated

Parts = dict[str, NDArray[np.float64]]
Scores = NDArray[np.float64]


@dataclass(slots=True, kw_only=True)
class Gathered:
    """Candidates, ascending; each source's own list; and what sources say of every candidate, as shares.

    `filters` are what every row of the answer has to meet besides the criteria, however it comes in.
    """

    pks: Pks
    rankings: list[SourceRanking]
    given: Parts = field(default_factory=dict)
    activated: Activated | None = None
    filters: Mapping[str, MarkFilter] = field(default_factory=dict)


class Order(NamedTuple):
    """Rows best first, after a step."""

    step: str
    pks: Pks
    scores: Scores


@dataclass(slots=True)
class Finished:
    """The final order, the orders on the way, what belief and the like did to scores, and which rows repeat which.

    `ranked` is the ranking it began with, and `weights` what each part or source counted in it.
    """

    orders: list[Order]
    strategy: str
    ranked: Ranked
    weights: Mapping[str, float]
    factors: dict[str, dict[int, float]] = field(default_factory=dict)
    repeated: dict[int, list[int]] = field(default_factory=dict)

    @property
    def last(self) -> Order:
        return self.orders[-1]

    def worth(self, pks: Iterable[int]) -> list[float]:
        """What rows were worth before anything but their own merit moved them."""
        own = next(order for order in reversed(self.orders) if order.step in ("rank", "belief"))
        scores = dict(zip(own.pks.tolist(), own.scores.tolist(), strict=True))
        return [scores.get(pk, 0.0) for pk in pks]


@dataclass(slots=True, kw_only=True)
class Search:
    """One question to one snapshot of the tables.

    `config` are the settings it began with, and `weights` what each part of a score is worth for such a question.
    """

    query: Query
    plan: Plan
    config: Config
    weights: Mapping[str, float]
    look: Look
    watch: Stopwatch
    question: WeighedQuestion = field(init=False)
    directions: dict[str, Vectors] = field(init=False)  # where the question points, by model
    gathered: Gathered = field(init=False)
    ground: Ground = field(init=False)
    ranked: Ranked = field(init=False)
    verdict: Answerability = field(init=False)
    finished: Finished = field(init=False)

    @property
    def late(self) -> bool:
        """Whether the time that a search may take is over."""
        limit = current()
        allowed_s = 0.0 if limit is None else limit.allowed_s
        took_s = self.watch.total_ms() / 1e3 - allowed_s
        return took_s > self.config.recall.timeout_s or (limit is not None and limit.passed)

    def out_of_time(self, step: str, order: str) -> None:
        """Say in the answer that a step was left out."""
        self.left_out(step, f"the order is {order}")

    def left_out(self, step: str, without: str) -> None:
        """Say in the answer that there was no time for a step, and what follows from that."""
        limit_s = self.config.recall.timeout_s
        self.look.missing.append(f"{step}: no time was left of recall.timeout_s ({limit_s:g} s); {without}")
