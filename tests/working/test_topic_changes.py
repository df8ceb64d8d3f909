"""Continuation, drift and switch: what the signs say, alone and together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from working.mind_for_tests import Standing, a_mind, exchange

from recollect.config.window import WorkingSettings
from recollect.model.working import TopicChange
from recollect.working.topic import Signs, change_of, continuity, cues_of, is_thin, takes_leave

PLAIN = cues_of("The garden needs water.")


def signs(**parts: object) -> Signs:
    seen = {"like": 0.8, "shared": 0.1, "own_words": 4, "cues": PLAIN, "after_farewell": False} | parts
    return Signs(**seen)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["Hey Ana, how have you been?", "Good morning!", "well, hello there", "Hi"])
def test_greetings_are_seen(text: str) -> None:
    assert cues_of(text).greets


@pytest.mark.parametrize("text", ["By the way, who won?", "ok, unrelated question", "On another note: tea", "BTW, Ben"])
def test_turns_of_phrase_are_seen(text: str) -> None:
    assert cues_of(text).turns
    assert not cues_of(text).follows


@pytest.mark.parametrize("text", ["yes please", "And what about the tests?", "That works", "it fails", "deploy it now"])
def test_follow_ups_are_seen(text: str) -> None:
    assert cues_of(text).follows


@pytest.mark.parametrize(
    "text", ["Hidden files are shown", "Heydar is a name", "Anywhere is fine", "Item one", "", "您好"]
)
def test_words_that_only_begin_alike_are_no_cues(text: str) -> None:
    assert not any(cues_of(text))


def test_a_farewell_closes_a_text() -> None:
    assert takes_leave("That was all, take care!")
    assert not takes_leave("Take care of the tomatoes. " + "They need a lot of water in the summer. " * 8)


def test_each_sign_moves_the_odds_its_way() -> None:
    base = continuity(signs())
    assert continuity(signs(like=0.2)) < base < continuity(signs(like=1.4))
    assert continuity(signs(shared=0.0)) < base < continuity(signs(shared=0.5))
    assert continuity(signs(cues=cues_of("Hey, how are you?"))) < base
    assert continuity(signs(cues=cues_of("By the way, tea"))) < base
    assert continuity(signs(cues=cues_of("Yes, and then?"))) > base
    assert continuity(signs(after_farewell=True)) < base
    assert continuity(signs(silence_s=8 * 3600)) < continuity(signs(silence_s=3600)) < base
    assert continuity(signs(silence_s=300)) == base


@given(
    like=st.none() | st.floats(-50, 50), shared=st.floats(0, 1), own=st.integers(0, 10_000), silence=st.floats(0, 1e12)
)
def test_it_is_always_a_probability(like: float | None, shared: float, own: int, silence: float) -> None:
    assert 0.0 <= continuity(signs(like=like, shared=shared, own_words=own, silence_s=silence)) <= 1.0


def test_thresholds_are_settings() -> None:
    assert change_of(0.75, WorkingSettings()) is TopicChange.CONTINUATION
    assert change_of(0.5, WorkingSettings()) is TopicChange.DRIFT
    assert change_of(0.4, WorkingSettings()) is TopicChange.SWITCH
    assert change_of(0.5, WorkingSettings(topic_same=0.45)) is TopicChange.CONTINUATION


def test_a_thin_prompt_points_at_something_before() -> None:
    assert is_thin("go on", 0, follows=True)
    assert is_thin("change that to blue", 1, follows=True)
    assert is_thin("now deploy it", 1, follows=False)
    assert not is_thin("What is Rust?", 1, follows=False)
    assert not is_thin("Deploy the Atlas shop to staging and run the migration of that table", 5, follows=False)


@pytest.mark.parametrize("embedder", ["wordllama", None])
def test_a_talk_goes_on_and_turns_with_and_without_vectors(embedder: str | None) -> None:
    clock = Standing()
    mind = a_mind(clock, embedder=embedder)
    first = exchange(mind, clock, "Hi! I am building the Atlas web shop with React.", "Nice, how is Atlas hosted?")
    assert first.change is TopicChange.CONTINUATION  # there was nothing to turn away from
    for said in ("Atlas runs on a small server, and the shop has a React build.", "How do I build the Atlas shop?"):
        assert exchange(mind, clock, said, "Build the React shop on the server.").change is TopicChange.CONTINUATION
    thin = exchange(mind, clock, "ok, now deploy it", "Deployed.")
    assert thin.change is TopicChange.CONTINUATION
    assert thin.thin
    turned = exchange(mind, clock, "By the way, what should I cook for the birthday dinner of my mother on Sunday?")
    assert turned.change is TopicChange.SWITCH


def test_a_long_silence_alone_does_not_end_a_talk_that_goes_on() -> None:
    clock = Standing()
    mind = a_mind(clock)
    exchange(mind, clock, "The Atlas deploy fails in the migration step.", "Which migration of Atlas fails?")
    clock.skip(hours=10)
    heard = exchange(mind, clock, "That migration of the Atlas deploy, the second step fails.")
    assert heard.change is not TopicChange.SWITCH
