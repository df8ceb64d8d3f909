"""What was inferred moves on: what did not prove itself goes into the archive, what proved itself waits no longer.

A record goes when it was flagged, shown twice in vain, unused for a month, or when none of its files is there any more.
Files may come back, with a branch for example: then the record comes back too. All of a pass is one operation, which
`undo` reverses.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from recollect.clock import SECOND_US
from recollect.model.query import Criteria
from recollect.model.record import Record, Tier
from recollect.model.scope import Reach
from recollect.observe.standing import ATTRIBUTE, SOURCE, InferredStanding, files_of, standing_of_record
from recollect.store.base import Tx
from recollect.store.journal import Op
from recollect.store.rows import from_json, to_json

ACTOR = "observer"
RECORDS_MAX = 2_000
WORK_TREES_MAX = 50
_GONE = "gone"  # beside a record's evidence: the tier it was in when it went with its files
_TIERS = frozenset(tier.value for tier in Tier)

Gone = Callable[[Record], set[str]]


def retire(tx: Tx, categories: tuple[str, ...], *, now: int) -> int:
    """Move what was inferred to where it stands now; how many records. Nothing moved is no operation."""
    gone = _looking(tx)
    moves = [
        *_going(tx, categories, now, gone),
        *_coming_back(tx, categories, now, gone),
    ]
    if not moves:
        return 0
    op = tx.journal.begin("observe", at=now, actor=ACTOR, reason="retired")
    for pk, columns, noted in moves:
        _move(tx, op, pk, columns, noted)
    op.finish(len(moves))
    return len(moves)


def _going(
    tx: Tx, categories: tuple[str, ...], now: int, gone: Gone
) -> Iterator[tuple[int, dict[str, Any], dict[str, Any]]]:
    """What retires, and what is promoted: its key, its new columns, and what is noted beside its evidence."""
    for pk, record in _inferred(tx, Criteria(categories=categories, reach=Reach.ALL), now):
        missing = gone(record)
        standing = standing_of_record(record, now_s=now // SECOND_US, gone=missing)
        if standing is InferredStanding.RETIRED:
            lost = bool(missing) and missing >= files_of(record)
            yield (
                pk,
                {"tier": Tier.ARCHIVE.value},
                {_GONE: record.tier.value if lost else "", "was_flagged": record.flagged},
            )
        elif standing is InferredStanding.PROMOTED and record.needs_review:
            yield pk, {"needs_review": 0}, {}


def _coming_back(
    tx: Tx, categories: tuple[str, ...], now: int, gone: Gone
) -> Iterator[tuple[int, dict[str, Any], dict[str, Any]]]:
    """What went with its files, and whose files are there again."""
    archived = Criteria(categories=categories, reach=Reach.ALL, tiers=(Tier.ARCHIVE.value,))
    for pk, record in _inferred(tx, archived, now):
        if _noted(record).get(_GONE) not in _TIERS or gone(record) >= files_of(record):
            continue
        if standing_of_record(record, now_s=now // SECOND_US) is not InferredStanding.RETIRED:
            yield pk, {"tier": _noted(record)[_GONE]}, {_GONE: ""}


def _move(tx: Tx, op: Op, pk: int, columns: Mapping[str, Any], noted: Mapping[str, Any]) -> None:
    old = tx.records.columns_of(pk)
    assert old is not None
    new = {**columns, "updated_at": op.at}
    attributes = from_json(old["attributes"], {})
    kept = attributes.get(ATTRIBUTE)
    if noted and isinstance(kept, dict):
        was = {"was_flagged": bool(kept.get("was_flagged") or noted.get("was_flagged"))}
        new["attributes"] = to_json({**attributes, ATTRIBUTE: {**kept, **noted, **was}})
    tx.records.adjust(op, pk, old, new)


def _inferred(tx: Tx, criteria: Criteria, now: int) -> Iterator[tuple[int, Record]]:
    found = tx.records.latest(criteria, now=now, limit=RECORDS_MAX)
    loaded = tx.records.load(found)
    return ((pk, loaded[pk]) for pk in found if pk in loaded and loaded[pk].source == SOURCE)


def _noted(record: Record) -> Mapping[str, Any]:
    kept = record.attributes.get(ATTRIBUTE)
    return kept if isinstance(kept, dict) else {}


def _looking(tx: Tx) -> Gone:
    """A look at the files of a record: those that no work tree of its project has. Of a project that is not on this
    machine nothing is known, so nothing is gone."""

    @cache
    def trees(project: str | None) -> tuple[Path, ...]:
        root = None if project is None else tx.observed.root_of(project)
        return tuple(_work_trees(root)) if root else ()

    def gone(record: Record) -> set[str]:
        there = trees(record.scope.project)
        return {path for path in files_of(record) if there and not _is_in(path, there)}

    return gone


def _work_trees(root: str) -> Iterator[Path]:
    """The folder of a project, and the other work trees of its repository, as far as they are there."""
    if os.path.isdir(root):
        yield Path(root)
    with suppress(OSError):
        for linked in sorted(Path(root, ".git", "worktrees").iterdir())[:WORK_TREES_MAX]:
            with suppress(OSError, ValueError):
                tree = Path((linked / "gitdir").read_text(encoding="utf-8").strip()).parent
                if tree.is_dir():
                    yield tree


def _is_in(path: str, trees: Iterable[Path]) -> bool:
    try:
        return any(os.path.lexists(tree / path) for tree in trees)
    except (OSError, ValueError):
        return True
