"""What was done by day, and how many records there are of what."""

from __future__ import annotations

from pathlib import Path

import pytest
from ticking import Ticking

import recollect
from recollect.errors import AccessDenied, UsageError


def test_a_day_has_what_was_learned_changed_forgotten_and_asked(tmp_path: Path) -> None:
    clock = Ticking()
    with recollect.open(tmp_path / "m.db", embedder="fake", clock=clock) as memory:
        first = memory.add("Ana uses Helix", user_id="ana").id
        clock.skip(1)
        memory.add(["one", "two"], agent_id="rex")
        memory.update(first, tags=["editor"])
        memory.search("which editor?", user_id="ana")
        clock.skip(1)
        gone = memory.add("three", agent_id="rex")
        memory.delete(gone.id)
        told = memory.activity(days=3)
    assert [day["day"] for day in told["days"]] == ["2026-05-13", "2026-05-14", "2026-05-15"]
    assert told["days"][0] == {"day": "2026-05-13", "learned": 1, "changed": 0, "forgotten": 0, "asked": 0}
    assert told["days"][1] == {"day": "2026-05-14", "learned": 2, "changed": 1, "forgotten": 0, "asked": 1}
    assert told["days"][2] == {"day": "2026-05-15", "learned": 1, "changed": 0, "forgotten": 1, "asked": 0}
    assert told["total"] == {"learned": 4, "changed": 1, "forgotten": 1, "asked": 1}
    assert {each["agent"]: each["learned"] for each in told["agents"]} == {"rex": 3, "owner": 1}


def test_what_was_undone_does_not_count_and_days_begin_where_the_reader_is(tmp_path: Path) -> None:
    clock = Ticking()  # noon in UTC
    with recollect.open(tmp_path / "m.db", embedder="fake", clock=clock) as memory:
        memory.undo(memory.add("never mind"))
        memory.add("late")
        here, far = memory.activity(days=2), memory.activity(days=2, offset_minutes=13 * 60)
    assert here["days"][1]["learned"] == 1
    assert [day["day"] for day in far["days"]] == ["2026-05-13", "2026-05-14"], "it is past midnight there"
    assert far["days"][1]["learned"] == 1


def test_a_handle_sees_its_own(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "m.db", embedder="fake") as memory:
        memory.add("Ana's", user_id="ana", tags=["a"])
        memory.add("Ben's", user_id="ben", tags=["b"])
        memory.search("whose?")
        ana = memory.scoped(user_id="ana", actor="ana's agent")
        ana.search("mine?")
        assert ana.activity(days=1)["total"] == {"learned": 1, "changed": 0, "forgotten": 0, "asked": 1}
        assert ana.counts()["tags"] == {"a": 1}
        assert ana.counts()["user_id"] == {"ana": 1}
        with pytest.raises(AccessDenied):
            ana.counts(reach="all")


def test_counts_are_of_what_meets_the_conditions(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "m.db", embedder="fake") as memory:
        memory.add("a", user_id="ana", tags=["x", "y"], category="fact", session_id="s1")
        memory.add("b", agent_id="rex", project="atlas", tags=["x"], category="decision")
        flagged = memory.add("c", project="atlas", kind="procedural", category="pattern").id
        memory.flag(flagged, reason="no")
        told = memory.counts(reach="all")
        assert (told["records"], told["flagged"], told["needs_review"]) == (3, 1, 1)
        assert told["project"] == {"atlas": 2}
        assert told["tags"] == {"x": 2, "y": 1}
        assert [(each["session_id"], each["records"]) for each in told["sessions"]] == [("s1", 1)]
        some = memory.counts(reach="all", filters={"project": {"eq": "atlas"}}, tags=["x"])
        assert (some["records"], some["category"], some["tags"]) == (1, {"decision": 1}, {"x": 1})


def test_operations_go_on_before_one(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "m.db", embedder="fake") as memory:
        made = [memory.add(str(number)).operation for number in range(5)]
        newest = memory.operations(limit=2)
        older = memory.operations(limit=9, before=newest[-1].id)
    assert [each.id for each in (*newest, *older)] == made[::-1]


@pytest.mark.parametrize(
    ("verb", "given"),
    [
        ("activity", {"days": 0}),
        ("activity", {"offset_minutes": 2000}),
        ("counts", {"limit": 0}),
        ("operations", {"before": "x"}),
    ],
)
def test_figures_that_make_no_sense(tmp_path: Path, verb: str, given: dict[str, object]) -> None:
    with recollect.open(tmp_path / "m.db", embedder="fake") as memory, pytest.raises(UsageError):
        getattr(memory, verb)(**given)
