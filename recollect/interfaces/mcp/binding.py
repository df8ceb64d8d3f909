"""What one client may do: which memory, which tools, and whether it may write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from recollect.errors import UsageError, shown
from recollect.facade.handle import through
from recollect.memory import Memory
from recollect.model.grant import ANY, MayAdd
from recollect.model.scope import DIMENSIONS
from recollect.store.tokens import Right
from recollect.verbs.schema import text_of
from recollect.verbs.toolsets.run import bound
from recollect.verbs.toolsets.sets import toolset
from recollect.verbs.toolsets.tool import Tool
from recollect.verbs.verb import SCOPE_DOCS

if TYPE_CHECKING:
    from starlette.datastructures import QueryParams

ACTOR = "mcp"
CALLER = "recollect.caller"  # in the scope of a connection: whom the server's gate let in
MAY_ADD, POLICY = "may_add", "policy"
_ASKED = ("tools", "read_only", MAY_ADD, POLICY, *DIMENSIONS)  # what an address may ask for
_YES = frozenset({"1", "true", "yes", ""})


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """One client's view. `memory` is a scoped handle: it sees no further than the client may."""

    memory: Memory
    tools: Mapping[str, Tool]
    read_only: bool = False
    remote: bool = False  # whoever holds a token, somewhere

    @property
    def who(self) -> str:
        """Whose calls are counted together."""
        return self.memory.caller or ACTOR

    @property
    def offered(self) -> list[Tool]:
        """The tools that the client may call."""
        return [tool for tool in self.tools.values() if not (self.read_only and tool.writes)]

    def parameters_of(self, tool: Tool) -> dict[str, Any]:
        """The schema of a tool's arguments, with the dimensions of scope that this client's calls may add.

        Others are not shown: a model that is offered a `user_id` fills one in.
        """
        may_add = self.memory.grant.additions_to_dict()
        said = {
            name: text_of(SCOPE_DOCS[name], **({} if values == [ANY] else {"enum": values}))
            for name, values in may_add.items()
        }
        return {**tool.parameters, "properties": {**tool.parameters["properties"], **said}} if said else tool.parameters


def binding(
    memory: Memory,
    *,
    tools: str,
    scope: Mapping[str, Any] | None = None,
    may_add: MayAdd | None = None,
    policy: str | None = None,
    read_only: bool = False,
) -> Binding:
    """A view of a memory with these sets of tools, bound to a scope to which calls may add what `may_add` says."""
    handle = bound(through(memory, ACTOR), scope, may_add=may_add, policy=policy, actor=memory.actor or ACTOR)
    return Binding(memory=handle, tools=toolset(tools), read_only=read_only)


def narrowed(given: Binding, connection: Mapping[str, Any], asked: QueryParams) -> Binding:
    """The view of whoever the gate let in, as far as their grant goes, narrowed by what the address asks for.

    `asked` is the query of the address: `tools`, `read_only`, dimensions of the scope, and `may_add`.
    """
    unknown = [name for name in asked if name not in _ASKED]
    if unknown:
        known = ", ".join(_ASKED)
        raise UsageError(f"the address may ask for {known}; not {shown(unknown[0])}")
    caller = connection.get(CALLER)
    memory, read_only = given.memory, given.read_only or asked.get("read_only", "no").lower() in _YES
    scope: Mapping[str, Any] = {name: asked[name] for name in DIMENSIONS if name in asked}
    may_add: MayAdd | None = asked.getlist(MAY_ADD) or None
    policy: str | None = asked.get(POLICY)
    if caller is not None:
        caller.require(Right.READ)
        memory = caller.memory
        read_only = read_only or Right.WRITE not in caller.rights
        if may_add is None and memory.grant.owner:
            may_add = given.memory.grant.left_of(scope)
        if memory.grant.owner:
            policy = policy or given.memory.grant.policy
        scope = dict(given.memory.grant.held.narrowed(**scope).items())
    return Binding(
        memory=bound(through(memory, ACTOR), scope, may_add=may_add, policy=policy, actor=memory.actor or ACTOR),
        tools=toolset(asked["tools"]) if "tools" in asked else given.tools,
        read_only=read_only,
        remote=caller is not None and caller.token is not None,
    )
