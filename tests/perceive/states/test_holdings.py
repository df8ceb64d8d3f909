"""What a statement says to be so."""

from __future__ import annotations

from recollect.perceive.states.holdings import AS_SAID, INSTRUCTION, holdings_of
from recollect.perceive.states.values import Holding, Stated


def first(content: str, subject: str | None, predicate: str | None, rest: str | None, **more: str) -> Holding:
    return holdings_of(Stated(content=content, subject=subject, predicate=predicate, object=rest, **more))[0]  # type: ignore[arg-type]


def test_a_move_says_where_a_person_lives_now_and_where_before() -> None:
    home = first("Ana moved from Lisbon to Porto", "Ana", "moves from", "Lisbon to Porto", tense="past")
    assert (home.respect, home.value.text, home.changed, home.event) == ("home", "Porto", True, True)
    assert home.was is not None
    assert home.was.text == "Lisbon"


def test_what_is_said_as_it_stands_can_be_denied() -> None:
    likes = first("Ana likes tea", "Ana", "likes", "tea")
    assert (likes.holder, likes.respect, likes.denied) == ("ana", f"{AS_SAID}likes", False)


def test_an_instruction_is_a_state_of_its_own() -> None:
    assert first("Never use tabs", None, None, None, polarity="-").respect == INSTRUCTION


def test_doubt_and_what_is_to_come_say_nothing_about_now() -> None:
    assert (
        holdings_of(Stated(content="Ana might live in Porto", subject="Ana", predicate="lives in", object="Porto"))
        == ()
    )
    to_come = Stated(content="Ana lives in Porto", subject="Ana", predicate="lives in", object="Porto", tense="future")
    assert holdings_of(to_come) == ()
