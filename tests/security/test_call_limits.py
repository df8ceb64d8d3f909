"""How often a caller may search and write: by token, connection and handle, whatever a call says about itself."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pytest
from interfaces.rest_server import bearer, client, token

import recollect
from recollect.config import load_config
from recollect.errors import RateLimited, RecollectError
from recollect.interfaces.cli.entry import main
from recollect.interfaces.mcp.binding import binding, narrowed
from recollect.limits import QUERY_CHARS_MAX
from recollect.memory import Memory
from recollect.security.quota import CallLimits
from recollect.verbs.toolsets.run import run as run_tool

FEW: dict[str, Any] = {
    "security.limit_searches": True,
    "security.searches_per_minute": 3,
    "security.limit_writes": True,
    "security.writes_per_minute": 3,
    "upkeep.scheduled": False,
}


def opened(**config: Any) -> Memory:
    return recollect.open(":memory:", embedder="fake", config={"upkeep.scheduled": False, **config})


def limited(call: Any) -> bool:
    refusal: RateLimited | None = None
    try:
        call()
    except RateLimited as error:
        refusal = error
    if refusal is None:
        return False
    assert (refusal.code, refusal.retryable) == ("E2003", True)
    assert 1 <= refusal.retry_after <= 60
    assert refusal.to_dict()["retry_after"] == refusal.retry_after
    return True


def test_a_handle_searches_and_writes_so_often_and_the_owner_as_often_as_he_likes() -> None:
    with opened(**FEW) as mem:
        ana = mem.scoped(user_id="ana")
        assert [limited(lambda: ana.search("tea")) for _ in range(5)] == [False] * 3 + [True] * 2
        assert [limited(lambda: ana.add("tea")) for _ in range(5)] == [False] * 3 + [True] * 2
        assert not any(limited(lambda: mem.search("tea")) for _ in range(5))
        assert not any(limited(lambda number=number: mem.add(f"tea {number}")) for number in range(5))  # type: ignore[misc]
        assert mem.get_all(user_id="ana").records, "listing is neither"


@pytest.mark.parametrize(
    "search",
    [
        lambda m: m.search("tea"),
        lambda m: m.context("tea", max_tokens=500),
        lambda m: m.reason("what of tea?"),
        lambda m: m.timeline("tea"),
        lambda m: m.assess("tea"),
        lambda m: m.contradictions("tea"),
    ],
)
def test_every_verb_that_looks_for_something_is_a_search(search: Any) -> None:
    with opened(**{**FEW, "security.searches_per_minute": 1}) as mem:
        ana = mem.scoped(user_id="ana")
        ana.search("tea")
        assert limited(lambda: search(ana))


def test_the_same_caller_by_another_handle_is_the_same_caller() -> None:
    with opened(**FEW) as mem:
        for _ in range(3):
            mem.scoped(user_id="ana").search("tea")
        assert limited(lambda: mem.scoped(user_id="ana").search("tea"))
        assert not limited(lambda: mem.scoped(user_id="ben").search("tea"))


def test_a_name_that_a_call_brings_along_begins_no_new_count() -> None:
    with opened(**FEW) as mem:
        rex = mem.scoped(agent_id="rex", may_add={"project": "*", "user_id": "*"})
        asked = [
            limited(lambda n=n: rex.search("tea", session_id=f"s{n}", project=f"p{n}", user_id=f"u{n}"))  # type: ignore[misc]
            for n in range(5)
        ]
        assert asked == [False] * 3 + [True] * 2
        assert limited(lambda: rex.scoped(project="other", actor="somebody else").search("tea"))


def test_tools_are_counted_with_the_memory_they_are_bound_to() -> None:
    with opened(**FEW) as mem:
        calls = [
            limited(lambda: run_tool("search_memories", {"query": "tea"}, {"user_id": "ana"}, memory=mem))
            for _ in range(5)
        ]
        assert calls == [False] * 3 + [True] * 2


def test_limits_are_off_unless_they_are_asked_for() -> None:
    with opened() as mem:
        ana = mem.scoped(user_id="ana")
        assert not any(limited(lambda: ana.search("tea")) for _ in range(30))


def test_writes_have_sessions_too() -> None:
    now = 0.0
    config = load_config({"security.limit_writes": True, "security.writes_per_session": 2})
    limits = CallLimits(lambda: config, lambda: now)
    limits.write("ana")
    limits.write("ana")
    with pytest.raises(RateLimited, match="has made its 2 writes"):
        limits.write("ana")
    limits.search("ana")
    now = config.upkeep.session_idle_s + 1
    limits.write("ana")


def test_a_token_is_told_when_it_may_write_again(tmp_path: Path) -> None:
    with client(tmp_path / "m.db", config=FEW) as rest:
        who = bearer(token(rest.memory, "read", "write", user_id="ana"))  # type: ignore[attr-defined]
        asked = [rest.post("/v1/memories", json={"content": f"tea {n}"}, headers=who) for n in range(4)]
        assert [each.status_code for each in asked] == [201, 201, 201, 429]
        told = asked[-1].json()
        assert (told["code"], told["retryable"]) == ("E2003", True)
        assert told["retry_after"] == int(asked[-1].headers["retry-after"]) >= 1


def test_tools_over_the_network_have_a_limit_that_no_agent_meets() -> None:
    config = load_config({})
    now = 0.0
    limits = CallLimits(lambda: config, lambda: now)
    for _ in range(300):
        limits.tool("token a", writes=False)
    with pytest.raises(RateLimited):
        limits.tool("token a", writes=False)
    limits.tool("token a", writes=True)
    limits.tool("token b", writes=False)
    free = CallLimits(lambda: load_config({"serve.tool_searches_per_minute": 0}), lambda: now)
    for _ in range(400):
        free.tool("token a", writes=False)


def test_only_clients_with_a_token_count_as_remote(tmp_path: Path) -> None:
    from starlette.datastructures import QueryParams

    with client(tmp_path / "m.db") as rest:
        memory: Memory = rest.memory  # type: ignore[attr-defined]
        here = binding(memory, tools="default")
        assert not here.remote
        from recollect.interfaces.rest.callers import ALL_RIGHTS, AdmittedCaller

        text = token(memory, "read", user_id="ana")
        with memory._opened.store.read() as tx:
            found = tx.tokens.presented(text)
        assert found is not None
        handle = memory.scoped(user_id="ana")
        caller = AdmittedCaller(memory=handle, rights=ALL_RIGHTS, token=found)
        assert narrowed(here, {"recollect.caller": caller}, QueryParams("")).remote


# --- input that is too large, empty or not text --------------------------------------------------------------------

HUGE = "x" * 10_000_000


@pytest.mark.parametrize(
    ("content", "code"), [(HUGE, "E4004"), ("", "E4005"), ("   \n", "E4005"), ("a\x00b", "E4005"), (None, "E4005")]
)
def test_every_door_refuses_what_no_record_may_hold(tmp_path: Path, content: Any, code: str) -> None:
    with client(tmp_path / "m.db") as rest:
        memory: Memory = rest.memory  # type: ignore[attr-defined]
        who = bearer(token(memory, "read", "write"))
        answer = rest.post("/v1/memories", json={"content": content}, headers=who)
        assert answer.status_code in (413, 422)
        assert answer.json()["code"] == code
        assert len(answer.text) < 2_000, "what was sent is not sent back"
        kept = rest.post("/v1/memories", json={"content": "something"}, headers=who).json()["ids"][0]
        assert rest.patch(f"/v1/memories/{kept}", json={"content": content or ""}, headers=who).status_code in (
            413,
            422,
        )
        for call in (
            lambda: memory.add(content),
            lambda: memory.scoped(user_id="ana").add([{"role": "user", "content": content}]),
            lambda: run_tool("add_memory", {"content": content}, memory=memory),
            lambda: memory.correct(kept, content),
            lambda: memory.working.note(content),
        ):
            with pytest.raises(RecollectError) as error:
                call()
            assert error.value.code in (code, "E4005")
            assert len(str(error.value)) < 1_000
        assert [record.content for record in memory.get_all()] == ["something"]


def test_of_a_question_of_ten_megabytes_the_beginning_is_asked(tmp_path: Path) -> None:
    """A log that somebody pastes is a question still; what it costs is bounded, and it is not sent back."""
    with client(tmp_path / "m.db") as rest:
        memory: Memory = rest.memory  # type: ignore[attr-defined]
        memory.add("tea is brown")
        answer = rest.post("/v1/memories/search", json={"query": "tea " + HUGE})
        assert answer.status_code == 200
        assert len(answer.content) < 50_000
        assert len(memory.search("tea " + HUGE).query) <= QUERY_CHARS_MAX
        assert len(str(run_tool("search_memories", {"query": "tea " + HUGE}, memory=memory))) < 50_000
        with pytest.raises(RecollectError):
            memory.search("a\x00b")
        small = {"serve.body_bytes_max": 1 << 20}
    with client(tmp_path / "m.db", config=small) as rest:
        assert rest.post("/v1/memories/search", json={"query": HUGE}).status_code == 413


def test_a_record_holds_eight_kilobytes_unless_the_owner_says_more() -> None:
    with opened() as mem:
        mem.add("x" * 8_192, infer=False)
        with opened(**{"ingest.content_bytes_max": 64}) as small, pytest.raises(RecollectError) as error:
            small.update(small.add("y").id, content="y" * 65)
        assert error.value.code == "E4004"


@pytest.mark.parametrize(("sent", "code"), [(b"x" * 10_000_000, "E4004"), (b"", "E4005"), (b"a\x00b", "E4005")])
def test_the_command_line_refuses_them_too(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    sent: bytes,
    code: str,
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(sent), encoding="utf-8"))
    assert main(["add", "-", "--db", str(tmp_path / "m.db"), "-o", "json"]) == 2
    told = capsys.readouterr()
    assert code in told.out + told.err
    assert len(told.out) < 2_000
