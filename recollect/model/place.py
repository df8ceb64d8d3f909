"""Where a record comes from: a file and lines, a section, a piece of code, a URL, a turn of a conversation.

And how a place is asked for, and how well another meets that; `model.narrowing` reads what people write for one.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Any

SECTION_JOINT = " > "
GLOB_SIGNS = "*?["


class PositionType(StrEnum):
    DOCUMENT = "document"
    CODE = "code"
    CONVERSATION = "conversation"
    EXTERNAL = "external"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A position. Everything is optional; lines are 1-based and inclusive."""

    position_type: PositionType = PositionType.DOCUMENT
    file_path: str | None = None
    line_range: tuple[int, int] | None = None
    char_range: tuple[int, int] | None = None
    section_path: tuple[str, ...] = ()
    heading_level: int = 0
    module_path: str | None = None
    class_name: str | None = None
    function_name: str | None = None
    scope_depth: int = 0
    url: str | None = None
    anchor: str | None = None

    def to_dict(self) -> dict[str, Any]:
        return {k: v for k, v in asdict(self).items() if v not in (None, (), 0)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Place:
        values = dict(data)
        if "position_type" in values:
            values["position_type"] = PositionType(values["position_type"])
        for name in ("line_range", "char_range", "section_path"):
            if values.get(name) is not None:
                values[name] = tuple(values[name])
        return cls(**values)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceQuery:
    """Where an answer must come from. All that is set has to hold; a place that does not say is not there.

    `file_pattern` is a path, the end of one (`auth.ts`, `src/auth.ts`), a folder (`src/`) or a glob whose `*`
    crosses folders. `section_contains` is looked for in the headings joined by ` > `, in any case.
    `heading_level_max` does not exclude: what lies deeper counts for half. Lines have to overlap.
    """

    file_pattern: str | None = None
    line_range: tuple[int, int] | None = None
    section_contains: str | None = None
    heading_level_max: int | None = None
    module_prefix: str | None = None
    in_class: str | None = None
    in_function: str | None = None
    url_prefix: str | None = None
    anchor: str | None = None
    position_type: PositionType | None = None


def spatial_match(place: Place, query: PlaceQuery, *, deep_heading_factor: float) -> float:
    """How well a place meets a query, from 0, elsewhere, to 1."""
    if query.position_type is not None and place.position_type is not query.position_type:
        return 0.0
    if not (_in_file(place, query) and _in_code(place, query) and _in_page(place, query)):
        return 0.0
    if query.section_contains is not None:
        headings = SECTION_JOINT.join(place.section_path).casefold()
        if query.section_contains.casefold() not in headings:
            return 0.0
    if query.heading_level_max is not None and place.heading_level > query.heading_level_max:
        return deep_heading_factor
    return 1.0


def file_matches(path: str, pattern: str) -> bool:
    """Whether a path is the one meant: itself, its end from a folder on, below a folder, or by a glob.

    Who asks by a path from the root (`/home/ana/atlas/src/auth.ts`) means the file that is stored from the
    project's folder on (`src/auth.ts`).
    """
    if path == pattern or path.endswith("/" + pattern.removeprefix("./").removeprefix("/")):
        return True
    if pattern.startswith("/") and not path.startswith("/") and pattern.endswith("/" + path):
        return True
    if pattern.endswith("/"):
        pattern += "*"
    return fnmatchcase(path, pattern) or ("**/" in pattern and fnmatchcase(path, pattern.replace("**/", "")))


def _in_file(place: Place, query: PlaceQuery) -> bool:
    if query.file_pattern is not None and not (place.file_path and file_matches(place.file_path, query.file_pattern)):
        return False
    if query.line_range is None or place.line_range is None:
        return True
    (first, last), (asked_first, asked_last) = place.line_range, query.line_range
    return first <= asked_last and asked_first <= last


def _in_code(place: Place, query: PlaceQuery) -> bool:
    return (
        (query.module_prefix is None or (place.module_path or "").startswith(query.module_prefix))
        and (query.in_class is None or place.class_name == query.in_class)
        and (query.in_function is None or place.function_name == query.in_function)
    )


def _in_page(place: Place, query: PlaceQuery) -> bool:
    return (query.url_prefix is None or (place.url or "").startswith(query.url_prefix)) and (
        query.anchor is None or place.anchor == query.anchor
    )
