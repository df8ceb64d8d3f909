"""Figures that stand in the code beside the setting that has them: told from the source, without running it.

    a constant         FLAT_MAX = 2_000             where `index.flat_max` is 2000 by default
    a default          def f(*, flat_max=2_000), or a field flat_max: int = 2_000 of a class
    a table            {"dense": 0.3, "link": 0.2, "year": 0.15}, or a class with such fields, where three or more are
                       settings of one section with the same values

A constant that the configuration itself imports is its source, and no shadow.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

ROWS_MIN = 3  # of a table that agree with one section before it is held for a copy


class Shadow(NamedTuple):
    """A figure of the code, and the setting it repeats."""

    place: str
    name: str
    setting: str


class Settings:
    """The figures of the configuration, by what they are found by."""

    def __init__(self, defaults: Mapping[str, Any]) -> None:
        self._by_words: dict[tuple[frozenset[str], float], list[str]] = defaultdict(list)
        self._by_name: dict[tuple[str, float], set[str]] = defaultdict(set)
        for key, value in defaults.items():
            if _is_figure(value):
                section, _, name = key.rpartition(".")
                for words in {_words(name), _words(key.replace(".", "_"))}:
                    self._by_words[words, value].append(key)
                for row in {name, name.rpartition("_")[2]}:
                    self._by_name[row, value].add(section)

    def named(self, name: str, value: float) -> list[str]:
        """The settings of this value whose name, with or without their section's, has the same words."""
        return self._by_words.get((_words(name), value), [])

    def copied(self, rows: Mapping[str, Any]) -> list[str]:
        """The sections that have a setting of the same name, or the last word of one, and value for several rows."""
        agreeing = Counter(
            section
            for row, value in rows.items()
            if _is_figure(value)
            for section in self._by_name.get((row, value), ())
        )
        return [section for section, count in agreeing.items() if count >= ROWS_MIN]


def shadows(texts: Mapping[str, str], defaults: Mapping[str, Any], imported: frozenset[str]) -> list[Shadow]:
    """What repeats a setting. `defaults` are by key, `imported` the constants that settings are made of."""
    settings = Settings(defaults)
    found: list[Shadow] = []
    for path, text in texts.items():
        for node in ast.walk(ast.parse(text)):
            found += [
                Shadow(f"{path}:{line}", name, key)
                for line, name, value in (*_constants(node), *_fields(node), *_parameters(node))
                if name not in imported
                for key in settings.named(name, value)
            ]
            found += [Shadow(f"{path}:{node.lineno}", "a table", each) for each in settings.copied(_rows(node))]  # type: ignore[attr-defined]
    return found


def sources(root: Path) -> dict[str, str]:
    """The modules below a folder by their path, without the package of the configuration itself."""
    paths = [path for path in sorted(root.rglob("*.py")) if path.relative_to(root).parts[0] != "config"]
    return {str(path.relative_to(root)): path.read_text(encoding="utf-8") for path in paths}


def imported_by(folder: Path) -> frozenset[str]:
    """The constants that the modules of a folder import."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in folder.glob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return frozenset(each.name for node in nodes for each in node.names if each.name.isupper())


def _constants(node: ast.AST) -> Iterator[tuple[int, str, Any]]:
    for each in node.body if isinstance(node, ast.Module) else []:
        pairs: list[tuple[ast.expr, ast.expr | None]] = []
        if isinstance(each, ast.Assign):
            target, value = each.targets[0], each.value
            both = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
            pairs = list(zip(target.elts, value.elts, strict=False)) if both else [(target, value)]
        elif isinstance(each, ast.AnnAssign):
            pairs = [(each.target, each.value)]
        for target, value in pairs:
            if isinstance(target, ast.Name) and target.id.isupper() and _is_figure(figure := _value(value)):
                yield each.lineno, target.id, figure


def _fields(node: ast.AST) -> Iterator[tuple[int, str, Any]]:
    for each in node.body if isinstance(node, ast.ClassDef) else []:
        if (
            isinstance(each, ast.AnnAssign)
            and isinstance(each.target, ast.Name)
            and _is_figure(of := _value(each.value))
        ):
            yield each.lineno, each.target.id, of


def _parameters(node: ast.AST) -> Iterator[tuple[int, str, Any]]:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return
    given = node.args
    ordered = (given.posonlyargs + given.args)[::-1]
    for each, default in (*zip(ordered, given.defaults[::-1]), *zip(given.kwonlyargs, given.kw_defaults)):  # noqa: B905
        if default is not None and _is_figure(figure := _value(default)):
            yield node.lineno, each.arg, figure


def _rows(node: ast.AST) -> dict[str, Any]:
    """The names and literal values of a dictionary, or of the fields of a class."""
    if isinstance(node, ast.Dict):
        keys = [each.value if isinstance(each, ast.Constant) else None for each in node.keys]
        return {str(key): _value(value) for key, value in zip(keys, node.values, strict=True) if key is not None}
    if isinstance(node, ast.ClassDef):
        fields = [each for each in node.body if isinstance(each, ast.AnnAssign)]
        return {each.target.id: _value(each.value) for each in fields if isinstance(each.target, ast.Name)}
    return {}


def _words(name: str) -> frozenset[str]:
    return frozenset(word.removesuffix("s") or word for word in name.lower().strip("_").split("_"))


def _is_figure(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _value(node: ast.expr | None) -> Any:
    """What a literal or a sum, product or shift of literals is; None for anything else."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and _is_figure(of := _value(node.operand)):
        return -of
    if isinstance(node, ast.BinOp) and type(node.op) in _SUMS:
        left, right = _value(node.left), _value(node.right)
        return _SUMS[type(node.op)](left, right) if _is_figure(left) and _is_figure(right) else None
    return None


_SUMS: dict[type[ast.operator], Any] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.LShift: lambda a, b: a << b,
    ast.Pow: lambda a, b: a**b,
}
