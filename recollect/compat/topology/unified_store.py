"""RFC-014's store: nodes by place, section, relation, facets and words, over one Recollect file.

Its `memory` is a whole `Memory`: it searches, explains and undoes what is stored here, and what it stores itself
(`memory.ingest("docs/")`) are nodes too. Everything is durable when the call returns, so `save` has nothing to lose.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from recollect.compat.topology.facets import FacetQuery
from recollect.compat.topology.hybrid import DEPTH, HybridQuestion, NodeVectors, answer, vector_of
from recollect.compat.topology.memory_node import MemoryNode
from recollect.compat.topology.shelf import Shelf
from recollect.compat.topology.spatial import SpatialQuery
from recollect.compat.topology.topology import ConceptGraph, RelationType
from recollect.errors import UsageError
from recollect.exchange.formats.topology import is_folder
from recollect.facade.arguments import count
from recollect.facade.audited import bridged
from recollect.facade.handle import engine_in_use
from recollect.ingest import check
from recollect.limits import CONTENT_BYTES_CEILING, GRAPH_DEPTH_MAX, GRAPH_RECORDS_MAX, PAGE_RECORDS_MAX
from recollect.memory import Memory
from recollect.model.result import Report
from recollect.wiring import open_memory

FILE = "memory.db"
EMBEDDING_DIMS = 1536
_CONFIG = {"ingest.content_bytes_max": CONTENT_BYTES_CEILING}  # a node may be a whole file
_DIMS_MAX = 8_192  # what the attributes of a record can hold
Scored = list[tuple[MemoryNode, float]]


@bridged
class UnifiedMemoryStore:
    """Nodes of every topology in `base_path/memory.db`. Safe for many threads; several processes may share the file.

    A node that is stored again becomes its next version. An edge may name a node that is not stored yet: it holds, and
    the node is reached by it once it is. A node that does not exist is None or an empty list; what makes no sense is a
    `UsageError` and changes nothing.
    """

    def __init__(self, base_path: str | os.PathLike[str], embedding_dims: int = EMBEDDING_DIMS, **options: Any) -> None:
        """Open the store in a folder, creating what is missing. `options` are those of `recollect.open`.

        A folder that RFC-014's own code saved (nodes.json, graph.json) is taken over when it is first opened, and
        `taken_over` tells what came in; the old files stay as they are.
        """
        self.base_path = Path(base_path)
        self.embedding_dims = count(embedding_dims, "embedding_dims", _DIMS_MAX)
        given: Mapping[str, Any] = options.get("config") or {}
        if self.base_path.exists() and not self.base_path.is_dir():
            raise UsageError(f"{self.base_path} is a file; give the folder of the store")
        self.base_path.mkdir(parents=True, exist_ok=True)
        begun = not (self.base_path / FILE).exists()
        self.memory: Memory = open_memory(self.base_path / FILE, **{**options, "config": {**_CONFIG, **given}})
        self.taken_over: Report | None = self._take_over() if begun and is_folder(self.base_path) else None
        engine = engine_in_use(self.memory)  # a caller's own ids, and edges to nodes yet to come, are below the verbs
        self._shelf = Shelf(engine, self.embedding_dims)
        self._vectors = NodeVectors(self.embedding_dims)
        self._embedder: Any = None
        self._closing = weakref.finalize(self, self.memory.close)  # RFC-014 knows no close

    def _take_over(self) -> Report:
        try:
            return self.memory.import_(self.base_path, trusted=True)  # its own folder, opened by whoever owns it
        except BaseException:
            self.memory.close()
            for file in self.base_path.glob(f"{FILE}*"):  # or the next opening would find a store, and it empty
                file.unlink()
            raise

    @classmethod
    def load(
        cls, base_path: str | os.PathLike[str], embedding_dims: int = EMBEDDING_DIMS, **options: Any
    ) -> UnifiedMemoryStore:
        """The store of a folder: the same as opening it."""
        return cls(base_path, embedding_dims, **options)

    def save(self) -> None:
        """Bring everything into the one file. It is durable without that, too."""
        self._shelf.engine.store.checkpoint()

    def close(self) -> None:
        """Let go of the file. Happens by itself when nobody holds the store any more."""
        self._closing()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def set_embedder(self, embedder: Any) -> None:
        """Search by meaning from now on, among nodes that brought a vector.

        `embedder.embed(text)` gives one vector as long as theirs; an embedder of Recollect will do as well.
        """
        if embedder is not None and not callable(getattr(embedder, "embed", None)):
            raise UsageError("an embedder has a method embed(text)")
        self._embedder = embedder

    # --- nodes --------------------------------------------------------------------------------------------------

    def add_node(self, node: MemoryNode) -> None:
        """Store a node with its outgoing edges, as one operation."""
        self.add_nodes([node])

    def add_nodes(self, nodes: Iterable[MemoryNode]) -> None:
        """Store many nodes with their outgoing edges, all or none of them, as one operation."""
        given = list(nodes)
        for node in given:
            if not isinstance(node, MemoryNode):
                raise UsageError(f"a node is a MemoryNode, not {type(node).__name__}")
        if given:
            self._shelf.put(given)

    def get_node(self, node_id: str) -> MemoryNode | None:
        """A node by its id, with the edges it has now, or None."""
        with self._read() as tx:
            pk = self._shelf.find(tx, node_id)
            return None if pk is None else self._shelf.nodes(tx, [pk]).get(pk)

    def get_recent(self, limit: int = 10) -> list[MemoryNode]:
        """The nodes that were created last, newest first."""
        most, in_memory = _most(limit), self._shelf.in_memory()
        with self._read() as tx:
            return list(self._shelf.nodes(tx, self._shelf.newest(tx, most, in_memory=in_memory)).values())

    # --- one side at a time -------------------------------------------------------------------------------------

    def query_spatial(self, query: SpatialQuery | None, limit: int = 10) -> Scored:
        """Nodes of a place, best first; None: of any. What does not say where it stands is not there."""
        return self._answer(HybridQuestion(place=(query or SpatialQuery()).place), limit)

    def query_facets(self, query: FacetQuery, limit: int = 10) -> Scored:
        """Nodes of a sort of text, best first."""
        return self._answer(HybridQuestion(facets=query.facets), limit)

    def query_by_section(self, section_title: str, file_path: str | None = None) -> list[MemoryNode]:
        """Nodes under a heading that has this text in it, in any case, in the order they were stored."""
        found = self._answer(HybridQuestion(place=SpatialQuery(section_contains=section_title).place), PAGE_RECORDS_MAX)
        under = [node for node, _ in reversed(found) if node.spatial and node.spatial.section_path]
        return [node for node in under if file_path is None or (node.spatial and node.spatial.file_path == file_path)]

    def find_contradictions(self, node_id: str) -> list[MemoryNode]:
        """Nodes that contradict a node; who said so does not matter."""
        return self._near(node_id, RelationType.CONTRADICTS)

    def find_elaborations(self, node_id: str) -> list[MemoryNode]:
        """Nodes that say more about a node."""
        return self._near(node_id, RelationType.ELABORATES, direction="in")

    def find_dependencies(self, node_id: str) -> list[MemoryNode]:
        """Everything a node depends on, directly or not, nearest first.

        `graph.dependency_depth` says within how many steps; at its most, which it is by default, to the end.
        """
        steps = self.memory.config.graph.dependency_depth
        depth = steps if steps < GRAPH_DEPTH_MAX else GRAPH_RECORDS_MAX
        return self._near(node_id, RelationType.DEPENDS_ON, direction="out", depth=depth)

    def find_related(self, node_id: str, depth: int = DEPTH) -> list[MemoryNode]:
        """Nodes within so many relations of a node, either way, nearest first."""
        return self._near(node_id, None, depth=count(depth, "depth", GRAPH_DEPTH_MAX))

    def concept_graph(self) -> ConceptGraph:
        """All relations, as a graph in memory."""
        graph = ConceptGraph()
        with self._read() as tx:
            for *_, edge in self._shelf.edges(tx):
                graph.add_edge(edge)
        return graph

    # --- all sides at once --------------------------------------------------------------------------------------

    def query(
        self,
        text_query: str | None = None,
        spatial_query: SpatialQuery | None = None,
        facet_query: FacetQuery | None = None,
        relationship_from: str | None = None,
        relationship_type: RelationType | None = None,
        limit: int = 10,
    ) -> Scored:
        """Nodes that meet all that is asked, best first: a score is the mean of what each side gives.

        A place and facets score how well they fit. Words score `structure.text_match_score` where the content has the
        text in it; with an embedder, the cosine to the nodes' vectors. `relationship_from` keeps a node and what is
        near it, with a `relationship_type` only what it leads to; a type alone says nothing. Without any of them, the
        newest nodes. `structure.combine_strategy` and `structure.score_aggregation` change how sides are put together.
        """
        along = _relation(relationship_type)
        asked = HybridQuestion(
            text=text_query or None,
            place=spatial_query.place if spatial_query else None,
            facets=facet_query.facets if facet_query and facet_query.has_constraints() else None,
            origin=relationship_from,
            relation=along if relationship_from is not None else None,
        )
        return (
            self._answer(asked, limit)
            if asked != HybridQuestion()
            else [(node, 1.0) for node in self.get_recent(limit)]
        )

    # --- below the methods --------------------------------------------------------------------------------------

    def _answer(self, asked: HybridQuestion, limit: int) -> Scored:
        vector = None
        if asked.text is not None and self._embedder is not None:
            vector = vector_of(self._embedder, asked.text, self.embedding_dims)  # before the read: models may be slow
        with self._read() as tx:
            found = answer(tx, asked, self._shelf, self._vectors, vector, limit=_most(limit))
            nodes = self._shelf.nodes(tx, [pk for pk, _ in found])
        return [(nodes[pk], score) for pk, score in found if pk in nodes]

    def _near(self, node_id: str, relation: RelationType | None, **how: Any) -> list[MemoryNode]:
        with self._read() as tx:
            pk = self._shelf.find(tx, node_id)
            near: Sequence[int] = () if pk is None else self._shelf.near(tx, pk, relation, **how)
            return list(self._shelf.nodes(tx, near).values())

    def _read(self) -> Any:
        return self._shelf.engine.store.read()


def _relation(given: RelationType | None) -> RelationType | None:
    return None if given is None else RelationType(check.one_of(RelationType, given, "relationship_type"))


def _most(limit: int) -> int:
    return count(limit, "limit", PAGE_RECORDS_MAX)
