"""The six memory tools of RFC-014, for models that call tools: what they are, and what happens when one is called.

RFC-014 runs them over a conversation's DAG and a store beside it. Here each of the two is a memory, and they may be
one: a learning is a record with a category, a turn is a record, and relations are edges. A question goes to both, a
learning to the conversation's. `run` is the whole of it; `handle` only awaits it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from recollect.compat.topology.stored import LABELS, labels_of
from recollect.compat.topology.topology import RelationType
from recollect.compat.topology.unified_store import UnifiedMemoryStore
from recollect.errors import UsageError
from recollect.facade.handle import engine_of
from recollect.memory import Memory
from recollect.model.record import Record
from recollect.model.result import Hit
from recollect.model.showable import inert
from recollect.perceive.relations.standing import RelationCandidate, relations_in
from recollect.providers.tokens import counter_for
from recollect.verbs.schema import object_of, text_of
from recollect.verbs.toolsets.arguments import complete, opened
from recollect.verbs.toolsets.brief import CUT, budget_of
from recollect.verbs.toolsets.tool import Tool, ToolAnswer, ToolCall

SHOWN_CHARS = 200  # of each record
SHOWN_MAX = 5  # records related to something
_LIMIT, _LIMIT_MAX = 5, 100
_ABOUT_USER = ("user_info", "preference", "constraint")
_LEARNED = (*_ABOUT_USER, "decision", "insight")
_DEAD_END = "dead_end"
_CONTENT_TYPES: dict[str, dict[str, Sequence[str]]] = {
    "any": {},
    "conversation": {"kinds": ("episodic",)},
    "learning": {"categories": _LEARNED},
    "decision": {"categories": ("decision",)},
    _DEAD_END: {"categories": (_DEAD_END,)},
    "user_info": {"categories": ("user_info",)},
}
_RELATIONSHIPS = ("any", "elaborates", "depends_on", "contradicts", "supersedes")
_SPEAKERS = {"user": "User", "assistant": "Assistant"}


MEMORY_TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            "search_memory",
            "Look for something in earlier conversations, learned facts and documents. Use it when an "
            "answer may depend on what was said or decided before.",
            object_of(
                "query",
                query=text_of("What to look for, in any words."),
                content_type=text_of("Only this sort of memory.", enum=list(_CONTENT_TYPES), default="any"),
                limit={
                    "type": "integer",
                    "description": "How many at most.",
                    "default": _LIMIT,
                    "minimum": 1,
                    "maximum": _LIMIT_MAX,
                },
            ),
        ),
        Tool(
            "recall_user_info",
            "What is known about the user: name, preferences, constraints. Use it before answering "
            "questions about the user.",
            object_of(),
        ),
        Tool(
            "find_related",
            "What elaborates on a topic, is needed for it, contradicts or replaces it: follows the "
            "relations of what is stored about it.",
            object_of(
                "topic",
                topic=text_of("The topic, in any words."),
                relationship=text_of("Only along this relation.", enum=list(_RELATIONSHIPS), default="any"),
            ),
        ),
        Tool(
            "find_contradictions",
            "What speaks against a statement. Use it before claiming something.",
            object_of("statement", statement=text_of("The statement to check.")),
        ),
        Tool(
            "add_learning",
            "Remember a fact, a decision or an insight for later. Use it when the user says something "
            "about themselves, when something is decided, or when you find out something worth knowing.",
            object_of(
                "fact",
                "category",
                fact=text_of("What to remember, as a sentence that can be understood alone."),
                category=text_of("What sort of thing it is.", enum=list(_LEARNED)),
                confidence={
                    "type": "number",
                    "description": "How sure it is, from 0 to 1.",
                    "default": 1.0,
                    "minimum": 0,
                    "maximum": 1,
                },
            ),
            writes=True,
        ),
        Tool(
            "mark_dead_end",
            "Record that an approach does not work, and why, so that nobody tries it again.",
            object_of(
                "approach", "reason", approach=text_of("What was tried."), reason=text_of("Why it does not work.")
            ),
            writes=True,
        ),
    )
}
TOOLS: list[dict[str, Any]] = [tool.to_dict() for tool in MEMORY_TOOLS.values()]


class _Near(NamedTuple):
    """A hit, and the memory it is in."""

    memory: Memory
    hit: Hit


class MemoryToolHandler:
    """Runs the tools on a memory, on a `UnifiedMemoryStore`, or on both: a memory of conversations beside the store.

    Give a scoped handle (`memory.scoped(user_id="ana")`) to keep the tools within a scope. `session_id` is the
    conversation they are called in; without it, the newest turn is the one a dead end marks. Where RFC-014 has its DAG,
    give the memory. With `conversation=False` nothing stored is the conversation: dead ends are kept by themselves.
    """

    def __init__(
        self,
        dag: Memory | UnifiedMemoryStore | None = None,
        store: UnifiedMemoryStore | None = None,
        embedder: Any = None,
        *,
        session_id: str | None = None,
        conversation: bool = True,
    ) -> None:
        given = dag if dag is not None else store
        memory = given.memory if isinstance(given, UnifiedMemoryStore) else given
        if not isinstance(memory, Memory):
            raise UsageError("the tools need a memory: MemoryToolHandler(recollect.open())")
        if store is not None and not isinstance(store, UnifiedMemoryStore):
            raise UsageError(f"store is a UnifiedMemoryStore, not {type(store).__name__}")
        if store is not None and embedder is not None:
            store.set_embedder(embedder)
        self.memory = memory
        self.store = store
        beside = store is not None and engine_of(store.memory) is not engine_of(memory)
        self._memories = (memory, store.memory) if store is not None and beside else (memory,)
        self._session = session_id
        self._conversation = conversation
        self._tools: dict[str, Callable[..., str]] = {
            "search_memory": self._search_memory,
            "recall_user_info": self._recall_user_info,
            "find_related": self._find_related,
            "find_contradictions": self._find_contradictions,
            "add_learning": self._add_learning,
            "mark_dead_end": self._mark_dead_end,
        }

    async def handle(self, tool_name: str, arguments: Mapping[str, Any] | str | None = None) -> str:
        """What `run` answers, without blocking the loop."""
        return await asyncio.to_thread(self.run, tool_name, arguments)

    def run(self, tool_name: str, arguments: Mapping[str, Any] | str | None = None) -> str:
        """Run a tool; its answer for the model. The arguments are an object, or its JSON as the model wrote it.

        Arguments that the tool's schema does not allow are a `UsageError`.
        """
        tool = MEMORY_TOOLS.get(tool_name)
        if tool is None:
            return f"Unknown memory tool: {tool_name}"
        return inert(self._tools[tool_name](**complete(tool, opened(tool, arguments))))

    # --- finding ------------------------------------------------------------------------------------------------

    def _search_memory(self, query: str, content_type: str, limit: int) -> str:
        found, in_doubt = self._near(query, limit, **_CONTENT_TYPES[content_type])
        if not found:
            return f"No results found for '{query}'"
        doubt = [f"Nothing stored seems to answer '{query}'; what comes nearest:"] if in_doubt else []
        return "\n".join([*doubt, *(f"[{_sort(near.hit)}] {_cut(near.hit.content)}" for near in found)])

    def _near(self, query: str, limit: int, **only: Any) -> tuple[list[_Near], bool]:
        """What is nearest to a question in every memory, best first, and whether none of them has an answer.

        What a memory offers that has no answer comes after what the others answer with.
        """
        searches = [
            (memory, memory.search(query, top_k=limit, asked_in=self._session, **only)) for memory in self._memories
        ]
        ranked = [(answer.abstained, -hit.score, _Near(memory, hit)) for memory, answer in searches for hit in answer]
        ranked.sort(key=lambda each: each[:2])
        told = {_plain(near.hit.content): near for *_, near in reversed(ranked)}  # of what both say, the better one
        return list(told.values())[::-1][:limit], all(abstained for abstained, *_ in ranked)

    def _recall_user_info(self) -> str:
        told: dict[str, None] = {}
        for memory in self._memories:
            oldest_first = memory.get_all(categories=_ABOUT_USER, limit=_LIMIT_MAX).records[::-1]
            for category in _ABOUT_USER:
                told |= {record.content: None for record in oldest_first if record.category == category}
        return "\n".join(f"- {content}" for content in told) or "No user information stored."

    def _find_related(self, topic: str, relationship: str) -> str:
        starts = self._about(topic)
        if not starts:
            return f"No information found about '{topic}'"
        near = {each.id: each for memory, start in starts for each in self._along(memory, start.id, relationship)}
        near.pop(starts[0][1].id, None)
        return _listed(list(near.values())[:SHOWN_MAX]) or f"No related information found for '{topic}'"

    def _about(self, topic: str) -> list[tuple[Memory, Record]]:
        """The record a topic names, by its id, by its whole text or as the best hit; then those that it replaced.

        What was said about a statement is about its replacement, too.
        """
        starts = [(memory, record) for memory in self._memories if (record := memory.get(topic)) is not None]
        if not starts:
            near, _ = self._near(topic, SHOWN_MAX)
            asked = _plain(topic)
            whole = [each for each in near if _plain(each.hit.content) == asked]
            best = [(each.memory, each.memory.get(each.hit.id)) for each in (whole or near)[:1]]
            starts = [(memory, record) for memory, record in best if record is not None]
        for memory, record in tuple(starts):
            replaced = memory.related(record.id, labels=labels_of(RelationType.SUPERSEDES), direction="out")
            starts += [(memory, older) for older in replaced.records]
        return starts

    def _along(self, memory: Memory, id: str, relationship: str) -> Sequence[Record]:
        """What a relation leads to, as RFC-014 reads it: who elaborates, but what is depended on."""
        if relationship == "any":
            return memory.related(id, labels=LABELS).records
        if relationship == "depends_on":
            return memory.dependencies(id).records
        direction = "in" if relationship == "elaborates" else "out"
        return memory.related(id, labels=labels_of(RelationType(relationship)), direction=direction).records

    def _find_contradictions(self, statement: str) -> str:
        """What is related as a contradiction to what the statement finds, what contradicts it by its wording, and
        what turned out not to work."""
        near, in_doubt = self._near(statement, SHOWN_MAX)
        sure: dict[str, tuple[str, float]] = {}
        candidates = [RelationCandidate(key=each.hit.id, text=each.hit.content) for each in near]
        for relation in relations_in(statement, candidates, settings=self.memory.config.perceive):
            if relation.label == RelationType.CONTRADICTS:
                said = next(each.hit.content for each in near if each.hit.id == relation.key)
                sure[relation.key] = (said, relation.confidence)
        for memory, hit in () if in_doubt else near:
            against = memory.contradictions(hit.id)
            for record in against:
                joined = [e.confidence for e in against.edges if record.id in {m.record_id for m in e.members}]
                sure.setdefault(record.id, (record.content, max(joined, default=0.0)))
        asked = _plain(statement)
        against_it = [each for each in sure.values() if _plain(each[0]) != asked][:SHOWN_MAX]
        told = [f"- {_cut(content)} (confidence: {confidence:.2f})" for content, confidence in against_it]
        lines = ["Potential contradictions:", *told] if told else []
        dead = [content for content in self._dead_ends(statement) if content not in {each[0] for each in against_it}]
        lines += ["Dead ends (may conflict):", *(f"- {_cut(content)}" for content in dead)] if dead else []
        return "\n".join(lines) or "No contradictions found."

    def _dead_ends(self, statement: str) -> list[str]:
        """What was recorded as a dead end and answers to a statement."""
        near, in_doubt = self._near(statement, SHOWN_MAX, categories=(_DEAD_END,))
        return [] if in_doubt else [each.hit.content for each in near]

    # --- storing ------------------------------------------------------------------------------------------------

    def _add_learning(self, fact: str, category: str, confidence: float) -> str:
        self._keep(fact, category, confidence)
        return f"✓ Learned: [{category}] {fact}"

    def _mark_dead_end(self, approach: str, reason: str) -> str:
        """Keep what failed; the turn that led there is marked, and contradicted by it."""
        turn = self._turn() if self._conversation else None
        if turn is None and self._conversation:
            return "No active conversation to mark."
        kept = self._keep(f"Dead end: {approach} - {reason}", _DEAD_END, 1.0)
        if turn is not None:
            said_in = [f"session_id: {turn.session_id}"] if turn.session_id else []
            self.memory.relate(kept, turn.id, RelationType.CONTRADICTS.value, evidence=[reason, *said_in])
            if _DEAD_END not in turn.tags:
                self.memory.update(turn.id, tags=[*turn.tags, _DEAD_END], reason="mark_dead_end")
        return f"✓ Marked as dead end: {approach}"

    def _turn(self) -> Record | None:
        """The newest turn of the conversation."""
        newest = self.memory.get_all(kinds=("episodic",), session_id=self._session, limit=1)
        return newest.records[0] if newest.records else None

    def _keep(self, content: str, category: str, confidence: float) -> str:
        """Store a statement, to be read as any other: how it stands to others is found in the background."""
        kind = "opinion" if category == "preference" else "semantic"
        receipt = self.memory.add(
            content, kind=kind, category=category, confidence=confidence, session_id=self._session
        )
        return receipt.id


def _sort(hit: Hit) -> str:
    """What a hit is to the model: who said it, what was learned, or some other memory."""
    if hit.role in _SPEAKERS:
        return _SPEAKERS[hit.role]
    return f"Learning/{hit.category}" if hit.category in (*_LEARNED, _DEAD_END, "fact") else "Memory"


def _listed(records: Sequence[Record]) -> str:
    return "\n".join(f"- {_cut(record.content)}" for record in records)


def _cut(content: str) -> str:
    return content if len(content) <= SHOWN_CHARS else f"{content[:SHOWN_CHARS]}..."


def _plain(content: str) -> str:
    return " ".join(content.split()).casefold()


# RFC-014's tools as a set among others: for MCP, and for models that call functions.
def _calling(name: str) -> ToolCall:
    def call(memory: Memory, given: dict[str, Any]) -> ToolAnswer:
        said = _bounded(MemoryToolHandler(memory, conversation=False).run(name, given), budget_of(memory, None))
        return ToolAnswer({"text": said}, said)

    return call


def _bounded(said: str, tokens: int) -> str:
    counter = counter_for(None)
    return said if counter.count(said) <= tokens else counter.cut(said, tokens - 1) + CUT


TOOLSET = tuple(replace(tool, call=_calling(name)) for name, tool in MEMORY_TOOLS.items())
