"""Who holds one project learns nothing of another, by no verb and no tool that observes or asks about code."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from sessions import repository

import recollect
from recollect.errors import RecollectError
from recollect.memory import Memory
from recollect.verbs import by_name
from recollect.verbs.signature import takes_of
from recollect.verbs.table import VERBS, find
from recollect.verbs.toolsets.run import run
from recollect.verbs.toolsets.sets import toolset

HIDDEN = "zebra"  # stands in every name of the other project that no question holds
CODE = f"import {HIDDEN}\nfrom {HIDDEN} import striped_{HIDDEN}\n\ndef asked():\n    return striped_{HIDDEN}()\n"
_OF_AGENTS = ("observe", "observed", "report_failure")
VERB_NAMES = [
    verb.name
    for verb in VERBS
    if verb.group == "Code" or verb.name in _OF_AGENTS or (verb.method or "").startswith("sessions.")
]


class Two(NamedTuple):
    """A store that knows two projects, and a handle of one of them."""

    memory: Memory
    beta: Memory
    atlas: Path


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Two]:
    folder = tmp_path_factory.mktemp("apart")
    atlas = repository(folder / "atlas", asked__py=CODE, **{f"{HIDDEN}__py": f"def striped_{HIDDEN}(): ...\n"})
    beta = repository(folder / "beta", b__py="def g(): ...\n")
    with recollect.open(folder / "m.db", embedder="fake", background=False) as memory:
        memory.code.index(atlas)
        memory.code.index(beta)
        for session in ("s1", "s2", "s3", "s4"):
            memory.observe(worked(session), project="atlas")
        memory.observe({"session_id": "b1", "type": "tool", "tool": "Read", "input": {"path": "b.py"}}, project="beta")
        warned = memory.add(
            f"{HIDDEN} bites", category="gotcha", project="atlas", metadata={"related_files": ["asked.py"]}
        )
        memory.confirm(warned.id)
        yield Two(memory, memory.scoped(project="beta"), atlas)


def worked(session: str) -> list[dict[str, Any]]:
    calls: list[dict[str, Any]] = [
        {"tool": "Read", "input": {"path": "asked.py"}},
        {"tool": "Edit", "input": {"path": f"{HIDDEN}.py"}},
        {"type": "tool_failed", "tool": "Bash", "input": {"command": "make"}, "error": f"error: no {HIDDEN} today"},
        {"tool": "Edit", "input": {"path": f"{HIDDEN}.py"}},
        {"tool": "Bash", "input": {"command": "make"}},
        {"type": "session_end"},
    ]
    return [{"session_id": session, "id": f"{session}{at}", "type": "tool", **call} for at, call in enumerate(calls)]


def questions(two: Two, arguments: Iterable[str], needed: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Arguments that ask for the other project, by all that a stranger may know of it: its name, its folder, a file."""
    file, diff = str(two.atlas / "asked.py"), "--- a/asked.py\n+++ b/asked.py\n@@ -1 +1 @@\n-x\n+y\n"
    event = {"session_id": "s1", "id": "new", "type": "tool", "tool": "Read", "input": {"path": "asked.py"}}
    known: dict[str, list[Any]] = {
        "root": [None, "atlas", str(two.atlas)],
        "project": [None, "atlas"],
        "path": ["asked.py", file, str(two.atlas)],
        "session_id": [None, "s1", "s4"],
        "diff_or_range": ["HEAD", diff],
        "events": [{**event, "cwd": str(two.atlas)}, {**event, "project": "atlas"}],
        "report": ["error: asked.py failed\n", {"severity": "high", "description": "asked fails", "file": "asked.py"}],
        "kind": [None, "calls"],
        "focus": [None, "asked.py"],
        "message": ["done"],
    }
    values = {name: known.get(name, ["asked", "asked.py", file] if name in needed else [None]) for name in arguments}
    for chosen in itertools.product(*values.values()):
        yield {name: value for name, value in zip(values, chosen, strict=True) if value is not None}


def told(call: Callable[[], Any]) -> str:
    """The answer as text, or the error that comes in its place."""
    try:
        return json.dumps(call(), default=str)
    except RecollectError as error:
        return f"{error} {error!r} {vars(error)}"


def known_of_atlas(memory: Memory) -> tuple[Any, ...]:
    """All that the store holds of the other project."""
    records = {each.id: each.to_dict() for each in memory.get_all(project="atlas", limit=500)}
    sessions = [each.to_dict() for each in memory.observed(project="atlas", limit=100)]
    return records, sessions, memory.code.status(root="atlas")["edges"]


@pytest.mark.parametrize("name", VERB_NAMES)
def test_no_verb_tells_or_changes_anything_of_another_project(two: Two, name: str) -> None:
    takes = takes_of(find(name))
    before = known_of_atlas(two.memory)
    for given in questions(two, takes.arguments, takes.needed):
        assert HIDDEN not in told(lambda given=given: by_name.run(two.beta, name, given)), given  # type: ignore[misc]
    assert known_of_atlas(two.memory) == before


@pytest.mark.parametrize("name", sorted(toolset("coding")))
def test_no_tool_tells_or_changes_anything_of_another_project(two: Two, name: str) -> None:
    schema = toolset("coding")[name].parameters
    before = known_of_atlas(two.memory)
    for given in questions(two, schema["properties"], schema.get("required", ())):
        arguments = {key: value for key, value in given.items() if key in schema["properties"]}
        answer = told(lambda given=arguments: run(name, given, {"project": "beta"}, memory=two.memory))  # type: ignore[misc]
        assert HIDDEN not in answer, given
    assert known_of_atlas(two.memory) == before


def test_the_other_project_does_hold_what_is_looked_for(two: Two) -> None:
    """The tests above can fail."""
    own = two.memory.scoped(project="atlas")
    found = [told(lambda name=name: by_name.run(own, name)) for name in ("observed", "sessions_brief", "code_edges")]  # type: ignore[misc]
    assert all(HIDDEN in each for each in found)
