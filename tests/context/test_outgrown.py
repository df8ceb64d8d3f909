"""A conversation that outgrows the window is compacted by itself, once, wherever it is handed over."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.memory import Memory

ANA = {"user_id": "ana"}
TOWNS = [
    "Lima",
    "Oslo",
    "Porto",
    "Rome",
    "Bern",
    "Kyoto",
    "Quito",
    "Turin",
    "Lyon",
    "Graz",
    "Riga",
    "Cork",
    "Bonn",
    "Nice",
]


def talk(exchanges: int, start: int = 0) -> list[dict[str, Any]]:
    return [
        message
        for number in range(start, start + exchanges)
        for message in (
            {"role": "user", "content": f"We decided that warehouse {number} moves to {TOWNS[number % len(TOWNS)]}."},
            {"role": "assistant", "content": f"Warehouse {number} is in the plan now."},
        )
    ]


def kept(memory: Memory) -> list[str]:
    found = memory.get_all(filters={"source": {"eq": "compaction"}}, limit=500, **ANA)
    return [record.content for record in found.records]


@pytest.mark.parametrize("way", ["block", "calls"])
def test_what_outgrows_the_window_is_kept_once(tmp_path: Path, way: str) -> None:
    def turn(memory: Memory, history: list[dict[str, Any]]) -> int | None:
        if way == "calls":
            begun = memory.turns.begin("And now?", history=history, session_id="s1", **ANA)
            memory.turns.end(begun.id, "We go on.")
            return begun.compacted
        with memory.turn("And now?", history=history, session_id="s1", **ANA) as block:
            block.answer("We go on.")
        return None if block.compacted is None else block.compacted.messages

    with recollect.open(tmp_path / "m.db", embedder="fake", background=False) as memory:
        assert turn(memory, talk(10)) is None, "20 messages fit"
        assert kept(memory) == []
        assert turn(memory, talk(11)) == 16, "all but the newest 6"
        first = kept(memory)
        assert any("Lima" in each for each in first)
        assert not any("warehouse 10 " in each for each in first)
        assert turn(memory, talk(12)) is None, "it has to outgrow it again"
        assert turn(memory, talk(19)) == 32
        assert len(kept(memory)) > len(first)
    with recollect.open(tmp_path / "m.db", embedder="fake", background=False) as memory:
        before = sorted(kept(memory))
        turn(memory, talk(19))
        assert sorted(kept(memory)) == before, "after a restart it is found to be known"


def test_few_long_messages_outgrow_it_too(tmp_path: Path) -> None:
    config = {"context.compact_tokens": 400, "context.compact_keep": 2}
    with recollect.open(tmp_path / "m.db", embedder="fake", background=False, config=config) as memory:
        with memory.turn("And now?", history=talk(6), session_id="s1", **ANA) as turn:
            turn.answer("We go on.")
        assert turn.compacted is None
        long = [{"role": "user", "content": f"{each['content']} " + "It is settled. " * 60} for each in talk(3)]
        with memory.turn("And now?", history=long, session_id="s1", **ANA) as turn:
            turn.answer("We go on.")
        assert turn.compacted is not None
        assert turn.compacted.messages == 4


def test_a_turn_that_fails_compacts_nothing(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "m.db", embedder="fake", background=False) as memory:
        with pytest.raises(RuntimeError), memory.turn("And now?", history=talk(30), session_id="s1", **ANA):
            raise RuntimeError
        assert kept(memory) == []
        assert memory.turn("x", history=talk(30), **ANA).compacted is None, "without a session nothing is compacted"


def test_a_result_stays_with_its_call(tmp_path: Path) -> None:
    call = {"id": "c1", "function": {"name": "pytest", "arguments": "{}"}}
    tools = [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        *({"role": "tool", "tool_call_id": "c1", "content": f"{number} failed"} for number in range(6)),
    ]
    with recollect.open(tmp_path / "m.db", embedder="fake", background=False) as memory:
        begun = memory.turns.begin("And now?", history=[*talk(10), *tools], session_id="s1", **ANA)
        assert begun.compacted == 20
