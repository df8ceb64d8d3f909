"""Words of one's own: how they are spelt out, and what of them is found in a text."""

from __future__ import annotations

import pytest

from recollect.model.vocabulary import EMPTY, vocabulary_of

OURS = "component: billing, ingest worker, k8s = Kubernetes; technologies: frobnicator\ncustomer:"


def test_words_are_found_whole_in_any_case_and_kept_as_they_are_listed() -> None:
    found = vocabulary_of(OURS).found_in("K8S and the Ingest Worker failed, Billing too; kubernetes again. Rebilling?")
    assert found == {"component": ("Kubernetes", "ingest worker", "billing")}


def test_a_longer_word_goes_before_a_shorter_one_in_it() -> None:
    assert vocabulary_of("part: gate, gate way").found_in("the gate way") == {"part": ("gate way",)}


def test_a_word_may_be_of_two_fields() -> None:
    assert vocabulary_of("a: x1\nb: x1").found_in("x1") == {"a": ("x1",), "b": ("x1",)}


def test_nothing_is_found_by_no_vocabulary() -> None:
    assert vocabulary_of("").found_in("billing") == EMPTY.found_in("billing") == {}
    assert vocabulary_of("customer:").found_in("customer") == {}


@pytest.mark.parametrize(
    "wrong",
    [
        "billing",
        "Component: billing",
        "summary: x",
        "a: = b",
        "a: " + "x" * 200,
        ";".join(f"f{n}: x" for n in range(30)),
    ],
)
def test_what_cannot_be_read_says_why(wrong: str) -> None:
    with pytest.raises(ValueError, match=r"line|word"):
        vocabulary_of(wrong)
