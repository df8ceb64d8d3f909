"""What the verbs answer with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from recollect.model.anchor import AnchorState, CodeAnchor, code_in_words, state_of
from recollect.model.edge import Edge
from recollect.model.ending import Doubt, in_words
from recollect.model.place import Place
from recollect.model.record import Kind, Record, SecurityTier
from recollect.model.scope import Scope
from recollect.model.trust import Trust


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """Something given to `add` that was not stored, and why. `index` counts from 0 in what was given."""

    index: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What a write did. `operation` undoes all of it.

    Of `add`: `ids` has one for each item that was kept, in their order, of a record that was there before if the item
    repeats it (`merged` names those). `statements` were drawn from the items; `records` are the items' and then theirs.
    """

    operation: str | None = None
    ids: tuple[str, ...] = ()
    statements: tuple[str, ...] = ()
    records: tuple[Record, ...] = ()
    merged: tuple[str, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    flags: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    event: str = "ADD"  # ADD, UPDATE, DELETE, UNDO: what happened to the ids; NONE: they were there as they are
    count: int = 0  # records that are new, changed or gone; may exceed len(ids) for bulk deletes
    files: int = 0  # that `ingest` looked at
    files_unchanged: int = 0
    dry_run: bool = False

    @property
    def id(self) -> str:
        """The one id, for writes of one thing."""
        return self.ids[0]

    def _event_of(self, record_id: str) -> str:
        return "NONE" if self.event == "ADD" and record_id in self.merged else self.event

    def to_dict(self) -> dict[str, Any]:
        return {
            "operation": self.operation,
            "ids": list(self.ids),
            "statements": list(self.statements),
            "count": self.count,
            "results": [{"id": r.id, "memory": r.content, "event": self._event_of(r.id)} for r in self.records]
            or [{"id": id_, "memory": None, "event": self.event} for id_ in self.ids],
            "merged": list(self.merged),
            "skipped": [asdict(s) for s in self.skipped],
            "flags": list(self.flags),
            "missing": list(self.missing),
            "dry_run": self.dry_run,
            **({"files": self.files, "files_unchanged": self.files_unchanged} if self.files else {}),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """An episodic record that a hit rests on."""

    id: str
    content: str
    created_at: datetime
    session_id: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    role: str | None = None
    speaker: str | None = None
    event_time: datetime | None = None

    def to_dict(self) -> dict[str, Any]:
        out = {name: getattr(self, name) for name in self.__slots__}
        return out | {"created_at": _iso(self.created_at), "event_time": _iso(self.event_time)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One record a search found, with what speaks for it. `score` is in [0, 1], best first.

    `current` says whether it held at the moment that was asked about, `ended_at` and `replaced_by` since when it does
    not and what is said instead; `partly_ended` and `may_have_changed` are told in `model.ending.Validity`.
    """

    id: str
    content: str
    kind: Kind
    category: str
    score: float
    trust: Trust
    created_at: datetime
    updated_at: datetime
    event_time: datetime | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    place: Place | None = None
    role: str | None = None
    speaker: str | None = None
    session_id: str | None = None
    version: int = 1
    confidence: float = 1.0
    current: bool = True
    ended_at: datetime | None = None
    replaced_by: tuple[str, ...] = ()
    partly_ended: bool = False
    may_have_changed: tuple[Doubt, ...] = ()
    security: SecurityTier = SecurityTier.CLEARTEXT
    flags: tuple[str, ...] = ()  # what screening said of the text, and whether a text of a tier is shown
    code: tuple[CodeAnchor, ...] = ()  # what it is about in a project's code, and whether that is as it was
    sealed: int | None = field(default=None, repr=False)  # where the store keeps what is not shown here

    @property
    def is_orphan(self) -> bool:
        """Whether the code that it is about is gone: it is found by search, and told to nobody unasked."""
        return state_of(self.code) is AnchorState.ORPHANED

    @property
    def standing(self) -> str:
        """In words since when it holds no more, what is said now, what may have changed it, and whether its code has
        changed; empty if it holds."""
        ends = self.ended_at or self.valid_until
        return in_words(
            until=ends.date().isoformat() if ends else None,
            replaced_by=self.replaced_by,
            partly=self.partly_ended,
            may_have_changed=[doubt.id for doubt in self.may_have_changed],
            code=code_in_words(self.code),
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "memory": self.content,
            "score": round(self.score, 6),
            "kind": self.kind.value,
            "category": self.category,
            "metadata": self.metadata,
            "tags": list(self.tags),
            "created_at": _iso(self.created_at),
            "updated_at": _iso(self.updated_at),
            "event_time": _iso(self.event_time),
            "valid_from": _iso(self.valid_from),
            "valid_until": _iso(self.valid_until),
            "trust": self.trust.to_dict(),
            "confidence": self.confidence,
            "sources": [s.to_dict() for s in self.sources],
            "place": self.place.to_dict() if self.place else None,
            "role": self.role,
            "speaker": self.speaker,
            "session_id": self.session_id,
            "version": self.version,
            "current": self.current,
            "ended_at": _iso(self.ended_at),
            "replaced_by": list(self.replaced_by),
            "partly_ended": self.partly_ended,
            "may_have_changed": [doubt.to_dict() for doubt in self.may_have_changed],
            "security": self.security.value,
            "flags": list(self.flags),
            "code": [anchor.to_dict() for anchor in self.code],
        }


DOUBTFUL_BELOW = 0.3  # of such questions have an answer here


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """Figures about one search."""

    candidates: int = 0
    latency_ms: float = 0.0
    stages_ms: dict[str, float] = field(default_factory=dict)
    strategy: str = "none"  # how the final order was made: none | mmr | rrf | rrf_then_mmr | cross_encoder | foremost
    weights: dict[str, float] = field(default_factory=dict)
    level: str = "full"  # full | text_only | text_plus_disk_vectors | degraded
    relevancy: float = 0.0  # the mean score
    ndcg: float = 0.0  # 1: the final order is that of the scores
    intent: str | None = None
    answerable: float = 1.0  # the share of such questions that have an answer here

    def to_dict(self) -> dict[str, Any]:
        out = {name: getattr(self, name) for name in self.__slots__}  # `asdict` would take as long as ten hits
        return out | {"stages_ms": dict(self.stages_ms), "weights": dict(self.weights)}


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceStep:
    """What one part of a score was worth for one record, and how it stands among the candidates by that part alone."""

    source: str
    rank: int
    score: float
    contribution: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """Where a record stood after a step, and what the step added to its score or took from it."""

    step: str
    rank: int
    score: float
    by: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """How the answer came about: how the question was read, and for each hit what found it and what moved it."""

    hits: dict[str, tuple[TraceStep, ...]]
    found_by: dict[str, dict[str, int]] = field(default_factory=dict)  # source -> place in its own list
    moves: dict[str, tuple[Moved, ...]] = field(default_factory=dict)
    via: dict[str, str] = field(default_factory=dict)  # the relations that led to it
    plan: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {
            "plan": self.plan,
            "notes": list(self.notes),
            "found_by": self.found_by,
            "via": self.via,
            "hits": {id_: [asdict(step) for step in steps] for id_, steps in self.hits.items()},
            "moves": {id_: [asdict(move) for move in moves] for id_, moves in self.moves.items()},
        }


NOTHING_STORED = "nothing is stored here"  # why an answer is empty: in the scope that was asked there is nothing …
STORED_ELSEWHERE = f"{NOTHING_STORED}; the store holds records of other scopes: name one (user_id=…), or reach='all'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recollection(Sequence[Hit]):
    """The answer to a search: hits best first, and an honest word about how it was found.

    `missing` names what could not take part (no embedder, an index still warming); `abstained` is true when
    nothing stored seems to answer, and `reason` says why.
    """

    query: str
    hits: tuple[Hit, ...]
    quality: Quality
    missing: tuple[str, ...] = ()
    abstained: bool = False
    reason: str | None = None
    trace: Trace | None = None

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __getitem__(self, index: Any) -> Any:
        return self.hits[index]

    @property
    def doubtful(self) -> bool:
        """Whether nothing stored seems to answer, or hardly anything bears on it."""
        return self.abstained or self.quality.answerable < DOUBTFUL_BELOW

    def to_dict(self) -> dict[str, Any]:
        return {
            "results": [hit.to_dict() for hit in self.hits],
            "abstained": self.abstained,
            "reason": self.reason,
            "missing": list(self.missing),
            "quality": self.quality.to_dict(),
            "trace": self.trace.to_dict() if self.trace else None,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Sequence[Record]):
    """Some of the records, newest first; `cursor` asks for the next ones, `None` at the end."""

    records: tuple[Record, ...]
    cursor: str | None = None

    def __iter__(self) -> Iterator[Record]:
        return iter(self.records)

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, index: Any) -> Any:
        return self.records[index]

    def to_dict(self) -> dict[str, Any]:
        return {"results": [record.to_dict() for record in self.records], "cursor": self.cursor}


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One entry of the journal: what was done, not what it was about."""

    id: str
    verb: str
    at: datetime
    count: int
    scope: Scope
    actor: str | None = None
    reason: str | None = None
    undone: bool = False
    undoes: str | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "verb": self.verb,
            "at": _iso(self.at),
            "count": self.count,
            "actor": self.actor,
            "reason": self.reason,
            "undone": self.undone,
            "undoes": self.undoes,
            **dict(self.scope.items()),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryEntry:
    """One thing that happened to a record: the operation and the version it left behind."""

    operation: Operation
    record: Record | None  # as it was after the operation; None while it was deleted

    @property
    def verb(self) -> str:
        return self.operation.verb

    @property
    def at(self) -> datetime:
        return self.operation.at

    @property
    def version(self) -> int | None:
        return self.record.version if self.record else None

    @property
    def content(self) -> str | None:
        return self.record.content if self.record else None

    def to_dict(self) -> dict[str, Any]:
        return {
            "operation": self.operation.to_dict(),
            "record": self.record.to_dict() if self.record else None,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbourhood(Sequence[Record]):
    """Records reached from one record, nearest first, with the edges that were walked."""

    records: tuple[Record, ...]
    edges: tuple[Edge, ...]
    depth: dict[str, int] = field(default_factory=dict)  # record id -> hops

    def __iter__(self) -> Iterator[Record]:
        return iter(self.records)

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, index: Any) -> Any:
        return self.records[index]

    def to_dict(self) -> dict[str, Any]:
        return {
            "results": [r.to_dict() | {"depth": self.depth.get(r.id)} for r in self.records],
            "edges": [e.to_dict() for e in self.edges],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Named figures: counts of `stats`, levels of `health`, totals of a maintenance run."""

    figures: dict[str, Any]
    warnings: tuple[str, ...] = ()
    operation: str | None = None

    def __getitem__(self, name: str) -> Any:
        return self.figures[name]

    def to_dict(self) -> dict[str, Any]:
        return {**self.figures, "warnings": list(self.warnings), "operation": self.operation}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing `doctor` noticed, and its cure. `fixed`: it was cured just now, and `detail` says how."""

    check: str
    ok: bool
    detail: str
    cure: str | None = None
    code: str | None = None  # of what is wrong, or was
    fixed: bool = False

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)
