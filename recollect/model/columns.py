"""The columns of a record, declared once.

`RecordRow` is a row as the database holds it: times in microseconds, JSON as text. Each column says beside its type and
default what else there is to know about it. Lists of columns in statements, the mapping of rows to values, what an
export holds, what a filter may name and what `update` may change or clear all follow from this declaration.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field, fields
from operator import attrgetter
from typing import Any, NamedTuple


class Column(NamedTuple):
    """What is known about a column beside its name and default."""

    sort: str  # id, text, name, int, time, number, flag, list, object
    refers: str = ""  # the table whose key it holds
    given: bool = False  # a caller may say it, and change it
    clearable: bool = False  # … and empty it
    filtered: bool = True  # a filter may name it
    exported: bool = True  # an export holds it; what is not can be worked out again


class SealedBox(NamedTuple):
    """The columns of one version of a record that nobody may read in its row, encrypted."""

    ref: int
    record_id: str
    box: bytes
    spoken: str = ""  # no column: what a text that is withheld is found by, on its way into the store
    kinds: tuple[tuple[str, str], ...] = ()  # reference and kind of each secret in the box, on their way too


def _column(sort: str, default: Any = MISSING, **more: Any) -> Any:
    return field(default=default, metadata={"column": Column(sort, **more)})


def _key(refers: str, default: Any = None) -> Any:
    return _column("int", default, refers=refers, filtered=False)


@dataclass(slots=True, kw_only=True)
class RecordRow:
    """A row of `record`. The order of fields is the order of columns.

    Not frozen: ten thousand a second are made on the write path, and freezing doubles the cost of making one.
    """

    id: str = _column("id")
    scope_pk: int = _key("scope", MISSING)
    content: str = _column("text")
    content_hash: str = _column("text", exported=False)
    created_at: int = _column("time")
    updated_at: int = _column("time")
    recorded_at: int = _column("time")
    head_pk: int | None = _key("record")
    version: int = _column("int", 1)
    session_pk: int | None = _key("session")
    kind: str = _column("name", "semantic", given=True)
    category: str = _column("name", "fact", given=True)
    tier: str = _column("name", "longterm", given=True)
    subject: str | None = _column("text", None, given=True, clearable=True)
    predicate: str | None = _column("text", None, given=True, clearable=True)
    object: str | None = _column("text", None, given=True, clearable=True)
    tags: str | None = _column("list", None, given=True, clearable=True)
    metadata: str | None = _column("object", None, given=True, clearable=True)
    attributes: str | None = _column("object", None, given=True, clearable=True)
    retired_at: int | None = _column("time", None, filtered=False)
    event_time: int | None = _column("time", None, given=True, clearable=True)
    valid_from: int | None = _column("time", None, given=True, clearable=True)
    valid_until: int | None = _column("time", None, given=True, clearable=True)
    confidence: float = _column("number", 1.0, given=True)
    importance: float = _column("number", 0.5, given=True)
    strength: float = _column("number", 1.0, given=True)
    decay_rate: float | None = _column("number", None, given=True, clearable=True)
    half_life_days: float | None = _column("number", None, given=True, clearable=True)
    access_count: int = _column("int", 0)
    access_sessions: int = _column("int", 0)
    last_access: int | None = _column("time", None)
    success_count: int = _column("int", 0)
    failure_count: int = _column("int", 0)
    valence: float | None = _column("number", None)
    arousal: float | None = _column("number", None)
    intensity: float | None = _column("number", None)
    dominance: float | None = _column("number", None, filtered=False)
    surprise: float | None = _column("number", None, filtered=False)
    source: str | None = _column("text", None, given=True, clearable=True)
    role: str | None = _column("text", None, given=True, clearable=True)
    speaker: str | None = _column("text", None, given=True, clearable=True)
    provenance_sessions: str | None = _column("list", None)
    needs_review: int = _column("flag", 0, given=True)
    user_verified: int = _column("flag", 0, given=True)
    flagged: int = _column("flag", 0, given=True)
    security: str = _column("name", "cleartext", given=True)
    place: str | None = _column("object", None, given=True, clearable=True)
    facets: str | None = _column("object", None, given=True, clearable=True)
    perceived: str | None = _column("object", None)
    turn_pk: int | None = _key("record")
    sealed: int | None = _column("int", None, filtered=False, exported=False)
    box: SealedBox | None = None  # no column: what `sealed` refers to, on its way into the store


RECORD_COLUMNS: dict[str, Column] = {
    each.name: each.metadata["column"] for each in fields(RecordRow) if "column" in each.metadata
}
COLUMNS: tuple[str, ...] = tuple(RECORD_COLUMNS)
# Counted by use, not by decision: neither versioned nor journalled, and left alone by undo.
BOOKKEEPING = frozenset({"access_count", "access_sessions", "last_access"})
GIVEN: tuple[str, ...] = tuple(name for name, column in RECORD_COLUMNS.items() if column.given)
CLEARABLE: tuple[str, ...] = tuple(name for name, column in RECORD_COLUMNS.items() if column.clearable)
row_values = attrgetter(*COLUMNS)


def required(name: str) -> bool:
    """Whether a line of an export must have this column: what is empty by default may be left out."""
    default = _DEFAULTS[name]
    return default is MISSING or bool(default)


_DEFAULTS = {each.name: each.default for each in fields(RecordRow) if each.name in RECORD_COLUMNS}
