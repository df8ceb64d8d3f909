"""Packing: what is worth most within a budget, in as many words as fit."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from recollect.context.forms import EXTRACT_CHARS, extract
from recollect.context.pack import WORTH, Candidate, Form, pack
from recollect.language.terms import query_terms
from recollect.model.context import Detail

FORMS = (Detail.FULL, Detail.SUMMARY, Detail.KEY_FACT, Detail.TAG)


def candidate(name: str, value: float, *tokens: int, heading: str = "", heading_tokens: int = 0) -> Candidate:
    forms = tuple(Form(detail, f"{name} {detail}", count) for detail, count in zip(FORMS, tokens, strict=False))
    return Candidate(id=name, value=value, forms=forms, heading=heading, heading_tokens=heading_tokens)


def shown(candidates: list[Candidate], tokens: int) -> dict[str, str]:
    return {each.candidate.id: each.form.detail.value for each in pack(candidates, tokens)}


def test_all_are_shown_in_full_where_there_is_room() -> None:
    assert shown([candidate("a", 1.0, 40, 20, 8, 2), candidate("b", 0.5, 40, 20, 8, 2)], 80) == {
        "a": "full",
        "b": "full",
    }


def test_with_less_room_the_less_valuable_are_shown_in_fewer_words_and_do_not_vanish() -> None:
    three = [candidate(name, value, 40, 20, 8, 2) for name, value in (("a", 1.0), ("b", 0.5), ("c", 0.2))]
    assert shown(three, 72) == {"a": "full", "b": "summary", "c": "key_fact"}
    assert shown(three, 6) == {"a": "tag", "b": "tag", "c": "tag"}


def test_the_number_of_memories_follows_the_budget() -> None:
    many = [candidate(str(rank), 1.0 / (rank + 5), 40, 30, 12, 4) for rank in range(500)]
    counts = [len(pack(many, tokens)) for tokens in (120, 1_000, 10_000, 100_000)]
    assert counts == sorted(counts)
    assert counts[0] <= 10
    assert counts[-1] == 500


def test_a_heading_is_paid_for_once() -> None:
    two = [candidate(name, 1.0, 10, heading="2026-05-03 facts:", heading_tokens=8) for name in "ab"]
    assert len(pack(two, 28)) == 2
    assert len(pack(two, 27)) == 1


def test_nothing_fits_into_nothing() -> None:
    assert pack([candidate("a", 1.0, 10, 5, 2, 1)], 0) == []
    assert pack([], 100) == []


@given(
    st.lists(st.tuples(st.floats(0.01, 1), st.lists(st.integers(1, 60), min_size=1, max_size=4)), max_size=5),
    st.integers(0, 150),
)
def test_never_over_the_budget_and_within_one_step_of_the_best(
    given_: list[tuple[float, list[int]]], tokens: int
) -> None:
    candidates = [candidate(str(at), value, *sorted(costs, reverse=True)) for at, (value, costs) in enumerate(given_)]
    chosen = pack(candidates, tokens)
    assert sum(each.form.tokens for each in chosen) <= tokens
    reached = sum(each.candidate.value * WORTH[each.form.detail] for each in chosen)
    assert reached >= _best(candidates, tokens) - max((each.value for each in candidates), default=0.0) - 1e-9


def _best(candidates: list[Candidate], tokens: int) -> float:
    """By trying everything."""
    choices = [(None, *each.forms) for each in candidates]
    best = 0.0
    for picked in product(*choices):
        taken = [(each, form) for each, form in zip(candidates, picked, strict=True) if form is not None]
        if sum(form.tokens for _, form in taken) <= tokens:
            best = max(best, sum(each.value * WORTH[form.detail] for each, form in taken))
    return best


LONG = (
    "We talked about many things that day. The weather was grey and nobody wanted to go out. "
    "Ana said that the billing service moves to Lisbon in March. Then we had lunch at the harbour, soup and bread. "
    "Ben told a long story about his bicycle and the hill behind the school. In the evening it rained again, and the "
    "whole team went home early, tired and content with the day, as people are when nothing special has happened."
)


def test_of_a_long_text_the_sentences_that_are_asked_about() -> None:
    found = extract(LONG, frozenset(query_terms("Where does billing move?")))
    assert found is not None
    assert "billing service moves to Lisbon" in found
    assert len(found) <= EXTRACT_CHARS
    assert "bicycle" not in found


def test_a_short_text_or_one_about_something_else_has_no_extract() -> None:
    assert extract("Ana lives in Lima", frozenset(query_terms("Where does Ana live?"))) is None
    assert extract(LONG, frozenset(query_terms("submarine volcano"))) is None
    assert extract(LONG, frozenset()) is None


def test_a_paragraph_without_an_end_is_cut() -> None:
    found = extract("billing " * 5_000, frozenset(query_terms("billing")))
    assert found is not None
    assert len(found) < 3 * EXTRACT_CHARS
