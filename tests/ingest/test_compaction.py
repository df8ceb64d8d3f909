"""A session's summary taken apart and kept: once, undone at once, and nothing twice that its turns said."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from recollect import Memory
from recollect.clock import from_us
from recollect.errors import ContentTooLarge, UsageError
from recollect.ingest.compaction_notes import SummaryLine, lines_of, notes_of
from recollect.interfaces.cli import main
from recollect.model.record import Record

NOW = from_us(1_780_000_000_000_000)
SUMMARY = """\
# Session summary
We worked on the login service with Ana.

## Decisions
- Use Postgres instead of MySQL because of JSON support
- Sessions expire after 30 days.

## Errors
- TypeError in auth.py when the token is None; fixed by a null check

## Gateway
- Tokens are signed with RS256
- Keys:
  - rotate every 90 days

## Next steps
1. Write the migration for the table users

```python
print("not a statement")
```
Thanks!
"""
KEPT = {
    "We worked on the login service with Ana.": "fact",
    "Use Postgres instead of MySQL because of JSON support": "decision",
    "Sessions expire after 30 days.": "decision",
    "TypeError in auth.py when the token is None; fixed by a null check": "error_pattern",
    "Gateway: Tokens are signed with RS256": "fact",
    "Gateway: Keys: rotate every 90 days": "fact",
    "To do: Write the migration for the table users": "work_state",
}


def kept(memory: Memory, **scope: Any) -> dict[str, Record]:
    return {record.content: record for record in memory.get_all(filters={"source": {"eq": "compaction"}}, **scope)}


def test_each_statement_becomes_a_record_of_the_session(memory: Memory) -> None:
    receipt = memory.compact(SUMMARY, session_id="s1", user_id="ana")
    found = kept(memory, user_id="ana")
    assert {content: record.category for content, record in found.items()} == KEPT
    assert {(each.kind.value, each.importance, each.session_id, each.role) for each in found.values()} == {
        ("episodic", 0.6, "s1", None)
    }
    assert set(receipt.ids) == {record.id for record in found.values()}
    assert kept(memory) == {}  # of somebody


def test_it_is_found_and_one_undo_takes_it_back(memory: Memory) -> None:
    receipt = memory.compact(SUMMARY, session_id="s1")
    assert "RS256" in memory.search("how are tokens signed?", top_k=3)[0].content
    assert memory.operations()[0].verb == "compact"
    memory.undo(receipt)
    assert kept(memory) == {}


def test_the_same_summary_again_changes_nothing(memory: Memory) -> None:
    first = memory.compact(SUMMARY, session_id="s1")
    before = kept(memory)
    again = memory.compact(SUMMARY, session_id="s1")
    assert again.operation is None
    assert set(again.merged) == set(again.ids) == set(first.ids)
    assert kept(memory) == before


def test_a_longer_summary_adds_what_is_new(memory: Memory) -> None:
    memory.compact(SUMMARY, session_id="s1")
    receipt = memory.compact(SUMMARY + "\n## Gateway\n- It listens on port 8443\n", session_id="s1")
    assert set(kept(memory)) - KEPT.keys() == {"Gateway: It listens on port 8443"}
    assert receipt.count == 1
    assert len(receipt.merged) == len(KEPT)


def test_what_a_turn_said_is_not_stored_twice(memory: Memory) -> None:
    said = memory.add({"role": "user", "content": "I use Rust.", "name": "Ana"}, session_id="s1")
    (statement,) = said.statements
    before = memory.get(statement)
    receipt = memory.compact("- Ana uses Rust\n- Ana deploys on Fridays", session_id="s1")
    assert receipt.merged == (statement,)
    assert set(kept(memory)) == {"Ana deploys on Fridays"}
    after = memory.get(statement)
    assert before is not None
    assert after is not None
    assert after.confidence == before.confidence  # the session is no second witness of itself
    assert after.importance == 0.6
    assert memory.compact("- Ana uses Rust", session_id="s1").operation is None


def test_another_session_is_a_witness(memory: Memory) -> None:
    (statement,) = memory.add({"role": "user", "content": "I use Rust.", "name": "Ana"}, session_id="s1").statements
    before = memory.get(statement)
    memory.compact("Ana uses Rust", session_id="s2")
    after = memory.get(statement)
    assert before is not None
    assert after is not None
    assert after.confidence > before.confidence
    assert memory.compact("Ana uses Rust", session_id="s2").operation is None


def test_what_stands_under_a_heading_still_meets_its_turn(memory: Memory) -> None:
    memory.add({"role": "user", "content": "I use Rust.", "name": "Ana"}, session_id="s1")
    memory.compact("## Tools\n- Ana uses Rust", session_id="s1")
    assert kept(memory) == {}


MESSAGES = [
    {"role": "system", "content": "You are a coding assistant."},
    {"role": "user", "name": "Ana", "content": "Hi! I decided to move the atlas project to Postgres 16. What now?"},
    {
        "role": "assistant",
        "content": "Sure, I changed it.",
        "tool_calls": [
            {"id": "1", "function": {"name": "edit_file", "arguments": '{"path": "db/config.py"}'}},
            {"id": "2", "function": {"name": "bash", "arguments": '{"command": "pytest -q"}'}},
        ],
    },
    {"role": "tool", "tool_call_id": "2", "content": "E   KeyError: 'dsn'\n2 failed, 8 passed in 0.4s"},
]


@pytest.mark.parametrize("given", [MESSAGES, {"messages": MESSAGES}, json.dumps(MESSAGES)])
def test_messages_are_summed_up_first(given: Any, memory: Memory) -> None:
    memory.compact(given, session_id="s1")
    assert {content: record.category for content, record in kept(memory).items()} == {
        "Ana decided to move the atlas project to Postgres 16": "decision",
        "Changed the file db/config.py": "fact",
        "Problem: KeyError: 'dsn'": "error_pattern",
    }


def test_a_long_conversation_leaves_a_bounded_number_of_records(memory: Memory) -> None:
    messages = [
        {
            "role": "user" if number % 2 == 0 else "assistant",
            "content": f"Ben moved box {number} to shelf {number % 9}.",
        }
        for number in range(2_000)
    ]
    assert 10 < len(memory.compact(messages, session_id="s1").ids) <= 1_000


def test_a_summary_that_states_nothing_is_skipped(memory: Memory) -> None:
    receipt = memory.compact("# Summary\n\nThanks! Ok.\n", session_id="s1")
    assert (receipt.operation, receipt.ids, receipt.skipped[0].reason) == (None, (), "nothing in it states anything")


@pytest.mark.parametrize("bad", ["", "  ", 5, None, b"\xff", [5], [{"role": 3, "content": "x"}], "a\x00b"])
def test_what_is_no_summary_is_refused(bad: Any, memory: Memory) -> None:
    with pytest.raises(UsageError):
        memory.compact(bad)
    assert kept(memory) == {}


def test_a_book_is_no_summary(memory: Memory) -> None:
    with pytest.raises(ContentTooLarge, match="ingest"):
        memory.compact("Ana reads. " * 200_000)


def test_our_own_context_does_not_come_back(memory: Memory, tmp_path: Path) -> None:
    from recollect.model.fence import Shown, fenced, sealing_key
    from recollect.model.scope import GLOBAL

    key = sealing_key(memory._engine.ingest._echoes._key, GLOBAL)
    block = fenced([Shown("1b9d6bcd-bbfd-4b2d-9b5d-ab8dfcbb4bed", "Ben lives in Rome since 2021")], key)
    memory.compact(f"{block}\n\n- Ana deploys on Fridays", session_id="s1")
    assert set(kept(memory)) == {"Ana deploys on Fridays"}


@pytest.mark.parametrize(
    ("summary", "expected"),
    [
        ("Ana uses Rust and Ben uses Go.", ["Ana uses Rust", "Ben uses Go"]),
        ("**Preferences:**\n- tabs over spaces", ["Preference: tabs over spaces"]),
        (
            "Decisions:\n- Postgres for the ledger\n- Cache:\n  - Redis with 2 replicas\n- one region only",
            [
                "Decision: Postgres for the ledger",
                "Decision: Cache: Redis with 2 replicas",
                "Decision: one region only",
            ],
        ),
        ("Ana wants to deploy on Friday. Should we wait?", ["Ana wants to deploy on Friday."]),
        ("- Fixed the TypeError in auth.py", ["Fixed the TypeError in auth.py"]),
        ("- Fixed the TypeError in auth.py\n* fixed the TypeError in auth.py", ["Fixed the TypeError in auth.py"]),
    ],
)
def test_summaries_are_taken_apart(summary: str, expected: list[str]) -> None:
    assert [note.text for note in notes_of(lines_of(summary), now=NOW)] == expected


def test_what_people_said_is_told_of_them_by_name() -> None:
    said = [
        SummaryLine("I moved to Oslo in 2021.", speaker="Ana", role="user"),
        SummaryLine("Sounds great!", role="assistant"),
    ]
    assert [note.text for note in notes_of(said, now=NOW)] == ["Ana moved to Oslo in 2021"]


def test_the_shell_reads_a_summary_from_stdin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "fake")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"## Decisions\n- Postgres for the ledger\n")))
    assert main(["--db", str(tmp_path / "m.db"), "-o", "json", "compact", "-", "--session-id", "s1"]) == 0
    assert json.loads(capsys.readouterr().out)["results"][0]["memory"] == "Decision: Postgres for the ledger"


def test_a_session_with_notes_is_consolidated_like_any_other(memory: Memory) -> None:
    memory.add({"role": "user", "content": "I use Rust.", "name": "Ana"}, session_id="s1")
    memory.compact(SUMMARY, session_id="s1")
    memory.consolidate(session_id="s1")
    assert set(kept(memory)) == KEPT.keys()
