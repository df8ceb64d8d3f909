"""Notes on a session by a model: turns go by numbers, and a note rests on words of its turn."""

from __future__ import annotations

import orjson
import pytest

from recollect.errors import ProviderError
from recollect.perceive.by_model.sessions import ShownTurn, notes_from_json, prompt_of

TURNS = [ShownTurn("I live in Porto now.", "Ana"), ShownTurn("Nice!", None, "assistant")]
NOTE = {
    "kind": "fact",
    "turn": 1,
    "quote": "I live in Porto now",
    "content": "Ana lives in Porto",
    "subject": "Ana",
    "predicate": "lives in",
    "object": "Porto",
    "polarity": "+",
    "tense": "present",
    "ended": False,
}


def test_turns_are_numbered_and_named() -> None:
    lines = prompt_of(TURNS).splitlines()
    assert lines[1:3] == ["1. Ana: I live in Porto now.", "2. the assistant: Nice!"]


def test_a_note_leads_to_its_turn() -> None:
    (note,) = notes_from_json(orjson.dumps({"notes": [NOTE]}).decode(), TURNS)
    assert (note.turn, note.stated.content) == (0, "Ana lives in Porto")


@pytest.mark.parametrize("turn", [0, 3, True, "1"])
def test_a_note_on_a_turn_that_was_not_shown_is_dropped(turn: object) -> None:
    assert notes_from_json(orjson.dumps({"notes": [NOTE | {"turn": turn}]}).decode(), TURNS) == ()


def test_what_is_not_the_format_is_an_error() -> None:
    with pytest.raises(ProviderError):
        notes_from_json("nothing to note", TURNS)
