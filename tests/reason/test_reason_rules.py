"""Reasoning without a model: bridges, parts, relations, bounds, and who may see what."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.errors import AccessDenied, InvalidQuery, UsageError
from recollect.memory import Memory
from recollect.model.reasoning import RULES, Reasoning
from recollect.reason.budget import QUESTIONS_MAX

PRESIDENT = "Who was the first president of the association that publishes the Harbour Review?"


@pytest.fixture
def library(memory: Memory) -> Memory:
    memory.add("The Harbour Review is published by the Tide Society.")
    memory.add("Ana Ruiz was the first president of the Tide Society.")
    for name in ("Rowing Club", "Chess Union", "Garden League", "Opera Guild"):
        memory.add(f"The {name} has a first president and an association of friends.")
        memory.add(f"The {name} prints a review of the harbour every year.")
    memory.add("Ben drinks green tea.")
    return memory


def texts(found: Reasoning) -> list[str]:
    return [hit.content for hit in found.evidence]


def test_a_name_leads_from_the_first_record_to_the_second(library: Memory) -> None:
    found = library.reason(PRESIDENT)
    assert set(texts(found)[:2]) == {
        "The Harbour Review is published by the Tide Society.",
        "Ana Ruiz was the first president of the Tide Society.",
    }
    bridge = next(node for node in found.tree.walk() if node.why == "bridge" and node.name == "Tide Society")
    assert bridge.hits[0].content == "Ana Ruiz was the first president of the Tide Society."
    assert bridge.via == next(hit.id for hit in found.evidence if hit.content.startswith("The Harbour Review is"))
    assert found.tree.children[0].why == "inner"
    assert found.depth == max(step.depth for step in found.steps if step.kind != "bridge" or step.count)


def test_it_says_that_it_is_evidence_and_no_answer(library: Memory) -> None:
    found = library.reason(PRESIDENT)
    assert found.answer is None
    assert found.citations == ()
    assert (found.calls, found.tokens, found.model) == (0, 0, None)
    assert any("no language model" in each for each in found.missing)
    assert {node.judgement.by for node in found.tree.walk()} == {RULES}


def test_a_question_that_one_record_answers_is_asked_once(library: Memory) -> None:
    found = library.reason("Does Ben drink green tea?")
    assert [step.kind for step in found.steps] == ["recall"]
    assert (found.stopped, found.depth, found.tree.children) == ("sufficient", 0, ())
    assert texts(found)[0] == "Ben drinks green tea."


def test_what_nothing_speaks_of_is_named(library: Memory) -> None:
    found = library.reason("What does Zacharias think of submarines?")
    assert "Zacharias" in found.tree.judgement.gaps
    assert "submarines" in found.tree.judgement.gaps
    assert found.tree.judgement.state == "gaps"
    assert found.stopped == "nothing new"


def test_both_halves_of_a_double_question_are_in_the_evidence(library: Memory) -> None:
    found = library.reason("Who was the first president of the Tide Society and what does Ben drink?")
    assert [node.why for node in found.tree.children] == ["part", "part"]
    assert {"Ben drinks green tea.", "Ana Ruiz was the first president of the Tide Society."} <= set(texts(found)[:4])


def test_evidence_is_listed_once_best_first_and_within_bounds(library: Memory) -> None:
    found = library.reason(PRESIDENT)
    ids = [hit.id for hit in found.evidence]
    assert len(ids) == len(set(ids))
    scores = [hit.score for hit in found.evidence]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 for score in scores)
    assert {hit.id for node in found.tree.walk() for hit in node.hits if hit.score > 0} <= set(ids)


def test_no_question_is_asked_twice(library: Memory) -> None:
    found = library.reason(f"{PRESIDENT} {PRESIDENT} And {PRESIDENT.lower()}")
    asked = [frozenset(node.question.lower().split()) for node in found.tree.walk()]
    assert len(asked) == len(set(asked))


def test_depth_bounds_the_tree(library: Memory) -> None:
    flat = library.reason(PRESIDENT, depth=0)
    assert (flat.depth, flat.tree.children, flat.stopped) == (0, (), "depth")
    assert [step.kind for step in flat.steps] == ["recall"]
    assert library.reason(PRESIDENT, depth=1).depth == 1


def test_a_relation_leads_to_what_no_word_does(memory: Memory) -> None:
    """Only somebody's word connects the outage with the certificate."""
    outage = memory.add("Checkout was down on Monday morning").id
    cause = memory.add("A certificate ran out over the weekend").id
    for n in range(30):
        memory.add(f"Invoice {n} was paid on Monday morning by the Porto office")
    edge = memory.relate(cause, outage, "causes")
    found = memory.reason("Why was checkout down on Monday?")
    assert cause in {hit.id for hit in found.evidence}
    followed = [each for node in found.tree.walk() for each in node.followed]
    assert [(each.source, each.target, each.edge.id) for each in followed if each.target == cause] == [
        (outage, cause, edge)
    ]
    assert any(step.kind == "walk" and step.count for step in found.steps)


def test_relations_and_names_do_not_lead_out_of_a_scope(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "s.db", embedder="fake") as memory:
        mine = memory.add("The Harbour Review is published by the Tide Society.", user_id="ana").id
        theirs = memory.add("Cleo was the first president of the Tide Society.", user_id="ben").id
        memory.relate(mine, theirs, "supports")
        for reader in (memory.scoped(user_id="ana"), memory):
            found = reader.reason(PRESIDENT, **({} if reader is not memory else {"user_id": "ana"}))
            assert theirs not in str(found.to_dict())
            assert "Cleo" not in str(found.to_dict())
        assert memory.reason(PRESIDENT, reach="all").to_dict()["results"][1]["id"] in (mine, theirs)
        with pytest.raises(AccessDenied):
            memory.scoped(user_id="ana").reason(PRESIDENT, reach="all")


def test_session_and_time_narrow_every_recall(memory: Memory) -> None:
    memory.add("The Harbour Review is published by the Tide Society.", session_id="s1", timestamp="2026-01-01")
    memory.add("Ana Ruiz was the first president of the Tide Society.", session_id="s2", timestamp="2026-03-01")
    assert len(memory.reason(PRESIDENT).evidence) == 2
    assert len(memory.reason(PRESIDENT, session_id="s1").evidence) == 1
    assert len(memory.reason(PRESIDENT, before="2026-02-01").evidence) == 1


def test_what_was_believed_then(memory: Memory) -> None:
    old = memory.add("The Harbour Review is published by the Tide Society.")
    then = memory.get(old.id)
    assert then is not None
    memory.relate(old.id, memory.add("Ana Ruiz was the first president of the Tide Society.").id, "supports")
    memory.update(old.id, content="The Harbour Review is published by the Rowing Club.")
    past = memory.reason(PRESIDENT, known_at=then.created_at)
    assert texts(past) == ["The Harbour Review is published by the Tide Society."]
    assert any("believed then" in each for each in past.missing)
    assert "The Harbour Review is published by the Rowing Club." in texts(memory.reason(PRESIDENT))


def test_what_goes_while_reasoning_is_no_error(memory: Memory) -> None:
    """A record that is deleted between recall and walk is left out."""
    outage = memory.add("Checkout was down on Monday morning").id
    cause = memory.add("A certificate ran out over the weekend").id
    memory.relate(cause, outage, "causes")
    engine = memory._engine
    search = engine.recall.search

    def deleted_meanwhile(*args: Any, **options: Any) -> Any:
        found = search(*args, **options)
        memory.delete(outage)
        return found

    engine.recall.search = deleted_meanwhile  # type: ignore[method-assign]
    assert memory.reason("Why was checkout down on Monday?").tree.followed == ()


def test_an_empty_memory_says_so(memory: Memory) -> None:
    found = memory.reason(PRESIDENT)
    assert found.evidence == ()
    assert found.stopped == "nothing new"
    assert found.tree.judgement.gaps


def test_questions_are_bounded_in_a_store_full_of_names(memory: Memory) -> None:
    names = [f"{a}{b}" for a in ("Alba", "Bero", "Cima", "Dova") for b in ("lin", "mar", "nor", "pex", "run")]
    for n, name in enumerate(names):
        others = " and ".join(f"{other} Works" for other in names[n + 1 : n + 9])
        memory.add(f"{name} Works supplies valves to {others}.")
    found = memory.reason("Who supplies the maker that supplies the maker that supplies Alba Works with rubber valves?")
    assert len({node.question for node in found.tree.walk()}) <= QUESTIONS_MAX
    assert found.stopped in ("questions", "nothing new", "depth", "sufficient")


@pytest.mark.parametrize("question", ["", "   ", 7, None, "a\x00b", "\ud800"])
def test_questions_that_are_none(memory: Memory, question: object) -> None:
    with pytest.raises(InvalidQuery if isinstance(question, str) else UsageError):
        memory.reason(question)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "wrong", [{"depth": -1}, {"depth": 21}, {"depth": True}, {"max_calls": -1}, {"max_tokens": 0}, {"model": ""}]
)
def test_bounds_that_are_none(memory: Memory, wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        memory.reason("who?", **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("question", ["?!?!", "the of and", "誰がハーバーを書いた?", "who " * 4000, "a" * 30_000])
def test_odd_questions_are_answered(library: Memory, question: str) -> None:
    assert library.reason(question).stopped


def test_an_unknown_model_gets_a_careful_window_and_a_word(library: Memory) -> None:
    found = library.reason(PRESIDENT, model="nobody-knows-this")
    assert any("nobody-knows-this" in each and "not known" in each for each in found.missing)
