"""A watched project: its graph follows what people and git do, and the watch ends when it is asked to."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from samples import everything, write

import recollect
from recollect import Memory
from recollect.code.watching import GONE, ProjectWatch
from recollect.config.coding import CodeGraphSettings
from recollect.errors import StoreError
from recollect.model.result import Report

FILES = {"a.py": "def f(): ...\n", "b.py": "from a import f\ndef g():\n    f()\n"}
QUICK = {"codegraph.refresh_files": 0, "codegraph.check_s": 3600, "codegraph.watch_s": 0.1, "codegraph.settle_s": 0.05}
BY = ("system", "looking")


@pytest.fixture(params=BY)
def by(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "system":
        pytest.importorskip("watchfiles")
    else:
        monkeypatch.setitem(sys.modules, "watchfiles", None)
    return str(request.param)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with recollect.open(tmp_path / "m.db", embedder="fake", config=QUICK, background=False) as opened:
        yield opened


class Watching:
    """A watch in a thread of its own."""

    def __init__(self, memory: Memory, root: Path) -> None:
        memory.code.index(root)
        code = memory._engine.code
        self.watch = ProjectWatch(root, memory.config.codegraph, lambda: code.refresh(root))
        self.report: Report | None = None
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        self.report = self.watch.run()

    def start(self) -> None:
        self._thread.start()

    def end(self) -> Report:
        self.watch.stop.set()
        self._thread.join(10)
        assert not self._thread.is_alive()
        assert self.report is not None
        return self.report

    @property
    def is_over(self) -> bool:
        self._thread.join(10)
        return not self._thread.is_alive()


@contextmanager
def watching(memory: Memory, root: Path) -> Iterator[Watching]:
    found = Watching(memory, root)
    found.start()
    try:
        yield found
    finally:
        found.end()


def soon(what: Callable[[], bool]) -> bool:
    """Whether it becomes true within a while."""
    for _ in range(200):
        if what():
            return True
        time.sleep(0.05)
    return False


def callers(memory: Memory, symbol: str) -> list[str]:
    """As a question tells that looks at no file itself."""
    try:
        return [item.label for item in memory.code.callers(symbol)]
    except recollect.errors.NotFound:
        return []


def test_edits_new_files_and_deletions_are_taken_in(memory: Memory, tmp_path: Path, by: str) -> None:
    root = write(tmp_path / "atlas", FILES)
    with watching(memory, root) as watch:
        assert soon(lambda: callers(memory, "f") == ["b.py::g"])
        (root / "c.py").write_text("from a import f\ndef h():\n    f()\n", encoding="utf-8")
        assert soon(lambda: callers(memory, "f") == ["b.py::g", "c.py::h"])
        (root / "b.py").unlink()
        assert soon(lambda: callers(memory, "f") == ["c.py::h"])
        (root / "v1.2").mkdir()
        (root / "c.py").rename(root / "v1.2" / "c.py")
        assert soon(lambda: callers(memory, "f") == ["v1.2/c.py::h"])
        (root / "v1.2").rename(root / "v1.3")
        assert soon(lambda: callers(memory, "f") == ["v1.3/c.py::h"])
        report = watch.end()
    assert report["updates"] >= 4
    assert bool(report.warnings) == (by == "looking")


def test_git_operations_in_a_row_leave_the_graph_of_a_full_build(memory: Memory, tmp_path: Path, by: str) -> None:
    root = write(tmp_path / "atlas", FILES)
    shutil.rmtree(root / ".git")

    def git(*words: str) -> None:
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *who, *words], cwd=root, check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    git("add", ".")
    git("commit", "-qm", "one")
    with watching(memory, root) as watch:
        for number in range(8):
            git("checkout", "-q", "-b", f"branch{number}")
            (root / "a.py").write_text(f"def f(): ...\ndef only_{number}():\n    f()\n", encoding="utf-8")
            (root / f"n{number}.py").write_text("from a import f\ndef user():\n    f()\n", encoding="utf-8")
            git("add", ".")
            git("commit", "-qm", str(number))
            git("checkout", "-q", "main")
        git("merge", "-q", "branch3", "-m", "merged")
        assert soon(lambda: callers(memory, "f") == ["a.py::only_3", "b.py::g", "n3.py::user"])
        assert soon(lambda: not memory._engine.code._open[str(root)].pending())
        report = watch.end()
    with recollect.open(":memory:", embedder="fake") as other:
        other.code.index(root)
        assert everything(memory) == everything(other)
    assert report["updates"] < 40  # many writes, few updates


def test_a_lock_of_git_is_waited_for(memory: Memory, tmp_path: Path, by: str) -> None:
    root = write(tmp_path / "atlas", FILES)
    with watching(memory, root):
        assert soon(lambda: callers(memory, "f") == ["b.py::g"])
        (root / ".git/index.lock").touch()
        (root / "b.py").unlink()
        time.sleep(0.5)
        assert callers(memory, "f") == ["b.py::g"]
        (root / ".git/index.lock").unlink()
        assert soon(lambda: callers(memory, "f") == [])


def test_a_project_that_goes_ends_the_watch(memory: Memory, tmp_path: Path, by: str) -> None:
    root = write(tmp_path / "atlas", FILES)
    with watching(memory, root) as watch:
        assert soon(lambda: callers(memory, "f") == ["b.py::g"])
        root.rename(tmp_path / "moved")
        assert watch.is_over
        assert GONE in watch.end().warnings


def test_a_failure_that_passes_is_told_and_the_watch_goes_on(tmp_path: Path) -> None:
    left = [StoreError("the disk is full"), StoreError("the disk is full")]
    watch = ProjectWatch(tmp_path, CodeGraphSettings(watch_s=0.05), lambda: None)

    def take_in() -> None:
        if left:
            raise left.pop()
        watch.stop.set()

    watch._take_in = take_in
    report = watch.run(10)
    assert not left
    assert any("the disk is full" in warning for warning in report.warnings)


def test_a_watch_ends_after_its_time(memory: Memory, tmp_path: Path, by: str) -> None:
    root = write(tmp_path / "atlas", FILES)
    report = memory.code.watch(root, seconds=0.3)
    assert (report["root"], report["updates"]) == (str(root), 0)


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_the_shell_ends_when_it_is_asked(tmp_path: Path, sent: signal.Signals) -> None:
    root = write(tmp_path / "atlas", FILES)
    store = tmp_path / "m.db"
    command = [sys.executable, "-m", "recollect.interfaces.cli", "--db", str(store), "code", "index", str(root)]
    environment = {**os.environ, "RECOLLECT_CODEGRAPH__SETTLE_S": "0.05"}
    with subprocess.Popen([*command, "--watch"], env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            with recollect.open(store, embedder="fake", config=QUICK, background=False) as memory:
                assert soon(lambda: _indexed(memory))
                time.sleep(1)
                (root / "c.py").write_text("from a import f\ndef h():\n    f()\n", encoding="utf-8")
                assert soon(lambda: "c.py::h" in callers(memory, "f"))
            process.send_signal(sent)
            out, _ = process.communicate(timeout=20)
        finally:
            process.kill()
    assert process.returncode == 0
    assert "updates" in out


def _indexed(memory: Memory) -> bool:
    with memory._engine.store.read() as tx:
        return bool(tx.code.projects())
