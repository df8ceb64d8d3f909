"""A second look by an imagined answer."""

from __future__ import annotations

import numpy as np
import pytest

from recollect.config.reading import ExpandSettings
from recollect.errors import ProviderError, ProviderUnavailable
from recollect.providers.embedders.fake import FakeEmbedder
from recollect.recall.pipeline import imagined
from recollect.recall.sources.vector import blended


class Imagining:
    name = "imagining"

    def __init__(self, answer: str | ProviderError) -> None:
        self.answer = answer
        self.asked: list[tuple[str, int]] = []

    def complete(self, prompt: str, *, instructions: str = "", max_tokens: int) -> str:
        self.asked.append((prompt, max_tokens))
        if isinstance(self.answer, ProviderError):
            raise self.answer
        return self.answer


def test_the_imagined_answer_is_embedded() -> None:
    embedder = FakeEmbedder("")
    llm = Imagining("Ana uses Helix")
    vector = imagined(llm, embedder, "which editor?", ExpandSettings())
    assert not isinstance(vector, ProviderError)
    assert np.allclose(vector, embedder.embed(["Ana uses Helix"])[0])
    assert llm.asked == [("which editor?", ExpandSettings().hyde_output_tokens)]


def test_a_silent_model_is_reported_not_raised() -> None:
    error = ProviderUnavailable("away")
    assert imagined(Imagining(error), FakeEmbedder(""), "which editor?", ExpandSettings()) is error


def test_directions_blend_to_unit_length() -> None:
    mixed = blended(np.array([1.0, 0.0], np.float32), np.array([0.0, 1.0], np.float32), 0.4)
    assert np.linalg.norm(mixed) == pytest.approx(1.0)
    assert mixed[0] / mixed[1] == pytest.approx(0.4 / 0.6)
    assert not blended(np.zeros(2, np.float32), np.zeros(2, np.float32), 0.4).any()
