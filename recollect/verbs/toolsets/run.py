"""A tool run by its name, for a caller who sees no further than a scope."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from recollect.errors import AccessDenied, UsageError, shown
from recollect.model.grant import CallerPolicy, MayAdd, policy_named
from recollect.model.scope import DIMENSIONS, Scope
from recollect.model.showable import inert, inert_data
from recollect.verbs.toolsets.arguments import understood
from recollect.verbs.toolsets.brief import as_json
from recollect.verbs.toolsets.sets import ALL, find_tool
from recollect.verbs.toolsets.tool import Tool, ToolAnswer

if TYPE_CHECKING:
    from recollect.memory import Memory

ACTOR = "tool"  # who wrote it, in the history of a record, unless the memory says


def run(
    name: str,
    arguments: Mapping[str, Any] | str | None = None,
    scope: Scope | Mapping[str, Any] | None = None,
    *,
    memory: Memory | None = None,
    tools: str = ALL,
    read_only: bool = False,
    may_add: MayAdd | None = None,
    policy: str | None = None,
) -> dict[str, Any]:
    """Run a tool as a model called it; its answer is plain data.

    It sees and changes only what the scope sees. Arguments may name that scope, and dimensions it does not hold only
    as far as `may_add` says; anything else is `AccessDenied`, and nothing happens. What makes no sense is a
    `UsageError` whose message tells the model what would.

    Args:
        name: The tool.
        arguments: Its arguments: an object, or its JSON as some models write it.
        scope: Who it is for: `{"user_id": "ana"}`.
        memory: The memory; without one the default store is opened for this call, which takes longer.
        tools: The sets among which the tool is looked for.
        read_only: Whether tools that write are refused.
        may_add: Which dimensions the arguments may add to the scope, as for `mem.scoped`; none unless it is said.
        policy: What it sees beside its own: own, own+global or project, as for `mem.scoped`.
    """
    tool = find_tool(name, tools)
    if memory is not None:
        return answer(tool, arguments, bound(memory, scope, may_add=may_add, policy=policy), read_only=read_only).data
    import recollect

    with recollect.open() as opened:
        return answer(tool, arguments, bound(opened, scope, may_add=may_add, policy=policy), read_only=read_only).data


def bound(
    memory: Memory,
    scope: Scope | Mapping[str, Any] | None = None,
    *,
    may_add: MayAdd | None = None,
    policy: str | None = None,
    actor: str | None = None,
) -> Memory:
    """A memory for tools: it sees what the scope sees, even if the scope is empty and the memory its owner's.

    Of a handle that may add something, the tools may as well, unless `may_add` says how much of it.
    """
    if scope is not None and not isinstance(scope, Scope | Mapping):
        raise UsageError(f"scope must be an object such as {{'user_id': 'ana'}}, not {shown(scope, 40)}")
    who = dict(scope.items()) if scope is not None else {}
    unknown = [name for name in who if name not in DIMENSIONS]
    if unknown:
        raise UsageError(f"a scope has no {shown(unknown[0], 40)}; it has {', '.join(DIMENSIONS)}")
    if may_add is None and not memory.grant.owner:
        may_add = memory.grant.left_of(who)
    return memory.scoped(actor=actor or memory.actor or ACTOR, may_add=may_add, policy=for_tools(policy), **who)


def for_tools(policy: str | None) -> str | None:
    """The policy, if tools may have it: a model is never the owner of a store."""
    if policy is not None and policy_named(policy) is CallerPolicy.OWNER:
        raise UsageError("the policy owner is not for tools; give own, own+global or project, and may_add for more")
    return policy


def answer(
    tool: Tool, arguments: Mapping[str, Any] | str | None, memory: Memory, *, read_only: bool = False
) -> ToolAnswer:
    """What a tool answers a caller who holds this scoped memory."""
    if read_only and tool.writes:
        raise AccessDenied(f"{tool.name} writes, and this memory is read only here")
    scope, own = understood(tool, arguments)
    given = tool.call(memory.scoped(**scope) if scope else memory, own)
    found = given if isinstance(given, ToolAnswer) else ToolAnswer(given)
    return ToolAnswer(inert_data(found.data), found.text if found.text is None else inert(found.text))


def text_of(answered: ToolAnswer) -> str:
    """What the model reads of an answer."""
    return as_json(answered.data) if answered.text is None else answered.text
