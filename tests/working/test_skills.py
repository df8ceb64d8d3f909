"""Skills: told or learnt, found by task, counted; and tools, found by need."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from ticking import Ticking

import recollect
from recollect.errors import NotFound, UsageError
from recollect.memory import Memory

REX = {"agent_id": "rex", "project": "shop"}
STEPS = ["run the tests", "tag the commit", "make ship"]


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def mem(tmp_path: Path, clock: Ticking) -> Iterator[Memory]:
    with recollect.open(tmp_path / "m.db", embedder="wordllama", clock=clock, background=False) as memory:
        yield memory


def test_a_skill_is_told_found_by_task_and_counted(mem: Memory) -> None:
    mem.skills.teach("release", STEPS, task="release the Atlas web shop", tools=["git"], **REX)
    mem.skills.teach("backup", ["stop the server", "copy the file"], task="back up the database", **REX)
    (found, *_) = mem.skills.find("How do I release the shop?", **REX)
    assert (found.name, found.steps, found.tools, found.success_ratio) == ("release", tuple(STEPS), ("git",), None)
    mem.skills.done("release", success=True, **REX)
    mem.skills.done(found.id, success=True, **REX)
    done = mem.skills.done("release", success=False, failed_at="make ship", **REX)
    assert (done.successes, done.failures, done.last) == (2, 1, "failed at make ship")
    assert done.success_ratio == pytest.approx(2 / 3)
    mem.undo(mem.operations(limit=1)[0].id)
    again = mem.skills.find("release the shop", **REX)[0]
    assert (again.successes, again.failures, again.last) == (2, 0, "success")
    assert "Steps: 1. run the tests" in mem.context("How do I release the Atlas shop?", **REX).text


def test_what_works_comes_before_what_fails(mem: Memory) -> None:
    for way in ("slow", "quick"):
        mem.skills.teach(f"deploy {way}", [f"deploy the {way} way", "look at the page"], task="deploy Atlas", **REX)
    for _ in range(5):
        mem.skills.done("deploy slow", success=True, **REX)
        mem.skills.done("deploy quick", success=False, **REX)
    assert [skill.name for skill in mem.skills.find("deploy Atlas", **REX)] == ["deploy slow", "deploy quick"]


def test_told_again_it_is_the_next_version_and_keeps_its_counts(mem: Memory) -> None:
    first = mem.skills.teach("release", STEPS, task="release Atlas", **REX).id
    mem.skills.done("release", success=True, **REX)
    mem.skills.teach("release", [*STEPS, "tell Ben"], **REX)
    (skill,) = mem.skills.find("release Atlas", **REX)
    assert (skill.id, skill.steps[-1], skill.task, skill.successes) == (first, "tell Ben", "release Atlas", 1)


def test_after_a_flow_a_procedure_is_left(mem: Memory) -> None:
    nodes = ["find the cause", "choose a cure", "write the answer"]
    for number in range(4):
        failed = number == 3
        mem.skills.done(
            "flow:tickets", success=not failed, failed_at="choose a cure" if failed else None, steps=nodes, **REX
        )
    (skill,) = mem.skills.find("flow tickets", **REX)
    assert (skill.name, skill.steps, skill.learnt) == ("flow:tickets", tuple(nodes), True)
    assert (skill.success_ratio, skill.last) == (0.75, "failed at choose a cure")
    turn = mem.turn("find the cause of the printer jam", caller="flow", name="tickets", node="find the cause", **REX)
    with turn:
        assert "flow:tickets. Steps: 1. find the cause" in turn.window.text


def test_what_upkeep_learns_is_found_too(mem: Memory, clock: Ticking) -> None:
    for number in range(3):
        for tool in ("pytest", "git_tag", "make_ship"):
            call = {"id": tool, "function": {"name": tool, "arguments": "{}"}}
            said = [
                {"role": "assistant", "content": "", "tool_calls": [call]},
                {"role": "tool", "name": tool, "tool_call_id": tool, "content": "ok, passed"},
            ]
            mem.add(said, session_id=f"s{number}", **REX)
        clock.skip(0.1)
    mem.maintain()
    learnt = [skill for skill in mem.skills.find("pytest git_tag make_ship", **REX) if skill.learnt]
    assert learnt
    assert learnt[0].successes + learnt[0].failures >= 0


def test_skills_are_an_agents_own(mem: Memory) -> None:
    mem.skills.teach("release", STEPS, task="release Atlas", **REX)
    assert mem.skills.find("release Atlas", agent_id="bo", project="shop") == []
    with pytest.raises(NotFound):
        mem.skills.done("release", success=True, agent_id="bo", project="shop")


@pytest.mark.parametrize("steps", ["run", [], [""], [3], None])
def test_steps_are_a_list_of_texts(mem: Memory, steps: object) -> None:
    with pytest.raises(UsageError):
        mem.skills.teach("release", steps, **REX)  # type: ignore[arg-type]
    assert mem.stats()["records"] == 0


def described(name: str, text: str) -> dict[str, object]:
    parameters = {"type": "object", "properties": {"to": {"type": "string"}}}
    return {"type": "function", "function": {"name": name, "description": text, "parameters": parameters}}


def test_tools_are_found_by_need_and_stay_at_hand_for_a_while(mem: Memory, clock: Ticking) -> None:
    mem.tools.keep(
        [
            described("send_mail", "Send an e-mail to somebody"),
            {"name": "take_photo", "description": "Take a picture with the camera", "input_schema": {"properties": {}}},
            described("book_room", "Book a meeting room in the calendar"),
        ],
        **REX,
    )
    (mail,) = mem.tools.find("write an e-mail to Ben", limit=1, session_id="s1", **REX)
    assert (mail.name, list(mail.parameters["properties"])) == ("send_mail", ["to"])
    found = mem.tools.find("take a picture of the camera", limit=1, session_id="s1", **REX)
    assert [tool.name for tool in found] == ["take_photo", "send_mail"], "what was found before stays at hand"
    assert len(mem.tools.find("a picture", limit=1, session_id="s2", **REX)) == 1
    assert mem.tools.find("a picture", limit=1, session_id="s1", agent_id="bo", project="shop") == []
    clock.skip(6 / 24 / 60)
    assert [tool.name for tool in mem.tools.find("book a meeting room", limit=1, session_id="s1", **REX)] == [
        "book_room"
    ]
    mem.tools.keep([described("send_mail", "Send a letter by pigeon")], **REX)
    told = [tool.description for tool in mem.tools.find("a letter by pigeon", **REX) if tool.name == "send_mail"]
    assert told == ["Send a letter by pigeon"]


@pytest.mark.parametrize("tools", [[], "x", [3], [{"description": "nameless"}], [{"name": "x", "parameters": 3}]])
def test_tools_are_described(mem: Memory, tools: object) -> None:
    with pytest.raises(UsageError):
        mem.tools.keep(tools, **REX)  # type: ignore[arg-type]
