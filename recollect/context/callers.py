"""Who runs a turn: a chat, a task, a schedule, an orchestrator, another agent, a step of a workflow (Engram §17.5).

All go the same way; they differ in who speaks, in how much they recall, and in what is worth keeping at the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from recollect.context.layouts import WINDOW, WORKFLOW
from recollect.errors import UsageError, shown

CHAT = "chat"


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """One sort of turn. `asks` is the role of its prompt; a person's words are heard as such, a machine's are not."""

    name: str
    asks: str = "user"
    layout: str = WINDOW
    is_task: bool = False  # recalls within its own share, and what came of it is kept in one line
    session: str = ""  # what its session is called when it is given a name only


CALLERS = {
    caller.name: caller
    for caller in (
        Caller(name=CHAT),
        Caller(name="task", asks="agent", is_task=True, session="task"),
        Caller(name="cron", asks="agent", is_task=True, session="cron"),
        Caller(name="round", asks="agent", session="round"),  # of an orchestrator
        Caller(name="delegation", asks="agent", is_task=True, session="delegation"),  # in a swarm
        Caller(name="flow", asks="agent", layout=WORKFLOW, is_task=True, session="flow"),
    )
}


def caller_of(value: Any) -> Caller:
    """The sort of turn by its name, or a word about which there are."""
    found = CALLERS.get(value) if isinstance(value, str) else None
    if found is None:
        raise UsageError(f"caller must be one of {', '.join(CALLERS)}, not {shown(value, 40)}")
    return found
