"""Marks follow the records they belong to, whatever is done to those."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from ticking import Ticking

from recollect import Memory
from recollect.wiring import open_memory

PLACE = {"file_path": "web/src/auth.ts", "section_path": ["Design", "Caching"], "class_name": "Session"}
FACETS = {"diataxis_type": "howto", "secondary_personas": ["expert"], "domain_tags": ["cli", "api"]}


@pytest.fixture
def mem() -> Iterator[Memory]:
    with open_memory(":memory:", embedder="fake", clock=Ticking()) as memory:
        yield memory


def held(mem: Memory) -> set[tuple[str, int]]:
    """Every mark, after a look whether they are those the rows call for."""
    with mem._engine.store.read() as tx:
        found = set(tx.sql.all("SELECT mark, record_pk FROM mark"))
        assert found == set(tx.sql.all("SELECT mark, record_pk FROM mark_of"))
        return found


def names(found: set[tuple[str, int]]) -> set[str]:
    return {mark for mark, _ in found}


def add(mem: Memory, text: str = "text", **values: Any) -> str:
    return mem.add({"content": text, **values}, infer=False).ids[0]


def test_marks_of_a_place_facets_and_related_files(mem: Memory) -> None:
    add(mem, place=PLACE, facets=FACETS, metadata={"related_files": ["a.ts", "b.ts", 3], "team": "core"})
    assert names(held(mem)) == {
        "position_type=document",
        "file_path=web/src/auth.ts",
        "file_name=auth.ts//web/src/",
        "section_path=Design",
        "section_path=Caching",
        "class_name=Session",
        "diataxis_type=howto",
        "secondary_personas=expert",
        "domain_tags=cli",
        "domain_tags=api",
        "verification_state=unverified",
        "confidence=moderate",
        "related_file=a.ts",
        "related_file=b.ts",
    }


def test_records_without_any_have_none(mem: Memory) -> None:
    add(mem, metadata={"team": "core"})
    add(mem, "plain")
    assert held(mem) == set()
    add(mem, "one file", metadata={"related_files": "a.ts"})
    assert names(held(mem)) == {"related_file=a.ts"}


def test_marks_follow_changes_and_their_undoing(mem: Memory) -> None:
    record = add(mem, place=PLACE)
    before = held(mem)
    operation = mem.update(record, place={"file_path": "new.py"}).operation
    assert "file_name=new.py//" in names(held(mem))
    assert names(before) <= names(held(mem))  # the earlier version keeps its own
    mem.undo(operation)
    assert before <= held(mem)
    mem.update(record, clear=["place"])
    assert before.isdisjoint(held(mem))
    mem.update(record, metadata={"related_files": ["a.ts"]}, tier="archive")
    removal = mem.delete(record).operation
    assert "related_file=a.ts" in names(held(mem))  # softly: it may come back
    mem.undo(removal)
    held(mem)


def test_an_erased_record_leaves_no_mark(mem: Memory) -> None:
    record = add(mem, place=PLACE, facets=FACETS)
    mem.update(record, content="changed")
    mem.delete(record, hard=True)
    assert held(mem) == set()


def test_distinct_values_from_a_prefix_on(mem: Memory) -> None:
    for path in ("src/a.py", "src/b.py", "src/b.py", "srcs/c.py", "docs/d.md"):
        add(mem, path, place={"file_path": path})
    with mem._engine.store.read() as tx:
        assert tx.marks.values("file_path", "src/", limit=9) == ["src/a.py", "src/b.py"]
        assert tx.marks.values("file_path", limit=2) == ["docs/d.md", "src/a.py"]
        assert tx.marks.values("class_name", limit=9) == []
        assert tx.marks.paths_named("b.py", limit=9) == ["src/b.py"]
        assert tx.marks.paths_named("b", limit=9) == []
        assert tx.marks.newest(["file_path=src/b.py", "file_path=docs/d.md"], limit=2) == [5, 3]
        assert tx.marks.newest([*(f"file_path={n}" for n in range(20)), "file_path=src/a.py"], limit=9) == [1]
        assert tx.marks.newest([], limit=9) == []
