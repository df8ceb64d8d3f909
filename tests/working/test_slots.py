"""Slots fade, come forward, merge and make room."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from working.mind_for_tests import Standing

from recollect.clock import SECOND_US
from recollect.config.window import WorkingSettings
from recollect.model.working import SlotSource
from recollect.providers.tokens import counter_for
from recollect.working.slots import Slots
from recollect.working.talk_words import telling_words

MINUTE = 60 * SECOND_US
SETTINGS = WorkingSettings()


def some_slots() -> Slots:
    return Slots(counter_for(None))


def texts(slots: Slots, now: int = 0, tokens: int | None = None, settings: WorkingSettings = SETTINGS) -> list[str]:
    return [slot.text for slot in slots.strongest(now, settings, tokens)]


def test_activation_halves_in_its_half_life() -> None:
    slots = some_slots()
    slots.put("Ana prefers dark mode", SlotSource.USER, 0, SETTINGS)
    later = round(SETTINGS.slot_half_life_minutes * MINUTE)
    assert slots.strongest(later, SETTINGS)[0].activation == pytest.approx(0.5)
    assert slots.strongest(-later, SETTINGS)[0].activation == 1.0  # a clock that was set back makes nothing stronger


def test_a_mention_brings_a_slot_forward_and_others_stay() -> None:
    slots = some_slots()
    slots.put("The deploy of Atlas runs on Fridays", SlotSource.SENSORY, 0, SETTINGS)
    slots.put("Ben plays the cello", SlotSource.SENSORY, 0, SETTINGS)
    slots.mention(telling_words("when is the Atlas deploy?"), 5 * MINUTE, SETTINGS)
    first, second = slots.strongest(5 * MINUTE, SETTINGS)
    assert first.text == "The deploy of Atlas runs on Fridays"
    assert first.activation > 0.6 > second.activation


def test_what_says_the_same_is_one_slot() -> None:
    slots = some_slots()
    slots.put("Ana prefers dark mode", SlotSource.SENSORY, 0, SETTINGS)
    slots.put("Ana prefers the dark mode.", SlotSource.SENSORY, 0, SETTINGS)
    slots.put("Ana prefers light mode", SlotSource.SENSORY, 0, SETTINGS)
    assert len(slots) == 2


def test_a_record_joins_what_was_said_and_two_records_stay_two() -> None:
    slots = some_slots()
    slots.put("Ana prefers dark mode", SlotSource.SENSORY, 0, SETTINGS)
    slots.put("Ana prefers dark mode", SlotSource.RECALL, 0, SETTINGS, record_id="r1")
    slots.put("Ana prefers dark mode", SlotSource.RECALL, 0, SETTINGS, record_id="r2")
    slots.put("Ana prefers dark mode, mostly", SlotSource.RECALL, 0, SETTINGS, record_id="r2")
    assert sorted(slots.records()) == ["r1", "r2"]
    assert len(slots) == 2


def test_the_weakest_makes_room_and_is_handed_on() -> None:
    settings = WorkingSettings(slots=3)
    slots = some_slots()
    for index in range(5):
        slots.put(f"Ana has the number {index}", SlotSource.SENSORY, index * MINUTE, settings)
    assert len(slots) == 3
    left = slots.take()
    assert [slot.text for slot in left.said] == ["Ana has the number 0", "Ana has the number 1"]
    assert not slots.take()  # asked once


def test_questions_are_not_handed_on() -> None:
    settings = WorkingSettings(slots=1)
    slots = some_slots()
    slots.put("The user asked: how to deploy", SlotSource.SENSORY, 0, settings, lasting=False)
    slots.put("Where does Ben live?", SlotSource.QUESTION, MINUTE, settings)
    slots.put("Ana lives in Lima", SlotSource.USER, 2 * MINUTE, settings)
    assert not slots.take()


def test_a_question_leaves_after_its_time() -> None:
    slots = some_slots()
    slots.put("Where does Ben live?", SlotSource.QUESTION, 0, SETTINGS)
    assert slots.strongest(0, SETTINGS)[0].activation == SETTINGS.question_activation
    slots.mention(telling_words("Ben lives somewhere"), 29 * MINUTE, SETTINGS)
    slots.sweep(29 * MINUTE, SETTINGS)
    assert len(slots) == 1
    slots.sweep(31 * MINUTE, SETTINGS)
    assert len(slots) == 0


def test_a_question_that_was_put_leaves() -> None:
    slots = some_slots()
    slots.put("Where does Ben Ruiz live?", SlotSource.QUESTION, 0, SETTINGS)
    slots.put("Ben Ruiz lives near the river", SlotSource.USER, 0, SETTINGS)
    slots.asked(telling_words("Ben called."))
    assert len(slots) == 2
    slots.asked(telling_words("Done. By the way, where does Ben Ruiz live?"))
    assert [held.source for held in slots.strongest(0, SETTINGS)] == [SlotSource.USER]


def test_a_question_goes_with_the_records_it_is_made_of_and_is_not_saved() -> None:
    slots = some_slots()
    slots.put(
        "I have noted “vim”, but also “Helix”. Which is right?", SlotSource.QUESTION, 0, SETTINGS, about=("r1", "r2")
    )
    slots.put("Ana prefers dark mode", SlotSource.USER, 0, SETTINGS)
    assert sorted(slots.records()) == ["r1", "r2"]
    assert [held.source for held in slots.saved()] == [SlotSource.USER]
    slots.drop({"r2"})
    assert len(slots) == 1


def test_a_drift_weakens_what_is_not_spoken_of() -> None:
    slots = some_slots()
    slots.put("The deploy of Atlas runs on Fridays", SlotSource.RECALL, 0, SETTINGS, record_id="r1")
    slots.put("Ben plays the cello", SlotSource.SENSORY, 0, SETTINGS)
    slots.put("Rain is expected", SlotSource.SENSORY, 0, SETTINGS, activation=0.25)
    slots.fade(0, SETTINGS, but=telling_words("the Atlas deploy"))
    left = {slot.text: slot.activation for slot in slots.strongest(0, SETTINGS)}
    assert left == {
        "The deploy of Atlas runs on Fridays": pytest.approx(0.6),
        "Ben plays the cello": pytest.approx(0.42),
    }


def test_a_switch_hands_over_what_was_strong() -> None:
    slots = some_slots()
    slots.put("Ana prefers dark mode", SlotSource.SENSORY, 0, SETTINGS)
    slots.put("Rain is expected", SlotSource.SENSORY, 0, SETTINGS, activation=0.2)
    slots.put("Atlas is a web shop", SlotSource.RECALL, 0, SETTINGS, record_id="r1")
    slots.hand_over(0, SETTINGS)
    left = slots.take()
    assert len(slots) == 0
    assert [slot.text for slot in left.said] == ["Ana prefers dark mode"]
    assert left.reinforced == ("r1",)


def test_only_what_fits_is_shown_and_a_long_text_is_cut() -> None:
    slots = some_slots()
    slots.put("word " * 50_000, SlotSource.RECALL, 0, SETTINGS, record_id="long")
    slots.put("Ana prefers dark mode", SlotSource.USER, 0, SETTINGS)
    assert slots.tokens <= SETTINGS.tokens
    assert texts(slots, tokens=10) == ["Ana prefers dark mode"]
    assert texts(slots, tokens=0) == []


def test_what_is_dropped_is_not_kept() -> None:
    slots = some_slots()
    slots.put("Atlas is a web shop", SlotSource.RECALL, 0, SETTINGS, record_id="r1")
    slots.drop({"r1"})
    assert len(slots) == 0
    assert not slots.take()


@given(st.lists(st.tuples(st.text(min_size=1, max_size=60), st.floats(0, 1), st.integers(0, 10**10)), max_size=30))
def test_no_order_of_things_breaks_the_bounds(things: list[tuple[str, float, int]]) -> None:
    settings = WorkingSettings(slots=4, tokens=64)
    slots = some_slots()
    for text, strength, now in things:
        slots.put(text, SlotSource.SENSORY, now, settings, activation=strength)
        assert len(slots) <= 4
        assert slots.tokens <= 64
        assert all(0.0 <= slot.activation <= 1.0 for slot in slots.strongest(now, settings))


def test_clearing_keeps_nothing() -> None:
    slots = some_slots()
    slots.put("Ana prefers dark mode", SlotSource.USER, Standing()(), SETTINGS)
    slots.clear()
    assert len(slots) == 0
    assert not slots.take()


def test_what_is_felt_strongly_holds_its_place() -> None:
    calm, upset = "The deploy runs on Fridays at ten", "The deploy broke AGAIN and I am furious!!!"
    full = WorkingSettings(slots=2)
    for gain, kept in ((0.3, upset), (0.0, calm)):
        settings = WorkingSettings(slots=2, attention_gain=gain)
        slots = some_slots()
        slots.put(upset, SlotSource.SENSORY, 0, full, activation=0.55)
        slots.put(calm, SlotSource.SENSORY, 0, full, activation=0.6)
        slots.put("Ben plays the cello", SlotSource.SENSORY, 0, settings, activation=0.9)
        assert kept in texts(slots, settings=settings)
        assert len(slots) == 2
