"""A language model imagines an answer when stored text answers poorly; nothing depends on it."""

from __future__ import annotations

from typing import Any

import numpy as np
from ticking import Ticking

from recollect import Memory
from recollect.errors import ProviderUnavailable
from recollect.wiring import open_memory

NOTES = [
    "Ana drinks green tea in the morning",
    "green tea",
    "green tea needs eighty degrees",
    "Ana adopted a kitten in spring",
    "The invoice is due on Monday",
]
POOR = "does somebody own an animal?"


class Imagining:
    name = "test:imagining"

    def __init__(self, answer: str = "A kitten lives with Ana since spring.") -> None:
        self.answer = answer
        self.asked: list[str] = []

    def complete(self, prompt: str, *, instructions: str = "", max_tokens: int) -> str:
        self.asked.append(prompt)
        return self.answer


class Silent(Imagining):
    def complete(self, prompt: str, *, instructions: str = "", max_tokens: int) -> str:
        self.asked.append(prompt)
        raise ProviderUnavailable("away")


def open_with(llm: Any, **more: Any) -> Memory:
    memory = open_memory(":memory:", **{"embedder": "wordllama", "clock": Ticking(), "llm": llm, **more})
    memory.add(NOTES)
    return memory


def test_a_good_answer_asks_no_model() -> None:
    with open_with(llm := Imagining()) as mem:
        assert sum(hit.score >= 0.5 for hit in mem.search("green tea")) >= 3
        assert llm.asked == []


def test_who_wants_one_and_gets_a_good_one_has_enough() -> None:
    with open_with(llm := Imagining()) as mem:
        assert mem.search("when is the invoice due?", top_k=1)[0].score >= 0.5
        assert llm.asked == []


def test_a_poor_answer_is_looked_for_again_by_an_imagined_one() -> None:
    with open_with(None) as plain, open_with(llm := Imagining()) as mem:
        before, found = plain.search(POOR), mem.search(POOR)
        assert llm.asked == [POOR]
        assert before[0].content != NOTES[3]
        assert not found.abstained
        assert found[0].content == NOTES[3]
        assert found.quality.relevancy > before.quality.relevancy
        assert "imagine" in found.quality.stages_ms


def test_an_imagined_answer_that_leads_nowhere_does_no_harm() -> None:
    with open_with(None) as plain, open_with(Imagining("Zeppelins race over the Alps.")) as mem:
        question = "what does Ana drink at dawn?"
        assert mem.search(question)[0].content == plain.search(question)[0].content == NOTES[0]


def test_a_model_that_fails_is_missed_not_raised() -> None:
    with open_with(llm := Silent()) as mem:
        found = mem.search(POOR)
        assert llm.asked == [POOR]
        assert found.missing == (
            f"hyde: test:imagining did not answer ({ProviderUnavailable.code}); the question was searched as it is",
        )
        assert len(found) == len(NOTES)


def test_a_model_can_be_switched_off() -> None:
    with open_with(llm := Imagining(), config={"expand.hyde": False}) as mem:
        mem.search(POOR)
        assert llm.asked == []


def test_without_an_embedder_there_is_nothing_to_imagine_for() -> None:
    with open_with(llm := Imagining(), embedder=None) as mem:
        mem.search(POOR)
        assert llm.asked == []


class Wide:
    """A slow model whose vectors are longer than the static one's."""

    name, dimensions, inline = "test:wide", 384, False

    def embed(self, texts: Any) -> Any:
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        rows[:, 0] = 1.0
        return rows


def test_statements_are_compared_in_the_space_that_holds_them() -> None:
    with open_memory(":memory:", embedder=Wide(), clock=Ticking()) as mem:
        mem.add([{"role": "user", "content": "I live in Oslo and I work as a nurse."}], user_id="ana")
        mem.consolidate(user_id="ana")
        mem.settle()
        assert mem.search("Where do I live?", user_id="ana")[0].content.startswith("I live in Oslo")
