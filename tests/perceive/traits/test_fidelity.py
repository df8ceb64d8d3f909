"""Four levels of a text: taken from it, each at most as long as the one above."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.model.tokens import estimate_tokens
from recollect.perceive.traits.fidelity import KEY_FACT_WORDS, SUMMARY_SENTENCES, FidelityLevel, fidelity_of

STACK = (
    "Well, thanks for asking! The shop runs on PostgreSQL and a queue of three workers, which Ben wrote in Go. "
    "Deployments go through the staging cluster, because the payment provider refuses test cards elsewhere. "
    "It was a nice day. What about you?"
)


def test_the_summary_is_the_most_telling_sentences_in_order() -> None:
    found = fidelity_of(STACK)
    assert found.summary.startswith("The shop runs on PostgreSQL")
    assert "payment provider" in found.summary
    assert "nice day" not in found.summary
    assert "thanks" not in found.summary


def test_the_key_fact_is_one_clause_without_its_opening() -> None:
    found = fidelity_of(
        "Well, I think that the shop runs on PostgreSQL, because Ben knows it and nobody wanted another server."
    )
    assert found.key_fact == "the shop runs on PostgreSQL"


def test_the_comma_of_a_date_ends_no_clause() -> None:
    said = "We shipped version 2.0 on March 12, 2025, because customers waited for the export, promised in autumn."
    assert fidelity_of(said).key_fact == "We shipped version 2.0 on March 12, 2025"


def test_the_tag_names_what_it_is_about() -> None:
    assert fidelity_of("We moved to Lisbon because of the harbour museum").tag == "lisbon harbour museum"
    assert fidelity_of("Yes.").tag == "yes"


def test_levels_get_shorter() -> None:
    full, summary, key_fact, tag = fidelity_of(STACK).tokens
    assert full > summary > key_fact > tag > 0


def test_the_fullest_level_that_fits_is_chosen() -> None:
    found = fidelity_of(STACK)
    assert found.level_within(1000) is FidelityLevel.FULL
    assert found.level_within(found.tokens[FidelityLevel.FULL] - 1) is FidelityLevel.SUMMARY
    assert found.level_within(found.tokens[FidelityLevel.KEY_FACT]) is FidelityLevel.KEY_FACT
    assert found.level_within(0) is None


def test_the_summary_keeps_within_its_bytes_whatever_the_script() -> None:
    for text in ("word " * 400, "ü" * 2000, "自転車" * 700, STACK):
        assert len(fidelity_of(text, summary_bytes_max=64).summary.encode()) <= 64


@given(st.text(max_size=400))
def test_every_text_has_levels_of_falling_length(text: str) -> None:
    found = fidelity_of(text)
    tokens = [estimate_tokens(level) for level in (found.summary, found.key_fact, found.tag)]
    assert tokens == sorted(tokens, reverse=True)
    assert tuple(tokens) == found.tokens[1:]
    assert not text.strip() or found.tag


@given(st.lists(st.sampled_from(STACK.split()), max_size=80).map(" ".join))
def test_a_key_fact_is_short_and_a_summary_has_few_sentences(text: str) -> None:
    found = fidelity_of(text)
    assert len(found.key_fact.split()) <= KEY_FACT_WORDS
    assert found.summary.count("! ") + found.summary.count(". ") <= max(
        SUMMARY_SENTENCES, len(text.split()) if len(text) < 150 else 0
    )


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("", 0, 0),
        ("hi", 1, 2),
        ("Ana moved to Lisbon in May.", 6, 9),
        ("def f(x): return x[0]", 9, 16),
        ("新しい自転車", 6, 9),
    ],
)
def test_tokens_are_about_as_many_as_a_tokenizer_makes(text: str, least: int, most: int) -> None:
    assert least <= estimate_tokens(text) <= most
