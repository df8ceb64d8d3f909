"""Where a talk is going, on the scale of whatever embedder there is."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
import pytest

from recollect.config.window import WorkingSettings
from recollect.providers.base import Vectors
from recollect.providers.registry import make_embedder
from recollect.working.likeness import Likeness, cosine, likeness_of, measured, unit
from recollect.working.momentum import Momentum

SETTINGS = WorkingSettings()
SCALE = Likeness(unrelated=0.0, related=0.5)


def axis(at: int, size: int = 8) -> np.ndarray:
    vector = np.zeros(size, dtype=np.float32)
    vector[at] = 1.0
    return vector


def test_certainty_grows_with_turns_of_one_topic_and_falls_with_another() -> None:
    momentum = Momentum(SCALE)
    seen = []
    for _ in range(8):
        momentum.move(axis(0), SETTINGS)
        seen.append(momentum.certainty)
    assert seen == sorted(seen)
    assert seen[-1] > 0.8
    momentum.move(axis(1), SETTINGS)
    assert momentum.certainty < 0.6 * seen[-1]


def test_the_centroid_follows_by_its_share() -> None:
    momentum = Momentum(SCALE)
    momentum.move(axis(0), SETTINGS)
    momentum.move(axis(1), SETTINGS)
    centroid = momentum.centroid()
    assert centroid is not None
    assert centroid == pytest.approx(unit(0.7 * axis(0) + 0.3 * axis(1)))


def test_a_query_is_moved_by_at_most_the_share() -> None:
    momentum = Momentum(SCALE)
    assert momentum.blended(axis(1), SETTINGS) == pytest.approx(axis(1))  # nothing was said yet
    for _ in range(50):
        momentum.move(axis(0), SETTINGS)
    assert momentum.share(SETTINGS) <= SETTINGS.momentum_share_max
    blended = momentum.blended(axis(1), SETTINGS)
    assert cosine(blended, axis(1)) > cosine(blended, axis(0)) > 0.5
    assert np.linalg.norm(blended) == pytest.approx(1.0, abs=1e-5)


def test_the_prediction_leans_the_way_the_talk_moves() -> None:
    momentum = Momentum(SCALE)
    for vector in (axis(0), axis(0), axis(1)):
        momentum.move(vector, SETTINGS)
    centroid, predicted = momentum.centroid(), momentum.predicted(SETTINGS)
    assert centroid is not None
    assert predicted is not None
    assert cosine(predicted, axis(1)) > cosine(centroid, axis(1))


def test_nothing_and_vectors_of_another_model_move_nothing() -> None:
    momentum = Momentum(SCALE)
    momentum.move(np.zeros(8, dtype=np.float32), SETTINGS)
    assert momentum.centroid() is None
    assert momentum.predicted(SETTINGS) is None
    momentum.move(axis(0), SETTINGS)
    momentum.move(axis(0, size=4), SETTINGS)
    assert momentum.turns == 1
    assert momentum.like(axis(0, size=4)) is None
    assert momentum.blended(axis(0, size=4), SETTINGS) == pytest.approx(axis(0, size=4))


def test_the_scale_puts_related_texts_above_unrelated_ones() -> None:
    embedder = make_embedder("wordllama")
    assert embedder is not None
    scale = likeness_of(embedder)
    assert scale is not None
    assert scale.tells
    talk = embedder.embed(["The tomato plants on the balcony need water.", "Which feed do the tomato plants need?"])
    stranger = embedder.embed(["My train to the capital leaves at noon."])[0]
    assert scale.scaled(cosine(talk[0], talk[1])) > 0.5 > scale.scaled(cosine(talk[0], stranger))


@pytest.mark.parametrize("name", ["fake", "fake:512"])
def test_an_embedder_that_cannot_tell_talks_apart_says_nothing_about_topics(name: str) -> None:
    embedder = make_embedder(name)
    assert embedder is not None
    scale = likeness_of(embedder)
    assert scale is not None
    assert not scale.tells
    momentum = Momentum(scale)
    for row in embedder.embed(["The tomato plants need water.", "The tomato plants need feed."]):
        momentum.move(row, SETTINGS)
        assert momentum.like(row) is None
    assert momentum.share(SETTINGS) > 0.0  # a query may lean on the talk all the same


class Slow:
    """An embedder that may not be asked while somebody waits."""

    name = "slow:test"
    dimensions = 64
    inline = False

    def embed(self, texts: Sequence[str]) -> Vectors:
        fake = make_embedder("fake")
        assert fake is not None
        return fake.embed(texts)


def test_the_scale_of_a_slow_embedder_is_found_in_the_background() -> None:
    slow = Slow()
    assert likeness_of(slow) is None
    deadline = time.monotonic() + 10
    while (found := likeness_of(slow)) is None and time.monotonic() < deadline:
        time.sleep(0.01)
    assert found == measured(slow)
