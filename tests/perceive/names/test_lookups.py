"""What stands before a name, and words without a space: the pattern decides, the quick look only spares the trying."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recollect.perceive.names.lookups import last_words, unspaced_in, word_before, words_before
from recollect.perceive.names.mentions import mentions_in
from recollect.perceive.names.people import people_in

GOING = words_before(r"\b(?:trips? to|visit(?:ed|ing)?) (?:the )?$", "to visit visited visiting")


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ("my friend, ", "friend"),
        ("a trip to the ", "to"),
        ("(Hey ", "hey"),
        ("Dr. ", "dr"),
        ("a co-worker ", "worker"),
        ('the dog called "', "called"),
        ("\nThanks ", "thanks"),
        ("", ""),
        ("— ", ""),
    ],
)
def test_the_word_before_a_name(said: str, word: str) -> None:
    assert word_before(said + "Ana", len(said)) == word


def test_a_pattern_stands_where_it_matches_and_not_where_only_its_last_word_does() -> None:
    for said, stands in (("our trip to the ", True), ("she visited ", True), ("he wrote to ", False)):
        assert GOING.stands(said + "Lisbon", len(said), word_before(said + "Lisbon", len(said))) is stands


def test_the_last_words_of_phrases() -> None:
    assert last_words(["thank you", "co-worker", "Dr"]) == {"you", "worker", "dr"}


# One name of nobody's with each way to say what it names: a last word that is missing from a table shows here.
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        *(
            (f"it was {said} Zorvan with us", "place")
            for said in (
                "a trip to",
                "back from",
                "near",
                "the map of",
                "living in",
                "exploring",
                "downtown",
                "visits",
                "visiting the",
                "the streets of",
            )
        ),
        *(
            (f"she is {said} Zorvan now", "organization")
            for said in (
                "working at",
                "a manager for",
                "hired by",
                "in talks with",
                "the founder of",
                "a client like",
                "who founded",
            )
        ),
        *(
            (f"this is {said} Zorvan today", "project")
            for said in (
                "the project",
                "our repo",
                "the repository called",
                "a codebase named",
            )
        ),
        *(
            (f"this is {said} Zorvan today", "person")
            for said in (
                "my friend",
                "our dogs",
                "her sister, named",
                "the author",
                "a kid called",
                "I'm",
                "I am",
                "whose name is",
                "my name's",
                "Dr.",
                "Professor",
                "Aunt",
                "the song by",
                "when I met",
            )
        ),
        *(
            (f"{said} Zorvan! How are you?", "person")
            for said in (
                "Hey",
                "Thanks,",
                "Thank you so much",
                "You're right",
                "Good morning",
                "No worries",
                "Cheers,",
            )
        ),
    ],
)
def test_what_stands_before_says_what_is_named(text: str, kind: str) -> None:
    assert [mention.type.value for mention in mentions_in(text) if mention.surface == "Zorvan"] == [kind]


@pytest.mark.parametrize(
    "text",
    [
        "I saw Dr. Zorvan today",
        "I met my fiancée Zorvan there",
        "we asked our co-worker, Zorvan",
        "then Zorvan said no",
        "ok thank you Zorvan!",
        "her neighbour called Zorvan came",
        "Hi Zorvan, all good?",
        "yes, Zorvan is my boss",
    ],
)
def test_people_are_found_by_what_stands_beside_them(text: str) -> None:
    assert people_in(text) == ("Zorvan",)


PATH = re.compile(r"(?<![\w/.])[\w.]+/[\w.]*\w\b(?![(])")


@given(st.text(alphabet="ab./( \n\t", max_size=60))
@example("a/b a/b( b.a/b\na/b")
def test_the_same_is_found_as_in_the_whole(text: str) -> None:
    found = unspaced_in(text, PATH, around=re.compile("/"))
    assert [match.span() for match in found] == [match.span() for match in PATH.finditer(text)]
