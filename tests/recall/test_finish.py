"""The last word on order: what says the same is said once, a fact before its turn, and each strategy a sound order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from ticking import START, Ticking

from recollect import Memory
from recollect.errors import ProviderUnavailable, UsageError
from recollect.recall.quality import JUDGED_MIN
from recollect.recall.question.query import STRATEGIES
from recollect.wiring import open_memory

TEA = [
    "Ana drinks green tea in the morning",
    "green tea",
    "green tea needs eighty degrees and three minutes",
    "black coffee",
    "We bought green paint for the kitchen",
]
QUESTION = "how is green tea made?"


class ShortestFirst:
    """A reranker with a simple taste."""

    name = "test:shortest"

    def __init__(self) -> None:
        self.asked = 0

    def scores(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        self.asked += 1
        return np.array([-float(len(text)) for text in texts])


class NothingNew(ShortestFirst):
    """One that always agrees with the order it is given."""

    def scores(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        self.asked += 1
        return -np.arange(len(texts), dtype=np.float64)


class Silent(ShortestFirst):
    def scores(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        raise ProviderUnavailable("away")


@pytest.fixture
def mem() -> Iterator[Memory]:
    with open_memory(":memory:", embedder="wordllama", clock=Ticking()) as memory:
        yield memory


def open_with(reranker: ShortestFirst, **config: Any) -> Memory:
    memory = open_memory(":memory:", embedder="wordllama", clock=Ticking(), reranker=reranker, config=config)
    memory.add(TEA)
    return memory


def contents(found: Any) -> list[str]:
    return [hit.content for hit in found]


def say(mem: Memory, content: str, session_id: str, **scope: str) -> str:
    return mem.add({"role": "user", "content": content, "name": "Ana"}, session_id=session_id, **scope).id


# --- once -----------------------------------------------------------------------------------------------------------


def test_the_same_text_is_one_hit_that_rests_on_every_turn(mem: Memory) -> None:
    turns = {say(mem, "I love rye bread", session) for session in ("s1", "s2")}
    found = mem.search("rye bread", explain=True)
    assert contents(found) == ["I love rye bread"]
    assert {source.id for source in found[0].sources} == turns
    assert {source.session_id for source in found[0].sources} == {"s1", "s2"}
    assert found.trace.moves[found[0].id][-1].step == "once"


def test_who_looks_further_sees_whose_it_is(mem: Memory) -> None:
    say(mem, "I love rye bread", "s1", user_id="ana")
    say(mem, "I love rye bread", "s2", user_id="ben")
    assert len(mem.search("rye bread", reach="all")) == 2
    assert len(mem.search("rye bread", user_id="ana")) == 1


def test_a_fact_stands_before_the_turn_it_came_from(mem: Memory) -> None:
    turn = say(mem, "I love rye bread, you know, the dark one with seeds", "s1")
    other = say(mem, "Rye is sold out at the mill", "s2")
    fact = mem.add("Ana loves bread of rye", kind="semantic").id
    found = mem.search("I love rye bread with seeds")
    assert found[0].id == turn
    mem.relate(fact, turn, "derived_from")
    found = mem.search("I love rye bread with seeds")
    assert [hit.id for hit in found] == [fact, other, turn]
    assert [source.id for source in found[0].sources] == [turn]
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)


def test_a_fact_stands_before_every_turn_that_said_so(mem: Memory) -> None:
    """The newer of two equal turns stands for both, also for the one the fact was drawn from."""
    first = say(mem, "I love rye bread, you know, the dark one with seeds", "s1")
    say(mem, "I love rye bread, you know, the dark one with seeds", "s2")
    fact = mem.add("Ana loves bread of rye", kind="semantic").id
    mem.relate(fact, first, "derived_from")
    found = mem.search("I love rye bread with seeds")
    assert found[0].id == fact
    assert len(found) == 2


# --- strategies -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_each_strategy_gives_a_sound_order(mem: Memory, strategy: str) -> None:
    mem.add(TEA)
    found = mem.search(QUESTION, rerank=strategy, explain=True)
    assert sorted(contents(found)) == sorted(TEA)
    assert contents(found)[0] == "green tea"
    assert contents(found)[-1] == "black coffee"
    given = [hit.score for hit in found]
    assert given == sorted(given, reverse=True)
    assert all(0.0 <= score <= 1.0 for score in given)
    for hit in found:
        steps, moves = found.trace.hits[hit.id], found.trace.moves[hit.id]
        assert sum(step.contribution for step in steps) == pytest.approx(moves[0].score)
        assert {step.source for step in steps} <= found.quality.weights.keys()
        assert moves[-1].rank == contents(found).index(hit.content) + 1
        assert moves[-1].score == hit.score


def test_near_copies_make_room_for_something_else(mem: Memory) -> None:
    said = "the invoice of the printer shop is due on Monday"
    mem.add([said, f"{said}.", f"{said}!", said.capitalize(), said.upper()], infer=False)
    mem.add("The printer shop sent its invoice by mail")
    plain = contents(mem.search("when is the invoice of the printer shop due?", rerank="none", top_k=3))
    assert all(content.lower().startswith(said.lower()) for content in plain)
    varied = mem.search("when is the invoice of the printer shop due?", rerank="mmr", top_k=3, explain=True)
    assert contents(varied)[0] == plain[0]
    assert contents(varied)[1] == "The printer shop sent its invoice by mail"
    assert varied.quality.ndcg < 1.0


def test_an_unknown_strategy_is_refused(mem: Memory) -> None:
    with pytest.raises(UsageError, match=r"rrf_then_mmr.*'best'"):
        mem.search(QUESTION, rerank="best")


# --- a model that judges --------------------------------------------------------------------------------------------


def test_without_a_model_the_answer_says_so_and_stands(mem: Memory) -> None:
    mem.add(TEA)
    found = mem.search(QUESTION, rerank="cross_encoder")
    assert contents(found) == contents(mem.search(QUESTION, rerank="none"))
    assert any(note.startswith("cross_encoder: no reranker") for note in found.missing)
    assert found.quality.strategy == "none"


def test_a_model_puts_its_own_order() -> None:
    with open_with(ShortestFirst()) as mem:
        found = mem.search(QUESTION, rerank="cross_encoder", explain=True)
        assert contents(found) == sorted(TEA, key=len)
        assert found.quality.strategy == "cross_encoder"
        assert found.quality.ndcg < 1.0
        assert found.missing == ()
        assert found.trace.moves[found[0].id][-1].step == "cross_encoder"


def test_a_model_that_fails_is_missed_not_raised() -> None:
    with open_with(Silent()) as mem:
        found = mem.search(QUESTION, rerank="cross_encoder")
        assert contents(found)[0] == "green tea"
        assert found.missing == (f"cross_encoder: test:shortest did not answer ({ProviderUnavailable.code})",)


def test_a_model_that_changes_nothing_is_asked_no_more_for_such_questions() -> None:
    reranker = NothingNew()
    with open_with(reranker, **{"recall.rerank": "cross_encoder"}) as mem:
        for _ in range(JUDGED_MIN + 3):
            found = mem.search(QUESTION, explain=True)
        assert reranker.asked == JUDGED_MIN
        assert not mem._engine.recall.window.reranking_pays(found.quality.intent)
        assert found.quality.strategy == "none"
        assert any("has not changed answers" in note for note in found.trace.notes)
        mem.search("why is green tea green?")
        assert reranker.asked == JUDGED_MIN + 1  # another kind of question is tried
        mem.search(QUESTION, rerank="cross_encoder")
        assert reranker.asked == JUDGED_MIN + 2  # and who asks for it gets it


def test_a_model_that_changes_answers_is_kept() -> None:
    reranker = ShortestFirst()
    with open_with(reranker, **{"recall.rerank": "cross_encoder"}) as mem:
        for _ in range(JUDGED_MIN + 3):
            mem.search(QUESTION)
        assert reranker.asked == JUDGED_MIN + 3


# --- the same for the same ----------------------------------------------------------------------------------------


def told(memory: Memory) -> dict[str, Any]:
    """What a store answers, each record by the number in which it was stored: ids are random."""
    people, things = ("Ana", "Ben", "Cleo"), ("tea", "vim", "Oslo", "Rust")
    stored: list[str] = []
    for number in range(36):
        who, what = people[number % 3], things[number % 4]
        stored += memory.add(f"{who} keeps the {what} note in drawer {number % 5}", infer=False).ids
        stored += memory.add(f"{who} met {people[(number + 1) % 3]} about {what}", timestamp=START).ids
    for number in range(0, 40, 2):
        memory.relate(stored[number], stored[number + 3], "supports")
    numbers = {record_id: number for number, record_id in reversed(list(enumerate(stored)))}

    def of(ids: Iterable[str]) -> list[int]:
        return [numbers.get(each, -1) for each in ids]

    report = memory.maintain()
    around = [memory.related(each, depth=2) for each in stored[:6]]
    return {
        "upkeep": [(item.did, numbers.get(item.id, -1)) for item in report.items],
        "listed": of(record.id for record in memory.get_all(limit=500)),
        "related": [(of(each.depth), of(record.id for record in each.records)) for each in around],
        "labels": [[(e.label, of(member.record_id for member in e.members)) for e in each.edges] for each in around],
        "entities": [(each.name, each.mention_count) for each in memory.entities()],
        "telling": [of(record.id for record in memory.entity("Ana").telling)],  # type: ignore[union-attr]
        "weak": of(each.id for each in memory.weak(limit=100)),
        "asked": [each.text for each in memory.questions()],
    }


def test_the_same_work_on_the_same_data_gives_the_same_answers_whatever_the_ids() -> None:
    answers = []
    for _ in range(2):
        clock = Ticking(step_us=0)
        with open_memory(":memory:", embedder="fake", clock=clock) as memory:
            answers.append(told(memory))
    for name, first in answers[0].items():
        assert first == answers[1][name], name


@pytest.mark.parametrize("strategy", ["none", "mmr", "rrf"])
def test_equals_stand_in_the_order_in_which_they_were_stored(strategy: str) -> None:
    orders = []
    for _ in range(2):
        with open_memory(":memory:", embedder="fake", clock=Ticking(step_us=0)) as memory:
            texts = [f"the {colour} note in the drawer" for colour in ("red", "blue", "green", "black", "white") * 4]
            ids = [memory.add(text, infer=False, tags=[f"t{n}"]).id for n, text in enumerate(texts)]
            found = memory.search("note in the drawer", top_k=20, rerank=strategy)
            orders.append([ids.index(hit.id) for hit in found])
    assert orders[0] == orders[1]
