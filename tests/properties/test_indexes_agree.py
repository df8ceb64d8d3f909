"""The indexes in memory are caches: whoever writes, each process's own hold exactly what the tables hold."""

from __future__ import annotations

import random
import shutil
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from faults.processes import heard, started, told
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from properties.tables import DEEP, TIMES, assert_indexes_agree, cold, examples, open_quick, wait_until
from recollect.errors import CycleRefused, UndoRefused
from recollect.index.base import BackendChoice
from recollect.index.vector.adaptive import AdaptiveVectors
from recollect.index.vector.flat import FlatVectors
from recollect.index.vector.hnsw import HnswVectors
from recollect.memory import Memory
from recollect.providers.embedders.fake import FakeEmbedder
from recollect.recall.sources.vector import Everything

WORDS = ("tea", "rome", "parse_config", "helix", "running", "vim")
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)
who = st.integers(0, 1)
PAST, FUTURE = "2020-01-01", "2090-01-01"


def tops(memory: Memory, query: str, **ask: Any) -> set[str]:
    return {hit.id for hit in memory.search(query, top_k=1000, reach="all", **ask)}


class Following(RuleBasedStateMachine):
    """Two memories on one file, as two processes would have it; each writes, both follow."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.path = self.folder / "m.db"
        self.config: dict[str, Any] = {"index.tail_max": 4, "index.flat_max": 12, "index.poll_interval_s": 0.05}
        self.memories = [open_quick(self.path, config=self.config) for _ in range(2)]
        self.ids: list[str] = []
        self.operations: list[str] = []

    def teardown(self) -> None:
        try:
            self.agree()
        finally:
            for memory in self.memories:
                memory.close()
            shutil.rmtree(self.folder)

    def note(self, receipt: Any) -> None:
        self.operations.append(receipt.operation)

    @rule(at=who, content=texts, user=st.sampled_from([None, "ana"]), end=st.sampled_from([None, PAST, FUTURE]))
    def add(self, at: int, content: str, user: str | None, end: str | None) -> None:
        receipt = self.memories[at].add(content, user_id=user, valid_until=end, kind="opinion" if end else None)
        self.ids += receipt.ids
        self.note(receipt)

    @rule(at=who, turns=st.lists(texts, min_size=2, max_size=8))
    def add_turns(self, at: int, turns: list[str]) -> None:
        messages = [{"role": "user", "content": turn, "timestamp": "2026-05-03T10:00:00Z"} for turn in turns]
        receipt = self.memories[at].add(messages, session_id="s")
        self.ids += receipt.ids
        self.note(receipt)

    @precondition(lambda self: self.ids)
    @rule(
        at=who, which=st.integers(0), content=st.one_of(st.none(), texts), tier=st.sampled_from(["archive", "longterm"])
    )
    def update(self, at: int, which: int, content: str | None, tier: str) -> None:
        chosen = self.ids[which % len(self.ids)]
        if self.memories[at].get(chosen) is not None:
            self.note(self.memories[at].update(chosen, content=content, tier=tier, category="gotcha"))

    @precondition(lambda self: self.ids)
    @rule(
        at=who,
        which=st.integers(0),
        speaker=st.sampled_from(["Ana", "Bo Ruiz"]),
        kind=st.sampled_from(["episodic", "semantic"]),
    )
    def attribute(self, at: int, which: int, speaker: str, kind: str) -> None:
        """Somebody else said it, and it is a turn, or no longer one."""
        chosen = self.ids[which % len(self.ids)]
        if self.memories[at].get(chosen) is not None:
            self.note(self.memories[at].update(chosen, speaker=speaker, kind=kind))

    @precondition(lambda self: self.ids)
    @rule(at=who, which=st.integers(0), hard=st.booleans())
    def delete(self, at: int, which: int, hard: bool) -> None:
        chosen = self.ids[which % len(self.ids)]
        if self.memories[at].get(chosen) is not None:
            self.note(self.memories[at].delete(chosen, hard=hard))

    @precondition(lambda self: len(self.ids) > 1)
    @rule(at=who, a=st.integers(0), b=st.integers(0), label=st.sampled_from(["relates_to", "depends_on"]))
    def relate(self, at: int, a: int, b: int, label: str) -> None:
        ends = [self.ids[a % len(self.ids)], self.ids[b % len(self.ids)]]
        memory = self.memories[at]
        if ends[0] != ends[1] and all(memory.get(one) for one in ends):
            try:
                memory.relate(*ends, label)
            except CycleRefused:
                return
            self.operations.append(memory.operations(limit=1)[0].id)

    @precondition(lambda self: self.operations)
    @rule(at=who, which=st.integers(0))
    def undo(self, at: int, which: int) -> None:
        try:
            self.note(self.memories[at].undo(self.operations[which % len(self.operations)]))
        except UndoRefused:
            return

    @rule(at=who)
    def sweep(self, at: int) -> None:
        self.note(self.memories[at].delete_all(user_id="ana"))

    @rule(at=who)
    def search(self, at: int) -> None:
        """A search in between brings one of the two up to date, the other falls behind."""
        self.memories[at].search("tea", reach="all")

    @rule(at=who)
    def commit(self, at: int) -> None:
        """What the index thread does in its own time: rows move from the tail into the index."""
        indexes = self.memories[at]._engine.indexes
        with indexes._feeding:
            indexes.text.commit()

    @rule(at=who)
    def reopen(self, at: int) -> None:
        self.memories[at].close()
        self.memories[at] = open_quick(self.path, config=self.config)

    @rule()
    def agree(self) -> None:
        answers = []
        for memory in self.memories:
            assert_indexes_agree(memory)
            for ask in ({}, {"tiers": ["archive", "longterm"]}, {"as_of": "2021-01-01"}, {"session_id": "s"}):
                warm = tops(memory, "tea rome helix", **ask)
                with cold(memory):
                    assert tops(memory, "tea rome helix", **ask) == warm
                answers.append(warm)
        half = len(answers) // 2
        assert answers[:half] == answers[half:]


TestFollowing = Following.TestCase
TestFollowing.pytestmark = [pytest.mark.timeout(0 if DEEP else 120)]
TestFollowing.settings = settings(max_examples=400 if DEEP else 12 * TIMES, stateful_step_count=40 if DEEP else 20)


@examples(20)
@given(
    contents=st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=6),
    queries=st.lists(st.text(min_size=1, max_size=12), max_size=3),
)
def test_warm_and_cold_agree_on_any_text(contents: list[str], queries: list[str]) -> None:
    """Letters of every script: the index on disk and the one in memory see the same words. By words alone."""
    sound = [c for c in contents if c.strip() and "\x00" not in c and c.isprintable()]
    with tempfile.TemporaryDirectory() as folder, open_quick(Path(folder) / "m.db", embedder=None) as memory:
        if sound:
            memory.add(sound)
        for query in [*sound, *queries]:
            if not query.strip() or "\x00" in query or not query.isprintable():
                continue
            warm = tops(memory, query)
            with cold(memory):
                assert tops(memory, query) == warm, query


def test_a_process_follows_another_that_really_is_one(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with open_quick(path) as memory:
        assert memory.search("tea").abstained
        with started("open_and_add.py", path, "other") as process:
            assert heard(process) == "ready"
            told(process, "go")
            ids = heard(process)
            assert tops(memory, "tea rome helix") == set(ids), "found at once, not after a poll"
            assert_indexes_agree(memory)
        memory.delete(ids[0])
        assert_indexes_agree(memory)


def test_a_bulk_load_of_another_process_is_caught_up_with(tmp_path: Path) -> None:
    """More than a search applies itself: it answers from the disk, the thread catches up, nothing is missed."""
    path = tmp_path / "m.db"
    config = {"index.catch_up_rows": 10, "index.poll_interval_s": 0.05}
    with open_quick(path, config=config) as reader, open_quick(path) as writer:
        writer.add([f"tea number{number}" for number in range(300)])
        assert len(tops(reader, "tea")) == 300
        indexes = reader._engine.indexes
        wait_until(lambda: indexes.behind() == 0, "the thread to catch up")
        assert_indexes_agree(reader)
        assert len(tops(reader, "tea")) == 300


def test_searches_while_others_write_never_miss_what_was_there(tmp_path: Path) -> None:
    """Readers see all that was acknowledged before they asked, while commits and catching up go on around them."""
    path = tmp_path / "m.db"
    rng = random.Random(2)
    config = {"index.tail_max": 8, "index.poll_interval_s": 0.01, "index.commit_interval_s": 0.01}
    with open_quick(path, config=config) as reader, open_quick(path, config=config) as writer:
        alive: list[str] = []
        for number in range(150):
            alive += writer.add(f"tea number{number}").ids
            if rng.random() < 0.3:
                writer.delete(alive.pop(rng.randrange(len(alive))))
            if rng.random() < 0.3:
                writer.update(rng.choice(alive), content=f"tea again{number}")
            memory = rng.choice([reader, writer])
            assert tops(memory, "tea") == set(alive)
        assert_indexes_agree(reader)
        assert_indexes_agree(writer)


def test_a_snapshot_of_the_vectors_is_brought_up_to_date(tmp_path: Path) -> None:
    """A file saved on closing, changes by somebody else, then a start from that file."""
    path = tmp_path / "m.db"
    config: dict[str, Any] = {"index.flat_max": 10}
    with open_quick(path, config=config) as memory:
        ids = memory.add([f"tea number{number}" for number in range(40)]).ids
        assert len(tops(memory, "tea")) == 40
    assert list(tmp_path.glob("*.vectors-*")), "the test needs a saved graph"
    with open_quick(path, config={**config, "index.snapshot": False}) as other:
        other.update(ids[0], content="rome now")
        other.delete(ids[1])
        other.add("tea of later")
    with open_quick(path, config=config) as memory:
        with_view = tops(memory, "tea rome")  # before it is warm
        assert_indexes_agree(memory)
        assert with_view == tops(memory, "tea rome")
        assert len(with_view) == 40


@pytest.mark.parametrize("moment", ["before the tail", "before the graph"])
def test_rows_that_settle_during_a_search_are_found_once(moment: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The feeding thread moves rows from the tail into the graph during a search: none is missed or doubled."""
    made = partial(HnswVectors, 64)
    index = AdaptiveVectors(64, choice=BackendChoice("usearch", "f16"), make=made, portion=64, flat_max=10)
    embedder = FakeEmbedder()
    contents = [f"tea number{number}" for number in range(30)]
    index.apply((np.arange(1, 31), embedder.embed(contents)), ())
    if moment == "before the graph":
        index.settle(15)
    moved = FlatVectors if moment == "before the tail" else HnswVectors
    search = moved.search

    def settling(self: Any, *args: Any, **named: Any) -> Any:
        index.settle()
        return search(self, *args, **named)

    monkeypatch.setattr(moved, "search", settling)
    found = index.search(embedder.embed(["tea"])[0], limit=100, among=Everything(30)).pks.tolist()
    assert sorted(found) == list(range(1, 31))
