"""Where a record comes from: a file and lines, a section, a piece of code, a URL, a turn of a conversation."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


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
