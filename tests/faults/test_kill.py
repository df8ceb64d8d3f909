"""Processes on one file, killed without warning: what was acknowledged is there, and the file is sound."""

from __future__ import annotations

import random
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from properties.tables import assert_indexes_agree, assert_sound, open_quick

from faults.processes import heard, rest, started
from recollect.memory import Memory


def kill_round(path: Path, rng: random.Random, names: list[str], acknowledged: int) -> list[list[Any]]:
    """Start a writer for each name, kill each after some of its writes, and return what they said."""
    said: list[list[Any]] = []
    with ExitStack() as stack:
        writers = [
            stack.enter_context(started("write_until_killed.py", path, name, rng.randrange(10**6))) for name in names
        ]
        for writer in writers:
            assert heard(writer) == "open"
        said.extend([] for _ in writers)
        alive = list(range(len(writers)))
        while alive:
            which = rng.choice(alive)
            said[which].append(heard(writers[which]))
            assert said[which][-1] is not None, "a writer died by itself"
            if sum("done" in message for message in said[which]) >= acknowledged and rng.random() < 0.2:
                writers[which].kill()  # SIGKILL: no handler, no flush, no goodbye
                said[which] += rest(writers[which])
                alive.remove(which)
    return said


def check(memory: Memory, said: list[list[Any]]) -> int:
    """Every record is as its last acknowledged write left it, or as the one that was under way would have."""
    total = 0
    for messages in said:
        final: dict[str, Any] = {}
        for message in messages:
            final |= message.get("done", {})
        under_way = messages[-1].get("try", {})
        for record_id, text in final.items():
            record = memory.get(record_id)
            content = None if record is None else record.content
            assert content in (text, under_way.get(record_id, text)), f"{record_id}: {content!r}, not {text!r}"
            total += 1
    return total


def survive(path: Path, rng: random.Random, *, writers: int, acknowledged: int) -> None:
    names = [f"writer{number}" for number in range(writers)]
    with open_quick(path) as survivor:
        said = kill_round(path, rng, names, acknowledged)
        kept = survivor.add("still writing").id
        assert check(survivor, said) >= writers * acknowledged // 4
        assert_indexes_agree(survivor)  # followed the feed of processes that are no more
        assert survivor.get(kept) is not None
    assert_sound(path)
    with open_quick(path) as fresh:
        check(fresh, said)
        assert_indexes_agree(fresh)  # built from the tables
        assert all(finding.ok for finding in fresh.doctor() if finding.check != "disk")
        for name in names:
            ids = [record.id for record in fresh.get_all(user_id=name, limit=10_000)]
            assert len(ids) == len(set(ids))


def test_nothing_acknowledged_is_lost_when_writers_are_killed(tmp_path: Path) -> None:
    survive(tmp_path / "m.db", random.Random(7), writers=3, acknowledged=25)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_nothing_acknowledged_is_lost_over_many_rounds(tmp_path: Path) -> None:
    for seed in range(12):
        survive(tmp_path / f"{seed // 3}.db", random.Random(seed), writers=6, acknowledged=40)


def test_a_killed_process_leaves_no_lock_behind(tmp_path: Path) -> None:
    """The lock dies with its holder: the next writer does not wait for a timeout."""
    path = tmp_path / "m.db"
    with started("hold_the_lock.py", path) as holder:
        assert heard(holder) == "locked"
        holder.kill()
        holder.wait()
        with open_quick(path, config={"store.busy_timeout_s": 5.0}) as memory:
            assert memory.add("free again").ids
