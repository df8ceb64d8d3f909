"""Hooks over HTTP: the same events, the same sayings, found without a fixed port, and no harm where no server is."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from interfaces.rest_server import bearer, client, token
from sessions import ClaudeCode, hook, repository, told
from starlette.testclient import TestClient

import recollect
from recollect.hook import places, spool
from recollect.observe.serving_hooks import ServerNotice, is_served

FOLDER = Path(__file__).resolve().parents[1] / "faults"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return repository(tmp_path / "shop", a__py="x = 1\n")


@pytest.fixture
def rest(tmp_path: Path) -> Iterator[TestClient]:
    with client(tmp_path / "m.db") as found:
        yield found


def post(rest: TestClient, payload: Any, name: str = "claude-code", **more: Any) -> Any:
    return rest.post(f"/v1/hooks/{name}", json=payload, **more)


def test_events_are_observed_over_http(rest: TestClient) -> None:
    event = {"session_id": "s1", "type": "tool", "tool": "Read", "input": {"path": "src/a.py"}, "id": "t1"}
    assert rest.post("/v1/observe", json={"events": [event, event, {}]}).json() == {
        "taken": 1,
        "known": 1,
        "refused": [{"index": 2, "reason": "unknown type"}],
        "sessions": ["s1"],
        "projects": [],
        "cut": 0,
    }


def test_a_hook_over_http_is_told_what_a_process_would_be(rest: TestClient, shop: Path) -> None:
    agent, memory = ClaudeCode(shop), rest.memory  # type: ignore[attr-defined]
    assert post(rest, agent.start()).json() == {}
    id_ = memory.add(
        "x is read by the cache", category="gotcha", metadata={"related_files": ["a.py"]}, project="shop"
    ).id
    memory.confirm(id_)
    said = told(post(rest, agent.read("a.py")).text)
    assert "x is read by the cache" in said
    assert told(post(rest, agent.edit("a.py", 1, "x", "y")).text) == ""
    assert [(each.steps, each.project) for each in memory.observed()] == [(2, "shop")]


def test_a_prompt_is_told_what_surely_answers_it_and_that_counts_as_no_use(rest: TestClient, shop: Path) -> None:
    agent, memory = ClaudeCode(shop), rest.memory  # type: ignore[attr-defined]
    post(rest, agent.start())
    id_ = memory.add("The release is cut from the branch harbour on Fridays", project="shop").id
    memory.add("The logo is blue", project="shop")
    said = told(post(rest, agent.prompt("from which branch is the release cut?")).text)
    assert "harbour" in said
    assert memory.get(id_).access_count == 0
    assert told(post(rest, agent.prompt("what is the airspeed of an unladen swallow?", 2)).text) == ""
    memory.flag(id_, reason="not any more")
    assert told(post(rest, ClaudeCode(shop, "s2").prompt("from which branch is the release cut?")).text) == ""


@pytest.mark.parametrize(
    "setting", [{"observe.prompt_tokens": 0}, {"observe.prompt_score": 1.0}, {"observe.inject": False}]
)
def test_settings_keep_a_prompt_without_an_answer(tmp_path: Path, shop: Path, setting: dict[str, Any]) -> None:
    for config, said in (({}, True), (setting, False)):
        with client(tmp_path / f"{said}.db", config=config) as rest:
            agent, memory = ClaudeCode(shop), rest.memory  # type: ignore[attr-defined]
            post(rest, agent.start())
            memory.add("The release is cut from the branch harbour on Fridays", project="shop")
            answer = told(post(rest, agent.prompt("from which branch is the release cut?")).text)
            assert ("harbour" in answer) is said


def test_who_holds_a_token_observes_as_far_as_it_goes(tmp_path: Path, shop: Path) -> None:
    with client(tmp_path / "m.db", loopback=False) as rest:
        memory = rest.memory  # type: ignore[attr-defined]
        payload = ClaudeCode(shop).read("a.py")
        assert post(rest, payload).status_code == 401
        reading = bearer(token(memory, "read", name="r", project="shop"))
        assert post(rest, payload, headers=reading).status_code == 403
        writing = bearer(token(memory, "read", "write", name="w", project="atlas"))
        assert post(rest, payload, headers=writing).status_code == 200
        assert [each.project for each in memory.observed()] == ["atlas"]


@pytest.mark.parametrize(
    ("name", "body"),
    [("nobody", {}), ("claude-code", {"x": 1}), ("codex", {"hook_event_name": "Stop"})],
)
def test_what_is_no_event_of_a_client_is_refused(rest: TestClient, name: str, body: Any) -> None:
    assert post(rest, body, name).status_code == 422
    assert post(rest, ClaudeCode(Path("/x")).start(), params={"at": "soon"}).status_code == 422
    assert post(rest, ClaudeCode(Path("/x")).start(), params={"what": "1"}).status_code == 422


@pytest.fixture
def served(tmp_path: Path, shop: Path) -> Iterator[Path]:
    """A store whose hooks were there before its server."""
    store = tmp_path / "m.db"
    hook(ClaudeCode(shop, "s0").start(), store)
    with recollect.open(store, embedder="fake", background=False) as memory:
        memory.confirm(memory.add("The release is cut from the branch harbour", project="shop").id)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, str(FOLDER / "serve_until_killed.py"), str(store), str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until = time.monotonic() + 60
    while not is_served(places.folder_of(str(store))):
        assert server.poll() is None
        assert time.monotonic() < until
        time.sleep(0.05)
    try:
        yield store
    finally:
        if server.poll() is None:
            server.send_signal(signal.SIGKILL)
        server.wait()


def test_a_hook_finds_the_server_of_its_store_and_spools_when_that_is_killed(served: Path, shop: Path) -> None:
    agent, folder = ClaudeCode(shop), places.folder_of(str(served))
    assert "harbour" in told(hook(agent.prompt("from which branch is the release cut?"), served))
    hook(agent.read("a.py"), served)
    assert spool.is_empty(folder)
    pid = json.loads(Path(folder, "server").read_text(encoding="utf-8"))["pid"]
    os.kill(pid, signal.SIGKILL)
    while is_served(folder):
        time.sleep(0.02)
    hook(agent.read("a.py"), served)
    assert not spool.is_empty(folder)
    with recollect.open(served, embedder="fake", background=False) as memory:
        assert [each.steps for each in memory.observed() if each.id == "s1"] == [2]


def test_a_port_that_another_program_has_by_now_is_told_nothing(tmp_path: Path, shop: Path) -> None:
    """The lock of the one who announced it is gone with its process: nobody is sent there."""
    store = tmp_path / "m.db"
    folder = Path(places.folder_of(str(store)))
    folder.mkdir()
    with socket.socket() as stranger:
        stranger.bind(("127.0.0.1", 0))
        stranger.listen()
        stranger.settimeout(0.2)
        (folder / "server").write_text(json.dumps({"port": stranger.getsockname()[1]}), encoding="utf-8")
        hook(ClaudeCode(shop).read("a.py"), store)
        with pytest.raises(TimeoutError):
            stranger.accept()
    assert not spool.is_empty(str(folder))


def test_a_server_that_hangs_costs_a_quarter_of_a_second_and_nothing_is_lost(tmp_path: Path, shop: Path) -> None:
    store = tmp_path / "m.db"
    folder = places.folder_of(str(store))
    os.makedirs(folder)
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        notice = ServerNotice()
        notice.serve_at(deaf.getsockname()[1])
        notice.tell(folder)
        began = time.monotonic()
        hook(ClaudeCode(shop).read("a.py"), store)
        assert time.monotonic() - began < 2
        notice.end()
    assert not spool.is_empty(folder)
    assert not is_served(folder)
