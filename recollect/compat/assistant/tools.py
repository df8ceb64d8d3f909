"""The eight memory tools of the assistant, as functions over one memory.

The design runs them on a graph of its own; here a node is a record, an edge an edge, an entity an entity. What the
tools answer is plain data, ready to be given to a model as JSON.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from recollect.compat.assistant.confidence import Confidence
from recollect.compat.assistant.figures import figures_of
from recollect.compat.assistant.nodes import entity_type, found, kinds_of, node
from recollect.compat.assistant.schemas import ASSISTANT_TOOLS, LIMIT_MAX, WEAK_LIMIT
from recollect.errors import NotFound, UsageError
from recollect.facade.audited import bridged
from recollect.facade.handle import engine_in_use
from recollect.limits import FILTER_VALUES_MAX
from recollect.memory import Memory
from recollect.model.record import Record
from recollect.model.showable import inert_data
from recollect.recall.question.intent import IntentReader
from recollect.verbs.toolsets.arguments import complete, opened

SOURCE = "orchestrator"  # of what a model asked to keep: by the design it fades unless it is confirmed
_TIMELINE_MAX = 20
_CHAIN_MAX = 200  # facts that one replaced after the other, and that are listed


@bridged
class AssistantTools:
    """The tools over a memory. A scoped handle (`memory.scoped(user_id="ana")`) keeps them within its scope.

    Each tool is a method that takes what its schema says and raises as the memory does. `run` is for calls of a model:
    what makes no sense is answered with an `error`, for the model to read. `session_id` is the conversation they are
    called in. How sure a fact is told to be is worked out when it is shown: it fades with the days since it was used
    and grows with use, by the design's formula.
    """

    def __init__(self, memory: Memory, *, session_id: str | None = None) -> None:
        if not isinstance(memory, Memory):
            raise UsageError("the tools need a memory: AssistantTools(recollect.open())")
        self.memory = memory
        self._session = session_id
        self._confidence = Confidence(memory)
        self._intents = IntentReader(engine_in_use(memory).embedder, memory.config.intent)

    def run(self, name: str, arguments: Mapping[str, Any] | str | None = None) -> dict[str, Any]:
        """Call a tool by its name; its answer, or what is wrong with the call. JSON text will do for the arguments."""
        tool = ASSISTANT_TOOLS.get(name)
        if tool is None:
            return {"error": f"there is no tool {name!r:.60}; there are {', '.join(ASSISTANT_TOOLS)}"}
        try:
            call: Callable[..., dict[str, Any]] = getattr(self, name)
            told: dict[str, Any] = inert_data(call(**complete(tool, opened(tool, arguments))))
            return told
        except UsageError as error:
            return {"error": error.message, "code": error.code}

    async def handle(self, name: str, arguments: Mapping[str, Any] | str | None = None) -> dict[str, Any]:
        """What `run` answers, without blocking the loop."""
        return await asyncio.to_thread(self.run, name, arguments)

    # --- finding --------------------------------------------------------------------------------------------------

    def search_memory(
        self,
        query: str,
        type: str | None = None,
        entity_name: str | None = None,
        after: str | None = None,
        before: str | None = None,
        limit: int | None = None,
    ) -> dict[str, Any]:
        """What answers a question, best first. A simple question gets 5 results, a complex one 20."""
        intent = self._intents.read(query)
        settings = self.memory.config.recall
        wanted = limit or (settings.complex_results if intent.complex else settings.simple_results)
        answer: dict[str, Any] = {"query": query, "intent": intent.asks, "results": [], "count": 0}
        filters = None
        if entity_name is not None:
            ids = self._naming(entity_name)
            if not ids:
                return answer | {"reason": f"nothing is known here about {entity_name}"}
            filters = {"id": {"in": ids}}
        hits = self.memory.search(
            query,
            top_k=wanted,
            kinds=kinds_of(type),
            filters=filters,
            after=_time(after),
            before=_time(before),
            asked_in=self._session,
        )
        if hits.abstained:
            answer["reason"] = hits.reason
        sure = self._confidence.now(hit.id for hit in hits)
        return answer | {"results": [found(hit, sure.get(hit.id)) for hit in hits], "count": len(hits)}

    def _naming(self, entity_name: str) -> list[str]:
        """The newest records that name an entity; whether they may be seen is for the search to say."""
        profile = self.memory.entity(entity_name)
        if profile is None:
            return []
        with engine_in_use(self.memory).store.read() as tx:
            return tx.entities.record_ids(profile.entity.id, limit=FILTER_VALUES_MAX)

    def get_entity_info(self, name: str) -> dict[str, Any]:
        """The profile of an entity: summary, facts about it, and what happened when."""
        profile = self.memory.entity(name)
        if profile is None:
            raise NotFound(f"no entity is called {name!r:.60}, or it is not visible from this scope")
        entity = profile.entity
        told = {record.id: record for record in (*profile.telling, *profile.newest)}
        steps = self.memory.timeline(entity.name, limit=_TIMELINE_MAX)
        return {
            "id": entity.id,
            "name": entity.name,
            "type": entity_type(entity.type),
            "aliases": list(entity.aliases),
            "summary": entity.summary,
            "mention_count": entity.mention_count,
            "first_seen": entity.first_seen.isoformat(),
            "last_updated": entity.last_seen.isoformat(),
            "facts": self._nodes([record for record in told.values() if record.kind != "episodic"]),
            "related_entities": [each.name for each in profile.together],
            "timeline": [
                {"at": step.at.isoformat(), "content": step.record.content, "id": step.record.id} for step in steps
            ],
        }

    # --- keeping --------------------------------------------------------------------------------------------------

    def remember_fact(self, content: str, confidence: float = 1.0) -> dict[str, Any]:
        """Keep a fact; `confirm_fact` keeps it for good. One that is known is strengthened (`saved` is False)."""
        receipt = self.memory.add(
            content, kind="semantic", confidence=confidence, source=SOURCE, session_id=self._session
        )
        return {"id": receipt.id, "content": content, "saved": receipt.id not in receipt.merged}

    def correct_fact(self, fact_id: str, new_content: str, reason: str | None = None) -> dict[str, Any]:
        """End a fact and put another in its place, joined to it by a `supersedes` edge."""
        receipt = self.memory.correct(fact_id, new_content, reason=reason)
        return {"id": receipt.id, "content": new_content, "supersedes": fact_id}

    def confirm_fact(self, fact_id: str) -> dict[str, Any]:
        """Make a fact certain, and keep it from fading."""
        self.memory.confirm(fact_id)
        record = self._fact(fact_id)
        return {"id": record["id"], "confidence": record["confidence"], "decay_rate": record["decay_rate"]}

    def _fact(self, fact_id: str) -> dict[str, Any]:
        record = self.memory.get(fact_id)
        if record is None:
            raise NotFound(f"no fact has the id {fact_id!s:.80}")
        return self._nodes([record])[0]

    def _nodes(self, records: Sequence[Record]) -> list[dict[str, Any]]:
        sure = self._confidence.now(record.id for record in records)
        return [node(record, sure.get(record.id)) for record in records]

    def explain_fact(self, fact_id: str) -> dict[str, Any]:
        """Where a fact comes from: the turns it was drawn from, what it replaced or was replaced by, whom it names.

        `cut` names the chains that go on beyond what is listed.
        """
        why = self.memory.explain(fact_id)
        chains = {
            "sources": self._chain(why.derived_from, "derived_from"),
            "supersedes": self._chain(why.replaced, "replaced"),
            "superseded_by": self._chain(why.replaced_by, "replaced_by"),
        }
        return {
            "fact": self._nodes([why.record])[0],
            "because": list(why.because),
            **{name: self._nodes(records[:_CHAIN_MAX]) for name, records in chains.items()},
            "contradicted_by": self._nodes(why.contradicted_by),
            "entities": list(why.entities),
            "cut": [name for name, records in chains.items() if len(records) > _CHAIN_MAX],
        }

    def _chain(self, begun: Sequence[Record], link: str) -> list[Record]:
        """A chain to its end, or until it is longer than is listed; explanations go ten links at a time."""
        chain = {record.id: record for record in begun}
        while begun and len(chain) <= _CHAIN_MAX:
            further: Sequence[Record] = getattr(self.memory.explain(begun[-1].id), link)
            begun = [record for record in further if record.id not in chain]
            chain |= {record.id: record for record in begun}
        return list(chain.values())

    # --- looking after ---------------------------------------------------------------------------------------------

    def weak_facts(self, limit: int = WEAK_LIMIT) -> dict[str, Any]:
        """Facts that wait for a word, are hardly sure any more or are about to be forgotten, in this order.

        Turns of conversations are no facts.
        """
        doubted = {each.record.id: each for each in self.memory.review(limit=LIMIT_MAX) if each.record is not None}
        fading = {each.id: each for each in self.memory.weak(limit=LIMIT_MAX)}
        unsure = {each.record.id: each for each in self._confidence.weak(limit)}
        reasons = {id_: each.reason for id_, each in doubted.items()}
        reasons |= {
            id_: f"its confidence is down to {each.confidence:.2f}"
            for id_, each in unsure.items()
            if id_ not in reasons
        }
        records = [each.record for each in doubted.values() if each.record is not None]
        records += [each.record for each in unsure.values()] + [each.record for each in fading.values()]
        facts = {record.id: record for record in records if record.kind != "episodic"}
        listed = [
            shown
            | {
                "reason": reasons.get(shown["id"], "it is about to be forgotten"),
                "fades_at": fading[shown["id"]].fades_at.isoformat() if shown["id"] in fading else None,
            }
            for shown in self._nodes(list(facts.values())[:limit])
        ]
        return {"facts": listed, "count": len(listed)}

    def memory_stats(self) -> dict[str, Any]:
        """Figures of the graph: what holds now by type, edges, entities. Of a scoped handle, those of what it sees."""
        return figures_of(self.memory)


def _time(text: str | None) -> str | None:
    """`last_week` as people write it."""
    return None if text is None else text.replace("_", " ")
