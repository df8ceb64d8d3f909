"""Background work makes way for callers, and for a machine that is short of memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from properties.tables import open_quick
from ticking import Ticking

from recollect.memory import Memory
from recollect.upkeep.runs.activity import Activity


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def memory(tmp_path: Path, clock: Ticking) -> Iterator[Memory]:
    config = {"upkeep.after_session": False}
    with open_quick(tmp_path / "m.db", clock=clock, embedder=None, config=config) as opened:
        yield opened


def test_background_work_rests_longer_than_it_worked_while_somebody_calls() -> None:
    naps: list[float] = []
    activity = Activity(sleep=naps.append)
    activity.give_way(0.05)
    assert naps == [], "opening a store is no call"
    activity.note()
    activity.give_way(0.05)
    activity.give_way(30.0)
    assert naps == [0.1, 0.5]


def test_background_work_waits_for_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    left = iter([0.01, 0.02, 0.5])
    monkeypatch.setattr("recollect.upkeep.runs.activity.memory_left", lambda: next(left))
    naps: list[float] = []
    Activity(sleep=naps.append).give_way(0.05)
    assert naps == [0.5, 0.5]


def test_every_verb_counts_as_use(memory: Memory) -> None:
    activity = memory._opened.activity
    for call in (
        lambda: memory.add("x"),
        lambda: memory.search("x"),
        memory.get_all,
        memory.operations,
        memory.relations,
        lambda: memory.scoped(user_id="ana").get_all(),
        memory.entities,
    ):
        activity._last = activity._opened
        assert not activity.lately
        call()
        assert activity.lately, call
    activity._last = activity._opened
    memory.maintain(status=True)
    assert not activity.lately, "to look at upkeep is not to use the store"
