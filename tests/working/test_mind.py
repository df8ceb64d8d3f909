"""A mind from prompt to answer."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from working.mind_for_tests import Standing, a_mind, exchange

from recollect.config.window import WorkingSettings
from recollect.errors import ProviderError, UsageError
from recollect.model.working import SlotSource, TopicChange
from recollect.providers.base import Vectors
from recollect.providers.registry import make_embedder
from recollect.working.likeness import cosine

ATLAS = "I am building the Atlas web shop with React, and I prefer dark mode."


def test_a_thin_prompt_finds_the_project_under_discussion() -> None:
    clock = Standing()
    mind = a_mind(clock)
    exchange(mind, clock, ATLAS, "Which server does Atlas run on?")
    exchange(mind, clock, "Atlas runs on a small Debian server.", "Then build the shop there.")
    heard = exchange(mind, clock, "ok, now deploy it")
    assert heard.thin
    assert "Atlas" in heard.names
    assert "Debian" in heard.words
    assert heard.share == pytest.approx(0.4)
    embedder = make_embedder("wordllama")
    assert embedder is not None
    bare, about = embedder.embed(["ok, now deploy it", "deploying the Atlas web shop to the server"])
    assert cosine(heard.blended(bare), about) > cosine(bare, about)


def test_what_was_said_is_in_mind_half_a_minute_later_as_what_it_says() -> None:
    clock = Standing()
    mind = a_mind(clock)
    exchange(mind, clock, ATLAS)
    assert mind.in_mind() == []
    clock.skip(seconds=31)
    assert "The user prefers dark mode" in [slot.text for slot in mind.in_mind()]
    assert all(slot.source is SlotSource.SENSORY for slot in mind.in_mind())


def test_a_switch_frees_the_mind_and_hands_over_what_was_strong() -> None:
    clock = Standing()
    mind = a_mind(clock)
    exchange(mind, clock, ATLAS)
    mind.recalled([("r1", "Atlas is deployed on Fridays", 0.9), ("r2", "Atlas began in May", 0.2)])
    heard = exchange(mind, clock, "By the way, what should I cook for the birthday dinner on Sunday?")
    assert heard.change is TopicChange.SWITCH
    assert heard.share == 0.0
    assert heard.names == ()
    assert mind.in_mind() == []
    kept = mind.to_keep()
    assert "The user prefers dark mode" in [slot.text for slot in kept.said]
    assert kept.reinforced == ("r1",)
    assert not mind.to_keep()


def test_a_greeting_takes_nothing_of_the_talk_before() -> None:
    clock = Standing()
    mind = a_mind(clock)
    exchange(mind, clock, ATLAS, "Good luck with Atlas, bye!")
    heard = exchange(mind, clock, "hello")
    assert heard.change is TopicChange.SWITCH
    assert heard.thin
    assert (heard.share, heard.momentum, heard.words, heard.names) == (0.0, None, (), ())
    exchange(mind, clock, "Which dessert goes with a mushroom risotto?", "A lemon sorbet.")
    assert "Atlas" not in exchange(mind, clock, "And which wine?").words


def test_only_the_best_of_what_was_shown_comes_to_mind() -> None:
    clock = Standing()
    mind = a_mind(clock, recalled_slots=2)
    mind.recalled([(f"r{index}", f"Ana has the number {index}", index / 10) for index in range(8)])
    assert [slot.record_id for slot in mind.in_mind()] == ["r7", "r6"]
    mind.recalled([("r9", "worthless", 0.0)])
    assert "r9" not in mind.records()


def test_notes_are_checked() -> None:
    mind = a_mind(Standing())
    assert mind.noted("the release is on Friday").source is SlotSource.USER
    assert mind.noted("Ana may be tired", "inference").source is SlotSource.INFERENCE
    with pytest.raises(UsageError, match="one of sensory, recall"):
        mind.noted("x", "dream")
    with pytest.raises(UsageError, match="empty"):
        mind.noted("  ")


def test_what_is_in_mind_fits_the_budget_to_the_token() -> None:
    mind = a_mind(Standing())
    for index in range(9):
        mind.noted(f"Ana has the number {index} in the list of the garden club of her town")
    for tokens in (0, 1, 20, 60, 1000):
        assert sum(slot.tokens for slot in mind.in_mind(tokens=tokens)) <= tokens


class Failing:
    """An embedder whose model cannot be reached."""

    name = "failing:test"
    dimensions = 8
    inline = True

    def embed(self, texts: Sequence[str]) -> Vectors:
        raise ProviderError("unreachable")


def test_an_embedder_that_fails_leaves_the_words() -> None:
    clock = Standing()
    mind = a_mind(clock, embedder=Failing())
    exchange(mind, clock, ATLAS, "Atlas it is.")
    heard = exchange(mind, clock, "How is the Atlas web shop built?")
    assert heard.vector is None
    assert heard.momentum is None
    assert heard.change is TopicChange.CONTINUATION
    given = mind.heard("And the Atlas server?", vector=np.ones(8, dtype=np.float32))
    assert given.change is TopicChange.CONTINUATION


def test_clearing_forgets_all_of_it() -> None:
    clock = Standing()
    mind = a_mind(clock)
    exchange(mind, clock, ATLAS)
    mind.noted("the release is on Friday")
    mind.clear()
    state = mind.state()
    assert (state.slots, state.exchanges, state.certainty, state.heard_at) == (0, 0, 0.0, None)
    assert mind.exchanges() == ()
    assert not mind.to_keep()


def test_judging_takes_nothing_in() -> None:
    clock = Standing()
    mind = a_mind(clock)
    exchange(mind, clock, ATLAS)
    before = mind.saved()
    _, change = mind.judged("By the way, what should I cook for the birthday dinner on Sunday?")
    assert change is TopicChange.SWITCH
    assert mind.saved()[0] == before[0]
    assert mind.state().exchanges == 1


@given(st.lists(st.text(max_size=200), max_size=12), st.sampled_from(["fake", None]))
def test_no_text_is_too_strange(texts: list[str], embedder: str | None) -> None:
    clock = Standing()
    mind = a_mind(clock, embedder=embedder)
    for text in texts:
        heard = exchange(mind, clock, text, text)
        assert 0.0 <= heard.goes_on <= 1.0
        assert 0.0 <= heard.share <= 0.4
    assert len(mind.in_mind()) <= 9


def test_many_threads_take_turns() -> None:
    clock = Standing()
    mind = a_mind(clock, embedder="fake")

    def talk(number: int) -> None:
        for index in range(20):
            clock.skip(seconds=2)
            mind.heard(f"Ana told Ben number {number} about the garden {index}")
            mind.answered(f"The garden {index} is fine")
            mind.recalled([(f"r{number}-{index}", f"Garden {number} {index}", 0.5)])
            assert len(mind.in_mind()) <= 9

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(talk, range(8)))
    assert mind.state().exchanges <= 20


def test_hearing_is_quick() -> None:
    clock = Standing()
    mind = a_mind(clock)
    embedder = make_embedder("wordllama")
    assert embedder is not None
    spent = []
    for index in range(60):
        said = f"How do I configure image {index} of the Atlas shop on the Debian server?"
        vector = embedder.embed([said])[0]
        clock.skip(seconds=40)
        before = time.thread_time_ns()
        mind.heard(said, vector=vector)
        mind.in_mind(tokens=500)
        spent.append(time.thread_time_ns() - before)
        mind.answered(f"Write a file number {index} with a build stage.")
    assert sorted(spent)[len(spent) // 2] < 2_000_000  # some 0.3 ms on a quiet machine


def test_a_mood_lasts_a_while_and_fades_with_what_is_said_without_feeling() -> None:
    mind = a_mind(Standing(), embedder=None)
    glad = mind.heard("I got the job, I am so incredibly happy!!").mood
    later = mind.heard("Which forms do I have to fill in?").mood
    assert glad > 0.4
    assert later == pytest.approx(glad * WorkingSettings().mood_kept)
    sad = mind.heard("My grandmother died. I am devastated and so sad.").mood
    assert sad < -0.4
    mind.clear()
    assert mind.heard("Which forms?").mood == 0.0
