"""From what `add` is given to rows: texts, messages, lists of both."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import orjson
import pytest

from recollect.clock import DAY_US, to_us
from recollect.errors import ContentTooLarge, UsageError
from recollect.ingest.drafts import FIELDS, Drafts, draft
from recollect.limits import MESSAGES_PER_ADD_MAX
from recollect.security.screening.policy import Privacy

NOW = to_us(datetime(2026, 5, 13, 12, tzinfo=UTC))
YESTERDAY = to_us(datetime(2026, 5, 12, tzinfo=UTC))


def drafted(given: Any, *, timestamp: Any = None, **shared: Any) -> Drafts:
    return draft(given, shared, timestamp=timestamp, now=NOW, bytes_max=1_000, parts_max=4, privacy=Privacy())


def test_a_text_is_a_statement_true_from_now_on() -> None:
    (row,) = drafted("Ana lives in Oslo").rows
    assert (row.content, row.kind, row.category, row.role) == ("Ana lives in Oslo", "semantic", "fact", None)
    assert (row.created_at, row.event_time, row.valid_from, row.valid_until) == (NOW, None, NOW, None)


def test_a_message_with_a_role_is_a_turn() -> None:
    out = drafted({"role": "user", "content": "hello", "name": "Ana"})
    (row,) = out.rows
    assert (row.kind, row.category, row.source, row.role, row.speaker) == (
        "episodic",
        "turn",
        "conversation",
        "user",
        "Ana",
    )
    assert out.turns == [0]


def test_a_message_without_a_role_is_a_statement_with_fields() -> None:
    out = drafted({"content": "tea", "kind": "opinion", "confidence": 0.5})
    assert (out.rows[0].kind, out.rows[0].category, out.rows[0].confidence) == ("opinion", "preference", 0.5)
    assert out.turns == []


def test_texts_and_messages_mix_and_only_turns_follow_one_another() -> None:
    out = drafted(["note", {"role": "user", "content": "a"}, {"content": "b"}, {"role": "assistant", "content": "c"}])
    assert [row.content for row in out.rows] == ["note", "a", "b", "c"]
    assert out.turns == [1, 3]
    assert len({row.id for row in out.rows}) == 4


def test_shared_fields_hold_for_all_and_a_message_has_the_last_word() -> None:
    one, other = drafted(
        ["a", {"role": "user", "content": "b", "importance": 0.9, "kind": "semantic", "metadata": {"x": 2, "y": 3}}],
        importance=0.1,
        tags=["t"],
        metadata={"x": 1, "z": 0},
    ).rows
    assert (one.importance, other.importance, one.tags, other.tags) == (0.1, 0.9, '["t"]', '["t"]')
    assert other.kind == "semantic"
    assert orjson.loads(other.metadata) == {"x": 2, "y": 3, "z": 0}


def test_a_timestamp_says_when_it_happened_and_from_when_it_is_true() -> None:
    own, shared = drafted(
        [{"role": "user", "content": "a", "timestamp": "2026-01-01"}, {"role": "user", "content": "b"}],
        timestamp="yesterday",
    ).rows
    assert own.event_time == own.valid_from == to_us(datetime(2026, 1, 1, tzinfo=UTC))
    assert shared.event_time == shared.valid_from == YESTERDAY


def test_words_for_times_are_counted_from_the_given_now() -> None:
    (row,) = drafted({"content": "x", "valid_from": "yesterday", "valid_until": "tomorrow"}).rows
    assert (row.valid_from, row.valid_until) == (YESTERDAY, YESTERDAY + 2 * DAY_US)


def test_an_end_alone_may_lie_in_the_past() -> None:
    (row,) = drafted("he was mayor", valid_until="2020-01-01").rows
    assert (row.valid_from, row.valid_until) == (None, to_us(datetime(2020, 1, 1, tzinfo=UTC)))
    for given in ({"valid_from": "2021-01-01"}, {"timestamp": "2021-01-01"}):
        with pytest.raises(UsageError, match="before it begins"):
            drafted("he was mayor", valid_until="2020-01-01", **given)


def test_blocks_of_a_message_are_joined_and_other_media_left_out() -> None:
    blocks = [{"type": "text", "text": "look:"}, {"type": "image", "url": "…"}, {"type": "text", "text": "a cat"}]
    (row,) = drafted({"role": "user", "content": blocks}).rows
    assert row.content == "look:\na cat"


def test_calls_of_tools_are_part_of_the_machines_turn_and_results_turns_of_their_own() -> None:
    out = drafted(
        [
            {
                "role": "assistant",
                "content": "Let me see.",
                "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls -a"}'}}
                ],
            },
            {"role": "tool", "tool_call_id": "c1", "name": "bash", "content": "a.py\x00"},
            {
                "role": "user",
                "name": "Ana",
                "content": [
                    {"type": "tool_result", "tool_use_id": "c1", "content": "b.py"},
                    {"type": "text", "text": "good"},
                ],
            },
        ]
    )
    assert [(row.role, row.content) for row in out.rows] == [
        ("assistant", "Let me see.\n[ran ls -a]"),
        ("tool", "a.py"),
        ("tool", "b.py"),
        ("user", "good"),
    ]
    assert out.turns == [0, 1, 2, 3]


def test_a_call_alone_is_a_turn() -> None:
    (row,) = drafted({"role": "assistant", "content": None, "function_call": {"name": "now", "arguments": "{}"}}).rows
    assert (row.role, row.content) == ("assistant", "[called now({})]")


def test_items_with_a_type_are_turns() -> None:
    (row,) = drafted([{"type": "function_call_output", "call_id": "c1", "output": "42"}]).rows
    assert (row.role, row.content) == ("tool", "42")


@pytest.mark.parametrize("content", ["", "  ", None, [], [{"type": "image"}]])
def test_an_empty_message_is_skipped_and_alone_it_is_refused(content: Any) -> None:
    out = drafted([{"role": "user", "content": content}, "kept"])
    assert [(s.index, s.reason) for s in out.skipped] == [(0, "empty message")]
    assert [row.content for row in out.rows] == ["kept"]
    with pytest.raises(UsageError, match="nothing to remember"):
        drafted({"role": "user", "content": content})


@pytest.mark.parametrize(
    "given", [[], (), "", 5, None, [["nested"]], [5], {"role": "user", "content": 5}, {"text": "x"}]
)
def test_what_cannot_be_remembered_is_refused(given: Any) -> None:
    with pytest.raises(UsageError):
        drafted(given)


def test_a_bad_item_is_named_by_its_place() -> None:
    with pytest.raises(UsageError, match="item 2: unknown key 'mood'"):
        drafted(["a", "b", {"role": "user", "content": "c", "mood": "fine"}])
    with pytest.raises(ContentTooLarge, match="item 1"):
        drafted(["a", "b" * 2_000])


def test_a_call_takes_a_bounded_number_of_items() -> None:
    with pytest.raises(ContentTooLarge, match="in portions"):
        drafted(["x"] * (MESSAGES_PER_ADD_MAX + 1))


@pytest.mark.parametrize("name", sorted(FIELDS))
def test_every_field_is_checked(name: str) -> None:
    with pytest.raises(UsageError):
        drafted("x", **{name: object()})
