"""Nothing is seen, walked through, counted or changed from outside its scope, on any path into the store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from properties.tables import cold, counts, examples, open_quick, visible_state
from recollect.errors import AccessDenied, NotFound, UsageError
from recollect.memory import Memory

DIMENSIONS = ("project", "squad", "agent_id", "channel", "user_id")
NOBODY = "00000000-0000-4000-8000-000000000000"
Where = dict[str, str]

places = st.fixed_dictionaries({}, optional={name: st.sampled_from("ab") for name in DIMENSIONS})
worlds = st.lists(places, min_size=2, max_size=10)
pairs = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=12)


def sees(search: Where, record: Where) -> bool:
    """The rule as the contract words it: all the record sets has the same value in the search."""
    return all(search.get(name) == value for name, value in record.items())


def sees_in_project(search: Where, record: Where) -> bool:
    public = "channel" not in record and "user_id" not in record
    same = "project" in search and record.get("project") == search["project"]
    return sees(search, record) or (public and same)


def lies_inside(search: Where, record: Where) -> bool:
    if not search:
        return not record
    return all(record.get(name) == value for name, value in search.items())


class World(NamedTuple):
    memory: Memory
    path: Path
    records: dict[str, Where]  # id -> scope
    edges: dict[str, tuple[str, str]]
    operations: dict[str, str]  # record -> the operation that added it

    def visible(self, search: Where, rule: Any = sees) -> set[str]:
        return {record for record, scope in self.records.items() if rule(search, scope)}

    def reachable(self, start: str, search: Where, rule: Any = sees) -> set[str]:
        seen, frontier = {start}, [start]
        while frontier:
            here = frontier.pop()
            for a, b in self.edges.values():
                for one, other in ((a, b), (b, a)):
                    if one == here and other not in seen and rule(search, self.records[other]):
                        seen.add(other)
                        frontier.append(other)
        return seen - {start}


@contextmanager
def world(scopes: list[Where], links: list[tuple[int, int]] = (), **opening: Any) -> Iterator[World]:  # type: ignore[assignment]
    """A store with one record per scope, related as told by its owner."""
    with TemporaryDirectory() as folder, open_quick(Path(folder) / "m.db", **opening) as memory:
        records: dict[str, Where] = {}
        operations: dict[str, str] = {}
        for number, scope in enumerate(scopes):
            receipt = memory.add(f"shared word{number}", session_id="s", tags=["t"], metadata={"n": 1}, **scope)
            records[receipt.id] = scope
            operations[receipt.id] = receipt.operation or ""
        ids = list(records)
        edges: dict[str, tuple[str, str]] = {}
        for a, b in links:
            if a < len(ids) and b < len(ids) and a != b:
                edges[memory.relate(ids[a], ids[b], "contradicts")] = (ids[a], ids[b])
        yield World(memory, Path(folder) / "m.db", records, edges, operations)


@pytest.mark.parametrize("embedder", ["fake", None], ids=["words and vectors", "words alone"])
@examples(15)
@given(scopes=worlds, searches=st.lists(places, min_size=1, max_size=4))
def test_reads_see_exactly_what_the_rule_says(embedder: str | None, scopes: list[Where], searches: list[Where]) -> None:
    with world(scopes, embedder=embedder) as w:
        for search in searches:
            for reach, rule in ((None, sees), ("project", sees_in_project)):
                expected = w.visible(search, rule)
                for filters in ({}, {"tags": ["t"]}, {"filters": {"metadata.n": 1}}, {"session_id": "s"}):
                    ask: dict[str, Any] = {"reach": reach, **search, **filters}
                    assert {record.id for record in w.memory.get_all(**ask)} == expected
                    assert {hit.id for hit in w.memory.search("shared", top_k=100, **ask)} == expected
                    with cold(w.memory):
                        assert {hit.id for hit in w.memory.search("shared", top_k=100, **ask)} == expected
            assert {hit.id for hit in w.memory.search("shared", known_at="now", **search)} == w.visible(search)
            assert w.memory.stats(**search)["records"] == (len(w.visible(search)) if search else len(scopes))


@examples(15)
@given(scopes=worlds, search=places)
def test_a_handle_is_its_scope(scopes: list[Where], search: Where) -> None:
    with world(scopes) as w:
        handle, visible = w.memory.scoped(**search), w.visible(search)
        assert {record.id for record in handle.get_all()} == visible
        assert {hit.id for hit in handle.search("shared", top_k=100)} == visible
        assert handle.stats()["records"] == len(visible)
        assert {one.id for one in handle.operations(limit=100)} == {w.operations[record] for record in visible}
        for record, scope in w.records.items():
            found = handle.get(record)
            assert (found is not None) == (record in visible)
            assert found is None or dict(found.scope.items()) == scope
            if record in visible:
                assert [entry.operation.id for entry in handle.history(record)] == [w.operations[record]]
            else:
                with pytest.raises(NotFound):
                    handle.history(record)


@examples(20)
@given(scopes=worlds, links=pairs, search=places)
def test_walks_never_pass_through_what_is_not_seen(
    scopes: list[Where], links: list[tuple[int, int]], search: Where
) -> None:
    with world(scopes, links) as w:
        handle, visible = w.memory.scoped(**search), w.visible(search)
        for start in w.records:
            if start not in visible:
                for verb in (handle.related, handle.contradictions, handle.dependencies):
                    with pytest.raises(NotFound):
                        verb(start)
                continue
            near = handle.related(start, depth=10)
            expected = w.reachable(start, search)
            assert {record.id for record in near} == expected
            shown = {member.record_id for edge in near.edges for member in edge.members}
            assert shown <= expected | {start}
            assert all(len(edge.members) >= 2 for edge in near.edges)
            wide = handle.related(start, depth=10, reach="project")
            assert {record.id for record in wide} == w.reachable(start, search, sees_in_project)
            for goal in visible - {start}:
                way = [record.id for record in handle.path(start, goal, max_depth=10)]
                assert bool(way) == (goal in expected)
                assert set(way) <= visible
            assert {record.id for record in handle.contradictions(start)} <= expected
        assert {record.id for record in handle.contradictions("shared")} <= visible


@examples(15)
@given(scopes=worlds, links=pairs, search=places)
def test_what_is_not_seen_cannot_be_changed(scopes: list[Where], links: list[tuple[int, int]], search: Where) -> None:
    with world(scopes, links) as w:
        handle, visible = w.memory.scoped(**search), w.visible(search)
        before, rows = visible_state(w.path), counts(w.path)
        own = next(iter(visible), None)
        for record in w.records.keys() - visible:
            for attempt in _attempts(handle, record, w.operations[record], own or NOBODY):
                with pytest.raises(NotFound):
                    attempt()
        for edge, ends in w.edges.items():
            if not visible.issuperset(ends):
                with pytest.raises(NotFound):
                    handle.unrelate(edge)
        assert visible_state(w.path) == before
        assert counts(w.path) == rows


@examples(15)
@given(scopes=worlds, search=places)
def test_delete_all_takes_what_lies_inside_and_undo_brings_it_back(scopes: list[Where], search: Where) -> None:
    with world(scopes) as w:
        before = visible_state(w.path)
        inside = {record for record, scope in w.records.items() if lies_inside(search, scope)}
        everything = {"filters": {"metadata.n": 1}}
        assert set(w.memory.delete_all(dry_run=True, **everything, **search).ids) == inside
        receipt = w.memory.delete_all(**everything, **search)
        assert set(receipt.ids) == inside
        assert set(visible_state(w.path)) == w.records.keys() - inside
        w.memory.undo(receipt)
        assert visible_state(w.path) == before


@examples(15)
@given(scopes=worlds, search=places)
def test_a_handle_sweeps_up_only_what_it_sees_inside_its_scope(scopes: list[Where], search: Where) -> None:
    """Counting what a filter meets in narrower scopes would spell out their contents, letter by letter."""
    with world(scopes) as w:
        before = visible_state(w.path)
        own = {record for record in w.visible(search) if lies_inside(search, w.records[record])}
        handle = w.memory.scoped(**search)
        assert set(handle.delete_all(dry_run=True, filters={"metadata.n": 1}).ids) == own
        receipt = handle.delete_all(filters={"metadata.n": 1})
        assert set(visible_state(w.path)) == w.records.keys() - own
        handle.undo(receipt)
        assert visible_state(w.path) == before


@examples(15)
@given(scopes=worlds, links=pairs, search=places)
def test_a_handle_undoes_nothing_that_reaches_beyond_it(
    scopes: list[Where], links: list[tuple[int, int]], search: Where
) -> None:
    """An operation of a wide scope may have touched records of a narrower one that the handle does not see."""
    with world(scopes, links) as w:
        handle, visible = w.memory.scoped(**search), w.visible(search)
        for operation in w.memory.operations(limit=100):
            if operation.verb == "relate":
                ends = w.edges[_edge_of(w, operation.id)]
                if not visible.issuperset(ends):
                    with pytest.raises(NotFound):
                        handle.undo(operation.id)
        for name in DIMENSIONS:
            swept = w.memory.delete_all(**{name: "a"})
            inside = {record for record, scope in w.records.items() if lies_inside(search, scope)}
            if set(swept.ids) - visible - inside:
                before = visible_state(w.path)
                with pytest.raises(NotFound):
                    handle.undo(swept.operation or "")
                assert visible_state(w.path) == before
            w.memory.undo(swept.operation or "")


def _attempts(handle: Memory, record: str, operation: str, own: str) -> list[Callable[[], Any]]:
    return [
        lambda: handle.update(record, content="mine now"),
        lambda: handle.correct(record, "mine now"),
        lambda: handle.delete(record),
        lambda: handle.delete(record, hard=True),
        lambda: handle.undo(operation),
        lambda: handle.relate(record, own),
        lambda: handle.relate(own, record),
    ]


def _edge_of(w: World, operation: str) -> str:
    with w.memory._engine.store.read() as tx:
        return str(
            tx.sql.value(
                "SELECT e.id FROM operation o JOIN journal j ON j.operation_pk = o.pk AND j.relation = 'edge' "
                "JOIN edge e ON e.pk = j.first_pk WHERE o.id = ?",
                (operation,),
            )
        )


def test_the_owner_alone_reaches_everything(memory: Memory) -> None:
    ids = {memory.add("shared", user_id=user).id for user in ("ana", "bob")}
    assert {record.id for record in memory.get_all(reach="all")} == ids
    assert {hit.id for hit in memory.search("shared", reach="all")} == ids
    ana = memory.scoped(user_id="ana")
    refused = [
        lambda: ana.search("shared", reach="all"),
        lambda: ana.get_all(reach="all"),
        lambda: ana.related(next(iter(ids)), reach="all"),
        lambda: ana.contradictions("shared", reach="all"),
        lambda: ana.delete_all(reach="all"),
        lambda: memory.scoped(user_id="ana", may_add="*").scoped(project="p").get_all(reach="all"),
        ana.prune,
        ana.reembed,
        ana.doctor,
    ]
    for call in refused:
        with pytest.raises(AccessDenied):
            call()
    with pytest.raises(UsageError):
        ana.get_all(reach="inside")
    assert {record.id for record in memory.get_all(reach="all")} == ids


def test_a_handle_cannot_leave_its_scope(memory: Memory) -> None:
    ana = memory.scoped(user_id="ana")
    for call in (
        lambda: ana.add("x", user_id="bob"),
        lambda: ana.search("x", user_id="bob"),
        lambda: ana.scoped(user_id="bob"),
        lambda: ana.delete_all(user_id="bob"),
    ):
        with pytest.raises(AccessDenied):
            call()
    assert memory.stats()["records"] == 0


def test_what_the_owner_swept_up_everywhere_is_nobody_elses_to_undo(memory: Memory) -> None:
    memory.add("private", user_id="ana")
    swept = memory.delete_all(reach="all")
    bob = memory.scoped(user_id="bob")
    assert swept.operation not in {operation.id for operation in bob.operations()}
    with pytest.raises(NotFound):
        bob.undo(swept.operation or "")
    assert memory.stats()["records"] == 0


def test_scope_values_cannot_imitate_each_other(memory: Memory) -> None:
    """The key of a scope is one text; no value may be taken for two."""
    memory.add("shared", user_id="a;channel=1:b")
    assert len(memory.search("shared", user_id="a", channel="b")) == 0
    memory.add("shared", channel="1:b;user_id=1:a")
    assert len(memory.search("shared", channel="b", user_id="a")) == 0
    assert len(memory.search("shared", user_id="A")) == 0
