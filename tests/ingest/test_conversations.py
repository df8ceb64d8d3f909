"""Exported conversations: turns of their sessions, each once however often they are exported, and one undo."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from recollect import Memory
from recollect.model.record import Record


def conversation(*texts: str) -> dict[str, Any]:
    messages = [
        {
            "uuid": f"m{at}",
            "sender": "assistant" if at % 2 else "human",
            "text": text,
            "created_at": f"2026-05-0{at + 1}T10:00:00Z",
        }
        for at, text in enumerate(texts)
    ]
    return {"uuid": "c1", "name": "Editors", "chat_messages": messages}


@pytest.fixture
def export(tmp_path: Path) -> Path:
    file = tmp_path / "export.json"
    file.write_text(json.dumps([conversation("I moved to Helix", "Noted.")]), encoding="utf-8")
    return file


def turns(memory: Memory) -> list[Record]:
    return sorted(memory.get_all(kinds=["episodic"]), key=lambda record: str(record.event_time))


def test_a_chat_export_becomes_turns_of_its_session(export: Path, memory: Memory) -> None:
    receipt = memory.ingest(export)
    said = turns(memory)
    assert [(turn.content, turn.role, turn.session_id) for turn in said] == [
        ("I moved to Helix", "user", "c1"),
        ("Noted.", "assistant", "c1"),
    ]
    assert said[0].place is not None
    assert (said[0].place.section_path, said[0].place.anchor) == (("Editors",), "m0")
    assert {edge.label for edge in memory.related(said[0].id).edges} >= {"follows"}
    assert set(receipt.ids) >= {turn.id for turn in said}


def test_a_longer_export_adds_only_what_is_new(export: Path, memory: Memory) -> None:
    memory.ingest(export)
    longer = export.with_name("later.json")
    longer.write_text(json.dumps([conversation("I moved to Helix", "Noted.", "And to fish.")]), encoding="utf-8")
    receipt = memory.ingest(longer)
    assert [turn.content for turn in turns(memory)] == ["I moved to Helix", "Noted.", "And to fish."]
    assert memory.ingest(longer).count == 0
    assert memory.ingest(export).count == 0
    memory.undo(receipt)
    assert [turn.content for turn in turns(memory)] == ["I moved to Helix", "Noted."]


def test_one_undo_takes_documents_and_conversations_back(export: Path, memory: Memory) -> None:
    (export.parent / "guide.md").write_text("# Guide\n\nFill the kettle with cold water.\n", encoding="utf-8")
    receipt = memory.ingest(export.parent)
    assert turns(memory)
    assert len(receipt.ids) > len(turns(memory))
    assert [op.verb for op in memory.operations()] == ["ingest"]
    memory.undo(receipt)
    assert not list(memory.get_all())


def test_turns_without_a_session_belong_to_the_one_given(tmp_path: Path, memory: Memory) -> None:
    lines = [{"role": "user", "content": "Ben likes tea"}, {"role": "assistant", "content": "Good to know"}]
    file = tmp_path / "chat.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    memory.ingest(file, session_id="s7")
    assert {turn.session_id for turn in turns(memory)} == {"s7"}
    memory.ingest(file, user_id="ben")
    own = memory.get_all(kinds=["episodic"], user_id="ben", filters={"user_id": "ben"})
    assert {turn.session_id for turn in own} == {"chat.jsonl"}


def test_the_same_words_at_another_place_are_another_turn(tmp_path: Path, memory: Memory) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_text(
        "\n".join(json.dumps({"role": "user", "content": text}) for text in ("tea", "tea")), encoding="utf-8"
    )
    memory.ingest(file)
    assert [turn.content for turn in turns(memory)] == ["tea", "tea"]
    with file.open("a", encoding="utf-8") as more:
        more.write("\n" + json.dumps({"role": "user", "content": "tea"}))
    memory.ingest(file)
    assert [turn.content for turn in turns(memory)] == ["tea"] * 3


def test_a_dry_run_counts_turns(export: Path, memory: Memory) -> None:
    assert memory.ingest(export, dry_run=True).count == 2
    assert turns(memory) == []
