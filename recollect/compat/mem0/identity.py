"""Whose a memory is, by mem0's rules: `user_id`, `agent_id` and `run_id`, at least one of them.

mem0 finds what was written with *at least* the ids that are asked for; a scope of ours hides what was written with
more. So the ids become conditions on the records, and the owner of the store looks at all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.errors import UsageError, shown
from recollect.memory import Memory

IDS = ("user_id", "agent_id", "run_id")
FIELDS = {"run_id": "session_id", "actor_id": "speaker"}  # mem0's name -> ours, where they differ


class ValidationError(UsageError):
    """What mem0 raises of the same name: `error_code` says which rule was broken, `suggestion` what to do."""

    def __init__(self, message: str, error_code: str, suggestion: str) -> None:
        super().__init__(message)
        self.error_code = error_code
        self.suggestion = suggestion


def checked_id(value: Any, name: str) -> str | None:
    """An id as mem0 takes it: anything that has a text without spaces."""
    if value is None:
        return None
    trimmed = str(value).strip()
    if not trimmed:
        raise UsageError(f"Invalid {name}: cannot be empty or whitespace-only. Provide a valid identifier.")
    if any(character.isspace() for character in trimmed):
        raise UsageError(f"Invalid {name}: cannot contain whitespace. Provide a valid identifier without spaces.")
    return trimmed


def ids_of(given: Mapping[str, Any]) -> dict[str, str]:
    """The ids among some arguments, checked."""
    checked = {name: checked_id(given.get(name), name) for name in IDS}
    return {name: value for name, value in checked.items() if value is not None}


def ids_to_write(given: Mapping[str, Any]) -> dict[str, str]:
    """The ids a new memory gets; a memory of nobody is refused."""
    found = ids_of(given)
    if not found:
        raise ValidationError(
            "At least one of 'user_id', 'agent_id', or 'run_id' must be provided.",
            "VALIDATION_001",
            "Please provide at least one identifier to scope the memory operation.",
        )
    return found


def sight(memory: Memory, ids: Mapping[str, str]) -> dict[str, Any]:
    """Arguments of a read that sees everything these ids may see: all for the owner, its own for a scoped handle."""
    if memory.grant.owner:
        return {"reach": "all"}
    return {name: ids[name] for name in ("user_id", "agent_id") if name in ids}


def plain_text(value: Any, what: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise UsageError(f"Invalid {what}: must be a non-empty string, not {shown(value, 40)}.")
    return value.strip()
