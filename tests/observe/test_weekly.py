"""Pairs of files with a direction become records every week; sure pairs widen a search within their project."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sessions import repository
from ticking import Ticking

import recollect
from recollect.memory import Memory
from recollect.model.query import Criteria
from recollect.model.scope import Scope
from recollect.recall.sources.base import Look


@pytest.fixture
def clock() -> Ticking:
    return Ticking(1_000)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return repository(tmp_path / "shop", schema__py="x = 1\n", migrate__py="y = 1\n")


@pytest.fixture
def memory(tmp_path: Path, clock: Ticking) -> Iterator[Memory]:
    with recollect.open(tmp_path / "m.db", embedder="fake", clock=clock, background=False) as found:
        yield found


def worked(memory: Memory, root: Path, session: str, *paths: str) -> None:
    calls: list[dict[str, Any]] = [
        {"type": "tool", "id": f"{at}", "tool": "Edit", "input": {"file_path": str(root / path)}}
        for at, path in enumerate(paths)
    ]
    common = {"session_id": session, "cwd": str(root)}
    memory.observe([{**common, **each} for each in (*calls, {"type": "session_end", "id": "end"})])


def pairs(memory: Memory) -> list[Any]:
    return [each for each in memory.get_all(reach="all", limit=200) if each.category == "causal_dependency"]


def week(memory: Memory, root: Path, clock: Ticking, sessions: int = 12) -> None:
    """A day for each session: schema.py and then migrate.py, with other files before."""
    for number in range(sessions):
        worked(memory, root, f"s{number}", f"other{number}.py", "schema.py", "migrate.py")
        clock.skip(1)


def test_a_sure_pair_with_a_direction_is_required_from_the_week_on(memory: Memory, shop: Path, clock: Ticking) -> None:
    week(memory, shop, clock)
    memory._engine.observer.weekly.run()
    (record,) = [each for each in pairs(memory) if each.metadata.get("required_with")]
    assert record.metadata["required_with"] == ["schema.py", "migrate.py"]
    assert record.content.startswith("migrate.py comes after schema.py: seen in ")
    assert record.source == "observer_inferred"
    assert record.needs_review


def test_again_it_changes_nothing(memory: Memory, shop: Path, clock: Ticking) -> None:
    week(memory, shop, clock)
    memory._engine.observer.weekly.run()
    before = [(each.id, each.content, each.metadata) for each in pairs(memory)]
    assert memory._engine.observer.weekly.run() == []
    assert [(each.id, each.content, each.metadata) for each in pairs(memory)] == before


def test_what_a_week_came_to_is_one_operation_that_is_undone(memory: Memory, shop: Path, clock: Ticking) -> None:
    memory._engine.observer.weekly.run()
    week(memory, shop, clock)
    for each in pairs(memory):
        memory.delete(each.id, hard=True)
    assert memory._engine.observer.weekly.run()
    (operation,) = [each for each in memory.operations(limit=50) if each.reason == "weekly"]
    memory.undo(operation.id)
    assert pairs(memory) == []


def test_neither_a_pair_without_a_direction_nor_one_that_is_not_sure_is_required(
    memory: Memory, shop: Path, clock: Ticking
) -> None:
    for number in range(12):
        both = ("one.py", "two.py") if number % 2 else ("two.py", "one.py")
        worked(memory, shop, f"s{number}", *both)
        worked(memory, shop, f"t{number}", "schema.py", *(["migrate.py"] if number % 3 == 0 else []))
        clock.skip(1)
    memory._engine.observer.weekly.run()
    assert not [each for each in pairs(memory) if each.metadata.get("required_with")]


def test_it_comes_by_itself_once_a_week_and_can_be_switched_off(tmp_path: Path, shop: Path, clock: Ticking) -> None:
    for days, times in ((7.0, 2), (0.0, 0)):
        config = {"observe.pairs_days": days}
        store = tmp_path / f"n{days}.db"
        with recollect.open(store, embedder="fake", clock=clock, background=False, config=config) as memory:
            ran: list[int] = []
            memory._engine.observer.weekly.run = lambda ran=ran: ran.append(1) or []  # type: ignore[method-assign]
            for number in range(10):
                worked(memory, shop, f"{days}{number}", "a.py")
                clock.skip(1)
            assert len(ran) == times


def test_files_that_were_worked_on_together_widen_a_search_of_their_project(
    memory: Memory, shop: Path, tmp_path: Path, clock: Ticking
) -> None:
    week(memory, shop, clock)
    for each in pairs(memory):
        memory.delete(each.id)
    for project in ("shop", "bank"):
        files = {"related_files": ["migrate.py"]}
        memory.add(f"Locks the {project} table", category="gotcha", metadata=files, project=project)
    found = memory.search("what about schema.py?", project="shop", top_k=5)
    assert "Locks the shop table" in [hit.content for hit in found]
    bank = repository(tmp_path / "bank")
    worked(memory, bank, "b", "schema.py")
    assert linked(memory, "shop", "schema.py")[:1] == ["migrate.py"]
    assert linked(memory, "shop", "migrate.py")[:1] == ["schema.py"]
    assert linked(memory, "bank", "schema.py") == linked(memory, None, "schema.py") == []


def linked(memory: Memory, project: str | None, path: str) -> list[str]:
    """The files that a search in a project is widened with."""
    engine = memory._engine
    with engine.store.read() as tx:
        criteria = Criteria(scope=Scope(project=project))
        look = Look(tx=tx, criteria=criteria, now=engine.clock(), limit=10, top_k=5, selection=None)
        return [other for other, weight in engine.recall._gatherer._linked_files(look, [path]) if weight > 0.6]
