"""Citations of an answer: held against what is stored, counted as use once, rendered; what is not there is reported."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from interfaces.rest_server import client

import recollect
from recollect.errors import AccessDenied, UsageError
from recollect.memory import Memory


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with recollect.open(tmp_path / "m.db", embedder="fake", background=False) as found:
        yield found


def test_ids_become_numbers_with_the_records_below_and_unknown_ones_are_named(memory: Memory) -> None:
    first = memory.add("Tokens live in Redis", project="shop").id
    second = memory.add("Keys rotate daily", project="shop").id
    answer = f"Use Redis (#{first[:8]}), rotate (#{second}); see #{first[:8]} and #0123456789, #deadbeef."
    found = memory.cited(answer, project="shop")
    assert found.text == "Use Redis ([1]), rotate ([2]); see [1] and #0123456789, #deadbeef."
    assert [(each.number, each.id, each.content) for each in found.citations] == [
        (1, first, "Tokens live in Redis"),
        (2, second, "Keys rotate daily"),
    ]
    assert found.unknown == ("deadbeef",)
    assert not found
    assert f"[1] Tokens live in Redis (#{first[:8]})" in found.markdown
    assert memory.cited(f"#{first[:8]}")


def test_an_answer_that_cites_nothing_stays_as_it_is(memory: Memory) -> None:
    found = memory.cited("Nothing #here, not even #12.")
    assert (found.text, found.citations, found.unknown) == ("Nothing #here, not even #12.", (), ())
    assert not found
    assert found.markdown == found.text


def test_a_citation_is_a_use_and_in_a_session_once(memory: Memory) -> None:
    id_ = memory.add("Tokens live in Redis", project="shop").id
    answer = f"As #{id_[:8]} says."
    memory.observe({"session_id": "s1", "type": "prompt", "prompt": "go"}, project="shop", client="codex")
    for _ in range(3):
        assert memory.cited(answer, session_id="s1", project="shop")
    memory._engine.access.flush()
    assert memory.get(id_).access_count == 1
    (session,) = memory.observed(project="shop")
    assert (session.client, session.cited) == ("codex", (id_[:8],))


def test_who_may_not_see_a_record_is_told_that_it_is_not_there(memory: Memory) -> None:
    id_ = memory.add("The vault code", project="bank").id
    guest = memory.scoped(project="shop")
    found = guest.cited(f"#{id_[:8]}")
    assert (found.citations, found.unknown, found.text) == ((), (id_[:8],), f"#{id_[:8]}")
    with pytest.raises(AccessDenied):
        guest.cited("x", project="bank")
    memory._engine.access.flush()
    assert memory.get(id_).access_count == 0


def test_bad_input_is_refused(memory: Memory) -> None:
    for bad in (None, 3, "x" * 100_001):
        with pytest.raises(UsageError):
            memory.cited(bad)  # type: ignore[arg-type]
    with pytest.raises(UsageError):
        memory.cited("x", session_id="")


def test_a_deleted_record_is_not_there(memory: Memory) -> None:
    id_ = memory.add("Tokens live in Redis").id
    memory.delete(id_)
    assert memory.cited(f"#{id_[:8]}").unknown == (id_[:8],)


def test_over_http(tmp_path: Path) -> None:
    with client(tmp_path / "r.db") as rest:
        id_ = rest.memory.add("Tokens live in Redis").id  # type: ignore[attr-defined]
        found = rest.post("/v1/verbs/cited", json={"answer": f"#{id_[:8]} #deadbeef"}).json()
        assert (found["text"], found["unknown"]) == ("[1] #deadbeef", ["deadbeef"])
