"""What a reader of another program's export gives: items, and a word about what it left out."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from recollect.errors import ContentTooLarge, InvalidQuery
from recollect.language.times import parse_iso, parse_time
from recollect.limits import IMPORT_ITEMS_MAX, NAME_CHARS_MAX, TAG_CHARS_MAX, TAGS_MAX

ORIGINAL_ID = "original_id"  # in the metadata of a record: what it was called where it comes from
_SHOWN = 20  # of what was left out
_MILLISECONDS_FROM = 1e11  # as seconds, a number this large would lie after the year 5000


class ForeignItem(NamedTuple):
    """One thing to remember: a message as `add` takes it, whose it is, and what it is known by when it comes again."""

    message: dict[str, Any]
    key: str
    where: str  # in the file, for messages to people
    scope: Mapping[str, str] = {}
    session: str | None = None


@dataclass(slots=True)
class Read:
    """What a file gave."""

    source: str  # of every record: import:mem0 …
    items: list[ForeignItem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)  # the first of them, for people
    skipped_count: int = 0

    def take(self, item: ForeignItem) -> None:
        if len(self.items) >= IMPORT_ITEMS_MAX:
            raise ContentTooLarge(f"the file holds more than {IMPORT_ITEMS_MAX} things to remember; split it")
        self.items.append(item)

    def skip(self, where: str, why: str) -> None:
        self.skipped_count += 1
        if len(self.skipped) < _SHOWN:
            self.skipped.append(f"{where} {why}")


def text_in(value: Any, *names: str) -> str | None:
    """The first of these that holds words."""
    for name in names:
        found = value.get(name) if isinstance(value, Mapping) else None
        if isinstance(found, str) and found.replace("\x00", "").strip():
            return found.replace("\x00", "").strip()
    return None


def name_in(value: Mapping[str, Any], *names: str) -> str | None:
    """The same for something short; numbers count as names."""
    for name in names:
        found = value.get(name)
        if isinstance(found, str | int) and not isinstance(found, bool) and str(found).strip():
            return str(found).replace("\x00", "").strip()[:NAME_CHARS_MAX] or None
    return None


def time_in(value: Mapping[str, Any], *names: str) -> datetime | None:
    """The first of these that is a time: ISO text, or seconds or milliseconds since 1970. What is none is left out."""
    for name in names:
        given = value.get(name)
        if isinstance(given, bool) or not isinstance(given, str | int | float):
            continue
        try:
            if isinstance(given, str):
                return parse_iso(given)
            return parse_time(given / 1000 if abs(given) > _MILLISECONDS_FROM else given)
        except (InvalidQuery, ValueError, OverflowError):
            continue
    return None


def tags_of(given: Any) -> list[str]:
    """Words of a list that can be tags."""
    if not isinstance(given, Iterable) or isinstance(given, str | bytes | Mapping):
        return []
    words = [str(each).strip()[:TAG_CHARS_MAX] for each in given if isinstance(each, str | int) and str(each).strip()]
    return list(dict.fromkeys(words))[:TAGS_MAX]


def key_of(original: str | None, *parts: str) -> str:
    """What an item is known by: its own id, else a number made of what it says."""
    return original or hashlib.blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()


def message(
    content: str, *, key: str | None, metadata: Mapping[str, Any] | None = None, **fields: Any
) -> dict[str, Any]:
    """The form in which `add` takes it, without what is not known."""
    own = dict(metadata or {}) | ({ORIGINAL_ID: key} if key is not None else {})
    return {"content": content, **({"metadata": own} if own else {})} | {
        name: value for name, value in fields.items() if value not in (None, [], "")
    }
