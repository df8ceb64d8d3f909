"""Verbs about who and what records name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Unpack

from recollect.facade import arguments
from recollect.facade.arguments import ReadArgs, ScopeArgs
from recollect.facade.handle import Handle
from recollect.ingest import check
from recollect.limits import PAGE_RECORDS_MAX
from recollect.model.entity import Entity, EntityProfile, EntityType
from recollect.model.result import Receipt

if TYPE_CHECKING:
    from recollect.ingest.naming import Naming


class EntityVerbs(Handle):
    """Who is known, what is known about them, and who is who."""

    def entity(self, name: str, **scope: Unpack[ReadArgs]) -> EntityProfile | None:
        """What is known about a person, place, project or thing, under any of its names.

        Args:
            name: One of its names, or its id. Of several with that name the most mentioned.
        """

        wanted, criteria = check.name(name, "name"), self._criteria(scope)
        now = self._engine.clock()
        with self._engine.store.read() as tx:
            sight = tx.scopes.visible(criteria.scope, criteria.reach)
            profiled = (tx.profiles.profile(pk, criteria, now=now) for pk, _ in tx.entities.named(wanted, sight))
            return next((found for found in profiled if found is not None), None)

    def entities(self, *, type: str | None = None, limit: int = 50, **scope: Unpack[ReadArgs]) -> list[Entity]:
        """Who and what is known, the most mentioned first.

        Args:
            type: Only person, project, organization, place, concept, tool, technology, file or service.
            limit: How many at most.
        """

        wanted = None if type is None else EntityType(check.one_of(EntityType, type, "type"))
        most = arguments.count(limit, "limit", PAGE_RECORDS_MAX)
        criteria = self._criteria(scope)
        with self._engine.store.read() as tx:
            return tx.profiles.listed(criteria, now=self._engine.clock(), type_=wanted, limit=most)

    def merge_entities(self, keep: str, other: str, **scope: Unpack[ScopeArgs]) -> Receipt:
        """Say that two entities are one: the first stays, with the names and records of both.

        Args:
            keep: The one that stays, by name or id.
            other: The one that becomes part of it, by name or id.
        """
        return self._naming().merge(keep, other, visible=self._sight(scope), actor=self._writer())

    def split_entity(self, name: str, aliases: Sequence[str], **scope: Unpack[ScopeArgs]) -> Receipt:
        """Say that some names of an entity belong to another one: it is made, and gets the records that use them.

        Args:
            name: The entity, by name or id.
            aliases: The names that are somebody else's; the first is what the new entity is called.
        """
        return self._naming().split(name, aliases, visible=self._sight(scope), actor=self._writer())

    def _naming(self) -> Naming:
        from recollect.ingest.naming import Naming

        return Naming(self._engine.store, self._engine.clock)
