"""Files that belong together, through the verb: by history, by watched sessions, and for whom."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from repositories import Repository, needs_git

import recollect
from recollect.code import history
from recollect.errors import NotFound, UsageError
from recollect.memory import Memory

pytestmark = needs_git


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    root = tmp_path / "atlas"
    root.mkdir()
    found = Repository(root)
    for number in range(12):
        found.commit(auth__py=f"x = {number}", tokens__py=f"y = {number}", uv__lock=f"{number}")
    found.commit(other__py="z = 1")
    return found


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with recollect.open(tmp_path / "m.db", embedder="fake", background=False) as found:
        yield found


def test_what_changed_together_belongs_together(memory: Memory, repository: Repository) -> None:
    memory.code.index(str(repository.root))
    found = memory.code.paired("auth.py")
    assert [each.path for each in found] == ["tokens.py"]
    assert found[0].weight > 0.6
    assert (found[0].together, found[0].sessions) == (12, 0)
    assert list(memory.code.paired("other.py")) == list(memory.code.paired("uv.lock")) == []
    assert list(memory.code.paired(str(repository.root / "auth.py"))) == list(found)


def test_what_is_committed_later_is_taken_in_when_it_is_asked_for(memory: Memory, repository: Repository) -> None:
    memory.code.index(str(repository.root))
    before = memory.code.paired("auth.py")[0].together
    repository.commit(auth__py="x = 99", tokens__py="y = 99")
    assert memory.code.paired("auth.py")[0].together == before + 1


def test_a_file_that_moves_takes_its_past_along(memory: Memory, repository: Repository) -> None:
    text = "\n".join(f"line_{number} = {number}" for number in range(30))
    for number in range(5):
        repository.commit(long__py=f"{text}\nlast = {number}", mate__py=f"{number}")
    memory.code.index(str(repository.root))
    repository.commit(long__py=None, moved__py=f"{text}\nlast = 4")
    assert memory.code.paired("moved.py")[0].path == "mate.py"
    assert [each.path for each in memory.code.paired("mate.py")] == ["moved.py"]


def test_watched_sessions_count_and_say_what_comes_first(memory: Memory, repository: Repository) -> None:
    memory.code.index(str(repository.root))
    for number in range(6):
        session = f"s{number}"
        calls = [("Read", "auth.py"), ("Edit", "other.py")]
        memory.observe(
            [
                {
                    "session_id": session,
                    "id": f"{session}-{at}",
                    "cwd": str(repository.root),
                    "type": "tool",
                    "tool": tool,
                    "input": {"file_path": str(repository.root / path)},
                }
                for at, (tool, path) in enumerate(calls)
            ]
        )
    found = {each.path: each for each in memory.code.paired("auth.py")}
    assert (found["other.py"].sessions, found["other.py"].follows) == (6, True)
    assert {each.path: each.follows for each in memory.code.paired("other.py")} == {"auth.py": False}


def test_a_clone_that_lacks_history_says_so(memory: Memory, repository: Repository, tmp_path: Path) -> None:
    repository.git("clone", "-q", "--depth", "1", f"file://{repository.root}", str(tmp_path / "shallow"))
    report = memory.code.index(str(tmp_path / "shallow"))
    assert history.SHALLOW in report.warnings
    assert memory.code.paired("auth.py", root=str(tmp_path / "shallow")).missing == (history.SHALLOW,)


def test_a_folder_without_git_has_no_pairs_and_says_why(memory: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "a.py").write_text("x = 1\n")
    memory.code.index(str(folder))
    found = memory.code.paired("a.py")
    assert (list(found), found.missing) == ([], (history.NO_REPOSITORY,))


def test_a_handle_of_another_project_sees_nothing(memory: Memory, repository: Repository) -> None:
    memory.code.index(str(repository.root), name="atlas")
    with pytest.raises(NotFound):
        memory.scoped(project="borealis").code.paired("auth.py")
    assert len(memory.scoped(project="atlas").code.paired("auth.py")) == 1


@pytest.mark.parametrize("path", ["", "a\0b", 3])
def test_what_is_no_path_is_refused(memory: Memory, repository: Repository, path: object) -> None:
    memory.code.index(str(repository.root))
    with pytest.raises(UsageError):
        memory.code.paired(path)  # type: ignore[arg-type]
