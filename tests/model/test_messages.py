"""Messages of every provider, read into one form; what is no text becomes a word, what is no message is refused."""

from __future__ import annotations

import base64
import time
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.errors import ContentTooLarge, UsageError
from recollect.model.messages import Call, Message, read_message, read_messages, text_of

PICTURE = base64.b64encode(bytes(range(256)) * 140).decode()  # 35 KB


def said(given: Any) -> list[tuple[str, str]]:
    return [(message.role, message.said) for message in read_messages(given)]


def nested(depth: int) -> dict[str, Any]:
    inner: dict[str, Any] = {"text": "deep"}
    for _ in range(depth):
        inner = {"content": inner}
    return inner


def test_plain_texts_are_the_users() -> None:
    assert said("hello") == [("user", "hello")]
    assert said(["one", b"two"]) == [("user", "one"), ("user", "two")]
    assert read_messages(None) == read_messages([]) == ()


def test_openai_calls_and_results_are_read() -> None:
    asked, answered = read_messages(
        [
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "c1",
                        "type": "function",
                        "function": {"name": "bash", "arguments": '{"command": "pytest -q"}'},
                    }
                ],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "3 failed"},
        ]
    )
    assert asked.calls == (Call(name="bash", arguments='{"command": "pytest -q"}', id="c1"),)
    assert (asked.told, answered.result_of, answered.is_result) == ("[ran pytest -q]", "c1", True)


def test_the_older_function_call_and_a_refusal_are_read() -> None:
    called, refused = read_messages(
        [
            {"role": "assistant", "content": "", "function_call": {"name": "weather", "arguments": '{"city": "Oslo"}'}},
            {"role": "assistant", "content": None, "refusal": "I cannot help with that."},
        ]
    )
    assert called.told == "[called weather(city=Oslo)]"
    assert refused.text == "I cannot help with that."


def test_anthropic_blocks_are_read_and_thoughts_left_out() -> None:
    (message,) = read_messages(
        [
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "hm", "signature": "x"},
                    {"type": "text", "text": "Look:"},
                    {"type": "tool_use", "id": "t1", "name": "Edit", "input": {"file_path": "src/a.py"}},
                ],
            }
        ]
    )
    assert message.told == "Look:\n[edited src/a.py]"
    assert message.calls[0].changed == "src/a.py"


def test_a_result_inside_a_persons_message_is_a_message_of_its_own() -> None:
    result, person = read_messages(
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "t1",
                    "is_error": True,
                    "content": [
                        {"type": "text", "text": "no such file"},
                        {"type": "image", "source": {"type": "base64", "data": PICTURE}},
                    ],
                },
                {"type": "text", "text": "go on"},
            ],
        }
    )
    assert (result.result_of, result.failed, result.said) == ("t1", True, "no such file\n[image, 35 KB]")
    assert (person.is_person, person.said) == (True, "go on")


def test_a_call_that_is_written_twice_is_one_call() -> None:
    (message,) = read_messages(
        [
            {
                "type": "ai",
                "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}],
                "tool_calls": [{"id": "t1", "name": "f", "args": {}}],
            }
        ]
    )
    assert len(message.calls) == 1


def test_ids_and_times_that_are_no_texts_do_no_harm() -> None:
    (message,) = read_messages({"role": "tool", "tool_call_id": 10**5_000, "content": "x", "timestamp": 10**400})
    assert message.result_of
    assert message.at is None


def test_items_of_the_responses_api_are_read() -> None:
    read = read_messages(
        [
            {
                "type": "message",
                "role": "user",
                "content": [
                    {"type": "input_text", "text": "what is this?"},
                    {"type": "input_image", "image_url": "data:…"},
                ],
            },
            {"type": "reasoning", "summary": []},
            {"type": "function_call", "call_id": "f1", "name": "look", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "f1", "output": "a cat"},
        ]
    )
    assert [(each.role, each.said) for each in read] == [
        ("user", "what is this?\n[image]"),
        ("assistant", ""),
        ("tool", "a cat"),
    ]
    assert read[1].calls[0].id == read[2].result_of == "f1"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"type": "human", "content": "hey"}, [("user", "hey")]),
        ({"type": "ai", "data": {"content": "yo"}}, [("assistant", "yo")]),
        ({"lc": 1, "id": ["langchain", "messages", "HumanMessage"], "kwargs": {"content": "x"}}, [("user", "x")]),
        ({"role": "model", "parts": [{"text": "a"}, {"text": "b"}]}, [("model", "a\nb")]),
        ({"from": "gpt", "value": "shared"}, [("gpt", "shared")]),
        ({"messages": [{"role": "user", "content": "q"}], "system": "Be!"}, [("system", "Be!"), ("user", "q")]),
        ({"role": "oracle", "content": "fog"}, [("oracle", "fog")]),
        ({"role": "user", "content": {"text": "inner"}}, [("user", "inner")]),
        (
            {"role": "user", "content": [{"type": "document", "source": {"type": "text", "data": "a report"}}]},
            [("user", "a report")],
        ),
    ],
)
def test_other_forms_are_read(given: Any, expected: list[tuple[str, str]]) -> None:
    assert said(given) == expected


def test_geminis_calls_and_answers_are_read() -> None:
    called, answered = read_messages(
        [
            {"role": "model", "parts": [{"functionCall": {"name": "find", "args": {"query": "tea"}}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "find", "response": {"shops": 2}}}]},
        ]
    )
    assert called.told == "[find tea]"
    assert (answered.is_result, answered.name, answered.text) == (True, "find", '{"shops":2}')


def test_who_has_an_unknown_role_is_a_person_and_instructions_are_nobodys() -> None:
    oracle, developer, assistant = read_messages(
        [{"role": role, "content": "x"} for role in ("oracle", "developer", "Assistant")]
    )
    assert [each.is_person for each in (oracle, developer, assistant)] == [True, False, False]
    assert developer.is_system
    assert not assistant.is_system


@pytest.mark.parametrize("empty", ["", "  \n", None, [], [{"type": "thinking", "thinking": "hm"}]])
def test_empty_messages_vanish(empty: Any) -> None:
    assert read_messages([{"role": "user", "content": empty}, {"role": "assistant"}]) == ()


def test_binary_becomes_a_word() -> None:
    assert said({"role": "tool", "content": f"before {PICTURE} after"}) == [("tool", "before [binary, 35 KB] after")]
    assert said(f"see data:image/png;base64,{PICTURE} there") == [("user", "see [image, 35 KB] there")]
    assert said({"role": "tool", "content": b"\x89PNG\xff\xfe"}) == [("tool", "[binary]")]
    assert said({"role": "tool", "content": "\x01\x02\x7f\x03" * 500})[0][1].startswith("[binary")
    wrapped = "\n".join(PICTURE[at : at + 76] for at in range(0, 4_000, 76))
    assert said({"role": "tool", "content": f"cert:\n{wrapped}"})[0][1].startswith("cert:\n[binary, ")


def test_what_people_paste_and_mean_stays() -> None:
    key = "ssh-rsa " + PICTURE[:372]
    assert said(f"my key is {key}") == [("user", f"my key is {key}")]
    assert said("a" * 5_000) == [("user", "a" * 5_000)]


def test_nul_and_half_characters_are_cleaned() -> None:
    assert said("a\x00b \ud83d c") == [("user", "ab � c")]
    assert said("\ud83d\ude00") == [("user", "😀")]


def test_when_and_by_whom_it_was_said() -> None:
    (one, other) = read_messages(
        [
            {"role": "user", "content": "x", "name": "Ana", "timestamp": "2026-05-03T10:00:00Z"},
            {"role": "user", "content": "y", "timestamp": "the day nobody remembers"},
        ]
    )
    assert (one.name, one.at) == ("Ana", datetime(2026, 5, 3, 10, tzinfo=UTC))
    assert other.at is None


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        (5, "message 0: expected a text or an object"),
        (["fine", ["nested"]], "message 1: expected a text or an object"),
        ([{"role": 5, "content": "x"}], "message 0: its role must be a text"),
        ([{"role": "user", "content": 5}], "message 0: its content must be a text or a list of parts, not int"),
        ([{"role": "assistant", "content": "x", "tool_calls": "f"}], "tool_calls must be a list"),
        ([{"role": "assistant", "content": "x", "tool_calls": ["f"]}], "a tool call must be an object"),
        ([{"role": "user", "content": [[[[[[[[[[[["deep"]]]]]]]]]]]]}], "nested deeper"),
        ([{"role": "user", "content": nested(5_000)}], "nested deeper"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(bad: Any, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        read_messages(bad)


def test_the_parts_of_a_message_are_bounded() -> None:
    with pytest.raises(ContentTooLarge, match="parts"):
        read_messages([{"role": "user", "content": [{"type": "text", "text": "x"}] * 10_001}])


def test_objects_of_client_libraries_are_read() -> None:
    class Answer:
        def model_dump(self) -> dict[str, Any]:
            return {"role": "assistant", "content": "hi", "tool_calls": None}

    assert said([Answer()]) == [("assistant", "hi")]


def test_ten_megabytes_are_read_in_a_moment() -> None:
    hostile = "Aa1" * 85 + " "  # runs that are almost long enough to be data
    start = time.process_time()
    read_messages([{"role": "tool", "content": hostile * (10_000_000 // len(hostile))}])
    assert time.process_time() - start < 3  # 0.2 s on a quiet machine


def test_messages_that_were_read_are_taken_as_they_are() -> None:
    message = Message(role="user", text="x")
    assert read_messages([message, Message(role="user")]) == (message,)
    assert text_of([{"type": "text", "text": "a"}, {"type": "image"}]) == "a"
    assert read_message("") == []


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.binary(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "role",
                    "content",
                    "type",
                    "text",
                    "parts",
                    "tool_calls",
                    "name",
                    "id",
                    "data",
                    "source",
                    "kwargs",
                    "output",
                ]
            ),
            inner | st.sampled_from(["tool_use", "tool_result", "image", "human", "function_call", "user", "tool"]),
            max_size=5,
        )
    ),
    max_leaves=20,
)


@given(_json)
def test_anything_is_read_or_refused(given: Any) -> None:
    try:
        read = read_messages(given)
    except UsageError:
        return
    for message in read:
        message.said.encode("utf-8")
        assert "\x00" not in message.said + message.told
        assert message.role
