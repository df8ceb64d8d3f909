"""One search as its caller asked for it, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from recollect.errors import UsageError, shown
from recollect.model.facets import FacetQuery
from recollect.model.place import PlaceQuery
from recollect.model.query import Criteria
from recollect.providers.base import Vectors
from recollect.recall.question.modes import TimeMode

# How the final order is made: `none` by score alone, `mmr` for variety, `rrf` by places in the sources instead of
# scores, `cross_encoder` by a model that reads question and text together.
STRATEGIES = ("none", "mmr", "rrf", "rrf_then_mmr", "cross_encoder")


class Leaning(NamedTuple):
    """Where a conversation is going, and how much of the question's direction that is."""

    vector: Vectors
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What to look for, what counts, and how to order it. `rerank` None leaves the order to the settings."""

    text: str
    criteria: Criteria
    top_k: int
    threshold: float | None = None
    max_tokens: int | None = None
    explain: bool = False
    phase: str | None = None
    mood: float | None = None  # None: as the words of the question feel, if that is set
    place: PlaceQuery | None = None
    facets: FacetQuery | None = None
    mode: TimeMode | None = None
    rerank: str | None = None
    weights: Mapping[str, float] = field(default_factory=dict)  # a factor for parts of the score, in this search alone
    asked_in: str | None = None  # the session that asks
    leaning: Leaning | None = None  # towards what the conversation is about, by the configured model


def strategy(value: Any) -> str | None:
    """The name of a way to order, or a word about which there are."""
    if value is not None and value not in STRATEGIES:
        raise UsageError(f"rerank must be one of {', '.join(STRATEGIES)}, not {shown(value, 40)}")
    return None if value is None else str(value)


def narrowed(criteria: Criteria, mode: TimeMode | None) -> Criteria:
    """What counts when only a stretch of time is looked at; sessions are found out inside the search."""
    if mode is None or (mode.start is None and mode.end is None):
        return criteria
    after = [moment for moment in (criteria.after, mode.start) if moment is not None]
    before = [moment for moment in (criteria.before, mode.end) if moment is not None]
    return replace(criteria, after=max(after, default=None), before=min(before, default=None))
