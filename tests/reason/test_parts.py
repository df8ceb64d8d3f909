"""Questions within questions, by their wording."""

from __future__ import annotations

import pytest

from recollect.reason.parts import PARTS_MAX, meant_in, parts_of


def asked(question: str) -> list[tuple[str, str]]:
    return [(part.why, part.question) for part in parts_of(question)]


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("Where does Ana live and who is Ben?", [("part", "Where does Ana live?"), ("part", "who is Ben?")]),
        ("Where does Ana live? Who is Ben?", [("part", "Where does Ana live?"), ("part", "Who is Ben?")]),
        ("Did Ana or Ben move first?", [("compared", "Did Ana move first?"), ("compared", "Did Ben move first?")]),
        ("Are Ana and Ben both engineers?", [("compared", "Are Ana engineers?"), ("compared", "Are Ben engineers?")]),
        ("Who founded the company that Ana works for?", [("inner", "company that Ana works for")]),
        ("What is the population of the city where Ben was born?", [("inner", "city where Ben was born")]),
        ("Who is the mayor of Ana's home town?", [("inner", "Ana's home town")]),
        ("What broke after the launch of the parser?", [("event", "the launch of the parser")]),
        ("How many times did Ana go to the beach?", [("counted", "Ana go to the beach")]),
    ],
)
def test_parts(question: str, parts: list[tuple[str, str]]) -> None:
    assert asked(question) == parts


@pytest.mark.parametrize(
    "question", ["Which editor does Ana use?", "tea", "", "???", "Ana and Ben", "what did she say?", "x" * 50_000]
)
def test_most_questions_have_no_parts(question: str) -> None:
    assert asked(question) == []


def test_parts_are_bounded_and_less_than_the_question() -> None:
    question = " and ".join(f"who is number{n}" for n in range(50)) + "?"
    parts = parts_of(question)
    assert len(parts) == PARTS_MAX
    assert all(len(part.question) < len(question) for part in parts)


def test_what_stands_for_a_name() -> None:
    assert meant_in("Who leads the city that Ana lives in?") == {"city"}
    assert meant_in("Who leads Porto?") == frozenset()
