"""Candidates by where they come from. A place is a filter: what lies elsewhere is left out, not just ranked lower."""

from __future__ import annotations

import orjson

from recollect.config.writing import Structure
from recollect.model.place import (
    GLOB_SIGNS,
    SECTION_JOINT,
    Place,
    PlaceQuery,
    PositionType,
    file_matches,
    spatial_match,
)
from recollect.recall.sources.base import Look, Ranking
from recollect.recall.sources.marked import MarkFilter, listing
from recollect.store import marks
from recollect.store.base import Tx
from recollect.store.marks import mark

VALUES_MAX = 5_000  # files, sections or modules of a store that are compared with a pattern


def by_place(look: Look, wanted: MarkFilter) -> Ranking:
    """Rows of the place asked for, the best match first, the newest among equals."""
    found = listing(look, wanted, enough=look.limit)
    if not found.whole:
        look.notes.append("place: too many rows lie there to list them all; those that other sources find are checked")
    return Ranking("place", found.best(look.limit))


def place_filter(tx: Tx, query: PlaceQuery, settings: Structure) -> MarkFilter:
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
            values = marks.values(tx, name, prefix, limit=VALUES_MAX)
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
        paths = marks.paths_named(tx, name, limit=VALUES_MAX)
    else:
        start = min((pattern.find(sign) for sign in GLOB_SIGNS if sign in pattern), default=len(pattern))
        paths = marks.values(tx, "file_path", pattern[:start], limit=VALUES_MAX)
    return [path for path in paths if file_matches(path, pattern)], len(paths) == VALUES_MAX


def _sections(tx: Tx, wanted: str) -> tuple[list[str], bool]:
    """Headings that hold the longest of the headings asked for."""
    part = max(wanted.split(SECTION_JOINT.strip()), key=len).strip().casefold()
    headings = marks.values(tx, "section_path", limit=VALUES_MAX)
    return [heading for heading in headings if part in heading.casefold()], len(headings) == VALUES_MAX
