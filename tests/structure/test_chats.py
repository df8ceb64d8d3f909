"""Exported conversations become turns with speakers, times and sessions."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from recollect.structure.parse import pieces_of
from recollect.structure.piece import Parsed


def read(tmp_path: Path, given: Any, name: str = "conversations.json") -> Parsed:
    file = tmp_path / name
    file.write_text(given if isinstance(given, str) else json.dumps(given), encoding="utf-8")
    return pieces_of(file)


def node(parent: str | None, children: list[str], role: str, text: str, at: float = 0.0) -> dict[str, Any]:
    content = {"content_type": "text", "parts": [text]}
    message = {"id": f"m-{text}", "author": {"role": role}, "create_time": at, "content": content}
    return {"parent": parent, "children": children, "message": message}


def chatgpt(current: str | None) -> list[dict[str, Any]]:
    mapping = {
        "root": {"parent": None, "children": ["s"], "message": None},
        "s": node("root", ["q"], "system", "Be kind."),
        "q": node("s", ["a1", "a2"], "user", "Which editor?", 1_700_000_000.5),
        "a1": node("q", [], "assistant", "First attempt", 1_700_000_001),
        "a2": node("q", [], "assistant", "Second attempt", 1_700_000_002),
    }
    return [{"title": "Editors", "conversation_id": "c1", "mapping": mapping, "current_node": current}]


def test_of_a_chatgpt_conversation_the_branch_counts_that_was_shown(tmp_path: Path) -> None:
    parsed = read(tmp_path, chatgpt("a1"))
    assert parsed.format == "chat"
    assert [(turn.role, turn.text, turn.session) for turn in parsed.turns] == [
        ("user", "Which editor?", "c1"),
        ("assistant", "First attempt", "c1"),
    ]
    assert parsed.turns[0].at == datetime.fromtimestamp(1_700_000_000.5, UTC)
    assert parsed.turns[0].place.section_path == ("Editors",)
    assert parsed.notes == ("1 entries are no messages of a person or an assistant",)


def test_without_a_current_message_the_newest_branch_counts(tmp_path: Path) -> None:
    assert [turn.text for turn in read(tmp_path, chatgpt(None)).turns] == ["Which editor?", "Second attempt"]


def test_a_conversation_that_runs_in_a_circle_ends(tmp_path: Path) -> None:
    given = chatgpt("a1")
    given[0]["mapping"]["q"]["parent"] = "a1"
    assert [turn.text for turn in read(tmp_path, given).turns] == ["Which editor?", "First attempt"]


def test_a_claude_export(tmp_path: Path) -> None:
    messages = [
        {"uuid": "1", "sender": "human", "text": "Hello", "content": [], "created_at": "2026-05-03T10:00:00Z"},
        {
            "uuid": "2",
            "sender": "assistant",
            "text": "",
            "content": [{"type": "text", "text": "Hi Ana"}, {"type": "x"}],
        },
    ]
    parsed = read(tmp_path, [{"uuid": "c9", "name": "Greeting", "chat_messages": messages}])
    assert [(turn.role, turn.text, turn.session) for turn in parsed.turns] == [
        ("user", "Hello", "c9"),
        ("assistant", "Hi Ana", "c9"),
    ]
    assert parsed.turns[0].at == datetime(2026, 5, 3, 10, tzinfo=UTC)


def test_lines_of_messages(tmp_path: Path) -> None:
    lines = [
        {"role": "user", "content": "I use Rust", "name": "Ana", "timestamp": 1_700_000_000_000, "session_id": "s1"},
        {"role": "assistant", "content": [{"type": "text", "text": "Noted"}], "session_id": "s1"},
        {"role": "tool", "content": "42", "session_id": "s1"},
        {"role": "user", "content": "   ", "session_id": "s2"},
    ]
    parsed = read(tmp_path, "\n".join(map(json.dumps, lines)) + "\nnot json\n", "chat.jsonl")
    assert [(turn.speaker, turn.text, turn.session) for turn in parsed.turns] == [
        ("Ana", "I use Rust", "s1"),
        (None, "Noted", "s1"),
    ]
    assert parsed.turns[0].at == datetime.fromtimestamp(1_700_000_000, UTC)
    assert "1 lines are not JSON, the first is line 5" in parsed.notes
    assert parsed.turns[0].to_message()["content"] == "I use Rust"


def test_what_add_takes_a_turn_for(memory: Any, tmp_path: Path) -> None:
    parsed = read(tmp_path, chatgpt("a1"))
    receipt = memory.add([turn.to_message() for turn in parsed.turns], user_id="ana", session_id="c1")
    assert receipt.count == 2
    (first, _) = sorted(memory.get_all(user_id="ana").records, key=lambda record: record.event_time)
    assert (first.role, first.content) == ("user", "Which editor?")


def test_json_nested_without_end_is_refused_not_followed(tmp_path: Path) -> None:
    deep = '{"role": "user", "content": ' + "[" * 100_000 + "]" * 100_000 + "}"
    assert "no messages" in (read(tmp_path, deep, "chat.jsonl").skipped or "")


def test_other_json_is_data(tmp_path: Path) -> None:
    parsed = read(tmp_path, '{"name": "atlas", "version": 3}', "package.json")
    assert (parsed.format, parsed.language, len(parsed.pieces)) == ("code", "json", 1)
