"""The six memory tools of RFC-014, for models that call tools: what they are, and what happens when one is called.

RFC-014 runs them over a conversation's DAG and a store beside it. Here both are one memory: a learning is a record with
a category, a turn is a record, and relations are edges. `run` is the whole of it; `handle` only awaits it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from recollect.compat.topology.stored import LABELS, labels_of
from recollect.compat.topology.topology import RelationType
from recollect.compat.topology.unified_store import UnifiedMemoryStore
from recollect.errors import UsageError
from recollect.memory import Memory
from recollect.model.record import Record
from recollect.model.result import Hit
from recollect.perceive.relations import Candidate, relations_in
from recollect.verbs.toolsets.arguments import checked
from recollect.verbs.toolsets.tool import Tool, object_of, text_of

SHOWN_CHARS = 200  # of each record
SHOWN_MAX = 5  # records related to something
_LIMIT, _LIMIT_MAX = 5, 100
_ABOUT_USER = ("user_info", "preference", "constraint")
_LEARNED = (*_ABOUT_USER, "decision", "insight")
_DEAD_END = "dead_end"
_CONTENT_TYPES: dict[str, dict[str, Sequence[str]]] = {
    "any": {}, "conversation": {"kinds": ("episodic",)}, "learning": {"categories": _LEARNED},
    "decision": {"categories": ("decision",)}, _DEAD_END: {"categories": (_DEAD_END,)},
    "user_info": {"categories": ("user_info",)},
}  # fmt: skip
_RELATIONSHIPS = ("any", "elaborates", "depends_on", "contradicts", "supersedes")
_SPEAKERS = {"user": "User", "assistant": "Assistant"}


MEMORY_TOOLS: dict[str, Tool] = {tool.name: tool for tool in (
    Tool("search_memory", "Look for something in earlier conversations, learned facts and documents. Use it when an "
         "answer may depend on what was said or decided before.", object_of(
             "query", query=text_of("What to look for, in any words."),
             content_type=text_of("Only this sort of memory.", enum=list(_CONTENT_TYPES), default="any"),
             limit={"type": "integer", "description": "How many at most.", "default": _LIMIT,
                    "minimum": 1, "maximum": _LIMIT_MAX})),
    Tool("recall_user_info", "What is known about the user: name, preferences, constraints. Use it before answering "
         "questions about the user.", object_of()),
    Tool("find_related", "What elaborates on a topic, is needed for it, contradicts or replaces it: follows the "
         "relations of what is stored about it.", object_of(
             "topic", topic=text_of("The topic, in any words."),
             relationship=text_of("Only along this relation.", enum=list(_RELATIONSHIPS), default="any"))),
    Tool("find_contradictions", "What speaks against a statement. Use it before claiming something.", object_of(
             "statement", statement=text_of("The statement to check."))),
    Tool("add_learning", "Remember a fact, a decision or an insight for later. Use it when the user says something "
         "about themselves, when something is decided, or when you find out something worth knowing.", object_of(
             "fact", "category", fact=text_of("What to remember, as a sentence that can be understood alone."),
             category=text_of("What sort of thing it is.", enum=list(_LEARNED)),
             confidence={"type": "number", "description": "How sure it is, from 0 to 1.", "default": 1.0,
                         "minimum": 0, "maximum": 1}), "read_only"),
    Tool("mark_dead_end", "Record that an approach does not work, and why, so that nobody tries it again.", object_of(
             "approach", "reason", approach=text_of("What was tried."), reason=text_of("Why it does not work.")),
         "read_only"),
)}  # fmt: skip
TOOLS: list[dict[str, Any]] = [tool.to_dict() for tool in MEMORY_TOOLS.values()]


class MemoryToolHandler:
    """Runs the tools on a memory, or on the memory of a `UnifiedMemoryStore`.

    Give a scoped handle (`memory.scoped(user_id="ana")`) to keep the tools within a scope. `session_id` is the
    conversation they are called in. Where RFC-014 has its DAG, give the memory.
    """

    def __init__(
        self,
        dag: Memory | UnifiedMemoryStore | None = None,
        store: UnifiedMemoryStore | None = None,
        embedder: Any = None,
        *,
        session_id: str | None = None,
    ) -> None:
        given = dag if dag is not None else store
        memory = given.memory if isinstance(given, UnifiedMemoryStore) else given
        if not isinstance(memory, Memory):
            raise UsageError("the tools need a memory: MemoryToolHandler(recollect.open())")
        if store is not None and embedder is not None:
            store.set_embedder(embedder)
        self.memory = memory
        self.store = store
        self._session = session_id
        self._tools: dict[str, Callable[..., str]] = {
            "search_memory": self._search_memory, "recall_user_info": self._recall_user_info,
            "find_related": self._find_related, "find_contradictions": self._find_contradictions,
            "add_learning": self._add_learning, "mark_dead_end": self._mark_dead_end,
        }  # fmt: skip

    async def handle(self, tool_name: str, arguments: Mapping[str, Any] | None = None) -> str:
        """What `run` answers, without blocking the loop."""
        return await asyncio.to_thread(self.run, tool_name, arguments)

    def run(self, tool_name: str, arguments: Mapping[str, Any] | None = None) -> str:
        """Run a tool; its answer for the model. Arguments that its schema does not allow are a `UsageError`."""
        tool = MEMORY_TOOLS.get(tool_name)
        if tool is None:
            return f"Unknown memory tool: {tool_name}"
        return self._tools[tool_name](**checked(tool, arguments or {}))

    # --- finding ------------------------------------------------------------------------------------------------

    def _search_memory(self, query: str, content_type: str, limit: int) -> str:
        only = _CONTENT_TYPES[content_type]
        found = self.memory.search(
            query, top_k=limit, asked_in=self._session, kinds=only.get("kinds"), categories=only.get("categories")
        )
        if not found:
            return f"No results found for '{query}'"
        doubt = [f"Nothing stored seems to answer '{query}'; what comes nearest:"] if found.abstained else []
        return "\n".join([*doubt, *(f"[{_sort(hit)}] {_cut(hit.content)}" for hit in found)])

    def _recall_user_info(self) -> str:
        page = self.memory.get_all(categories=_ABOUT_USER, limit=_LIMIT_MAX)
        oldest_first = page.records[::-1]
        told = [record for category in _ABOUT_USER for record in oldest_first if record.category == category]
        return "\n".join(f"- {record.content}" for record in told) or "No user information stored."

    def _find_related(self, topic: str, relationship: str) -> str:
        start = self.memory.search(topic, top_k=1, asked_in=self._session)
        if not start:
            return f"No information found about '{topic}'"
        near = self._along(start[0].id, relationship)
        return _listed(near[:SHOWN_MAX]) or f"No related information found for '{topic}'"

    def _along(self, id: str, relationship: str) -> Sequence[Record]:
        """What a relation leads to, as RFC-014 reads it: who elaborates, but what is depended on."""
        if relationship == "any":
            return self.memory.related(id, labels=LABELS).records
        if relationship == "depends_on":
            return self.memory.dependencies(id).records
        direction = "in" if relationship == "elaborates" else "out"
        return self.memory.related(id, labels=labels_of(RelationType(relationship)), direction=direction).records

    def _find_contradictions(self, statement: str) -> str:
        """What is related as a contradiction to what the statement finds, and what contradicts it by its wording."""
        near = self.memory.search(statement, top_k=SHOWN_MAX, asked_in=self._session)
        sure: dict[str, tuple[str, float]] = {}
        candidates = [Candidate(key=hit.id, text=hit.content) for hit in near]
        for relation in relations_in(statement, candidates):
            if relation.label == RelationType.CONTRADICTS:
                said = next(hit.content for hit in near if hit.id == relation.key)
                sure[relation.key] = (said, relation.confidence)
        for hit in near:
            against = self.memory.contradictions(hit.id)
            for record in against:
                joined = [e.confidence for e in against.edges if record.id in {m.record_id for m in e.members}]
                sure.setdefault(record.id, (record.content, max(joined, default=0.0)))
        plain = " ".join(statement.split()).casefold()
        against_it = [each for each in sure.values() if " ".join(each[0].split()).casefold() != plain]
        lines = [f"- {_cut(content)} (confidence: {confidence:.2f})" for content, confidence in against_it[:SHOWN_MAX]]
        return "\n".join(["Potential contradictions:", *lines]) if lines else "No contradictions found."

    # --- storing ------------------------------------------------------------------------------------------------

    def _add_learning(self, fact: str, category: str, confidence: float) -> str:
        self._keep(fact, category, confidence)
        return f"✓ Learned: [{category}] {fact}"

    def _mark_dead_end(self, approach: str, reason: str) -> str:
        self._keep(f"Dead end: {approach} - {reason}", _DEAD_END, 1.0)
        return f"✓ Marked as dead end: {approach}"

    def _keep(self, content: str, category: str, confidence: float) -> None:
        kind = "opinion" if category == "preference" else "semantic"
        self.memory.add(
            content, kind=kind, category=category, confidence=confidence, session_id=self._session, infer=False
        )


def _sort(hit: Hit) -> str:
    """What a hit is to the model: who said it, what was learned, or some other memory."""
    if hit.role in _SPEAKERS:
        return _SPEAKERS[hit.role]
    return f"Learning/{hit.category}" if hit.category in (*_LEARNED, _DEAD_END, "fact") else "Memory"


def _listed(records: Sequence[Record]) -> str:
    return "\n".join(f"- {_cut(record.content)}" for record in records)


def _cut(content: str) -> str:
    return content if len(content) <= SHOWN_CHARS else f"{content[:SHOWN_CHARS]}..."
