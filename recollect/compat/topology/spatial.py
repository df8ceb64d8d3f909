"""Where something stands (RFC-014 §1.1): a file and lines, a section, a piece of code, a page, a turn.

The core keeps the same as `model.place`. Two things are as RFC-014 has them and the core has not: lines nobody knows
are `(0, 0)`, and `spatial_match` does not hold against a context what it does not say, except its class and function.
The store asks the core (`unified_store`), where a place that does not say is not there.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatch
from typing import Any

from recollect.config.writing import StructureSettings
from recollect.errors import UsageError, shown
from recollect.model.place import SECTION_JOINT, Place, PlaceQuery, PositionType, file_matches

_DEFAULTS = StructureSettings()

__all__ = ["PositionType", "SpatialContext", "SpatialQuery", "spatial_match"]

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
