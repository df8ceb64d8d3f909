"""The current truth stands above the outdated one when the present is asked for, and only then."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
from ticking import Ticking

from recollect import Memory
from recollect.recall.question.cues import cues_of
from recollect.recall.question.present import asks_for_the_present
from recollect.wiring import open_memory

OLD, NEW = "The offsite budget is small: $5,000 for the offsite.", "Finance gave us more, $6,000 in all."
ASKED = "What is the offsite budget?"


@pytest.fixture
def mem() -> Iterator[Memory]:
    with open_memory(":memory:", embedder="fake", clock=Ticking()) as memory:
        yield memory


def order(memory: Memory, question: str = ASKED, **more: object) -> list[str]:
    return [hit.content for hit in memory.search(question, **more)]  # type: ignore[arg-type]


def related(memory: Memory, *texts: str, label: str = "updates") -> list[str]:
    """Each text updates the one before it."""
    ids = [memory.add(text).id for text in texts]
    for older, newer in pairwise(ids):
        memory.relate(newer, older, label)
    return ids


PRESENT = [
    "What is my budget?",
    "budget of the offsite",
    "Where does Ana live?",
    "How many books do I own?",
    "When is my appointment scheduled?",
]
PAST = [
    "What was my budget?",
    "Where did Ana live?",
    "Which editor did Ben use before?",
    "What was the original plan?",
    "How has the budget changed over time?",
    "What is the budget for May 2026?",
]


@pytest.mark.parametrize("text", PRESENT)
def test_these_ask_for_the_present(text: str) -> None:
    assert asks_for_the_present(text, cues_of(text))


@pytest.mark.parametrize("text", PAST)
def test_these_do_not(text: str) -> None:
    assert not asks_for_the_present(text, cues_of(text))


@pytest.mark.parametrize("label", ["updates", "supersedes"])
def test_the_newer_end_of_an_edge_stands_directly_above_the_older(mem: Memory, label: str) -> None:
    mem.add("The offsite is in May.")
    mem.add([OLD, NEW])
    assert order(mem).index(OLD) < order(mem).index(NEW)
    mem.delete_all(reach="all")
    related(mem, OLD, NEW, label=label)
    found = order(mem)
    assert found.index(NEW) == found.index(OLD) - 1


def test_the_outdated_one_is_still_found(mem: Memory) -> None:
    related(mem, OLD, NEW)
    assert set(order(mem)) == {OLD, NEW}


def test_scores_fall_with_the_places(mem: Memory) -> None:
    related(mem, OLD, NEW)
    scores = [hit.score for hit in mem.search(ASKED)]
    assert scores == sorted(scores, reverse=True)


def test_a_question_about_the_past_keeps_its_order(mem: Memory) -> None:
    related(mem, OLD, NEW)
    assert order(mem, "What was the offsite budget?")[0] == OLD


def test_asked_of_a_day_what_was_the_latest_by_then_comes_first(mem: Memory) -> None:
    later = "In the end the board settled on $7,000."
    days = {OLD: "2025-01-10", NEW: "2025-02-10", later: "2025-03-10"}
    ids = [
        mem.add([{"role": "user", "content": text, "timestamp": f"{day}T12:00:00Z"}]).id for text, day in days.items()
    ]
    for older, newer in pairwise(ids):
        mem.relate(newer, older, "updates")
    assert order(mem, as_of="2025-04-01")[:3] == [later, NEW, OLD]
    assert order(mem, as_of="2025-02-20")[:2] == [NEW, OLD]
    assert later not in order(mem, as_of="2025-02-20")
    assert order(mem, as_of="2025-01-20") == [OLD]


def test_of_a_chain_the_newest_comes_first(mem: Memory) -> None:
    newest = "In the end the board settled on $7,000."
    related(mem, OLD, NEW, newest)
    assert order(mem)[:3] == [newest, NEW, OLD]


def test_a_circle_of_edges_ends(mem: Memory) -> None:
    first, second = related(mem, OLD, NEW)
    mem.relate(first, second, "updates")
    assert set(order(mem)) == {OLD, NEW}


def test_what_no_source_found_is_brought_in(mem: Memory) -> None:
    related(mem, OLD, NEW)
    for number in range(150):  # enough that a row without a common word is no candidate
        mem.add(f"offsite note number {number}")
    assert order(mem)[:2] == [NEW, OLD]


def test_what_the_reader_may_not_see_is_not_brought_in(mem: Memory) -> None:
    old = mem.add(OLD).id
    hidden = mem.add(NEW, user_id="ana").id
    mem.relate(hidden, old, "updates")
    assert NEW not in order(mem, user_id="ben")
    assert order(mem, user_id="ana")[:2] == [NEW, OLD]


def test_what_the_filters_leave_out_is_not_brought_in(mem: Memory) -> None:
    old, new = mem.add(OLD, metadata={"team": "a"}).id, mem.add(NEW, metadata={"team": "b"}).id
    mem.relate(new, old, "updates")
    assert order(mem, filters={"metadata.team": "a"}) == [OLD]


def test_an_edge_about_something_else_moves_nothing(mem: Memory) -> None:
    """Two texts may share one thing that changed and much that did not: the edge says by which words it was found."""
    old, new = mem.add(OLD).id, mem.add(NEW).id
    edge = mem.relate(new, old, "updates")
    store = mem._engine.store
    store.write(
        lambda tx: tx.sql.run('UPDATE edge SET attributes = \'{"about": ["offsit", "budget"]}\' WHERE id = ?', (edge,))
    )
    assert order(mem)[0] == NEW
    store.write(
        lambda tx: tx.sql.run('UPDATE edge SET attributes = \'{"about": ["train", "oslo"]}\' WHERE id = ?', (edge,))
    )
    assert order(mem)[0] == OLD
