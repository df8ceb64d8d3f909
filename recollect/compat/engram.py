"""Engram's tools for agents: its seven, `memory_reason`, and pages about a time, over the one store."""

from __future__ import annotations

from typing import Any

from recollect.memory import Memory
from recollect.model.page import TimePage
from recollect.model.record import CATEGORIES
from recollect.verbs.schema import list_of, object_of, text_of
from recollect.verbs.toolsets.brief import budget_of, fitting, hit_in_brief, records_in_brief, short, tokens_of
from recollect.verbs.toolsets.default import BY_NAME, LIMIT, stored
from recollect.verbs.toolsets.tool import Tool, ToolAnswer

RELATIONSHIPS = {
    "supports": "supports",
    "contradicts": "contradicts",
    "caused_by": "caused_by",
    "related_to": "relates_to",
}
PHASES = ("planning", "coding", "qa_review", "debugging", "insights", "spec")
_DEPTH_MAX = 20
_BRIEFS = ("morning", "session")
_WEEK_DAYS = 7.0
_ID = text_of("Id of the memory.")
_BUDGET = {"type": "integer", "description": "Tokens the answer may have.", "minimum": 1}
_CURSOR = text_of("From the answer before, for more.")
_IMPORTANCE = {"type": "number", "description": "How important: 0 trivial, 1 critical.", "minimum": 0, "maximum": 1}
_LIST_LIMIT = {"type": "integer", "description": "How many at most.", "default": LIMIT, "minimum": 1, "maximum": 1_000}
_UNKNOWN_TO_MODELS = {"turn", "entity", "snippet", "schema"}  # categories that records get by themselves


def memory_store(memory: Memory, given: dict[str, Any]) -> dict[str, Any]:
    return stored(memory.remember(**given))


def memory_search(memory: Memory, given: dict[str, Any]) -> ToolAnswer | dict[str, Any]:
    """A search; files it is about are named in the question, where they find what goes with them."""
    files = given.pop("files", ())
    given["query"] = " ".join((given["query"], *files))
    return BY_NAME["search_memories"].call(memory, given)


def memory_list(memory: Memory, given: dict[str, Any]) -> dict[str, Any]:
    """The newest, a page at a time. A page too long for an answer is asked for again, shorter."""
    categories = [given["category"]] if "category" in given else None
    page = memory.get_all(limit=given["limit"], cursor=given.get("cursor"), categories=categories)
    kept = fitting(records_in_brief(memory, page), budget_of(memory, given.get("max_tokens")))
    if len(kept) < len(page):
        page = memory.get_all(limit=len(kept), cursor=given.get("cursor"), categories=categories)
    return {"results": kept, **({"cursor": page.cursor} if page.cursor else {})}


def memory_relate(memory: Memory, given: dict[str, Any]) -> dict[str, Any]:
    edge = memory.relate(given["source_id"], given["target_id"], RELATIONSHIPS[given["relationship"]])
    return {"edge": edge, "status": "related"}


def memory_reason(memory: Memory, given: dict[str, Any]) -> dict[str, Any]:
    """The answer with what it cites, and the evidence; without a language model the evidence alone."""
    found = memory.reason(given["question"], depth=given.get("depth"))
    judged = found.tree.judgement
    doubt = "; ".join(judged.reasons) if judged.state == "gaps" and found.stopped != "sufficient" else ""
    answered = {
        "note": doubt,
        "answer": found.answer,
        "cites": [short(id_) for id_ in found.citations],
        "asked": [node.question for node in found.tree.walk()][1:],
        "missing": list(found.missing),
    }
    told = {name: value for name, value in answered.items() if value}
    left = budget_of(memory, given.get("max_tokens")) - tokens_of(told)
    return told | {"evidence": fitting((hit_in_brief(hit) for hit in found.evidence), left)}


def memory_reflect(memory: Memory, given: dict[str, Any]) -> dict[str, Any]:
    return page_in_brief(memory, memory.reflect(days=given.get("days", _WEEK_DAYS)), given)


def memory_brief(memory: Memory, given: dict[str, Any]) -> dict[str, Any]:
    return page_in_brief(memory, memory.brief(given.get("kind", _BRIEFS[0])), given)


def page_in_brief(memory: Memory, page: TimePage, given: dict[str, Any]) -> dict[str, Any]:
    """The sections of a page, as far as they fit into an answer."""
    told = (
        {
            "heading": each.heading,
            "lines": [{"text": line.text, "id": line.id and short(line.id)} for line in each.lines],
        }
        for each in page.sections
    )
    return {"title": page.title, "sections": fitting(told, budget_of(memory, given.get("max_tokens")))}


MEMORY_STORE = Tool(
    "memory_store",
    "Store a fact, preference or instruction in long-term memory.",
    object_of(
        "content",
        content=text_of("The fact to remember."),
        category=text_of(
            "What sort of thing it is.", enum=[each for each in CATEGORIES if each not in _UNKNOWN_TO_MODELS]
        ),
        importance=_IMPORTANCE,
    ),
    writes=True,
    call=memory_store,
)
MEMORY_SEARCH = Tool(
    "memory_search",
    "Search long-term memory, best first.",
    object_of(
        "query",
        query=text_of("What to look for, in any words."),
        category=text_of("Only this category."),
        files=list_of("Files it is about."),
        phase=text_of("What you are doing.", enum=list(PHASES)),
        limit=_LIST_LIMIT,
        max_tokens=_BUDGET,
        cursor=_CURSOR,
    ),
    call=memory_search,
)
TOOLSET = (
    MEMORY_STORE,
    MEMORY_SEARCH,
    Tool(
        "memory_update",
        "Update a memory with corrected information.",
        object_of("id", "content", id=_ID, content=text_of("The corrected text."), reason=text_of("Why it is needed.")),
        writes=True,
        call=BY_NAME["update_memory"].call,
        destructive=True,
        idempotent=True,
    ),
    Tool(
        "memory_delete",
        "Delete an obsolete or incorrect memory.",
        object_of("id", id=_ID, reason=text_of("Why it should go.")),
        writes=True,
        call=BY_NAME["delete_memory"].call,
        destructive=True,
        idempotent=True,
    ),
    Tool(
        "memory_list",
        "List memories, newest first.",
        object_of(category=text_of("Only this category."), limit=_LIST_LIMIT, max_tokens=_BUDGET, cursor=_CURSOR),
        call=memory_list,
    ),
    BY_NAME["memory_feedback"],
    Tool(
        "memory_relate",
        "Relate two memories.",
        object_of(
            "source_id",
            "target_id",
            "relationship",
            source_id=_ID,
            target_id=_ID,
            relationship=text_of("How the first stands to the second.", enum=list(RELATIONSHIPS)),
        ),
        writes=True,
        call=memory_relate,
        idempotent=True,
    ),
    Tool(
        "memory_reason",
        "Work out a question that one search does not answer: looks for what is missing, asks "
        "further questions, follows relations, and gives the evidence, with an answer where a model is configured.",
        object_of(
            "question",
            question=text_of("The question."),
            depth={
                "type": "integer",
                "description": "How deep questions may lead to further ones.",
                "minimum": 0,
                "maximum": _DEPTH_MAX,
            },
            max_tokens=_BUDGET,
        ),
        call=memory_reason,
    ),
    Tool(
        "memory_reflect",
        "A page about the last days: what was learned, what happened and changed, what is open.",
        object_of(days={"type": "number", "description": "How many days.", "minimum": 0}, max_tokens=_BUDGET),
        call=memory_reflect,
    ),
    Tool(
        "memory_brief",
        "What a morning or a session begins with: what is usual and due, what happened last.",
        object_of(kind=text_of("Which of them.", enum=list(_BRIEFS)), max_tokens=_BUDGET),
        call=memory_brief,
    ),
)
