"""The answers as JSON schemas, for the OpenAPI document. Objects are open: later releases may add fields."""

from __future__ import annotations

from recollect.verbs.schema import NUMBER, TEXT, TRUTH, WHOLE, Schema, object_of

ANY_OBJECT: Schema = {"type": "object", "additionalProperties": True}
TIME: Schema = {"type": "string", "format": "date-time"}


def maybe(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def listed(schema: Schema) -> Schema:
    return {"type": "array", "items": schema}


def ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def shape(**properties: Schema) -> Schema:
    """An object that has at least these."""
    return object_of(*properties, **properties)


_TRUST = shape(composite=NUMBER)
_SOURCE = shape(id=TEXT, content=TEXT, created_at=TIME, session_id=maybe(TEXT), metadata=ANY_OBJECT)
_WRITTEN = shape(id=TEXT, memory=maybe(TEXT), event={"enum": ["ADD", "NONE", "UPDATE", "DELETE", "UNDO"]})
_HIT = shape(
    id=TEXT,
    memory=TEXT,
    score=NUMBER,
    kind=TEXT,
    category=TEXT,
    metadata=ANY_OBJECT,
    tags=listed(TEXT),
    created_at=TIME,
    updated_at=TIME,
    event_time=maybe(TIME),
    valid_from=maybe(TIME),
    valid_until=maybe(TIME),
    trust=_TRUST,
    confidence=NUMBER,
    sources=listed(_SOURCE),
    version=WHOLE,
)
_RECORD = shape(
    id=TEXT,
    memory=TEXT,
    content=TEXT,
    kind=TEXT,
    category=TEXT,
    tier=TEXT,
    version=WHOLE,
    created_at=TIME,
    updated_at=TIME,
    recorded_at=TIME,
    retired_at=maybe(TIME),
    event_time=maybe(TIME),
    valid_from=maybe(TIME),
    valid_until=maybe(TIME),
    tags=listed(TEXT),
    metadata=ANY_OBJECT,
    confidence=NUMBER,
    importance=NUMBER,
)
_OPERATION = shape(
    id=TEXT, verb=TEXT, at=TIME, count=WHOLE, actor=maybe(TEXT), reason=maybe(TEXT), undone=TRUTH, undoes=maybe(TEXT)
)
_ENTITY = shape(
    id=TEXT,
    name=TEXT,
    type=TEXT,
    aliases=listed(TEXT),
    summary=maybe(TEXT),
    mention_count=WHOLE,
    first_seen=TIME,
    last_seen=TIME,
)

SCHEMAS: dict[str, Schema] = {
    "Receipt": shape(
        operation=maybe(TEXT),
        ids=listed(TEXT),
        statements=listed(TEXT),
        count=WHOLE,
        results=listed(_WRITTEN),
        merged=listed(TEXT),
        skipped=listed(shape(index=WHOLE, reason=TEXT)),
        flags=listed(TEXT),
        missing=listed(TEXT),
        dry_run=TRUTH,
    ),
    "Recollection": shape(
        results=listed(ref("Hit")),
        abstained=TRUTH,
        reason=maybe(TEXT),
        missing=listed(TEXT),
        quality=ANY_OBJECT,
        trace=maybe(ANY_OBJECT),
    ),
    "Hit": _HIT,
    "Record": _RECORD,
    "Page": shape(results=listed(ref("Record")), cursor=maybe(TEXT)),
    "Operation": _OPERATION,
    "Operations": shape(results=listed(ref("Operation"))),
    "History": shape(results=listed(shape(operation=ref("Operation"), record=maybe(ref("Record"))))),
    "Neighbourhood": shape(results=listed(ref("Record")), edges=listed(shape(id=TEXT, label=TEXT))),
    "Entity": _ENTITY,
    "Entities": shape(results=listed(ref("Entity"))),
    "EntityProfile": {"allOf": [ref("Entity"), shape(newest=listed(ref("Record")), telling=listed(ref("Record")))]},
    "Report": shape(warnings=listed(TEXT), operation=maybe(TEXT)),
    "RunReport": shape(
        id=TEXT,
        verb=TEXT,
        operation=maybe(TEXT),
        state=TEXT,
        started_at=TIME,
        finished_at=maybe(TIME),
        dry_run=TRUTH,
        counts=ANY_OBJECT,
        items=listed(ANY_OBJECT),
        problems=listed(TEXT),
    ),
    "EdgeId": shape(edge=TEXT),
    "Findings": shape(findings=listed(shape(check=TEXT, ok=TRUTH, detail=TEXT, cure=maybe(TEXT)))),
    "Answer": ANY_OBJECT,
    "Problem": shape(type=TEXT, title=TEXT, status=WHOLE, detail=TEXT, code=TEXT, retryable=TRUTH, instance=TEXT),
}

# By what the method is annotated to return; what is not here is some object.
OF_RETURNS = {
    "Receipt": "Receipt",
    "Recollection": "Recollection",
    "Record | None": "Record",
    "Page": "Page",
    "list[HistoryEntry]": "History",
    "list[Operation]": "Operations",
    "Neighbourhood": "Neighbourhood",
    "EntityProfile | None": "EntityProfile",
    "list[Entity]": "Entities",
    "Report": "Report",
    "RunReport": "RunReport",
    "str": "EdgeId",
    "list[Finding]": "Findings",
}
