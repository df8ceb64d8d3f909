"""Names say what a thing is. Some words say that nobody knew."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

import pytest
from package_source import ROOT, modules, report

EMPTY_WORDS = {"util", "utils", "helper", "helpers", "manager", "common", "misc", "v2", "stuff", "impl"}
_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")


def words_of(name: str) -> set[str]:
    """`CacheManager_v2` is cache, manager, v2."""
    return {word.lower() for part in name.split("_") for word in _WORD.findall(part)}


def defined_names(tree: ast.Module) -> set[str]:
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    return {node.name for node in ast.walk(tree) if isinstance(node, kinds)}


def test_names_say_what_a_thing_is() -> None:
    empty = []
    for module in modules():
        names = {part.removesuffix(".py") for part in Path(module.name).parts} | defined_names(module.tree)
        empty += [f"{module.name}: {name}" for name in sorted(names) if words_of(name) & EMPTY_WORDS]
    assert not empty, report(empty, "name it for what it does (docs/STYLE.md)")


def test_no_two_test_files_have_one_name() -> None:
    """In folders that are no packages, that is: pytest refuses the second when it meets both, and only then."""
    folders: dict[str, list[str]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        if not (path.parent / "__init__.py").exists():
            folders.setdefault(path.name, []).append(path.parent.name)
    assert not {name: where for name, where in folders.items() if len(where) > 1}


def test_the_root_holds_what_a_visitor_looks_for() -> None:
    """What a command wrote while somebody tried it is not part of the project."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("a copy without its history")
    files = {path for path in listed.stdout.splitlines() if "/" not in path}
    assert files == {
        ".gitignore",
        "CHANGELOG.md",
        "LICENSE",
        "Makefile",
        "README.md",
        "compose.yaml",
        "pyproject.toml",
    }


# Bridges speak the words of the interface that they stand for, which are ours as well.
OF_OTHER_INTERFACES = {"AsyncMemory", "FacetQuery", "Memory", "Transition"}


def test_a_class_name_means_one_class() -> None:
    places: dict[str, list[str]] = {}
    for module in modules():
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef) and node.name not in OF_OTHER_INTERFACES:
                places.setdefault(node.name, []).append(module.name)
    offenders = [f"{name}: {', '.join(where)}" for name, where in sorted(places.items()) if len(where) > 1]
    assert not offenders, report(offenders, "name each for what it is (docs/DOMAIN.md)")
