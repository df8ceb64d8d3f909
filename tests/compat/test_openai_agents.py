"""Sessions of OpenAI's Agents SDK: its runs, with its own scripted model, and its own session beside ours."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

os.environ.setdefault("OPENAI_AGENTS_DISABLE_TRACING", "1")  # before the SDK is imported: nothing is reported home
from agents import Agent, RunConfig, Runner, Session, SessionSettings, SQLiteSession, function_tool
from agents.testing import ScriptedModel, assistant_message, function_call
from hypothesis import given
from hypothesis import strategies as st

import recollect
from recollect.aio import AsyncMemory
from recollect.compat.openai_agents import RecollectSession
from recollect.errors import UsageError

USER: Any = {"role": "user", "content": "I live in Lisbon and I work as a nurse."}
ANSWER: Any = {
    "type": "message",
    "id": "m1",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "Noted.", "annotations": []}],
}
ITEMS: list[Any] = [
    USER,
    {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"},
    {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": '{"city": "Lisbon"}', "id": "f1"},
    {"type": "function_call_output", "call_id": "c1", "output": "sunny"},
    {"role": "user", "content": [{"type": "input_text", "text": "look"}, {"type": "input_image", "image_url": "x:"}]},
    {"type": "item_reference", "id": "r1"},
    {"role": "user", "content": ""},
    ANSWER,
]


@pytest.fixture
def session(memory: recollect.Memory) -> RecollectSession:
    return RecollectSession("s1", memory, user_id="ana")


@function_tool
def weather(city: str) -> str:
    """The weather in a city."""
    return f"sunny in {city}"


def script() -> ScriptedModel:
    return ScriptedModel(
        [
            [function_call("weather", {"city": "Lisbon"}, call_id="c1")],
            [assistant_message("It is sunny.")],
            [assistant_message("In Lisbon.")],
        ]
    )


async def talk(session: Session, model: ScriptedModel, **config: Any) -> list[Any]:
    """Two runs; the items of the session afterwards."""
    agent = Agent(name="guide", model=model, tools=[weather])
    for asked in ("I live in Lisbon, how is the weather?", "Where do I live?"):
        await Runner.run(agent, asked, session=session, run_config=RunConfig(**config))
    return await session.get_items()


def test_runs_are_the_same_as_with_the_sessions_of_the_sdk(session: RecollectSession) -> None:
    assert isinstance(session, Session)
    ours, theirs = script(), script()
    sqlite = SQLiteSession("s1")
    assert asyncio.run(talk(session, ours)) == asyncio.run(talk(sqlite, theirs))
    assert [call.input for call in ours.calls] == [call.input for call in theirs.calls]
    assert len(ours.calls) == 3
    sqlite.close()


def test_what_was_said_is_memory_like_any_other(session: RecollectSession, memory: recollect.Memory) -> None:
    asyncio.run(talk(session, script()))
    found = memory.search("where does she live?", user_id="ana")
    assert any("Lisbon" in hit.content for hit in found)
    turns = memory.get_all(user_id="ana", session_id="s1")
    assert [turn.role for turn in turns] == ["assistant", "user", "assistant", "tool", "assistant", "user"]
    assert list(memory.search("Lisbon", user_id="ben")) == []


def test_a_run_that_fails_can_be_tried_again(session: RecollectSession) -> None:
    async def run() -> list[Any]:
        agent = Agent(name="guide", model=ScriptedModel([]))
        with pytest.raises(Exception, match="script"):
            await Runner.run(agent, "hello", session=session)
        agent = Agent(name="guide", model=ScriptedModel([[assistant_message("Hi.")]]))
        await Runner.run(agent, "hello again", session=session)
        return await session.get_items()

    items = asyncio.run(run())
    assert (items[-2]["content"], items[-1]["role"]) == ("hello again", "assistant")


def test_items_come_back_to_the_letter_and_in_order(session: RecollectSession) -> None:
    async def run() -> None:
        assert await session.get_items() == []
        assert await session.pop_item() is None
        await session.add_items([])
        await session.add_items(ITEMS[:3])
        await session.add_items(ITEMS[3:])
        assert await session.get_items() == ITEMS
        assert await session.get_items(limit=3) == ITEMS[-3:]
        assert await session.get_items(limit=0) == []
        assert await session.get_items(limit=99) == ITEMS
        session.session_settings = SessionSettings(limit=2)
        assert await session.get_items() == ITEMS[-2:]
        assert await session.get_items(limit=1) == ITEMS[-1:]
        assert await session.pop_item() == ITEMS[-1]
        assert await session.get_items(limit=99) == ITEMS[:-1]
        with pytest.raises(UsageError, match="limit"):
            await session.get_items(limit=-1)

    asyncio.run(run())


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(codec="ascii")), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(items=st.lists(st.dictionaries(st.sampled_from(["role", "content", "type", "output", "x"]), _JSON), max_size=4))
def test_whatever_an_item_holds_it_comes_back(items: list[Any]) -> None:
    async def run() -> None:
        with recollect.open(":memory:", embedder="fake") as memory:
            session = RecollectSession("s", memory, user_id="ana")
            await session.add_items(items)
            assert await session.get_items() == items

    asyncio.run(run())


def test_long_items_are_spread_and_come_back_whole(session: RecollectSession, memory: recollect.Memory) -> None:
    long: list[Any] = [
        {"role": "user", "content": "Ana likes tea. " * 5_000},
        {"role": "user", "content": [{"type": "input_image", "image_url": "data:image/png;base64," + "é" * 300_000}]},
        {"type": "function_call_output", "call_id": "c1", "output": "line\n" * 30_000},
    ]

    async def run() -> None:
        await session.add_items([USER, *long, ANSWER])
        assert await session.get_items() == [USER, *long, ANSWER]
        assert await session.get_items(limit=2) == [long[2], ANSWER]
        assert await session.pop_item() == ANSWER
        assert await session.pop_item() == long[2]
        assert await session.get_items() == [USER, *long[:2]]

    asyncio.run(run())
    assert len(memory.get_all(user_id="ana", limit=1000)) > 20


def test_sessions_are_apart(memory: recollect.Memory) -> None:
    async def run() -> None:
        mine = RecollectSession("s1", memory, user_id="ana")
        others = [RecollectSession("s2", memory, user_id="ana")]
        others += [
            RecollectSession("s1", memory, **scope)
            for scope in ({"user_id": "ben"}, {}, {"user_id": "ana", "project": "atlas"})
        ]
        await mine.add_items([USER])
        for number, each in enumerate(others):
            assert await each.get_items() == []
            assert await each.pop_item() is None
            await each.add_items([{"role": "user", "content": f"number {number}"}])
            await each.clear_session()
        assert await mine.get_items() == [USER]
        again = RecollectSession("s1", AsyncMemory(memory).scoped(user_id="ana"))
        assert await again.get_items() == [USER]

    asyncio.run(run())


def test_what_is_cleared_is_forgotten_with_what_was_drawn_from_it(
    session: RecollectSession, memory: recollect.Memory
) -> None:
    memory.add("Ana likes tea", user_id="ana", kind="semantic", session_id="s1")
    asyncio.run(session.add_items([USER, ANSWER]))
    drawn = {"kinds": ["semantic"], "filters": {"content": {"contains": "Lisbon"}}, "user_id": "ana"}
    assert len(memory.get_all(**drawn)) == 1
    asyncio.run(session.clear_session())
    assert asyncio.run(session.get_items()) == []
    assert [record.content for record in memory.get_all(user_id="ana")] == ["Ana likes tea"]
    last = memory.operations(limit=1)[0]
    memory.undo(last.id)
    assert asyncio.run(session.get_items()) == [USER, ANSWER]
    assert len(memory.get_all(**drawn)) == 1
    asyncio.run(session.pop_item())
    asyncio.run(session.pop_item())
    assert len(memory.get_all(**drawn)) == 0


def test_changes_by_hand_are_honoured(session: RecollectSession, memory: recollect.Memory) -> None:
    asyncio.run(session.add_items([USER, *ITEMS[2:4], ANSWER]))
    held = {record.content: record.id for record in memory.get_all(user_id="ana", session_id="s1")}
    memory.update(held["sunny"], content="[removed]")
    memory.correct(held[USER["content"]], "I live in Porto.")
    items: list[Any] = asyncio.run(session.get_items())
    assert items[0] == {"role": "user", "content": "I live in Porto."}
    assert items[2] == {**ITEMS[3], "output": "[removed]"}
    assert items[3] == ANSWER
    memory.delete(held["Noted."])
    assert len(asyncio.run(session.get_items())) == 3


def test_a_context_that_comes_back_is_in_the_history_and_not_learned_again(memory: recollect.Memory) -> None:
    session = RecollectSession("s1", memory, user_id="ana")
    memory.add("Ana moved from vim to Helix", user_id="ana", kind="semantic")
    told = memory.context("Which editor?", user_id="ana").text
    items: list[Any] = [{"role": "user", "content": told}, {"role": "user", "content": f"{told}\n\nWhich editor now?"}]
    asyncio.run(session.add_items(items))
    assert asyncio.run(session.get_items()) == items
    assert [record.content for record in memory.get_all(user_id="ana", filters={"content": {"contains": "Helix"}})] == [
        "Ana moved from vim to Helix"
    ]


def test_nothing_drawn_where_nothing_shall_be(memory: recollect.Memory) -> None:
    session = RecollectSession("s1", memory, user_id="ana", infer=False)
    asyncio.run(session.add_items([USER]))
    assert [record.kind.value for record in memory.get_all(user_id="ana")] == ["episodic"]


def test_it_outlives_the_process_and_an_archive(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "m.db", embedder="fake") as memory:
        asyncio.run(RecollectSession("s1", memory, user_id="ana").add_items([USER, ANSWER]))
    with recollect.open(tmp_path / "m.db", embedder="fake") as memory:
        memory.update(memory.get_all(user_id="ana", session_id="s1")[0].id, tier="archive")
        assert asyncio.run(RecollectSession("s1", memory, user_id="ana").get_items()) == [USER, ANSWER]


def test_many_at_once(session: RecollectSession) -> None:
    async def run() -> None:
        await asyncio.gather(*(session.add_items([USER, ANSWER]) for _ in range(10)))
        assert await session.get_items() == [USER, ANSWER] * 10
        popped = await asyncio.gather(*(session.pop_item() for _ in range(5)))
        assert None not in popped
        assert len(await session.get_items()) == 15

    asyncio.run(run())


def test_what_makes_no_sense_is_refused_and_changes_nothing(
    session: RecollectSession, memory: recollect.Memory
) -> None:
    for wrong in (["text"], [{"role": "user", "content": object()}], [USER, 3]):
        with pytest.raises(UsageError):
            asyncio.run(session.add_items(wrong))  # type: ignore[arg-type]
    assert asyncio.run(session.get_items()) == []
    with pytest.raises(UsageError, match="session_id"):
        RecollectSession("", memory)
    with pytest.raises(UsageError, match="needs an open memory"):
        RecollectSession("s1", "memory.db")  # type: ignore[arg-type]
