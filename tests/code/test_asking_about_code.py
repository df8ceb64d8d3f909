"""What questions about a project are answered with: ranked, paged, folded, within tokens, fresh or said to be stale."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import atlas
import pytest
from samples import write

import recollect
from recollect import Memory
from recollect.errors import NotFound, UsageError
from recollect.model.tokens import estimate_tokens
from recollect.verbs.toolsets.run import run as run_tool

FILES = {
    "core.py": "def base(): ...\n\nclass Thing:\n    def act(self): ...\n",
    "mid.py": "from core import base\n\ndef middle():\n    return base()\n",
    "top.py": "from mid import middle\n\ndef main():\n    middle()\n",
    "tests/test_mid.py": "from mid import middle\n\ndef test_middle():\n    middle()\n",
    "loose.py": "def use(x):\n    x.act()\n",
}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with recollect.open(":memory:", embedder="fake", config={"codegraph.check_s": 0}) as opened:
        opened.code.index(write(tmp_path, FILES))
        yield opened


def test_impact_of_a_symbol_is_the_best_ways_product(memory: Memory) -> None:
    answer = memory.code.impact("base")
    assert [(item.label, item.depth, round(item.score, 3)) for item in answer] == [
        ("mid.py::middle", 1, 0.8),
        ("tests/test_mid.py::test_middle", 2, 0.64),
        ("top.py::main", 2, 0.64),
    ]
    assert answer.score == pytest.approx(0.8 + 0.64 + 0.64)
    assert answer.tests == ("tests/test_mid.py",)
    assert answer.items[1].via == "mid.py::middle"
    assert (answer.counts["direct"], answer.counts["transitive"]) == (1, 2)
    assert len(memory.code.impact("base", max_depth=1)) == 1


def test_the_weight_of_a_kind_of_edge_is_a_setting(tmp_path: Path) -> None:
    config = {"codegraph.impact": {"calls": 0.5}, "codegraph.items": 1, "codegraph.confidence": {"exact": 0.5}}
    with recollect.open(":memory:", embedder="fake", config=config) as memory:
        memory.code.index(write(tmp_path, FILES))
        answer = memory.code.impact("base")
        assert [item.score for item in answer] == [0.25]
        assert answer.next == 1


def test_impact_of_a_file_names_files_and_agrees_with_the_closure(memory: Memory) -> None:
    answer = memory.code.impact("core.py")
    assert [(item.path, item.depth) for item in answer] == [("mid.py", 1), ("tests/test_mid.py", 2), ("top.py", 2)]
    reach = memory._engine.code.reach(None, "core.py", lambda _: True)
    assert (reach["direct"], reach["total"], reach["tests"]) == (1, 3, 1)


def test_what_is_not_certain_is_counted_and_listed_on_request(memory: Memory) -> None:
    answer = memory.code.callers("Thing.act")
    assert answer.summary == "0 callers, 1 more possible"
    assert not answer.possible
    (item,) = memory.code.callers("Thing.act", possible=True).possible
    assert (item.label, item.at, item.resolved) == ("loose.py::use", 2, "ambiguous")


def test_a_name_that_fits_several_is_refused_with_all_of_them(tmp_path: Path) -> None:
    with recollect.open(":memory:", embedder="fake") as memory:
        memory.code.index(write(tmp_path, {"a.py": "def f(): ...", "b.py": "def f(): ..."}))
        with pytest.raises(UsageError, match=r"a\.py::f, b\.py::f"):
            memory.code.callers("f")
        assert memory.code.callers("a.py::f").asked == "a.py::f"
        with pytest.raises(NotFound):
            memory.code.callers("a.py::g")


def test_dependencies_go_the_other_way(memory: Memory) -> None:
    assert [item.label for item in memory.code.dependencies("main")] == ["mid.py::middle", "core.py::base"]
    assert [item.label for item in memory.code.callees("top.py")] == ["mid.py::middle"]


def test_a_path_is_found_in_either_direction(memory: Memory) -> None:
    for one, other in (("main", "base"), ("base", "main")):
        found = memory.code.path(one, other)
        assert [item.label for item in found] == ["top.py::main", "mid.py::middle", "core.py::base"]
    assert "neither" in memory.code.path("main", "use").summary


def test_a_trace_says_why_it_ends(memory: Memory) -> None:
    steps = [(item.label, item.depth, item.note) for item in memory.code.trace("main")]
    assert steps[-1] == ("core.py::base", 2, "calls nothing of the project")
    assert memory.code.trace("main", max_depth=1).items[-1].note == "goes on; ask for more depth"
    assert "1 thing that could not" in memory.code.trace("use").items[0].note


def test_many_dependents_are_folded_into_their_folders(tmp_path: Path) -> None:
    users = {f"users/u{number}.py": "from core import base\nbase()\n" for number in range(80)}
    with recollect.open(":memory:", embedder="fake") as memory:
        memory.code.index(write(tmp_path, {"core.py": FILES["core.py"], **users}))
        answer = memory.code.impact("core.py", limit=10)
        assert (len(answer), answer.counts["total"], answer.next) == (10, 80, 10)
        assert [(module.path, module.files) for module in answer.modules] == [("users", 70)]
        rest = memory.code.impact("core.py", limit=100, start=10)
        assert (len(rest), rest.next) == (70, None)
        short = memory.code.impact("core.py", max_tokens=60)
        assert sum(estimate_tokens(f"{item.path}:{item.line}") for item in short) <= 60


def test_a_few_changed_files_are_taken_in_and_many_are_named(tmp_path: Path) -> None:
    config = {"codegraph.check_s": 0, "codegraph.refresh_files": 1}
    with recollect.open(":memory:", embedder="fake", config=config) as memory:
        root = write(tmp_path, FILES)
        memory.code.index(root)
        (root / "new.py").write_text("from core import base\nbase()\n", encoding="utf-8")
        answer = memory.code.impact("core.py")
        assert not answer.stale
        assert "new.py" in [item.path for item in answer]
        for name in ("mid.py", "top.py"):
            (root / name).write_text("x = 1\n", encoding="utf-8")
        answer = memory.code.impact("core.py")
        assert answer.stale == ("mid.py", "top.py")
        assert "mid.py" in [item.path for item in answer]
        assert memory.code.status()["stale"] == {"mid.py": "changed", "top.py": "changed"}


def test_for_a_while_files_are_taken_to_be_as_they_were(tmp_path: Path) -> None:
    with recollect.open(":memory:", embedder="fake", config={"codegraph.check_s": 3600}) as memory:
        root = write(tmp_path, FILES)
        memory.code.index(root)
        assert len(memory.code.callers("base")) == 1
        (root / "mid.py").write_text("x = 1\n", encoding="utf-8")
        assert len(memory.code.callers("base")) == 1


def test_a_diff_names_what_it_changes_and_what_that_reaches(tmp_path: Path) -> None:
    with recollect.open(":memory:", embedder="fake") as memory:
        root = atlas.project(tmp_path)
        memory.code.index(root)
        answer = memory.code.changes("HEAD~1")
        assert [(item.symbol, item.note) for item in answer][:1] == [("logout", "changed")]
        hunk = "@@ -3,2 +3,2 @@\n-        return 1\n+        return self\n"
        diff = f"--- a/src/atlas/auth.py\n+++ b/src/atlas/auth.py\n{hunk}"
        answer = memory.code.changes(diff)
        assert [item.symbol for item in answer if item.note] == ["Session.refresh"]
        assert {item.symbol for item in answer if not item.note} == {"login", "main"}
        for wrong in ("--output=/tmp/x", "no..such", "a; rm -rf /"):
            with pytest.raises(UsageError):
                memory.code.changes(wrong)


def test_a_map_stays_within_its_tokens(memory: Memory) -> None:
    whole = memory.code.map(max_tokens=400)
    assert "core.py" in whole.text or "base" in whole.text
    for tokens in (100, 200, 400):
        assert memory.code.map(max_tokens=tokens).tokens <= tokens
    assert whole.items[0].symbol == "base"
    with pytest.raises(UsageError):
        memory.code.map(max_tokens=5)


def test_an_outline_and_a_search_give_lines(memory: Memory) -> None:
    assert [(item.symbol, item.line) for item in memory.code.outline("core.py")] == [
        ("base", 1),
        ("Thing", 3),
        ("Thing.act", 4),
    ]
    assert memory.code.find("thing").items[0].label == "core.py::Thing"


def test_tools_answer_in_lines(memory: Memory) -> None:
    told = run_tool("analyze_impact", {"target": "base"}, memory=memory, tools="coding", may_add="*")
    assert told["found"] == [
        "mid.py:4 middle",
        "tests/test_mid.py:4 test_middle (2 steps)",
        "top.py:4 main (2 steps)",
    ]
    assert told["tests"] == ["tests/test_mid.py"]
    told = run_tool("get_dependencies", {"target": "top.py"}, memory=memory, tools="coding", may_add="*")
    assert told["found"] == ["mid.py:1", "core.py:1 (2 steps)"]
    assert "core.py" in str(run_tool("trace_data_flow", {"source": "main"}, memory=memory, tools="coding", may_add="*"))
    assert "base" in run_tool("code_map", {}, memory=memory, tools="coding", may_add="*")["map"]


def test_a_project_is_chosen_by_name_folder_or_where_one_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with recollect.open(":memory:", embedder="fake") as memory:
        for name in ("one", "two"):
            memory.code.index(write(tmp_path / name, {"a.py": f"def {name}(): ..."}))
        with pytest.raises(UsageError, match="2 projects"):
            memory.code.find("one")
        assert len(memory.code.find("one", root="one")) == 1
        assert len(memory.code.find("two", root=os.fspath(tmp_path / "two"))) == 1
        monkeypatch.chdir(tmp_path / "one")
        assert len(memory.code.find("one")) == 1


def test_projects_are_listed_to_those_who_see_them(memory: Memory, tmp_path: Path) -> None:
    (told,) = memory.code.projects()["projects"]
    assert (told["root"], told["there"]) == (str(tmp_path), True)
    assert memory.scoped(project=told["project"]).code.projects()["projects"] == [told]
    assert memory.scoped(project="another").code.projects()["projects"] == []
