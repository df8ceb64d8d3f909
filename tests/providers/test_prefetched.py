"""A model that loads while the program starts is the same model."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
import pytest

from recollect.errors import MissingExtra, ProviderError, RecollectError
from recollect.providers.base import Vectors
from recollect.providers.embedders.fake import FakeEmbedder
from recollect.providers.embedders.wordllama import WordLlamaEmbedder
from recollect.providers.prefetched import Prefetched


class Slow(FakeEmbedder):
    """Loads when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.go = threading.Event()
        self.asked: list[tuple[str, ...]] = []
        self.closed = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked.append(tuple(texts))
        assert self.go.wait(20)
        return super().embed(texts)

    def close(self) -> None:
        self.closed += 1


class Broken(FakeEmbedder):
    def __init__(self, error: RecollectError) -> None:
        super().__init__()
        self.error = error

    def embed(self, texts: Sequence[str]) -> Vectors:
        raise self.error


def test_it_is_the_embedder() -> None:
    plain = FakeEmbedder("32")
    model = Prefetched(plain)
    assert (model.name, model.dimensions, model.inline) == ("fake:32", 32, True)
    np.testing.assert_array_equal(model.embed(["tea", "rome"]), plain.embed(["tea", "rome"]))
    assert getattr(model, "word_vectors", None) is None
    model.close()


def test_what_only_some_models_have() -> None:
    plain = WordLlamaEmbedder()
    model = Prefetched(plain)
    np.testing.assert_array_equal(model.word_vectors(["tea"]), plain.word_vectors(["tea"]))
    with pytest.raises(AttributeError):
        _ = model.no_such_thing
    model.close()


def test_loading_begins_at_once_and_nobody_waits_for_it() -> None:
    slow = Slow()
    model = Prefetched(slow)
    assert model.dimensions == 64, "asking what it is does not wait"
    answers: list[Vectors] = []
    asker = threading.Thread(target=lambda: answers.append(model.embed(["tea"])))
    asker.start()
    assert answers == []
    slow.go.set()
    asker.join()
    assert len(slow.asked) == 2
    assert slow.asked[1] == ("tea",)
    assert answers[0].shape == (1, 64)


def test_closing_waits_and_closes_the_model() -> None:
    slow = Slow()
    model = Prefetched(slow)
    slow.go.set()
    model.close()
    assert slow.closed == 1
    assert not model._thread.is_alive()


@pytest.mark.parametrize(
    "error", [ProviderError("no file"), MissingExtra("needs: pip install it")], ids=lambda e: e.code
)
def test_a_failure_is_told_to_who_asks(error: RecollectError, monkeypatch: pytest.MonkeyPatch) -> None:
    """And to nobody before: no traceback appears from a thread the caller does not know of."""
    unheard: list[object] = []
    monkeypatch.setattr(threading, "excepthook", unheard.append)
    model = Prefetched(Broken(error))
    model._thread.join()
    assert unheard == []
    with pytest.raises(type(error)) as caught:
        model.embed(["tea"])
    assert caught.value is error


def test_many_threads_at_once() -> None:
    model = Prefetched(FakeEmbedder())
    expected = FakeEmbedder().embed(["tea"])
    answers: list[Vectors] = []
    threads = [threading.Thread(target=lambda: answers.append(model.embed(["tea"]))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 8
    assert all((answer == expected).all() for answer in answers)
