"""Texts with where they stand (RFC-014 §1.2), from Markdown and from Python.

Markdown is divided by the core's reader. Python is divided as RFC-014 has it, which is not how `ingest` does it: a
class comes whole and its methods come again by themselves, and what is in no class or function does not come.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from recollect.compat.topology.headings import one_line_end, paths, stretches
from recollect.compat.topology.spatial import PositionType, SpatialContext
from recollect.limits import SECTION_DEPTH_MAX
from recollect.structure.code import module_of

Placed = tuple[str, SpatialContext]
_Function = ast.FunctionDef | ast.AsyncFunctionDef


class SpatialExtractor:
    """Pieces of documents and code, each with its position."""

    @staticmethod
    def from_markdown(file_path: str, content: str, line_start: int = 1) -> list[Placed]:
        """One piece for each heading with the text below it, and one for what stands before the first.

        `line_start` is the line of the file that `content` begins on.
        """
        content = one_line_end(content)
        lines, shift, found = content.split("\n"), line_start - 1, stretches(content)
        out: list[Placed] = []
        for stretch, path in zip(found, paths(found), strict=True):
            text = "\n".join(lines[stretch.first - 1 : stretch.last])
            if text.strip():
                context = SpatialContext(
                    position_type=PositionType.DOCUMENT,
                    file_path=file_path,
                    section_path=path,
                    line_range=(stretch.first + shift, stretch.last + shift),
                    heading_level=stretch.level,
                )
                out.append((text, context))
        return out

    @staticmethod
    def from_python(file_path: str, content: str) -> list[Placed]:
        """Classes, their methods and nested classes, and functions; the whole file if it is no Python."""
        module, content = module_of(file_path), one_line_end(content)
        try:
            tree = ast.parse(content)
        except (SyntaxError, ValueError, RecursionError, MemoryError):  # NUL characters, brackets without an end
            whole = SpatialContext(position_type=PositionType.CODE, file_path=file_path, module_path=module)
            return [(content, whole)]
        lines = content.split("\n")
        out: list[Placed] = []
        for node, class_name, depth in _definitions(tree.body, None, 0):
            last = node.end_lineno or node.lineno
            context = SpatialContext(
                position_type=PositionType.CODE,
                file_path=file_path,
                line_range=(node.lineno, last),
                module_path=module,
                class_name=class_name,
                scope_depth=depth,
                function_name=None if isinstance(node, ast.ClassDef) else node.name,
            )
            out.append(("\n".join(lines[node.lineno - 1 : last])[node.col_offset :].rstrip("\r"), context))
        return out


def _definitions(
    body: list[ast.stmt], class_name: str | None, depth: int
) -> Iterator[tuple[ast.ClassDef | _Function, str | None, int]]:
    """(definition, the class it is or stands in, how deep), in the order of the file."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield node, node.name, depth
            if depth < SECTION_DEPTH_MAX:
                yield from _definitions(node.body, node.name, depth + 1)
        elif isinstance(node, _Function):
            yield node, class_name, depth
