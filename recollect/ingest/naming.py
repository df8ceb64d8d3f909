"""Saying that two entities are one, or that one is two. Both can be undone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recollect.clock import Clock
from recollect.errors import NotFound, UsageError, shown
from recollect.ingest import check
from recollect.model.entity import Entity, fold
from recollect.model.query import Criteria
from recollect.model.result import Receipt
from recollect.store.base import Store, Tx


class Naming:
    """What people say about who is who, over one store."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def merge(self, keep: Any, other: Any, *, visible: Criteria | None, actor: str | None = None) -> Receipt:
        """Two entities are one from now on: the first, with the names and records of both."""
        names = [check.name(keep, "keep"), check.name(other, "other")]

        def work(tx: Tx) -> Receipt:
            (keep_pk, kept), (other_pk, gone) = (self._find(tx, name, visible) for name in names)
            if keep_pk == other_pk:
                raise UsageError(f"{names[0]!r:.60} and {names[1]!r:.60} are one entity already")
            if kept.scope != gone.scope:
                raise UsageError(
                    "the two entities belong to different scopes; only entities of one scope can be merged"
                )
            op = tx.journal.begin("merge_entities", at=self._clock(), scope_pk=tx.scopes.find(kept.scope), actor=actor)
            moved = tx.entities.merge(op, keep_pk, other_pk)
            op.finish(moved)
            return Receipt(operation=op.id, ids=(kept.id,), merged=(gone.id,), count=moved, event="UPDATE")

        return self._store.write(work)

    def split(self, name: Any, aliases: Any, *, visible: Criteria | None, actor: str | None = None) -> Receipt:
        """What goes by these names is another entity from now on, called by the first of them."""
        whole = check.name(name, "name")
        wanted = _names(aliases)

        def work(tx: Tx) -> Receipt:
            pk, entity = self._find(tx, whole, visible)
            known = {fold(each) for each in (entity.name, *entity.aliases)}
            unknown = next((each for each in wanted if fold(each) not in known), None)
            if unknown is not None:
                raise NotFound(f"{entity.name!r:.60} is not called {shown(unknown, 60)}; `entity` lists its names")
            if known <= {fold(each) for each in wanted}:
                raise UsageError("these are all names of the entity; name only those that belong to the other one")
            op = tx.journal.begin("split_entity", at=self._clock(), scope_pk=tx.scopes.find(entity.scope), actor=actor)
            new_pk, moved = tx.entities.split(op, pk, wanted)
            op.finish(moved)
            new_id = tx.entities.id_of(new_pk)
            return Receipt(operation=op.id, ids=(new_id,), count=moved, event="ADD")

        return self._store.write(work)

    def _find(self, tx: Tx, name: str, visible: Criteria | None) -> tuple[int, Entity]:
        """The one entity of that id or name; asks for the id where several have the name."""
        sight = None if visible is None else tx.scopes.visible(visible.scope, visible.reach)
        found = tx.entities.named(name, sight)
        if not found:
            raise NotFound(f"no entity is called {shown(name, 60)}, or it is not visible from here; see `entities`")
        if len(found) > 1:
            ids = ", ".join(f"{entity.id} ({entity.type.value})" for _, entity in found[:3])
            raise UsageError(f"several entities are called {shown(name, 60)}; give the id of one: {ids}")
        return found[0]


def _names(value: Any) -> list[str]:
    items: Sequence[Any] = [value] if isinstance(value, str) else value
    if not isinstance(items, list | tuple) or not items:
        raise UsageError(f"aliases must be a list of names, not {shown(value, 60)}")
    return list(dict.fromkeys(check.name(item, "each of aliases") for item in items))
