"""What sort of text something is, told by its words (RFC-014 §4.2): the core's `perceive.traits.facets`.

A section says more than words do, so its type decides first. The core knows more domains than RFC-014, and believes a
text that calls itself outdated or disputed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, TypeVar

from recollect.compat.topology.facets import ContentFacets, DiataxisType, PersonaType
from recollect.compat.topology.structural import DocumentSection, SectionType
from recollect.model.place import Place
from recollect.perceive.traits.facets import facets_of

Sort = TypeVar("Sort")
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
    """Facets by words and headings, without a model.

    A subclass may bring wording of its own as regular expressions, looked for in the text in small letters: what most
    of them speak for comes before what the core's wording says, and domains are named beside the core's.
    """

    DIATAXIS_PATTERNS: ClassVar[Mapping[DiataxisType, Sequence[str]]] = {type_: [] for type_ in DiataxisType}
    PERSONA_PATTERNS: ClassVar[Mapping[PersonaType, Sequence[str]]] = {persona: [] for persona in PersonaType}
    DOMAIN_KEYWORDS: ClassVar[Mapping[str, Sequence[str]]] = {}

    def extract_from_text(
        self, text: str, section: DocumentSection | None = None, source_type: str = "docs"
    ) -> ContentFacets:
        """The facets of a text, which stands in a section or in none. `source_type`: code, docs, conversation, …"""
        place = Place(section_path=(section.title,)) if section and section.title else None
        found = ContentFacets.of(facets_of(text, place=place, source_type=source_type))
        lowered = text.lower()
        types, personas = _spoken_for(self.DIATAXIS_PATTERNS, lowered), _spoken_for(self.PERSONA_PATTERNS, lowered)
        decided = _DIATAXIS.get(section.section_type) if section else None
        domains = dict.fromkeys((*_spoken_for(self.DOMAIN_KEYWORDS, lowered), *found.domain_tags))
        return replace(
            found,
            diataxis_type=decided or next(iter(types), found.diataxis_type),
            primary_persona=next(iter(personas), found.primary_persona),
            domain_tags=tuple(domains),
        )


def _spoken_for(patterns: Mapping[Sort, Sequence[str]], lowered: str) -> list[Sort]:
    """What patterns speak for, most first."""
    counts = {sort: sum(re.search(each, lowered) is not None for each in given) for sort, given in patterns.items()}
    return sorted((sort for sort in counts if counts[sort]), key=lambda sort: -counts[sort])
