"""The history of a repository: what changed together, under today's names, from whatever sort of clone."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest
from repositories import Repository, needs_git

from recollect.code import history
from recollect.code.history import read_history

pytestmark = needs_git


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    root = tmp_path / "repository"
    root.mkdir()
    return Repository(root)


LONG = "\n".join(f"line {number} of a file" for number in range(30))


def test_files_of_a_commit_belong_together(repository: Repository) -> None:
    repository.commit(a__py="1", b__py="1")
    repository.commit(a__py="2")
    found = read_history(repository.root)
    assert [change.files for change in found.changes] == [("a.py", "b.py"), ("a.py",)]
    assert found.changes[1].at_s - found.changes[0].at_s == 86_400
    assert found.missing == ()


def test_only_what_came_since_is_read(repository: Repository) -> None:
    first = repository.commit(a__py="1")
    second = repository.commit(b__py="1")
    found = read_history(repository.root, after=first)
    assert [change.files for change in found.changes] == [("b.py",)]
    assert (found.head, found.whole) == (second, False)


def test_a_history_that_was_rewritten_is_read_anew(repository: Repository) -> None:
    repository.commit(a__py="1")
    found = read_history(repository.root, after="0123456789" * 4)
    assert found.whole
    assert found.missing == (history.FORGOTTEN,)
    assert [change.files for change in found.changes] == [("a.py",)]


def test_a_file_that_moved_is_followed_under_its_name_of_today(repository: Repository) -> None:
    repository.commit(old__py=LONG, b__py="1")
    repository.commit(old__py=None, new__py=LONG)
    repository.commit(new__py=None, newest__py=LONG)
    found = read_history(repository.root)
    assert [change.files for change in found.changes] == [("b.py", "newest.py"), ("newest.py",), ("newest.py",)]
    assert dict(found.renamed) == {"old.py": "newest.py", "new.py": "newest.py"}


def test_a_name_that_is_used_again_is_another_file(repository: Repository) -> None:
    repository.commit(a__py=LONG, b__py="1")
    repository.commit(a__py=None, moved__py=LONG)
    repository.commit(a__py="something else", c__py="1")
    found = read_history(repository.root)
    assert [change.files for change in found.changes] == [("b.py", "moved.py"), ("moved.py",), ("a.py", "c.py")]


def test_names_of_any_sort_come_through(repository: Repository) -> None:
    odd = ["with space.py", 'quo"te.py', "umläut.py", "new\nline.py"]
    for name in odd:
        (repository.root / name).write_text("1", encoding="utf-8")
    repository.commit()
    assert sorted(read_history(repository.root).changes[0].files) == sorted(odd)


def test_a_commit_of_very_many_files_says_nothing(repository: Repository) -> None:
    repository.commit(**{f"file{number}__py": "1" for number in range(31)})
    assert read_history(repository.root).changes == ()
    assert len(read_history(repository.root, files_max=31).changes) == 1


def test_a_shallow_clone_says_what_it_lacks(repository: Repository, tmp_path: Path) -> None:
    repository.commit(a__py="1")
    repository.commit(a__py="2", b__py="1")
    repository.git("clone", "-q", "--depth", "1", f"file://{repository.root}", str(tmp_path / "shallow"))
    found = read_history(tmp_path / "shallow")
    assert found.missing == (history.SHALLOW,)
    assert [change.files for change in found.changes] == [("a.py", "b.py")]


def test_a_partial_clone_fetches_nothing(repository: Repository, tmp_path: Path) -> None:
    repository.commit(old__py=LONG)
    repository.commit(old__py=None, new__py=LONG)
    repository.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "partial"
    repository.git("clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{repository.root}", str(clone))
    shutil.rmtree(repository.root)  # whatever is fetched now fails
    found = read_history(clone)
    assert found.missing == (history.PARTIAL,)
    assert [set(change.files) for change in found.changes] == [{"old.py"}, {"old.py", "new.py"}]


def test_no_repository_no_commits_no_git_are_said(
    tmp_path: Path, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert read_history(repository.root).missing == (history.NO_HISTORY,)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert read_history(elsewhere).missing == (history.NO_REPOSITORY,)
    assert read_history(tmp_path / "nowhere").missing == (history.NO_REPOSITORY,)
    monkeypatch.setenv("PATH", str(elsewhere))
    assert read_history(repository.root).missing == (history.NO_GIT,)


def test_git_that_hangs_is_not_waited_for(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hanging = tmp_path / "bin" / "git"
    hanging.parent.mkdir()
    hanging.write_text("#!/bin/sh\nexec sleep 30\n")
    hanging.chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", f"{hanging.parent}{os.pathsep}{os.environ['PATH']}")
    assert read_history(repository.root, timeout_s=0.2).missing == (history.TOO_SLOW,)


def test_nothing_that_a_repository_names_is_run(repository: Repository, tmp_path: Path) -> None:
    trace = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {trace}\n")
    program.chmod(stat.S_IRWXU)
    repository.commit(a__py="1")
    for setting in ("core.fsmonitor", "gpg.program", "diff.external", "core.pager", "core.sshCommand"):
        repository.git("config", setting, str(program))
    repository.git("config", "log.showSignature", "true")
    assert len(read_history(repository.root).changes) == 1
    assert not trace.exists()
