"""What sort of text something is, told by its words (RFC-014 §4.2): the core's `perceive.facets`.

A section says more than words do, so its type decides first. The core knows more domains than RFC-014, and believes a
text that calls itself outdated or disputed.
"""

from __future__ import annotations

from dataclasses import replace

from recollect.compat.topology.facets import ContentFacets, DiataxisType
from recollect.compat.topology.structural import DocumentSection, SectionType
from recollect.model.place import Place
from recollect.perceive.facets import facets_of

_DIATAXIS = {
    SectionType.TUTORIAL: DiataxisType.TUTORIAL,
    SectionType.QUICKSTART: DiataxisType.TUTORIAL,
    SectionType.HOWTO: DiataxisType.HOWTO,
    SectionType.TROUBLESHOOTING: DiataxisType.HOWTO,
    SectionType.REFERENCE: DiataxisType.REFERENCE,
    SectionType.API: DiataxisType.REFERENCE,
    SectionType.EXPLANATION: DiataxisType.EXPLANATION,
    SectionType.OVERVIEW: DiataxisType.EXPLANATION,
}


class FacetExtractor:
    """Facets by words and headings, without a model."""

    def extract_from_text(
        self, text: str, section: DocumentSection | None = None, source_type: str = "docs"
    ) -> ContentFacets:
        """The facets of a text, which stands in a section or in none. `source_type`: code, docs, conversation, …"""
        place = Place(section_path=(section.title,)) if section and section.title else None
        found = ContentFacets.of(facets_of(text, place=place, source_type=source_type))
        decided = _DIATAXIS.get(section.section_type) if section else None
        return found if decided is None else replace(found, diataxis_type=decided)
