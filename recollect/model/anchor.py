"""Where in a project's code a record belongs, and how that code stands to what it was when the record was written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any
from zlib import crc32

ATTRIBUTE = "anchors"  # under which a record's attributes hold them
_NUMBERS = ("start", "end", "size", "mtime_ns")
_NAMED_MAX = 2  # places that are named in words


class AnchorState(StrEnum):
    """How the code of an anchor stands to what it was."""

    FRESH = "fresh"
    MOVED = "moved"  # the same lines are elsewhere
    DRIFTED = "drifted"  # the place is there, and its lines are others
    ORPHANED = "orphaned"  # file or place are gone


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeAnchor:
    """One place that a record is about. `checked` is false where the file has changed since anybody looked."""

    path: str
    symbol: str = ""
    line: int = 0  # 0: the whole file
    end_line: int = 0
    state: AnchorState = AnchorState.FRESH
    checked: bool = True
    project: str = field(default="", repr=False)
    size: int = field(default=-1, repr=False)  # of the file when it was looked at, with the time it was changed
    mtime_ns: int = field(default=-1, repr=False)

    @property
    def label(self) -> str:
        return f"{self.path}::{self.symbol}" if self.symbol else self.path

    def to_dict(self) -> dict[str, Any]:
        plain: dict[str, Any] = {"path": self.path, "state": self.state.value}
        plain |= {"symbol": self.symbol} if self.symbol else {}
        plain |= {"line": self.line, "end_line": self.end_line} if self.line else {}
        return plain if self.checked else {**plain, "checked": False}


# How records stand to the code they are about, by id, from the places that were kept with them.
StatesOfCode = Callable[[Mapping[str, Sequence[CodeAnchor]]], dict[str, tuple[CodeAnchor, ...]]]


def speaks_of_code(metadata: str | None, attributes: str | None) -> bool:
    """Whether a row, by its JSON, may have anchors or claims to have some: all others cost no more than this look."""
    return '"related_files"' in (metadata or "") or f'"{ATTRIBUTE}"' in (attributes or "")


def is_inside(path: Any) -> bool:
    """Whether a path can only mean something inside a project: no other one was ever kept by us."""
    return isinstance(path, str) and bool(path) and "\0" not in path and path[0] != "/" and ".." not in path.split("/")


def is_kept(each: Any) -> bool:
    """Whether plain values are those of an anchor."""
    return (
        isinstance(each, Mapping)
        and is_inside(each.get("path"))
        and isinstance(each.get("prints"), str)
        and all(isinstance(each.get(name), int) for name in ("start", "end"))
    )


def anchors_on(attributes: Mapping[str, Any]) -> tuple[CodeAnchor, ...]:
    """What a record's attributes say of its places in code, as it was when the record was written."""
    kept = attributes.get(ATTRIBUTE)
    if not isinstance(kept, list):
        return ()
    found = []
    for each in kept:
        if is_kept(each):
            numbers = {name: value for name in _NUMBERS if isinstance(value := each.get(name), int)}
            found.append(
                CodeAnchor(
                    path=each["path"],
                    symbol=str(each.get("symbol", "")),
                    line=numbers.get("start", 0),
                    end_line=numbers.get("end", 0),
                    project=str(each.get("project", "")),
                    size=numbers.get("size", -1),
                    mtime_ns=numbers.get("mtime_ns", -1),
                )
            )
    return tuple(found)


def print_of(anchors: Sequence[CodeAnchor]) -> int:
    """By what it is known that a record still has the anchors that somebody looked at."""
    told = [(each.path, each.symbol, each.line, each.end_line, each.size, each.mtime_ns) for each in anchors]
    return crc32(repr(told).encode("utf-8", "replace"))


def state_of(anchors: Sequence[CodeAnchor]) -> AnchorState | None:
    """How a record stands by all its places: an orphan is one of which no place is left. None without any."""
    states = {anchor.state for anchor in anchors}
    if not states:
        return None
    if states == {AnchorState.ORPHANED}:
        return AnchorState.ORPHANED
    if states & {AnchorState.DRIFTED, AnchorState.ORPHANED}:
        return AnchorState.DRIFTED
    return AnchorState.MOVED if AnchorState.MOVED in states else AnchorState.FRESH


def has_drifted(anchors: Sequence[CodeAnchor]) -> bool:
    """Whether the code of a record is not what it was when the record was written."""
    return state_of(anchors) in (AnchorState.DRIFTED, AnchorState.ORPHANED)


def code_in_words(anchors: Sequence[CodeAnchor]) -> str:
    """For a reader: `its code has drifted: src/auth.py::login`; nothing for what is as it was."""
    state = state_of(anchors)
    if state is None or state is AnchorState.FRESH:
        return ""
    gone = (AnchorState.DRIFTED, AnchorState.ORPHANED)
    meant = [each for each in anchors if each.state is state or (state in gone and each.state in gone)]
    joint = " " if state is AnchorState.MOVED else ": "
    return f"its code {_WORDS[state]}{joint}{', '.join(_place(each) for each in meant[:_NAMED_MAX])}"


def code_of_row(row: Mapping[str, Any]) -> str:
    """The same of a hit as plain values."""
    return code_in_words(
        [
            CodeAnchor(
                path=each["path"],
                symbol=each.get("symbol", ""),
                line=each.get("line", 0),
                end_line=each.get("end_line", 0),
                state=AnchorState(each["state"]),
            )
            for each in row.get("code") or ()
        ]
    )


def _place(anchor: CodeAnchor) -> str:
    moved = f":{anchor.line}" if anchor.state is AnchorState.MOVED and anchor.line else ""
    return f"{anchor.path}{moved}" + (f"::{anchor.symbol}" if anchor.symbol and not moved else "")


_WORDS = {
    AnchorState.MOVED: "moved to",
    AnchorState.DRIFTED: "has drifted",
    AnchorState.ORPHANED: "is orphaned",
}
