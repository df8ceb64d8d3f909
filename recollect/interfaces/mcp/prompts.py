"""Prompts that people call by name: recall what is known, and wrap a session up."""

from __future__ import annotations

from collections.abc import Mapping

import mcp_types as types

from recollect.errors import UsageError, shown
from recollect.interfaces.mcp.binding import Binding
from recollect.verbs.toolsets.default import BY_NAME
from recollect.verbs.toolsets.run import answer

RECALL, WRAP_UP = "recall", "wrap-up"
PROMPTS = (
    types.Prompt(
        name=RECALL,
        title="Recall",
        description="What is remembered about a question or task, ready to work with.",
        arguments=[types.PromptArgument(name="question", description="The question or the task.", required=True)],
    ),
    types.Prompt(
        name=WRAP_UP,
        title="Wrap up the session",
        description="Has the agent store what this session came to: decisions, facts, open ends.",
        arguments=[types.PromptArgument(name="session_id", description="A name for this session.")],
    ),
)
# Tools that keep one thing, the one to use first; and the one that keeps a whole session.
_KEEPING = ("add_memory", "remember_this", "memory_store", "remember_fact", "add_learning", "add_observations")
_COMPACTING = "compact_session"
_CORRECTING = ("update_memory", "memory_update", "correct_fact")
_FINDING = ("search_memories", "memory_search", "search_memory", "search_nodes", "search")
_COLLECT = (
    "Go through this session and collect what will matter later: decisions and why they were made; facts about "
    "people, projects and preferences; what was tried and failed; what is still open, and the next step."
)
_WRITE = (
    "Write each as one sentence that can be understood alone, with names, paths and dates. Leave out what only "
    "mattered in passing, and all secrets."
)


def prompt(binding: Binding, name: str, arguments: Mapping[str, str]) -> types.GetPromptResult:
    """The messages of a prompt."""
    if name == RECALL:
        return _said(_recall(binding, arguments.get("question", "")))
    if name == WRAP_UP:
        return _said(_wrap_up(binding, arguments.get("session_id", "")))
    raise UsageError(f"there is no prompt {shown(name, 40)}; there are {RECALL} and {WRAP_UP}")


def _recall(binding: Binding, question: str) -> str:
    if not question.strip():
        raise UsageError(f"{RECALL} needs question: what is to be recalled")
    remembered = answer(BY_NAME["get_context"], {"prompt": question}, binding.memory).data["text"]
    return f"{remembered}\n\n{question}"


def _wrap_up(binding: Binding, session_id: str) -> str:
    """Instructions in terms of the tools that the client has."""
    offered = {tool.name for tool in binding.offered}
    keeping = next((name for name in _KEEPING if name in offered), None)
    if keeping is None:
        raise UsageError("nothing can be stored here: this connection only reads, or has no tool that stores")
    finding = next((name for name in _FINDING if name in offered), None)
    correcting = next((name for name in _CORRECTING if name in offered), None)
    steps = [_COLLECT, _WRITE]
    if finding and correcting:
        steps.append(
            f"Where something known may have changed, look it up with {finding} and correct it with {correcting} "
            "instead of storing it anew."
        )
    named = f" with session_id={session_id!r}" if session_id else ""
    if _COMPACTING in offered:
        steps.append(f"Give all of it, one to a line, to {_COMPACTING}{named}.")
    else:
        steps.append(f"Store each with {keeping}.")
    steps.append("Then say in a few lines what was stored.")
    return "Wrap up this session.\n" + "\n".join(f"{at}. {step}" for at, step in enumerate(steps, start=1))


def _said(text: str) -> types.GetPromptResult:
    message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
    return types.GetPromptResult(messages=[message])
