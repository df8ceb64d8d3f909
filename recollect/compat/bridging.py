"""What every bridge to another library does the same way: which memory it was given, and what in it is its own.

A bridge keeps its things in one scope. Wider records are seen from there, as everywhere, but they are not the bridge's:
a list that another store has written must not be changed through this one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from recollect.aio import AsyncMemory
from recollect.errors import UsageError, shown
from recollect.facade.handle import engine_in_use
from recollect.ingest.drafts import split_text
from recollect.limits import PAGE_RECORDS_MAX
from recollect.memory import Memory
from recollect.model.record import Record, Tier
from recollect.model.scope import DIMENSIONS

EVERY_TIER = tuple(tier.value for tier in Tier)


def memory_of(given: Memory | AsyncMemory) -> Memory:
    """The memory itself, of one that is awaited too."""
    inner = getattr(given, "_memory", given)
    if not isinstance(inner, Memory):
        raise UsageError(f"a bridge needs an open memory, such as recollect.open(), not {shown(given)}")
    return inner


def exactly_here(memory: Memory) -> dict[str, Any]:
    """A filter for what was written in the scope of a handle, and in no wider one."""
    mine = dict(memory.grant.held.items())
    return {"AND": [{name: {"eq": mine.get(name)}} for name in DIMENSIONS]}


def every(memory: Memory, filters: Mapping[str, Any], **criteria: Any) -> Iterator[Record]:
    """All records that meet the filters, newest first, in whichever tier they are; read a page at a time."""
    cursor: str | None = None
    size = criteria.pop("at_once", PAGE_RECORDS_MAX)
    while True:
        page = memory.get_all(filters=filters, tiers=EVERY_TIER, limit=size, cursor=cursor, **criteria)
        yield from page
        cursor, size = page.cursor, PAGE_RECORDS_MAX
        if cursor is None:
            return


def pieces(memory: Memory, text: str) -> list[str]:
    """A text in pieces that fit into a record each, at least one; without NUL, which no record holds."""
    text = text.replace("\x00", " ")
    return split_text(text, engine_in_use(memory).config.current.ingest.content_bytes_max) or [text]
