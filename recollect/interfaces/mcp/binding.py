"""What one client may do: which memory, which tools, and whether it may write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from recollect.errors import UsageError, shown
from recollect.memory import Memory
from recollect.model.scope import DIMENSIONS
from recollect.store.tokens import Right
from recollect.verbs.toolsets.run import bound
from recollect.verbs.toolsets.sets import toolset
from recollect.verbs.toolsets.tool import Tool

ACTOR = "mcp"
OWNER = "owner"
CALLER = "recollect.caller"  # in the scope of a connection: whom the server's gate let in
_YES = frozenset({"1", "true", "yes", ""})


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """One client's view. `memory` is a scoped handle: it sees no further than the client may."""

    memory: Memory
    tools: Mapping[str, Tool]
    read_only: bool = False
    who: str = OWNER  # whose searches are counted together

    @property
    def offered(self) -> list[Tool]:
        """The tools that the client may call."""
        return [tool for tool in self.tools.values() if not (self.read_only and tool.writes)]


def binding(memory: Memory, *, tools: str, scope: Mapping[str, Any] | None = None, read_only: bool = False) -> Binding:
    """A view of a memory with these sets of tools, bound to a scope."""
    return Binding(memory=bound(memory, scope, actor=memory._actor or ACTOR), tools=toolset(tools), read_only=read_only)


def narrowed(given: Binding, connection: Mapping[str, Any], asked: Mapping[str, str]) -> Binding:
    """The view of whoever the gate let in, narrowed by what the address asks for.

    `asked` is the query of the address: `tools`, `read_only` and dimensions of the scope.
    """
    unknown = [name for name in asked if name not in ("tools", "read_only", *DIMENSIONS)]
    if unknown:
        raise UsageError(f"the address may ask for tools, read_only, {', '.join(DIMENSIONS)}; not {shown(unknown[0])}")
    caller = connection.get(CALLER)
    who = given.who
    memory, read_only = given.memory, given.read_only or asked.get("read_only", "no").lower() in _YES
    if caller is not None:
        caller.require(Right.READ)
        memory = bound(caller.memory, given.memory._scope, actor=caller.memory._actor or ACTOR)
        read_only = read_only or Right.WRITE not in caller.rights
        who = caller.token.id if caller.token is not None else who
    scope = {name: asked[name] for name in DIMENSIONS if name in asked}
    return Binding(
        memory=memory.scoped(**scope) if scope else memory,
        tools=toolset(asked["tools"]) if "tools" in asked else given.tools, read_only=read_only, who=who,
    )  # fmt: skip
