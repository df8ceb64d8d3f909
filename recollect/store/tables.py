"""What an export is made of: which tables, which of their columns, and what each column holds.

A line of an export is a row. Columns keep the names and meanings of docs/FORMAT.md; what can be worked out again
(terms, hashes, indexes, summaries) is not written, and NULL is left out. The reader and the writer go by these
declarations, and a test holds them against the schema: a new column is either here or named in `WORKED_OUT`.
"""

from __future__ import annotations

from typing import NamedTuple

from recollect.model.columns import RECORD_COLUMNS, required


class ExportColumn(NamedTuple):
    """One column: what sort of value it holds, whether a line must have it, and the table whose key it is."""

    sort: str  # id, text, name, int, time, number, flag, list, object, blob
    needed: bool = False
    refers: str = ""


class Table(NamedTuple):
    """One table. Rows come in the order of `order`; with `keyed` a line carries its key, which others refer to."""

    name: str
    columns: dict[str, ExportColumn]
    order: str
    keyed: bool = False
    history: bool = False  # about what was done in this store, rather than what is known: only a whole export has it


def _needed(sort: str, refers: str = "") -> ExportColumn:
    return ExportColumn(sort, True, refers)


_TEXT, _NAME, _TIME, _INT, _NUMBER = (ExportColumn(sort) for sort in ("text", "name", "time", "int", "number"))
_FLAG, _LIST, _OBJECT, _BLOB = (ExportColumn(sort) for sort in ("flag", "list", "object", "blob"))
_RECORD, _ENTITY, _OPERATION, _SCOPE = (_needed("int", name) for name in ("record", "entity", "operation", "scope"))

_RECORD_COLUMNS: dict[str, ExportColumn] = {
    name: ExportColumn(column.sort, required(name), column.refers)
    for name, column in RECORD_COLUMNS.items()
    if column.exported
}

TABLES: tuple[Table, ...] = (
    Table(
        "scope",
        {
            "project": _NAME,
            "squad": _NAME,
            "agent_id": _NAME,
            "channel": _NAME,
            "user_id": _NAME,
            "consolidated_to": _INT,
        },
        "pk",
        keyed=True,
    ),
    Table(
        "session",
        {
            "id": _needed("name"),
            "scope_pk": _SCOPE,
            "started_at": _needed("time"),
            "last_turn_at": _needed("time"),
            "consolidated_at": _TIME,
            "consolidated_to": _INT,
            "asked_to": _INT,
            "attributes": _OBJECT,
        },
        "pk",
        keyed=True,
    ),
    Table(
        "operation",
        {
            "id": _needed("id"),
            "verb": _needed("name"),
            "at": _needed("time"),
            "scope_pk": ExportColumn("int", False, "scope"),
            "actor": _NAME,
            "reason": _TEXT,
            "count": _needed("int"),
            "final": _FLAG,
            "undoes": ExportColumn("int", False, "operation"),
            "undone_by": ExportColumn("int", False, "operation"),
        },
        "pk",
        keyed=True,
        history=True,
    ),
    Table("record", _RECORD_COLUMNS, "pk", keyed=True),
    Table("gap", {"record_pk": _RECORD, "from_at": _needed("time"), "until_at": _needed("time")}, "record_pk, from_at"),
    Table(
        "record_before",
        {
            "record_pk": _RECORD,
            "version": _needed("int"),
            "until_at": _needed("time"),
            "confidence": _NUMBER,
            "importance": _NUMBER,
            "success_count": _INT,
            "failure_count": _INT,
            "arousal": _NUMBER,
            "valid_from": _TIME,
            "updated_at": _TIME,
            "attributes": _OBJECT,
        },
        "record_pk, until_at, version",
    ),
    Table(
        "entity",
        {
            "id": _needed("id"),
            "scope_pk": _SCOPE,
            "name": _needed("text"),
            "folded": _needed("text"),
            "type": _needed("name"),
            "aliases": _LIST,
            "summary": _TEXT,
            "attributes": _OBJECT,
            "first_seen": _needed("time"),
            "last_seen": _needed("time"),
            "retired_at": _TIME,
            "found": _FLAG,
        },
        "pk",
        keyed=True,
    ),
    Table(
        "alias",
        {"entity_pk": _ENTITY, "folded": _needed("text"), "record_pk": ExportColumn("int", False, "record")},
        "entity_pk, folded, record_pk NULLS FIRST",
    ),
    Table("mention", {"record_pk": _RECORD, "entity_pk": _ENTITY, "surface": _TEXT}, "record_pk, entity_pk"),
    Table(
        "edge",
        {
            "id": _needed("id"),
            "family": _needed("name"),
            "label": _needed("name"),
            "weight": _needed("number"),
            "confidence": _needed("number"),
            "evidence": _LIST,
            "auto_extracted": _FLAG,
            "attributes": _OBJECT,
            "valid_from": _TIME,
            "valid_until": _TIME,
            "recorded_at": _needed("time"),
            "retired_at": _TIME,
        },
        "pk",
        keyed=True,
    ),
    Table(
        "edge_before",
        {
            "edge_pk": _needed("int", "edge"),
            "until_at": _needed("time"),
            "weight": _NUMBER,
            "confidence": _NUMBER,
            "auto_extracted": _FLAG,
            "retired_at": _TIME,
        },
        "edge_pk, until_at",
    ),
    Table(
        "member",
        {"edge_pk": _needed("int", "edge"), "record_pk": _RECORD, "role": _needed("name"), "position": _needed("int")},
        "edge_pk, position, record_pk, role",
    ),
    Table(
        "evolution_log",
        {
            "timestamp": _needed("time"),
            "operation": _needed("name"),
            "node_ids": _needed("list"),
            "from_tier": _TEXT,
            "to_tier": _TEXT,
            "reasoning": _TEXT,
        },
        "id",
        history=True,
    ),
    Table(
        "feedback",
        {
            "record_pk": _RECORD,
            "operation_pk": _OPERATION,
            "at": _needed("time"),
            "helpful": _needed("flag"),
            "model": _TEXT,
            "vector": _BLOB,
            "terms": _needed("blob"),
        },
        "pk",
        history=True,
    ),
    Table(
        "recalled",
        {"record_pk": _RECORD, "session": _needed("int"), "at": _needed("time")},
        "record_pk, session",
        history=True,
    ),
    Table(
        "rehearsal",
        {"record_pk": _RECORD, "operation_pk": _OPERATION, "at": _needed("time"), "strength": _needed("number")},
        "record_pk, at",
        history=True,
    ),
    Table(
        "faded",
        {"record_pk": _RECORD, "operation_pk": _OPERATION, "at": _needed("time")},
        "record_pk, operation_pk",
        history=True,
    ),
    Table(
        "question",
        {
            "id": _needed("id"),
            "scope_pk": _SCOPE,
            "kind": _needed("name"),
            "record_pk": ExportColumn("int", False, "record"),
            "other_pk": ExportColumn("int", False, "record"),
            "entity_pk": ExportColumn("int", False, "entity"),
            "field": _TEXT,
            "priority": _needed("number"),
            "made_at": _needed("time"),
            "made_by": _OPERATION,
            "answered_at": _TIME,
            "answered_by": ExportColumn("int", False, "operation"),
            "asked_at": _TIME,
            "asked_session": _TEXT,
            "dismissed_at": _TIME,
        },
        "pk",
        history=True,
    ),
    Table(
        "space",
        {
            "name": _needed("name"),
            "dimensions": _needed("int"),
            "metric": _needed("name"),
            "dtype": _needed("name"),
            "state": _needed("name"),
            "created_at": _needed("time"),
        },
        "pk",
        keyed=True,
    ),
    Table(
        "vector",
        {"space_pk": _needed("int", "space"), "record_pk": _RECORD, "data": _needed("blob")},
        "space_pk, record_pk",
    ),
    Table(
        "sentence_vectors",
        {"space_pk": _needed("int", "space"), "record_pk": _RECORD, "data": _needed("blob")},
        "space_pk, record_pk",
    ),
    Table(
        "journal",
        {
            "operation_pk": _OPERATION,
            "relation": _needed("name"),
            "first_pk": _needed("int"),
            "last_pk": _needed("int"),
            "other_pk": _INT,
            "before": _OBJECT,
        },
        "pk",
        history=True,
    ),
)
BY_NAME = {table.name: table for table in TABLES}
VECTORS = frozenset({"space", "vector", "sentence_vectors"})  # only where they are asked for

# Columns and tables that no export has, and why that loses nothing.
WORKED_OUT = {
    "scope": {"key"},
    "record": {name for name, column in RECORD_COLUMNS.items() if not column.exported},
    "question": {"pk"},
    "feedback": {"pk"},
    "journal": {"pk"},
    "evolution_log": {"id"},
    "sentence_vectors": {"pk"},
}
LEFT_OUT = {
    "mark": "made by triggers",
    "sense": "made of the texts",
    "record_text": "made of the texts",
    "sealed": "under a key of this store",
    "sealed_vector": "under a key of this store",
    "secret_ref": "under a key of this store",
    "record_vocabulary": "made of the texts",
    "summary": "made by upkeep",
    "summary_member": "made by upkeep",
    "enriched": "made by upkeep",
    "change": "the feed of this file's indexes",
    "job": "work of this store",
    "run": "work of this store",
    "audit": "who did what in this store",
    "meta": "facts about this file",
    "migration": "facts about this file",
    "access_token": "who may come in to this store",
    "exported_file": "what was taken out of this store",
    "erasing": "work of this store",
    "retention_rule": "what this store is to forget",
    "bus_publication": "what agents of this store tell each other",
    "bus_part": "what agents of this store tell each other",
    "bus_subscription": "what agents of this store tell each other",
    "bus_waiting": "what agents of this store tell each other",
    "bus_delivery": "what agents of this store tell each other",
    "bus_arrival": "what agents of this store tell each other",
    "bus_version": "what agents of this store tell each other",
    "code_project": "made of the files of a project",
    "code_file": "made of the files of a project",
    "code_facts": "made of the files of a project",
    "code_closure": "made of the files of a project",
    "code_anchor": "made of the files of a project",
    "code_change": "made of the history of a project",
    "code_changed_file": "made of the history of a project",
    "mind": "what agents have in mind just now",
    "mind_slot": "what agents have in mind just now",
    "agent_turn": "what agents are at just now",
    "agent_project": "what coding agents did here",
    "agent_session": "what coding agents did here",
    "agent_meter": "what coding agents did here",
    "agent_words": "what coding agents did here",
    "agent_event": "what coding agents did here",
    "agent_file": "what coding agents did here",
    "agent_signal": "made of what coding agents did",
    "agent_error": "made of what coding agents did",
    "spool_taken": "work of this store",
}
