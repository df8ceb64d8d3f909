"""What sort of text something is: facets, a question about them, an index of them in memory, and telling them by words.

The labels are the core's own (`model.facets`). `ContentFacets.matches` gives parts of a question that hold their share
even if another part fails, as RFC-014 has it; the core, and `FacetedIndex.query`, want all of them.

Words are read by the core's `perceive.traits.facets`. A section says more than words do, so its type decides first. The
core knows more domains than RFC-014, and believes a text that calls itself outdated or disputed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import InitVar, dataclass, field, replace
from functools import reduce
from typing import Any, ClassVar, TypeVar

from recollect.compat.topology.structural import DocumentSection, SectionType
from recollect.config.writing import StructureSettings
from recollect.errors import UsageError
from recollect.model import facets as core
from recollect.model.facets import ConfidenceLevel, DiataxisType, PersonaType, VerificationState
from recollect.model.place import Place
from recollect.perceive.traits.facets import facets_of

_DEFAULTS = StructureSettings()

__all__ = [
    "ConfidenceLevel",
    "ContentFacets",
    "DiataxisType",
    "FacetQuery",
    "FacetedIndex",
    "PersonaType",
    "VerificationState",
]

_LEAST_SURE_FIRST = tuple(reversed(ConfidenceLevel))
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


@dataclass(frozen=True, slots=True)
class ContentFacets:
    """Independent labels of one text."""

    diataxis_type: DiataxisType | None = None
    primary_persona: PersonaType | None = None
    secondary_personas: tuple[PersonaType, ...] = ()
    verification_state: VerificationState = VerificationState.UNVERIFIED
    confidence: ConfidenceLevel = ConfidenceLevel.MODERATE
    domain_tags: tuple[str, ...] = ()
    is_time_sensitive: bool = False
    last_verified: str | None = None
    source_type: str | None = None
    source_authority: float = 1.0

    @classmethod
    def of(cls, facets: core.Facets) -> ContentFacets:
        """The facets of a record."""
        return cls(**{name: getattr(facets, name) for name in cls.__slots__})

    @property
    def facets(self) -> core.Facets:
        """The same for the core; a label that does not exist is a `UsageError`."""
        given = {name: getattr(self, name) for name in self.__slots__}
        with _known_labels():
            return core.Facets.from_dict({name: value for name, value in given.items() if value is not None})

    def matches(self, query: FacetQuery) -> float:
        """How well the facets meet a question: the mean of what each part of it scores, 1 if it asks for nothing."""
        scores = list(self._scores(query))
        return sum(scores) / len(scores) if scores else 1.0

    def _scores(self, query: FacetQuery) -> Iterator[float]:
        if query.diataxis_type is not None:
            yield float(self.diataxis_type == query.diataxis_type)
        if query.persona is not None:
            second = _DEFAULTS.secondary_persona_factor if query.persona in self.secondary_personas else 0.0
            yield 1.0 if self.primary_persona == query.persona else second
        if query.verification_states:
            yield float(self.verification_state in query.verification_states)
        if query.min_confidence is not None:
            yield float(self.confidence in _levels_from(query.min_confidence))
        if query.domain_tags:
            yield len(set(self.domain_tags) & set(query.domain_tags)) / len(query.domain_tags)
        if query.source_types:
            yield float(self.source_type in query.source_types)


@dataclass
class FacetQuery:
    """What sort of text is asked for. Several states or sources mean one of them; several domains mean all of them.

    `verification_state` is another way to name one state.
    """

    diataxis_type: DiataxisType | None = None
    persona: PersonaType | None = None
    verification_states: tuple[VerificationState, ...] = ()
    min_confidence: ConfidenceLevel | None = None
    domain_tags: tuple[str, ...] = ()
    source_types: tuple[str, ...] = ()
    verification_state: InitVar[VerificationState | None] = None

    def __post_init__(self, verification_state: VerificationState | None) -> None:
        if verification_state is not None:
            self.verification_states = (*self.verification_states, verification_state)

    def has_constraints(self) -> bool:
        return any(vars(self).values())

    @property
    def facets(self) -> core.FacetQuery:
        """The same question to the core; a label that does not exist is a `UsageError`."""
        with _known_labels():
            return core.FacetQuery(
                diataxis_type=DiataxisType(self.diataxis_type) if self.diataxis_type else None,
                persona=PersonaType(self.persona) if self.persona else None,
                verification_states=tuple(VerificationState(state) for state in self.verification_states),
                min_confidence=ConfidenceLevel(self.min_confidence) if self.min_confidence else None,
                domain_tags=tuple(self.domain_tags),
                source_types=tuple(self.source_types),
            )


@dataclass
class FacetedIndex:
    """Facets by node, and nodes by facet, in memory. The store has its own index; this one is for other uses."""

    _facets: dict[str, ContentFacets] = field(default_factory=dict)
    _holders: dict[str, dict[Any, set[str]]] = field(default_factory=dict)  # dimension -> value -> nodes

    def add(self, node_id: str, facets: ContentFacets) -> None:
        """Take a node in; one that is there already is replaced."""
        if node_id in self._facets:
            for dimension, value in _labels(self._facets[node_id]):
                self._holders[dimension][value].discard(node_id)
        self._facets[node_id] = facets
        for dimension, value in _labels(facets):
            self._holders.setdefault(dimension, {}).setdefault(value, set()).add(node_id)

    def query(self, query: FacetQuery) -> list[tuple[str, float]]:
        """(node, score) of the nodes that meet every part of a question, best first."""
        wanted = list(self._wanted(query))
        found = reduce(set.intersection, sorted(wanted, key=len)) if wanted else set(self._facets)
        if query.persona is None:  # whoever is in the sets meets all of it, and wholly: only readers may come second
            return [(node_id, 1.0) for node_id in sorted(found)]
        scored = [(node_id, self._facets[node_id].matches(query)) for node_id in found]
        return sorted((pair for pair in scored if pair[1] > 0), key=lambda pair: (-pair[1], pair[0]))

    def get_facets(self, node_id: str) -> ContentFacets | None:
        return self._facets.get(node_id)

    def stats(self) -> dict[str, Any]:
        """How many nodes there are, and how many have each label."""
        return {"total_nodes": len(self._facets), **{name: self._counts(name) for name in _DIMENSIONS}}

    def _counts(self, dimension: str) -> dict[str, int]:
        held = self._holders.get(dimension, {})
        return {str(getattr(value, "value", value)): len(nodes) for value, nodes in held.items() if nodes}

    def _wanted(self, query: FacetQuery) -> Iterator[set[str]]:
        """For each part of a question the nodes that meet it."""
        if query.diataxis_type is not None:
            yield self._with("by_diataxis", [query.diataxis_type])
        if query.persona is not None:
            yield self._with("by_persona", [query.persona])
        if query.verification_states:
            yield self._with("by_verification", query.verification_states)
        if query.min_confidence is not None:
            yield self._with("by_confidence", _levels_from(query.min_confidence))
        if query.source_types:
            yield self._with("by_source", query.source_types)
        for tag in query.domain_tags:
            yield self._with("domain_tags", [tag])

    def _with(self, dimension: str, values: Iterable[Any]) -> set[str]:
        held = self._holders.get(dimension, {})
        return set().union(*(held.get(value, ()) for value in values))


_DIMENSIONS = ("by_diataxis", "by_persona", "by_verification", "by_confidence", "domain_tags", "by_source")


@contextmanager
def _known_labels() -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise UsageError(f"facets: {error}") from None


def _labels(facets: ContentFacets) -> Iterator[tuple[str, Any]]:
    """(dimension, value) of everything facets say."""
    yield "by_verification", facets.verification_state
    yield "by_confidence", facets.confidence
    for dimension, values in (
        ("by_diataxis", (facets.diataxis_type,)),
        ("by_persona", (facets.primary_persona, *facets.secondary_personas)),
        ("by_source", (facets.source_type,)),
        ("domain_tags", facets.domain_tags),
    ):
        for value in values:
            if value is not None:
                yield dimension, value


def _levels_from(least: ConfidenceLevel) -> tuple[ConfidenceLevel, ...]:
    return _LEAST_SURE_FIRST[_LEAST_SURE_FIRST.index(ConfidenceLevel(least)) :]


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
