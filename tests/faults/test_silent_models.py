"""A model elsewhere takes the connection and never answers: nobody waits for it longer than was promised."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from properties.tables import wait_until

import recollect
from faults.part_servers import SilentServer
from recollect.memory import Memory

SOON = {"embedding.static_beside": False, "index.poll_interval_s": 0.02, "store.durable": False}
SOON |= {"store.close_timeout_s": 0.1}


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> Iterator[SilentServer]:
    with SilentServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.address}/v1")
        yield server


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A store that was filled while all was well."""
    with recollect.open(tmp_path / "m.db", embedder="fake", config=SOON) as mem:
        for number in range(5):
            mem.add(f"Ana drinks tea number {number} in Rome")
    return tmp_path / "m.db"


def opened(place: Path, **more: Any) -> Memory:
    return recollect.open(place, **{"embedder": "openai:small", **more, "config": {**SOON, **more.get("config", {})}})


def seconds(began: float) -> float:
    return time.monotonic() - began


def test_writes_do_not_wait_while_a_job_asks_an_embedder_that_hangs(silent: SilentServer, place: Path) -> None:
    with opened(place) as mem:
        mem.add("Ben likes coffee")
        wait_until(lambda: silent.calls > 0, "the job to ask for vectors")
        began = time.monotonic()
        with recollect.open(place, embedder="fake", config={**SOON, "store.busy_timeout_s": 3}) as other:
            other.add("Carl likes water")  # E1009 if the first one held the file
        mem.add("Dora likes milk")
        assert seconds(began) < 5
        assert mem.search("milk", top_k=1)[0].content == "Dora likes milk"


def test_a_search_waits_no_longer_than_promised_for_an_embedder_that_hangs(silent: SilentServer, place: Path) -> None:
    with opened(place) as mem:
        known = mem.get_all().records[0].id
        mem.feedback(known, helpful=True, query="Who drinks tea in Rome?")
        began = time.monotonic()
        for rerank in ("mmr", "none"):
            assert len(mem.search("Who drinks tea in Rome?", rerank=rerank, top_k=3)) == 3
        mem.context("Who drinks tea in Rome?")
        assert seconds(began) < 8
