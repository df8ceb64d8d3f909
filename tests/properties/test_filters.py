"""A filter means what a few lines of Python say it means, on every path that takes one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from properties.tables import cold, examples, open_quick
from recollect.memory import Memory
from recollect.model.record import Record

MISSING = object()
keys = st.sampled_from(["a", "b", "ü", "two words", "back\\slash", "a'b", "$", "tab\t"])
words = st.sampled_from(["", "core", "Core", "CORE team", "straße", "STRASSE", "1", "[1]", "a%b", "true", "null"])
scalars = st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from([0.5, 1.0, -1.5, 2**40]), words)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(keys, inner, max_size=2)),
    max_leaves=4,
)
records = st.fixed_dictionaries(
    {"metadata": st.dictionaries(keys, values, max_size=3)},
    optional={
        "tags": st.lists(st.sampled_from(["x", "y", "Y"]), max_size=2, unique=True),
        "importance": st.sampled_from([0.0, 0.25, 0.5, 1.0]),
        "kind": st.sampled_from(["semantic", "opinion"]),
        "category": st.sampled_from(["fact", "gotcha"]),
        "source": st.sampled_from(["chat", "Chat"]),
        "session_id": st.sampled_from(["s1", "s2"]),
        "user_id": st.sampled_from(["ana", "bob"]),
        "tier": st.sampled_from(["longterm", "archive"]),
    },
)

ordered = st.sampled_from(["gt", "gte", "lt", "lte"])
sized = st.one_of(st.integers(-3, 3), st.sampled_from([0.5, 1.0]), words)
paths = st.lists(keys, min_size=1, max_size=2).map(lambda parts: ".".join(["metadata", *parts]))


def leaf(field: Any, condition: Any) -> Any:
    return st.builds(lambda name, operator: {name: operator}, field, condition)


def one(operator: Any, operand: Any) -> Any:
    return st.builds(lambda name, value: {name: value}, operator, operand)


equal = st.sampled_from(["eq", "ne"])
listed = st.sampled_from(["in", "nin"])
found = st.sampled_from(["contains", "icontains"])
texts = st.one_of(
    one(equal, st.one_of(st.none(), words)),
    one(listed, st.lists(words, max_size=3)),
    one(found, words),
    one(ordered, words),
    one(st.just("exists"), st.booleans()),
)
leaves = st.one_of(
    leaf(paths, one(equal, scalars)),
    leaf(paths, scalars),
    leaf(paths, one(listed, st.lists(scalars, max_size=3))),
    leaf(paths, one(ordered, sized)),
    leaf(paths, one(found, words)),
    leaf(paths, one(st.just("exists"), st.booleans())),
    leaf(st.sampled_from(["content", "kind", "category", "source", "session_id", "user_id"]), texts),
    leaf(st.just("importance"), st.one_of(one(ordered, st.sampled_from([0, 0.25, 0.5, 1])), one(equal, st.just(0.5)))),
    leaf(
        st.just("tags"), one(st.sampled_from(["eq", "ne", "contains", "icontains"]), st.sampled_from(["x", "y", "z"]))
    ),
    leaf(st.just("tags"), one(listed, st.lists(st.sampled_from(["x", "y"]), max_size=2))),
    leaf(st.just("tags"), one(st.just("exists"), st.booleans())),
    leaf(st.just("flagged"), one(equal, st.booleans())),
    leaf(st.just("tier"), one(equal, st.sampled_from(["longterm", "archive"]))),
)
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(lambda parts: {"AND": parts}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda parts: {"OR": parts}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda part: {"NOT": part}, inner),
    ),
    max_leaves=5,
)


# --- the meaning ----------------------------------------------------------------------------------------------------


def meets(record: Record, tree: Mapping[str, Any]) -> bool:
    ((name, value),) = tree.items()
    if name == "AND":
        return all(meets(record, part) for part in value)
    if name == "OR":
        return any(meets(record, part) for part in value)
    if name == "NOT":
        return not meets(record, value)
    condition = value if isinstance(value, Mapping) else {"eq": value}
    ((operator, operand),) = condition.items()
    held = look_up(record, name)
    if name == "tags":
        return meets_list(held, operator, operand)
    return meets_value(held, operator, operand)


def look_up(record: Record, name: str) -> Any:
    if name.startswith("metadata."):
        held: Any = record.metadata
        for key in name.split(".")[1:]:
            if not isinstance(held, dict) or key not in held:
                return None
            held = held[key]
        return held
    if name == "user_id":
        return record.scope.user_id
    held = getattr(record, name)
    return held.value if hasattr(held, "value") else held


def same(held: Any, operand: Any) -> bool:
    """Equal and of one sort: true is 1 as in Python, but a text is never a number, a list or an object."""
    if isinstance(held, list | dict):
        return False
    return isinstance(held, str) == isinstance(operand, str) and held == operand


def meets_value(held: Any, operator: str, operand: Any) -> bool:
    if operator == "exists":
        return (held is not None) == operand
    if operator in ("eq", "ne"):
        return same(held, operand) == (operator == "eq")
    if operator in ("in", "nin"):
        return any(same(held, each) for each in operand) == (operator == "in")
    if operator in ("contains", "icontains"):
        fold = str.casefold if operator == "icontains" else str
        if isinstance(held, list):
            return any(isinstance(each, str) and fold(each) == fold(operand) for each in held)
        return isinstance(held, str) and fold(operand) in fold(held)
    if held is None or isinstance(held, bool | list | dict) or isinstance(held, str) != isinstance(operand, str):
        return False
    return bool({"gt": held > operand, "gte": held >= operand, "lt": held < operand, "lte": held <= operand}[operator])


def meets_list(held: tuple[str, ...], operator: str, operand: Any) -> bool:
    if operator == "exists":
        return bool(held) == operand
    if operator == "icontains":
        return any(each.casefold() == operand.casefold() for each in held)
    wanted = operand if isinstance(operand, list) else [operand]
    return any(each in wanted for each in held) != (operator in ("ne", "nin"))


def names_tier(tree: Mapping[str, Any]) -> bool:
    ((name, value),) = tree.items()
    if name in ("AND", "OR"):
        return any(names_tier(part) for part in value)
    return names_tier(value) if name == "NOT" else name == "tier"


# --- the comparison ---------------------------------------------------------------------------------------------------


def answers(memory: Memory, tree: Mapping[str, Any]) -> dict[str, set[str]]:
    ask: dict[str, Any] = {"filters": tree, "reach": "all"}
    out = {
        "get_all": {record.id for record in memory.get_all(limit=1000, **ask)},
        "search": {hit.id for hit in memory.search("common", top_k=1000, **ask)},
    }
    with cold(memory):
        out["cold search"] = {hit.id for hit in memory.search("common", top_k=1000, **ask)}
    return out


@examples(25)
@given(given_=st.lists(records, min_size=1, max_size=6), chosen=st.lists(trees, min_size=1, max_size=8))
def test_filters_mean_what_python_says(given_: list[dict[str, Any]], chosen: list[dict[str, Any]]) -> None:
    with TemporaryDirectory() as folder, open_quick(Path(folder) / "m.db") as memory:
        for number, fields in enumerate(given_):
            memory.add(f"common word{number}", **fields)
        everything = [*memory.get_all(limit=1000, reach="all", tiers=["longterm", "archive"])]
        for tree in chosen:
            expected = {
                record.id
                for record in everything
                if meets(record, tree) and (record.tier != "archive" or names_tier(tree))
            }
            for path, got in answers(memory, tree).items():
                assert got == expected, f"{path}: {tree}"
            swept = memory.delete_all(filters=tree, reach="all", dry_run=True)
            assert set(swept.ids) == {record.id for record in everything if meets(record, tree)}


def test_several_conditions_on_one_field_are_joined_by_and(memory: Memory) -> None:
    ids = [memory.add("common", metadata={"n": n, "m": n % 2}).id for n in range(6)]
    both = {"metadata.n": {"gte": 2, "lt": 5}, "metadata.m": 1}
    assert [record.id for record in memory.get_all(filters=both)] == [ids[3]]


def test_text_of_a_list_is_not_the_list(memory: Memory) -> None:
    """What is inside JSON is compared as what it is, not as how it is written."""
    memory.add("common", metadata={"a": [1], "b": {"c": 1}, "d": "[1]"})
    assert len(memory.get_all(filters={"metadata.a": "[1]"})) == 0
    assert len(memory.get_all(filters={"metadata.b": {"in": ['{"c":1}']}})) == 0
    assert len(memory.get_all(filters={"metadata.d": "[1]"})) == 1


def test_keys_with_a_backslash_can_be_asked_for(memory: Memory) -> None:
    memory.add("common", metadata={"C:\\temp": 1})
    assert len(memory.get_all(filters={"metadata.C:\\temp": 1})) == 1
