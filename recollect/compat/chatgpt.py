"""`search` and `fetch` in the shapes that ChatGPT's connectors and deep research expect."""

from __future__ import annotations

from typing import Any

from recollect.errors import NotFound
from recollect.memory import Memory
from recollect.verbs.schema import object_of, text_of
from recollect.verbs.toolsets.brief import day
from recollect.verbs.toolsets.tool import Tool

RESULTS = 10
TITLE_CHARS = 80


def address_of(id_: str) -> str:
    """Where a record is, for citations and as a resource."""
    return f"recollect://record/{id_}"


def title_of(content: str) -> str:
    """The first words of a record."""
    line = content.strip().partition("\n")[0]
    return line if len(line) <= TITLE_CHARS else f"{line[: TITLE_CHARS - 1].rstrip()}…"


def search(memory: Memory, given: dict[str, Any]) -> dict[str, Any]:
    found = memory.search(given["query"], top_k=RESULTS)
    return {"results": [{"id": hit.id, "title": title_of(hit.content), "url": address_of(hit.id)} for hit in found]}


def fetch(memory: Memory, given: dict[str, Any]) -> dict[str, Any]:
    record = memory.get(given["id"])
    if record is None:
        raise NotFound(f"no document has the id {given['id'][:80]}, or it is not visible from here")
    about = {
        "kind": record.kind.value,
        "category": record.category,
        "date": day(record.event_time or record.created_at),
        "confidence": f"{record.confidence:.2f}",
        **({"tags": ", ".join(record.tags)} if record.tags else {}),
    }
    return {
        "id": record.id,
        "title": title_of(record.content),
        "text": record.content,
        "url": address_of(record.id),
        "metadata": about,
    }


TOOLSET = (
    Tool(
        "search",
        "Search the memory for documents; `fetch` gives one in full.",
        object_of("query", query=text_of("The question, in natural words.")),
        call=search,
    ),
    Tool(
        "fetch",
        "One document of the memory in full, by the id that `search` gave.",
        object_of("id", id=text_of("The document's id.")),
        call=fetch,
    ),
)
