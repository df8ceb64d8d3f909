"""What was done, as turns tell it: a tool that was used, an action that was noted, a short order that was given."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from recollect.language.en.verbs import forms
from recollect.language.terms import telling, terms_of

ORDER_WORDS_MAX = 10  # a longer turn is more than one order
STEPS_MIN, STEPS_MAX = 2, 8
_TOOL_ROLES = frozenset(("tool", "function"))
_POLITE = re.compile(r"^(?:please|now|then|and|ok|okay|next)[,\s]+", re.IGNORECASE)
_FAILED = re.compile(
    r"\b(?:fail(?:s|ed|ure|ing)?|error|exception|traceback|broke(?:n)?|crash(?:es|ed)?|(?:does|did) ?n[o']t work"
    r"|not working)\b",
    re.IGNORECASE,
)
_WORKED = re.compile(
    r"\b(?:pass(?:es|ed)?|success(?:ful(?:ly)?)?|succeed(?:s|ed)?|works?(?: now)?|worked|done|fixed|green|great"
    r"|perfect)\b",
    re.IGNORECASE,
)
_OUTCOMES = {"success": 1, "partial": 1, "failure": -1, "error": -1, "retry": -1}


class Action(NamedTuple):
    """One step: the record that tells it, what it is compared by, how it is called, the tool, and how it ended."""

    pk: int
    key: str
    name: str
    tool: str | None
    outcome: int  # 1 it worked, -1 it failed, 0 not told


class Repeated(NamedTuple):
    """Steps that came one after the other, each time."""

    keys: tuple[str, ...]
    occurrences: tuple[tuple[Action, ...], ...]


def action_of(pk: int, role: str | None, speaker: str | None, content: str, said: Mapping[str, Any]) -> Action | None:
    """The action a turn tells of, None if it tells of none. `said` is its metadata and attributes together."""
    tool = _text(said, "tool")
    noted = _text(said, "action")
    if tool is None and (role or "").lower() in _TOOL_ROLES:
        tool = speaker or _text(said, "name")
    if tool is not None or noted is not None:
        name = " ".join(part for part in (tool, noted) if part)
        return Action(pk, name.casefold(), name, tool, _outcome(said, content))
    order = _order(content) if (role or "user").lower() == "user" else None
    if order is None:
        return None
    return Action(pk, " ".join(telling(terms_of(order))), order, None, _outcome(said, ""))


def outcome_told(content: str) -> int:
    """Whether a text says that something worked, or that it failed."""
    if _FAILED.search(content):
        return -1
    return 1 if _WORKED.search(content) else 0


def repeated(sessions: Sequence[Sequence[Action]], *, least: int) -> list[Repeated]:
    """Sequences that came at least so often, the longest first; a part of one that never came by itself is none."""
    lines = [_without_stutter(own) for own in sessions]
    free = [[True] * len(line) for line in lines]
    found = []
    for length in range(STEPS_MAX, STEPS_MIN - 1, -1):
        places: dict[tuple[str, ...], list[tuple[int, int]]] = {}
        for at, line in enumerate(lines):
            for start in range(len(line) - length + 1):
                keys = tuple(action.key for action in line[start : start + length])
                if len(set(keys)) > 1:
                    places.setdefault(keys, []).append((at, start))
        often = {keys: own for keys, own in places.items() if len(own) >= least}
        for keys, own in sorted(often.items(), key=lambda item: (-len(item[1]), item[0])):
            taken = _taken(own, length, free)
            if len(taken) < least:
                continue
            for at, start in taken:
                free[at][start : start + length] = [False] * length
            found.append(Repeated(keys, tuple(tuple(lines[at][s : s + length]) for at, s in taken)))
    return found


def _taken(places: Sequence[tuple[int, int]], length: int, free: Sequence[Sequence[bool]]) -> list[tuple[int, int]]:
    """Of these places those that overlap neither each other nor a longer sequence."""
    out: list[tuple[int, int]] = []
    for at, start in places:
        clear = not out or out[-1][0] != at or out[-1][1] + length <= start
        if clear and all(free[at][start : start + length]):
            out.append((at, start))
    return out


def _without_stutter(actions: Sequence[Action]) -> list[Action]:
    """The same thing done twice in a row is one step; how it ended is what counts."""
    out: list[Action] = []
    for action in actions:
        if out and out[-1].key == action.key:
            out[-1] = action
        else:
            out.append(action)
    return out


def _order(content: str) -> str | None:
    said = _POLITE.sub("", content.strip()).rstrip(" .!")
    words = said.split()
    if not 2 <= len(words) <= ORDER_WORDS_MAX or "?" in said or "\n" in said:
        return None
    return said if words[0].lower() in forms().base and telling(terms_of(said)) else None


def _outcome(said: Mapping[str, Any], content: str) -> int:
    noted = said.get("outcome", said.get("success"))
    if isinstance(noted, bool):
        return 1 if noted else -1
    if isinstance(noted, str):
        return _OUTCOMES.get(noted.lower(), 0)
    return outcome_told(content)


def _text(said: Mapping[str, Any], name: str) -> str | None:
    value = said.get(name)
    return value.strip()[:120] if isinstance(value, str) and value.strip() else None
