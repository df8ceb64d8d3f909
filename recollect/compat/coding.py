"""Tools for agents that write code: what they are to remember, and what to know before they touch a file.

Answers about code are lines of text, `path:line symbol`, within 1,000 tokens unless more is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recollect.code.overview import TOKENS_MIN as MAP_TOKENS_MIN
from recollect.compat.engram import MEMORY_SEARCH
from recollect.facade.arguments import AddArgs
from recollect.memory import Memory
from recollect.model.code import CodeAnswer, CodeItem, CodeNote
from recollect.model.said_of_code import ATTRIBUTE, PLACES_MAX, NoteKind, SaidOfCode, place_of
from recollect.verbs.schema import Schema, list_of, object_of, text_of
from recollect.verbs.toolsets.brief import FRAME_TOKENS, short, tokens_of
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
    "invariant",
    "data_flow",
)
_SESSION = text_of("A name for this session.")
_TARGET = text_of("Path, symbol, or path::symbol.")
_TOKENS: Schema = {"type": "integer", "description": "Size of the answer.", "minimum": 100, "default": 1000}
_TESTS_TOLD = 8
_STALE_TOLD = 5
NOTE_KINDS = frozenset(kind.value for kind in NoteKind)
_KNOWN_CHARS = 200
_BESIDE_SHARE = 0.4  # of an answer, for all that is no file or symbol of it


def _steps(default: int) -> Schema:
    return {"type": "integer", "description": "Steps to go.", "minimum": 1, "maximum": 10, "default": default}


def remember_this(memory: Memory, given: dict[str, Any]) -> dict[str, Any]:
    """Keep something learned at work. A search reads its files in the text and as `related_files` of the metadata.

    Places in files, and the files of a note about code, are kept as such: they are nodes and edges of the graph.
    """
    content, places = given["content"], list(dict.fromkeys(given.get("files", [])))
    files = list(dict.fromkeys(place_of(place)[0] for place in places))
    unnamed = [path for path in files if path not in content]
    kept: AddArgs = {"category": given["type"], "session_id": given.get("session_id")}
    if files:
        kept["metadata"] = {"related_files": files}
    if (files and given["type"] in NOTE_KINDS) or places != files:
        kept["attributes"] = {ATTRIBUTE: SaidOfCode(places=tuple(places[:PLACES_MAX])).to_dict()}
    return stored(memory.remember(f"{content} ({', '.join(unnamed)})" if unnamed else content, **kept))


def compact_session(memory: Memory, given: dict[str, Any]) -> dict[str, Any]:
    receipt = memory.compact(given["summary"], session_id=given.get("session_id"))
    return {"ids": [short(id_) for id_ in receipt.ids], "known": len(receipt.merged), "status": "stored"}


def analyze_impact(memory: Memory, given: dict[str, Any]) -> dict[str, Any]:
    """What a change of a file or symbol reaches, and what is known about that."""
    depth, tokens = given["max_depth"], given["max_tokens"]
    return _told(memory.code.impact(given["target"], max_depth=depth, max_tokens=tokens), tokens)


def get_dependencies(memory: Memory, given: dict[str, Any]) -> dict[str, Any]:
    """What a file or symbol rests on."""
    depth, tokens = given["max_depth"], given["max_tokens"]
    return _told(memory.code.dependencies(given["target"], max_depth=depth, max_tokens=tokens), tokens)


def trace_data_flow(memory: Memory, given: dict[str, Any]) -> dict[str, Any]:
    """Where data goes from a function on."""
    depth, tokens = given["max_depth"], given["max_tokens"]
    return _told(memory.code.trace(given["source"], max_depth=depth, max_tokens=tokens), tokens)


def code_map(memory: Memory, given: dict[str, Any]) -> dict[str, Any]:
    """A project in few words."""
    found = memory.code.map(
        max_tokens=max(MAP_TOKENS_MIN, given["max_tokens"] - FRAME_TOKENS), focus=given.get("focus")
    )
    return {"map": found.text, **({"stale": _some(found.stale)} if found.stale else {})}


def _told(answer: CodeAnswer, tokens: int) -> dict[str, Any]:
    """An answer within so many tokens: a line for each, and beside them what to know, what goes with it, what is left.

    What stands beside has the smaller part, in the order in which it matters: each half of what the one before left.
    """
    told: dict[str, Any] = {"summary": f"{answer.asked}: {answer.summary}", "found": []}
    beside = {
        "know": [_known(each) for each in answer.records],
        "stale": _some(answer.stale),
        "goes_with": [f"{each.path} {each.weight:.2f}" for each in answer.paired],
        "tests": list(answer.tests[:_TESTS_TOLD]),
        "more_in": [f"{each.path}: {each.files}" for each in answer.modules],
        "notes": list(answer.notes),
    }
    left = tokens - FRAME_TOKENS - tokens_of(told)
    room = left * _BESIDE_SHARE
    for name, lines in beside.items():
        kept = _within(lines, room / 2)
        if kept:
            told[name] = kept
            cost = tokens_of({name: kept})
            room, left = room - cost, left - cost
    told["found"] = _within([_line(each) for each in answer], left)
    if (rest := answer.counts.get("total", len(answer)) - len(told["found"])) > 0:
        told["left_out"] = rest
    return told


def _within(lines: Sequence[str], room: float) -> list[str]:
    """As many of the first lines as there is room for."""
    kept: list[str] = []
    for line in lines:
        room -= tokens_of(line) + 1
        if room < 0:
            break
        kept.append(line)
    return kept


def _some(paths: Sequence[str]) -> list[str]:
    more = [f"and {len(paths) - _STALE_TOLD} more"] if len(paths) > _STALE_TOLD else []
    return [*paths[:_STALE_TOLD], *more]


def _known(note: CodeNote) -> str:
    """A record in a line: its id, what sort it is, what it says, and a word where its code has changed."""
    state = f" (its code has {note.state})" if note.state in ("moved", "drifted") else ""
    return f"#{short(note.id)} {note.kind}: {note.text[:_KNOWN_CHARS]}{state}"


def _line(item: CodeItem) -> str:
    """`path:line symbol`, with the line of the use where it is one."""
    said = [word for word in (item.note, f"{item.depth} steps" if item.depth > 1 and not item.note else "") if word]
    more = f" ({', '.join(said)})" if said else ""
    line = item.at or item.line
    return f"{item.path}:{line} {item.symbol}".rstrip() + more if line else f"{item.path}{more}"


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
            files=list_of("Files it is about, also as path::symbol; of a data_flow in order."),
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
        "What changing a file or symbol affects: dependents, tests, invariants, warnings. Ask before you edit.",
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
        "Where data goes from a function on: calls, returns, known flows, and why each way ends.",
        object_of("source", source=_TARGET, max_depth=_steps(4), max_tokens=_TOKENS),
        call=trace_data_flow,
    ),
    Tool(
        "code_map",
        "The project in few words: modules, entry points, key symbols; for a task, files to begin with.",
        object_of(focus=text_of("File, symbol, or words of the task."), max_tokens=_TOKENS),
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
