"""The eight tools of the assistant's design, as a model is told about them."""

from __future__ import annotations

from typing import Any

from recollect.compat.assistant.nodes import TYPES
from recollect.verbs.schema import object_of, text_of
from recollect.verbs.toolsets.tool import Tool

LIMIT_MAX = 100
WEAK_LIMIT = 20

_FACT_ID = "The fact's id, as another tool gave it."
_TIME = "last_week, last_month, YYYY-MM-DD, or another time in words."


def _count(description: str, **more: Any) -> dict[str, Any]:
    return {"type": "integer", "description": description, "minimum": 1, "maximum": LIMIT_MAX, **more}


def _share(description: str, **more: Any) -> dict[str, Any]:
    return {"type": "number", "description": description, "minimum": 0, "maximum": 1, **more}


ASSISTANT_TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            "search_memory",
            "Search long-term memory: earlier conversations, facts, procedures, opinions. Questions for "
            "causes, times, persons and things are understood as such.",
            object_of(
                "query",
                query=text_of("What to look for, in any words."),
                type=text_of("Only nodes of this type.", enum=list(TYPES)),
                entity_name=text_of("Only what names this person, project, organization, place, concept or tool."),
                after=text_of(f"Only events from then on: {_TIME}"),
                before=text_of(f"Only events before: {_TIME}"),
                limit=_count("How many at most; by default as many as the question is complex."),
            ),
        ),
        Tool(
            "remember_fact",
            "Save a fact, as a sentence that can be understood alone. Use it when the user asks to remember something.",
            object_of(
                "content", content=text_of("The fact."), confidence=_share("How sure it is, from 0 to 1.", default=1.0)
            ),
            writes=True,
        ),
        Tool(
            "correct_fact",
            "Replace a fact that is wrong or no longer true. The old one ends and stays in the history.",
            object_of(
                "fact_id",
                "new_content",
                fact_id=text_of(_FACT_ID),
                new_content=text_of("What is true instead."),
                reason=text_of("Why."),
            ),
            writes=True,
        ),
        Tool(
            "confirm_fact",
            "Confirm a fact: it is certain from now on, and is never forgotten.",
            object_of("fact_id", fact_id=text_of(_FACT_ID)),
            writes=True,
        ),
        Tool(
            "get_entity_info",
            "What is known about a person, project, organization, place, concept or tool: summary, facts, timeline.",
            object_of("name", name=text_of("One of its names.")),
        ),
        Tool("memory_stats", "How much is stored, by type, and when it was last looked after.", object_of()),
        Tool(
            "explain_fact",
            "Where a fact comes from: the turns it was drawn from, what it replaced, whom it names.",
            object_of("fact_id", fact_id=text_of(_FACT_ID)),
        ),
        Tool(
            "weak_facts",
            "Facts of low confidence that need confirming, or will be forgotten soon.",
            object_of(limit=_count("How many at most.", default=WEAK_LIMIT)),
        ),
    )
}
TOOLS: list[dict[str, Any]] = [tool.to_dict() for tool in ASSISTANT_TOOLS.values()]
