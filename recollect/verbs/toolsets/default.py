"""The nine tools a model is given unless somebody asks for others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from recollect.errors import BudgetTooSmall, InvalidQuery, NotFound, shown
from recollect.limits import TOP_K_MAX
from recollect.providers.tokens import counter_for
from recollect.verbs.toolsets.brief import budget_of, day, fitting, hit_in_brief, paged, records_in_brief, short
from recollect.verbs.toolsets.tool import Answer, Tool, list_of, object_of, text_of

if TYPE_CHECKING:
    from recollect.memory import Memory
    from recollect.model.result import Receipt, Recollection

LIMIT = 10
NEAREST = 3  # hits told where none seems to answer
CONTEXT_TOKENS = 2_000
CONTEXT_TOKENS_MIN = 200  # holds the marks and a record or two
WRITES = "read_only"  # the trust of a tool that writes into this memory and touches nothing else
ABOUT = 8  # memories told of an entity

ID = text_of("Id of the memory.")
LIMITED = {"type": "integer", "description": f"At most so many; {LIMIT} by default.", "minimum": 1}
BUDGET = {"type": "integer", "description": "Tokens the answer may have.", "minimum": 1}
CURSOR = text_of("From the answer before, for more.")
SHARE = {"type": "number", "description": "0 to 1.", "minimum": 0, "maximum": 1}
SESSION = text_of("The session it belongs to.")
METADATA = {"type": "object", "description": "Further facts about it, as JSON."}


def stored(receipt: Receipt) -> dict[str, Any]:
    """What became of something to remember, and what is odd about it."""
    odd = {"flags": list(receipt.flags)} if receipt.flags else {}
    if not receipt.ids:
        return {"id": None, "status": "skipped", "why": [each.reason for each in receipt.skipped]} | odd
    known = receipt.id in receipt.merged
    return {"id": short(receipt.id), "status": "known already" if known else "stored"} | odd


def add_memory(memory: Memory, given: dict[str, Any]) -> dict[str, Any]:
    return stored(memory.remember(**given))


def search_memories(memory: Memory, given: dict[str, Any]) -> dict[str, Any]:
    """Hits as a page. Further pages ask for more of the same search and leave out what came before.

    Where nothing seems to answer, that is said first, and only the nearest are told unless more were asked for.
    """
    wanted, start = given.pop("limit", None), offset(given.pop("cursor", None))
    limit = LIMIT if wanted is None else wanted
    tokens = budget_of(memory, given.pop("max_tokens", None))
    conditions = [name for name in given if name != "query"]
    category = given.pop("category", None)
    found = memory.search(
        **given, top_k=min(start + limit + 1, TOP_K_MAX), categories=None if category is None else [category]
    )
    if found.abstained and wanted is None and not start:
        limit = NEAREST
    shown_hits = [hit_in_brief(hit) for hit in found[start : start + limit]]
    page = paged(shown_hits, tokens=tokens, start=start, more=len(found) > start + limit)
    return ({"note": _doubt(found, conditions)} if found.abstained else {}) | page


def _doubt(found: Recollection, conditions: Sequence[str]) -> str:
    """Why the answer may not be among the hits, and what could be done."""
    if not found and conditions:
        return f"nothing that is stored meets {', '.join(conditions)}; ask again without"
    nearest = "; these come nearest" if found else ""
    return f"nothing stored seems to answer this: {found.reason}{nearest}"


def offset(cursor: str | None) -> int:
    """Where a page begins."""
    if cursor is None:
        return 0
    if not cursor.isdecimal() or int(cursor) >= TOP_K_MAX:
        raise InvalidQuery(f"cursor must be one from an earlier answer, not {shown(cursor, 40)}")
    return int(cursor)


def get_context(memory: Memory, given: dict[str, Any]) -> Answer:
    """What is remembered, without the prompt: the budget is for the answer alone."""
    counter = counter_for(None)
    budget = given.get("max_tokens", CONTEXT_TOKENS) + counter.count(given["prompt"])
    try:
        window = memory.context(given["prompt"], max_tokens=budget)
    except BudgetTooSmall:
        told = f"{given.get('max_tokens', CONTEXT_TOKENS)} tokens hold no memory"
        raise BudgetTooSmall(f"{told}; give max_tokens={CONTEXT_TOKENS_MIN} or more, or leave it out") from None
    text = window.text if window.ids else "Nothing is remembered that bears on this."
    return Answer({"text": text, "tokens": counter.count(text), "ids": [short(id_) for id_ in window.ids]}, text)


def update_memory(memory: Memory, given: dict[str, Any]) -> dict[str, Any]:
    receipt = memory.update(given.pop("id"), **given)
    return {"id": short(receipt.id), "status": "updated"}


def delete_memory(memory: Memory, given: dict[str, Any]) -> dict[str, Any]:
    receipt = memory.delete(given["id"], reason=given.get("reason"))
    return {"id": short(receipt.id), "status": "deleted", "undo": receipt.operation}


def relate_memories(memory: Memory, given: dict[str, Any]) -> dict[str, Any]:
    edge = memory.relate(given["source_id"], given["target_id"], given["relation"])
    return {"edge": edge, "status": "related"}


def entity_info(memory: Memory, given: dict[str, Any]) -> dict[str, Any]:
    profile = memory.entity(given["name"])
    if profile is None:
        raise NotFound(f"nothing is known here about {given['name'][:80]} by that name; search for it in other words")
    told = {record.id: record for record in (*profile.telling, *profile.newest)}
    who = profile.entity
    about = {
        "name": who.name,
        "type": who.type.value,
        "also": list(who.aliases),
        "summary": who.summary,
        "mentions": who.mention_count,
        "since": day(who.first_seen),
        "last": day(who.last_seen),
        "with": [each.name for each in profile.together[:ABOUT]],
    }
    briefs = records_in_brief(memory, list(told.values())[:ABOUT])
    return {name: value for name, value in about.items() if value} | {
        "memories": fitting(briefs, budget_of(memory, None))
    }


def memory_feedback(memory: Memory, given: dict[str, Any]) -> dict[str, Any]:
    receipt = memory.feedback(given.pop("id"), **given)
    return {"id": short(receipt.id), "status": "noted"}


def memory_stats(memory: Memory, _: dict[str, Any]) -> dict[str, Any]:
    figures = memory.stats().figures
    return {name: figures[name] for name in ("records", "by_kind", "by_category") if name in figures}


ADD_MEMORY = Tool(
    "add_memory",
    "Remember a fact, preference, decision or event for later sessions. Write sentences that can be "
    "understood alone, with names and dates.",
    object_of(
        "content",
        content=text_of("What to remember."),
        category=text_of("Such as fact, preference, decision, gotcha."),
        importance=SHARE,
        tags=list_of("Words to find it by."),
        timestamp=text_of("When it happened, if not now."),
    ),
    WRITES,
    call=add_memory,
    silent={
        "kind": text_of("episodic, semantic, procedural or opinion."),
        "confidence": SHARE,
        "metadata": METADATA,
        "session_id": SESSION,
        "source": text_of("Where it comes from."),
        "valid_from": text_of("Since when it is so."),
        "valid_until": text_of("Until when it is so."),
    },
)
SEARCH_MEMORIES = Tool(
    "search_memories",
    "Search what is remembered, best first. Ask in full words; names and times are understood. "
    "Call it before you say that you do not know.",
    object_of(
        "query",
        query=text_of("The question."),
        limit=LIMITED,
        category=text_of("Only this category."),
        after=text_of("Only from then on: a date, or 'last week'."),
        before=text_of("Only before then."),
        as_of=text_of("What was true then."),
        max_tokens=BUDGET,
        cursor=CURSOR,
    ),
    call=search_memories,
    silent={
        "kinds": list_of("Only these kinds."),
        "tags": list_of("Only what has all of these tags."),
        "session_id": text_of("Only what comes from this session."),
        "known_at": text_of("What was believed then."),
        "filters": METADATA,
        "phase": text_of("What you are doing: planning, coding, ..."),
        "threshold": SHARE,
        "place": text_of("Only what comes from this file or section."),
    },
)
GET_CONTEXT = Tool(
    "get_context",
    "Everything remembered that bears on a task, packed into one text. Call it when work begins.",
    object_of("prompt", prompt=text_of("The task or question."), max_tokens=BUDGET),
    call=get_context,
)
UPDATE_MEMORY = Tool(
    "update_memory",
    "Correct a memory. The old version stays in its history.",
    object_of(
        "id",
        id=ID,
        content=text_of("The new text."),
        category=text_of("Another category."),
        importance=SHARE,
        tags=list_of("All its tags."),
        reason=text_of("Why."),
    ),
    WRITES,
    call=update_memory,
    destructive=True,
    idempotent=True,
)
DELETE_MEMORY = Tool(
    "delete_memory",
    "Forget a memory that is wrong or not wanted.",
    object_of("id", id=ID, reason=text_of("Why.")),
    WRITES,
    call=delete_memory,
    destructive=True,
    idempotent=True,
)
RELATE_MEMORIES = Tool(
    "relate_memories",
    "Relate two memories.",
    object_of(
        "source_id",
        "target_id",
        source_id=ID,
        target_id=ID,
        relation=text_of("Such as supports, contradicts, depends_on, causes, part_of.", default="relates_to"),
    ),
    WRITES,
    call=relate_memories,
    idempotent=True,
)
ENTITY_INFO = Tool(
    "entity_info",
    "What is known about a person, project, place, tool or thing.",
    object_of("name", name=text_of("One of its names.")),
    call=entity_info,
)
MEMORY_FEEDBACK = Tool(
    "memory_feedback",
    "Say whether a memory helped; one that did not is left out of such answers.",
    object_of(
        "id",
        "helpful",
        id=ID,
        helpful={"type": "boolean", "description": "Whether it did."},
        query=text_of("What was asked."),
        reason=text_of("Why."),
    ),
    WRITES,
    call=memory_feedback,
)
MEMORY_STATS = Tool("memory_stats", "How much is remembered, by kind and category.", object_of(), call=memory_stats)

TOOLSET = (
    ADD_MEMORY,
    SEARCH_MEMORIES,
    GET_CONTEXT,
    UPDATE_MEMORY,
    DELETE_MEMORY,
    RELATE_MEMORIES,
    ENTITY_INFO,
    MEMORY_FEEDBACK,
    MEMORY_STATS,
)
