"""Before an edit of a file that much depends on, an agent is told its tests and companions: once, and from no guess."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from sessions import ClaudeCode, hook, repository, told

import recollect
from recollect.memory import Memory
from recollect.providers.tokens import counter_for


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


def committed(root: Path) -> None:
    who = ["-c", "user.name=Kim", "-c", "user.email=kim@example.com"]
    subprocess.run(["git", "-C", str(root), "add", "-A"], check=True)
    subprocess.run(["git", "-C", str(root), *who, "commit", "-qm", "more"], check=True)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Twelve files and a test rest on one, which changes with its notes; nothing rests on another."""
    root = tmp_path / "shop"
    root.mkdir()
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (root / "tests").mkdir()
    (root / "tests" / "test_core.py").write_text("import core\n\n\ndef test_it():\n    assert core.f() == 1\n")
    for number in range(12):
        (root / f"user{number}.py").write_text("import core\n\nprint(core.f())\n")
    (root / "lonely.py").write_text("x = 1\n")
    for day in range(6):
        (root / "core.py").write_text(f"def f():\n    return 1\n\n\nday = {day}\n")
        (root / "limits.py").write_text(f"limit = {day}\n")
        subprocess.run(["git", "-C", str(root), "add", "-A"], check=True)
        who = ["-c", "user.name=Kim", "-c", "user.email=kim@example.com"]
        when = f"2026-10-{10 + day}T12:00:00+00:00"
        subprocess.run(
            ["git", "-C", str(root), *who, "commit", "-qm", "more", "--date", when],
            check=True,
            env={"GIT_COMMITTER_DATE": when, "PATH": "/usr/bin:/bin", "HOME": str(root)},
        )
    return root


def opened(store: Path, **config: Any) -> Memory:
    named = {name.replace("__", "."): value for name, value in config.items()}
    return recollect.open(store, embedder="fake", background=False, config=named)


def indexed(store: Path, shop: Path, **config: Any) -> None:
    hook(ClaudeCode(shop, "s0").start(), store)
    with opened(store, **config) as memory:
        memory.code.index(shop)


def edit(shop: Path, name: str, session: str = "s1") -> dict[str, Any]:
    return ClaudeCode(shop, session).before("Edit", file_path=str(shop / name), old_string="1", new_string="2")


def test_an_edit_of_a_wide_file_is_told_what_to_run_and_what_changes_with_it_once(store: Path, shop: Path) -> None:
    indexed(store, shop)
    said = told(hook(edit(shop, "core.py"), store))
    assert "core.py: 13 files depend on it, 13 directly." in said
    assert "Files that change with it: limits.py." in said
    assert "Tests to run: tests/test_core.py." in said
    assert counter_for("gpt-4o").count(said) <= 300
    assert not told(hook(edit(shop, "core.py"), store))
    assert told(hook(edit(shop, "core.py", "s2"), store))


def test_of_a_file_on_which_little_rests_nothing_is_said_and_nothing_after_the_edit(store: Path, shop: Path) -> None:
    indexed(store, shop)
    assert not told(hook(edit(shop, "lonely.py"), store))
    assert not told(hook(edit(shop, "tests/test_core.py"), store))
    assert not told(hook(ClaudeCode(shop).read("core.py"), store))
    assert not told(hook(ClaudeCode(shop).edit("core.py", 1, "1", "2"), store))


@pytest.mark.parametrize(("setting", "value"), [("reach_files", 0), ("reach_files", 14), ("inject", False)])
def test_it_can_be_switched_off_and_its_threshold_moved(store: Path, shop: Path, setting: str, value: Any) -> None:
    indexed(store, shop, **{f"observe__{setting}": value})
    assert not told(hook(edit(shop, "core.py"), store))


def test_warnings_come_with_it_within_the_same_tokens(store: Path, shop: Path) -> None:
    indexed(store, shop)
    with opened(store) as memory:
        for number in range(3):
            files = {"related_files": ["core.py"]}
            kept = memory.add(f"Mind the cache {number}, " * 30, category="gotcha", metadata=files, project="shop")
            memory.confirm(kept.id)
    said = told(hook(edit(shop, "core.py"), store))
    assert "Mind the cache" in said
    assert "Tests to run" in said
    assert counter_for("gpt-4o").count(said) <= 300


def test_a_graph_that_changed_changes_what_is_said(store: Path, shop: Path) -> None:
    indexed(store, shop)
    for number in range(12):
        (shop / f"user{number}.py").unlink()
    committed(shop)
    indexed(store, shop)
    assert not told(hook(edit(shop, "core.py"), store))


def test_another_project_of_the_same_store_is_told_nothing(store: Path, shop: Path, tmp_path: Path) -> None:
    indexed(store, shop)
    other = repository(tmp_path / "other", core__py="x = 1\n")
    hook(ClaudeCode(other, "o0").start(), store)
    opened(store).close()
    assert not told(hook(edit(other, "core.py", "o1"), store))
