"""Who may see a record: global ⊃ project ⊃ squad ⊃ agent ⊃ channel + user.

A record carries a partial assignment of the five dimensions. A search carries one too. The record is visible
when everything *it* sets has the same value in the search: a record with nothing set is seen by all, one with
`user_id="ana"` only where the search says `user_id="ana"`. A search with k dimensions therefore sees at most
2**k scopes, so every index filters by a handful of small integers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import cached_property
from itertools import combinations
from typing import Any

from recollect.errors import UsageError, shown
from recollect.limits import NAME_CHARS_MAX

_HALF = re.compile(r"[\ud800-\udfff]")  # half a character: no database can hold it


class Reach(StrEnum):
    """How far a read looks beyond what its scope sees."""

    SCOPE = "scope"
    PROJECT = "project"  # everything inside the search's project, save what is private to a channel or user
    SQUAD = (
        "squad"  # everything inside the search's squad, of the same project where it has one; private things as above
    )
    INSIDE = "inside"  # what lies within the scope: every dimension it sets, the record sets alike (bulk deletes)
    OWN = "own"  # exactly the scope itself: what a handle may sweep up, as it sees no narrower one
    ALL = "all"  # the owner of the store; never granted to a tool call


ASKED_FOR = (Reach.SCOPE, Reach.SQUAD, Reach.PROJECT, Reach.ALL)  # what a call may name, the nearest first


@dataclass(frozen=True, kw_only=True)
class Scope:
    """A partial assignment of the five dimensions. The empty scope is global."""

    project: str | None = None
    squad: str | None = None
    agent_id: str | None = None
    channel: str | None = None
    user_id: str | None = None

    def __post_init__(self) -> None:
        for name, value in self.items():
            if not isinstance(value, str) or not value.strip():
                raise UsageError(f"{name} must be a non-empty text, not {shown(value)}; leave it out for a wider scope")
            if len(value) > NAME_CHARS_MAX or "\x00" in value or _HALF.search(value):
                raise UsageError(f"{name} must be at most {NAME_CHARS_MAX} characters of Unicode, without NUL")

    def items(self) -> list[tuple[str, str]]:
        """The dimensions that are set, widest first."""
        return [(name, value) for name in DIMENSIONS if (value := getattr(self, name)) is not None]

    @cached_property
    def key(self) -> str:
        """One text per scope, injective: lengths make values unable to imitate each other."""
        return _key_of(self.items())

    def visible_keys(self) -> list[str]:
        """Keys of every scope whose records a search from here may see, this one included."""
        mine = self.items()
        return [_key_of(part) for size in range(len(mine) + 1) for part in combinations(mine, size)]

    def sees(self, other: Scope) -> bool:
        """Whether a search from here may see a record of `other`. The definition the indexes are tested against."""
        return all(getattr(self, name) == value for name, value in other.items())

    def narrowed(self, **values: Any) -> Scope:
        """This scope with more dimensions set, which sees more. Who may do that is for a `Grant` to say.

        Changing a dimension that is set is refused.
        """
        merged = dict(self.items())
        for name, value in values.items():
            if value is None:
                continue
            if name in merged and merged[name] != value:
                raise UsageError(f"this scope has {name}={merged[name]!r} already; it cannot have {shown(value)} too")
            merged[name] = value
        return replace(self, **merged)


DIMENSIONS: tuple[str, ...] = tuple(f.name for f in fields(Scope))
GLOBAL = Scope()


@dataclass(frozen=True, kw_only=True)
class OwnScope(Scope):
    """A scope from which nothing wider than `floor` is seen: every record it sees sets at least what the floor sets.

    Whoever turns a scope into what is visible asks the scope, so a caller who is given one of these sees no global
    record by any verb, and no verb has to know why.
    """

    floor: Scope = GLOBAL

    def visible_keys(self) -> list[str]:
        needed, mine = set(self.floor.items()), self.items()
        parts = (part for size in range(len(mine) + 1) for part in combinations(mine, size))
        return [_key_of(part) for part in parts if needed <= set(part)]

    def sees(self, other: Scope) -> bool:
        return super().sees(other) and set(self.floor.items()) <= set(other.items())


def _key_of(dimensions: Iterable[tuple[str, str]]) -> str:
    return "".join(f"{name}={len(value)}:{value};" for name, value in dimensions)
