"""Verbs run by name, with arguments from anywhere."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

import recollect
from recollect.errors import NotFound, UsageError
from recollect.memory import Memory
from recollect.verbs.by_name import run


@pytest.fixture
def memory() -> Iterator[Memory]:
    with recollect.open(":memory:", embedder="fake") as memory:
        yield memory


def test_answers_are_plain_data(memory: Memory) -> None:
    added = run(memory, "add", {"content": "Ana lives in Rome", "user_id": "ana"})
    first = added["ids"][0]
    answers = [
        added,
        run(memory, "search", {"query": "where does Ana live", "user_id": "ana", "explain": True}),
        run(memory, "get", {"id": first}),
        run(memory, "list", {"user_id": "ana"}),
        run(memory, "history", {"id": first}),
        run(memory, "operations"),
        run(memory, "stats"),
        run(memory, "health"),
        run(memory, "doctor"),
    ]
    assert all(json.loads(json.dumps(answer)) == answer for answer in answers)


def test_bare_values_get_a_name(memory: Memory) -> None:
    ids = run(memory, "add", {"content": ["one thing", "another thing"]})["ids"]
    edge = run(memory, "relate", {"source": ids[0], "target": ids[1]})
    assert set(edge) == {"edge"}
    assert len(run(memory, "operations", {"limit": 5})["results"]) == 2
    assert all(finding["ok"] for finding in run(memory, "doctor")["findings"])


def test_alias(memory: Memory) -> None:
    run(memory, "remember", {"content": "tea"})
    assert run(memory, "recall", {"query": "tea"})["results"][0]["memory"] == "tea"


def test_none_is_not_given(memory: Memory) -> None:
    assert run(memory, "get_all", {"kinds": None, "limit": None})["results"] == []


def test_absent_record_is_not_found(memory: Memory) -> None:
    with pytest.raises(NotFound, match="not visible"):
        run(memory, "get", {"id": "00000000-0000-4000-8000-000000000000"})


@pytest.mark.parametrize(
    ("verb", "arguments", "said"),
    [
        ("add", {"contents": "x"}, "did you mean content"),
        ("add", {}, "add needs content"),
        ("search", {"query": "x", "top_k": "5"}, "top_k must be a whole number"),
        ("delete_all", {"user_id": "ana", "dry_run": "true"}, "dry_run must be true or false"),
        ("delete", {"id": "x", "hard": "false"}, "hard must be true or false"),
        ("search", {"query": "x", "filters": "a"}, "filters must be an object"),
        ("forgett", {}, "did you mean forget"),
    ],
)
def test_mistakes_change_nothing(memory: Memory, verb: str, arguments: dict[str, object], said: str) -> None:
    run(memory, "add", {"content": "kept", "user_id": "ana"})
    with pytest.raises(UsageError, match=said):
        run(memory, verb, arguments)
    assert run(memory, "stats")["records"] == 1


def test_an_unknown_argument_is_told_what_is_taken(memory: Memory) -> None:
    with pytest.raises(UsageError, match=r"add takes no argument 'text'; it takes content, kind, "):
        run(memory, "add", {"text": "hello"})
