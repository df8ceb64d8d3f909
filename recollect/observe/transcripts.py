"""Transcripts as events: sessions that Claude Code and Codex wrote down, and messages of OpenAI's and Anthropic's APIs.

A call and its answer are joined by the id of the call, which hooks tell too. What no client ever ran, such as a call of
a tool that does not exist or an edit of a file that was not read, is no event.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from recollect.errors import UsageError

LINE_BYTES_MAX = 16 << 20
FILE_BYTES_MAX = 1 << 30
CLAUDE, CODEX, MESSAGES = "claude-code", "codex", "messages"
_NEVER_RAN = "<tool_use_error>"  # Claude Code refused the call before any tool or hook heard of it
_CODEX_LINES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_EXITED = ("Exit code: ", "Process exited with code ", "exit code: ")


class Transcript(NamedTuple):
    """The events of a transcript, and the client that it is of."""

    client: str
    events: list[dict[str, Any]]
    cut: int  # lines that are no JSON


def read_file(path: str | Path, *, session_id: str | None = None) -> Transcript:
    """The events of a file: lines of JSON, or one JSON value."""
    try:
        if (size := Path(path).stat().st_size) > FILE_BYTES_MAX:
            raise UsageError(f"{path} has {size} bytes, at most {FILE_BYTES_MAX} are read")
        with open(path, "rb") as file:
            return read(file, session_id=session_id, name=Path(path).stem)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from None


def read(lines: Iterable[bytes], *, session_id: str | None = None, name: str = "transcript") -> Transcript:
    """The events of lines of JSON. Messages know no session: they are one of the given id, or named for their file."""
    values, cut = _values(lines)
    kind = _kind(values)
    if kind == CLAUDE:
        events = list(_claude(values))
    elif kind == CODEX:
        events = list(_codex(values, session_id or name))
    else:
        events = list(_messages(values, session_id or name))
    if not events:
        raise UsageError("no event is in it: known are transcripts of Claude Code and Codex, and lists of messages")
    return Transcript(kind, events, cut)


def _values(lines: Iterable[bytes]) -> tuple[list[dict[str, Any]], int]:
    """The objects of the lines, how many lines are none; a list, or an object with a list of messages, is its items."""
    whole = list(lines)
    found: list[dict[str, Any]] = []
    cut = 0
    for line in whole:
        if not line.strip() or len(line) > LINE_BYTES_MAX:
            cut += bool(line.strip())
            continue
        try:
            value = orjson.loads(line)
        except ValueError:
            cut += 1
            continue
        found += _items(value)
    if not found and len(whole) > 1:
        try:
            return _items(orjson.loads(b"".join(whole))), 0
        except ValueError:
            return [], cut
    return found, cut


def _items(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, Mapping) and isinstance(value.get("messages"), list):
        value = value["messages"]
    items = value if isinstance(value, list) else [value]
    return [item for item in items if isinstance(item, dict)]


def _kind(values: list[dict[str, Any]]) -> str:
    for value in values[:50]:
        if "sessionId" in value and "type" in value:
            return CLAUDE
        if value.get("type") in _CODEX_LINES and "payload" in value:
            return CODEX
    return MESSAGES


class _Calls:
    """Calls that wait for their answers."""

    def __init__(self) -> None:
        self._waiting: dict[str, tuple[str, Any]] = {}

    def called(self, id_: Any, name: Any, given: Any) -> None:
        if isinstance(id_, str) and isinstance(name, str):
            self._waiting[id_] = (name, given)

    def answered(self, id_: Any, answer: Any, error: str | None, common: dict[str, Any]) -> Iterator[dict[str, Any]]:
        found = self._waiting.pop(id_, None) if isinstance(id_, str) else None
        if found is None or (error is not None and error.startswith(_NEVER_RAN)):
            return
        tool, given = found
        kind = "tool" if error is None else "tool_failed"
        yield {**common, "type": kind, "id": id_, "tool": tool, "input": given, "output": answer, "error": error}


def _claude(values: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    calls = _Calls()
    for value in values:
        session = value.get("sessionId")
        if not isinstance(session, str):
            continue
        common = {
            "session_id": session,
            "agent_id": value.get("agentId"),
            "cwd": value.get("cwd"),
            "at": value.get("timestamp"),
            "client": CLAUDE,
        }
        if value.get("type") == "system" and value.get("subtype") == "compact_boundary":
            yield {**common, "type": "compact", "id": value.get("uuid")}
        message = value.get("message")
        if not isinstance(message, dict) or value.get("isMeta"):
            continue
        for block in _blocks(message.get("content")):
            if block.get("type") == "tool_use":
                calls.called(block.get("id"), block.get("name"), block.get("input"))
            elif block.get("type") == "tool_result":
                told = _text(block.get("content"))
                error = (told or "failed") if block.get("is_error") else None
                yield from calls.answered(block.get("tool_use_id"), value.get("toolUseResult"), error, common)
            elif block.get("type") == "text" and value.get("type") == "user" and not value.get("isSidechain"):
                yield {**common, "type": "prompt", "id": value.get("promptId"), "prompt": block.get("text")}
            elif value.get("type") == "assistant":
                yield from _citing(block.get("text"), {**common, "id": value.get("uuid")})


def _codex(values: Iterable[dict[str, Any]], session: str) -> Iterator[dict[str, Any]]:
    calls, cwd = _Calls(), None
    for value in values:
        payload = value.get("payload")
        if not isinstance(payload, dict):
            continue
        if value["type"] == "session_meta" and isinstance(payload.get("id"), str):
            session = payload["id"]
        if isinstance(payload.get("cwd"), str):
            cwd = payload["cwd"]
        common = {"session_id": session, "cwd": cwd, "at": value.get("timestamp"), "client": CODEX}
        if value["type"] == "compacted":
            yield {**common, "type": "compact"}
        kind, id_ = payload.get("type"), payload.get("call_id")
        if kind == "function_call":
            calls.called(id_, payload.get("name"), _parsed(payload.get("arguments")))
        elif kind == "custom_tool_call":
            calls.called(id_, payload.get("name"), payload.get("input"))
        elif kind == "local_shell_call":
            calls.called(id_, "local_shell", payload.get("action"))
        elif kind in ("function_call_output", "custom_tool_call_output"):
            told = payload.get("output")
            yield from calls.answered(id_, None, _codex_error(told), common)
        elif value["type"] == "event_msg" and kind == "user_message":
            yield {**common, "type": "prompt", "prompt": payload.get("message")}
        elif value["type"] == "event_msg" and kind == "agent_message":
            yield from _citing(payload.get("message"), common)


def _codex_error(output: Any) -> str | None:
    """What an answer says went wrong; None where nothing did."""
    value = _parsed(output)
    if isinstance(value, dict):
        code = (value.get("metadata") or {}).get("exit_code") if isinstance(value.get("metadata"), dict) else None
        return (
            _text(value.get("output")) or "failed" if code not in (None, 0) or value.get("success") is False else None
        )
    text = _text(value)
    for word in _EXITED:
        _, found, rest = text.partition(word)
        if found and rest[:1].isdigit() and rest.split()[0].strip(".,") != "0":
            return text
    return None


def _messages(values: Iterable[dict[str, Any]], session: str) -> Iterator[dict[str, Any]]:
    """Messages of OpenAI's or Anthropic's API, in their order; they have no times, so each is given its number."""
    calls = _Calls()
    step = 0
    for value in values:
        role = value.get("role")
        common = {"session_id": session, "client": "api", "at": value.get("timestamp")}
        for call in value.get("tool_calls") or ():
            function = call.get("function") if isinstance(call, dict) else None
            if isinstance(function, dict):
                calls.called(call.get("id"), function.get("name"), _parsed(function.get("arguments")))
        if role == "tool":
            told = _text(value.get("content"))
            step += 1
            failed = told if value.get("is_error") or _codex_error(told) else None
            yield from calls.answered(value.get("tool_call_id"), None, failed, {**common, "step": step})
            continue
        for block in _blocks(value.get("content")):
            if block.get("type") == "tool_use":
                calls.called(block.get("id"), block.get("name"), block.get("input"))
            elif block.get("type") == "tool_result":
                step += 1
                error = (_text(block.get("content")) or "failed") if block.get("is_error") else None
                yield from calls.answered(block.get("tool_use_id"), None, error, {**common, "step": step})
            elif role == "user" and isinstance(block.get("text"), str):
                yield {**common, "type": "prompt", "prompt": block["text"], "step": step}
            elif role == "assistant":
                yield from _citing(block.get("text"), {**common, "step": step})


def _citing(text: Any, common: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """An answer, if it may cite records. Of others nothing would be kept."""
    if isinstance(text, str) and "#" in text:
        yield {**common, "type": "message", "message": text}


def _blocks(content: Any) -> list[dict[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(block["text"] for block in _blocks(content) if isinstance(block.get("text"), str))


def _parsed(value: Any) -> Any:
    """JSON inside a text, as its value; any other text as it is."""
    if not isinstance(value, str):
        return value
    try:
        return orjson.loads(value)
    except ValueError:
        return value
