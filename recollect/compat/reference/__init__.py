"""The nine tools of MCP's reference memory server, over the one store.

graph = KnowledgeGraph(recollect.open())
graph.create_entities([{"name": "Ana", "entityType": "person", "observations": ["likes tea"]}])
graph.search_nodes("tea")

A `memory.jsonl` of that server is taken in by `recollect import memory.jsonl`, and shows up here. More in docs/mcp.md.
"""

from recollect.compat.reference.graph import KnowledgeGraph
from recollect.compat.reference.tools import TOOLSET

__all__ = ["TOOLSET", "KnowledgeGraph"]
