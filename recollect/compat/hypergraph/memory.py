"""The seven calls of SPEC-02."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Self

from recollect.compat.hypergraph import values
from recollect.compat.hypergraph.values import Hyperedge, Node, Transition
from recollect.errors import CycleRefused, NotFound, UsageError
from recollect.exchange.converted import is_foreign
from recollect.exchange.formats.hypergraph import UNLABELLED
from recollect.facade.audited import bridged
from recollect.facade.handle import engine_in_use, id_of
from recollect.ids import parse_id
from recollect.ingest import check
from recollect.limits import CONTENT_BYTES_CEILING, PAGE_RECORDS_MAX
from recollect.model.edge import CIRCULAR, Family
from recollect.store.base import Tx
from recollect.wiring import open_memory

DEFAULT_PATH = "~/.claude/rlm-memory.db"
PATH_VARIABLE = "RLM_MEMORY_DB"
ARCHIVE = "archive"
_CONFIG = {"ingest.content_bytes_max": CONTENT_BYTES_CEILING}  # a node may be a whole file


@bridged
class HypergraphMemory:
    """Nodes and hyperedges that outlive the session. Safe for many threads; several processes may share the file.

    The hypergraph has no scopes: nodes are written as global records and listed among them, while an id reaches any
    record of the store, as for its owner. What makes no sense is a `UsageError` (a `ValueError`) and changes nothing;
    an id that names nothing is answered with None, False or an empty list.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None, **options: Any) -> None:
        """Open the store at `path`, else `$RLM_MEMORY_DB`, else `~/.claude/rlm-memory.db`, creating what is missing.

        `options` are those of `recollect.open`: embedder, key, config, clock.
        """
        self.path = os.fspath(path) if path is not None else os.environ.get(PATH_VARIABLE) or DEFAULT_PATH
        if is_foreign(self.path):
            raise UsageError(
                f"{self.path} has the tables of SPEC-02's own schema; take it over once, into a store of ours: "
                f"recollect --db NEW.db import {self.path}, then open NEW.db"
            )
        self.memory = open_memory(self.path, **{**options, "config": {**_CONFIG, **(options.get("config") or {})}})
        self._engine = engine_in_use(self.memory)  # bookkeeping and tier moves are below the facade's verbs

    def close(self) -> None:
        self.memory.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- nodes --------------------------------------------------------------------------------------------------

    def create_node(self, type: str, content: str, **kwargs: Any) -> str:
        """Store a node; its id.

        `kwargs` may hold subtype, tier ("task"), confidence (0.5), provenance, metadata, and embedding: bytes, or
        numbers kept as little-endian 32-bit floats. The content is kept verbatim and never becomes part of a statement.
        """
        kind, category = values.kind_and_category(type)
        wanted = values.checked(kwargs)
        receipt = self.memory.add(
            check.content(content, bytes_max=None),  # a text: a list or an object would be messages to `add`
            kind=kind,
            category=category,
            tier=kwargs.get("tier", "task"),
            confidence=kwargs.get("confidence", 0.5),
            metadata=kwargs.get("metadata"),
            attributes={name: value for name, value in wanted.attributes.items() if value is not None},
            infer=False,
        )
        return receipt.id

    def get_node(self, node_id: str) -> Node | None:
        """A node by its id, archived ones included, or None. Counts as an access, which the answer already shows."""
        pk = self._find(node_id)
        if pk is None:
            return None
        self._engine.access.note([pk])
        self._engine.access.flush()
        with self._engine.store.read() as tx:
            found = tx.records.load([pk])
        return values.node_of(found[pk]) if pk in found else None

    def update_node(self, node_id: str, *, reasoning: str | None = None, **kwargs: Any) -> bool:
        """Change fields of a node; False if there is none. The version before stays in `memory.history`.

        Takes what `create_node` takes, type and content included. `reasoning` is noted in the evolution log if the
        node moves to another tier. A new content is an operation of its own, before the one with the rest.
        """
        if not kwargs:
            raise UsageError("nothing to update: give content= or another field of the node")
        change = values.checked({name: value for name, value in kwargs.items() if name != "content"})
        why = self._why(reasoning) or "update_node"
        try:
            if "content" in kwargs:
                self.memory.update(node_id, content=kwargs["content"])
            self._revise(node_id, change, verb="update", reasoning=why)
        except NotFound:
            return False
        return True

    def _why(self, reasoning: str | None) -> str | None:
        return check.reason(reasoning, self._engine.config.current.security)

    def delete_node(self, node_id: str, *, reasoning: str | None = None) -> bool:
        """Move a node to the archive, where only its id and `tier="archive"` find it; False if it is there already."""
        change = values.checked({"tier": ARCHIVE})
        try:
            return self._revise(node_id, change, verb="archive", reasoning=self._why(reasoning) or "delete_node")
        except NotFound:
            return False

    def query_nodes(
        self,
        type: str | None = None,
        tier: str | None = None,
        min_confidence: float | None = None,
        limit: int = 100,
    ) -> list[Node]:
        """Nodes that meet every condition given, newest first. The archive is looked into only when it is named.

        A listing is not an access: it leaves access_count alone.
        """
        wanted = _least("limit", limit, 0)
        kinds, conditions = values.selection(type)
        if min_confidence is not None:
            conditions.append({"confidence": {"gte": check.share(min_confidence, "min_confidence")}})
        found: list[Node] = []
        cursor: str | None = None
        while len(found) < wanted:
            page = self.memory.get_all(
                kinds=kinds,
                tiers=None if tier is None else [tier],
                cursor=cursor,
                filters={"AND": conditions} if conditions else None,
                limit=min(wanted - len(found), PAGE_RECORDS_MAX),
            )
            found += [values.node_of(record) for record in page]
            cursor = page.cursor
            if cursor is None:
                break
        return found

    # --- hyperedges ---------------------------------------------------------------------------------------------

    def create_edge(
        self, type: str, label: str | None, members: Sequence[Sequence[Any] | Mapping[str, Any]], *, weight: float = 1.0
    ) -> str:
        """Join nodes; the edge's id.

        `members` are `(node_id, role)`, `(node_id, role, position)` or mappings with these names. All nodes must exist;
        one may be there in several roles, and be the only one. Circles are allowed whatever the label; one that closes
        a circle of a label that the core keeps free of them (causes, part_of, …) is told apart there.
        """
        family = check.one_of(Family, type, "edge type")
        joined = [(id_of(self.memory, id_), role, at) for id_, role, at in values.members_of(members)]
        name = UNLABELLED if label is None else label

        def relate(told: str) -> str:
            return self._engine.relating.relate(joined, told, visible=None, family=family, weight=weight, least=1)

        try:
            return relate(name)
        except CycleRefused:
            return relate(CIRCULAR + name)

    def get_edge(self, edge_id: str) -> Hyperedge | None:
        """A hyperedge by its id, archived members included, or None."""
        with self._engine.store.read() as tx:
            try:
                pk = tx.edges.find_pk(parse_id(edge_id, "edge"))
            except NotFound:
                return None
            found = tx.edges.load([pk], tx.edges.live_members(pk), least=1)
        return values.hyperedge_of(found[0]) if found else None

    def get_related_nodes(self, node_id: str, edge_type: str | None = None) -> list[Node]:
        """Nodes that share a hyperedge, of this type if one is given, with a node; strongest edges first.

        Archived nodes are left out, and so is the node itself.
        """
        family = None if edge_type is None else check.one_of(Family, edge_type, "edge type")
        try:
            near = self.memory.related(node_id)
        except NotFound:
            return []
        joined = {member.record_id for edge in near.edges if family in (None, edge.family) for member in edge.members}
        return [values.node_of(record) for record in near.records if record.id in joined]

    # --- the log ------------------------------------------------------------------------------------------------

    def evolution_log(self, node_id: str | None = None, limit: int = 100) -> list[Transition]:
        """Moves between tiers, of one node or of all, newest first."""
        most = _least("limit", limit, 0)
        with self._engine.store.read() as tx:
            moves = tx.journal.moves(node_id, limit=most)
        return [
            Transition(
                id=move.id,
                timestamp=move.at // 1000,
                operation=move.verb,
                node_ids=move.record_ids,
                from_tier=move.from_tier,
                to_tier=move.to_tier,
                reasoning=move.reason,
            )
            for move in moves
        ]

    # --- below the verbs ----------------------------------------------------------------------------------------

    def _find(self, node_id: str) -> int | None:
        with self._engine.store.read() as tx:
            try:
                return tx.records.find_pk(id_of(self.memory, node_id), now=self._engine.clock())
            except NotFound:
                return None

    def _revise(self, node_id: str, change: values.FieldChange, *, verb: str, reasoning: str) -> bool:
        """Apply a change to the node as it is inside the transaction; whether anything differed."""
        wanted = id_of(self.memory, node_id)

        def work(tx: Tx) -> bool:
            at = self._engine.clock()
            pk = tx.records.find_pk(wanted, now=at)
            old = tx.records.columns_of(pk)
            assert old is not None
            new = change.over(old)
            if not new:
                return False
            op = tx.journal.begin(verb, at=at, scope_pk=old["scope_pk"], reason=reasoning)
            tx.records.revise(op, pk, new, reason=reasoning)
            op.finish(1)
            return True

        return self._engine.store.write(work)


def _least(name: str, value: Any, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise UsageError(f"{name} must be a whole number of at least {least}, not {value!r:.20}")
    return value
