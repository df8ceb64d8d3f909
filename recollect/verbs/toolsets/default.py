"""The tools a model is given unless others are asked for: the verbs that the table offers, with brief answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from recollect.errors import BudgetTooSmall, InvalidQuery, NotFound, shown
from recollect.limits import TOP_K_MAX
from recollect.providers.tokens import counter_for
from recollect.verbs.by_name import plain
from recollect.verbs.schema import TEXT, Schema, object_of
from recollect.verbs.signature import Parameter, signature_of
from recollect.verbs.table import VERBS
from recollect.verbs.toolsets.brief import budget_of, day, fitting, hit_in_brief, paged, records_in_brief, short
from recollect.verbs.toolsets.tool import Tool, ToolAnswer
from recollect.verbs.verb import Offer, ToolArgument, Verb

if TYPE_CHECKING:
    from recollect.memory import Memory
    from recollect.model.result import Receipt, Recollection

LIMIT = 10
NEAREST = 3  # hits told where none seems to answer
CONTEXT_TOKENS_MIN = 200  # holds the marks and a record or two
ABOUT = 8  # memories told of an entity


@dataclass(frozen=True, slots=True, kw_only=True)
class VerbCall:
    """A verb as a model called it. `given` is for the verb, by its names; `own` is for the answer."""

    memory: Memory
    verb: Verb
    given: dict[str, Any]
    own: dict[str, Any]

    def __call__(self, **instead: Any) -> Any:
        """What the verb answers; `instead` is given to it in place of what the model said."""
        return self.verb.of(self.memory)(**{**self.given, **instead})


def tool_of(verb: Verb, offer: Offer) -> Tool:
    """The tool that a verb is offered as."""
    signature = signature_of(verb)
    parameters = {each.name: _parameter(each, signature.named) for each in offer.takes}
    schemas = {each.name: _schema(each, parameters[each.name]) for each in offer.takes}
    needed = [each.name for each in offer.takes if each.needed or parameters[each.name].required]
    return Tool(
        offer.name,
        offer.text,
        object_of(*needed, **{each.name: schemas[each.name] for each in offer.takes if not each.silent}),
        writes=verb.writes,
        call=partial(_run, verb, offer),
        destructive=offer.destructive,
        idempotent=offer.idempotent,
        silent={each.name: schemas[each.name] for each in offer.takes if each.silent},
    )


def _parameter(argument: ToolArgument, named: Mapping[str, Parameter]) -> Parameter:
    if argument.own is None:
        return named[argument.on_verb]
    return Parameter(name=argument.name, type=argument.own, doc=argument.text, default=None)


def _schema(argument: ToolArgument, parameter: Parameter) -> Schema:
    """What a model is told of an argument: one plain type, which is a text where several would do."""
    schema = parameter.schema
    if argument.one:
        schema = schema["items"]
    schema = schema if "type" in schema else TEXT
    more = {"default": argument.default, "minimum": argument.least}
    told = {name: value for name, value in more.items() if value is not None}
    return {"type": schema["type"], "description": argument.text, **schema, **told}


def _run(verb: Verb, offer: Offer, memory: Memory, given: dict[str, Any]) -> ToolAnswer | dict[str, Any]:
    """The verb run with what the model gave; its answer made brief."""
    arguments: dict[str, Any] = verb.implied_by(offer.calls)
    own: dict[str, Any] = {}
    for each in offer.takes:
        if each.name in given:
            value = [given[each.name]] if each.one else given[each.name]
            (arguments if each.own is None else own)[each.on_verb] = value
    call = VerbCall(memory=memory, verb=verb, given=arguments, own=own)
    brief = _BRIEF.get(offer.name)
    return plain(verb, call(), arguments) if brief is None else brief(call)


def stored(receipt: Receipt) -> dict[str, Any]:
    """What became of something to remember, and what is odd about it."""
    odd = {"flags": list(receipt.flags)} if receipt.flags else {}
    if not receipt.ids:
        return {"id": None, "status": "skipped", "why": [each.reason for each in receipt.skipped]} | odd
    known = receipt.id in receipt.merged
    return {"id": short(receipt.id), "status": "known already" if known else "stored"} | odd


def add_memory(call: VerbCall) -> dict[str, Any]:
    return stored(call())


def search_memories(call: VerbCall) -> dict[str, Any]:
    """Hits as a page. Further pages ask for more of the same search and leave out what came before.

    Where nothing seems to answer, that is said first, and only the nearest are told unless more were asked for.
    """
    wanted, start = call.given.get("top_k"), _offset(call.own.get("cursor"))
    limit = LIMIT if wanted is None else wanted
    found = call(top_k=min(start + limit + 1, TOP_K_MAX))
    if found.abstained and wanted is None and not start:
        limit = NEAREST
    tokens = budget_of(call.memory, call.own.get("max_tokens"))
    shown_hits = [hit_in_brief(hit) for hit in found[start : start + limit]]
    page = paged(shown_hits, tokens=tokens, start=start, more=len(found) > start + limit)
    return ({"note": _doubt(found, call)} if found.abstained else {}) | page


def _doubt(found: Recollection, call: VerbCall) -> str:
    """Why the answer may not be among the hits, and what could be done."""
    conditions = [name for name in call.given if name not in ("query", "top_k")]
    if not found and conditions:
        told = {each.on_verb: each.name for each in call.verb.tool.takes} if call.verb.tool else {}
        return f"nothing that is stored meets {', '.join(told[name] for name in conditions)}; ask again without"
    nearest = "; these come nearest" if found else ""
    return f"nothing stored seems to answer this: {found.reason}{nearest}"


def _offset(cursor: str | None) -> int:
    """Where a page begins."""
    if cursor is None:
        return 0
    if not cursor.isdecimal() or int(cursor) >= TOP_K_MAX:
        raise InvalidQuery(f"cursor must be one from an earlier answer, not {shown(cursor, 40)}")
    return int(cursor)


def get_context(call: VerbCall) -> ToolAnswer:
    """What is remembered, without the prompt: the budget is for the answer alone."""
    counter = counter_for(None)
    tokens = call.own.get("max_tokens", call.memory.config.context.tokens)
    try:
        window = call(max_tokens=tokens + counter.count(call.given["prompt"]))
    except BudgetTooSmall:
        told = f"{tokens} tokens hold no memory"
        raise BudgetTooSmall(f"{told}; give max_tokens={CONTEXT_TOKENS_MIN} or more, or leave it out") from None
    text = window.text if window.ids else "Nothing is remembered that bears on this."
    return ToolAnswer({"text": text, "tokens": counter.count(text), "ids": [short(id_) for id_ in window.ids]}, text)


def begin_turn(call: VerbCall) -> ToolAnswer:
    """The id of the turn, and what is remembered for it."""
    turn = call()
    text = turn.window.text if turn.window.ids else "Nothing is remembered that bears on this."
    told = {"id": turn.id, "session_id": turn.session_id, "text": text, "tokens": turn.window.tokens}
    return ToolAnswer(told, f"Turn {turn.id}\n{text}")


def recall_in_turn(call: VerbCall) -> dict[str, Any]:
    found = call()
    note = {"note": f"nothing stored seems to answer this: {found.reason}"} if found.abstained else {}
    return note | paged([hit_in_brief(hit) for hit in found], tokens=budget_of(call.memory, None), start=0, more=False)


def end_turn(call: VerbCall) -> dict[str, Any]:
    done = call()
    return {"id": done.turn.id, "status": done.turn.state.value, "undo": done.operation}


def update_memory(call: VerbCall) -> dict[str, Any]:
    return {"id": short(call().id), "status": "updated"}


def delete_memory(call: VerbCall) -> dict[str, Any]:
    receipt = call()
    return {"id": short(receipt.id), "status": "deleted", "undo": receipt.operation}


def relate_memories(call: VerbCall) -> dict[str, Any]:
    return {"edge": call(), "status": "related"}


def entity_info(call: VerbCall) -> dict[str, Any]:
    profile = call()
    if profile is None:
        name = call.given["name"][:80]
        raise NotFound(f"nothing is known here about {name} by that name; search for it in other words")
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
    briefs = records_in_brief(call.memory, list(told.values())[:ABOUT])
    memories = fitting(briefs, budget_of(call.memory, None))
    return {name: value for name, value in about.items() if value} | {"memories": memories}


def memory_feedback(call: VerbCall) -> dict[str, Any]:
    return {"id": short(call().id), "status": "noted"}


def memory_stats(call: VerbCall) -> dict[str, Any]:
    figures = call().figures
    return {name: figures[name] for name in ("records", "by_kind", "by_category") if name in figures}


_BRIEF: Mapping[str, Callable[[VerbCall], ToolAnswer | dict[str, Any]]] = {
    brief.__name__: brief
    for brief in (
        add_memory,
        search_memories,
        get_context,
        begin_turn,
        recall_in_turn,
        end_turn,
        update_memory,
        delete_memory,
        relate_memories,
        entity_info,
        memory_feedback,
        memory_stats,
    )
}


def tools_in(name: str) -> tuple[Tool, ...]:
    """The tools that the table offers in a set."""
    return tuple(tool_of(verb, verb.tool) for verb in VERBS if verb.tool is not None and verb.tool.set == name)


TOOLSET: Sequence[Tool] = tools_in("default")
BY_NAME: Mapping[str, Tool] = {tool.name: tool for tool in TOOLSET}
