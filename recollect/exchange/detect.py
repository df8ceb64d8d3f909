"""Which program a file comes from, told by what is in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain, islice
from typing import Any

from recollect.errors import UsageError, shown
from recollect.exchange import converted, lines
from recollect.exchange.formats.archive import is_archive
from recollect.exchange.formats.base import Read
from recollect.exchange.formats.chats import is_chat, read_chats
from recollect.exchange.formats.graphiti import is_graph, read_graph
from recollect.exchange.formats.mem0 import is_mem0, read_mem0
from recollect.exchange.formats.reference import is_reference, read_reference
from recollect.exchange.formats.structured import Value, values_of
from recollect.exchange.source import ImportSource

OURS = "jsonl"
_LOOKED_AT = 20  # values of a file; the sort of one is the sort of all
_OTHER_NAMES = {
    "recollect": OURS,
    "zep": "graphiti",
    "chatgpt": "chat",
    "claude": "chat",
    "messages": "chat",
    "memory.jsonl": "reference",
    "mcp": "reference",
}
_FORMATS: dict[str, tuple[Callable[[Any], bool], Callable[[Iterable[Value]], Read]]] = {
    "reference": (is_reference, read_reference),
    "mem0": (is_mem0, read_mem0),
    "graphiti": (is_graph, read_graph),
    "chat": (is_chat, read_chats),
}
NAMES = (OURS, *_FORMATS, *converted.NAMES)


def is_ours(source: ImportSource, given: str | None) -> bool:
    """Whether a file is an export of this program, or is said to be one."""
    if given is not None:
        return named(given) == OURS
    return source.head(len(lines.OPENING)) == lines.OPENING


def read(source: ImportSource, given: str | None) -> Read:
    """What a file of another program holds; a `UsageError` if it is of none that is known."""
    if source.size == 0:
        raise UsageError(f"{source.name} is empty; there is nothing to import")
    name = "chat" if given is None and is_archive(source) else None if given is None else named(given)
    values = values_of(source)
    first = list(islice(values, _LOOKED_AT))
    name = name or _told_by(first)
    if name is None:
        raise UsageError(f"{source.name} is of no format that is known; give format=, one of {', '.join(NAMES)}")
    return _FORMATS[name][1](chain(first, values))


def named(given: Any) -> str:
    """A format by any of its names."""
    name = _OTHER_NAMES.get(given, given) if isinstance(given, str) else given
    if name == "markdown":
        raise UsageError("Markdown is for reading; import the JSON Lines, or give the document to ingest()")
    if name not in NAMES:
        raise UsageError(f"unknown format {shown(given, 40)}; known: {', '.join(NAMES)}")
    return str(name)


def _told_by(values: Sequence[Value]) -> str | None:
    for name, (is_it, _) in _FORMATS.items():
        if any(is_it(each.value) for each in values):
            return name
    return None
