"""Records, entities and an agent's inbox as resources: for people who point at them, and for models."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, unquote

import mcp_types as types

from recollect.errors import NotFound, shown
from recollect.limits import PAGE_RECORDS_MAX
from recollect.memory import Memory
from recollect.model.publication import BusMessage
from recollect.model.showable import inert, inert_data
from recollect.verbs.toolsets.brief import as_json
from recollect.verbs.toolsets.default import BY_NAME

RECORD, ENTITY, INBOX = "recollect://record/", "recollect://entity/", "recollect://inbox"
JSON = "application/json"
LISTED = 20  # of each
MESSAGES = 50  # of an inbox, the newest
TITLE_CHARS = 60
_DERIVED = frozenset({"memory", "content_hash", "perceived"})  # says again what the text says
TEMPLATES = (
    types.ResourceTemplate(
        uri_template=RECORD + "{id}",
        name="record",
        title="A memory",
        mime_type=JSON,
        description="A memory in full, by its id or the first eight characters of it.",
    ),
    types.ResourceTemplate(
        uri_template=ENTITY + "{name}",
        name="entity",
        title="What is known about somebody or something",
        mime_type=JSON,
        description="A person, project, place, tool or thing by one of its names.",
    ),
)


def listed(memory: Memory) -> list[types.Resource]:
    """The newest records, and who is named most."""
    records = [
        types.Resource(uri=f"{RECORD}{record.id}", name=_title(record.content), mime_type=JSON)
        for record in memory.get_all(limit=LISTED)
    ]
    entities = [
        types.Resource(
            uri=ENTITY + quote(each.name, safe=""), name=inert(each.name), mime_type=JSON, description=each.type.value
        )
        for each in memory.entities(limit=LISTED)
    ]
    inbox = types.Resource(uri=INBOX, name="inbox", mime_type=JSON, description="What other agents told this one.")
    return [*([inbox] if memory.grant.held.agent_id else []), *records, *entities]


def read(memory: Memory, uri: str) -> types.ReadResourceResult:
    """A resource by its address; `NotFound` for what is not there or not visible."""
    text = types.TextResourceContents(uri=uri, mime_type=JSON, text=as_json(inert_data(_behind(memory, uri))))
    return types.ReadResourceResult(contents=[text])


def _behind(memory: Memory, uri: str) -> Any:
    if uri.startswith(ENTITY):
        return BY_NAME["entity_info"].call(memory, {"name": unquote(uri.removeprefix(ENTITY))})
    if uri == INBOX:
        return _inbox(memory)
    record = memory.get(uri.removeprefix(RECORD)) if uri.startswith(RECORD) else None
    if record is None:
        raise NotFound(f"there is no resource {shown(uri, 80)}, or it is not visible from here")
    return {name: value for name, value in record.to_dict().items() if value and name not in _DERIVED}


def _inbox(memory: Memory) -> dict[str, Any]:
    """The newest messages, the oldest of them first."""
    told: list[BusMessage] = []
    while page := memory.bus.inbox(newer_than=told[-1].number if told else 0, limit=PAGE_RECORDS_MAX):
        told = [*told, *page][-MESSAGES:]
    return {"messages": [each.to_dict() for each in told]}


def _title(content: str) -> str:
    line = inert(content).strip().partition("\n")[0]
    return line if len(line) <= TITLE_CHARS else f"{line[: TITLE_CHARS - 1]}…"
