"""An update gives exactly the graph of a build of all files, whatever was edited."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from edits import ALL_KINDS, OF_BRANCHES, OF_FILES, Editor, used_by_others
from projects import PROJECTS, made
from samples import everything, write

import recollect
from bench.quality import code_typescript
from bench.quality.code_calls import PACKAGES, Package, fetched
from bench.quality.code_typescript import NpmPackage
from bench.quality.sets import NoData
from recollect import Memory

PACKAGE = Path(recollect.__file__).parent
FOLDERS = ("structure", "config", "model", "facade")
SOURCES: list[tuple[str, Package | NpmPackage]] = [
    *(("python", package) for package in PACKAGES if package.name in ("flask", "httpx")),
    *(("typescript", package) for package in code_typescript.PACKAGES if package.name == "rxjs"),
]


def copied(root: Path) -> Path:
    """A slice of a real package."""
    for folder in FOLDERS:
        shutil.copytree(
            PACKAGE / folder, root / "recollect" / folder, ignore=shutil.ignore_patterns("*.sql", "__pycache__")
        )
    for path in PACKAGE.glob("*.py"):
        shutil.copy(path, root / "recollect" / path.name)
    return write(root, {})


def closure_of(memory: Memory) -> dict[str, list[tuple[str, str, int]]]:
    """The stored closure, by path."""
    import numpy as np

    from recollect.code.packed import DEPENDENT

    with memory._engine.store.read() as tx:
        row = tx.code.projects()[0]
        paths = {each.pk: path for path, each in tx.code.standing(row.pk).items()}
        found = {}
        for pk, data in tx.code.closures(row.pk).items():
            rows = np.frombuffer(data, dtype=DEPENDENT).tolist()
            found[paths[pk]] = sorted((paths[file], paths[via], depth) for file, via, depth in rows)
    return found


def fresh(root: Path) -> tuple[list[tuple[object, ...]], dict[str, list[tuple[str, str, int]]]]:
    with recollect.open(":memory:", embedder="fake") as memory:
        memory.code.index(root)
        return everything(memory), closure_of(memory)


def check_edits(
    root: Path, *, rounds: int, edits: int, seed: int, kinds: str = ALL_KINDS, language: str = "python"
) -> None:
    editor = Editor(root, seed, kinds, language)
    with recollect.open(":memory:", embedder="fake", config={"codegraph.check_s": 0}) as memory:
        memory.code.index(root)
        editor.used = used_by_others(root, memory.code.edges())
        for number in range(rounds):
            done = [editor.edit() for _ in range(edits)]
            memory.code.index(root)
            edges, closure = fresh(root)
            assert everything(memory) == edges, (number, done)
            assert closure_of(memory) == closure, (number, done)


def test_forty_edits_of_a_real_package_leave_the_graph_of_a_full_build(tmp_path: Path) -> None:
    check_edits(copied(tmp_path), rounds=8, edits=5, seed=1)


def test_edits_within_files_leave_the_graph_of_a_full_build(tmp_path: Path) -> None:
    """No file comes or goes: what others looked at in a file is all that tells whom an edit concerns."""
    check_edits(copied(tmp_path), rounds=12, edits=2, seed=5, kinds="rename_used swap_base annotate")


def test_files_and_folders_that_come_and_go_leave_the_graph_of_a_full_build(tmp_path: Path) -> None:
    check_edits(copied(tmp_path), rounds=12, edits=2, seed=3, kinds=f"{OF_FILES} {OF_BRANCHES}")


@pytest.mark.parametrize("language", PROJECTS)
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
def test_edits_in_other_languages_leave_the_graph_of_a_full_build(tmp_path: Path, language: str, seed: int) -> None:
    check_edits(made(language, tmp_path), rounds=40, edits=1, seed=seed, language=language)


@pytest.mark.parametrize("language", PROJECTS)
def test_without_the_keys_of_what_changed_other_languages_would_be_wrong_too(
    tmp_path: Path, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect.code.indexing.changed_keys", lambda *_: set())
    with pytest.raises(AssertionError):
        check_edits(made(language, tmp_path), rounds=40, edits=1, seed=0, language=language)


def test_without_the_keys_of_what_changed_the_graph_would_be_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test above can fail."""
    monkeypatch.setattr("recollect.code.indexing.changed_keys", lambda *_: set())
    with pytest.raises(AssertionError):
        check_edits(copied(tmp_path), rounds=12, edits=2, seed=5, kinds="rename_used swap_base annotate")


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(("language", "package"), SOURCES)
def test_a_thousand_edits_leave_the_graph_of_a_full_build(
    tmp_path: Path, language: str, package: Package | NpmPackage, seed: int
) -> None:
    """Of a repository that others wrote, a hundred for each seed, and a look after every single one."""
    try:
        source = fetched(package) if isinstance(package, Package) else code_typescript.fetched(package)
    except NoData as missing:
        pytest.skip(str(missing))
    root = write(Path(shutil.copytree(source, tmp_path / package.name)), {})
    check_edits(root, rounds=100, edits=1, seed=100 + seed, language=language)


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_edits_of_thousands_of_files_leave_the_graph_of_a_full_build(tmp_path: Path) -> None:
    """Of Django, which takes seconds to build: sixty edits, compared after each ten."""
    try:
        source = fetched(Package("django", "5.2.19"))
    except NoData as missing:
        pytest.skip(str(missing))
    root = write(Path(shutil.copytree(source, tmp_path / "django")), {})
    check_edits(root, rounds=6, edits=10, seed=11)


def test_no_edge_survives_its_source(tmp_path: Path) -> None:
    root = write(tmp_path, {"a.py": "def f(): ...", "b.py": "from a import f\ndef g():\n    f()"})
    with recollect.open(":memory:", embedder="fake", config={"codegraph.check_s": 0}) as memory:
        memory.code.index(root)
        assert len(memory.code.callers("f")) == 1
        (root / "b.py").unlink()
        assert len(memory.code.callers("f")) == 0
        (root / "a.py").write_text("def other(): ...", encoding="utf-8")
        assert memory.code.edges() == []


def test_only_those_who_looked_are_resolved_again(tmp_path: Path) -> None:
    files = {"a.py": "def f(): ...\ndef h(): ...", "b.py": "from a import f\nf()", "c.py": "from a import h\nh()"}
    root = write(tmp_path, files)
    with recollect.open(":memory:", embedder="fake") as memory:
        memory.code.index(root)
        (root / "a.py").write_text("\n\ndef f(): ...\ndef h(): ...", encoding="utf-8")
        assert memory.code.index(root)["resolved"] == 1  # it only moved
        (root / "a.py").write_text("class f: ...\ndef h(): ...", encoding="utf-8")
        assert memory.code.index(root)["resolved"] == 2


def test_a_branch_that_comes_back_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from recollect.code.extract.python import PythonExtractor

    root = write(tmp_path, {"a.py": "def f(): ..."})
    read: list[bytes] = []
    real = PythonExtractor.extract
    monkeypatch.setattr(PythonExtractor, "extract", lambda self, data, **more: (read.append(data), real(self, data))[1])
    with recollect.open(":memory:", embedder="fake") as memory:
        for text in ("def f(): ...", "def g(): ...", "def f(): ..."):
            (root / "a.py").write_text(text, encoding="utf-8")
            memory.code.index(root)
    assert len(read) == 2


def test_one_file_is_taken_in_alone(tmp_path: Path) -> None:
    root = write(tmp_path, {"a.py": "def f(): ...", "b.py": "from a import f\ndef g():\n    f()", "c.py": "x = 1"})
    with recollect.open(":memory:", embedder="fake", config={"codegraph.refresh_files": 0}) as memory:
        memory.code.index(root)
        (root / "a.py").write_text("def h(): ...", encoding="utf-8")
        (root / "c.py").write_text("y = 1", encoding="utf-8")
        report = memory.code.index(root / "a.py")
        assert (report["read"], report["resolved"]) == (1, 2)
        assert memory.code.impact("a.py").stale == ("c.py",)
        memory.code.index(root)
        assert everything(memory) == fresh(root)[0]
        (root / "b.py").unlink()
        memory.code.index(root)
        (root / "new.py").write_text("import a", encoding="utf-8")
        assert memory.code.index(root / "new.py")["files"] == 3
        assert everything(memory) == fresh(root)[0]


def test_a_graph_without_loose_ends_answers_too(tmp_path: Path) -> None:
    with recollect.open(":memory:", embedder="fake") as memory:
        memory.code.index(write(tmp_path, {"a.py": "class A:\n    def f(self): ..."}))
        assert memory.code.callers("A.f").counts["possible"] == 0
