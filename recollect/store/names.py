"""Names that a store knows, by their beginning: what a shell offers to complete."""

from __future__ import annotations

from recollect.model.scope import DIMENSIONS
from recollect.store.base import Group

_BEGINS = "substr({0}, 1, ?1) = ?2"
_SOURCES = {
    **{name: f"SELECT DISTINCT {name} FROM scope WHERE {_BEGINS.format(name)} LIMIT ?3" for name in DIMENSIONS},
    "session_id": f"SELECT id FROM session WHERE {_BEGINS.format('id')} "
    "GROUP BY id ORDER BY max(last_turn_at) DESC, id LIMIT ?3",
    "operation": f"SELECT id FROM operation WHERE {_BEGINS.format('id')} ORDER BY pk DESC LIMIT ?3",
    "id": f"SELECT r.id FROM record r WHERE HEAD(r) AND LIVE(r) AND {_BEGINS.format('r.id')} "
    "ORDER BY r.pk DESC LIMIT ?3",
}


class Names(Group):
    """Ids and names of every sort."""

    def beginning(self, sort: str, text: str, *, limit: int) -> list[str]:
        """Names of a sort (a dimension of scopes, session_id, operation, id) that begin so, newest first."""
        return [str(row[0]) for row in self.sql.all(_SOURCES[sort], (len(text), text, limit))]
