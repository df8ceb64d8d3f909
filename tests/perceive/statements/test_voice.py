"""A clause of a speaker, told about the speaker."""

from __future__ import annotations

import pytest

from recollect.perceive.grammar.clauses import read_clause
from recollect.perceive.grammar.words import words_of
from recollect.perceive.statements.voice import name_speaker, speaker_of, tell_in_third_person


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I use my own parser", "Ana uses their own parser"),
        ("we moved to Porto", "Ana and others moved to Porto"),
        ("my sister lives in Rome", "Ana's sister lives in Rome"),
        ("I don't eat meat", "Ana does not eat meat"),
        ("Ben called me", "Ben called Ana"),
    ],
)
def test_the_speaker_is_named_and_the_verb_agrees(said: str, told: str) -> None:
    clause = read_clause(words_of(said))
    assert clause is not None
    assert tell_in_third_person(clause, speaker_of("Ana", None)).content == told


def test_a_told_clause_has_parts() -> None:
    clause = read_clause(words_of("I work at Acme"))
    assert clause is not None
    told = tell_in_third_person(clause, speaker_of("Ana", None))
    assert (told.subject, told.predicate, told.object) == ("Ana", "works at", "Acme")


def test_without_a_name_the_role_says_who_speaks() -> None:
    assert speaker_of(None, "assistant").name == "the assistant"
    assert speaker_of("user", None).name == "the user"
    assert speaker_of(" Ana ", "user").name == "Ana"


def test_words_without_a_statement_name_the_speaker_too() -> None:
    assert name_speaker(words_of("always ask me first"), speaker_of("Ana", None)) == "Always ask Ana first"
