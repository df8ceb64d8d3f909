"""An intent becomes the numbers of a search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.config import Config
from recollect.model.record import Kind
from recollect.recall.question.intent import ASKS, KINDS, NO_INTENT, Intent, IntentReader
from recollect.recall.question.recipes import SOURCES, Recipe, neutral_recipe, recipe_of
from recollect.recall.question.routes import route_of

CONFIG = Config()


def sure_of(kind: str, *, asks: str = "general", certainty: float = 1.0, complex: bool = False) -> Intent:
    shares = {each: float(each == kind) for each in KINDS}
    return Intent(kind=kind, asks=asks, certainty=certainty, shares=shares, complex=complex)


def parts_of(weights: Mapping[str, float]) -> dict[str, float]:
    whole = sum(weights.values())
    return {source: weight / whole for source, weight in weights.items()}


@pytest.mark.parametrize("kind", KINDS)
def test_a_certain_intent_has_the_recipe_of_its_kind(kind: str) -> None:
    weights = {"text": 0.1, "vector": 0.4, "graph": 0.3, "temporal": 0.2}
    told = {**weights, "freshness": 0.7, "hops": 4, "candidates": 700}
    changes = {name: {each: value if each == kind else 0.9 for each in KINDS} for name, value in told.items()}
    changes["hops"] = {each: 4 if each == kind else 1 for each in KINDS}
    changes["candidates"] = {each: 700 if each == kind else 30 for each in KINDS}
    config = Config().with_changes({"intent": {**changes, f"{kind}_records": {"opinion": 7.0}}})
    recipe = recipe_of(sure_of(kind), config)
    assert parts_of(recipe.weights) == pytest.approx(weights)
    assert (recipe.freshness, recipe.hops, recipe.candidates) == (pytest.approx(0.7), 4, 700)
    assert recipe.kinds["opinion"] == pytest.approx(7.0)
    few = config.with_changes({"recall": {"top_k": 200, "overfetch": 5}})
    assert recipe_of(sure_of(kind), few).candidates == 1_000, "never fewer than the answer is picked from"


@pytest.mark.parametrize("kind", KINDS)
def test_without_certainty_the_settings_stand(kind: str) -> None:
    recipe, recall = recipe_of(sure_of(kind, certainty=0.0), CONFIG), CONFIG.recall
    assert recipe == neutral_recipe(CONFIG)
    assert dict(recipe.weights) == {source: getattr(recall, f"{source}_weight") for source in SOURCES}
    assert set(recipe.kinds.values()) == {1.0}
    assert (recipe.candidates, recipe.hops) == (recall.candidates, CONFIG.graph.simple_depth)


def test_a_little_certainty_moves_a_little() -> None:
    neutral = neutral_recipe(CONFIG)
    weights = [recipe_of(sure_of("causal", certainty=c), CONFIG).weights["graph"] for c in (0.0, 0.1, 0.5, 1.0)]
    assert weights == sorted(weights)
    assert weights[1] - weights[0] == pytest.approx((weights[3] - weights[0]) / 10)
    assert weights[0] == neutral.weights["graph"]


def test_kinds_mix_by_their_shares() -> None:
    shares = {kind: 0.5 * (kind in ("causal", "temporal")) for kind in KINDS}
    both = recipe_of(Intent(kind="causal", asks="why", certainty=1.0, shares=shares, complex=False), CONFIG)
    ends = [recipe_of(sure_of(kind), CONFIG) for kind in ("causal", "temporal")]
    for source in SOURCES:
        assert both.weights[source] == pytest.approx(sum(end.weights[source] for end in ends) / 2)
    assert both.kinds["episodic"] == pytest.approx(sum(end.kinds["episodic"] for end in ends) / 2)


def test_questions_prefer_the_records_that_answer_them() -> None:
    reader = IntentReader(None, CONFIG.intent)
    how = recipe_of(reader.read("How do I restart the worker?"), CONFIG).kinds
    assert max(how, key=lambda kind: how[kind]) == Kind.PROCEDURAL
    who = recipe_of(reader.read("Who wrote the parser?"), CONFIG).kinds
    assert who["entity"] == who["semantic"] > who["episodic"] == who["procedural"] == 1.0
    when = recipe_of(reader.read("When did Ana move?"), CONFIG).kinds
    assert max(when, key=lambda kind: when[kind]) == Kind.EPISODIC


def test_time_counts_most_when_time_is_asked_for() -> None:
    reader = IntentReader(None, CONFIG.intent)
    neutral = neutral_recipe(CONFIG)
    when = recipe_of(reader.read("When did Ana move?"), CONFIG).leaning(neutral)
    why = recipe_of(reader.read("Why did Ana move?"), CONFIG).leaning(neutral)
    assert max(when, key=lambda source: when[source]) == "temporal"
    assert why["graph"] > 1.0 > why["text"]
    assert neutral.leaning(neutral) == dict.fromkeys(SOURCES, 1.0)


@pytest.mark.parametrize("asks", ASKS)
def test_the_walk_follows_what_is_asked(asks: str) -> None:
    assert recipe_of(sure_of("lookup", asks=asks), CONFIG).route == route_of(asks)


def test_complex_questions_go_further_and_return_more() -> None:
    simple, wide = (recipe_of(replace(NO_INTENT, complex=c), CONFIG) for c in (False, True))
    assert (simple.results, wide.results) == (CONFIG.recall.simple_results, CONFIG.recall.complex_results)
    assert (simple.hops, wide.hops) == (CONFIG.graph.simple_depth, CONFIG.graph.complex_depth)


def test_a_source_turned_off_by_hand_stays_off() -> None:
    config = Config().with_changes({"recall": {"graph_weight": 0.0}})
    neutral = neutral_recipe(config)
    assert neutral.weights["graph"] == neutral.leaning(neutral)["graph"] == 0.0
    assert recipe_of(sure_of("causal"), config).weights["graph"] == 0.0


def test_the_form_of_a_query_moves_weight_between_words_and_meaning_only() -> None:
    recipe = neutral_recipe(CONFIG)
    usual = CONFIG.recall.text_share
    assert recipe.balanced(usual, usual).weights == pytest.approx(recipe.weights)
    wordy, vague = recipe.balanced(0.7, usual), recipe.balanced(0.1, usual)
    assert wordy.weights["text"] > recipe.weights["text"] > vague.weights["text"]
    for moved in (wordy, vague):
        assert sum(moved.weights.values()) == pytest.approx(sum(recipe.weights.values()))
        assert (moved.weights["graph"], moved.weights["temporal"]) == (1.0, recipe.weights["temporal"])
    assert recipe.balanced(1.0, usual).weights["vector"] == pytest.approx(0.0, abs=1e-6)
    silent = replace(recipe, weights={**recipe.weights, "text": 0.0, "vector": 0.0})
    assert silent.balanced(0.7, usual) == silent


shares = st.lists(st.floats(0, 1), min_size=6, max_size=6).filter(lambda each: sum(each) > 0.01)


@given(shares, st.floats(0, 1), st.sampled_from(ASKS), st.booleans())
def test_a_recipe_moves_weight_and_never_adds_any(
    parts: list[float], certainty: float, asks: str, complex: bool
) -> None:
    told = dict(zip(KINDS, (part / sum(parts) for part in parts), strict=True))
    kind = max(KINDS, key=lambda each: told[each])
    intent = Intent(kind=kind, asks=asks, certainty=certainty, shares=told, complex=complex)
    recipe: Recipe = recipe_of(intent, CONFIG)
    assert sum(recipe.weights.values()) == pytest.approx(sum(neutral_recipe(CONFIG).weights.values()))
    assert min(recipe.weights.values()) >= 0
    assert 0 <= recipe.freshness <= 1
    assert set(recipe.kinds) == set(Kind)
    assert recipe.candidates >= CONFIG.recall.top_k
    assert 0 <= recipe.hops <= CONFIG.graph.complex_depth
