"""Tools for agents that write code: what they are to remember, and what to know before they touch a file.

The design's tools over a graph of the code (impact of a change, dependencies of a file, flow of data) have no verbs
yet and are left out.
"""

from __future__ import annotations

from typing import Any

from recollect.compat.engram import MEMORY_SEARCH
from recollect.memory import Memory
from recollect.verbs.schema import list_of, object_of, text_of
from recollect.verbs.toolsets.brief import short
from recollect.verbs.toolsets.default import BY_NAME, stored
from recollect.verbs.toolsets.tool import Tool

TYPES = (
    "gotcha",
    "decision",
    "preference",
    "pattern",
    "requirement",
    "error_pattern",
    "module_insight",
    "workflow",
    "work_state",
    "dead_end",
)
_SESSION = text_of("A name for this session.")


def remember_this(memory: Memory, given: dict[str, Any]) -> dict[str, Any]:
    """Keep something learned at work. A search reads its files in the text and as `related_files` of the metadata."""
    content, files = given["content"], list(dict.fromkeys(given.get("files", [])))
    unnamed = [path for path in files if path not in content]
    text = f"{content} ({', '.join(unnamed)})" if unnamed else content
    metadata = {"related_files": files} if files else None
    return stored(memory.remember(text, category=given["type"], metadata=metadata, session_id=given.get("session_id")))


def compact_session(memory: Memory, given: dict[str, Any]) -> dict[str, Any]:
    receipt = memory.compact(given["summary"], session_id=given.get("session_id"))
    return {"ids": [short(id_) for id_ in receipt.ids], "known": len(receipt.merged), "status": "stored"}


TOOLSET = (
    MEMORY_SEARCH,
    BY_NAME["get_context"],
    Tool(
        "remember_this",
        "Remember something learned while working on code: a trap, a decision, a pattern, what a "
        "module does, what failed. One thing at a time, understandable alone.",
        object_of(
            "content",
            content=text_of("What was learned."),
            type=text_of("What sort of thing it is.", enum=list(TYPES), default="module_insight"),
            files=list_of("Files it is about."),
            session_id=_SESSION,
        ),
        writes=True,
        call=remember_this,
    ),
    Tool(
        "compact_session",
        "Keep what a session came to before it ends: one memory for each thing the summary "
        "states. Given again, it changes nothing.",
        object_of("summary", summary=text_of("Decisions, facts, open ends: one to a line."), session_id=_SESSION),
        writes=True,
        call=compact_session,
        idempotent=True,
    ),
)
