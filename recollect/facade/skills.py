"""What an agent can do: `mem.skills`, ways to do something with how often they worked; `mem.tools`, tools by need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

import orjson

from recollect.clock import SECOND_US
from recollect.errors import NotFound, UsageError, shown
from recollect.facade import arguments
from recollect.facade.arguments import ReadArgs, ScopeArgs
from recollect.facade.audited import audited
from recollect.facade.handle import Namespace
from recollect.ids import beginning_of_id, is_id
from recollect.ingest import check
from recollect.limits import TOP_K_MAX
from recollect.model.result import Receipt
from recollect.model.skill import SKILL, TOOL, KnownTool, Skill, skill_of, told_skill, tool_of

if TYPE_CHECKING:
    from recollect.model.record import Record

STEPS_MAX, TOOLS_MAX = 100, 500
_OVERFETCH = 4  # of what is searched, since not every procedure has steps


@partial(audited, prefix="skills_")
class SkillVerbs(Namespace):
    """Ways to do something, told or learnt: found by task, with how often they worked."""

    def teach(
        self,
        name: str,
        steps: Sequence[str],
        *,
        task: str | None = None,
        tools: Sequence[str] = (),
        **scope: Unpack[ScopeArgs],
    ) -> Receipt:
        """Tell a way to do something: its steps, and what it is good for. Told again, it is the next version.

        Args:
            name: What it is called.
            steps: What is done, in this order.
            task: What it is good for.
            tools: Tools that it needs.
        """
        return self._keep(check.name(name, "name"), _steps(steps), task, tools, scope, learnt=False)

    def find(self, task: str, *, limit: int = 3, **scope: Unpack[ReadArgs]) -> list[Skill]:
        """Ways to do something that fit a task, those that worked first.

        They were told, or upkeep found them in what was done again and again.

        Args:
            task: What is to be done.
            limit: At most so many.
        """
        most = arguments.count(limit, "limit", TOP_K_MAX // _OVERFETCH)
        found = _searched(self._handle, task, ["procedural"], _OVERFETCH * most, scope)
        skills = [skill for record, score in found if (skill := skill_of(record, score)) is not None]
        return sorted(skills, key=lambda skill: -skill.worth)[:most]

    def done(
        self,
        name: str,
        *,
        success: bool,
        failed_at: str | None = None,
        steps: Sequence[str] | None = None,
        task: str | None = None,
        **scope: Unpack[ScopeArgs],
    ) -> Skill:
        """Tell how a skill went: it is counted. With `steps` it is learnt where it is not known.

        Args:
            name: The skill, by name or id; of a flow `flow:NAME`.
            success: Whether it worked.
            failed_at: The step, or node of a flow, where it failed.
            steps: What was done, in this order.
            task: What it is good for.
        """
        worked = arguments.truth(success, "success")
        where = None if failed_at is None else check.name(failed_at, "failed_at")
        did = None if steps is None else _steps(steps)
        known = self._named(name, scope)
        if known is None or (did is not None and known.steps != did):
            if did is None:
                raise NotFound(f"no skill is called {shown(name, 60)} here; give steps= to have it learnt")
            self._keep(check.name(name, "name"), did, task, (), scope, learnt=True)
            known = self._named(name, scope)
            if known is None:
                raise UsageError("the skill was stored and waits for approval, so its outcome is not counted yet")
        last = "success" if worked else "failure" if where is None else f"failed at {where}"
        handle = self._handle
        receipt = handle._engine.judging.outcome(
            known.id, helped=worked, last=last, visible=handle._sight(scope), actor=handle._writer()
        )
        found = skill_of(receipt.records[0])
        assert found is not None, "an outcome takes no step away"
        return found

    def _keep(
        self,
        name: str,
        steps: tuple[str, ...],
        task: str | None,
        tools: Sequence[str],
        scope: ScopeArgs,
        *,
        learnt: bool,
    ) -> Receipt:
        handle: Any = self._handle
        what = "" if task is None else check.content(task, bytes_max=None, what="task")
        needed = list(arguments.words(tools, lambda each: check.name(each, "tool"), "tools") or ())
        known = self._named(name, scope)
        if known is not None:
            what, needed = what or known.task, needed or list(known.tools)
        told = {"name": name, "task": what, "steps": list(steps), "tools": needed, "learnt": learnt}
        text = told_skill(name, what, steps)
        if known is not None:
            before = handle.get(known.id, **scope).attributes
            receipt: Receipt = handle.update(known.id, content=text, attributes={**before, SKILL: told}, **scope)
            return receipt
        importance = handle._opened.config.current.ingest.importance[SKILL]
        fields = {"kind": "procedural", "category": SKILL, "source": SKILL, "importance": importance, "infer": False}
        tags = [f"{SKILL}:{name}", *([name] if ":" in name else [])]
        added: Receipt = handle.add(text, attributes={SKILL: told}, tags=tags, **fields, **scope)
        return added

    def _named(self, name: str, scope: ScopeArgs) -> Skill | None:
        """The skill of that name, or id, in a scope: its own, not one that it sees from further away."""
        handle: Any = self._handle
        if is_id(name) or beginning_of_id(name) is not None:
            record = handle.get(name, **scope)
            return None if record is None else skill_of(record)
        tags = [f"{SKILL}:{check.name(name, 'name')}"]
        page = handle.get_all(tags=tags, kinds=["procedural"], limit=20, **scope)
        where = handle._in(scope)
        return next((skill_of(record) for record in page.records if record.scope == where), None)


@partial(audited, prefix="tools_")
class ToolVerbs(Namespace):
    """Tools that an agent has, found by need: a model is shown the few that fit, not all."""

    def keep(self, tools: str | Mapping[str, Any] | Sequence[Mapping[str, Any]], **scope: Unpack[ScopeArgs]) -> Receipt:
        """Tell which tools an agent has. Told again by its name, a tool is described anew.

        Args:
            tools: One or several, each with name, description and parameters (a JSON schema); OpenAI's and Anthropic's
                shapes too, or the JSON of these.
        """
        tools = _parsed(tools) if isinstance(tools, str) else tools
        tools = [tools] if isinstance(tools, Mapping) else tools
        if not isinstance(tools, list | tuple) or not 0 < len(tools) <= TOOLS_MAX:
            raise UsageError(f"tools must be a list of 1 to {TOOLS_MAX} descriptions, not {shown(tools, 40)}")
        handle: Any = self._handle
        told = [_described(each, number) for number, each in enumerate(tools)]
        where = handle._in(scope)
        known = {
            tool.name: record.id
            for record in handle.get_all(categories=[TOOL], limit=TOOLS_MAX, **scope).records
            if record.scope == where and (tool := tool_of(record)) is not None
        }
        for each in [each for each in told if each["name"] in known]:
            handle.update(known[each["name"]], content=_in_words(each), attributes={TOOL: each}, **scope)
        handle._engine.tool_cache.clear()
        fresh = [each for each in told if each["name"] not in known]
        if not fresh:
            return Receipt(event="UPDATE", ids=tuple(known[each["name"]] for each in told), count=len(told))
        items = [{"content": _in_words(each), "attributes": {TOOL: each}} for each in fresh]
        importance = handle._opened.config.current.ingest.importance[TOOL]
        fields = {"kind": "procedural", "category": TOOL, "source": TOOL, "importance": importance, "infer": False}
        added: Receipt = handle.add(items, **fields, **scope)
        return added

    def find(
        self, need: str, *, limit: int = 5, session_id: str | None = None, **scope: Unpack[ReadArgs]
    ) -> list[KnownTool]:
        """The tools that fit a need, best first. In a session those found lately come along (`context.tools_ttl_s`).

        Args:
            need: What is to be done.
            limit: At most so many that are new.
            session_id: The session; what was found in it before stays at hand.
        """
        handle = self._handle
        most = arguments.count(limit, "limit", TOOLS_MAX)
        session = None if session_id is None else check.name(session_id, "session_id")
        found = _searched(handle, need, ["procedural"], most, scope, categories=[TOOL])
        tools = {tool.name: tool for record, _ in found if (tool := tool_of(record)) is not None}
        if session is None:
            return list(tools.values())
        now, where = handle._engine.clock(), f"{handle._in(scope).key}{handle._mind_name(None) or ''}"
        since = now - int(handle._opened.config.current.context.tools_ttl_s * SECOND_US)
        cache = handle._engine.tool_cache
        held = {tool.name: tool for tool in cache.get(where, session, since=since)}
        at_hand = [*tools.values(), *(tool for name, tool in held.items() if name not in tools)]
        cache.put(where, session, at_hand[:TOOLS_MAX], at=now)
        return at_hand


def _searched(
    handle: Any, text: str, kinds: list[str], most: int, scope: ReadArgs, **more: Any
) -> list[tuple[Record, float]]:
    """Records that fit, with their scores, best first."""
    hits = handle.search(text, kinds=kinds, top_k=most, **more, **scope)
    with handle._engine.store.read() as tx:
        records = {
            record.id: record for record in tx.records.load(tx.records.pks_of([hit.id for hit in hits])).values()
        }
    return [(records[hit.id], hit.score) for hit in hits if hit.id in records]


def _steps(given: Any) -> tuple[str, ...]:
    if isinstance(given, str) or not isinstance(given, list | tuple) or not 0 < len(given) <= STEPS_MAX:
        raise UsageError(f"steps must be a list of 1 to {STEPS_MAX} texts, not {shown(given, 40)}")
    return tuple(check.name(step, "each step", chars_max=500) for step in given)


def _parsed(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        raise UsageError("tools given as a text must be JSON: a description, or a list of them") from None


def _described(given: Any, number: int) -> dict[str, Any]:
    """A tool in any of the usual shapes, as name, description and parameters."""
    inner = given.get("function", given) if isinstance(given, Mapping) else None
    if not isinstance(inner, Mapping) or not isinstance(inner.get("name"), str):
        raise UsageError(f"tools[{number}] needs a name, a description and parameters")
    parameters = inner.get("parameters") or inner.get("input_schema") or inner.get("inputSchema") or {}
    if not isinstance(parameters, Mapping):
        raise UsageError(f"tools[{number}]: parameters must be a JSON schema")
    description = inner.get("description") or ""
    return {
        "name": check.name(inner["name"], "name"),
        "description": str(description),
        "parameters": dict(parameters),
    }


def _in_words(tool: Mapping[str, Any]) -> str:
    """What a search finds a tool by."""
    arguments_ = ", ".join(tool["parameters"].get("properties", {}))
    takes = f" It takes {arguments_}." if arguments_ else ""
    return f"Tool {tool['name']}: {tool['description'].strip() or 'no description'}{takes}"
