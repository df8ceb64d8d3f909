"""The tools that models have for code: cheap to list, answers with files and lines, and no longer than asked for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from samples import write

import recollect
from recollect import Memory
from recollect.providers.tokens import counter_for
from recollect.verbs.toolsets.run import run
from recollect.verbs.toolsets.sets import schemas, toolset

COUNTER = counter_for("gpt-4o")
NINE = [
    "memory_search",
    "get_context",
    "remember_this",
    "compact_session",
    "analyze_impact",
    "get_dependencies",
    "trace_data_flow",
    "code_map",
    "report_failure",
]
SCOPE = {"project": "atlas"}


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """A hub that 400 files use, with long names, many warnings and many notes."""
    long = "a_rather_long_name_of_a_folder_of_the_project"
    users = {
        f"src/{long}_{n % 20}/uses_number_{n}.py": f"from core import base\ndef user_{n}():\n    base()\n"
        for n in range(400)
    }
    chain = "".join(f"def step_{n}():\n    step_{n + 1}()\n\n" for n in range(300)) + "def step_300(): ...\n"
    files = {"core.py": "def base():\n    return 1\n", "chain.py": chain, **users}
    files |= {f"tests/test_{name.rpartition('/')[2]}": "from core import base\n" for name in list(users)[:40]}
    root = write(tmp_path_factory.mktemp("tools") / "atlas", files)
    with recollect.open(":memory:", embedder="fake") as opened:
        opened.code.index(root)
        for number in range(12):
            opened.code.note("invariant", f"rule {number}: " + "what has to stay true of it. " * 12, "base")
        yield opened


def tokens(answer: Any) -> int:
    return COUNTER.count(json.dumps(answer, ensure_ascii=False, separators=(",", ":")))


def test_nine_tools_cost_little() -> None:
    assert list(toolset("coding")) == NINE
    for dialect in ("openai", "anthropic", "json"):
        assert COUNTER.count(json.dumps(schemas(dialect, "coding"))) <= 1_500


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("analyze_impact", {"target": "core.py"}),
        ("analyze_impact", {"target": "base"}),
        ("get_dependencies", {"target": "src"}),
        ("trace_data_flow", {"source": "step_0", "max_depth": 10}),
        ("trace_data_flow", {"source": "base"}),
        ("code_map", {}),
        ("code_map", {"focus": "base"}),
    ],
)
@pytest.mark.parametrize("most", [None, 300, 3000])
def test_an_answer_is_no_longer_than_asked_for(memory: Memory, tool: str, given: Any, most: int | None) -> None:
    answer = run(tool, given | ({"max_tokens": most} if most else {}), SCOPE, memory=memory)
    assert tokens(answer) <= (most or 1_000)
    if most == 3000 and tool != "code_map":
        assert tokens(answer) > 900 or not answer.get("left_out")  # room is used where there is more to say


def test_an_answer_has_files_and_lines_and_what_to_know(memory: Memory) -> None:
    answer = run("analyze_impact", {"target": "base"}, SCOPE, memory=memory)
    assert answer["found"][0].endswith("uses_number_0.py:3 user_0")
    assert answer["summary"].startswith("core.py::base: 400 dependents (400 direct)")
    assert answer["know"][0].split(" ")[1] == "invariant:"
    assert answer["left_out"] > 0
    assert answer["more_in"]


def test_what_a_model_remembers_of_places_is_part_of_the_graph(tmp_path: Path) -> None:
    files = {"a.py": "def f(x):\n    return x\n", "b.py": "def g(x):\n    return x\n"}
    with recollect.open(":memory:", embedder="fake", config={"codegraph.check_s": 0}) as memory:
        memory.code.index(write(tmp_path / "atlas", files))
        given = {"content": "x goes through the queue", "type": "data_flow", "files": ["a.py::f", "b.py::g"]}
        kept = run("remember_this", given, SCOPE, memory=memory)
        assert [(e.source_symbol, e.target_symbol) for e in memory.code.edges("flows_to")] == [("f", "g")]
        record = memory.get(kept["id"], **SCOPE)
        assert record.metadata["related_files"] == ["a.py", "b.py"]
        assert [note.text for note in memory.code.impact("a.py").records] == [record.content]
        run("remember_this", {"content": "f is slow", "type": "gotcha", "files": ["a.py:1-2"]}, SCOPE, memory=memory)
        (hit, *_) = memory.search("f is slow", **SCOPE)
        assert [(each.path, each.line) for each in hit.code] == [("a.py", 1)]
