"""Which relations that statements tell carry over: what holds of a part's whole holds of the part, and so on."""

from __future__ import annotations

from functools import lru_cache

_WORDS = {
    "depends_on": ("depends on", "depend on", "relies on", "rely on", "requires", "require"),
    "part_of": ("is part of", "is a part of", "are part of", "belongs to", "belong to"),
    "located_in": ("is in", "is located in", "lies in", "is situated in", "are in"),
    "is_a": ("is a kind of", "is a type of", "is a sort of", "is a form of"),
    "lives_in": ("lives in", "live in", "resides in"),
}
_RELATION = {wording: relation for relation, wordings in _WORDS.items() for wording in wordings}
# The first relation, then the second, and what follows: whoever lives in a town lives in the country it lies in.
_CARRIED = {
    ("depends_on", "depends_on"): "depends_on",
    ("part_of", "part_of"): "part_of",
    ("located_in", "located_in"): "located_in",
    ("is_a", "is_a"): "is_a",
    ("lives_in", "located_in"): "lives_in",
}


@lru_cache(maxsize=4096)
def relation_in(predicate: str) -> str | None:
    """The relation that a predicate tells, None if it is none of those that carry over."""
    return _RELATION.get(" ".join(predicate.casefold().split()))


def carried(first: str, second: str) -> str | None:
    """What follows from two predicates, the second about the object of the first; None if nothing does."""
    one, two = relation_in(first), relation_in(second)
    return None if one is None or two is None else _CARRIED.get((one, two))
