"""An empty question: what matters most now, within the same conditions as any other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from ticking import Ticking

from recall.watched_searches import pk_of
from recollect import Memory
from recollect.wiring import open_memory


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def mem(clock: Ticking) -> Iterator[Memory]:
    with open_memory(":memory:", embedder="fake", clock=clock) as memory:
        yield memory


def contents(found: Any) -> list[str]:
    return [hit.content for hit in found]


@pytest.mark.parametrize("question", ["", "   ", "\n\t"])
def test_it_says_that_the_question_was_empty(mem: Memory, question: str) -> None:
    mem.add("green tea")
    found = mem.search(question, explain=True)
    assert contents(found) == ["green tea"]
    assert found.reason == "the question is empty: this is what matters most now"
    assert not found.abstained
    assert found.quality.strategy == "foremost"
    assert found.trace is None


def test_important_and_confirmed_before_plain_before_old_and_doubtful(mem: Memory, clock: Ticking) -> None:
    mem.add("old and plain")
    mem.add("old and important", importance=1.0)
    clock.skip(60)
    mem.add("new and plain")
    mem.add("new and doubtful", confidence=0.2)
    mem.add("new and important", importance=1.0)
    mem.flag(mem.add("new and flagged").id, reason="wrong")
    found = contents(mem.search("", top_k=20))
    assert found[0] == "new and important"
    assert found.index("new and plain") < found.index("old and plain")
    assert found.index("old and important") < found.index("old and plain")
    assert found.index("new and plain") < found.index("new and doubtful")
    assert found.index("new and plain") < found.index("new and flagged")


def test_important_records_are_not_crowded_out_by_new_ones(mem: Memory) -> None:
    mem.add("never forget this", importance=1.0)
    mem.add([f"chatter number {number}" for number in range(500)])
    assert contents(mem.search("", top_k=1)) == ["never forget this"]


def test_conditions_hold(mem: Memory) -> None:
    mem.add("for everybody")
    mem.add("for Ana", user_id="ana")
    mem.add("a decision", category="decision", tags=["a"])
    assert contents(mem.search("")) == ["a decision", "for everybody"]
    assert set(contents(mem.search("", user_id="ana"))) == {"for everybody", "for Ana", "a decision"}
    assert contents(mem.search("", categories=["decision"])) == ["a decision"]
    assert contents(mem.search("", tags=["a"])) == ["a decision"]
    assert len(mem.search("", top_k=1)) == 1


def test_place_and_facets_hold(mem: Memory) -> None:
    mem.add(
        {"content": "of the auth file", "place": {"file_path": "src/auth.py"}, "facets": {"diataxis_type": "howto"}}
    )
    mem.add({"content": "of the other file", "place": {"file_path": "src/other.py"}})
    mem.add([f"of no file {number}" for number in range(500)])
    assert contents(mem.search("", place="src/auth.py")) == ["of the auth file"]
    assert contents(mem.search("", facets={"diataxis_type": "howto"})) == ["of the auth file"]
    assert contents(mem.search("", place="src/", facets={"diataxis_type": "howto"})) == ["of the auth file"]
    nothing = mem.search("", place="src/none.py")
    assert (len(nothing), nothing.abstained) == (0, True)
    assert nothing.reason == "nothing stored here meets the conditions: place"


def test_modes_hold(mem: Memory, clock: Ticking) -> None:
    for number in range(1, 4):
        mem.add({"role": "user", "content": f"turn {number}"}, session_id=f"s{number}")
        clock.skip(1)
    assert set(contents(mem.search("", mode="recent_sessions:2"))) == {"turn 2", "turn 3"}
    assert contents(mem.search("", mode="trend:1.5")) == ["turn 3"]


def test_phase_and_mood_weigh(mem: Memory) -> None:
    trap = mem.add("a trap", category="gotcha").id
    mem.add("a decision", category="decision")
    assert contents(mem.search("", phase="coding")) == ["a trap", "a decision"]
    assert contents(mem.search("", phase="planning")) == ["a decision", "a trap"]
    pk = pk_of(mem, trap)
    mem._engine.store.write(lambda tx: tx.sql.run("UPDATE record SET valence = 0.9 WHERE pk = ?", (pk,)))
    assert contents(mem.search("", mood=0.9)) == ["a trap", "a decision"]
    assert contents(mem.search("", mood=-0.9)) == ["a decision", "a trap"]


def test_the_same_text_counts_once(mem: Memory) -> None:
    mem.add(["green tea", "green tea", "black tea"])
    assert sorted(contents(mem.search(""))) == ["black tea", "green tea"]


def test_an_empty_store_has_nothing_that_matters(mem: Memory) -> None:
    found = mem.search("")
    assert (found.abstained, found.reason) == (True, "nothing is stored here")
