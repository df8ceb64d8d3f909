"""Between LangGraph's items and records.

The value of an item is the metadata of its record, so that Recollect's own filters reach into it; where it lies and by
which key is in the attributes, and the text is what a search goes by. An item stays until somebody deletes it, or its
time is over: nothing of it fades.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from langgraph.store.base import Item, SearchItem, get_text_at_path

from recollect.errors import UsageError, shown
from recollect.model.record import Record

MARK = "langgraph"
KIND = "snippet"  # two items that say the same are two: statements would become one
SOURCE = "langgraph"

Namespace = tuple[str, ...]


class ItemPlace(NamedTuple):
    """Where an item lies."""

    namespace: Namespace
    key: str

    @property
    def filters(self) -> list[dict[str, Any]]:
        return [{f"attributes.{MARK}.key": {"eq": self.key}}, {f"attributes.{MARK}.path": {"eq": path(self.namespace)}}]


def with_keys(keys: Sequence[str]) -> dict[str, Any]:
    """A filter for items with one of these keys, wherever they lie."""
    return {f"attributes.{MARK}.key": {"in": list(keys)}}


def path(namespace: Namespace) -> str:
    """A namespace as one text; labels hold no period."""
    return ".".join(namespace)


def under(prefix: Namespace) -> list[dict[str, Any]]:
    """Filters for what lies in a namespace or beneath it."""
    if not prefix:
        return [{f"attributes.{MARK}.path": {"exists": True}}]
    return [{f"attributes.{MARK}.within": {"contains": path(prefix)}}]


def place_of(record: Record) -> ItemPlace:
    mark = record.attributes[MARK]
    return ItemPlace(tuple(mark["path"].split(".")), mark["key"])


def value_of(record: Record) -> dict[str, Any]:
    """The value as it was put; if its text was changed by hand since, with the words that stand there now."""
    mark, value = record.attributes[MARK], dict(record.metadata)
    at = mark.get("text_at")
    if at is not None and value.get(at) != record.content:
        value[at] = record.content
    return value


def item_of(record: Record) -> Item:
    where = place_of(record)
    return Item(
        value=value_of(record),
        key=where.key,
        namespace=where.namespace,
        created_at=record.created_at,
        updated_at=record.updated_at,
    )


def found_item(record: Record, score: float | None) -> SearchItem:
    where = place_of(record)
    return SearchItem(where.namespace, where.key, value_of(record), record.created_at, record.updated_at, score)


class ItemDraft(NamedTuple):
    """An item on its way into a record."""

    place: ItemPlace
    text: str
    value: dict[str, Any]
    mark: dict[str, Any]
    until: datetime | None

    def shortened(self, text: str) -> ItemDraft:
        """The same, found by a text that a record can hold; no longer the words of a field if some are missing."""
        whole = text == self.text == text.strip()
        mark = self.mark if whole else {name: each for name, each in self.mark.items() if name != "text_at"}
        return self._replace(text=text, mark=mark)

    def message(self) -> dict[str, Any]:
        """The record as `add` takes it."""
        return {
            "content": self.text,
            "kind": KIND,
            "source": SOURCE,
            "decay_rate": 0.0,
            "valid_until": self.until,
            "metadata": self.value,
            "attributes": {MARK: self.mark},
        }

    def changes(self, record: Record) -> dict[str, Any]:
        """Arguments that make `update` turn a record into this."""
        emptied = [name for name, gone in (("metadata", not self.value), ("valid_until", self.until is None)) if gone]
        fields: dict[str, Any] = {"attributes": {**record.attributes, MARK: self.mark}, "clear": emptied}
        if self.value:
            fields["metadata"] = self.value
        if self.until is not None:
            fields["valid_until"] = self.until
        if record.content != self.text:
            fields["content"] = self.text
        return fields


def draft(
    place: ItemPlace,
    value: Mapping[str, Any],
    *,
    fields: Sequence[str] | bool | None,
    ttl: float | None,
    now: datetime,
) -> ItemDraft:
    """What to store for an item. `fields` are the paths that it is found by, None for all of it, False for none."""
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise UsageError(f"the value of an item is an object with text keys, not {shown(value)}")
    if ttl is not None and not (isinstance(ttl, int | float) and 0 < ttl < float("inf")):
        raise UsageError(f"ttl is a number of minutes above 0, not {shown(ttl, 20)}")
    kept = dict(value)
    at, text = (None, "") if fields is False else _searched(kept, None if fields is True else fields)
    mark: dict[str, Any] = {
        "path": path(place.namespace),
        "within": [path(place.namespace[: n + 1]) for n in range(len(place.namespace))],
        "key": place.key,
        "indexed": bool(text.strip()),
    }
    if at is not None:
        mark["text_at"] = at
    if ttl is not None:
        mark["ttl"] = float(ttl)
    until = None if ttl is None else now + timedelta(minutes=ttl)
    return ItemDraft(place, text if text.strip() else place.key, kept, mark, until)


def _searched(value: dict[str, Any], fields: Sequence[str] | None) -> tuple[str | None, str]:
    """(the field whose words are the whole text, if one is; the text that an item is found by)."""
    if fields is not None and list(fields) != ["$"]:
        texts = [text for each in fields for text in get_text_at_path(value, each)]
        return None, "\n".join(texts)
    leaves = list(_leaves(value))
    if len(leaves) == 1 and len(value) == 1 and isinstance(text := next(iter(value.values())), str):
        return next(iter(value)), text
    return None, "\n".join(f"{name}: {text}" for name, text in leaves)


def _leaves(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Every text and number inside, with the name of its field."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(inner, str(key))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _leaves(inner, name)
    elif value is not None and value != "":
        yield name, str(value)
