"""A file got another name: what was watched of it, and records that name it, go by the new one.

Texts are never touched: what somebody wrote stays as it was written. What is changed is by what a record is found: its
files, and the key by which a conclusion is known again. All of it is one operation.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from recollect.model.record import WATCHED, Record
from recollect.store.base import Tx
from recollect.store.code import ProjectRow
from recollect.store.journal import Op
from recollect.store.marks import mark
from recollect.store.rows import from_json, to_json

RENAMED_MAX = 1_000  # files that are followed at once
RECORDS_MAX = 2_000
VALUES_MAX = 100_000  # names of files that records have
_KEY_PARTS = "\x1f"  # between the parts of a conclusion's key (`observe.inference`)
_LISTS = ("related_files", "required_with")


def follow(tx: Tx, project: ProjectRow, renamed: Mapping[str, str], *, now: int) -> int:
    """Have everything that is known of files go by their new names; how many records that changed.

    A name that another file has by now stays that file's.
    """
    moved = {
        old: new
        for old, new in renamed.items()
        if not os.path.lexists(os.path.join(project.root, old)) and os.path.lexists(os.path.join(project.root, new))
    }
    if not moved:
        return 0
    watched = tx.agent_work.paths(project.root) & moved.keys()
    for old in sorted(watched)[:RENAMED_MAX]:
        tx.agent_work.rename(project.root, old, moved[old])
    named = set(tx.marks.values("related_file", limit=VALUES_MAX)) & moved.keys()
    found = [each for each in _records(tx, project, sorted(named)[:RENAMED_MAX]) if _is_of(each, moved)]
    if not found:
        return 0
    op = tx.journal.begin("observe", at=now, actor="observer", reason="renamed")
    for record in found:
        _rename(tx, op, record, moved)
    op.finish(len(found))
    return len(found)


def _records(tx: Tx, project: ProjectRow, names: list[str]) -> list[Record]:
    """Current records of a project that name one of these files."""
    pks = tx.marks.newest([mark("related_file", name) for name in names], limit=RECORDS_MAX) if names else []
    ids = {record.id for record in tx.records.load(pks).values() if record.scope.project == project.name}
    heads = tx.records.load(tx.records.pks_of(sorted(ids))).values()
    return [record for record in heads if record.retired_at is None and record.place is None]


def _is_of(record: Record, moved: Mapping[str, str]) -> bool:
    listed = record.metadata.get("related_files")
    listed = listed if isinstance(listed, list) else [listed]
    return any(isinstance(path, str) and path in moved for path in listed)


def _rename(tx: Tx, op: Op, record: Record, moved: Mapping[str, str]) -> None:
    for pk in tx.records.pks_of([record.id]):
        old = tx.records.columns_of(pk)
        if old is None:
            continue
        metadata: dict[str, Any] = from_json(old["metadata"], {})
        for name in _LISTS:
            metadata |= {name: _renamed(metadata[name], moved)} if name in metadata else {}
        attributes: dict[str, Any] = from_json(old["attributes"], {})
        kept = attributes.get(WATCHED)
        if isinstance(kept, dict) and isinstance(kept.get("key"), str):
            kind, *paths = kept["key"].split(_KEY_PARTS)
            paths = [moved.get(path, path) for path in paths]
            key = _KEY_PARTS.join([kind, *(sorted(paths) if kind == "together" else paths)])
            attributes[WATCHED] = {**kept, "key": key}
        new = {"metadata": to_json(metadata), "attributes": to_json(attributes) if attributes else None}
        tx.records.adjust(op, pk, old, {**new, "updated_at": op.at})


def _renamed(value: Any, moved: Mapping[str, str]) -> Any:
    if isinstance(value, list):
        return list(dict.fromkeys(moved.get(each, each) if isinstance(each, str) else each for each in value))
    return moved.get(value, value) if isinstance(value, str) else value
