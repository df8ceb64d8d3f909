"""What Claude Code 2.1.197 sent to its hooks, replayed: what is taken in of each event, and what is given back.

The payloads were recorded in two headless sessions (`recorded/`); only their folders were renamed.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from sessions import hook, repository, told

import recollect
from recollect.facade.observing import hooked
from recollect.memory import Memory
from recollect.providers.tokens import counter_for

RECORDED = Path(__file__).parent / "recorded" / "claude_code_2_1_197.jsonl"
HOME = "/home/ana/shop"
MAY_SPEAK = {
    "SessionStart": 1_500,
    "UserPromptSubmit": 600,
    "PreToolUse": 300,
    "PostToolUse": 300,
    "PostToolUseFailure": 300,
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return repository(tmp_path / "shop", a__py="def f():\n    return 1\n")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


def payloads(shop: Path) -> list[dict[str, Any]]:
    lines = RECORDED.read_text(encoding="utf-8").replace(HOME, str(shop)).splitlines()
    return [json.loads(line) for line in lines]


def opened(store: Path) -> Memory:
    return recollect.open(store, embedder="fake", background=False)


def warned(store: Path) -> None:
    with opened(store) as memory:
        for number in range(20):
            files = {"related_files": ["a.py"]}
            kept = memory.add(f"Mind {number} the cache. " * 40, category="gotcha", metadata=files, project="shop")
            memory.confirm(kept.id)


@pytest.mark.parametrize("served", [False, True])
def test_what_is_taken_in_of_each_event(store: Path, shop: Path, served: bool) -> None:
    if served:
        with opened(store) as memory:
            for each in payloads(shop):
                hooked(memory, "claude-code", each)
    else:
        for each in payloads(shop):
            hook(each, store)
    with opened(store) as memory:
        sessions = memory.observed(limit=5)
        assert [(each.client, each.project, each.steps, each.errors) for each in sessions] == [
            ("claude-code", "shop", 6, 2)
        ] * 2
        assert all(each.ended_at is not None for each in sessions)
        assert {signal.subject for signal in sessions[0].signals if signal.kind == "file_access"} == {"a.py", "n.txt"}
        with memory._engine.store.read() as tx:
            pk = tx.observed.sessions(None, limit=1)[0].pk
            kinds = Counter(each.type for each in tx.observed.events(pk))
        assert kinds == {"session_start": 1, "prompt": 1, "tool": 4, "tool_failed": 2, "stop": 1, "session_end": 1}
        for each in payloads(shop):
            hooked(memory, "claude-code", each)
        assert [each.steps for each in memory.observed(limit=5)] == [6, 6]  # told again, nothing is counted twice


def test_what_is_given_back_keeps_to_its_events_and_tokens(store: Path, shop: Path) -> None:
    first, *rest = payloads(shop)
    hook(first, store)
    warned(store)
    counter, spoke = counter_for("gpt-4o"), Counter[str]()
    for each in (first, *rest):
        answer = hook(each, store)
        event = each["hook_event_name"]
        if text := told(answer):
            assert json.loads(answer)["hookSpecificOutput"]["hookEventName"] == event
            assert counter.count(text) <= MAY_SPEAK[event]
            spoke[event] += 1
    assert spoke["SessionStart"] == 2
    assert spoke["PreToolUse"] + spoke["PostToolUse"] == 2  # the warnings of a.py, once in each session
    assert not spoke.keys() & {"Stop", "SessionEnd", "PreCompact"}
