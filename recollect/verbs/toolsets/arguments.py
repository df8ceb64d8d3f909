"""Arguments of a tool call, as models write them: other words for the same thing, numbers as text, scope among them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from recollect.errors import AccessDenied, UsageError, shown
from recollect.model.scope import DIMENSIONS
from recollect.verbs.checking import checked, unknown
from recollect.verbs.toolsets.tool import Tool

# Words that models use for an argument of ours. A tool that has an argument of that very name means its own.
ALIASES: Mapping[str, tuple[str, ...]] = {
    "query": ("q", "question", "text", "search", "search_query", "input", "prompt"),
    "content": ("memory", "text", "fact", "data", "message", "note", "new_content"),
    "prompt": ("query", "q", "question", "task", "text", "message"),
    "question": ("query", "q", "text", "prompt"),
    "id": ("memory_id", "record_id", "fact_id"),
    "fact_id": ("id", "memory_id", "record_id"),
    "source_id": ("source", "from", "from_id", "memory_id_1"),
    "target_id": ("target", "to", "to_id", "memory_id_2"),
    "relation": ("relationship", "label", "type", "relation_type"),
    "relationship": ("relation", "label", "type", "relation_type"),
    "limit": ("top_k", "k", "n", "count", "max_results", "num_results"),
    "name": ("entity", "entity_name"),
    "category": ("type",),
    "type": ("category",),
    "helpful": ("useful", "is_helpful", "rating"),
    "files": ("file", "paths", "path", "file_path", "file_paths", "related_files"),
    "tags": ("tag", "labels"),
    "timestamp": ("time", "date", "when"),
    "max_tokens": ("token_budget", "budget", "tokens"),
    "fact": ("content", "memory", "text", "learning"),
    "new_content": ("content", "text", "memory", "fact"),
    "topic": ("query", "q", "text"),
    "statement": ("query", "text", "claim"),
    "session_id": ("session", "run_id", "conversation_id"),
    "kinds": ("kind",),
    "user_id": ("user",),
    "agent_id": ("agent",),
    "project": ("project_id", "workspace"),
}
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WHOLE = re.compile(r"[+-]?\d{1,18}(\.0+)?")
_SWITCH = {"true": True, "yes": True, "false": False, "no": False}


class MeantCall(NamedTuple):
    """A call as it was meant: who it is for, and the arguments of the tool.

    No schema of a tool says who a call may be for: a model that is offered a `user_id` fills one in, a new one each
    time. A host that granted some of it adds those, as MCP does.
    """

    scope: dict[str, Any]
    own: dict[str, Any]


def understood(tool: Tool, arguments: Mapping[str, Any] | str | None) -> MeantCall:
    """The arguments by the names of the schema and of its types, checked, defaults filled in."""
    scope: dict[str, Any] = {}
    own: dict[str, Any] = {}
    takes = tool.takes
    for name, value in opened(tool, arguments).items():
        meant = _meant(tool, str(name))
        if meant == "reach":
            raise AccessDenied("a tool call sees what its scope sees; it cannot reach further")
        if meant in own or meant in scope:
            raise UsageError(f"{meant} is given twice, once as {shown(name, 40)}")
        if meant not in DIMENSIONS:
            own[meant] = _fitted(value, takes.arguments[meant])
        else:
            scope[meant] = value
    own = {name: value for name, value in own.items() if name in takes.needed or not _is_blank(value)}
    scope = {name: value for name, value in scope.items() if not _is_blank(value)}
    return MeantCall(scope, complete(tool, own))


def complete(tool: Tool, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call, checked, with the defaults of those that were left out."""
    takes = tool.takes
    defaults = {name: schema["default"] for name, schema in takes.arguments.items() if "default" in schema}
    return defaults | checked(takes, given)


def opened(tool: Tool, arguments: Mapping[str, Any] | str | None) -> Mapping[str, Any]:
    """The arguments as an object, which some models write as JSON."""
    given = arguments
    if isinstance(given, str):
        given = _read_json(given.strip() or "{}")
    if given is None and not isinstance(arguments, str):
        return {}
    if not isinstance(given, Mapping):
        raise UsageError(f"the arguments of {tool.name} must be an object, not {shown(arguments, 40)}")
    return given


def _meant(tool: Tool, name: str) -> str:
    """The argument that a name stands for."""
    known = (*tool.takes.arguments, *DIMENSIONS, "reach")
    snake = _HUMP.sub("_", name).lower().replace("-", "_")
    for each in dict.fromkeys((name, snake)):
        if each in known:
            return each
        for meant, words in ALIASES.items():
            if meant in known and each in words:
                return meant
    raise unknown(tool.takes, name)


def _is_blank(value: Any) -> bool:
    """Nothing, which is how some models leave an argument out."""
    return value is None or (isinstance(value, str) and not value.strip())


def _fitted(value: Any, schema: Mapping[str, Any]) -> Any:
    """A value in the type of its schema, where a text or a lone item clearly means one; otherwise as it is."""
    kind = schema["type"]
    if kind == "array" and not isinstance(value, list | tuple) and value is not None:
        read = _read_json(value)
        return read if isinstance(read, list) else [value]
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    if not isinstance(value, str) or kind == "string":
        return value
    text = value.strip()
    if kind == "boolean":
        return _SWITCH.get(text.lower(), value)
    if kind in ("integer", "number") and _WHOLE.fullmatch(text):
        return int(float(text)) if "." in text else int(text)
    if kind in ("number", "object"):
        read = _read_json(text)
        return value if read is None else read
    return value


def _read_json(value: Any) -> Any:
    """What a text says as JSON; None where it says nothing."""
    if not isinstance(value, str) or value[:1] not in "[{0123456789-.":
        return None
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None
