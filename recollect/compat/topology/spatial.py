"""Where something stands: a file and lines, a section, a piece of code, a page, a turn; and texts with their places.

The core keeps the same as `model.place`. Two things are as RFC-014 has them and the core has not: lines nobody knows
are `(0, 0)`, and `spatial_match` does not hold against a context what it does not say, except its class and function.
The store asks the core (`unified_store`), where a place that does not say is not there.

Markdown is divided by the core's reader. Python is divided as RFC-014 has it, which is not how `ingest` does it: a
class comes whole and its methods come again by themselves, and what is in no class or function does not come.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from typing import Any, NamedTuple

from recollect.config.writing import StructureSettings
from recollect.errors import UsageError, shown
from recollect.limits import SECTION_DEPTH_MAX
from recollect.model.place import SECTION_JOINT, Place, PlaceQuery, PositionType, file_matches
from recollect.structure import markdown
from recollect.structure.code import module_of

_DEFAULTS = StructureSettings()
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_LONE_RETURN = re.compile(r"\r(?!\n)")

__all__ = [
    "HeadingStretch",
    "PositionType",
    "SpatialContext",
    "SpatialExtractor",
    "SpatialQuery",
    "one_line_end",
    "paths",
    "spatial_match",
    "stretches",
]

Range = tuple[int, int]
NOWHERE: Range = (0, 0)


@dataclass(frozen=True, slots=True)
class SpatialContext:
    """One position. Lines are 1-based and inclusive; a heading level of 0 is under no heading."""

    position_type: PositionType
    file_path: str | None = None
    line_range: Range = NOWHERE
    char_range: Range = NOWHERE
    section_path: tuple[str, ...] = ()
    heading_level: int = 0
    module_path: str | None = None
    class_name: str | None = None
    function_name: str | None = None
    scope_depth: int = 0
    url: str | None = None
    anchor: str | None = None

    def __str__(self) -> str:
        if self.position_type is PositionType.DOCUMENT:
            return f"{self.file_path}:{self.line_range[0]} [{SECTION_JOINT.join(self.section_path)}]"
        if self.position_type is PositionType.CODE:
            return ".".join(part for part in (self.module_path, self.class_name, self.function_name) if part)
        if self.position_type is PositionType.EXTERNAL:
            return "#".join(part for part in (self.url or "", self.anchor) if part)
        return f"turn:{self.line_range[0]}"

    @classmethod
    def at(cls, place: Place) -> SpatialContext:
        """The context of a place of the core."""
        parts: dict[str, Any] = {name: getattr(place, name) for name in cls.__slots__}
        for name in _RANGES:
            parts[name] = parts[name] or NOWHERE
        return cls(**parts)

    @property
    def place(self) -> Place:
        """The same for the core; a type of position that does not exist is a `UsageError`."""
        parts = {name: getattr(self, name) for name in self.__slots__}
        for name in _RANGES:
            parts[name] = None if tuple(parts[name]) == NOWHERE else tuple(parts[name])
        if self.position_type not in set(PositionType):
            raise UsageError(f"position_type is one of {', '.join(PositionType)}, not {shown(self.position_type, 40)}")
        position = PositionType(self.position_type)
        return Place(**{**parts, "position_type": position, "section_path": tuple(self.section_path)})


_RANGES = ("line_range", "char_range")


@dataclass(frozen=True, slots=True)
class SpatialQuery:
    """Where an answer must come from; what is None, or empty, is not asked for.

    `file_pattern` is a glob, `section_contains` is looked for in the headings joined by ` > ` in any case, and
    `heading_level_max` does not exclude: what lies deeper counts for half.
    """

    file_pattern: str | None = None
    section_contains: str | None = None
    heading_level_max: int | None = None
    module_prefix: str | None = None
    in_class: str | None = None
    in_function: str | None = None
    line_range: Range | None = None

    @property
    def place(self) -> PlaceQuery:
        """The same question to the core."""
        parts = {name: getattr(self, name) for name in self.__slots__}
        return PlaceQuery(**{name: None if part == "" else part for name, part in parts.items()})


def spatial_match(context: SpatialContext, query: SpatialQuery | None) -> float:
    """How well a context meets a query, from 0, elsewhere, to 1."""
    if query is None:
        return 1.0
    if _elsewhere(context, query):
        return 0.0
    deeper = query.heading_level_max is not None and context.heading_level > query.heading_level_max
    return _DEFAULTS.deep_heading_factor if deeper else 1.0


def _elsewhere(context: SpatialContext, query: SpatialQuery) -> bool:
    """Whether one of the things that exclude does."""
    path, headings = context.file_path, SECTION_JOINT.join(context.section_path).lower()
    return bool(
        (query.file_pattern and path and not _in_files(path, query.file_pattern))
        or (query.section_contains and headings and query.section_contains.lower() not in headings)
        or (query.module_prefix and context.module_path and not context.module_path.startswith(query.module_prefix))
        or (query.in_class and context.class_name != query.in_class)
        or (query.in_function and context.function_name != query.in_function)
        or (query.line_range and not _overlap(context.line_range, query.line_range))
    )


def _in_files(path: str, pattern: str) -> bool:
    return fnmatch(path, pattern) or file_matches(path, pattern)


def _overlap(lines: Range, asked: Range) -> bool:
    return tuple(lines) == NOWHERE or (lines[0] <= asked[1] and asked[0] <= lines[1])


Placed = tuple[str, SpatialContext]


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


class HeadingStretch(NamedTuple):
    """Lines from a heading to the one before the next, 1-based and inclusive; before the first heading level 0."""

    level: int
    title: str
    first: int
    last: int
    body: int  # the line after the heading


def one_line_end(content: str) -> str:
    """A text whose lines all end with a line feed: some files have carriage returns alone, and those end lines too."""
    return _LONE_RETURN.sub("\n", content)


def stretches(content: str) -> list[HeadingStretch]:
    """Every line of a text is in one stretch. Headings are those the core sees: none inside code or comments."""
    headings = [block for block in markdown.read(content).items if block.level]
    ends = [*(block.first - 1 for block in headings), content.count("\n") + 1]
    found = [HeadingStretch(0, "", 1, ends[0], 1)] if ends[0] else []
    for block, end in zip(headings, ends[1:], strict=True):
        found.append(HeadingStretch(block.level, block.title, block.first, end, block.last + 1))
    return found


def paths(found: list[HeadingStretch]) -> list[tuple[str, ...]]:
    """For each stretch the headings above it and its own, from the outermost."""
    out: list[tuple[str, ...]] = []
    above: list[HeadingStretch] = []
    for stretch in found:
        while above and above[-1].level >= stretch.level:
            above.pop()
        if stretch.level:
            above.append(stretch)
        out.append(tuple(each.title for each in above))
    return out
