"""What is done the same way again and again becomes a procedure: its steps, its tools, how often it worked.

Actions are read from turns in their order, session by session (`action_of`); three times the same sequence make
one. A procedure is found again by its steps: it counts on, and goes when the turns it was found in are gone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple

import orjson

from recollect.ids import new_id
from recollect.ingest.embedding import Embedding, Prepared
from recollect.language.en.verbs import forms
from recollect.language.terms import telling, terms_of
from recollect.model.columns import RecordRow
from recollect.perceive.traits.situation import WORKED, outcome_noted, outcome_told
from recollect.store import edges
from recollect.store.base import Tx
from recollect.store.journal import Op
from recollect.store.patterns import FOUND_BY, Pattern
from recollect.store.rows import content_hash, from_json, to_json
from recollect.upkeep.runs.run import Run

OCCURRENCES_MAX = 20  # tied to a procedure, the newest
_METHOD = "sequence"


class _ProcedureToStore(NamedTuple):
    """A procedure to be stored, and as it was before."""

    scope_pk: int
    key: str
    found: Repeated
    before: Pattern | None
    vector: Prepared


class ProceduresStep:
    """The step."""

    name = "procedures"

    def __init__(self, embedding: Embedding) -> None:
        self._embedding = embedding

    def run(self, run: Run) -> None:
        least = run.config.upkeep.pattern_members_min
        for scope_pk in run.each_scope():
            with run.store.read() as tx:
                sessions = _sessions(tx, scope_pk)
                known = {_key(one): one for one in tx.patterns.of_scope(scope_pk, _METHOD)}
            found = {orjson.dumps(one.keys).decode(): one for one in repeated(sessions, least=least)}
            for key, pattern in known.items():
                if key not in found and pattern.live and not pattern.edited:
                    run.portion(partial(_retire, run=run, pattern=pattern))
            for key, one in found.items():
                before = known.get(key)
                if before is None or (before.live and _occurrences(before) != len(one.occurrences)):
                    vector = self._embedding.prepare([_content(one)]) if before is None else Prepared()
                    kept = _ProcedureToStore(scope_pk, key, one, before, vector)
                    run.portion(partial(_store, run=run, kept=kept))


def _sessions(tx: Tx, scope_pk: int) -> list[list[Action]]:
    """The actions of each session in their order. A turn that is none may still say how the one before it ended."""
    out = []
    for _, turns in groupby(tx.sessions.open_turns(scope_pk), key=lambda turn: turn.session_pk):
        own: list[Action] = []
        for turn in turns:
            said = {**from_json(turn.attributes, {}), **from_json(turn.metadata, {})}
            action = action_of(turn.pk, turn.role, turn.speaker, turn.content, said)
            if action is not None:
                own.append(action)
            elif own and own[-1].outcome == 0:
                own[-1] = own[-1]._replace(outcome=outcome_told(turn.content))
        if own:
            out.append(own)
    return out


def _store(tx: Tx, op: Op, *, run: Run, kept: _ProcedureToStore) -> None:
    scope_pk, key, found, before, vector = kept
    firsts = [occurrence[0].pk for occurrence in found.occurrences][-OCCURRENCES_MAX:]
    attributes = {FOUND_BY: _METHOD, "key": key, **_figures(found)}
    if before is None:
        content = _content(found)
        row = RecordRow(
            id=new_id(),
            scope_pk=scope_pk,
            content=content,
            content_hash=content_hash(content),
            created_at=op.at,
            updated_at=op.at,
            recorded_at=op.at,
            kind="procedural",
            category="workflow",
            source="upkeep",
            perceived="{}",
            attributes=to_json(attributes),
            confidence=_sure(found),
        )
        (pk,) = tx.records.insert(op, [row], [terms_of(content)])
        vector.store(tx, [pk], now=op.at)
        run.note("made", row.id, f"{len(found.occurrences)} times the same {len(found.keys)} steps")
    else:
        pk = before.pk
        tx.records.revise(op, pk, {"attributes": to_json(attributes), "confidence": _sure(found)})
        run.note("updated", before.id, f"{len(found.occurrences)} times by now")
    had = set(before.instances) if before is not None else set()
    tx.edges.retire(op, tx.patterns.ties(pk, had - set(firsts)))
    new = [first for first in firsts if first not in had]
    tx.edges.insert(op, [edges.pair(first, pk, "instance_of", auto_extracted=True) for first in new])
    tx.edges.insert(op, [edges.pair(pk, first, "derived_from", auto_extracted=True) for first in new])


def _figures(found: Repeated) -> dict[str, object]:
    steps = [action.name for action in found.occurrences[-1]]
    tools = list(dict.fromkeys(action.tool for action in found.occurrences[-1] if action.tool))
    outcomes = [_outcome(occurrence) for occurrence in found.occurrences]
    return {
        "steps": steps,
        "tools": tools,
        "occurrences": len(outcomes),
        "successes": outcomes.count(1),
        "failures": outcomes.count(-1),
    }


def _outcome(occurrence: Sequence[Action]) -> int:
    """How a whole sequence ended: as its last step that tells."""
    return next((action.outcome for action in reversed(occurrence) if action.outcome), 0)


def _sure(found: Repeated) -> float:
    """As often as it worked among the times that it is told; one more of each is assumed, so that few say little."""
    figures = [_outcome(occurrence) for occurrence in found.occurrences]
    return (figures.count(1) + 1) / (figures.count(1) + figures.count(-1) + 1) if figures.count(-1) else 1.0


def _content(found: Repeated) -> str:
    steps = [action.name for action in found.occurrences[-1]]
    return "Usual steps: " + "; ".join(f"{number}. {step}" for number, step in enumerate(steps, start=1))


def _retire(tx: Tx, op: Op, *, run: Run, pattern: Pattern) -> None:
    tx.edges.retire(op, tx.patterns.ties(pattern.pk))
    if tx.records.retire(op, [pattern.pk]):
        run.note("retired", pattern.id, "it is not done that way often enough any more")


def _key(pattern: Pattern) -> str:
    return str(pattern.attributes.get("key", ""))


def _occurrences(pattern: Pattern) -> int:
    return int(pattern.attributes.get("occurrences", 0))


# --- actions ---------------------------------------------------------------------------------------------------------

ORDER_WORDS_MAX = 10  # a longer turn is more than one order
STEPS_MIN, STEPS_MAX = 2, 8
_TOOL_ROLES = frozenset(("tool", "function"))
_POLITE = re.compile(r"^(?:please|now|then|and|ok|okay|next)[,\s]+", re.IGNORECASE)


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
        return Action(pk, name.casefold(), name, tool, _outcome_noted(said, content))
    order = _order(content) if (role or "user").lower() == "user" else None
    if order is None:
        return None
    return Action(pk, " ".join(telling(terms_of(order))), order, None, _outcome_noted(said, ""))


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


def _outcome_noted(said: Mapping[str, Any], content: str) -> int:
    noted = outcome_noted(said)
    return outcome_told(content) if noted is None else WORKED[noted]


def _text(said: Mapping[str, Any], name: str) -> str | None:
    value = said.get(name)
    return value.strip()[:120] if isinstance(value, str) and value.strip() else None
