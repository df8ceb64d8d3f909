"""From what a client tells its hooks to an event, and from an event to what is kept of it: its shape, never its words.

Kept are who, when, which tool, paths and lines, prints of changed lines, one line of an error, ids of records that were
shown, found, stored or cited, and files that the memory named. What a file held, what was asked and what was answered
is not.
"""

from __future__ import annotations

from recollect.hook import failure, phases, places, shell, tools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeGuard

EVENT_BYTES_MAX = 1 << 20
NAME_CHARS_MAX = 256  # of a session, an agent, an id
TYPES = (
    *("session_start", "prompt", "tool", "tool_failed", "plan", "outcome", "message", "stop", "compact"),
    *("session_end", "shown"),
)
SHOWN = "shown"  # what hooks, or a loop of one's own, put before the agent unasked
NAMED_MAX = 50  # files that are kept of those the memory named
CITED_CHARS, CITED_MAX = 100_000, 50  # of an answer that are looked through for ids, and ids that are kept
_HEX = frozenset("0123456789abcdef")
_ID_DIGITS = 8  # of a record's id, in windows, hints and answers of tools
_ANSWERING = ("message", "stop")  # types whose text is the agent's own
_LOOKING = ("read", "search", "list")
_FINDING = frozenset("memory_search search_memories get_context search_memory memory_list".split())
_ABOUT_CODE = frozenset("analyze_impact get_dependencies trace_data_flow code_map".split())
_STORING = frozenset("remember_this add_memory compact_session memory_store remember_fact report_failure".split())
BEFORE = "before"  # a tool is about to be called: nothing to keep, perhaps something to say
# The events of all clients by the names that each gives them.
EVENTS = {
    "SessionStart": "session_start",
    "UserPromptSubmit": "prompt",
    "PreToolUse": BEFORE,
    "PostToolUse": "tool",
    "PostToolUseFailure": "tool_failed",
    "Stop": "stop",
    "PreCompact": "compact",
    "SessionEnd": "session_end",
    "sessionStart": "session_start",  # Cursor
    "beforeSubmitPrompt": "prompt",
    "preToolUse": BEFORE,
    "postToolUse": "tool",
    "postToolUseFailure": "tool_failed",
    "stop": "stop",
    "preCompact": "compact",
    "sessionEnd": "session_end",
    "BeforeAgent": "prompt",  # Gemini CLI
    "BeforeTool": BEFORE,
    "AfterTool": "tool",
    "AfterAgent": "stop",
    "PreCompress": "compact",
}
WORDS = ("plan", "tail")  # an agent's own, on their way to the record of where the work stands; no log holds them
_DEEP_MAX = 8
# In which the same event may differ when it comes again, and what is concluded from it.
_NOT_OF_A_MOMENT = ("at", "ms", "root", "asks", "phase", "tests", "spec", "branch", "tree", "tail", "plan")
_NOT_OF_A_CALL = (*_NOT_OF_A_MOMENT, "chars", "found", "stored", "named")
# Moments of which it is kept on which branch, and in which work tree, they were.
_PLACED = ("session_start", "stop", "compact", "session_end", "outcome")
TAIL_CHARS = 2_000  # of what an agent said last, from which it is told where the work stands
_EXIT = ("exit_code", "exitCode", "returncode", "exit_status")


class Unusable(ValueError):
    """A payload or an event of which nothing can be kept; the message says why, without any of its content."""


def event_of(payload: Any) -> dict[str, Any]:
    """The event that a hook's payload tells of, whichever client sent it."""
    if not isinstance(payload, dict):
        raise Unusable("no object")
    name = payload.get("hook_event_name")
    kind = EVENTS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise Unusable("unknown event")
    roots = payload.get("workspace_roots")
    event = {
        "type": kind,
        "session_id": payload.get("session_id") or payload.get("conversation_id"),
        "agent_id": payload.get("agent_id"),
        "cwd": payload.get("cwd") or (roots[0] if isinstance(roots, list) and roots else None),
        "id": payload.get("tool_use_id") if kind in ("tool", "tool_failed", BEFORE) else payload.get("prompt_id"),
        "source": payload.get("source") or payload.get("trigger") or payload.get("reason"),
        "tool": payload.get("tool_name"),
        "input": payload.get("tool_input"),
        "output": payload.get("tool_response", payload.get("tool_output")),
        "error": payload.get("error") or payload.get("error_message"),
        "duration_ms": payload.get("duration_ms", payload.get("duration")),
        "prompt": payload.get("prompt"),
        "message": payload.get("last_assistant_message") or payload.get("prompt_response"),
        "mode": payload.get("permission_mode"),
    }
    return _with_failure(event)


def _with_failure(event: dict[str, Any]) -> dict[str, Any]:
    """A tool whose answer says that it failed has failed: not every client has an event of its own for that."""
    answer = event["output"]
    if event["type"] != "tool" or not isinstance(answer, dict):
        return event
    failed = answer.get("error") or any(answer.get(name) not in (None, 0) for name in _EXIT)
    if failed:
        told = answer.get("error") or answer.get("stderr") or answer.get("output") or answer.get("llmContent") or ""
        event |= {"type": "tool_failed", "error": told if isinstance(told, str) else str(told)[:2_000]}
    return event


def kept(event: dict[str, Any], *, at: int) -> dict[str, Any]:
    """What is kept of an event. `at`: when it came, for one that says no time of its own."""
    kind = event.get("type")
    if kind not in TYPES and kind != BEFORE:
        raise Unusable("unknown type")
    session = event.get("parent") or event.get("session_id")
    if not _is_name(session):
        raise Unusable("no session_id")
    for name in ("id", "agent_id", "tool", "project", "spec"):
        if event.get(name) is not None and not _is_name(event[name]):
            raise Unusable(f"{name} is no name")
    folder = event.get("cwd")
    folder = folder if isinstance(folder, str) and folder.startswith("/") and "\x00" not in folder else None
    top, project = places.workplace(folder) if folder else ("", "")
    own = event.get("at")
    out: dict[str, Any] = {"session": session, "type": kind, "at": own if _is_time(own) else at, "root": project}
    agent = event.get("agent_id") if event.get("parent") is None else event.get("session_id")
    step, phase = event.get("step"), event.get("phase")
    if phase is not None and phase not in phases.PHASES:
        raise Unusable("unknown phase")
    named = {"phase": phase, "project": event.get("project"), "agent": agent, "step": step if _is_time(step) else None}
    named |= {"spec": event.get("spec")}
    if top and kind in _PLACED:
        named |= {"branch": _branch(event, top), "tree": top if top != project else None}
    out |= {name: value for name, value in named.items() if value is not None}
    if kind in ("tool", "tool_failed", BEFORE):
        out |= _call(event, top, folder or "")
    else:
        out |= _moment(event, top)
    if kind == "plan":
        out |= _planned(event)
        out |= {"tool": event["tool"]} if event.get("tool") else {}
    out["key"] = _key(event, out)
    return out


def _call(event: dict[str, Any], top: str, folder: str) -> dict[str, Any]:
    tool = event.get("tool")
    if not tool:
        raise Unusable("no tool")
    if tool.lower() in tools.PLANNING:
        return {"type": "plan", "tool": tool, **_planned(event)}
    kind, files = tools.touched(tool, event.get("input"), event.get("output"))
    placed: list[dict[str, Any]] = []
    outside = 0
    for each in files:
        path = places.within(each["path"], top, folder) if top else _plain(each["path"])
        if path is None:
            outside += 1
        elif path != ".":
            placed.append({**each, "path": path})
    out: dict[str, Any] = {"tool": tool, "class": kind}
    if placed:
        out["files"] = placed
    if outside:
        out["outside"] = outside
    if command := tools.command_of(event.get("input")) if tools.class_of(tool) == "run" else "":
        out["target"] = failure.print_of_bytes(" ".join(command.split()).encode("utf-8", "replace"))
        if shell.runs_tests(command):
            out["tests"] = True
    if isinstance(event.get("duration_ms"), int | float) and 0 <= event["duration_ms"] < 10**10:
        out["ms"] = int(event["duration_ms"])
    if event["type"] == "tool_failed" and isinstance(event.get("error"), str):
        out["error"] = failure.telling(event["error"])
    return out | _answered(tool, kind, event.get("output"), top)


def _planned(event: dict[str, Any]) -> dict[str, Any]:
    from recollect.hook import plans  # few events are about plans

    return plans.planned(event.get("tool") or "", event.get("input"), event.get("output"))


def _answered(tool: str, kind: str, answer: Any, top: str) -> dict[str, Any]:
    """How much an agent had to read, where it only looked; which records a tool of the memory found or stored, and
    which files it named."""
    name = tool.lower().rpartition("__")[2]
    asked = kind == "other" and name in _FINDING | _ABOUT_CODE
    out: dict[str, Any] = {}
    if (kind in _LOOKING or asked) and (chars := _chars_of(answer)):
        out["chars"] = chars
    if asked and (named := _named_in(answer, top)):
        out["named"] = named
    sort = "found" if name in _FINDING else "stored" if name in _STORING else ""
    if kind not in _LOOKING and sort and (ids := sorted(set(_ids_in(answer)))[:CITED_MAX]):
        out[sort] = ids
    return out


def _named_in(answer: Any, top: str) -> list[str]:
    return places.named_in(" ".join(_texts_in(answer))[:CITED_CHARS], top)[:NAMED_MAX]


def _texts_in(answer: Any, deep: int = 0) -> list[str]:
    """All texts of an answer, whatever they stand in."""
    if isinstance(answer, str):
        return [answer]
    if deep > _DEEP_MAX or not isinstance(answer, dict | list):
        return []
    parts = answer.values() if isinstance(answer, dict) else answer
    return [text for each in parts for text in _texts_in(each, deep + 1)]


def _chars_of(answer: Any) -> int:
    return sum(map(len, _texts_in(answer)))


def _ids_in(answer: Any, deep: int = 0) -> list[str]:
    """Beginnings of ids anywhere in what a tool of the memory answered: JSON, or lines that begin with #id."""
    if isinstance(answer, str):
        text = answer[:CITED_CHARS]
        return [*_cited(text), *(word[:_ID_DIGITS] for word in text.split('"') if _is_id(word))]
    if deep > _DEEP_MAX or not isinstance(answer, dict | list):
        return []
    parts = answer.values() if isinstance(answer, dict) else answer
    whole = [each[:_ID_DIGITS] for each in parts if isinstance(each, str) and _is_id(each)]
    return [*whole, *(found for each in parts for found in _ids_in(each, deep + 1))]


def _is_id(word: str) -> bool:
    return len(word) in (_ID_DIGITS, 36) and set(word[:_ID_DIGITS]) <= _HEX and word[_ID_DIGITS : _ID_DIGITS + 1] in "-"


def _plain(path: str) -> str | None:
    """A path of which nobody says what it is relative to: as it is, if it leads nowhere else."""
    sound = not path.startswith(("/", "~", "\\")) and "\x00" not in path and ".." not in path.split("/")
    return path.removeprefix("./") if sound and 0 < len(path) <= places.PATH_CHARS_MAX else None


def _branch(event: dict[str, Any], top: str) -> str | None:
    """The branch that an event says, else the one that is there now."""
    said = event["branch"] if "branch" in event else places.branch_of(top)
    return said if _is_name(said) else None


def _moment(event: dict[str, Any], top: str) -> dict[str, Any]:
    """What is kept of an event that is no call: how long its text is, and a print by which it is known again."""
    text = event.get("prompt") or event.get("message")
    out: dict[str, Any] = {}
    if isinstance(text, str) and text:
        data = text.strip().encode("utf-8", "replace")
        out = {"chars": len(text), "text": failure.print_of_bytes(data)}
        if event["type"] in _ANSWERING and (cited := _cited(text)):
            out["cited"] = cited
        if event["type"] in _ANSWERING:
            out["tail"] = text.strip()[-TAIL_CHARS:]
        if event["type"] == SHOWN:
            out["shown"] = _shown(text)
            out["named"] = places.named_in(text[:CITED_CHARS], top)[:NAMED_MAX]
        if event["type"] == "prompt" and (asks := phases.asked_for(text)):
            out["asks"] = asks
    for name in ("source", "mode"):
        if _is_name(event.get(name)):
            out[name] = event[name][:40]
    return out


def _cited(text: str) -> list[str]:
    """Beginnings of ids of records that an answer names, as windows and hints write them: #0b6f2a52."""
    pieces = text[:CITED_CHARS].split("#")[1:] if "#" in text else []
    ids = {
        piece[:_ID_DIGITS]
        for piece in pieces
        if len(piece) >= _ID_DIGITS and set(piece[:_ID_DIGITS]) <= _HEX and not piece[_ID_DIGITS:][:1].isalnum()
    }
    return sorted(ids)[:CITED_MAX]


def _shown(text: str) -> list[str]:
    """Beginnings of ids of records that are shown by a text: each begins a line."""
    begun = (line[1 : 1 + _ID_DIGITS] for line in text[:CITED_CHARS].splitlines() if line.startswith("#"))
    return list(dict.fromkeys(each for each in begun if len(each) == _ID_DIGITS and set(each) <= _HEX))[:CITED_MAX]


def shown_event(event: dict[str, Any], said: list[str], top: str) -> dict[str, Any]:
    """What is kept of the fact that something was said to an agent: which records, about which files of the work tree
    `top`, which files it named, and how much it was."""
    text = "\n".join(said)
    kept = ("session", "at", "root", "project", "agent", "client")
    out: dict[str, Any] = {name: event[name] for name in kept if name in event}
    out |= {"type": SHOWN, "chars": len(text), "shown": _shown(text)}
    if about := [each["path"] for each in event.get("files", ())]:
        out["about"] = about
    if named := places.named_in(text, top)[:NAMED_MAX]:
        out["named"] = named
    told = f"{event['key']} {failure.print_of_bytes(text.encode('utf-8', 'replace'))}"
    return out | {"key": f"{SHOWN}:{told}"[:NAME_CHARS_MAX]}


def _key(event: dict[str, Any], out: dict[str, Any]) -> str:
    """By what an event is known when it comes again: the client's own name for it, else a print of what is kept."""
    kind = "tool" if out["type"] in ("tool", "tool_failed", "plan") else out["type"]
    if event.get("id"):
        return f"{kind}:{out['agent']}/{event['id']}" if out.get("agent") else f"{kind}:{event['id']}"
    apart = _NOT_OF_A_CALL if kind == "tool" else _NOT_OF_A_MOMENT
    told = repr(sorted((name, value) for name, value in out.items() if name not in apart))
    when = f"{event.get('at')}" if kind != "prompt" else ""
    return f"{kind}:={failure.print_of_bytes((told + when).encode('utf-8', 'replace'))}"


def _is_name(value: Any) -> TypeGuard[str]:
    return isinstance(value, str) and 0 < len(value) <= NAME_CHARS_MAX and "\x00" not in value


def _is_time(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**62
