"""Who speaks in a conversation: people or machines, by the role a message gives."""

from __future__ import annotations

PEOPLE = frozenset(("user", "human"))
MACHINES = frozenset(("assistant", "ai", "model", "agent", "bot", "gpt", "system", "developer", "tool", "function"))

INSTRUCTING = frozenset(("system", "developer"))  # … that tell the model what to do
TOOLS = frozenset(("tool", "function"))  # … that answer a call


def is_machine(role: str | None) -> bool:
    """Whether a role is a machine's. Whoever has no role, or one that nobody knows, is a person."""
    return (role or "").lower() in MACHINES
