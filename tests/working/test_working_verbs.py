"""`mem.working`, as callers use it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import recollect
from recollect.errors import AccessDenied, UsageError
from recollect.memory import Memory
from recollect.model.working import MindState, Slot


def test_notes_slots_and_state(memory: Memory) -> None:
    noted = memory.working.note("the release is on Friday", session_id="s", user_id="ana")
    assert isinstance(noted, Slot)
    assert noted.to_dict()["source"] == "user"
    assert [slot.id for slot in memory.working.slots(session_id="s", user_id="ana")] == [noted.id]
    assert memory.working.slots(user_id="ana") == []
    state = memory.working.state(session_id="s", user_id="ana")
    assert isinstance(state, MindState)
    assert (state.slots, state.session_id) == (1, "s")
    assert state.to_dict()["restored"] == "empty"


def test_a_scoped_handle_stays_in_its_scope(memory: Memory) -> None:
    ana = memory.scoped(user_id="ana")
    ana.working.note("the release is on Friday")
    assert memory.working.slots() == []
    assert len(memory.working.slots(user_id="ana")) == 1
    with pytest.raises(AccessDenied, match="not granted"):
        ana.working.slots(user_id="ben")


def test_suspend_resume_and_clear(memory: Memory) -> None:
    assert not memory.working.suspend()
    memory.working.note("the release is on Friday")
    assert memory.working.suspend()
    assert memory.working.resume().restored == "full"
    memory.working.clear()
    assert memory.working.slots() == []


def test_the_owner_sees_every_mind_and_looking_takes_none_up(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "m.db", embedder="fake") as memory:
        memory.working.note("the release is on Friday", session_id="s", user_id="ana", agent_id="rex")
        memory.working.note("tabs, not spaces", session_id="t", user_id="ben")
        memory.working.suspend(session_id="t", user_id="ben")
        held, aside = memory.working.minds()
        assert (held.held, held.session_id, dict(held.scope.items())) == (
            True,
            "s",
            {"agent_id": "rex", "user_id": "ana"},
        )
        assert (aside.held, aside.session_id, [slot.text for slot in aside.slots]) == (False, "t", ["tabs, not spaces"])
        assert not memory.working.minds()[1].held, "it was only looked at"
        assert [each.session_id for each in memory.working.minds(user_id="ben")] == ["t"]
        assert [each.session_id for each in memory.working.minds(limit=1)] == ["s"]
        assert held.to_dict()["slots"][0]["text"] == "the release is on Friday"


def test_a_handle_sees_its_own_minds_only(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "m.db", embedder="fake") as memory:
        ana, ben = memory.scoped(user_id="ana"), memory.scoped(user_id="ben")
        ana.working.note("the release is on Friday", session_id="s")
        memory.working.note("seen by the owner", session_id="s", user_id="ana")
        assert ben.working.minds() == []
        assert ["the release is on Friday" in {slot.text for slot in each.slots} for each in ana.working.minds()] == [
            True
        ]
        ana.working.suspend(session_id="s")
        assert ben.working.minds() == []
        with pytest.raises(AccessDenied):
            ben.working.minds(user_id="ana")


@pytest.mark.parametrize("text", ["", "  ", None, 7, "half \ud800", "nul \x00"])
def test_what_is_no_text_is_refused(memory: Memory, text: object) -> None:
    with pytest.raises(UsageError):
        memory.working.note(text)  # type: ignore[arg-type]


def test_what_is_no_session_or_scope_is_refused(memory: Memory) -> None:
    with pytest.raises(UsageError):
        memory.working.slots(session_id="")
    with pytest.raises(TypeError, match=r"unknown argument 'colour'; it takes .*session_id.*user_id"):
        memory.working.slots(colour="blue")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"unknown argument 'user'; did you mean user_id\?"):
        memory.search("what is in mind?", user="ana")  # type: ignore[call-arg]


def test_the_same_awaited(tmp_path: Path) -> None:
    async def use() -> list[Slot]:
        async with recollect.AsyncMemory.open(tmp_path / "a.db", embedder="fake") as mem:
            await mem.working.note("the release is on Friday", session_id="s")
            assert await mem.working.suspend(session_id="s")
            return await mem.working.slots(session_id="s")

    assert [slot.text for slot in asyncio.run(use())] == ["the release is on Friday"]
