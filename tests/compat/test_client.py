"""Clients that remember: the real libraries of OpenAI and Anthropic, against a server on this machine."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import anthropic
import openai
import pytest
from provider_server import Speaking, speaking
from pydantic import BaseModel

import recollect
from recollect.aio import AsyncMemory
from recollect.compat.client import remembering
from recollect.errors import AccessDenied, StoreClosed, UsageError

ASKED = "Which editor do I use?"
KNOWN = "Ana moved from vim to Helix"
SAID = "You use Helix."


@pytest.fixture(scope="module")
def server() -> Iterator[Speaking]:
    with speaking() as model:
        yield model


@pytest.fixture
def model(server: Speaking) -> Speaking:
    server.says.clear()
    server.heard.clear()
    server.breaks_off = False
    return server


@pytest.fixture
def known(memory: recollect.Memory) -> recollect.Memory:
    memory.add(KNOWN, user_id="ana", kind="semantic")
    memory.add("Ben uses Emacs as his editor", user_id="ben", kind="semantic")
    return memory


class Api(NamedTuple):
    """One way to ask. `asked` are the arguments, `text` reads a reply, `sent` what the model was told besides."""

    name: str
    of: Callable[[Any], Any]
    asked: dict[str, Any]
    text: Callable[[Any], str]
    sent: Callable[[dict[str, Any]], str]


def _delta(event: Any) -> str:
    if hasattr(event, "choices"):
        return (event.choices[0].delta.content or "") if event.choices else ""
    delta = getattr(event, "delta", None)
    return delta if isinstance(delta, str) else getattr(delta, "text", None) or ""


CHAT = Api(
    "chat",
    lambda client: client.chat.completions,
    {"model": "gpt-4o", "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": ASKED}]},
    lambda reply: reply.choices[0].message.content,
    lambda body: body["messages"][0]["content"],
)
RESPONSES = Api(
    "responses",
    lambda client: client.responses,
    {"model": "gpt-4o", "instructions": "Be brief.", "input": ASKED},
    lambda reply: reply.output_text,
    lambda body: body["instructions"],
)
MESSAGES = Api(
    "messages",
    lambda client: client.messages,
    {
        "model": "claude-opus-4-6",
        "max_tokens": 100,
        "system": "Be brief.",
        "messages": [{"role": "user", "content": ASKED}],
    },
    lambda reply: reply.content[0].text,
    lambda body: body["system"],
)
APIS = pytest.mark.parametrize("api", [CHAT, RESPONSES, MESSAGES], ids=lambda api: api.name)


def made(api: Api, model: Speaking, *, awaited: bool = False) -> Any:
    """A real client that talks to the server here and tries once."""
    if api is MESSAGES:
        kind: Any = anthropic.AsyncAnthropic if awaited else anthropic.Anthropic
        return kind(api_key="none", base_url=model.url, max_retries=0)
    kind = openai.AsyncOpenAI if awaited else openai.OpenAI
    return kind(api_key="none", base_url=f"{model.url}/v1", max_retries=0)


def turns(memory: recollect.Memory, **scope: Any) -> list[str]:
    return [record.content for record in reversed(memory.get_all(kinds=["episodic"], **(scope or {"user_id": "ana"})))]


@APIS
def test_a_call_recalls_before_and_remembers_after(api: Api, model: Speaking, known: recollect.Memory) -> None:
    model.says.append(SAID)
    given = made(api, model)
    with remembering(given, known, user_id="ana", session_id="s1") as client:
        assert type(client) is type(given)
        reply = api.of(client).create(**api.asked)
    assert api.text(reply) == SAID
    sent = api.sent(model.heard[0])
    assert sent.startswith("Be brief.")
    assert KNOWN in sent
    assert sent.count(KNOWN) == 1
    assert "Emacs" not in str(model.heard[0])
    assert turns(known) == [ASKED, SAID]
    assert turns(known, session_id="s1", user_id="ana") == [ASKED, SAID]
    assert ASKED not in turns(known, user_id="ben")


@APIS
def test_what_was_said_is_known_in_the_next_conversation(api: Api, model: Speaking, memory: recollect.Memory) -> None:
    model.says += ["Nice to know.", "In Lisbon."]
    with remembering(made(api, model), memory, user_id="ana") as client:
        asked = {name: _with_prompt(value, "I live in Lisbon.") for name, value in api.asked.items()}
        api.of(client).create(**asked)
        api.of(client).create(**{name: _with_prompt(value, "Where do I live?") for name, value in api.asked.items()})
    assert api.sent(model.heard[0]) == "Be brief."  # nothing was known: nothing is said
    assert "Lisbon" in api.sent(model.heard[1])


def _with_prompt(value: Any, prompt: str) -> Any:
    if isinstance(value, list):
        return [*value[:-1], {"role": "user", "content": prompt}]
    return prompt if value == ASKED else value


@APIS
def test_a_stream_is_passed_on_and_remembered(api: Api, model: Speaking, known: recollect.Memory) -> None:
    model.says.append(SAID)
    with remembering(made(api, model), known, user_id="ana") as client:
        with api.of(client).create(**api.asked, stream=True) as stream:
            heard = "".join(_delta(event) for event in stream)
        assert stream.response.status_code == 200
    assert heard == SAID
    assert KNOWN in api.sent(model.heard[0])
    assert turns(known) == [ASKED, SAID]


@APIS
def test_a_stream_in_a_block(api: Api, model: Speaking, known: recollect.Memory) -> None:
    model.says.append(SAID)
    with remembering(made(api, model), known, user_id="ana") as client, api.of(client).stream(**api.asked) as stream:
        for _ in stream:
            pass
    assert len(model.heard) == 1
    assert api.sent(model.heard[0]).count(KNOWN) == 1
    assert turns(known) == [ASKED, SAID]


@APIS
@pytest.mark.parametrize("how", ["whole", "stream", "block"])
def test_awaited(api: Api, how: str, model: Speaking, known: recollect.Memory) -> None:
    model.says.append(SAID)

    async def run() -> None:
        async with remembering(made(api, model, awaited=True), AsyncMemory(known), user_id="ana") as client:
            if how == "whole":
                assert api.text(await api.of(client).create(**api.asked)) == SAID
            elif how == "stream":
                stream = await api.of(client).create(**api.asked, stream=True)
                assert "".join([_delta(event) async for event in stream]) == SAID
            else:
                async with api.of(client).stream(**api.asked) as stream:
                    async for _ in stream:
                        pass

    asyncio.run(run())
    assert KNOWN in api.sent(model.heard[0])
    assert turns(known) == [ASKED, SAID]


class Editor(BaseModel):
    name: str


@APIS
def test_structured_answers(api: Api, model: Speaking, known: recollect.Memory) -> None:
    model.says.append('{"name": "Helix"}')
    wanted = {"chat": "response_format", "responses": "text_format", "messages": "output_format"}[api.name]
    with remembering(made(api, model), known, user_id="ana") as client:
        reply = api.of(client).parse(**api.asked, **{wanted: Editor})
    parsed = (
        reply.choices[0].message.parsed
        if api is CHAT
        else getattr(reply, "output_parsed", None) or getattr(reply, "parsed_output", None)
    )
    assert parsed == Editor(name="Helix")
    assert KNOWN in api.sent(model.heard[0])
    assert turns(known) == [ASKED, '{"name": "Helix"}']


CALL = {"name": "editor_of", "arguments": '{"who": "ana"}'}
RESULTS: dict[str, list[dict[str, Any]]] = {
    "chat": [
        {"role": "assistant", "tool_calls": [{"id": "call_1", "type": "function", "function": CALL}]},
        {"role": "tool", "tool_call_id": "call_1", "content": "Helix 25.07"},
    ],
    "responses": [
        {"type": "function_call", "call_id": "call_1", **CALL},
        {"type": "function_call_output", "call_id": "call_1", "output": "Helix 25.07"},
    ],
    "messages": [
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "toolu_1", "name": "editor_of", "input": {"who": "ana"}}],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "Helix 25.07"}]},
    ],
}


@APIS
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_tools_on_the_way_are_one_turn(api: Api, streamed: bool, model: Speaking, known: recollect.Memory) -> None:
    model.says += [CALL, SAID]
    field = "input" if api is RESPONSES else "messages"
    before: Any = [{"role": "user", "content": ASKED}] if api is RESPONSES else api.asked[field]
    with remembering(made(api, model), known, user_id="ana") as client:
        for said in (before, [*before, *RESULTS[api.name]]):
            reply = api.of(client).create(**{**api.asked, field: said, "stream": streamed})
            if streamed:
                list(reply)
            if said is before:
                assert turns(known) == []  # the model waits for the tool
    kept = turns(known)
    assert (kept[0], kept[-1]) == (ASKED, SAID)
    assert any("Helix 25.07" in text for text in kept[1:-1])
    assert len(kept) == 3


# -- what fails --


@APIS
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_an_error_of_the_model_is_its_own_and_nothing_is_kept(
    api: Api, streamed: bool, model: Speaking, known: recollect.Memory
) -> None:
    model.says += [529, 529]
    plain, client = made(api, model), remembering(made(api, model), known, user_id="ana")
    errors = []
    for each in (plain, client):
        with each, pytest.raises((openai.APIStatusError, anthropic.APIStatusError)) as raised:
            api.of(each).create(**api.asked, stream=streamed)
        errors.append(raised.value)
    assert type(errors[0]) is type(errors[1])
    assert str(errors[0]) == str(errors[1])
    assert turns(known) == []


@APIS
def test_a_stream_that_breaks_off_is_not_kept(api: Api, model: Speaking, known: recollect.Memory) -> None:
    model.says.append(SAID)
    model.breaks_off = True
    with remembering(made(api, model), known, user_id="ana") as client:
        list(api.of(client).create(**api.asked, stream=True))
    assert turns(known) == []


@APIS
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_a_failing_memory_is_told_and_the_answer_comes(
    api: Api, streamed: bool, model: Speaking, known: recollect.Memory, caplog: pytest.LogCaptureFixture
) -> None:
    model.says.append(SAID)
    client = remembering(made(api, model), known, user_id="ana")
    known.close()
    with client, caplog.at_level(logging.WARNING, logger="recollect.client"):
        reply = api.of(client).create(**api.asked, stream=streamed)
        assert ("".join(map(_delta, reply)) if streamed else api.text(reply)) == SAID
    assert model.heard[0][next(iter(api.asked))] == next(iter(api.asked.values()))
    assert "could not recall: StoreClosed" in caplog.text
    assert ASKED not in caplog.text


@APIS
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_a_memory_that_fails_after_the_answer(
    api: Api, streamed: bool, model: Speaking, known: recollect.Memory, caplog: pytest.LogCaptureFixture
) -> None:
    """The store goes away while the model thinks."""
    model.says += [SAID, SAID]
    answer = model.answer

    def closing(*given: Any) -> Any:
        known.close()
        return answer(*given)

    model.answer = closing  # type: ignore[method-assign]
    try:
        with remembering(made(api, model), known, user_id="ana") as client:
            reply = api.of(client).create(**api.asked, stream=streamed)
            assert ("".join(map(_delta, reply)) if streamed else api.text(reply)) == SAID
    finally:
        del model.answer
    assert "could not remember: StoreClosed" in caplog.text
    assert SAID not in caplog.text


@APIS
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_strict_raises_before_the_model_is_asked_and_loses_no_answer(
    api: Api, streamed: bool, model: Speaking, known: recollect.Memory
) -> None:
    model.says.append(SAID)
    answer = model.answer

    def closing(*given: Any) -> Any:
        known.close()
        return answer(*given)

    with remembering(made(api, model), known, user_id="ana", strict=True) as client:
        model.answer = closing  # type: ignore[method-assign]
        heard: list[str] = []
        try:
            with pytest.raises(StoreClosed) as raised:
                heard += map(_delta, api.of(client).create(**api.asked, stream=streamed))
        finally:
            del model.answer
        reply = raised.value.reply  # type: ignore[attr-defined]
        assert ("".join(heard) if streamed else api.text(reply)) == SAID
        model.heard.clear()
        with pytest.raises(StoreClosed):
            api.of(client).create(**api.asked)
        assert model.heard == []


# -- what else a client does --


def test_a_client_made_from_it_remembers_too(model: Speaking, known: recollect.Memory) -> None:
    model.says += [SAID, SAID, SAID]
    given = made(CHAT, model)
    with remembering(given, known, user_id="ana") as client:
        client.with_options(timeout=5).chat.completions.create(**CHAT.asked)
        assert turns(known) == [ASKED, SAID]
        given.chat.completions.create(**CHAT.asked)  # the one that was given stays as it is
        raw = client.chat.completions.with_raw_response.create(**CHAT.asked)
        assert CHAT.text(raw.parse()) == SAID
    assert turns(known) == [ASKED, SAID]
    assert [KNOWN in CHAT.sent(body) for body in model.heard] == [True, False, False]


def test_requests_are_not_changed_and_may_be_generators(model: Speaking, known: recollect.Memory) -> None:
    model.says += [SAID, SAID]
    with remembering(made(CHAT, model), known, user_id="ana") as client:
        messages = [{"role": "user", "content": ASKED}]
        client.chat.completions.create(model="gpt-4o", messages=messages)
        assert messages == [{"role": "user", "content": ASKED}]
        client.chat.completions.create(model="gpt-4o", messages=(each for each in messages))
    assert [body["messages"][0]["role"] for body in model.heard] == ["system", "system"]
    assert [body["messages"][1]["content"] for body in model.heard] == [ASKED, ASKED]


def test_instructions_in_parts_stay_and_get_one_more(model: Speaking, known: recollect.Memory) -> None:
    model.says.append(SAID)
    parts = [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}]
    with remembering(made(MESSAGES, model), known, user_id="ana") as client:
        client.messages.create(**{**MESSAGES.asked, "system": parts})
    assert model.heard[0]["system"][0] == parts[0]
    assert KNOWN in model.heard[0]["system"][1]["text"]


def test_a_scoped_handle_cannot_act_for_others(model: Speaking, known: recollect.Memory) -> None:
    with made(CHAT, model) as client:
        for other in ({"user_id": "ben"}, {"project": "atlas"}):
            with pytest.raises(AccessDenied):
                remembering(client, known.scoped(user_id="ana"), **other)
        with pytest.raises(UsageError, match="openai or anthropic"):
            remembering(object(), known)
        with pytest.raises(UsageError, match="needs an open memory"):
            remembering(client, "memory.db")  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            remembering(client, known, user="ana")


def test_a_conversation_that_outgrows_the_window_is_compacted(memory: recollect.Memory, model: Speaking) -> None:
    model.says.append(SAID)
    talk = [
        {"role": role, "content": text}
        for number in range(12)
        for role, text in (("user", f"We decided that box {number} moves to Lima."), ("assistant", "Noted."))
    ]
    client = remembering(
        openai.OpenAI(api_key="k", base_url=f"{model.url}/v1"), memory, user_id="ana", session_id="s1", strict=True
    )
    client.chat.completions.create(model="gpt-4o", messages=[*talk, {"role": "user", "content": "And now?"}])
    kept = memory.get_all(filters={"source": {"eq": "compaction"}}, user_id="ana")
    assert any("Lima" in record.content for record in kept)
    assert len(model.heard[0]["messages"]) >= len(talk), "what is sent is the caller's to say"
