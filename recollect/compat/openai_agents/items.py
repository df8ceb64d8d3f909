"""Between the items of a conversation, as the SDK has them, and records.

An item is kept to the letter, as JSON in the attributes, besides its words, which are a turn like any other. What is
too long for one record is spread over several, in order. What has no words, such as encrypted reasoning, is no turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from recollect.compat.bridging import pieces
from recollect.errors import ContentTooLarge, UsageError, shown
from recollect.ids import new_id
from recollect.limits import METADATA_BYTES_MAX
from recollect.memory import Memory
from recollect.model.messages import Message, read_message
from recollect.model.record import Record
from recollect.model.result import Receipt
from recollect.model.screening import WITHHELD, is_quarantined

MARK = "openai_agents"
SOURCE = "openai_agents"
PARTS_MAX = 1_000  # records for one item: 12 MB of JSON
_JSON_CHARS = METADATA_BYTES_MAX // 5  # of it in one record: four bytes a character at most, and room for the rest


class Kept(NamedTuple):
    """An item in its records. `at` says when it came, in which batch, and as which of it."""

    at: tuple[int, str, int]
    of: str
    item: dict[str, Any]


def messages_of(memory: Memory, given: Sequence[Any], *, now: int) -> list[dict[str, Any]]:
    """Items as `add` takes them, one or more messages each."""
    batch = new_id()
    marks = ({"of": f"{batch}-{order}", "at": now, "batch": batch, "order": order} for order in range(len(given)))
    return [part for item, mark in zip(given, marks, strict=True) for part in _parts(memory, item, mark)]


def _parts(memory: Memory, item: Any, mark: Mapping[str, Any]) -> list[dict[str, Any]]:
    said = _said(item)
    try:
        written = orjson.dumps(item).decode()
    except TypeError as error:
        raise UsageError(f"item {mark['order']} is no plain JSON: {error}") from None
    words = pieces(memory, said.told or said.said) if said is not None else []
    cut = [written[at : at + _JSON_CHARS] for at in range(0, len(written), _JSON_CHARS)]
    count = max(len(words), len(cut))
    if count > PARTS_MAX:
        raise ContentTooLarge(f"item {mark['order']} takes {count} records, at most {PARTS_MAX} are kept; shorten it")
    return [
        {
            **_turn(said, words[part] if part < len(words) else None, item),
            "attributes": {MARK: {**mark, "parts": count, "part": part, "item": cut[part] if part < len(cut) else ""}},
        }
        for part in range(count)
    ]


def _turn(said: Message | None, words: str | None, item: Mapping[str, Any]) -> dict[str, Any]:
    """The words of a part as somebody's turn; where there are none, a note that nobody said."""
    if said is None or words is None:
        return _note(str(item.get("type") or "item"))
    return {"role": "tool" if said.is_result else said.role, "content": words, "source": SOURCE}


def _note(word: str) -> dict[str, Any]:
    return {"content": f"[{word}]", "kind": "snippet", "source": SOURCE, "importance": 0.0}


def _said(item: Any) -> Message | None:
    """What an item says; None if it says nothing, or in a form that nobody here reads."""
    if not isinstance(item, Mapping):
        raise UsageError(f"an item of a session is an object, not {shown(item)}")
    try:
        read = read_message(item)
    except UsageError:
        return None
    return next((each for each in read if (each.told or each.said).strip()), None)


def without_echoes(messages: Sequence[dict[str, Any]], receipt: Receipt) -> list[dict[str, Any]]:
    """The same messages without the words that came out of the memory, of which a receipt tells.

    The item keeps them, to the letter; what is searched does not say the same twice.
    """
    gone = {each.index for each in receipt.skipped}
    held = {_part_of(record.attributes): record.content for record in receipt.records if MARK in record.attributes}
    out = []
    for index, message in enumerate(messages):
        mark = message["attributes"][MARK]
        left = "" if index in gone else held.get(_part_of(message["attributes"]), message["content"])
        if left == message["content"]:
            out.append(message)
        else:
            turn = {**message, "content": left} if left else _note("recalled memory")
            out.append({**turn, "attributes": {MARK: {**mark, "echo": True}}})
    return out


def _part_of(attributes: Mapping[str, Any]) -> tuple[str, int]:
    return attributes[MARK]["of"], attributes[MARK]["part"]


def kept_items(records: Iterable[Record]) -> list[Kept]:
    """The items that records hold, in order. One of which a part is missing is none any more."""
    parts: dict[str, dict[int, Record]] = {}
    for record in records:
        mark = record.attributes[MARK]
        parts.setdefault(mark["of"], {}).setdefault(mark["part"], record)
    whole = [_kept([held[part] for part in sorted(held)]) for held in parts.values() if _is_whole(held)]
    return sorted(whole, key=lambda each: each.at)


def _is_whole(held: Mapping[int, Record]) -> bool:
    parts: int = next(iter(held.values())).attributes[MARK]["parts"]
    return len(held) == parts


def _kept(held: Sequence[Record]) -> Kept:
    mark = held[0].attributes[MARK]
    item: dict[str, Any] = orjson.loads("".join(record.attributes[MARK]["item"] for record in held))
    item = _reworded(item, held)
    return Kept((mark["at"], mark["batch"], mark["order"]), mark["of"], item)


def _reworded(item: dict[str, Any], held: Sequence[Record]) -> dict[str, Any]:
    """An item as its records have it now, if somebody changed their words."""
    said = _said(item)
    turns = [WITHHELD if is_quarantined(record.attributes) else record.content for record in held if record.role]
    now = "".join(turns)
    echoes = any("echo" in record.attributes[MARK] for record in held)  # then its words never were all there
    if said is None or not turns or echoes or _same(now, said.told or said.said):
        return item
    if said.is_result:
        return {**item, "output": now}
    return item if said.calls else {"role": said.role, "content": now}


def _same(one: str, other: str) -> bool:
    return "".join(one.split()) == "".join(other.split())
