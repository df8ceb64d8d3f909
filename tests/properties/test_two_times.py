"""What was true and what was believed, at any two moments, against a diary that simply writes everything down."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from properties.tables import QUICK, examples
from recollect.clock import SECOND_US, from_us
from recollect.errors import CycleRefused, StatementEnded, UndoRefused
from recollect.memory import Memory
from recollect.model.edge import Edge
from recollect.model.record import Record
from recollect.wiring import open_memory

START = 1_780_000_000 * SECOND_US
WORDS = ("tea", "rome", "helix")
moments = st.one_of(st.none(), st.integers(-5, 40))

steps = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.sampled_from(WORDS), moments, moments),
        st.tuples(st.just("update"), st.integers(0, 9), st.sampled_from(WORDS)),
        st.tuples(st.just("end"), st.integers(0, 9), st.integers(-5, 40)),
        st.tuples(st.just("correct"), st.integers(0, 9), st.sampled_from(WORDS)),
        st.tuples(st.just("delete"), st.integers(0, 9)),
        st.tuples(
            st.just("delete_all"),
        ),
        st.tuples(st.just("confirm"), st.integers(0, 9)),
        st.tuples(st.just("flag"), st.integers(0, 9)),
        st.tuples(st.just("feedback"), st.integers(0, 9), st.booleans()),
        st.tuples(st.just("relate"), st.integers(0, 9), st.sampled_from(["contradicts", "validates", "supersedes"])),
        st.tuples(st.just("unrelate"), st.integers(0, 9)),
        st.tuples(st.just("confirm_edge"), st.integers(0, 9)),
        st.tuples(st.just("flag_edge"), st.integers(0, 9)),
        st.tuples(st.just("undo"), st.integers(0, 9)),
        st.tuples(
            st.just("undo_last"),
        ),
    ),
    min_size=1,
    max_size=14,
)


def at(second: int) -> datetime:
    return from_us(START + second * SECOND_US)


class Diary:
    """A memory whose clock ticks one second per operation, and a full copy of what it held after each."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.now = 0
        self.pages: list[dict[str, Record]] = []  # what was believed from second n on
        self.relations: list[dict[str, Edge]] = []  # … and the relations
        self.operations: list[str] = []
        self.second_of: dict[str, int] = {}  # when each operation was done

    def clock(self) -> int:
        return START + self.now * SECOND_US

    def write(self) -> None:
        with self.memory._engine.store.read() as tx:
            live = tx.sql.all("SELECT id FROM record WHERE head_pk IS NULL AND retired_at IS NULL ORDER BY pk")
        kept = {record_id: self.memory.get(record_id) for (record_id,) in live}
        self.pages.append({record_id: record for record_id, record in kept.items() if record is not None})
        around = [self.memory.related(record_id) for record_id in self.pages[-1]]
        self.relations.append({edge.id: edge for each in around for edge in each.edges})
        self.now += 1

    def do(self, step: tuple[Any, ...]) -> None:
        verb, *rest = step
        ids = list(self.pages[-1]) if self.pages else []
        memory = self.memory
        chosen = ids[rest[0] % len(ids)] if ids and rest and isinstance(rest[0], int) else None
        receipt = None
        if verb == "add":
            start, end = rest[1], rest[2]
            if start is not None and end is not None and end < start:
                start, end = end, start
            times = {"valid_from": start, "valid_until": end}
            receipt = memory.add(f"about {rest[0]}", **{k: at(v) for k, v in times.items() if v is not None})
        elif verb == "delete_all":
            receipt = memory.delete_all(filters={"content": {"contains": "tea"}})
        elif verb in ("undo", "undo_last"):
            if self.operations:
                self._undo(self.operations[-1 if verb == "undo_last" else rest[0] % len(self.operations)])
        elif verb in ("unrelate", "confirm_edge", "flag_edge"):
            edges = list(self.relations[-1]) if self.relations else []
            receipt = self._change_edge(verb, edges[rest[0] % len(edges)]) if edges else None
        elif chosen is not None:
            receipt = self._change(verb, chosen, rest[1] if len(rest) > 1 else None)
        if receipt is not None:
            self._note(receipt.operation)
        self.write()

    def _note(self, operation: str | None) -> None:
        assert operation is not None
        self.operations.append(operation)
        self.second_of[operation] = self.now

    def _change(self, verb: str, chosen: str, value: Any) -> Any:
        if verb == "update":
            return self.memory.update(chosen, content=f"about {value}")
        if verb in ("correct", "confirm"):
            with suppress(StatementEnded):
                return self.memory.confirm(chosen) if verb == "confirm" else self.memory.correct(chosen, f"of {value}")
            return None
        if verb == "delete":
            return self.memory.delete(chosen)
        if verb == "flag":
            return self.memory.flag(chosen, reason="seen otherwise")
        if verb == "feedback":
            return self.memory.feedback(chosen, helpful=value)
        if verb == "relate":
            return self._relate(chosen, value)
        start = self.pages[-1][chosen].valid_from
        return None if start is not None and at(value) < start else self.memory.update(chosen, valid_until=at(value))

    def _relate(self, chosen: str, label: str) -> None:
        other = next((each for each in self.pages[-1] if each != chosen), None)
        if other is not None:
            with suppress(CycleRefused):
                self.memory.relate(chosen, other, label, confidence=0.8)
                self._note(self.memory.operations(limit=1)[0].id)

    def _change_edge(self, verb: str, chosen: str) -> Any:
        if verb == "unrelate":
            return self.memory.unrelate(chosen)
        return (
            self.memory.confirm(chosen) if verb == "confirm_edge" else self.memory.flag(chosen, reason="seen otherwise")
        )

    def _undo(self, operation: str) -> None:
        with suppress(UndoRefused):
            self._note(self.memory.undo(operation).operation)

    # --- what the diary says ------------------------------------------------------------------------------------

    def expected(self, *, known_at: int | None, as_of: int | None) -> dict[str, tuple[Any, ...]]:
        page = self.pages[-1] if known_at is None else ({} if known_at < 0 else self.pages[known_at])
        moment = at(self.now) if as_of is None else at(as_of)
        out = {}
        for record_id, record in page.items():
            begun = as_of is None or record.valid_from is None or record.valid_from <= moment
            empty = record.valid_from is not None and record.valid_from == record.valid_until
            if begun and not empty and (record.valid_until is None or record.valid_until > moment):
                out[record_id] = said(record)
        return out


def said(record: Record) -> tuple[Any, ...]:
    judged = (
        record.confidence,
        record.importance,
        record.success_count,
        record.failure_count,
        record.attributes,
        record.updated_at,
        record.user_verified,
        record.flagged,
        record.needs_review,
    )
    return record.content, record.version, record.valid_from, record.valid_until, *judged


def joined(edge: Edge) -> tuple[Any, ...]:
    return edge.label, edge.confidence, edge.weight, edge.auto_extracted, edge.members


def check(diary: Diary, known_at: int | None, as_of: int | None) -> None:
    ask: dict[str, Any] = {}
    if known_at is not None:
        ask["known_at"] = at(known_at)
    if as_of is not None:
        ask["as_of"] = at(as_of)
    expected = diary.expected(known_at=known_at, as_of=as_of)
    listed = [(record.id, said(record)) for record in diary.memory.get_all(limit=1000, **ask)]
    assert len(listed) == len(dict(listed)), "one record twice"
    assert dict(listed) == expected
    sure = {record.id for record in diary.memory.get_all(limit=1000, filters={"confidence": {"gte": 0.9}}, **ask)}
    assert sure == {record_id for record_id, value in expected.items() if value[4] >= 0.9}
    for word in WORDS:
        hits = diary.memory.search(word, top_k=100, **ask)
        found = {hit.id: (hit.content, hit.version, hit.confidence) for hit in hits}
        wanted = {i: (value[0], value[1], value[4]) for i, value in expected.items() if word in value[0]}
        right = {i: value for i, value in found.items() if wanted.get(i) == value}
        assert right.keys() == found.keys() & wanted.keys()
        assert {value[0] for value in right.values()} == {value[0] for value in wanted.values()}, "one text is one hit"
        assert found.keys() <= expected.keys()


def check_relations(diary: Diary, known_at: int) -> None:
    """Every relation from every record as it was believed then, whatever became of it."""
    for record_id in diary.pages[known_at]:
        found = {edge.id: joined(edge) for edge in diary.memory.related(record_id, known_at=at(known_at)).edges}
        own = {i: edge for i, edge in diary.relations[known_at].items() if record_id in _ends(edge)}
        assert found == {i: joined(edge) for i, edge in own.items()}, f"at {known_at}"


def _ends(edge: Edge) -> set[str]:
    return {member.record_id for member in edge.members}


def check_history(diary: Diary) -> None:
    """Each operation with what it left: what the diary has on the page of that second."""
    for record_id in {record_id for page in diary.pages for record_id in page}:
        for entry in diary.memory.history(record_id):
            page = diary.pages[diary.second_of[entry.operation.id]]
            left = None if entry.record is None else said(entry.record)
            assert left == (said(page[record_id]) if record_id in page else None), entry.operation.verb


@examples(25)
@given(script=steps, data=st.data())
def test_any_two_moments_agree_with_the_diary(script: list[tuple[Any, ...]], data: st.DataObject) -> None:
    with TemporaryDirectory() as folder:
        diary = Diary(None)  # type: ignore[arg-type]
        with open_memory(Path(folder) / "m.db", embedder="fake", config=QUICK, clock=diary.clock) as memory:
            diary.memory = memory
            for step in script:
                diary.do(step)
            for known_at in [None, *range(-1, len(diary.pages))]:
                check(diary, known_at, None)
                check(diary, known_at, data.draw(st.integers(-6, 41)))
            for known_at in range(len(diary.pages)):
                check_relations(diary, known_at)
            check_history(diary)


def test_a_correction_is_true_from_now_on_and_known_from_now_on(tmp_path: Path) -> None:
    diary = Diary(None)  # type: ignore[arg-type]
    with open_memory(tmp_path / "m.db", embedder="fake", clock=diary.clock) as memory:
        wrong = memory.add("Ana lives in Oslo", valid_from=at(-100)).id
        diary.now = 10
        right = memory.correct(wrong, "Ana lives in Rome").id
        diary.now = 20
        assert [hit.id for hit in memory.search("lives")] == [right]
        assert [hit.id for hit in memory.search("lives", as_of=at(5))] == [wrong]
        assert [hit.id for hit in memory.search("lives", known_at=at(5))] == [wrong]
        assert [hit.id for hit in memory.search("lives", known_at=at(5), as_of=at(15))] == [wrong]
        assert [hit.id for hit in memory.search("lives", as_of=at(15))] == [right]


@pytest.mark.parametrize("turns", [1, 2, 3, 4])
@pytest.mark.parametrize("verb", ["add", "delete"])
def test_what_was_there_between_undo_and_redo_stays_known(tmp_path: Path, turns: int, verb: str) -> None:
    diary = Diary(None)  # type: ignore[arg-type]
    with open_memory(tmp_path / "m.db", embedder="fake", clock=diary.clock) as memory:
        receipt = memory.add("one")
        there = [(5, True)]
        if verb == "delete":
            diary.now = 10
            receipt = memory.delete(receipt.id)
            there.append((15, False))
        for turn in range(turns):
            diary.now = 20 + 10 * turn
            receipt = memory.undo(receipt.operation or "")
            there.append((25 + 10 * turn, there[-1][1] is False))
        diary.now = 100
        for moment, expected in there:
            assert bool(memory.get_all(known_at=at(moment))) is expected, f"at {moment}"


@pytest.mark.parametrize("turns", [1, 2, 3, 4])
def test_what_was_believed_between_undo_and_redo_stays_known(tmp_path: Path, turns: int) -> None:
    diary = Diary(None)  # type: ignore[arg-type]
    with open_memory(tmp_path / "m.db", embedder="fake", clock=diary.clock) as memory:
        record = memory.add("one").id
        diary.now = 10
        operation = memory.update(record, content="two").operation or ""
        believed = [(5, "one"), (15, "two")]
        for turn in range(turns):
            diary.now = 20 + 10 * turn
            operation = memory.undo(operation).operation or ""
            believed.append((25 + 10 * turn, "two" if turn % 2 else "one"))
        diary.now = 100
        for moment, content in believed:
            assert [r.content for r in memory.get_all(known_at=at(moment))] == [content], f"at {moment}"


def test_people_say_when_in_words_and_the_clock_decides(tmp_path: Path) -> None:
    """'yesterday' is the day before the memory's own today, for every verb that takes a time."""
    diary = Diary(None)  # type: ignore[arg-type]
    diary.now = -400 * 86_400
    with open_memory(tmp_path / "m.db", embedder="fake", clock=diary.clock) as memory:
        record = memory.add("tea", timestamp="yesterday", valid_from="yesterday").records[0]
        expected = at(diary.now).replace(hour=0, minute=0, second=0, microsecond=0).toordinal() - 1
        assert record.event_time is not None
        assert record.valid_from is not None
        assert record.event_time.toordinal() == expected
        assert record.valid_from.toordinal() == expected
        assert len(memory.get_all(after="2 days ago", before="today")) == 1
        assert len(memory.get_all(filters={"event_time": {"gte": "yesterday"}})) == 1
        updated = memory.update(record.id, valid_from="today").records[0]
        assert updated.valid_from is not None
        assert updated.valid_from.toordinal() == expected + 1


@pytest.mark.parametrize("turns", [0, 1, 2, 3, 4])
def test_relations_that_were_withdrawn_and_brought_back_stay_known(tmp_path: Path, turns: int) -> None:
    diary = Diary(None)  # type: ignore[arg-type]
    with open_memory(tmp_path / "m.db", embedder="fake", clock=diary.clock) as memory:
        one, other = memory.add("one").id, memory.add("other").id
        diary.now = 10
        edge = memory.relate(one, other, "supports", confidence=0.5)
        diary.now = 15
        memory.confirm(edge)
        diary.now = 20
        operation = memory.unrelate(edge).operation or ""
        believed = [(5, []), (12, [0.5]), (17, [1.0]), (25, [])]
        for turn in range(turns):
            diary.now = 30 + 10 * turn
            operation = memory.undo(operation).operation or ""
            believed.append((35 + 10 * turn, [] if turn % 2 else [1.0]))
        diary.now = 100
        for moment, sure in believed:
            found = memory.related(one, known_at=at(moment)).edges
            assert [found_edge.confidence for found_edge in found] == sure, f"at {moment}"
            assert bool(memory.path(one, other, known_at=at(moment)).edges) is bool(sure), f"at {moment}"


@pytest.mark.parametrize("label", ["contradicts", "validates", "derived_from", "required_with", "conflicts_with"])
def test_what_a_later_word_did_to_a_neighbour_does_not_rewrite_the_past(tmp_path: Path, label: str) -> None:
    diary = Diary(None)  # type: ignore[arg-type]
    with open_memory(tmp_path / "m.db", embedder="fake", clock=diary.clock) as memory:
        sure, doubtful = memory.add("the cache is on").id, memory.add("the disk is full", confidence=0.4).id
        memory.relate(sure, doubtful, label)
        diary.now = 20
        memory.confirm(sure)
        diary.now = 30
        undone = memory.flag(sure, reason="seen otherwise")
        diary.now = 40
        memory.undo(undone)
        diary.now = 50

        def confidence(moment: int | None) -> float:
            ask = {} if moment is None else {"known_at": at(moment)}
            return next(record.confidence for record in memory.get_all(**ask) if record.id == doubtful)

        assert confidence(10) == 0.4
        assert confidence(25) == confidence(45) == confidence(None) != 0.4
        assert confidence(35) != confidence(25)
        told = [(each.operation.verb, each.record and each.record.confidence) for each in memory.history(doubtful)]
        assert told == [
            ("add", 0.4),
            ("confirm", confidence(25)),
            ("flag", confidence(35)),
            ("undo", confidence(45)),
        ]


def test_what_helped_and_what_was_said_again_is_counted_as_it_was_then(tmp_path: Path) -> None:
    diary = Diary(None)  # type: ignore[arg-type]
    with open_memory(tmp_path / "m.db", embedder="fake", clock=diary.clock) as memory:
        said = memory.add("Ana lives in Oslo", confidence=0.5).id
        for second in (10, 20):
            diary.now = second
            memory.feedback(said, helpful=second == 20)
        diary.now = 30
        assert memory.add("Ana lives in Oslo", confidence=0.5).merged == (said,)
        diary.now = 40
        then = {second: memory.get_all(known_at=at(second))[0] for second in (5, 15, 25, 35)}
        assert [(each.failure_count, each.success_count) for each in then.values()] == [(0, 0), (1, 0), (1, 1), (1, 1)]
        assert then[5].confidence == then[25].confidence == 0.5 < then[35].confidence
        assert [bool(each.attributes) for each in then.values()] == [False, False, False, True]
        hits = [memory.search("where does Ana live", known_at=at(second))[0] for second in (25, 35)]
        assert [hit.confidence for hit in hits] == [0.5, then[35].confidence]


def test_history_tells_what_came_after_what_though_the_clock_went_back(tmp_path: Path) -> None:
    diary = Diary(None)  # type: ignore[arg-type]
    with open_memory(tmp_path / "m.db", embedder="fake", clock=diary.clock) as memory:
        record = memory.add("one").id
        diary.now = -60
        memory.update(record, content="two")
        diary.now = -30
        last = memory.update(record, content="three")
        diary.now = -90
        memory.undo(last)
        memory.delete(record)
        told = [each.record and each.record.content for each in memory.history(record)]
        assert told == ["one", "two", "three", "two", None]


def test_trust_at_a_time_knows_nothing_of_what_came_later(tmp_path: Path) -> None:
    diary = Diary(None)  # type: ignore[arg-type]
    with open_memory(tmp_path / "m.db", embedder="fake", clock=diary.clock) as memory:
        said = memory.add("Ana lives in Oslo").id
        diary.now = 10
        against = memory.relate(memory.add("Ana sold her flat").id, said, "contradicts")
        diary.now = 20
        memory.unrelate(against)
        diary.now = 30

        def accuracy(moment: int) -> float:
            hits = memory.search("where does Ana live", known_at=at(moment))
            return next(hit.trust.accuracy for hit in hits if hit.id == said)

        assert accuracy(15) < accuracy(5) == accuracy(25)
