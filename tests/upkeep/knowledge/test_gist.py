"""The words of a summary: taken from what it sums up, nothing twice, as many as fit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from recollect.model.tokens import estimate_tokens
from recollect.upkeep.knowledge import gist


def test_all_facts_once_without_their_full_stops() -> None:
    assert gist.joined(["Ana likes tea.", "Ben sails", "Ana likes tea"]) == "Ana likes tea; Ben sails"


def test_what_says_the_same_is_told_once() -> None:
    told = gist.told(["Ana repaired the copper lamp", "the copper lamp Ana repaired", "Ben sails"], tokens_max=60)
    assert told == "Ana repaired the copper lamp; Ben sails"


def test_the_first_fact_is_cut_rather_than_left_out() -> None:
    told = gist.told(["Ana repaired the old copper lamp of the harbour library yesterday"], tokens_max=4)
    assert told.startswith("Ana")
    assert told.endswith("…")


def test_the_first_fact_of_a_text() -> None:
    assert gist.first_fact(gist.joined(["Ana likes tea", "Ben sails"])) == "Ana likes tea"


def test_a_label_names_whom_and_what() -> None:
    topics = [["tea", "cup"], ["tea", "ana"], ["boat"]]
    assert gist.label_of(topics) == "tea, cup, ana"
    assert gist.label_of(topics, name="Ana") == "Ana: tea, cup, boat"
    assert gist.label_of([], name="Ana") == "Ana"
    assert gist.label_of([]) == ""


@given(st.lists(st.text(alphabet="abc xyz.", min_size=1, max_size=60), max_size=12), st.integers(4, 60))
def test_a_gist_fits_and_invents_nothing(facts: list[str], tokens_max: int) -> None:
    told = gist.told(facts, tokens_max=tokens_max)
    assert told.endswith("…") or estimate_tokens(told) <= tokens_max + 1
    plain = {" ".join(fact.strip().rstrip(" .;,").split()) for fact in facts}
    for part in told.split(gist.BETWEEN):
        said = " ".join(part.removesuffix("…").split())
        assert any(fact.startswith(said) for fact in plain) or not facts
