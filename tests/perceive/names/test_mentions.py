"""Who and what a text names, and what only looks like a name."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.perceive.names.mentions import MENTIONS_MAX, mentions_in


def found(text: str, speaker: str | None = None) -> list[tuple[str, str]]:
    return [(mention.surface, mention.type.value) for mention in mentions_in(text, speaker=speaker)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Yesterday I met Ana Ruiz and her friend Ben.", [("Ana Ruiz", "person"), ("Ben", "person")]),
        ("Thanks, Zorba! That helps.", [("Zorba", "person")]),
        ("Ask Dr. Okafor about it.", [("Okafor", "person")]),
        ("my dog Biscuit is asleep", [("Biscuit", "concept")]),
        ("A cat named Pixel sat there", [("Pixel", "concept")]),
        ("my partner Tomás and our cat Pixel", [("Tomás", "person"), ("Pixel", "concept")]),
        ("The landlord is Sr. Albuquerque", [("Albuquerque", "person")]),
        ("I teach on Thursdays and Fridays", []),
        ("Meine Mutter wird im Dezember 70, wir machen ein Fest", []),
        ("Ich habe meine Schwester Anna in Berlin besucht", [("Anna", "person"), ("Berlin", "place")]),
        ("a novel by Q. R. Zimmer", [("Q. R. Zimmer", "person")]),
        ("I said hi to Ana's sister", [("Ana", "person")]),
        ("We flew to Lisbon, then drove to Évora.", [("Lisbon", "place"), ("Évora", "place")]),
        ("The Grand Canyon was huge, NYC too", [("Grand Canyon", "place"), ("NYC", "place")]),
        ("We saw Lima, Cusco and Puno.", [("Lima", "place"), ("Cusco", "place"), ("Puno", "place")]),
        ("She works at Borealis now", [("Borealis", "organization")]),
        ("They study at Northfield University", [("Northfield University", "organization")]),
        ("the Atlas project is late", [("Atlas", "project")]),
        ("Project Atlas is late", [("Atlas", "project")]),
        ("restart the billing-service first", [("billing-service", "service")]),
        ("see src/app/main.py and notes.md", [("src/app/main.py", "file"), ("notes.md", "file")]),
        ("we moved from Jira to PostgreSQL", [("Jira", "tool"), ("PostgreSQL", "technology")]),
        ("we moved from MySQL to Postgres", [("MySQL", "technology"), ("PostgreSQL", "technology")]),
        (
            "Postgres runs on k8s, and Postgres is fast",
            [(name, "technology") for name in ("PostgreSQL", "Kubernetes", "PostgreSQL")],
        ),
        ('I just read "The Long Way Home".', [("The Long Way Home", "concept")]),
        ("we played Zarkon all night", [("Zarkon", "concept")]),
    ],
)
def test_what_is_named(text: str, names: list[tuple[str, str]]) -> None:
    assert found(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "He told her that they would see it on Monday in March.",
        "Books, movies and games inspire me. Honestly, they do.",
        "I'm learning German, and it's INTENSE!",
        "IMPORTANT: DO NOT REPLY",
        "# How To Configure The Server Quickly",
        "Will you come? Will do!",
        "What a day! Great. Thanks so much!",
        "3/5 and/or e.g. this",
        "",
        "她住在北京",
    ],
)
def test_what_is_no_name(text: str) -> None:
    assert found(text) == []


def test_a_name_of_people_and_places_is_told_by_what_is_before_it() -> None:
    assert found("Jordan went to Jordan") == [("Jordan", "person"), ("Jordan", "place")]


def test_the_speaker_is_named_and_a_role_is_not() -> None:
    assert found("I use vim", "Ana") == [("Ana", "person"), ("Vim", "tool")]
    assert mentions_in("hm", speaker="Ana")[0].span == (0, 0)
    assert found("hm", "assistant") == found("hm", "User") == []


def test_spans_point_at_the_names() -> None:
    text = "Ana's trip to Oslo with Ben, using main.py"
    for mention in mentions_in(text):
        assert text[slice(*mention.span)] == mention.surface


def test_every_time_it_is_named() -> None:
    assert [name for name, _ in found("We saw Ana. Then Ana left.")] == ["Ana", "Ana"]


@given(st.text(max_size=300), st.none() | st.text(min_size=1, max_size=20))
def test_any_text_is_survived(text: str, speaker: str | None) -> None:
    for mention in mentions_in(text, speaker=speaker):
        start, end = mention.span
        assert 0 <= start <= end <= len(text)
        assert mention.surface.strip()


def test_long_texts_and_many_names_are_bounded() -> None:
    assert len(mentions_in("We saw Ana, then Oslo. " * 5_000)) == MENTIONS_MAX
    started = time.perf_counter()
    mentions_in("A" * 100_000 + " " + "Aa " * 30_000)
    mentions_in("a-" * 50_000)
    mentions_in("x/" * 50_000 + ".")
    mentions_in('"A' * 20_000)
    assert time.perf_counter() - started < 2.0
