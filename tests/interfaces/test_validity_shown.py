"""Every interface says of a hit whether it still holds: REST, tools, the shell, and contexts. The page
is drawn from what REST tells, and has its tests in tests/page."""

from __future__ import annotations

from pathlib import Path

import pytest
from changed_lives import ChangedLife
from commands import Run
from interfaces.rest_server import client

import recollect
from recollect.verbs.toolsets.run import run as run_tool

QUESTION = "which editor does Ana use?"
VIM, HELIX = "I use vim for everything.", "Honestly I have been on Helix"


class Told(dict[str, str]):
    """The ids of what was said, by its first words."""


@pytest.fixture
def told(tmp_path: Path) -> Told:
    """A store in which an editor has changed and running may have; the ids of what was said about it."""
    life = ChangedLife(tmp_path / "memory.db")
    life.end("Ana has been on Helix", "Ana uses vim")
    life.doubt("Ana's knee hurts", "Ana runs ten")
    ids = Told({name: life.record(name).id for name in (VIM, HELIX, "I run ten", "My knee hurts")})
    life.memory.close()
    return ids


def test_rest_tells_it(tmp_path: Path, told: Told) -> None:
    with client(tmp_path / "memory.db") as rest:
        asked = {"query": QUESTION, "user_id": "ana"}
        found = {row["id"]: row for row in rest.post("/v1/memories/search", json=asked).json()["results"]}
        old, new = found[told[VIM]], found[told[HELIX]]
        assert (old["current"], old["ended_at"][:10], old["replaced_by"]) == (False, "2025-05-02", [told[HELIX]])
        assert (new["current"], new["ended_at"], new["replaced_by"]) == (True, None, [])
        running = rest.post("/v1/memories/search", json={"query": "does Ana run", "user_id": "ana"}).json()["results"]
        (doubt,) = next(row for row in running if row["id"] == told["I run ten"])["may_have_changed"]
        assert (doubt["id"], doubt["probability"]) == (told["My knee hurts"], 0.5)


def test_tools_tell_it(tmp_path: Path, told: Told) -> None:
    with recollect.open(tmp_path / "memory.db", embedder="fake") as memory:
        found = run_tool("search_memories", {"query": QUESTION}, {"user_id": "ana"}, memory=memory)
        rows = {row["id"]: row for row in found["results"]}
        old, new = rows[told[VIM][:8]], rows[told[HELIX][:8]]
        assert (old["current"], old["until"], old["now"]) == (False, "2025-05-02", [told[HELIX][:8]])
        assert new.keys().isdisjoint(("current", "until", "now", "may_have_changed")), "of what holds nothing is said"
        running = run_tool("search_memories", {"query": "does Ana run"}, {"user_id": "ana"}, memory=memory)
        row = next(row for row in running["results"] if row["id"] == told["I run ten"][:8])
        assert row["may_have_changed"] == [told["My knee hurts"][:8]]


def test_the_shell_tells_it(run: Run, told: Told) -> None:
    shown = run("search", QUESTION, "--user-id", "ana").out
    assert f"until 2025-05-02, now #{told[HELIX][:8]}" in " ".join(shown.split())
    short = run("search", "does Ana run", "--user-id", "ana", "--short").out
    assert f"(may have changed: #{told['My knee hurts'][:8]})" in short


@pytest.mark.parametrize("prompt", [QUESTION, "Which editor did Ana use before?"])
def test_contexts_say_it_in_the_line(tmp_path: Path, told: Told, prompt: str) -> None:
    with recollect.open(tmp_path / "memory.db", embedder="fake") as memory:
        window = memory.context(prompt, user_id="ana", max_tokens=2_000)
        (line,) = [line for line in window.text.splitlines() if VIM in line]
        assert line.endswith(f"Ana: {VIM} (until 2025-05-02, now #{told[HELIX][:8]})")
        answer = f"Ana used vim [#{told[VIM][:8]}], and Helix since [#{told[HELIX][:8]}]."
        assert window.citations(answer)
