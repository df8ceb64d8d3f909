"""Filter trees: what may be said, how it is understood, and what a mistake is told."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from recollect import Memory
from recollect.errors import InvalidQuery, UsageError
from recollect.limits import FILTER_DEPTH_MAX, FILTER_LEAVES_MAX, FILTER_VALUES_MAX
from recollect.model.filters import FieldType, FilterGroup, Leaf, mentions, parse_filters
from recollect.wiring import open_memory


@pytest.fixture(scope="module")
def shelf() -> Iterator[Memory]:
    with open_memory(":memory:", embedder=None) as memory:
        memory.add("one", tags=["red", "Big"], metadata={"n": 1, "team": "core", "ok": True, "deep": {"x": ["a", "B"]}})
        memory.add("two", tags=["red"], metadata={"n": 2.5, "team": "Core"}, importance=0.9, timestamp="2026-01-01")
        memory.add("three", metadata={"n": "3", "team": None}, kind="opinion", session_id="s1")
        memory.add("four", user_id="ana")
        yield memory


MEANINGS: list[tuple[dict[str, Any], set[str]]] = [
    ({}, {"one", "two", "three", "four"}),
    ({"metadata.team": "core"}, {"one"}),
    ({"metadata.team": {"eq": "core"}}, {"one"}),
    ({"metadata.team": {"ne": "core"}}, {"two", "three", "four"}),
    ({"metadata.team": {"exists": True}}, {"one", "two"}),
    ({"metadata.team": {"exists": False}}, {"three", "four"}),
    ({"metadata.team": {"in": ["core", "x"]}}, {"one"}),
    ({"metadata.team": {"nin": ["core", "x"]}}, {"two", "three", "four"}),
    ({"metadata.team": {"icontains": "COR"}}, {"one", "two"}),
    ({"metadata.team": {"contains": "or"}}, {"one", "two"}),
    ({"metadata.team": {"contains": "OR"}}, set()),
    ({"metadata.n": {"gt": 1}}, {"two"}),
    ({"metadata.n": {"gte": 1}}, {"one", "two"}),
    ({"metadata.n": {"lt": 2}}, {"one"}),
    ({"metadata.n": {"gte": "2"}}, {"three"}),
    ({"metadata.ok": True}, {"one"}),
    ({"metadata.deep.x": {"contains": "a"}}, {"one"}),
    ({"metadata.deep.x": {"contains": "b"}}, set()),
    ({"metadata.deep.x": {"icontains": "b"}}, {"one"}),
    ({"metadata.nothing.here": 1}, set()),
    ({"tags": "red"}, {"one", "two"}),
    ({"tags": {"contains": "red"}}, {"one", "two"}),
    ({"tags": {"icontains": "big"}}, {"one"}),
    ({"tags": {"in": ["Big", "x"]}}, {"one"}),
    ({"tags": {"nin": ["Big", "x"]}}, {"two", "three", "four"}),
    ({"tags": {"ne": "red"}}, {"three", "four"}),
    ({"tags": {"exists": False}}, {"three", "four"}),
    ({"kind": "opinion"}, {"three"}),
    ({"content": {"icontains": "O"}}, {"one", "two", "four"}),
    ({"importance": {"gt": 0.5}}, {"two"}),
    ({"importance": {"gt": 0.5, "lt": 0.6}}, set()),
    ({"event_time": {"lt": "2026-02-01"}}, {"two"}),
    ({"event_time": {"eq": datetime(2026, 1, 1, tzinfo=UTC)}}, {"two"}),
    ({"event_time": None}, {"one", "three", "four"}),
    ({"flagged": False}, {"one", "two", "three", "four"}),
    ({"flagged": True}, set()),
    ({"user_id": "ana"}, {"four"}),
    ({"user_id": {"exists": False}}, {"one", "two", "three"}),
    ({"session_id": "s1"}, {"three"}),
    ({"kind": "semantic", "tags": "red"}, {"one", "two"}),
    ({"AND": [{"kind": "semantic"}, {"importance": 0.9}]}, {"two"}),
    ({"OR": [{"content": "one"}, {"content": "two"}]}, {"one", "two"}),
    ({"NOT": {"content": "one"}}, {"two", "three", "four"}),
    ({"NOT": [{"content": "one"}]}, {"two", "three", "four"}),
    ({"not": {"metadata.n": {"gt": 0}}}, {"three", "four"}),
    ({"OR": [{"AND": [{"tags": "red"}, {"NOT": {"tags": "Big"}}]}, {"user_id": "ana"}]}, {"two", "four"}),
]


@pytest.mark.parametrize(("tree", "expected"), MEANINGS, ids=[str(tree) for tree, _ in MEANINGS])
def test_what_a_filter_means(shelf: Memory, tree: dict[str, Any], expected: set[str]) -> None:
    assert {record.content for record in shelf.get_all(filters=tree, reach="all")} == expected


def test_values_and_keys_are_bound_never_part_of_the_sql(shelf: Memory) -> None:
    evil = "x'; DROP TABLE record; --"
    for tree in ({"content": evil}, {"metadata.team": evil}, {f"metadata.{evil}": 1}, {"tags": {"in": [evil]}}):
        assert len(shelf.get_all(filters=tree)) == 0
    assert len(shelf.get_all()) == 3


MISTAKES: list[tuple[Any, str]] = [
    ([{"kind": "x"}], "filters must be an object, such as"),
    ("kind", "filters must be an object, such as"),
    ({"colour": "red"}, "write 'metadata.colour'"),
    ({"catgory": "fact"}, "did you mean 'category'?"),
    ({"user": "ana"}, "did you mean 'user_id'?"),
    ({"metadata": {"eq": 1}}, "as in 'metadata.key'"),
    ({"metadata.": 1}, "is not a path"),
    ({"metadata.a..b": 1}, "is not a path"),
    ({'metadata.a"b': 1}, "is not a path"),
    ({5: 1}, "field is a text"),
    ({"kind": {}}, "has no condition"),
    ({"kind": {"like": "x"}}, "known: eq, ne, gt"),
    ({"kind": {"eq": ["x"]}}, "not list"),
    ({"kind": {"in": "semantic"}}, "takes a list"),
    ({"kind": {"exists": "yes"}}, "true or false"),
    ({"kind": 5}, "is a text field"),
    ({"importance": "high"}, "is a number field"),
    ({"importance": True}, "is a number field"),
    ({"importance": {"contains": 1}}, "is a number field"),
    ({"created_at": {"contains": "2026"}}, "is a time field"),
    ({"created_at": {"gt": None}}, "needs a value"),
    ({"created_at": "whenever"}, "created_at: cannot read"),
    ({"importance": {"gt": None}}, "needs a value"),
    ({"importance": float("nan")}, "NaN"),
    ({"importance": 2**70}, "64-bit"),
    ({"flagged": "yes"}, "is a flag field"),
    ({"flagged": {"gt": True}}, "has no order"),
    ({"tags": {"gt": "a"}}, "has no order"),
    ({"tags": 5}, "is a list field"),
    ({"AND": []}, "non-empty list"),
    ({"OR": {"kind": "x"}}, "non-empty list"),
    ({"NOT": []}, "a filter is an object"),
    ({"AND": [{}]}, "a filter is an object"),
    ({"content": "\ud800"}, "half a character"),
]


@pytest.mark.parametrize(("tree", "told"), MISTAKES, ids=[repr(tree)[:60] for tree, _ in MISTAKES])
def test_a_mistake_is_told_with_what_would_be_right(tree: Any, told: str) -> None:
    with pytest.raises(InvalidQuery if isinstance(tree, dict) else UsageError) as caught:
        parse_filters(tree)
    assert told in caught.value.message


def test_size_is_bounded_in_every_direction() -> None:
    deep: dict[str, Any] = {"kind": "x"}
    for _ in range(FILTER_DEPTH_MAX + 1):
        deep = {"NOT": deep}
    wide = {"OR": [{"kind": "x"}] * (FILTER_LEAVES_MAX + 1)}
    long = {"kind": {"in": ["x"] * (FILTER_VALUES_MAX + 1)}}
    for tree in (deep, wide, long):
        with pytest.raises(InvalidQuery):
            parse_filters(tree)
    assert parse_filters({"OR": [{"kind": "x"}] * FILTER_LEAVES_MAX}) is not None
    assert parse_filters(deep["NOT"]) is not None


def test_no_filter_is_no_tree() -> None:
    assert parse_filters(None) is None
    assert parse_filters({}) is None


def test_a_tree_is_parsed_into_values() -> None:
    tree = parse_filters({"kind": "fact", "OR": [{"tags": "a"}, {"metadata.b.c": {"gt": 1}}]})
    assert tree == FilterGroup(
        "and",
        (
            Leaf(("kind",), FieldType.TEXT, "eq", "fact"),
            FilterGroup(
                "or",
                (
                    Leaf(("tags",), FieldType.LIST, "eq", "a"),
                    Leaf(("metadata", "b", "c"), FieldType.JSON, "gt", 1),
                ),
            ),
        ),
    )
    assert mentions(tree, "tags")
    assert not mentions(tree, "tier")
