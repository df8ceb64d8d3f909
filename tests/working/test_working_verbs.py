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
