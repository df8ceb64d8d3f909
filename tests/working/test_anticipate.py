"""What is prepared is taken by the next prompt of the same talk, in time, or not at all."""

from __future__ import annotations

import threading

from working.mind_for_tests import AtOnce, Standing, a_mind, exchange

from recollect.clock import SECOND_US
from recollect.config.window import WorkingSettings
from recollect.working.anticipate import Anticipation, Prediction

SETTINGS = WorkingSettings()
NEXT = Prediction(text="the Atlas deploy")


def test_a_hit_is_taken_once() -> None:
    ahead = Anticipation(AtOnce())
    assert ahead.prepare(lambda prediction: [prediction.text], NEXT, 0)
    assert ahead.take(0.9, SECOND_US, SETTINGS) == ["the Atlas deploy"]
    assert ahead.take(0.9, SECOND_US, SETTINGS) is None
    assert ahead.hits == 1


def test_it_is_no_hit_when_the_talk_goes_elsewhere_or_too_late() -> None:
    ahead = Anticipation(AtOnce())
    ahead.prepare(lambda _: "found", NEXT, 0)
    assert ahead.take(SETTINGS.anticipate_similarity, SECOND_US, SETTINGS) is None
    ahead.prepare(lambda _: "found", NEXT, 0)
    assert ahead.take(1.0, 61 * SECOND_US, SETTINGS) is None


def test_a_search_that_fails_was_not_prepared() -> None:
    ahead = Anticipation(AtOnce())

    def fails(_: Prediction) -> None:
        raise RuntimeError("no")

    ahead.prepare(fails, NEXT, 0)
    assert ahead.take(1.0, 0, SETTINGS) is None


def test_a_search_that_ends_after_the_prompt_is_too_late_for_it() -> None:
    ahead = Anticipation()
    going, go_on, done = threading.Event(), threading.Event(), threading.Event()

    def slow(_: Prediction) -> str:
        going.set()
        go_on.wait(10)
        return "found"

    ahead.prepare(slow, NEXT, 0)
    assert going.wait(10)
    assert ahead.take(1.0, 0, SETTINGS) is None
    go_on.set()
    other = Anticipation()
    other.prepare(lambda _: done.set(), NEXT, 0)  # one thread: when this ran, the slow one has ended
    assert done.wait(10)
    assert ahead.take(1.0, 0, SETTINGS) is None


def test_one_daemon_thread_serves_all_minds() -> None:
    done = threading.Barrier(2, timeout=10)
    for _ in range(8):
        Anticipation().prepare(lambda _: None, NEXT, 0)
    Anticipation().prepare(lambda _: done.wait(), NEXT, 0)
    threads = [thread for thread in threading.enumerate() if thread.name == "recollect-anticipate"]
    done.wait()
    assert len(threads) == 1
    assert threads[0].daemon


def test_a_mind_prepares_what_the_talk_is_about_and_forgets_it_on_another_topic() -> None:
    clock = Standing()
    mind = a_mind(clock, executor=AtOnce())
    asked: list[Prediction] = []
    assert not mind.anticipate(asked.append)  # nothing was said
    exchange(mind, clock, "The Atlas deploy fails in the migration.", "Run the Atlas migration by hand.")

    def search(prediction: Prediction) -> str:
        asked.append(prediction)
        return "records"

    assert mind.anticipate(search)
    assert "migration" in asked[0].text
    assert asked[0].vector is not None
    assert exchange(mind, clock, "How do I run the Atlas migration by hand?").prepared == "records"
    assert mind.anticipate(search)
    assert exchange(mind, clock, "By the way, what should I cook for the dinner on Sunday?").prepared is None
    assert mind.anticipate(search)
    assert exchange(mind, clock, "And which dessert goes with that dinner?", seconds=61).prepared is None
    assert (mind.state().prepared, mind.state().prepared_used) == (3, 1)
