"""One turn from prompt to memory, whoever runs it."""

from __future__ import annotations

import pytest

import recollect
from recollect import AsyncMemory, Memory
from recollect.context.callers import CALLERS
from recollect.errors import UsageError
from recollect.model.working import SlotSource


def test_a_turn_recalls_and_remembers(memory: Memory) -> None:
    memory.add("Ana uses Helix", user_id="ana")
    with memory.turn("Which editor does Ana use?", user_id="ana", session_id="s1") as turn:
        assert "Helix" in turn.window.system
        assert turn.messages == turn.window.to_openai()
        cited = turn.answer(f"She uses Helix #{turn.window.hits[0].id[:8]}, since May.")
        assert cited.ids == (turn.window.hits[0].id,)
    assert turn.receipt is not None
    kept = memory.get_all(filters={"session_id": {"eq": "s1"}}, kinds=["episodic"], user_id="ana")
    assert {record.role for record in kept} == {"user", "assistant"}
    assert turn.receipt.operation is not None
    memory.undo(turn.receipt.operation)
    assert not memory.get_all(filters={"session_id": {"eq": "s1"}}, user_id="ana").records


def test_a_turn_that_fails_leaves_nothing_and_can_be_tried_again(memory: Memory) -> None:
    turn = memory.turn("Remember that Ana sails", session_id="s1")
    with pytest.raises(RuntimeError, match="no answer"), turn:
        raise RuntimeError("no answer")
    assert turn.receipt is None
    assert memory.stats()["records"] == 0
    with memory.turn("Remember that Ana sails", session_id="s1") as again:
        again.answer("I will.")
    assert again.receipt is not None


def test_a_turn_without_an_answer_keeps_the_prompt(memory: Memory) -> None:
    with memory.turn("Ana moved to Lima") as turn:
        pass
    assert turn.receipt is not None
    assert [record.content for record in turn.receipt.records][:1] == ["Ana moved to Lima"]


def test_a_turn_is_used_once_and_inside_a_block(memory: Memory) -> None:
    turn = memory.turn("hello there")
    with pytest.raises(UsageError, match="with"):
        turn.messages  # noqa: B018
    with turn:
        pass
    with pytest.raises(UsageError, match="once"), turn:
        pass


@pytest.mark.parametrize("caller", CALLERS)
def test_every_caller_goes_the_same_way(memory: Memory, caller: str) -> None:
    memory.add("The nightly report of Atlas goes to Ben", agent_id="rex")
    prompt = "Send the nightly report of Atlas"
    with memory.turn(prompt, caller=caller, name="nightly", agent_id="rex", flow="Step 1 done") as turn:
        assert "goes to Ben" in turn.window.system
        turn.tool("send_mail", {"to": "ben", "sent": True})
        turn.answer("Sent to Ben.")
    assert turn.receipt is not None
    records = turn.receipt.records
    asks = {"chat": "user", "flow": "tool"}.get(caller, "agent")  # of a flow's node only what it gave out is kept
    assert records[0].role == asks
    told = next(record for record in records if record.role == "tool")
    assert "ben" in told.content
    assert told.attributes["outcome"] == "success"
    assert told.importance == pytest.approx(0.5 if caller == "chat" else 0.4)
    results = [record for record in records if record.category == "task_result"]
    assert bool(results) == CALLERS[caller].is_task
    if caller != "chat":
        assert turn.session_id is not None
        assert turn.session_id.startswith(f"{CALLERS[caller].session}:nightly")


def test_an_unknown_caller_is_told_the_known_ones(memory: Memory) -> None:
    with pytest.raises(UsageError, match="chat, task, cron, round, delegation, flow, webhook"):
        memory.turn("hello", caller="daemon")


@pytest.mark.parametrize("reply", [{"role": "user", "content": "me"}, 7, [{"role": "user", "content": "x"}]])
def test_an_answer_is_the_machines(memory: Memory, reply: object) -> None:
    with pytest.raises(UsageError), memory.turn("hello there") as turn:
        turn.answer(reply)
    assert memory.stats()["records"] == 0


def test_the_message_of_a_client_is_an_answer(memory: Memory) -> None:
    with memory.turn("Run the tests", session_id="s1") as turn:
        call = {"id": "c1", "type": "function", "function": {"name": "pytest", "arguments": '{"args": "-q"}'}}
        turn.answer({"role": "assistant", "content": None, "tool_calls": [call]})
        turn.tool("pytest", "3 failed, 120 passed", failed=True)
        turn.answer({"role": "assistant", "content": [{"type": "text", "text": "Three tests fail."}]})
    assert turn.receipt is not None
    said = [record.content for record in turn.receipt.records]
    assert any("pytest" in each for each in said)
    assert "Three tests fail." in said


def test_it_finds_what_the_talk_is_about() -> None:
    with recollect.open(":memory:") as memory:
        for project in ("Atlas", "Borea"):
            for note in range(10):
                memory.add(f"{project} has a service for task {note} that listens on port {8000 + note}", user_id="ana")
        memory.add("Atlas is deployed with make ship from the release branch", user_id="ana")
        memory.add("Borea is deployed with Helm on Tuesdays", user_id="ana")
        with memory.turn("Let us work on Atlas now, its service for task 3", user_id="ana", session_id="s1") as turn:
            turn.answer("Atlas listens on port 8003 for task 3.")
        window = memory.context("ok, now deploy it", user_id="ana", session_id="s1", max_tokens=220)
        assert "make ship" in window.system
        ways = [hit.content for hit in window.hits if "deployed" in hit.content]
        assert ways[0] == "Atlas is deployed with make ship from the release branch"


def test_what_was_prepared_is_used_unless_it_changed() -> None:
    with recollect.open(":memory:") as memory:
        wrong = memory.add("Atlas is deployed with make ship", infer=False, user_id="ana").id
        with memory.turn("How is Atlas deployed?", user_id="ana", session_id="s1") as turn:
            turn.answer("With make ship.")
        memory.settle()
        memory.correct(wrong, "Atlas is deployed with make release", user_id="ana")
        window = memory.context("ok, do it", user_id="ana", session_id="s1", mode="standard")
        said = window.part("recalled")
        assert said is None or "#" + wrong[:8] not in said.text


async def _async_turn(path: object) -> list[str]:
    async with AsyncMemory.open(path, embedder="fake") as memory:
        await memory.add("Ana uses Helix", user_id="ana")
        async with memory.turn("Which editor does Ana use?", user_id="ana", session_id="s1") as turn:
            assert "Helix" in turn.window.system
            turn.answer("Helix.")
        assert turn.receipt is not None
        with pytest.raises(RuntimeError):
            async with memory.scoped(user_id="ana").turn("And Ben?") as failed:
                raise RuntimeError
        assert failed.receipt is None
        return [record.content for record in turn.receipt.records]


def test_the_same_awaited(tmp_path: object) -> None:
    import asyncio

    assert asyncio.run(_async_turn(":memory:"))[:1] == ["Which editor does Ana use?"]


def test_open_questions_are_put_once(memory: Memory) -> None:
    memory.add("Ana lives in Lima", user_id="ana")
    memory.maintain()
    first = memory.context("Tell me about Ana", user_id="ana", session_id="s1")
    again = memory.context("Tell me about Ana", user_id="ana", session_id="s1")
    assert {question.id for question in first.questions}.isdisjoint(question.id for question in again.questions)
    for question in first.questions:
        assert question.text in first.system


def test_what_is_worth_asking_stays_in_mind_until_it_is_asked(memory: Memory) -> None:
    ana = memory.scoped(user_id="ana")
    first, second = (ana.add(text, kind="semantic").id for text in ("Ana uses vim", "Ana uses Helix"))
    ana.relate(first, second, "contradicts")
    memory.maintain()
    (question,) = ana.context("Tell me about Ana and vim", session_id="s1").questions
    (slot,) = [slot for slot in ana.working.slots(session_id="s1") if slot.source is SlotSource.QUESTION]
    assert slot.text == question.text
    again = ana.context("And what else does Ana use?", session_id="s1")
    assert again.questions == ()
    assert f"Worth asking: {question.text}" in again.system
    with ana.turn("Go on about Ana, please", session_id="s1") as turn:
        turn.answer(f"First: {question.text}")
    assert [slot for slot in ana.working.slots(session_id="s1") if slot.source is SlotSource.QUESTION] == []


def test_a_question_leaves_the_mind_with_its_records(memory: Memory) -> None:
    ana = memory.scoped(user_id="ana")
    first, second = (ana.add(text, kind="semantic").id for text in ("Ana uses vim", "Ana uses Helix"))
    ana.relate(first, second, "contradicts")
    memory.maintain()
    assert ana.context("Tell me about Ana and vim", session_id="s1").questions
    ana.delete(second)
    assert all("Helix" not in slot.text for slot in ana.working.slots(session_id="s1"))


def test_a_pattern_that_fits_the_prompt_comes_to_mind() -> None:
    with recollect.open(":memory:", embedder="fake", config={"working.start_records": 0}) as memory:
        pattern = memory.add("Ana likes to drink green tea in the morning", kind="schema").id
        memory.add("Stand-up of Atlas: Mondays at 9:30", kind="schema")
        memory.context("What should Ana drink tonight?", session_id="s1")
        (slot,) = memory.working.slots(session_id="s1")
        assert (slot.source, slot.record_id) == (SlotSource.SCHEMA, pattern)


def test_what_an_agent_found_important_is_told_from_what_it_was_asked_to_bear_in_mind(memory: Memory) -> None:
    noted = memory.working.note("The release is on Friday", session_id="s1")
    found = memory.working.note("The tests need a clean database", session_id="s1", inferred=True)
    assert (noted.source, found.source) == (SlotSource.USER, SlotSource.INFERENCE)
    assert found.activation < noted.activation


def test_an_answer_that_only_repeats_what_was_shown_is_not_kept_again(memory: Memory) -> None:
    memory.add("Ana keeps the spare key under the third pot", user_id="ana")
    with memory.turn("Where is the spare key?", user_id="ana", session_id="s1") as turn:
        turn.answer("Ana keeps the spare key under the third pot")
    assert turn.receipt is not None
    assert [each.reason for each in turn.receipt.skipped] == ["echo of recalled memory"]
    assert [record.content for record in turn.receipt.records] == ["Where is the spare key?"]
