"""What a read asks for, checked: the same value for search, lists and graph walks."""

from __future__ import annotations

from dataclasses import dataclass

from recollect.model.filters import Filter, mentions
from recollect.model.scope import GLOBAL, Reach, Scope

_OF_STATEMENTS = ("id", "kind", "category", "subject", "predicate", "object", "source", "confidence", "attributes")


_CONDITIONS = (
    "kinds",
    "categories",
    "tiers",
    "tags",
    "session_id",
    "filters",
    "as_of",
    "known_at",
    "after",
    "before",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Criteria:
    """Which records count. Times are microseconds; `None` does not restrict.

    Without `as_of` what has stopped being true is left out, and what begins later is not: a plan is worth
    finding. With it, only what is true at that moment counts. Without `known_at` we answer from what we believe
    now, with it from what we believed then.
    """

    scope: Scope = GLOBAL
    reach: Reach = Reach.SCOPE
    kinds: tuple[str, ...] | None = None
    categories: tuple[str, ...] | None = None
    tiers: tuple[str, ...] | None = None  # None: all but the archive
    tags: tuple[str, ...] | None = None  # all of them
    session_id: str | None = None
    session_pks: tuple[int, ...] | None = None  # rows of these sessions only, by their keys
    filters: Filter | None = None
    drawn: bool = True  # whether statements drawn from turns count besides the turns themselves
    ended: bool = False  # whether what has stopped being true counts too
    as_of: int | None = None
    known_at: int | None = None
    after: int | None = None  # event time, inclusive
    before: int | None = None  # event time, exclusive

    @property
    def conditions(self) -> tuple[str, ...]:
        """The names of what restricts it, besides whose records they are."""
        return tuple(name for name in _CONDITIONS if getattr(self, name) is not None)

    @property
    def asks_for_statements(self) -> bool:
        """Whether it names what only statements are: otherwise those answer through the turns they were drawn from."""
        named = any(mentions(self.filters, field) for field in _OF_STATEMENTS)
        return named or self.kinds is not None or self.categories is not None

    @property
    def needs_sql(self) -> bool:
        """Whether only the database can decide: the columns in memory hold neither JSON nor the past."""
        return self.filters is not None or self.tags is not None or self.known_at is not None
