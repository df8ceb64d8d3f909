"""A file gets another name: pairs, signals, conclusions and records follow; texts and other files' names do not."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.memory import Memory


def git(root: Path, *words: str) -> None:
    who = ["-c", "user.name=Kim", "-c", "user.email=kim@example.com"]
    subprocess.run(["git", "-C", str(root), *who, *words], check=True, capture_output=True)


@pytest.fixture
def atlas(tmp_path: Path) -> Path:
    root = tmp_path / "atlas"
    root.mkdir()
    git(root, "init", "-q")
    for name in ("old", "beside"):
        (root / f"{name}.py").write_text("\n".join(f"def {name}{n}():\n    return {n}\n" for n in range(9)))
    git(root, "add", "-A")
    git(root, "commit", "-qm", "one")
    return root


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with recollect.open(tmp_path / "m.db", embedder="fake", background=False) as found:
        yield found


def worked(memory: Memory, root: Path) -> None:
    for number in range(3):
        common = {"session_id": f"s{number}", "cwd": str(root)}
        paths = [f"far{number}_{n}.py" for n in range(40)]
        calls = [
            {"type": "tool", "id": f"{at}", "tool": "Edit", "input": {"file_path": str(root / path)}}
            for at, path in enumerate((*paths, "old.py", "beside.py"))
        ]
        memory.observe([{**common, **each} for each in (*calls, {"type": "session_end", "id": "end"})])


def renamed(memory: Memory, root: Path) -> None:
    git(root, "mv", "old.py", "new.py")
    git(root, "commit", "-qm", "two")
    memory.code.index(root)


def test_everything_goes_by_the_new_name(memory: Memory, atlas: Path) -> None:
    early = memory.add("old.py locks", metadata={"related_files": ["old.py"]}, project="atlas", category="gotcha")
    memory.confirm(early.id)  # before the project was indexed: it is anchored to nothing
    memory.code.index(atlas)
    worked(memory, atlas)
    (pair,) = [each for each in memory.get_all(project="atlas", limit=99) if each.category == "causal_dependency"]
    assert "old.py" in pair.metadata["related_files"]
    renamed(memory, atlas)
    assert memory.get(early.id).metadata["related_files"] == ["new.py"]
    assert memory.get(early.id).content == "old.py locks"
    assert set(memory.get(pair.id).metadata["related_files"]) == {"beside.py", "new.py"}
    assert "new.py" in memory.get(pair.id).attributes["observed"]["key"]
    assert memory.code.paired("new.py")[0].path == "beside.py"
    assert memory.code.paired("new.py")[0].sessions == 3
    hints = memory._engine.observer.hints.of(str(atlas), memory.get(early.id).scope)
    assert list(hints["files"]) == ["new.py"]
    before = len(memory.get_all(project="atlas", limit=99))
    worked(memory, atlas)
    assert len(memory.get_all(project="atlas", limit=99)) == before


def test_it_is_one_operation_that_is_undone(memory: Memory, atlas: Path) -> None:
    early = memory.add("old.py locks", metadata={"related_files": ["old.py"]}, project="atlas")
    memory.code.index(atlas)
    renamed(memory, atlas)
    (operation,) = [each for each in memory.operations(limit=9) if each.reason == "renamed"]
    memory.undo(operation.id)
    assert memory.get(early.id).metadata["related_files"] == ["old.py"]


def test_a_name_that_another_file_has_by_now_is_that_files(memory: Memory, atlas: Path) -> None:
    kept = memory.add("old.py locks", metadata={"related_files": ["old.py"]}, project="atlas")
    memory.code.index(atlas)
    git(atlas, "mv", "old.py", "new.py")
    (atlas / "old.py").write_text("something = 'else'\n")
    git(atlas, "add", "-A")
    git(atlas, "commit", "-qm", "two")
    memory.code.index(atlas)
    assert memory.get(kept.id).metadata["related_files"] == ["old.py"]


def test_records_of_another_project_stay_as_they_are(memory: Memory, atlas: Path) -> None:
    other = memory.add("old.py locks", metadata={"related_files": ["old.py"]}, project="bank")
    memory.code.index(atlas)
    renamed(memory, atlas)
    assert memory.get(other.id).metadata["related_files"] == ["old.py"]
