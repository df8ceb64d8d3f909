"""An update gives exactly the graph of a build of all files, whatever was edited."""

from __future__ import annotations

import random
import re
import shutil
from pathlib import Path

import pytest
from samples import everything, write

import recollect
from recollect import Memory

PACKAGE = Path(recollect.__file__).parent
FOLDERS = ("structure", "config", "model", "facade")
ALL_KINDS = "rename rename_used drop lines add_call swap_base delete restore broken add_file annotate"
_DEFINITION = re.compile(r"^(\s*)(def|class) (\w+)", re.M)


def copied(root: Path) -> Path:
    """A slice of a real package."""
    for folder in FOLDERS:
        shutil.copytree(
            PACKAGE / folder, root / "recollect" / folder, ignore=shutil.ignore_patterns("*.sql", "__pycache__")
        )
    for path in PACKAGE.glob("*.py"):
        shutil.copy(path, root / "recollect" / path.name)
    return write(root, {})


class Editor:
    """Edits as people make them: rename, move, delete, add, break, take back."""

    def __init__(self, root: Path, seed: int, kinds: str) -> None:
        self.root = root
        self.kinds = kinds.split()
        self.random = random.Random(seed)
        self.originals = {path: path.read_text(encoding="utf-8") for path in sorted(root.rglob("*.py"))}
        self.used: list[tuple[Path, str]] = []  # definitions that other files call or extend

    def edit(self) -> str:
        choose = self.random
        path = choose.choice(list(self.originals))
        name = ""
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        kind = choose.choice(self.kinds)
        if kind == "rename_used" and self.used:
            path, name = choose.choice(self.used)
            text = path.read_text(encoding="utf-8") if path.exists() else ""
            again = rf"\1 {name}_renamed" if choose.random() < 0.7 else rf"\1 {name}"
            path.write_text(re.sub(rf"\b(def|class) {name}(?:_renamed)?\b", again, text), encoding="utf-8")
            return f"{kind} {path.name} {name}"
        if kind == "delete" and path.exists():
            path.unlink()
        elif kind in ("restore", "delete"):
            path.write_text(self.originals[path], encoding="utf-8")
        elif kind == "rename":
            path.write_text(self._renamed(text), encoding="utf-8")
        elif kind == "drop":
            lines = text.splitlines(keepends=True)
            at = choose.randrange(len(lines) + 1)
            path.write_text("".join(lines[:at] + lines[at + choose.randrange(1, 6) :]), encoding="utf-8")
        elif kind == "lines":
            path.write_text("\n" * choose.randrange(1, 4) + text, encoding="utf-8")
        elif kind == "add_call":
            name = choose.choice(_DEFINITION.findall(text) or [("", "def", "nobody")])[2]
            path.write_text(f"{text}\n\ndef added_{choose.randrange(99)}():\n    return {name}()\n", encoding="utf-8")
        elif kind == "swap_base":
            path.write_text(re.sub(r"(class \w+)\([^)]+\):", r"\1:", text, count=1), encoding="utf-8")
        elif kind == "broken":
            at = choose.randrange(len(text) + 1)
            path.write_text(text[:at] + choose.choice(["(", "'''", "\n  def", ":"]) + text[at:], encoding="utf-8")
        elif kind == "annotate":
            path.write_text(self._other_type(text), encoding="utf-8")
        else:
            name = choose.choice(["extra", "records", "base", "open"])
            (path.parent / f"{name}.py").write_text(f"from .{path.stem} import *\n", encoding="utf-8")
        return f"{kind} {path.name}"

    def _renamed(self, text: str) -> str:
        """With another name for a definition."""
        names = [name for _, _, name in _DEFINITION.findall(text) if not name.startswith("__")]
        if not names:
            return text
        name = self.random.choice(names)
        return re.sub(rf"\b(def|class) {name}\b", rf"\1 {name}_renamed", text, count=1)

    def _other_type(self, text: str) -> str:
        """With one return type less."""
        places = list(re.finditer(r"\) -> [^:\n]+:\n", text))
        if not places:
            return text
        place = self.random.choice(places)
        return f"{text[: place.start()]}):\n{text[place.end() :]}"


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


def check_edits(tmp_path: Path, *, rounds: int, edits: int, seed: int, kinds: str = ALL_KINDS) -> None:
    root = copied(tmp_path)
    editor = Editor(root, seed, kinds)
    with recollect.open(":memory:", embedder="fake", config={"codegraph.check_s": 0}) as memory:
        memory.code.index(root)
        editor.used = sorted(
            {
                (root / edge.target_path, edge.target_symbol.rpartition(".")[2])
                for edge in memory.code.edges()
                if edge.target_symbol and edge.target_path not in ("", edge.source_path)
            }
        )
        for _ in range(rounds):
            done = [editor.edit() for _ in range(edits)]
            memory.code.index(root)
            edges, closure = fresh(root)
            assert everything(memory) == edges, done
            assert closure_of(memory) == closure, done


def test_fifty_edits_of_a_real_package_leave_the_graph_of_a_full_build(tmp_path: Path) -> None:
    check_edits(tmp_path, rounds=8, edits=5, seed=1)


def test_edits_within_files_leave_the_graph_of_a_full_build(tmp_path: Path) -> None:
    """No file comes or goes: what others looked at in a file is all that tells whom an edit concerns."""
    check_edits(tmp_path, rounds=12, edits=2, seed=5, kinds="rename_used swap_base annotate")


def test_without_the_keys_of_what_changed_the_graph_would_be_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test above can fail."""
    monkeypatch.setattr("recollect.code.indexing.changed_keys", lambda *_: set())
    with pytest.raises(AssertionError):
        check_edits(tmp_path, rounds=12, edits=2, seed=5, kinds="rename_used swap_base annotate")


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(10))
def test_a_thousand_edits_leave_the_graph_of_a_full_build(tmp_path: Path, seed: int) -> None:
    check_edits(tmp_path, rounds=100, edits=1, seed=100 + seed)


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
