"""Tools for agents that write code: what they are to remember, and what to know before they touch a file.

Answers about code are lines of text, `path:line symbol`, within 1,000 tokens unless more is asked for.
"""

from __future__ import annotations

from typing import Any

from recollect.compat.engram import MEMORY_SEARCH
from recollect.memory import Memory
from recollect.model.code import CodeAnswer, CodeItem
from recollect.verbs.schema import Schema, list_of, object_of, text_of
from recollect.verbs.toolsets.brief import short
from recollect.verbs.toolsets.default import BY_NAME, stored
from recollect.verbs.toolsets.tool import Tool

TYPES = (
    "gotcha",
    "decision",
    "preference",
    "pattern",
    "requirement",
    "error_pattern",
    "module_insight",
    "workflow",
    "work_state",
    "dead_end",
)
_SESSION = text_of("A name for this session.")
_TARGET = text_of("Path, symbol, or path::symbol.")
_TOKENS: Schema = {"type": "integer", "description": "Size of the answer.", "minimum": 100, "default": 1000}
_TESTS_TOLD = 8


def _steps(default: int) -> Schema:
    return {"type": "integer", "description": "Steps to go.", "minimum": 1, "maximum": 10, "default": default}


def remember_this(memory: Memory, given: dict[str, Any]) -> dict[str, Any]:
    """Keep something learned at work. A search reads its files in the text and as `related_files` of the metadata."""
    content, files = given["content"], list(dict.fromkeys(given.get("files", [])))
    unnamed = [path for path in files if path not in content]
    text = f"{content} ({', '.join(unnamed)})" if unnamed else content
    metadata = {"related_files": files} if files else None
    return stored(memory.remember(text, category=given["type"], metadata=metadata, session_id=given.get("session_id")))


def compact_session(memory: Memory, given: dict[str, Any]) -> dict[str, Any]:
    receipt = memory.compact(given["summary"], session_id=given.get("session_id"))
    return {"ids": [short(id_) for id_ in receipt.ids], "known": len(receipt.merged), "status": "stored"}


def analyze_impact(memory: Memory, given: dict[str, Any]) -> dict[str, Any]:
    """What a change of a file or symbol reaches."""
    return _told(memory.code.impact(given["target"], max_depth=given["max_depth"], max_tokens=given["max_tokens"]))


def get_dependencies(memory: Memory, given: dict[str, Any]) -> dict[str, Any]:
    """What a file or symbol rests on."""
    depth, tokens = given["max_depth"], given["max_tokens"]
    return _told(memory.code.dependencies(given["target"], max_depth=depth, max_tokens=tokens))


def trace_data_flow(memory: Memory, given: dict[str, Any]) -> dict[str, Any]:
    """Where data goes from a function on."""
    return _told(memory.code.trace(given["source"], max_depth=given["max_depth"], max_tokens=given["max_tokens"]))


def code_map(memory: Memory, given: dict[str, Any]) -> dict[str, Any]:
    """A project in few words."""
    found = memory.code.map(max_tokens=given["max_tokens"], focus=given.get("focus"))
    return {"map": found.text, **({"stale": list(found.stale)} if found.stale else {})}


def _told(answer: CodeAnswer) -> dict[str, Any]:
    """An answer in few tokens: a line for each, what was left out by folder, and what may be wrong."""
    told: dict[str, Any] = {"summary": f"{answer.asked}: {answer.summary}", "found": [_line(each) for each in answer]}
    if answer.modules:
        told["more_in"] = {each.path: each.files for each in answer.modules}
    if answer.tests:
        told["tests"] = list(answer.tests[:_TESTS_TOLD])
    if answer.stale:
        told["stale"] = list(answer.stale)
    return told


def _line(item: CodeItem) -> str:
    """`path:line symbol`, with the line of the use where it is one."""
    said = [word for word in (item.note, f"{item.depth} steps" if item.depth > 1 and not item.note else "") if word]
    more = f" ({', '.join(said)})" if said else ""
    return f"{item.path}:{item.at or item.line} {item.symbol}".rstrip() + more


def report_failure(memory: Memory, given: dict[str, Any]) -> dict[str, Any]:
    """Keep what a test or a review found."""
    receipt = memory.report_failure(given["report"], spec=given.get("spec"))
    return {"ids": [short(id_) for id_ in receipt.ids], "notes": list(receipt.flags), "status": "stored"}


TOOLSET = (
    MEMORY_SEARCH,
    BY_NAME["get_context"],
    Tool(
        "remember_this",
        "Remember something learned while working on code: a trap, a decision, a pattern, what a "
        "module does, what failed. One thing at a time, understandable alone.",
        object_of(
            "content",
            content=text_of("What was learned."),
            type=text_of("What sort of thing it is.", enum=list(TYPES), default="module_insight"),
            files=list_of("Files it is about."),
            session_id=_SESSION,
        ),
        writes=True,
        call=remember_this,
    ),
    Tool(
        "compact_session",
        "Keep what a session came to before it ends: one memory for each thing the summary "
        "states. Given again, it changes nothing.",
        object_of("summary", summary=text_of("Decisions, facts, open ends: one to a line."), session_id=_SESSION),
        writes=True,
        call=compact_session,
        idempotent=True,
    ),
    Tool(
        "analyze_impact",
        "What changing a file or symbol affects: dependents, tests. Ask before you edit.",
        object_of("target", target=_TARGET, max_depth=_steps(3), max_tokens=_TOKENS),
        call=analyze_impact,
    ),
    Tool(
        "get_dependencies",
        "What a file or symbol depends on.",
        object_of("target", target=_TARGET, max_depth=_steps(3), max_tokens=_TOKENS),
        call=get_dependencies,
    ),
    Tool(
        "trace_data_flow",
        "The calls that data flows into from a function on, and why each way ends.",
        object_of("source", source=_TARGET, max_depth=_steps(4), max_tokens=_TOKENS),
        call=trace_data_flow,
    ),
    Tool(
        "code_map",
        "The project in few words: modules, entry points, key symbols.",
        object_of(focus=text_of("File or symbol it is asked for."), max_tokens=_TOKENS),
        call=code_map,
    ),
    Tool(
        "report_failure",
        "Report failing tests or review findings: they warn whoever touches the file, until they pass.",
        object_of(
            "report",
            report=text_of(
                "Output of pytest, jest, go test, cargo; JUnit; SARIF; or JSON {severity, description, file}."
            ),
            spec=text_of("The task."),
        ),
        writes=True,
        call=report_failure,
    ),
)
