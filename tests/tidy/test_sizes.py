"""A module fits in the head, a function on a screen.

Signature and docstring are not counted: they say more, and saying more is never punished.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "recollect").rglob("*.py"))
MODULE_LINES_MAX = 600
FUNCTION_LINES_MAX = 60

# Over the limit today. Numbers here only go down; an entry that is no longer needed must go.
MODULES_OVER: dict[str, int] = {}
FUNCTIONS_OVER: dict[str, int] = {"recollect/store/rows.py:record_of": 130}


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def functions_of(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, int]]:
    """Every function with its dotted name and the lines of its body, without the docstring."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{prefix}{node.name}"
            if not isinstance(node, ast.ClassDef):
                assert node.end_lineno is not None
                yield name, node.end_lineno - node.body[0].lineno + 1 - docstring_lines(node)
            yield from functions_of(node, f"{name}.")
        else:
            yield from functions_of(node, prefix)


def docstring_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    first = node.body[0]
    if ast.get_docstring(node) is None or first.end_lineno is None:
        return 0
    return first.end_lineno - first.lineno + 1


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_size(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    lines, most = source.count("\n"), MODULES_OVER.get(name_of(path), MODULE_LINES_MAX)
    assert lines <= most, f"{lines} lines, at most {most}: split the module along a concept"
    for name, length in functions_of(ast.parse(source)):
        most = FUNCTIONS_OVER.get(f"{name_of(path)}:{name}", FUNCTION_LINES_MAX)
        assert length <= most, f"{name} has {length} lines, at most {most}: give its parts names"


def test_exceptions_are_still_needed() -> None:
    for name in MODULES_OVER:
        lines = (ROOT / name).read_text(encoding="utf-8").count("\n")
        assert lines > MODULE_LINES_MAX, f"{name} fits now: take it off the list"
    for entry in FUNCTIONS_OVER:
        name, _, function = entry.partition(":")
        sizes = dict(functions_of(ast.parse((ROOT / name).read_text(encoding="utf-8"))))
        assert sizes.get(function, 0) > FUNCTION_LINES_MAX, f"{entry} fits now: take it off the list"


def test_the_formatter_is_not_overruled() -> None:
    mark = "# fmt" + ":"
    files = [path for folder in ("recollect", "tests", "bench") for path in sorted((ROOT / folder).rglob("*.py"))]
    overruled = [name_of(path) for path in files if mark in path.read_text(encoding="utf-8")]
    assert not overruled, f"let the formatter lay these out: {', '.join(overruled)}"
