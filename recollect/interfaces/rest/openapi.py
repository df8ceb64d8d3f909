"""The OpenAPI document: each operation described from its verb, with the answers and the problems it can have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from recollect import errors
from recollect._version import __version__
from recollect.errors import RecollectError
from recollect.interfaces.rest import problems
from recollect.interfaces.rest.paths import ServerPath
from recollect.interfaces.rest.requests import takes_many, takes_object
from recollect.interfaces.rest.routes import EXAMPLE_ID, VerbRoute, verb_of
from recollect.verbs.schema import NUMBER, TEXT, TRUTH, WHOLE, Schema, json_type, object_of
from recollect.verbs.signature import TIME_HINT, Parameter, schema, signature_of

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
    current=TRUTH,
    ended_at=maybe(TIME),
    replaced_by=listed(TEXT),
    partly_ended=TRUTH,
    may_have_changed=listed(shape(id=TEXT, probability=NUMBER, reason=TEXT)),
    security=TEXT,
    code=listed(shape(path=TEXT, state=TEXT)),
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
_AUDIT_ENTRY = shape(
    number=maybe(WHOLE),
    at=TIME,
    event=TEXT,
    verb=TEXT,
    caller=maybe(TEXT),
    channel=TEXT,
    scope=maybe(TEXT),
    count=WHOLE,
    outcome=TEXT,
    detail=ANY_OBJECT,
    unnamed=TRUTH,
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
    "Audit": shape(results=listed(_AUDIT_ENTRY)),
    "AuditReport": shape(
        ok=TRUTH,
        checked=WHOLE,
        first_bad=maybe(WHOLE),
        why=TEXT,
        bad=WHOLE,
        cut_through=maybe(WHOLE),
        sealed=TRUTH,
    ),
    "Neighbourhood": shape(results=listed(ref("Record")), edges=listed(shape(id=TEXT, label=TEXT))),
    "Entity": _ENTITY,
    "Entities": shape(results=listed(ref("Entity"))),
    "EntityProfile": {"allOf": [ref("Entity"), shape(newest=listed(ref("Record")), telling=listed(ref("Record")))]},
    "Report": object_of(
        "warnings",
        "operation",
        warnings=listed(TEXT),
        operation=maybe(TEXT),
        degraded=listed(shape(part=TEXT, since=TIME, why=TEXT, still=TEXT, cure=TEXT)),  # of health
    ),
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
    "Findings": shape(
        findings=listed(shape(check=TEXT, ok=TRUTH, detail=TEXT, cure=maybe(TEXT), code=maybe(TEXT), fixed=TRUTH))
    ),
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
    "list[AuditEntry]": "Audit",
    "AuditReport": "AuditReport",
    "Neighbourhood": "Neighbourhood",
    "EntityProfile | None": "EntityProfile",
    "list[Entity]": "Entities",
    "Report": "Report",
    "RunReport": "RunReport",
    "str": "EdgeId",
    "list[Finding]": "Findings",
}


TITLE = "Recollect"
DESCRIPTION = """\
Long-term memory for AI agents. The names, arguments and answers are those of the Python verbs.

**Scope.** `user_id`, `agent_id`, `project`, `squad` and `channel` say who a call is for. A token holds a scope;
arguments may name it, and others only where that was granted. **Errors** are problem documents (RFC 9457) with a
stable `code`.
"""
PROBLEMS = {
    400: "The body is not JSON.",
    401: "A token is needed, or this one is not valid.",
    403: "Beyond what the token was granted, or its rights.",
    404: "Not there, or not visible from here.",
    408: "The body came too slowly.",
    409: "It contradicts what is stored.",
    412: "The record was changed since that version.",
    413: "Too large.",
    415: "The body is not JSON.",
    422: "An argument makes no sense; nothing was changed.",
    429: "Too many calls; see Retry-After.",
    501: "An optional library is not installed.",
    503: "Not now; see Retry-After.",
    504: "It takes too long.",
}
_REQUEST = "5f2b9c3d1e7a4b60"
# One that is answered with each status.
_EXAMPLES: tuple[RecollectError | problems.Refused, ...] = (
    problems.Refused(400, "the body is not valid JSON"),
    problems.Refused(401, "a token is needed: Authorization: Bearer …", like=errors.AccessDenied),
    errors.AccessDenied("project='beta' is not granted here: this caller holds project='atlas' and may add nothing"),
    errors.NotFound(f"no record has the id {EXAMPLE_ID}, or it is not visible from here"),
    problems.Refused(408, "the body did not arrive in time"),
    errors.UndoRefused("later operations rest on that one; undo them first"),
    errors.VersionConflict("the record is at version 2, not 1; read it again"),
    errors.ContentTooLarge("content has 300000 bytes; 262144 are allowed"),
    problems.Refused(415, "send the body as JSON, with `Content-Type: application/json`"),
    errors.UsageError("top_k must be a whole number from 1 to 1000, not 0"),
    errors.RateLimited("more than 6000 calls in a minute; wait 1 s, or ask for a higher limit"),
    errors.MissingExtra("MCP needs the official SDK; run: pip install 'recollect[mcp]'"),
    errors.StoreBusy("another process held the store too long; try again"),
    errors.SearchTimeout("the search took longer than it may; ask for less, or try again"),
)


def describe(route: VerbRoute) -> dict[str, Any]:
    """The operation of a verb: what it takes, and all it may answer."""
    signature = signature_of(verb_of(route))
    answer = OF_RETURNS.get(signature.returns, "Answer")
    good = {"200": _success("Done.", answer)}
    if route.verb == "add":
        good["201"] = _success("Stored, and on disk.", answer)
    if route.verb == "get":
        good["304"] = {"description": "Still the version you have."}
    return {
        "tags": [route.tag],
        "summary": signature.summary,
        "description": signature.details or signature.summary,
        "operationId": route.operation_id,
        **_parameters(route),
        **_body(route),
        "responses": {**good, **problem_responses()},
    }


def problem_responses(statuses: Iterable[int] = PROBLEMS) -> dict[str, dict[str, Any]]:
    """The answers that say no, each with a document as it may look."""
    examples = {told.status: told.document for told in (problems.Problem(each, _REQUEST) for each in _EXAMPLES)}
    return {
        str(status): {
            "description": PROBLEMS[status],
            "content": {problems.MEDIA_TYPE: {"schema": ref("Problem"), "example": examples[status]}},
        }
        for status in statuses
    }


def document(paths: Iterable[ServerPath]) -> dict[str, Any]:
    """The whole document."""
    operations: dict[str, dict[str, Any]] = {}
    for each in paths:
        operations.setdefault(each.path, {})[each.method.lower()] = each.described
    return {
        "openapi": "3.1.0",
        "info": {"title": TITLE, "description": DESCRIPTION, "version": __version__},
        "paths": operations,
        "components": {"schemas": SCHEMAS, "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "security": [{}, {"token": []}],  # none on loopback, unless it is asked for
    }


def query_parameter(parameter: Parameter) -> dict[str, Any]:
    """An argument as it stands in a query string."""
    kind: Mapping[str, Any] = TEXT
    if takes_many(parameter.type):
        kind = listed(TEXT)
    elif not parameter.time and not takes_object(parameter):
        kind = json_type(parameter.type)
    doc = f"{parameter.doc} {TIME_HINT}" if parameter.time else parameter.doc
    hint = " As JSON." if takes_object(parameter) and not parameter.time else ""
    return {"name": parameter.name, "in": "query", "required": False, "description": doc + hint, "schema": dict(kind)}


def _success(description: str, answer: str) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": ref(answer)}}}


def _parameters(route: VerbRoute) -> dict[str, Any]:
    verb = verb_of(route)
    shown = [each for each in signature_of(verb).parameters if each.name not in verb.hidden]
    found = [_path_parameter(each) for each in shown if each.name in route.in_path]
    if not route.has_body:
        found += [query_parameter(each) for each in shown if each.name not in (*route.in_path, "if_version")]
    if route.verb == "get":
        found.append(_header("If-None-Match", "The ETag of the version you have."))
    if route.verb in ("update", "delete"):
        found.append(_header("If-Match", "Only if the record is still this version: the ETag you got with it."))
    return {"parameters": found} if found else {}


def _path_parameter(parameter: Parameter) -> dict[str, Any]:
    example = {"example": EXAMPLE_ID} if parameter.name == "id" else {}
    kind = {"name": parameter.name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
    return {**kind, "description": parameter.doc, **example}


def _header(name: str, doc: str) -> dict[str, Any]:
    return {"name": name, "in": "header", "required": False, "description": doc, "schema": TEXT}


def _body(route: VerbRoute) -> dict[str, Any]:
    if not route.has_body:
        return {}
    taken = schema(verb_of(route))
    hidden = {*route.in_path, "if_version"}
    taken["properties"] = {name: each for name, each in taken["properties"].items() if name not in hidden}
    required = [name for name in taken.pop("required", []) if name not in hidden]
    taken |= {"required": required} if required else {}
    content = {"schema": taken, **({"example": route.example} if route.example is not None else {})}
    return {"requestBody": {"required": bool(required), "content": {"application/json": content}}}
