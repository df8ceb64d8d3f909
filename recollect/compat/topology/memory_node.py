"""One unit of memory with all its sides: words, place, section, facets, relations."""

from __future__ import annotations

from dataclasses import dataclass, field

from recollect.clock import from_us, now_us
from recollect.compat.topology.facets import ContentFacets
from recollect.compat.topology.spatial import SpatialContext
from recollect.compat.topology.structural import PREVIEW_CHARS, Chunk, DocumentSection
from recollect.compat.topology.topology import ConceptEdge


def local_now() -> str:
    """The local time as ISO text without a zone, which is how RFC-014 dates nodes."""
    return from_us(now_us()).astimezone().replace(tzinfo=None).isoformat()


@dataclass
class MemoryNode:
    """One node. `outgoing_edges` are stored with it; `incoming_edges` are those that other nodes told."""

    id: str
    content: str
    chunk: Chunk | None = None
    spatial: SpatialContext | None = None
    section: DocumentSection | None = None
    facets: ContentFacets | None = None
    outgoing_edges: list[ConceptEdge] = field(default_factory=list)
    incoming_edges: list[ConceptEdge] = field(default_factory=list)
    created_at: str = field(default_factory=local_now)
    updated_at: str = field(default_factory=local_now)
    embedding: tuple[float, ...] | None = None

    def summary(self) -> str:
        """Where it stands, what it is, and how it begins, on one line."""
        parts = [str(self.spatial)] if self.spatial else []
        if self.section:
            parts.append(f"[{self.section.section_type.value}]")
        if self.facets and self.facets.diataxis_type:
            parts.append(f"({self.facets.diataxis_type.value})")
        cut = len(self.content) > PREVIEW_CHARS
        return " ".join([*parts, f"{self.content[:PREVIEW_CHARS]}..." if cut else self.content])
