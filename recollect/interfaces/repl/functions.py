"""The five functions sandboxed code may call, on the memory the sandbox was given.

They run on our side of the pipe. Arguments come from code nobody read, so each is checked for its type here,
and for its meaning by the memory; what goes back is a text or plain dicts.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any, Protocol

from recollect.config import Config
from recollect.errors import CycleRefused, UsageError
from recollect.limits import TOP_K_MAX
from recollect.model.edge import CIRCULAR

TIER = "task"  # of what code stores: for the task at hand, until a caller says that it is to last
EXPERIENCE_CONFIDENCE = 0.5  # what was tried once is neither sure nor unsure
CONTEXT_POOL_MIN = 200  # records weighed for a context, however few are asked for


class MemoryHandle(Protocol):
    """The verbs the sandbox uses. A scoped handle keeps the code inside its scope."""

    @property
    def config(self) -> Config: ...
    def add(self, content: Any, /, *, kind: Any, category: Any, confidence: Any, metadata: Any, tier: Any) -> Any: ...
    def search(self, query: str, /, *, top_k: int) -> Iterable[Any]: ...
    def get_all(self, *, limit: int) -> Iterable[Any]: ...
    def relate(self, source: Any, target: Any, label: str, /) -> Any: ...


def memory_query(memory: MemoryHandle, query: str, limit: int = 10) -> list[dict[str, Any]]:
    """The records that answer the query, best first."""
    found = memory.search(_text("query", query), top_k=_count("limit", limit))
    return [_plain(hit) for hit in found]


def memory_add_fact(memory: MemoryHandle, content: str, confidence: float = 0.5) -> str:
    """Store a statement held true; gives its id."""
    receipt = memory.add(
        _text("content", content),
        kind="semantic",
        category="fact",
        confidence=_share("confidence", confidence),
        metadata=None,
        tier=TIER,
    )
    return _id_of(receipt)


def memory_add_experience(memory: MemoryHandle, content: str, outcome: str, success: bool) -> str:
    """Store what was done and how it went; gives its id."""
    if not isinstance(success, bool):
        raise UsageError("success must be True or False")
    receipt = memory.add(
        _text("content", content),
        kind="episodic",
        category="experience",
        confidence=EXPERIENCE_CONFIDENCE,
        metadata={"outcome": _text("outcome", outcome), "success": success},
        tier=TIER,
    )
    return _id_of(receipt)


def memory_get_context(memory: MemoryHandle, limit: int = 10) -> list[dict[str, Any]]:
    """What is worth knowing without a question: the most important and the newest records, in turn."""
    count = _count("limit", limit)
    newest = list(memory.get_all(limit=max(count, CONTEXT_POOL_MIN)))
    weightiest = sorted(newest, key=lambda record: record.importance, reverse=True)
    in_turn = {record.id: record for pair in zip(weightiest, newest, strict=True) for record in pair}
    return [_plain(record) for record in islice(in_turn.values(), count)]


def memory_relate(memory: MemoryHandle, label: str, subject_id: str, object_id: str) -> str:
    """Say that the subject stands in this relation to the object; gives the id of the edge.

    Sandboxed code may relate in circles: an edge that closes one where its label allows none gets a label of its own.
    """
    subject, object_, name = _text("subject_id", subject_id), _text("object_id", object_id), _text("label", label)
    try:
        return str(memory.relate(subject, object_, name))
    except CycleRefused:
        return str(memory.relate(subject, object_, CIRCULAR + name))


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        memory_query,
        memory_add_fact,
        memory_add_experience,
        memory_get_context,
        memory_relate,
    )
}


def call(memory: MemoryHandle, name: object, args: object, kwargs: object) -> Any:
    """Call one of the five by name. Anything that is not such a call is a `UsageError`."""
    function = FUNCTIONS.get(name) if isinstance(name, str) else None
    if function is None or not isinstance(args, list) or not isinstance(kwargs, dict):
        raise UsageError("not a memory function")
    try:
        bound = inspect.signature(function).bind(memory, *args, **kwargs)
    except TypeError as exc:
        raise UsageError(f"{name}: {exc}") from None
    return function(*bound.args, **bound.kwargs)


def _plain(record: Any) -> dict[str, Any]:
    """A record or a hit as JSON holds it; a record, which nobody searched for, has the score None."""
    return {
        "id": str(record.id),
        "content": record.content,
        "kind": str(record.kind),
        "category": record.category,
        "confidence": record.confidence,
        "score": getattr(record, "score", None),
        "created_at": record.created_at.isoformat(),
        "metadata": record.metadata,
    }


def _id_of(receipt: Any) -> str:
    """The record that holds what was said: a new one, or the one it was merged into."""
    ids = (*receipt.ids, *receipt.merged)
    if not ids:
        raise UsageError("nothing was stored")
    return str(ids[0])


def _text(name: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise UsageError(f"{name} must be text and not empty")
    return value


def _count(name: str, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= TOP_K_MAX:
        raise UsageError(f"{name} must be a whole number from 1 to {TOP_K_MAX}")
    return value


def _share(name: str, value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        raise UsageError(f"{name} must be a number from 0 to 1")
    return float(value)
