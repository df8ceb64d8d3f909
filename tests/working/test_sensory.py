"""The last exchanges, as they came, and what they come to."""

from __future__ import annotations

import pytest

from recollect.clock import SECOND_US
from recollect.config.window import WorkingSettings
from recollect.limits import EXCHANGE_CHARS_MAX
from recollect.model.working import Saying
from recollect.working.sensory import SensoryBuffer, condensed, saying_of

SETTINGS = WorkingSettings(turns=3)


def hear(buffer: SensoryBuffer, text: str, at_s: float, *, opens: bool = False) -> None:
    buffer.hear(text, saying_of(text, thin=False), round(at_s * SECOND_US), SETTINGS, opens=opens)


def test_the_ring_holds_the_newest() -> None:
    buffer = SensoryBuffer()
    for index in range(5):
        hear(buffer, f"Turn {index}", index)
    assert [each.said for each in buffer.exchanges()] == ["Turn 2", "Turn 3", "Turn 4"]


def test_what_is_half_a_minute_old_is_offered_once() -> None:
    buffer = SensoryBuffer()
    hear(buffer, "I prefer dark mode in my editor.", 0)
    assert list(buffer.due(29 * SECOND_US, SETTINGS)) == []
    assert [gist.text for gist in buffer.due(31 * SECOND_US, SETTINGS)] == [
        "The user prefers dark mode in their editor"
    ]
    assert list(buffer.due(90 * SECOND_US, SETTINGS)) == []


def test_what_is_pushed_out_early_is_offered_too() -> None:
    buffer = SensoryBuffer()
    for index, name in enumerate(("Lima", "Rome", "Oslo", "Bonn")):
        hear(buffer, f"My sister lives in {name}.", index)
    assert [gist.text for gist in buffer.due(5 * SECOND_US, SETTINGS)] == ["The user's sister lives in Lima"]


@pytest.mark.parametrize(
    ("text", "saying"),
    [
        ("How do I configure the image?", Saying.QUESTION),
        ("what time is it", Saying.QUESTION),
        ("Please refactor auth.ts to use JWT", Saying.INSTRUCTION),
        ("can you write the tests", Saying.INSTRUCTION),
        ("My sister lives in Lima.", Saying.STATEMENT),
    ],
)
def test_what_sort_of_thing_is_said(text: str, saying: Saying) -> None:
    assert saying_of(text, thin=False) is saying


def test_an_order_becomes_that_it_was_asked() -> None:
    (gist,) = condensed("Please refactor auth.ts to use JWT", Saying.INSTRUCTION, None)
    assert gist.text.startswith("The user asked to:")
    assert "auth.ts" in gist.text
    assert not gist.lasting


@pytest.mark.parametrize("text", ["", "   ", "\n\n"])
def test_nothing_comes_to_nothing(text: str) -> None:
    assert condensed(text, Saying.STATEMENT, None) == ()


def test_names_go_back_to_where_the_topic_began() -> None:
    buffer = SensoryBuffer()
    hear(buffer, "Ben works on Atlas.", 0)
    hear(buffer, "Nora is going to Lisbon.", 1, opens=True)
    hear(buffer, "The flight is on Monday.", 2)
    assert set(buffer.names(8)) >= {"Nora", "Lisbon"}
    assert "Ben" not in buffer.names(8)


def test_an_answer_belongs_to_the_last_prompt() -> None:
    buffer = SensoryBuffer()
    hear(buffer, "Who works on Atlas?", 0)
    buffer.answer("Ben does.", SECOND_US, SETTINGS)
    buffer.answer("And Nora.", 2 * SECOND_US, SETTINGS)  # an answer to nothing
    first, second = buffer.exchanges()
    assert (first.said, first.answered) == ("Who works on Atlas?", "Ben does.")
    assert (second.said, second.answered) == ("", "And Nora.")
    assert buffer.last_text() == "And Nora."


def test_a_book_is_held_by_its_beginning() -> None:
    buffer = SensoryBuffer()
    hear(buffer, "word " * 1_000_000, 0)
    buffer.answer("word " * 1_000_000, 0, SETTINGS)
    (exchange,) = buffer.exchanges()
    assert len(exchange.said) == len(exchange.answered or "") == EXCHANGE_CHARS_MAX


def test_answers_to_nothing_make_way_for_each_other_too() -> None:
    buffer = SensoryBuffer()
    for index in range(5):
        buffer.answer(f"Answer {index}", index, SETTINGS)
    assert [each.answered for each in buffer.exchanges()] == ["Answer 2", "Answer 3", "Answer 4"]
