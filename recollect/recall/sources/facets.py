"""Candidates by what sort of text they are. Facets are a filter: all that is asked for has to hold."""

from __future__ import annotations

import orjson

from recollect.config.writing import Structure
from recollect.model.facets import ConfidenceLevel, FacetQuery, Facets, facet_match
from recollect.recall.sources.base import Look, Ranking
from recollect.recall.sources.marked import MarkFilter, listing
from recollect.store.marks import mark


def by_facets(look: Look, wanted: MarkFilter) -> Ranking:
    """Rows of the sort asked for, the best match first, the newest among equals."""
    found = listing(look, wanted, enough=look.limit)
    if not found.whole:
        look.notes.append("facets: too many rows are of that sort to list them all; those others find are checked")
    return Ranking("facets", found.best(look.limit))


def facet_filter(query: FacetQuery, settings: Structure) -> MarkFilter:
    """The marks that rows of a sort have, and how well what they say meets the query."""
    groups: list[tuple[str, ...]] = [(mark("domain_tags", tag),) for tag in query.domain_tags]
    if query.diataxis_type is not None:
        groups.append((mark("diataxis_type", query.diataxis_type),))
    if query.persona is not None:
        groups.append((mark("primary_persona", query.persona), mark("secondary_personas", query.persona)))
    if query.source_types:
        groups.append(tuple(mark("source_type", kind) for kind in query.source_types))
    if query.time_sensitive:
        groups.append((mark("is_time_sensitive", 1),))
    if query.verification_states:
        groups.append(tuple(mark("verification_state", state) for state in query.verification_states))
    if query.min_confidence is not None or not groups:  # every row with facets has a level
        groups.append(tuple(mark("confidence", level) for level in query.levels or ConfidenceLevel))
    factor = settings.secondary_persona_factor
    return MarkFilter(
        column="facets",
        groups=tuple(groups),
        decided=query.persona is None and query.min_authority is None and query.time_sensitive is not False,
        score=lambda text: facet_match(Facets.from_dict(orjson.loads(text)), query, secondary_persona_factor=factor),
    )
