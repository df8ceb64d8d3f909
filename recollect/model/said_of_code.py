"""What people, agents or a model say about code: notes on places in it, and links between them.

Both are records like any other: they have a confidence, a source and a time, and are searched, undone and exported.
What makes them part of the graph of code is in their attributes: the places, and of a link what it joins.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Self

from recollect.model.narrowing import path_of

ATTRIBUTE = "code"  # under which a record's attributes hold it
LINK = "code_link"  # the category of a record that is an edge
PLACES_MAX = 5  # of one note
RELATIONS = ("depends_logically", "is_entrypoint_for", "handles_errors_from", "applies_pattern", "flows_to")


class NoteKind(StrEnum):
    """What sort of node a note is; the category of its record."""

    PATTERN = "pattern"
    DATA_FLOW = "data_flow"  # its places in the order in which data goes
    INVARIANT = "invariant"
    DECISION = "decision"


CATEGORIES = (*(kind.value for kind in NoteKind), LINK)
# How code stands to a note that it is named by. Along a data flow, each place is joined with the next one.
JOINED_BY = {
    NoteKind.PATTERN: "applies_pattern",
    NoteKind.DATA_FLOW: "depends_logically",
    NoteKind.INVARIANT: "depends_logically",
    NoteKind.DECISION: "depends_logically",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidOfCode:
    """The places that a record names, each as `path`, `path::symbol` or `path:10-20`. A link has two ends.

    An end is one of the places, by its position, or the id of another record.
    """

    places: tuple[str, ...]
    relation: str = ""
    source: int | str = 0
    target: int | str = 1
    weight: float = 1.0

    @classmethod
    def of(cls, attributes: Mapping[str, Any]) -> Self | None:
        """What a record's attributes say; None where they are of another shape."""
        kept = attributes.get(ATTRIBUTE)
        if not isinstance(kept, Mapping):
            return None
        places, relation, weight = kept.get("places"), kept.get("relation", ""), kept.get("weight", 1.0)
        ends = kept.get("source", 0), kept.get("target", 1)
        if not isinstance(places, list) or not all(isinstance(place, str) for place in places):
            return None
        if len(places) > PLACES_MAX or not isinstance(weight, int | float) or not 0 <= weight <= 1:
            return None
        if relation and (relation not in RELATIONS or not all(_is_end(end, len(places)) for end in ends)):
            return None
        return cls(places=tuple(places), relation=relation, source=ends[0], target=ends[1], weight=float(weight))

    def with_places(self, before: Iterable[str]) -> Self:
        """The same with other places in front."""
        return replace(self, places=tuple(dict.fromkeys((*before, *self.places))))

    def to_dict(self) -> dict[str, Any]:
        ends = {"relation": self.relation, "source": self.source, "target": self.target, "weight": self.weight}
        return {"places": list(self.places), **(ends if self.relation else {})}


def _is_end(end: Any, places: int) -> bool:
    return isinstance(end, str) if not isinstance(end, int) or isinstance(end, bool) else 0 <= end < places


def place_of(text: str) -> tuple[str, tuple[int, int] | None, str]:
    """A place in code, as its path, its lines if they are named, and its symbol, "" for none."""
    named, _, symbol = text.partition("::")
    return (*path_of(named), symbol)
