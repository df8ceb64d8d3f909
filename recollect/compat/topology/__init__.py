"""RFC-014: memory by place, section, relation and facet, in its own words, over the one store.

with UnifiedMemoryStore("atlas") as store:
    store.add_node(MemoryNode(id="cache", content="The cache has no expiry", outgoing_edges=[
        ConceptEdge("cache", "prices", RelationType.CONTRADICTS)]))
    store.query(text_query="expiry", spatial_query=SpatialQuery(section_contains="Limitations"))

The modules are called as in RFC-014. docs/profiles/topology.md shows them at work, docs/adr/0015 tells how they sit on
the core.
"""

from recollect.compat.topology.facets import (
    ConfidenceLevel,
    ContentFacets,
    DiataxisType,
    FacetedIndex,
    FacetExtractor,
    FacetQuery,
    PersonaType,
    VerificationState,
)
from recollect.compat.topology.memory_node import MemoryNode
from recollect.compat.topology.spatial import (
    PositionType,
    SpatialContext,
    SpatialExtractor,
    SpatialQuery,
    spatial_match,
)
from recollect.compat.topology.structural import (
    Chunk,
    ChunkType,
    DocumentSection,
    DocumentTree,
    SectionType,
    StructuralChunker,
    infer_section_type,
)
from recollect.compat.topology.tools import MEMORY_TOOLS, TOOLS, MemoryToolHandler
from recollect.compat.topology.topology import ConceptEdge, ConceptGraph, RelationType, TopologyExtractor
from recollect.compat.topology.unified_store import UnifiedMemoryStore
from recollect.verbs.toolsets.tool import Tool

__all__ = [
    "PositionType",
    "SpatialContext",
    "SpatialQuery",
    "spatial_match",
    "SpatialExtractor",
    "RelationType",
    "ConceptEdge",
    "ConceptGraph",
    "TopologyExtractor",
    "SectionType",
    "DocumentSection",
    "DocumentTree",
    "infer_section_type",
    "StructuralChunker",
    "Chunk",
    "ChunkType",
    "DiataxisType",
    "PersonaType",
    "VerificationState",
    "ConfidenceLevel",
    "ContentFacets",
    "FacetQuery",
    "FacetedIndex",
    "FacetExtractor",
    "MemoryNode",
    "UnifiedMemoryStore",
    "MemoryToolHandler",
    "Tool",
    "TOOLS",
    "MEMORY_TOOLS",
]
