"""A module fits in the head, a function on a screen.

Signature and docstring are not counted: they say more, and saying more is never punished.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from package_source import ROOT, Module, modules, report

MODULE_LINES_MAX = 600
FUNCTION_LINES_MAX = 60

# Over the limit today. Numbers here only go down; an entry that is no longer needed must go.
MODULES_OVER: dict[str, int] = {}
FUNCTIONS_OVER: dict[str, int] = {}


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


def lengths(module: Module) -> dict[str, int]:
    """Lines of every function of a module, by `path:name`."""
    return {f"{module.name}:{name}": length for name, length in functions_of(module.tree)}


def test_a_module_fits_in_the_head() -> None:
    long = [
        f"{module.name}: {lines} lines, at most {most}"
        for module in modules()
        if (lines := module.text.count("\n")) > (most := MODULES_OVER.get(module.name, MODULE_LINES_MAX))
    ]
    assert not long, report(long, "split the module along a concept")


def test_a_function_fits_on_a_screen() -> None:
    long = [
        f"{name}: {length} lines, at most {most}"
        for module in modules()
        for name, length in lengths(module).items()
        if length > (most := FUNCTIONS_OVER.get(name, FUNCTION_LINES_MAX))
    ]
    assert not long, report(long, "give the parts of the function names")


def test_exceptions_are_still_needed() -> None:
    by_name = {module.name: module for module in modules()}
    fitting = [
        name for name in MODULES_OVER if name not in by_name or by_name[name].text.count("\n") <= MODULE_LINES_MAX
    ]
    for entry in FUNCTIONS_OVER:
        module = by_name.get(entry.partition(":")[0])
        if module is None or lengths(module).get(entry, 0) <= FUNCTION_LINES_MAX:
            fitting.append(entry)
    assert not fitting, report(fitting, "it fits now, or is gone: take it off the list")


def test_the_formatter_is_not_overruled() -> None:
    mark = "# fmt" + ":"
    files = [
        path for folder in ("recollect", "tests", "bench", "training") for path in sorted((ROOT / folder).rglob("*.py"))
    ]
    overruled = [path.relative_to(ROOT).as_posix() for path in files if mark in path.read_text(encoding="utf-8")]
    assert not overruled, report(overruled, "let the formatter lay these out")
