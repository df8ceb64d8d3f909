"""How a question is searched for: an intent becomes numbers that the read path takes as they are.

A recipe moves weight between sources, it never adds any. The less certain the intent, the nearer it is to what the
settings say without one; with several kinds in play it is their mixture.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from recollect.config import Config
from recollect.recall.question.intent import KINDS, NO_INTENT, Intent
from recollect.recall.question.routes import Route, route_of

SOURCES = ("text", "vector", "graph", "temporal")

_KNOWN_MAX = 1_000  # recipes kept; where examples were asked for an intent, no two are the same
_SAME_SHARE = 1e-9  # shares at the edges of their range, where odds would be endless


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """The numbers of one search.

    `weights` holds every source. `freshness` runs from 0 (age does not matter) to 1. `kinds` holds a factor per kind
    of record, 1 meaning no preference. `route` says which relations are walked, for `hops` steps. `results` is what to
    return if nobody named a number.
    """

    weights: Mapping[str, float]
    freshness: float
    kinds: Mapping[str, float]
    route: Route
    hops: int
    candidates: int
    results: int

    def leaning(self, neutral: Recipe) -> dict[str, float]:
        """What each source counts against a search without intent: 1 the same, 2 twice as much, 0 nothing."""
        return {
            source: weight / usual if (usual := neutral.weights[source]) else 0.0
            for source, weight in self.weights.items()
        }

    def balanced(self, share: float, usual: float) -> Recipe:
        """The same with words against meaning as a query's form has it (`shape.text_share`); `usual` moves nothing."""
        text, vector = self.weights["text"], self.weights["vector"]
        tilt = _odds(share) / _odds(usual)
        both = text * tilt + vector
        if not both:
            return self
        words = (text + vector) * text * tilt / both
        return replace(self, weights=MappingProxyType({**self.weights, "text": words, "vector": text + vector - words}))


class Recipes:
    """The recipes of one configuration, each worked out once: questions differ much, their intents little."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.neutral = neutral_recipe(config)
        self._known: dict[tuple[object, ...], Recipe] = {}

    def of(self, intent: Intent) -> Recipe:
        """As `recipe_of`."""
        key = (intent.asks, intent.certainty, intent.complex, *intent.shares.values())
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= _KNOWN_MAX:
                self._known.clear()
            found = self._known[key] = recipe_of(intent, self.config)
        return found


def neutral_recipe(config: Config) -> Recipe:
    """How a question is searched for that says nothing about what it is after."""
    return recipe_of(NO_INTENT, config)


def recipe_of(intent: Intent, config: Config) -> Recipe:
    """The recipes of all kinds, mixed by their shares, and mixed with the neutral one by certainty."""
    recall, graph, settings = config.recall, config.graph, config.intent

    def mixed(neutral: float, by_kind: Mapping[str, float]) -> float:
        told = sum(intent.shares[kind] * by_kind[kind] for kind in KINDS)
        return neutral + intent.certainty * (told - neutral)

    return Recipe(
        weights=_weights(intent, config),
        freshness=mixed(sum(settings.freshness.values()) / len(settings.freshness), settings.freshness),
        kinds=_kinds(intent, config),
        route=route_of(intent.asks),
        hops=round(mixed(graph.complex_depth if intent.complex else graph.simple_depth, settings.hops)),
        candidates=max(round(mixed(recall.candidates, settings.candidates)), recall.top_k * recall.overfetch),
        results=recall.complex_results if intent.complex else recall.simple_results,
    )


def _weights(intent: Intent, config: Config) -> Mapping[str, float]:
    """Each kind divides the sum of the neutral weights in its own way; what is turned off stays off."""
    chosen, divides = config.recall, config.intent
    usual = {
        "text": chosen.text_weight,
        "vector": chosen.vector_weight,
        "graph": chosen.graph_weight,
        "temporal": chosen.temporal_weight,
    }
    by_source = {
        "text": divides.text,
        "vector": divides.vector,
        "graph": divides.graph,
        "temporal": divides.temporal,
    }
    whole = sum(usual.values())
    told = dict.fromkeys(SOURCES, 0.0)
    for kind in KINDS:
        parts = {source: by_source[source][kind] if usual[source] else 0.0 for source in SOURCES}
        divided = sum(parts.values()) or 1.0
        for source, part in parts.items():
            told[source] += intent.shares[kind] * whole * part / divided
    return MappingProxyType(
        {source: usual[source] + intent.certainty * (told[source] - usual[source]) for source in SOURCES}
    )


def _kinds(intent: Intent, config: Config) -> Mapping[str, float]:
    settings = config.intent
    preferred = {
        "lookup": settings.lookup_records,
        "exploratory": settings.exploratory_records,
        "comparative": settings.comparative_records,
        "temporal": settings.temporal_records,
        "procedural": settings.procedural_records,
        "causal": settings.causal_records,
    }
    factors: dict[str, float] = {}
    for kind in KINDS:
        for record, factor in preferred[kind].items():
            factors[record] = factors.get(record, 1.0) + intent.certainty * intent.shares[kind] * (factor - 1.0)
    return MappingProxyType(factors)


def _odds(share: float) -> float:
    share = min(max(share, _SAME_SHARE), 1 - _SAME_SHARE)
    return share / (1 - share)
