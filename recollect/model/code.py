"""Values of the code graph: nodes, edges, how sure an edge is, and what questions about them are answered with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from recollect.model.said_of_code import RELATIONS


class Resolved(StrEnum):
    """How it is known what an edge leads to."""

    EXACT = "exact"  # an import binding, `self`, a declared or constructed type
    INFERRED = "inferred"  # one candidate, by a base class or by what a function returns
    AMBIGUOUS = "ambiguous"  # several candidates, or one by its name alone
    UNRESOLVED = "unresolved"
    SAID = "said"  # by a person, an agent or a model, in a record


class NodeKind(StrEnum):
    """What a node stands for."""

    FILE = "file"
    DIRECTORY = "directory"
    MODULE = "module"
    FUNCTION = "function"
    CLASS = "class"
    INTERFACE = "interface"


READ_KINDS = ("imports", "calls", "implements", "extends", "exports")  # of edges that are read from code
EDGE_KINDS = (*READ_KINDS, *RELATIONS)


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeEdge:
    """One thing that depends on another. A symbol is a qualified name, "" for the file itself."""

    kind: str
    source_path: str
    source_symbol: str
    target_path: str  # "" where it is not known
    target_symbol: str
    line: int
    resolved: str
    weight: float
    confidence: float
    said: str = ""  # the id of the record that says it, where none reads it from code

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedFile:
    """A file that belongs to another one. `follows`: it comes after it, false: before it, None: either way."""

    path: str
    weight: float  # at least so probable is it that this file is needed where the other one is
    together: int  # commits and sessions with both
    sessions: int  # those of them that were watched
    steps: float | None  # between the two, on average
    follows: bool | None
    last_at: datetime

    def to_dict(self) -> dict[str, Any]:
        return {
            "path": self.path,
            "weight": round(self.weight, 3),
            "together": self.together,
            "sessions": self.sessions,
            "steps": None if self.steps is None else round(self.steps, 1),
            "follows": self.follows,
            "last_at": self.last_at.isoformat(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedFiles:
    """Files that belong to one, the surest first, and what could not be asked."""

    path: str
    files: tuple[PairedFile, ...] = ()
    missing: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[PairedFile]:
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, at: int) -> PairedFile:
        return self.files[at]

    def to_dict(self) -> dict[str, Any]:
        return {"path": self.path, "files": [each.to_dict() for each in self.files], "missing": list(self.missing)}


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeNote:
    """A record that is about code: what somebody said, where, who and when, and how that code stands now."""

    id: str
    kind: str  # its category
    text: str
    about: tuple[str, ...] = ()  # path, or path::symbol
    relation: str = ""  # of a link, from the first place to the second
    weight: float = 1.0
    confidence: float = 1.0
    by: str = ""
    at: datetime
    state: str = ""  # fresh, moved, drifted, orphaned
    counts: bool = True  # false: it waits for review, is flagged, or its code is gone

    def to_dict(self) -> dict[str, Any]:
        """Without what says nothing."""
        plain: dict[str, Any] = {"id": self.id, "kind": self.kind, "text": self.text, "about": list(self.about)}
        plain |= {"relation": self.relation, "weight": self.weight} if self.relation else {}
        more = {"by": self.by, "state": self.state}
        plain |= {name: value for name, value in more.items() if value}
        return {**plain, "confidence": self.confidence, "at": self.at.isoformat(), "counts": self.counts}


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeNotes:
    """What was said about a project's code, the newest first. `next` goes on from there."""

    items: tuple[CodeNote, ...] = ()
    total: int = 0
    next: int | None = None

    def __iter__(self) -> Iterator[CodeNote]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, at: int) -> CodeNote:
        return self.items[at]

    def to_dict(self) -> dict[str, Any]:
        return {"items": [each.to_dict() for each in self.items], "total": self.total, "next": self.next}


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeItem:
    """One file or symbol of an answer."""

    path: str
    symbol: str
    kind: str
    line: int
    end_line: int = 0
    score: float = 1.0
    depth: int = 0
    via: str = ""  # the step before it on the best way, `path::symbol`
    at: int = 0  # the line where it uses that step
    resolved: str = Resolved.EXACT
    note: str = ""

    @property
    def label(self) -> str:
        return f"{self.path}::{self.symbol}" if self.symbol else self.path

    def to_dict(self) -> dict[str, Any]:
        """Without what says nothing."""
        plain = {"path": self.path, "symbol": self.symbol, "kind": self.kind, "line": self.line}
        more = {"end_line": self.end_line, "depth": self.depth, "via": self.via, "at": self.at, "note": self.note}
        plain |= {name: value for name, value in more.items() if value}
        return {**plain, "score": round(self.score, 4), "resolved": str(self.resolved)}


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeModule:
    """A folder of an answer, in the place of the files in it."""

    path: str
    files: int
    symbols: int
    score: float
    known: int = 0  # trusted records about its files, where they were counted

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"score": round(self.score, 4)}


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeAnswer:
    """What was found, best first. `counts` are of everything, `items` may be a part of it: `next` goes on from there.

    `stale` names files that have changed since they were taken in: what is said about those may be wrong.
    """

    asked: str
    summary: str
    items: tuple[CodeItem, ...] = ()
    modules: tuple[CodeModule, ...] = ()  # where what is not among the items lies
    tests: tuple[str, ...] = ()
    possible: tuple[CodeItem, ...] = ()  # ambiguous or unresolved: only where they were asked for
    counts: dict[str, int] = field(default_factory=dict)
    score: float = 0.0
    records: tuple[CodeNote, ...] = ()  # what is known about the files and symbols: warnings, invariants, decisions
    paired: tuple[PairedFile, ...] = ()  # what goes with the file that was asked for
    stale: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    next: int | None = None

    def __iter__(self) -> Any:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    @property
    def direct(self) -> tuple[CodeItem, ...]:
        """Those one step away."""
        return tuple(item for item in self.items if item.depth == 1)

    @property
    def transitive(self) -> tuple[CodeItem, ...]:
        """Those further away."""
        return tuple(item for item in self.items if item.depth > 1)

    def to_dict(self) -> dict[str, Any]:
        return {
            "asked": self.asked,
            "summary": self.summary,
            "score": round(self.score, 4),
            "counts": self.counts,
            "items": [item.to_dict() for item in self.items],
            "modules": [module.to_dict() for module in self.modules],
            "tests": list(self.tests),
            "possible": [item.to_dict() for item in self.possible],
            "records": [each.to_dict() for each in self.records],
            "paired": [each.to_dict() for each in self.paired],
            "stale": list(self.stale),
            "notes": list(self.notes),
            "next": self.next,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeMap:
    """A project in few words."""

    text: str
    tokens: int
    modules: tuple[CodeModule, ...] = ()
    items: tuple[CodeItem, ...] = ()  # key symbols
    entry_points: tuple[CodeItem, ...] = ()
    stale: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {
            "text": self.text,
            "tokens": self.tokens,
            "modules": [module.to_dict() for module in self.modules],
            "items": [item.to_dict() for item in self.items],
            "entry_points": [item.to_dict() for item in self.entry_points],
            "stale": list(self.stale),
        }
