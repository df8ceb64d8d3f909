"""Language models by name, over their real protocols; a probe that is remembered; keys that are never shown."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from chat_server import ChatServer

from recollect.config import load_config
from recollect.errors import MissingExtra, ProviderError, ProviderUnavailable, UsageError
from recollect.providers import registry
from recollect.providers.health import Probe, ProviderReach, Watched
from recollect.providers.llms.naming import HOSTS, shown, split_address
from recollect.providers.registry import LLMS, configured_llm, make_llm

KEY = "sk-secret-123"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as started:
        yield started


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", "OLLAMA_HOST"):
        monkeypatch.delenv(name, raising=False)
    for host in HOSTS.values():
        monkeypatch.delenv(host.key_variable, raising=False)


@pytest.fixture
def made(request: pytest.FixtureRequest) -> Any:
    """Makes models, and closes them."""

    def make(spec: str, **options: Any) -> Watched:
        llm = make_llm(spec, **options)
        assert isinstance(llm, Watched)
        request.addfinalizer(llm.close)
        return llm

    return make


# --- names and addresses ------------------------------------------------------------------------------------------


def test_a_server_of_ones_own_is_named_behind_an_at(server: ChatServer, made: Any) -> None:
    llm = made(f"openai:small@{server.address}/v1")
    assert llm.complete("hello", instructions="be brief", max_tokens=7) == "heard hello"
    (asked,) = server.posts()
    assert asked.path == "/v1/chat/completions"
    assert asked.body["messages"][0] == {"role": "system", "content": "be brief"}
    assert asked.body["max_tokens"] == 7
    assert "authorization" not in asked.headers
    assert (llm.name, llm.address) == ("openai:small", f"{server.address}/v1")


def test_ollama_is_found_by_its_host_and_takes_latest_for_granted(
    server: ChatServer, made: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", server.address.removeprefix("http://"))
    server.models = ("llama3:latest",)
    llm = made("ollama:llama3")
    assert llm.reach().state == "ready"
    assert llm.complete("hello", max_tokens=7) == "heard hello"
    assert server.posts()[0].path == "/v1/chat/completions"
    assert made("ollama:qwen").reach().cure == "ollama pull qwen"


def test_anthropic_has_its_own_protocol(server: ChatServer, made: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.address)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    server.models, server.key = ("claude-x",), KEY
    llm = made("anthropic:claude-x")
    assert llm.reach().state == "ready"
    assert llm.complete("hello", instructions="be brief", max_tokens=7) == "heard hello"
    (asked,) = server.posts()
    assert (asked.path, asked.body["system"], asked.body["max_tokens"]) == ("/v1/messages", "be brief", 7)
    assert asked.headers["x-api-key"] == KEY
    assert asked.headers["anthropic-version"]
    assert made("anthropic:claude-y").reach().state == "refused"


def test_the_configuration_says_where_and_with_which_key(server: ChatServer, request: pytest.FixtureRequest) -> None:
    server.key = KEY
    config = load_config({"llm": "openai:small", "llm_url": f"{server.address}/v1", "llm_key": KEY})
    llm = configured_llm(config)
    assert isinstance(llm, Watched)
    with closing(llm):
        assert llm.complete("hello", max_tokens=7) == "heard hello"
    assert KEY not in repr(config)


def test_the_key_of_a_provider_goes_to_nobody_else(
    server: ChatServer, made: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    made(f"openai:small@{server.address}/v1").complete("hello", max_tokens=7)
    assert "authorization" not in server.posts()[0].headers
    monkeypatch.setenv("OPENAI_BASE_URL", f"{server.address}/v1")
    made("openai:small").complete("hello", max_tokens=7)
    assert server.posts()[1].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("provider", [name for name in LLMS if name != "ollama"])
def test_without_a_key_a_provider_is_refused_without_being_asked(provider: str, made: Any) -> None:
    llm = made(f"{provider}:some-model")  # the network is closed to tests: a request would fail them
    found = llm.reach()
    assert (found.state, "API_KEY" in found.cure) == ("refused", True)
    with pytest.raises(ProviderUnavailable, match="wants a key"):
        llm.complete("hello", max_tokens=7)


@pytest.mark.parametrize("spec", ["small", "nobody:small", "openai", "openai:"])
def test_a_name_that_is_none_says_how_names_are_written(spec: str) -> None:
    with pytest.raises(UsageError, match=r"127\.0\.0\.1:8080"):
        make_llm(spec)


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"recollect\[llm\]"):
        make_llm("openai:small")


@pytest.mark.parametrize(
    ("model", "name", "address"),
    [
        ("small", "small", None),
        ("small@http://h/v1", "small", "http://h/v1"),
        ("a@b/small@https://u:p@h/v1", "a@b/small", "https://u:p@h/v1"),
        ("gguf@q4", "gguf@q4", None),
    ],
)
def test_names_and_addresses_are_told_apart(model: str, name: str, address: str | None) -> None:
    assert split_address(model, "openai") == (name, address)


def test_what_is_shown_has_no_password() -> None:
    assert shown("openai:small@https://ana:pw@host/v1") == "openai:small@https://host/v1"
    assert shown("openai:small@http://host") == "openai:small@http://host"


# --- failures -----------------------------------------------------------------------------------------------------


def test_a_refusal_repeats_neither_question_nor_key(
    server: ChatServer, made: Any, caplog: pytest.LogCaptureFixture
) -> None:
    llm = made(f"openai:small@{server.address}/v1", api_key=KEY)
    server.say = lambda prompt: ""
    with caplog.at_level(logging.DEBUG), pytest.raises(ProviderError, match="nothing") as caught:
        llm.complete("a private question", max_tokens=7)
    assert "private" not in str(caught.value)
    assert KEY not in caplog.text
    assert "private" not in caplog.text


@pytest.mark.parametrize("state", ["wrong key", "no such model"])
def test_a_wrong_key_and_a_missing_model_are_absences_with_a_cure(server: ChatServer, made: Any, state: str) -> None:
    llm = made(f"openai:small@{server.address}/v1", api_key="another")
    if state == "wrong key":
        server.key = KEY
    else:
        server.models, server.say = ("large",), lambda prompt: ""
    with pytest.raises(ProviderUnavailable) as caught:
        llm.complete("hello", max_tokens=7)
    assert "llm_key" in str(caught.value) or "/models" in str(caught.value)
    assert "another" not in str(caught.value)
    before = len(server.asked)
    with pytest.raises(ProviderUnavailable, match="asked again in"):
        llm.complete("hello", max_tokens=7)
    assert len(server.asked) == before


def test_a_bad_answer_of_a_model_that_is_there_is_no_absence(server: ChatServer, made: Any) -> None:
    llm = made(f"openai:small@{server.address}/v1")
    server.say = lambda prompt: "  "
    with pytest.raises(ProviderError) as caught:
        llm.complete("hello", max_tokens=7)
    assert not isinstance(caught.value, ProviderUnavailable)
    server.say = lambda prompt: "yes"
    assert llm.complete("hello", max_tokens=7) == "yes"


def test_attempts_are_bounded(server: ChatServer, made: Any) -> None:
    server.status = 503
    with pytest.raises(ProviderUnavailable):
        made(f"openai:small@{server.address}/v1").complete("hello", max_tokens=7)
    assert len(server.posts()) == 2


# --- the probe ----------------------------------------------------------------------------------------------------


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_look_counts_for_thirty_seconds(server: ChatServer, made: Any) -> None:
    clock = Clock()
    llm = Watched(made(f"openai:small@{server.address}/v1")._llm, clock)
    assert llm.known() is None
    for _ in range(3):
        found = llm.reach()
        assert (found.state, found.latency_ms is not None) == ("ready", True)
    assert len(server.looks()) == 1
    clock.now = 29.9
    server.down()
    assert llm.reach().state == "ready"
    clock.now = 30.0
    assert llm.reach().state == "down"
    server.up()


def test_a_model_that_went_away_is_left_alone_and_then_asked_again(server: ChatServer, made: Any) -> None:
    clock = Clock()
    llm = Watched(made(f"openai:small@{server.address}/v1")._llm, clock)
    server.down()
    with pytest.raises(ProviderUnavailable, match="cannot be reached"):
        llm.complete("hello", max_tokens=7)
    server.up()
    with pytest.raises(ProviderUnavailable, match="asked again in 30 s"):
        llm.complete("hello", max_tokens=7)
    assert server.asked == []
    clock.now = 31.0
    assert llm.complete("hello", max_tokens=7) == "heard hello"
    found = llm.known()
    assert found is not None
    assert found.state == "ready"


def test_nobody_who_wants_what_is_known_waits_for_a_look() -> None:
    looking, go_on = threading.Event(), threading.Event()

    def slowly() -> ProviderReach:
        looking.set()
        assert go_on.wait(10)
        return ProviderReach.ready("at last")

    probe = Probe(slowly)
    thread = threading.Thread(target=probe.reach)
    thread.start()
    assert looking.wait(10)
    assert probe.known() is None  # would wait for the look, if it had to
    go_on.set()
    thread.join(10)
    found = probe.known()
    assert found is not None
    assert found.detail == "at last"
