"""What a memory says of itself, drawn for people: why, how sure, for how long, and what it would like to know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from recollect.interfaces.cli.cells import BAD, DIM, GOOD, ID, WARN, bar, counted, day, ruled, short, short_id, text

_LEVELS = {"confident": GOOD, "uncertain": WARN, "unknown": BAD}
_CHAINS = {
    "derived_from": "rests on",
    "derived_into": "what rests on it",
    "replaced": "stands in for",
    "replaced_by": "replaced by",
    "supported_by": "supported by",
    "contradicted_by": "contradicted by",
}
_BAR = 12


def explanation(data: Mapping[str, Any]) -> RenderableType:
    """A record, why it is believed, and the chains it hangs in."""
    record = data["record"]
    parts: list[RenderableType] = [
        Text.assemble((short_id(record["id"]), ID), f"  {record['kind']}"),
        text(record["content"], "bold"),
        *(text(f"· {each}") for each in data["because"]),
    ]
    if data["entities"]:
        parts.append(Text.assemble(("names ", DIM), text(", ".join(data["entities"]))))
    for name, title in _CHAINS.items():
        parts += _chain(title, data[name])
    return Group(*parts)


def _chain(title: str, records: Sequence[Mapping[str, Any]]) -> list[RenderableType]:
    if not records:
        return []
    table = ruled("when", title)
    for row in records:
        said = Group(text(short(row["content"])), text(short_id(row["id"]), DIM))
        table.add_row(day(row["event_time"] or row["created_at"]), said)
    return [table]


def fading(data: Mapping[str, Any]) -> RenderableType:
    """What is about to be forgotten, the soonest first."""
    if not data["results"]:
        return text("nothing is about to be forgotten", DIM)
    table = ruled("fades", "strength", "memory")
    for row in data["results"]:
        said = Group(text(short(row["memory"])), text(short_id(row["id"]), DIM))
        left = f"{bar(row['strength'] / (row['full'] or 1.0), _BAR)} {row['strength']:.2f}"
        table.add_row(day(row["fades_at"]), left, said)
    return Group(table, text("keep one with: recollect confirm ID", DIM))


def waiting(data: Mapping[str, Any]) -> RenderableType:
    """What waits for a person's word, the most pressing first."""
    if not data["results"]:
        return text("nothing waits for your word", DIM)
    table = ruled("why", "because", "memory")
    for row in data["results"]:
        said = Group(text(short(row["memory"] or "")), text(short_id(row["id"]), DIM))
        table.add_row(row["why"], text(short(row["reason"], 120)), said)
    return Group(table, text("decide with: recollect confirm, correct, flag, delete, or dismiss a question", DIM))


def questions(data: Mapping[str, Any]) -> RenderableType:
    """What to ask, the most important first."""
    if not data["results"]:
        return text("nothing to ask now", DIM)
    table = ruled("kind", "question")
    for row in data["results"]:
        table.add_row(row["kind"], Group(text(row["text"], "bold"), text(short_id(row["id"]), DIM)))
    return table


def assessment(data: Mapping[str, Any]) -> RenderableType:
    """How well a question can be answered."""
    level = Text(data["level"], _LEVELS.get(data["level"], ""))
    head = Text.assemble(level, f"  {bar(data['confidence'], _BAR)} {data['confidence']:.0%}")
    return Group(head, *(text(f"· {each}") for each in data["reasons"]))


def knowledge_map(data: Mapping[str, Any]) -> RenderableType:
    """The areas of what is known, those known best first."""
    if not data["domains"]:
        return text("there is no map yet; recollect maintain draws it", DIM)
    table = ruled("area", "records", "confidence", "fresh", "in doubt", "newest")
    for row in data["domains"]:
        sure = f"{bar(row['confidence'], _BAR)} {row['confidence']:.0%}"
        name = Group(text(row["label"], "bold"), text(short(row["summary"]), DIM))
        table.add_row(
            name, str(row["records"]), sure, f"{row['freshness']:.0%}", f"{row['uncertainty']:.0%}", day(row["newest"])
        )
    beside = f", {counted(data['unmapped'], 'record')} not on the map yet" if data["unmapped"] else ""
    return Group(table, text(f"known on the whole {data['coverage']:.0%}{beside}", DIM))
