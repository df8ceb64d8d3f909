"""SPEC-02: hypergraph memory, its seven calls and its words, over the one store.

with HypergraphMemory() as graph:
    cause = graph.create_node("fact", "The cache has no expiry", confidence=0.9)
    effect = graph.create_node("experience", "Stale prices were shown")
    graph.create_edge("causation", "causes", [(cause, "cause"), (effect, "effect")])
    graph.get_related_nodes(cause, "causation")

What is stored here is stored in Recollect: a node is a record, a hyperedge an edge, and `graph.memory` searches,
explains and undoes it all. docs/profiles/hypergraph.md shows it at work.
"""

from recollect.compat.hypergraph.memory import HypergraphMemory
from recollect.compat.hypergraph.values import NODE_TYPES, Hyperedge, Node, Transition

__all__ = ["NODE_TYPES", "HypergraphMemory", "Hyperedge", "Node", "Transition"]
