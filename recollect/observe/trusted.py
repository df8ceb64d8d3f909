"""What of a project may be told to somebody who did not ask: what a person confirmed, what proved itself, what a stage
of work left for the next one, and where the work stood.

A record without a project is told about no file unless it names the file by its full path: another project may have a
file of that name. What is about code that is gone is told to nobody.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from recollect.clock import SECOND_US
from recollect.model.anchor import AnchorState, CodeAnchor, StatesOfCode, anchors_on, code_in_words, state_of
from recollect.model.query import Criteria
from recollect.model.record import Record
from recollect.model.scope import Scope
from recollect.observe.saying import CODE
from recollect.observe.standing import may_be_said_unasked, may_warn
from recollect.observe.work_state import CATEGORY as STATE
from recollect.store.base import Tx

WARNING = ("gotcha", "error_pattern")
WANTED = ("instruction", "constraint")
RECORDS_MAX = 2_000  # of a project that are looked at, newest first


class Warned(NamedTuple):
    """A warning, and the files it is about."""

    record: Record
    files: tuple[str, ...]


class Trusted(NamedTuple):
    """What of a project may be told unasked: states of its work, the newest first; the others, the best first."""

    states: list[Record]
    wanted: list[Record]
    warnings: list[Warned]


def trusted(tx: Tx, root: str, scope: Scope, code: StatesOfCode, *, now: int) -> Trusted:
    """The records of a project that may be told unasked."""
    records = told_unasked(tx, Criteria(scope=scope, categories=(*WARNING, *WANTED, STATE)), code, now=now)
    return Trusted(
        states=[each for each in records if each.category == STATE],
        wanted=[each for each in best_of(records, WANTED) if each.user_verified],
        warnings=[Warned(each, _files(each, root, scope)) for each in best_of(records, WARNING) if may_warn(each)],
    )


def told_unasked(tx: Tx, criteria: Criteria, code: StatesOfCode, *, now: int) -> list[Record]:
    """Records that may be told unasked, the newest first, with what became of the code they are about."""
    found = tx.records.latest(criteria, now=now, limit=RECORDS_MAX)
    loaded = tx.records.load(found)
    records = [loaded[pk] for pk in found if pk in loaded and may_be_said_unasked(loaded[pk], now // SECOND_US)]
    about = {record.id: anchors for record in records if (anchors := anchors_on(record.attributes))}
    states = code(about) if about else {}
    return [
        _with_code(record, states[record.id]) if record.id in states else record
        for record in records
        if state_of(states.get(record.id, ())) is not AnchorState.ORPHANED
    ]


def best_of(records: Iterable[Record], categories: Sequence[str] | None = None) -> list[Record]:
    """Those of some categories, the most important first, of these the newest."""
    of = [record for record in records if categories is None or record.category in categories]
    return sorted(of, key=lambda record: (-record.importance, -record.updated_at.timestamp(), record.id))


def _with_code(record: Record, code: Sequence[CodeAnchor]) -> Record:
    """A record as it is told: with a word on its code, and by the files that this is in now."""
    listed = record.metadata.get("related_files")
    files = [*(listed if isinstance(listed, list) else [listed]), *(each.path for each in code)]
    return replace(
        record,
        metadata={**record.metadata, "related_files": files},
        attributes={**record.attributes, CODE: code_in_words(code)},
    )


def _files(record: Record, root: str, scope: Scope) -> tuple[str, ...]:
    """The files of a project that a record is about, as paths within it."""
    listed = record.metadata.get("related_files")
    listed = listed if isinstance(listed, list) else [listed]
    own = record.place.file_path if record.place is not None else None
    inside = root.rstrip("/") + "/"
    mine = scope.project is not None and record.scope.project == scope.project
    found: dict[str, None] = {}
    for path in (own, *listed):
        if not isinstance(path, str) or not path:
            continue
        if path.startswith(inside):
            found[path[len(inside) :]] = None
        elif mine and not os.path.isabs(path):
            found[os.path.normpath(path).replace(os.sep, "/")] = None
    return tuple(found)
