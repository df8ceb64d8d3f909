"""Fields of one's own: filled by rules when a text is stored, by a language model at night, and never made up."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from fake_llm import Answering, broken

import recollect
from recollect.errors import ConfigInvalid
from recollect.memory import Memory

VOCABULARY = "component: billing, ingest, k8s = Kubernetes; customer:"


def opened(say: Callable[[str], str] | None = None, **more: object) -> Memory:
    config = {"perceive.vocabulary": VOCABULARY, **({"perceive.metadata": "model"} if say else {}), **more}
    return recollect.open(":memory:", embedder="fake", llm=Answering(say) if say else None, config=config)


def answer(*pairs: tuple[str, str]) -> Callable[[str], str]:
    said = {"fields": [{"field": field, "value": value} for field, value in pairs]}
    return lambda prompt: json.dumps(said) if "FIELDS" in prompt else "no"


def test_words_of_ones_own_are_found_and_searched_by() -> None:
    with opened() as mem:
        found = mem.add("The k8s upgrade broke billing").records[0]
        mem.add("Ana plays the cello")
        assert found.perceived["component"] == ["Kubernetes", "billing"]
        hits = mem.search("upgrade", filters={"perceived.component": {"contains": "Kubernetes"}})
        assert [hit.content for hit in hits] == ["The k8s upgrade broke billing"]
        assert not mem.search("upgrade", filters={"perceived.component": {"contains": "ingest"}}).hits


def test_our_own_fields_can_be_added_to() -> None:
    with opened(**{"perceive.vocabulary": "technologies: Frobnicator"}) as mem:
        assert mem.add("We run Docker and frobnicator").records[0].perceived["technologies"] == [
            "Docker",
            "Frobnicator",
        ]


def test_a_model_adds_what_the_words_do_not_say() -> None:
    say = answer(("component", "ingest"), ("customer", "ACME"), ("component", "cellar"), ("customer", "Globex"))
    with opened(say) as mem:
        stored = mem.add("Files of ACME are taken in too slowly since billing moved").id
        assert mem.get(stored).perceived["component"] == ["billing"]
        mem.maintain()
        found = mem.get(stored)
        assert found.perceived["component"] == ["billing", "ingest"]  # "cellar" is not in the list
        assert found.perceived["customer"] == ["ACME"]  # and "Globex" not in the text
        assert found.version == 1
        asked = sum("FIELDS" in prompt for prompt in mem._engine.llm.asked)  # type: ignore[union-attr]
        mem.maintain()
        assert sum("FIELDS" in prompt for prompt in mem._engine.llm.asked) == asked  # type: ignore[union-attr]


@pytest.mark.parametrize("say", [broken, lambda prompt: "I do not know"])
def test_without_an_answer_the_rules_stand(say: Callable[[str], str]) -> None:
    with opened(say) as mem:
        stored = mem.add("The billing of ACME broke").id
        mem.maintain()
        assert mem.get(stored).perceived["component"] == ["billing"]
        assert "customer" not in mem.get(stored).perceived


def test_a_model_is_only_asked_if_that_is_wanted_and_within_its_budget() -> None:
    with opened(answer(("component", "ingest")), **{"perceive.model_day_tokens": 10}) as mem:
        stored = mem.add("Files are taken in too slowly").id
        report = mem.maintain()
        assert "component" not in mem.get(stored).perceived
        assert any("fields" in problem for problem in report.problems)


def test_a_vocabulary_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(ConfigInvalid, match="colon"):
        opened(**{"perceive.vocabulary": "billing, ingest"})
