"""Steps of upkeep run over an open memory, and processes that die in the middle of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from properties.tables import looking_at, rows

from recollect.ingest.embedding import Embedding
from recollect.memory import Memory
from recollect.model.run import RunReport
from recollect.store.base import Tx
from recollect.store.journal import Op
from recollect.upkeep.runs.activity import Activity
from recollect.upkeep.runs.run import Run, UpkeepStep
from recollect.upkeep.runs.runner import Runner


class Crash(BaseException):
    """What a process that dies leaves behind, without the process: nothing after it is done."""


def run_steps(memory: Memory, *steps: UpkeepStep, **more: Any) -> RunReport:
    """A run of these steps by a process of its own, as far as the store can tell."""
    engine = memory._engine
    return Runner(engine.store, engine.config, engine.clock, Activity()).run("maintain", steps, **more)


def embedding_of(memory: Memory) -> Embedding:
    return Embedding(memory._engine.embedder, memory._engine.store)


@contextmanager
def dying_at(monkeypatch: pytest.MonkeyPatch, portion: int) -> Iterator[None]:
    """Inside, the process dies at the end of that portion, before anything of it is durable; 0 is the first."""
    left = [portion]
    whole = Run.portion

    def dying(self: Run, work: Callable[[Tx, Op], Any]) -> Any:
        def then_die(tx: Tx, op: Op) -> Any:
            done = work(tx, op)
            if left[0] == 0:
                raise Crash
            return done

        result = whole(self, then_die)
        left[0] -= 1
        return result

    with monkeypatch.context() as patched:
        patched.setattr(Run, "portion", dying)
        yield


def table(path: Path, sql: str, *params: Any) -> list[dict[str, Any]]:
    """What an outsider reads."""
    with looking_at(path) as db:
        return rows(db, sql, *params)


def holds(path: Path, word: str) -> list[str]:
    """The files of a store in which these bytes stand."""
    return [file.name for file in path.parent.iterdir() if file.is_file() and word.encode() in file.read_bytes()]


def abandon(path: Path) -> None:
    """Let a run that died be gone on with at once."""
    with looking_at(path) as db:
        db.execute("UPDATE run SET lease_until = 0 WHERE state = 'running'")
