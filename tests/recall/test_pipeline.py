"""Searches of one process work one at a time, unless that would keep one waiting; and an answer may be imagined."""

from __future__ import annotations

import threading
import time

import numpy as np

import recollect
from recollect.config.reading import ExpandSettings
from recollect.errors import ProviderError, ProviderUnavailable
from recollect.providers.embedders.fake import FakeEmbedder
from recollect.recall.pipeline import OneAtATime, imagined


def test_one_works_at_a_time() -> None:
    turns, inside, most = OneAtATime(wait_s=30.0), 0, 0
    counting = threading.Lock()

    def work() -> None:
        nonlocal inside, most
        for _ in range(20):
            with turns.turn():
                with counting:
                    inside += 1
                    most = max(most, inside)
                time.sleep(0.0005)
                with counting:
                    inside -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_who_has_waited_long_enough_goes_ahead() -> None:
    turns = OneAtATime(wait_s=0.01)
    with turns.turn(), turns.turn():  # the second waits in vain, and neither gives back what it does not hold
        pass
    start = time.perf_counter()
    with turns.turn():
        assert time.perf_counter() - start < 5.0


def test_a_failure_gives_the_turn_back() -> None:
    turns = OneAtATime(wait_s=30.0)
    try:
        with turns.turn():
            raise RuntimeError
    except RuntimeError:
        pass
    start = time.perf_counter()
    with turns.turn():
        assert time.perf_counter() - start < 10.0


def test_searches_from_many_threads_all_get_their_answers() -> None:
    with recollect.open(":memory:", embedder=None) as memory:
        for town in ("Oslo", "Lima", "Cairo", "Quito"):
            memory.add(f"Ana lived in {town} for a year")
        found: list[str] = []

        def ask(town: str) -> None:
            answers = (memory.search(f"Who lived in {town}?", top_k=1)[0].content for _ in range(5))
            found.extend(town if town in answer else "" for answer in answers)

        threads = [threading.Thread(target=ask, args=(town,)) for town in ("Oslo", "Lima", "Cairo", "Quito")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    assert sorted(found) == sorted(["Oslo", "Lima", "Cairo", "Quito"] * 5)


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
