"""`observe`: what is taken in and what is refused, once each, in its own project, for no longer than is kept."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sessions import ClaudeCode, hook, repository
from ticking import Ticking

import recollect
from recollect.clock import DAY_US, from_us
from recollect.errors import UsageError
from recollect.facade.handle import engine_of
from recollect.memory import Memory
from recollect.observe import transcripts
from recollect.wiring import open_memory


@pytest.fixture
def mem() -> Iterator[Memory]:
    with open_memory(":memory:", embedder="fake", clock=Ticking()) as memory:
        yield memory


def event(number: int = 1, **fields: Any) -> dict[str, Any]:
    usual = {"id": f"t{number}", "session_id": "s1", "type": "tool", "tool": "Read", "input": {"path": "src/a.py"}}
    return {**usual, **fields}


def stored(memory: Memory) -> list[Any]:
    with engine_of(memory).store.read() as tx:
        return [each for row in tx.observed.sessions(None, limit=100) for each in tx.observed.events(row.pk)]


def test_an_event_is_taken_in_and_known_when_it_comes_again(mem: Memory) -> None:
    first = mem.observe([event(1), event(2)], project="atlas")
    assert (first.taken, first.known, first.refused, first.sessions) == (2, 0, (), ("s1",))
    again = mem.observe([event(2), event(3)], project="atlas")
    assert (again.taken, again.known) == (1, 1)
    assert [each.steps for each in mem.observed()] == [3]


def test_an_event_without_an_id_is_known_by_what_it_says(mem: Memory) -> None:
    now = mem._engine.clock()
    same, other = (event(id=None, at=from_us(now - seconds * 1_000_000)) for seconds in (5, 4))
    assert mem.observe([same, same, other]).taken == 2
    assert mem.observe([other, same]).known == 2


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (7, "no object"),
        ({}, "unknown type"),
        (event(type="lunch"), "unknown type"),
        (event(session_id=None), "no session_id"),
        (event(session_id="x" * 300), "no session_id"),
        (event(tool=None), "no tool"),
        (event(tool=5), "tool is no name"),
        (event(id=["x"]), "id is no name"),
        (event(at="soon enough"), "at is no time"),
        (event(at=float("nan")), "at is no time"),
        (event(at=True), "at is no time"),
        (event(output="x" * (1 << 20)), "over 1 MiB"),
        (event(at=1), "older than 90 days (observe.log_days)"),
        (event(project="a\x00b"), "project is no name"),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_reason_and_the_rest_is_taken_in(
    mem: Memory, wrong: Any, reason: str
) -> None:
    done = mem.observe([event(1), wrong, event(2)])
    assert done.taken == 2
    assert [(each.index, each.reason) for each in done.refused] == [(1, reason)]


@pytest.mark.parametrize("wrong", ["text", 7, None, b"bytes"])
def test_observe_takes_events_and_nothing_else(mem: Memory, wrong: Any) -> None:
    with pytest.raises(UsageError):
        mem.observe(wrong)


def test_events_in_any_order_give_the_same_signals(mem: Memory) -> None:
    now = mem._engine.clock()
    events = [event(n, at=from_us(now - (50 - n) * 1_000_000), input={"path": f"{n % 3}.py"}) for n in range(1, 30)]
    shuffled = [{**each, "session_id": "s2"} for each in events]
    random.Random(3).shuffle(shuffled)
    mem.observe(events)
    mem.observe(shuffled)
    one, other = mem.observed()
    assert one.signals == other.signals
    assert one.steps == other.steps == 29


def test_a_clock_that_is_ahead_is_not_believed(mem: Memory) -> None:
    mem.observe(event(at=from_us(mem._engine.clock()) + timedelta(days=400)))
    assert stored(mem)[0].at <= mem._engine.clock()


def test_sub_agents_belong_to_the_session_of_their_parent(mem: Memory) -> None:
    mem.observe([event(1), event(2, session_id="child", parent="s1"), event(3, agent_id="scout")])
    (session,) = mem.observed()
    assert (session.id, session.steps) == ("s1", 3)
    assert [each.agent for each in stored(mem)] == [None, "child", "scout"]


def test_two_clients_with_one_id_are_two_sessions(mem: Memory) -> None:
    mem.observe(event(1), client="codex")
    mem.observe(event(1), client="gemini")
    assert sorted(each.client for each in mem.observed()) == ["codex", "gemini"]


def test_secrets_in_errors_are_taken_out(mem: Memory) -> None:
    key = "sk-ant-api03-" + "a1B2c3D4" * 12
    mem.observe(event(type="tool_failed", error=f"error: the key {key} was refused"))
    assert key not in json.dumps(stored(mem), default=str)
    assert "was refused" in str(stored(mem)[0].error)


def test_a_handle_observes_in_its_own_scope_and_nowhere_else(mem: Memory) -> None:
    ana = mem.scoped(user_id="ana", project="atlas")
    assert ana.observe([event(1, cwd="/src/other"), event(2)]).projects == ("atlas",)
    refused = ana.observe(event(3, project="bank")).refused
    assert [each.reason for each in refused] == ["its project is not granted"]
    assert [each.project for each in ana.observed()] == ["atlas"]
    assert mem.scoped(user_id="ben", project="atlas").observed() == []
    bound = mem.scoped(user_id="cleo").observe(event(4, cwd="/src/other"))
    assert [each.reason for each in bound.refused] == ["its project is not granted"]
    roaming = mem.scoped(user_id="cleo", may_add={"project": "*"})
    assert roaming.observe(event(5, cwd="/src/other")).projects == ("other",)


def test_what_agents_did_goes_with_its_project_its_session_and_its_user(mem: Memory) -> None:
    for project, session in (("atlas", "s1"), ("atlas", "s2"), ("bank", "s3")):
        mem.observe(event(1, session_id=session), project=project, user_id="ana")
    mem.observe(event(2, session_id="s4"), user_id="ben")
    mem.delete_all(project="atlas", session_id="s1", hard=True)
    assert sorted(each.id for each in mem.observed()) == ["s2", "s3", "s4"]
    mem.delete_all(project="atlas")  # softly: the log is none of its business
    assert "s2" in [each.id for each in mem.observed()]
    mem.delete_all(project="atlas", hard=True)
    assert sorted(each.id for each in mem.observed()) == ["s3", "s4"]
    mem.erase_user("ana")
    assert [each.id for each in mem.observed()] == ["s4"]


def test_the_log_keeps_to_its_number_and_its_age() -> None:
    clock = Ticking()
    config = {"observe.log_rows": 100, "observe.log_days": 10.0}
    with open_memory(":memory:", embedder="fake", clock=clock, config=config) as memory:
        memory.observe([event(number) for number in range(150)])
        assert len(stored(memory)) == 100
        memory.observe([event(number, session_id="s2") for number in range(5)])
        clock.skip(8)
        memory.observe([event(number, session_id="s3") for number in range(5)])
        clock.skip(5)
        memory.maintain()
        assert {each.id for each in memory.observed()} == {"s3"}


def test_watching_can_be_switched_off() -> None:
    with open_memory(":memory:", embedder="fake", config={"observe.enabled": False}) as memory:
        done = memory.observe([event(1), event(2)])
        assert {each.reason for each in done.refused} == {"observe.enabled is off"}
        assert memory.observed() == []


def test_a_sequence_counts_from_as_many_sessions_as_is_set(mem: Memory) -> None:
    for session in ("s1", "s2"):
        calls = (("Read", {"path": "a"}), ("Edit", {"path": "a"}), ("Bash", {"command": "make"}))
        mem.observe([event(n, session_id=session, tool=tool, input=given) for n, (tool, given) in enumerate(calls)])
    shown = [each.subject for each in mem.observed()[0].signals if each.kind == "sequence"]
    assert shown == ["read edit run"]
    engine_of(mem).config.change({"observe.sequence_sessions": 3})
    assert [each for each in mem.observed()[0].signals if each.kind == "sequence"] == []


def test_plans_are_kept_as_figures(mem: Memory) -> None:
    todos = [{"content": "secret plan", "status": state} for state in ("completed", "completed", "pending")]
    mem.observe(event(tool="TodoWrite", input={"todos": todos}))
    (kept,) = stored(mem)
    assert (kept.type, kept.detail) == ("plan", {"figures": {"completed": 2, "pending": 1}})


# --- transcripts -----------------------------------------------------------------------------------------------------


def claude_lines(folder: Path, session: str = "s1") -> list[dict[str, Any]]:
    """A transcript of the session that `ClaudeCode` tells by hooks: a prompt, a read, a failure."""
    common = {"sessionId": session, "cwd": str(folder), "timestamp": "2026-11-18T10:00:00.000Z", "isSidechain": False}
    common["timestamp"] = recollect_now()

    def said(role: str, content: Any, **more: Any) -> dict[str, Any]:
        return {**common, "type": role, "message": {"role": role, "content": content}, **more}

    def called(number: int, name: str, given: Any) -> dict[str, Any]:
        return said("assistant", [{"type": "tool_use", "id": f"toolu_{number:03}", "name": name, "input": given}])

    def answered(number: int, text: str, **more: Any) -> dict[str, Any]:
        block = {"type": "tool_result", "tool_use_id": f"toolu_{number:03}", "content": text, **more}
        return said("user", [block], promptId="p1")

    return [
        {"type": "queue-operation", "sessionId": session, "operation": "enqueue"},
        said("user", "change it", promptId="p1"),
        called(1, "Read", {"file_path": str(folder / "a.py")}),
        answered(1, "x = 1"),
        called(2, "Bash", {"command": "pytest"}),
        answered(2, "Exit code 1\nKeyError: 'a'", is_error=True),
        called(3, "Nothing", {}),
        answered(3, "<tool_use_error>Error: No such tool available: Nothing</tool_use_error>", is_error=True),
        {**common, "type": "system", "subtype": "compact_boundary", "uuid": "u9"},
        said("assistant", [{"type": "text", "text": "All done."}]),
    ]


def recollect_now() -> str:
    from recollect.clock import now_us

    return from_us(now_us() - DAY_US // 24).isoformat()


def written(lines: list[dict[str, Any]], path: Path, *, cut: bytes = b"") -> Path:
    path.write_bytes(b"\n".join(json.dumps(line).encode() for line in lines) + b"\n" + cut)
    return path


def test_a_transcript_is_taken_in_and_changes_nothing_after_its_hooks(tmp_path: Path) -> None:
    shop, store = repository(tmp_path / "shop", a__py="x = 1\n"), tmp_path / "m.db"
    agent = ClaudeCode(shop)
    payloads = [agent.start(), agent.prompt("change it"), agent.read("a.py")]
    payloads += [agent.failed("Bash", "Exit code 1\nKeyError: 'a'", command="pytest"), agent.compact(), agent.stop()]
    for payload in payloads:
        hook(payload, store)
    found = transcripts.read_file(written(claude_lines(shop), tmp_path / "t.jsonl"))
    with recollect.open(store, embedder="fake", background=False) as memory:
        before = stored(memory)
        done = memory.observe(found.events, client=found.client, origin="transcript")
        assert (done.taken, done.known, done.refused) == (0, len(found.events), ())
        assert stored(memory) == before
    with recollect.open(tmp_path / "alone.db", embedder="fake", background=False) as memory:
        done = memory.observe(found.events, client=found.client, origin="transcript")
        assert (done.taken, done.projects) == (4, ("shop",))
        assert [each.type for each in stored(memory)] == ["prompt", "tool", "tool_failed", "compact"]


def test_a_transcript_that_is_cut_or_holds_junk_gives_what_is_whole(tmp_path: Path) -> None:
    path = written(claude_lines(tmp_path), tmp_path / "t.jsonl", cut=b'{"sessionId": "s1", "type": "us\nnonsense\n')
    found = transcripts.read_file(path)
    assert (found.cut, len(found.events)) == (2, 4)


def test_codex_writes_sessions_of_its_own_form(tmp_path: Path) -> None:
    at = recollect_now()
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-one line\n+two lines\n*** End Patch"
    lines = [
        {"timestamp": at, "type": "session_meta", "payload": {"id": "c1", "cwd": str(tmp_path)}},
        {"timestamp": at, "type": "event_msg", "payload": {"type": "user_message", "message": "go"}},
        {
            "timestamp": at,
            "type": "response_item",
            "payload": {
                "type": "function_call",
                "name": "shell",
                "call_id": "c",
                "arguments": '{"command": ["bash", "-lc", "cat a.py"]}',
            },
        },
        {
            "timestamp": at,
            "type": "response_item",
            "payload": {
                "type": "function_call_output",
                "call_id": "c",
                "output": '{"output": "x", "metadata": {"exit_code": 0}}',
            },
        },
        {
            "timestamp": at,
            "type": "response_item",
            "payload": {"type": "custom_tool_call", "name": "apply_patch", "call_id": "d", "input": patch},
        },
        {
            "timestamp": at,
            "type": "response_item",
            "payload": {
                "type": "custom_tool_call_output",
                "call_id": "d",
                "output": "Exit code: 1\nerror: no such file",
            },
        },
    ]
    found = transcripts.read_file(written(lines, tmp_path / "rollout.jsonl"))
    assert (found.client, [each["type"] for each in found.events]) == ("codex", ["prompt", "tool", "tool_failed"])
    with open_memory(":memory:", embedder="fake") as memory:
        assert memory.observe(found.events, origin="transcript").taken == 3
        assert [[file.path for file in each.files] for each in stored(memory)] == [[], ["a.py"], ["a.py"]]


OPENAI = [
    {"role": "user", "content": "look"},
    {
        "role": "assistant",
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "read_file", "arguments": '{"path": "src/a.py"}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "x = 1"},
]
ANTHROPIC = [
    {"role": "user", "content": "look"},
    {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "c1", "name": "read_file", "input": {"path": "src/a.py"}}],
    },
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "x = 1"}]},
]


@pytest.mark.parametrize("messages", [OPENAI, ANTHROPIC], ids=["openai", "anthropic"])
@pytest.mark.parametrize("form", ["lines", "list", "object"])
def test_messages_of_both_apis_are_events(tmp_path: Path, messages: list[dict[str, Any]], form: str) -> None:
    path = tmp_path / "talk.json"
    if form == "lines":
        written(messages, path)
    else:
        value = messages if form == "list" else {"model": "m", "messages": messages}
        path.write_text(json.dumps(value, indent=1), encoding="utf-8")
    found = transcripts.read_file(path)
    assert [(each["type"], each["session_id"]) for each in found.events] == [("prompt", "talk"), ("tool", "talk")]
    with open_memory(":memory:", embedder="fake") as memory:
        assert memory.observe(found.events, origin="transcript").taken == 2
        assert memory.observe(found.events, origin="transcript").known == 2
        assert [file.path for each in stored(memory) for file in each.files] == ["src/a.py"]


@pytest.mark.parametrize("text", ["", "nothing here", "[]", '{"a": 1}', "\x00"])
def test_a_file_without_events_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match="no event is in it"):
        transcripts.read_file(path)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read"):
        transcripts.read_file(tmp_path / "nowhere")
