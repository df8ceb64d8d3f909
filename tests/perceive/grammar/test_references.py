"""What a pronoun points at: replaced where one thing alone can be meant, else nothing is read."""

from __future__ import annotations

from recollect.perceive.grammar.clauses import read_clause
from recollect.perceive.grammar.references import Antecedents, resolve_pronouns, write_out_subject
from recollect.perceive.grammar.words import words_of


def after(*sentences: str) -> Antecedents:
    before = Antecedents()
    for sentence in sentences:
        words = words_of(sentence)
        before.hear(words)
        clause = read_clause(words)
        assert clause is not None
        before.note(clause)
    return before


def resolved(sentence: str, before: Antecedents) -> str | None:
    found = resolve_pronouns(write_out_subject(words_of(sentence)), before)
    return None if found is None else " ".join(word.text for word in found[0])


def test_she_is_the_one_woman_who_was_named() -> None:
    assert resolved("she lives in Rome", after("My sister called me")) == "My sister lives in Rome"


def test_with_two_who_may_be_meant_nothing_is_resolved() -> None:
    assert resolved("she lives in Rome", after("My sister called me", "My mother called me")) is None


def test_a_pronoun_without_anything_before_it_cannot_be_resolved() -> None:
    assert resolved("it works well", Antecedents()) is None


def test_what_the_clause_itself_names_stays() -> None:
    assert resolved("Ana lost her keys", Antecedents()) == "Ana lost her keys"
    assert resolved("there are three dogs", Antecedents()) == "there are three dogs"


def test_a_short_is_after_a_pronoun_is_written_out() -> None:
    assert [word.text for word in write_out_subject(words_of("she's in Rome"))] == ["she", "is", "in", "Rome"]
