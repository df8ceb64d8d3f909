"""A search leans to what felt as its words do, by itself: among equals, where it is wanted."""

from __future__ import annotations

from typing import Any

import pytest

import recollect
from recollect import Memory

GLAD = "The trip to the lake with Tomás was wonderful, I loved every minute!!"
SAD = "The trip to the lake with Tomás was horrible, I hated every minute!!"


def opened(**config: Any) -> Memory:
    given = {key.replace("__", "."): value for key, value in config.items()}
    mem = recollect.open(":memory:", config=given)
    for text in (GLAD, SAD):
        mem.add([{"role": "user", "content": text}], session_id="s1")
    return mem


def share(mem: Memory, question: str, text: str, **options: Any) -> float:
    return next(hit.score for hit in mem.search(question, **options) if hit.content == text)


def test_the_words_of_a_question_are_a_mood() -> None:
    glad, sad = "What an amazing, wonderful trip with Tomás!", "What a terrible, horrible trip with Tomás!"
    with opened() as mem:
        for asked, alike, unlike in ((glad, GLAD, SAD), (sad, SAD, GLAD)):
            assert share(mem, asked, alike) > share(mem, asked, alike, mood=0.0)
            assert share(mem, asked, unlike) == pytest.approx(share(mem, asked, unlike, mood=0.0))
        plain = "Who was on the trip to the lake?"
        assert share(mem, plain, GLAD) == pytest.approx(share(mem, plain, GLAD, mood=0.0))
    with opened(affect__mood_leans=False) as mem:
        assert share(mem, glad, GLAD) == pytest.approx(share(mem, glad, GLAD, mood=0.0))
    with opened(affect__mood_valence_min=1.0) as mem:
        assert share(mem, glad, GLAD) == pytest.approx(share(mem, glad, GLAD, mood=0.0))


def test_a_window_leans_to_the_mood_of_the_talk() -> None:
    scores = {}
    for leans in (True, False):
        with opened(affect__mood_leans=leans) as mem:
            mem.context("I am so happy today, everything is wonderful!", session_id="s2")
            window = mem.context("Tell me about the trip to the lake with Tomás", session_id="s2")
            scores[leans] = {hit.content: hit.score for hit in window.hits}
    assert scores[True][GLAD] > scores[False][GLAD]
    assert scores[True][SAD] == pytest.approx(scores[False][SAD])
