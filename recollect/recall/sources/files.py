"""Candidates from files that go with the files of a question: what else has to be known when one of them is touched."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

import numpy as np
import orjson

from recollect.config.reading import ExpandSettings
from recollect.index.base import Pks
from recollect.index.follow import Indexes
from recollect.model.narrowing import looks_like_path, path_of
from recollect.model.place import file_matches
from recollect.recall.question.routes import Lane, Route
from recollect.recall.sources.base import Look, SourceRanking, best_first
from recollect.recall.sources.relations import hop_along
from recollect.store.base import Tx
from recollect.store.candidates import FilesOfRow
from recollect.store.marks import mark

PATHS_MAX = 10  # files of one question
ROWS_MAX = 500  # rows of those files that are looked at, newest first
CATEGORIES = ("gotcha", "pattern", "error_pattern")  # what is worth knowing of a file that the question does not name
_TOGETHER = Route(lanes=(Lane(labels=("required_with", "depends_on")),))
_JOINING = "causal_dependency"  # a record of this category names files that go together
_AROUND = "\"'`“”‘’()[]{}<>,;:!?"


class LinkedFiles(Protocol):
    """What knows which files go together. One that counts which files are opened together may take its place."""

    def __call__(self, look: Look, paths: Sequence[str]) -> list[tuple[str, float]]:
        """Other files that go with these, each with a strength from 0 to 1, strongest first."""


def paths_in(question: str) -> list[str]:
    """The files a question names."""
    words = (word.strip(_AROUND).rstrip(".") for word in question.replace("\\", "/").split())
    paths = (path_of(word)[0] for word in words if "://" not in word and len(word) > 2)
    return list(dict.fromkeys(path for path in paths if looks_like_path(path)))[:PATHS_MAX]


def by_files(look: Look, paths: Sequence[str], linked: LinkedFiles, settings: ExpandSettings) -> SourceRanking:
    """Warnings and patterns of files that are strongly linked with these."""
    least = np.float32(settings.coaccess_weight_min)  # as relations are held in memory
    strong = [one for one in linked(look, paths) if np.float32(one[1]) > least] if paths else []
    found: dict[int, float] = {}
    for path, strength in strong[: settings.coaccess_files]:
        for pk in _rows_of(look, [path], CATEGORIES).tolist():
            found[pk] = max(strength, found.get(pk, 0.0))
    pks, scores = np.array(list(found), dtype=np.int64), np.array(list(found.values()))
    return SourceRanking("files", best_first(pks, scores, min(look.limit, settings.coaccess_results)))


Companions = Callable[[Tx, str, str], Sequence[tuple[str, float]]]  # what belongs to a file of a project, how surely


class LinkedByWork:
    """Files linked by records, and by how surely one was needed where the other was: in the history of the project that
    is asked about, and in sessions that were watched there."""

    def __init__(self, by_records: LinkedFiles, companions: Companions) -> None:
        self._by_records = by_records
        self._companions = companions

    def __call__(self, look: Look, paths: Sequence[str]) -> list[tuple[str, float]]:
        strengths = dict(self._by_records(look, paths))
        project = look.criteria.scope.project
        asked = list(dict.fromkeys((*paths, *sorted(_stored(look, paths)))))[:PATHS_MAX] if project else []
        for path in asked:
            for other, weight in self._companions(look.tx, project or "", path):
                if other not in asked:
                    strengths[other] = max(weight, strengths.get(other, 0.0))
        return sorted(strengths.items(), key=lambda item: (-item[1], item[0]))


class LinkedByRecords:
    """Files linked by what is recorded: a `causal_dependency` that names both, or records of both that go together.

    What the reader may not see links nothing.
    """

    def __init__(self, indexes: Indexes) -> None:
        self._indexes = indexes

    def __call__(self, look: Look, paths: Sequence[str]) -> list[tuple[str, float]]:
        asked = set(paths) | _stored(look, paths)
        rows = _rows_of(look, asked)
        strengths: dict[str, float] = {}
        for path, strength in (*self._named_together(look, rows), *self._related(look, rows)):
            if path not in asked:
                strengths[path] = max(strength, strengths.get(path, 0.0))
        return sorted(strengths.items(), key=lambda item: (-item[1], item[0]))

    def _named_together(self, look: Look, rows: Pks) -> Iterable[tuple[str, float]]:
        joining = look.tx.candidates.of_categories(rows.tolist(), [_JOINING])
        found = look.tx.candidates.files(joining)
        return [(path, row.confidence) for row in found for path in _files_in(row)]

    def _related(self, look: Look, rows: Pks) -> Iterable[tuple[str, float]]:
        links = hop_along(look, _TOGETHER, self._indexes, ROWS_MAX)(rows)
        weakest_first = zip(links.end[::-1].tolist(), links.strength[::-1].tolist(), strict=True)
        strength = dict(weakest_first)  # the strongest link of each stays
        return [(path, strength[row.pk]) for row in look.tx.candidates.files(strength) for path in _files_in(row)]


def _stored(look: Look, paths: Sequence[str]) -> set[str]:
    """The files of the store that are meant, however much of their path was given."""
    return {
        path
        for asked in paths
        for path in look.tx.marks.paths_named(asked.rpartition("/")[2], limit=ROWS_MAX)
        if file_matches(path, asked)
    }


def _rows_of(look: Look, paths: Iterable[str], categories: Sequence[str] | None = None) -> Pks:
    """Rows that come from these files or say that they concern them, as far as they count; newest first."""
    wanted = [mark(name, path) for path in paths for name in ("file_path", "related_file")]
    pks = np.array(look.tx.marks.newest(wanted, limit=ROWS_MAX), dtype=np.int64)
    if categories is not None:
        pks = np.array(look.tx.candidates.of_categories(pks.tolist(), categories), dtype=np.int64)
    return pks[look.counts(pks)] if len(pks) else pks


def _files_in(row: FilesOfRow) -> list[str]:
    """The files a row comes from and concerns."""
    own: Any = orjson.loads(row.place).get("file_path") if row.place else None
    related: Any = orjson.loads(row.metadata).get("related_files") if row.metadata else None
    listed = related if isinstance(related, list) else [related]
    return [path for path in (own, *listed) if isinstance(path, str)]
