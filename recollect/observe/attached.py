"""Records about files and symbols that a question about code comes to: warnings, invariants, decisions, patterns.

Only what may be told to somebody who did not ask for it: warnings that are trusted, and notes that do not wait for
review. What is about code that is gone is told to nobody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from recollect.clock import SECOND_US, Clock
from recollect.code.said import CHARS_SHOWN
from recollect.model.anchor import AnchorState, CodeAnchor, StatesOfCode, anchors_on, state_of
from recollect.model.code import CodeNote
from recollect.model.query import Criteria
from recollect.model.record import Record
from recollect.model.said_of_code import NoteKind
from recollect.observe.standing import may_be_said_unasked, may_warn
from recollect.store.base import Store

WARNINGS = ("gotcha", "error_pattern")
NOTES = tuple(kind.value for kind in NoteKind)
INSIGHTS = ("module_insight",)
LOOKED_AT_MAX = 200
COUNTED_MAX = 2_000
_GONE = AnchorState.ORPHANED
SHOWN_MAX = 8


class AskedFiles(NamedTuple):
    """Files of a project, those that matter most first, each with the symbols that count; none: all of it."""

    project: str
    root: str
    files: Mapping[str, frozenset[str]]


class AttachedRecords:
    """What the records of one store say about files."""

    def __init__(self, store: Store, clock: Clock, code: StatesOfCode) -> None:
        self._store = store
        self._clock = clock
        self._code = code

    def about(self, asked: AskedFiles, sight: Criteria) -> tuple[CodeNote, ...]:
        """The records of some files that may be told, those of the first file first, warnings before notes."""
        now = self._clock()
        wanted = [*asked.files, *(f"{asked.root}/{path}" for path in asked.files)]
        with self._store.read() as tx:
            pks = tx.anchors.about_files(wanted, sight, categories=(*WARNINGS, *NOTES), now=now, limit=LOOKED_AT_MAX)
            records = list(tx.records.load(pks).values()) if pks else []
        told = [each for each in records if _may_be_told(each, now // SECOND_US)]
        about = {each.id: anchors for each in told if (anchors := anchors_on(each.attributes))}
        states = self._code(about) if about else {}
        order = {path: at for at, path in enumerate(asked.files)}
        found: list[tuple[tuple[int, bool, float, str], CodeNote]] = []
        for record in told:
            code = states.get(record.id, ())
            place = _first_file(record, code, asked)
            if place is not None and state_of(code) is not AnchorState.ORPHANED:
                rank = (order[place], record.category in NOTES, -record.importance, record.id)
                found.append((rank, _as_note(record, code, place)))
        return tuple(note for _, note in sorted(found, key=lambda each: each[0])[:SHOWN_MAX])

    def by_file(self, project: str, sight: Criteria) -> Counter[str]:
        """How many records there are about each file of a project that may be told, by where that file is now."""
        now = self._clock()
        with self._store.read() as tx:
            rows = tx.anchors.said(sight, categories=(*WARNINGS, *NOTES, *INSIGHTS), now=now, limit=COUNTED_MAX)
            records = tx.records.load([row.pk for row in rows])
        told = [each for each in records.values() if _may_be_told(each, now // SECOND_US)]
        about = {each.id: anchors for each in told if (anchors := anchors_on(each.attributes))}
        found: Counter[str] = Counter()
        for code in (self._code(about) if about else {}).values():
            found.update({each.path for each in code if each.project == project and each.state is not _GONE})
        return found


def _may_be_told(record: Record, now_s: int) -> bool:
    return may_be_said_unasked(record, now_s) and (record.category not in WARNINGS or may_warn(record))


def _first_file(record: Record, code: Sequence[CodeAnchor], asked: AskedFiles) -> str | None:
    """The first of the files that a record is about; None for one that is about other symbols, or another project."""
    if code:
        named = {
            each.path
            for each in code
            if each.path in asked.files
            and (not each.symbol or not asked.files[each.path] or _counts(each.symbol, asked.files[each.path]))
        }
    else:
        listed = record.metadata.get("related_files")
        paths = [*(listed if isinstance(listed, list) else [listed]), record.place.file_path if record.place else None]
        base = f"{asked.root}/"
        inside = [path.removeprefix(base) for path in paths if isinstance(path, str)]
        mine = record.scope.project == asked.project
        named = {path for path, full in zip(inside, paths, strict=False) if mine or str(full).startswith(base)}
    return next((path for path in asked.files if path in named), None)


def _counts(symbol: str, wanted: frozenset[str]) -> bool:
    """Whether a symbol is one of those, in one of them, or has one of them in it."""
    return any(symbol == each or symbol.startswith(f"{each}.") or each.startswith(f"{symbol}.") for each in wanted)


def _as_note(record: Record, code: Sequence[CodeAnchor], place: str) -> CodeNote:
    state = state_of(code)
    return CodeNote(
        id=record.id,
        kind=record.category,
        text=record.content[:CHARS_SHOWN],
        about=tuple(each.label for each in code) or (place,),
        confidence=record.confidence,
        by=record.source or "",
        at=record.updated_at,
        state=state.value if state is not None else "",
    )
