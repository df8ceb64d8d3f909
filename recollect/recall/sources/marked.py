"""Rows by their marks: how a place or a sort of text, asked for as a filter, becomes candidates and decides on others.

A filter is groups of marks, one of each to be had. Where the marks cannot say all (lines, an authority, which persona
is the main one), what the row itself says decides; rows that other sources found are always held to that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from recollect.config.writing import StructureSettings
from recollect.index.base import Pks, Scored
from recollect.index.keys import among
from recollect.model.facets import ConfidenceLevel, FacetQuery, Facets, facet_match
from recollect.model.place import (
    GLOB_SIGNS,
    SECTION_JOINT,
    Place,
    PlaceQuery,
    PositionType,
    file_matches,
    spatial_match,
)
from recollect.recall.sources.base import Look, SourceRanking, best_first
from recollect.store.base import Tx
from recollect.store.marks import mark

HOLDERS_MAX = 5_000  # rows of one group of marks that are looked at, newest first
READ_MAX = 2_000  # rows whose own words are read for one search
_PORTION = 4  # times the wanted number that are looked at together
_CHECKED_MARKS_MAX = 8  # a group of so many marks is checked row by row, a larger one by reading the row
Scores = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkFilter:
    """Marks that narrow a search, and how well what a row says in `column` meets the question behind them."""

    column: str
    groups: tuple[tuple[str, ...], ...]
    score: Callable[[str], float]
    decided: bool = False  # a row with a mark of each group meets the filter in full
    whole: bool = True  # no mark that would do is missing from the groups
    read: dict[str, float] = field(default_factory=dict)

    def score_of(self, text: str) -> float:
        """Many rows say the same: each text is read once."""
        found = self.read.get(text)
        if found is None:
            found = self.read[text] = self.score(text)
        return found


class Listing(NamedTuple):
    """Rows that meet a filter, newest first, with their scores. `whole`: no other row that counts meets it."""

    pks: Pks
    scores: Scores
    whole: bool

    def best(self, limit: int) -> Scored:
        return best_first(self.pks, self.scores, limit)


class _Narrowed(NamedTuple):
    """Rows that may meet a filter, newest first."""

    pks: Pks
    whole: bool  # none is missing
    unchecked: tuple[tuple[str, ...], ...]  # groups of marks of which they may have none


def listing(look: Look, wanted: MarkFilter, *, enough: int) -> Listing:
    """Rows that count and meet the filter: the best `enough` of them at least, as far as a search may read."""
    pks, whole, unchecked = _narrowed(look, wanted)
    pks = pks[look.counts(pks)] if len(pks) else pks
    checked = [group for group in unchecked if len(group) <= _CHECKED_MARKS_MAX]
    reads = not wanted.decided or len(checked) < len(unchecked)
    scores = np.zeros(len(pks), dtype=np.float32)
    at, rows_read, portion = 0, 0, enough * _PORTION
    while at < len(pks) and rows_read < READ_MAX and np.count_nonzero(scores == 1.0) < enough:
        rows = np.arange(at, min(at + portion, len(pks)))
        for group in checked:
            held = look.tx.marks.holding(group, pks[rows].tolist())
            rows = rows[among(pks[rows], np.array(held, dtype=np.int64))]
        scores[rows] = scores_of(look, wanted, pks[rows]) if reads else 1.0
        rows_read += len(rows) if reads else 0
        at += portion
    met = scores > 0
    return Listing(pks[met], scores[met], wanted.whole and whole and at >= len(pks))


def scores_of(look: Look, wanted: MarkFilter, pks: Pks) -> Scores:
    """How well each of these rows meets the filter; 0 leaves it out. Exact, whichever source found the row."""
    scores = np.zeros(len(pks), dtype=np.float32)
    found = look.tx.marks.texts(wanted.column, pks.tolist()) if len(pks) else []
    if found:
        order = np.argsort(pks)
        at = order[np.searchsorted(pks, [pk for pk, _ in found], sorter=order)]
        scores[at] = [wanted.score_of(text) for _, text in found]
    return scores


def _narrowed(look: Look, wanted: MarkFilter) -> _Narrowed:
    """What is in every group whose rows can be listed; failing that what the reader sees, or the newest of a group."""
    held = [_holders(look, group) for group in wanted.groups]
    listed = [pks for pks in held if len(pks) <= HOLDERS_MAX]
    if listed:
        common = (group for group, pks in zip(wanted.groups, held, strict=True) if len(pks) > HOLDERS_MAX)
        return _Narrowed(reduce(np.intersect1d, listed)[::-1], True, tuple(common))
    if look.selection is not None and look.selection.count <= HOLDERS_MAX:
        return _Narrowed(look.selection.pks()[::-1], True, wanted.groups)
    rarest = min(range(len(held)), key=lambda at: int(held[at][0]))  # as many rows reach furthest back there
    others = (*wanted.groups[:rarest], *wanted.groups[rarest + 1 :])
    return _Narrowed(held[rarest][::-1], False, others)


def _holders(look: Look, group: Sequence[str]) -> Pks:
    """The newest rows with one of these marks, ascending; one too many says that there are more."""
    return np.array(look.tx.marks.newest(group, limit=HOLDERS_MAX + 1)[::-1], dtype=np.int64)


VALUES_MAX = 5_000  # files, sections or modules of a store that are compared with a pattern


def by_place(look: Look, wanted: MarkFilter) -> SourceRanking:
    """Rows of the place asked for, the best match first, the newest among equals."""
    found = listing(look, wanted, enough=look.limit)
    if not found.whole:
        look.notes.append("place: too many rows lie there to list them all; those that other sources find are checked")
    return SourceRanking("place", found.best(look.limit))


def place_filter(tx: Tx, query: PlaceQuery, settings: StructureSettings) -> MarkFilter:
    """The marks that rows of a place have, and how well what they say meets the query."""
    asked: list[tuple[str, list[str], bool]] = []  # the name of marks, their values, whether there may be others
    if query.in_class is not None:
        asked.append(("class_name", [query.in_class], False))
    if query.in_function is not None:
        asked.append(("function_name", [query.in_function], False))
    if query.file_pattern is not None:
        asked.append(("file_path", *_files(tx, query.file_pattern)))
    if query.section_contains is not None:
        asked.append(("section_path", *_sections(tx, query.section_contains)))
    for name, prefix in (("module_path", query.module_prefix), ("url", query.url_prefix)):
        if prefix is not None:
            values = tx.marks.values(name, prefix, limit=VALUES_MAX)
            asked.append((name, values, len(values) == VALUES_MAX))
    if query.position_type is not None or not asked:
        types = list(PositionType) if query.position_type is None else [query.position_type]
        asked.append(("position_type", [kind.value for kind in types], False))
    beyond_marks = (query.line_range, query.heading_level_max, query.anchor)
    joined = SECTION_JOINT.strip() in (query.section_contains or "")
    factor = settings.deep_heading_factor
    return MarkFilter(
        column="place",
        groups=tuple(tuple(mark(name, value) for value in values) for name, values, _ in asked),
        score=lambda text: spatial_match(Place.from_dict(orjson.loads(text)), query, deep_heading_factor=factor),
        decided=not joined and all(part is None for part in beyond_marks),
        whole=not any(others for *_, others in asked),
    )


def _files(tx: Tx, pattern: str) -> tuple[list[str], bool]:
    """Files by their name, whatever the folders before it; by a pattern among the paths that begin like it."""
    name = pattern.rpartition("/")[2]
    if name and not any(sign in pattern for sign in GLOB_SIGNS):
        paths = tx.marks.paths_named(name, limit=VALUES_MAX)
    else:
        start = min((pattern.find(sign) for sign in GLOB_SIGNS if sign in pattern), default=len(pattern))
        paths = tx.marks.values("file_path", pattern[:start], limit=VALUES_MAX)
    return [path for path in paths if file_matches(path, pattern)], len(paths) == VALUES_MAX


def _sections(tx: Tx, wanted: str) -> tuple[list[str], bool]:
    """Headings that hold the longest of the headings asked for."""
    part = max(wanted.split(SECTION_JOINT.strip()), key=len).strip().casefold()
    headings = tx.marks.values("section_path", limit=VALUES_MAX)
    return [heading for heading in headings if part in heading.casefold()], len(headings) == VALUES_MAX


def by_facets(look: Look, wanted: MarkFilter) -> SourceRanking:
    """Rows of the sort asked for, the best match first, the newest among equals."""
    found = listing(look, wanted, enough=look.limit)
    if not found.whole:
        look.notes.append("facets: too many rows are of that sort to list them all; those others find are checked")
    return SourceRanking("facets", found.best(look.limit))


def facet_filter(query: FacetQuery, settings: StructureSettings) -> MarkFilter:
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
