"""What an answer must never hold, however a row comes into it: nothing filtered out, judged, said twice, or others'."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ticking import Ticking

from recollect import Memory
from recollect.errors import NotFound
from recollect.wiring import open_memory

OLD, NEW = "The offsite budget is small: $5,000 for the offsite.", "Finance gave us more, $6,000 in all."
ASKED = "What is the offsite budget?"
LATER = "2100-01-01"


@pytest.fixture
def mem() -> Iterator[Memory]:
    with open_memory(":memory:", embedder="fake", clock=Ticking()) as memory:
        yield memory


def texts(memory: Memory, question: str = ASKED, **more: object) -> list[str]:
    return [hit.content for hit in memory.search(question, **more)]  # type: ignore[arg-type]


def test_an_update_from_another_place_stays_out_of_the_place_asked_for(mem: Memory) -> None:
    old = mem.add({"content": OLD, "place": {"file_path": "docs/a.md"}}).id
    new = mem.add({"content": NEW, "place": {"file_path": "docs/b.md"}}).id
    mem.relate(new, old, "updates")
    assert texts(mem, place="docs/a.md") == [OLD]
    assert texts(mem, place="docs/b.md") == [NEW]


def test_an_update_that_was_no_help_is_not_brought_back_by_its_edge(mem: Memory) -> None:
    old, new = mem.add(OLD).id, mem.add(NEW).id
    mem.relate(new, old, "updates")
    assert texts(mem) == [NEW, OLD]
    mem.feedback(new, helpful=False, query=ASKED)
    assert texts(mem) == [OLD]


def test_an_update_that_was_said_twice_is_given_once(mem: Memory) -> None:
    twice = "The offsite budget is large: $6,000."
    old = mem.add(OLD).id
    for session in ("s1", "s2"):
        mem.relate(mem.add([{"role": "user", "content": twice}], session_id=session).id, old, "updates")
    assert texts(mem) == [twice, OLD]


def test_the_event_a_search_is_around_need_not_be_of_the_kind_asked_for(mem: Memory) -> None:
    event = mem.add([{"role": "user", "content": "We met in Lisbon"}], session_id="s1", infer=False).id
    mem.add({"content": "Lisbon is sunny", "kind": "semantic"}, session_id="s1")
    assert texts(mem, "Lisbon", mode=f"around_event:{event}", kinds=["semantic"]) == ["Lisbon is sunny"]


def test_an_event_of_somebody_else_is_not_found(mem: Memory) -> None:
    event = mem.add([{"role": "user", "content": "Ben met us in Lisbon"}], session_id="s1", user_id="ben").id
    with pytest.raises(NotFound):
        mem.scoped(user_id="ana").search("Lisbon", mode=f"around_event:{event}")


def test_a_cold_answer_does_not_tell_which_words_others_use(mem: Memory) -> None:
    mem.add("Ben plans a trip to Zanzibar", user_id="ben")
    for number in range(5):
        mem.add(f"Ana likes tea number {number}", user_id="ana")
    ana = mem.scoped(user_id="ana")
    shares = {ana.search(f"Which {word} tea?", known_at=LATER).quality.answerable for word in ("Zanzibar", "Quetzal")}
    assert len(shares) == 1


def test_a_timeline_that_ends_before_a_time_has_no_step_after_it(mem: Memory) -> None:
    record = mem.add("The offsite budget is 500", timestamp="2026-01-02").id
    mem.update(record, content="The offsite budget is 900")
    assert len(mem.timeline("offsite budget").events) == 2
    steps = mem.timeline("offsite budget", before="2026-01-05").events
    assert [step.record.content for step in steps] == ["The offsite budget is 500"]


def test_words_of_others_are_never_met_however_large_the_scope(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.recall.ranking.asked.COUNTED_ROWS_MAX", 2)
    shares = []
    for secret in ("the zeppelin lands at noon", "the ferry lands at noon"):
        with open_memory(":memory:", embedder="fake") as mem:
            mem.add([f"tea number {number} at noon" for number in range(6)], user_id="ana")
            mem.add(secret, user_id="ben")
            shares.append(mem.search("when does the zeppelin land?", user_id="ana").quality.answerable)
    assert shares[0] == shares[1]


def test_what_had_not_ended_then_is_found_by_its_time() -> None:
    with open_memory(":memory:", embedder="fake") as mem:
        mem.add("the old desk", timestamp="2024-03-02", valid_from="2024-03-01", valid_until="2024-04-01")
        found = mem.search("what happened in March 2024?", as_of="2024-03-15", explain=True)
        assert "time" in found.trace.found_by[found[0].id]
