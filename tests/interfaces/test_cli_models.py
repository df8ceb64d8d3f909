"""`recollect models`, and what other commands say of a language model that is there, down or refused."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from commands import Done, Run

sys.path.insert(0, str(Path(__file__).parents[1] / "providers"))
from chat_server import ChatServer
from rest_server import client

pytestmark = pytest.mark.usefixtures("environment")

KEY = "sk-secret-123"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    with ChatServer() as started:
        monkeypatch.setenv("RECOLLECT_LLM", f"openai:small@{started.address}/v1")
        yield started


def row(done: Done, role: str = "llm") -> dict[str, Any]:
    return next(each for each in done.data["models"] if each["role"] == role)


def test_a_model_that_answers_is_ready(run: Run, server: ChatServer) -> None:
    done = run("models", "-o", "json")
    found = row(done)
    assert done.code == 0
    assert (found["state"], found["address"]) == ("ready", f"{server.address}/v1")
    assert found["latency_ms"] >= 0
    assert found["capabilities"]["window_tokens"] > 0
    assert found["origin"] == "environment RECOLLECT_LLM"
    uses = {use["what"]: use for use in found["used_for"]}
    assert uses["judges what was found, asks on, writes the answer"]["on"]
    assert not uses["draws statements from turns, in the background"]["on"]
    assert row(done, "embedder")["state"] == "ready"
    assert row(done, "reranker")["state"] == "none"
    assert "reason: judges what was found" in run("models").out
    assert server.posts() == []  # looking costs no tokens


def test_what_the_settings_turn_on_is_shown_as_used(run: Run, server: ChatServer, monkeypatch: Any) -> None:
    monkeypatch.setenv("RECOLLECT_PERCEIVE__STATEMENTS", "model")
    uses = {use["what"]: use["on"] for use in row(run("models", "-o", "json"))["used_for"]}
    assert uses["draws statements from turns, in the background"]
    assert "off: perceive.relations_by_model" in run("models").out


def test_a_model_that_is_down_fails_the_command_with_cause_and_cure(run: Run, server: ChatServer) -> None:
    server.down()
    done = run("models", "-o", "json")
    assert done.code == 1
    assert row(done)["state"] == "down"
    said = run("models").out
    assert "cannot be reached" in said
    assert "→ start the server" in said


@pytest.mark.parametrize("spec", ["openai:gpt-5-mini", "anthropic:claude-opus-4-6"])
def test_a_missing_key_is_said_and_the_memory_works_without(run: Run, spec: str, monkeypatch: Any) -> None:
    monkeypatch.setenv("RECOLLECT_LLM", spec)
    done = run("models", "-o", "json")
    assert (done.code, row(done)["state"]) == (1, "refused")
    assert "API_KEY" in row(done)["cure"]
    assert run("add", "Ana has a cat").code == 0
    assert run("search", "cat").code == 0
    assert "API_KEY" in run("health").out
    assert run("doctor").code == 1


def test_no_command_shows_a_key_or_a_password(run: Run, server: ChatServer, monkeypatch: Any) -> None:
    address = server.address.replace("http://", "http://ana:pw-secret@")
    monkeypatch.setenv("RECOLLECT_LLM", f"openai:small@{address}/v1")
    monkeypatch.setenv("RECOLLECT_LLM_KEY", KEY)
    for words in (
        ["models"],
        ["config"],
        ["config", "get", "llm_key"],
        ["config", "get", "llm"],
        ["health"],
        ["doctor"],
    ):
        for output in ("text", "json"):
            said = "".join(run(*words, "-o", output)[1:])
            assert KEY not in said
            assert "pw-secret" not in said
    server.down()
    for words in (["models"], ["health"], ["doctor"]):
        assert "pw-secret" not in "".join(run(*words, "-o", "json")[1:])


def test_work_that_waits_is_said_and_done_by_maintain(run: Run, server: ChatServer, monkeypatch: Any) -> None:
    monkeypatch.setenv("RECOLLECT_PERCEIVE__STATEMENTS", "model")
    server.say = lambda prompt: json.dumps(
        {"statements": [{"content": "Rust is used", "quote": "I use Rust"}] if "<<<turn" in prompt else []}
    )
    server.down()
    done = run("add", "I use Rust", "--kind", "episodic", "-o", "json")
    assert (done.code, done.data["missing"]) == (0, ["statements by openai:small are queued"])
    assert "1 piece of work waits for it" in run("health", "-o", "json").out
    assert "1 piece of work waits for it" in run("doctor", "-o", "json").out
    server.up()
    assert run("maintain").code == 0
    assert run("health", "-o", "json").data["waiting_for_model"] == 0
    found = run("list", "-o", "json").data["results"]
    assert "Rust is used" in {each["memory"] for each in found}


def test_every_provider_is_listed(run: Run) -> None:
    rows = run("models", "list", "-o", "json").data["providers"]
    assert {"openai", "ollama", "anthropic"} <= {each["provider"] for each in rows if each["role"] == "llm"}
    assert "wordllama" in run("models", "list").out


def test_the_list_says_what_ships_and_what_is_in_use(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RECOLLECT_EMBEDDER")
    rows = {each["provider"]: each for each in run("models", "list", "-o", "json").data["providers"]}
    assert (rows["minilm"]["in_use"], rows["minilm"]["dimensions"], rows["minilm"]["size_mb"]) == (True, 384, 23)
    assert (rows["wordllama"]["in_use"], rows["wordllama"]["dimensions"]) == (False, 256)
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "static")
    rows = {each["provider"]: each for each in run("models", "list", "-o", "json").data["providers"]}
    assert rows["wordllama"]["in_use"]


def test_another_model_is_put_to_use_and_gives_stored_records_its_vectors(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RECOLLECT_EMBEDDER")
    assert run("models", "use", "nonsense").code != 0
    assert run("models", "use", "static", "-o", "json").data["value"] == "static"
    assert run("add", "Ana's tabby is called Miso").code == 0
    assert run("models", "use", "minilm", "-o", "json").data["value"] == "minilm"
    spaces = run("reembed", "--wait", "-o", "json").data["spaces"]
    assert [space["embedded"] for space in spaces if space["name"].startswith("minilm:")] == [1]


def test_the_multilingual_model_is_listed_and_put_to_use(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RECOLLECT_EMBEDDER")
    assert run("add", "Meine Schwester wohnt in einem kleinen Dorf.").code == 0
    assert run("models", "use", "multilingual", "-o", "json").data["value"] == "multilingual"
    rows = {each["provider"]: each for each in run("models", "list", "-o", "json").data["providers"]}
    assert (rows["multilingual"]["in_use"], rows["minilm"]["in_use"]) == (True, False)
    assert (rows["multilingual"]["dimensions"], rows["multilingual"]["size_mb"]) == (384, 24)
    spaces = run("reembed", "--wait", "-o", "json").data["spaces"]
    assert [space["embedded"] for space in spaces if space["name"].startswith("multilingual:")] == [1]
    found = run("search", "Where does my sister live?", "-o", "json").data["results"]
    assert found[0]["memory"] == "Meine Schwester wohnt in einem kleinen Dorf."


def test_one_model_is_shown(run: Run) -> None:
    found = run("models", "show", "anthropic:claude-opus-4-6-20260115", "-o", "json").data
    assert found == run("models", "anthropic:claude-opus-4-6-20260115", "-o", "json").data
    assert found["window_tokens"] == 1_000_000


@pytest.mark.parametrize("words", [["show"], ["list", "all"], ["a", "b"]])
def test_other_words_are_a_mistake(run: Run, words: list[str]) -> None:
    done = run("models", *words)
    assert done.code == 2
    assert "recollect models show NAME" in done.err


def test_a_name_that_is_no_model_is_a_mistake_of_the_configuration(run: Run, monkeypatch: Any) -> None:
    monkeypatch.setenv("RECOLLECT_LLM", "gpt-5")
    done = run("models", "-o", "json")
    assert (done.code, row(done)["state"]) == (1, "refused")
    assert "provider:model" in row(done)["detail"]
    assert run("search", "cat").code == 2


def test_the_server_tells_the_same_from_one_look(server: ChatServer, tmp_path: Path) -> None:
    with client(tmp_path / "m.db") as rest:
        for _ in range(3):
            health = rest.get("/v1/health").json()
            assert (health["model"], health["model_state"], health["waiting_for_model"]) == ("openai:small", "ready", 0)
        assert len(server.looks()) == 1


def test_a_stranger_is_told_nothing_of_the_model(server: ChatServer, tmp_path: Path) -> None:
    server.down()
    with client(tmp_path / "m.db", loopback=False) as rest:
        said = rest.get("/v1/health").text
        assert "small" not in said
        assert "127.0.0.1" not in said
