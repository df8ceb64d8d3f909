"""What is done the same way again and again becomes a procedure: its steps, its tools, how often it worked.

Actions are read from turns in their order, session by session (`upkeep.actions`); three times the same sequence make
one. A procedure is found again by its steps: it counts on, and goes when the turns it was found in are gone.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import groupby
from typing import NamedTuple

import orjson

from recollect.ids import new_id
from recollect.ingest.embedding import Embedding, Prepared
from recollect.language.terms import terms_of
from recollect.store import edges, patterns, records
from recollect.store.base import Tx
from recollect.store.journal import Op
from recollect.store.patterns import FOUND_BY, Pattern
from recollect.store.rows import RecordRow, content_hash, from_json, to_json
from recollect.upkeep.consolidation.actions import Action, Repeated, action_of, outcome_told, repeated
from recollect.upkeep.runs.by_scope import each_scope
from recollect.upkeep.runs.run import Run

OCCURRENCES_MAX = 20  # tied to a procedure, the newest
_METHOD = "sequence"
_TURNS = (
    "SELECT session_pk, pk, role, speaker, content, metadata, attributes FROM record WHERE scope_pk = ? "
    "AND session_pk IS NOT NULL AND retired_at IS NULL AND head_pk IS NULL AND kind = 'episodic' "
    "AND security = 'cleartext' ORDER BY session_pk, pk"
)


class _Kept(NamedTuple):
    """A procedure to be stored, and as it was before."""

    scope_pk: int
    key: str
    found: Repeated
    before: Pattern | None
    vector: Prepared


class Procedures:
    """The step."""

    name = "procedures"

    def __init__(self, embedding: Embedding) -> None:
        self._embedding = embedding

    def run(self, run: Run) -> None:
        least = run.config.upkeep.pattern_members_min
        for scope_pk in each_scope(run):
            with run.store.read() as tx:
                sessions = _sessions(tx, scope_pk)
                known = {_key(one): one for one in patterns.of_scope(tx, scope_pk, _METHOD)}
            found = {orjson.dumps(one.keys).decode(): one for one in repeated(sessions, least=least)}
            for key, pattern in known.items():
                if key not in found and pattern.live and not pattern.edited:
                    run.portion(partial(_retire, run=run, pattern=pattern))
            for key, one in found.items():
                before = known.get(key)
                if before is None or (before.live and _occurrences(before) != len(one.occurrences)):
                    vector = self._embedding.prepare([_content(one)]) if before is None else Prepared()
                    kept = _Kept(scope_pk, key, one, before, vector)
                    run.portion(partial(_store, run=run, kept=kept))


def _sessions(tx: Tx, scope_pk: int) -> list[list[Action]]:
    """The actions of each session in their order. A turn that is none may still say how the one before it ended."""
    out = []
    for _, rows in groupby(tx.each(_TURNS, (scope_pk,)), key=lambda row: row[0]):
        own: list[Action] = []
        for _, pk, role, speaker, content, metadata, attributes in rows:
            said = {**from_json(attributes, {}), **from_json(metadata, {})}
            action = action_of(pk, role, speaker, content, said)
            if action is not None:
                own.append(action)
            elif own and own[-1].outcome == 0:
                own[-1] = own[-1]._replace(outcome=outcome_told(content))
        if own:
            out.append(own)
    return out


def _store(tx: Tx, op: Op, *, run: Run, kept: _Kept) -> None:
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
        (pk,) = records.insert(tx, op, [row], [terms_of(content)])
        vector.store(tx, [pk], now=op.at)
        run.note("made", row.id, f"{len(found.occurrences)} times the same {len(found.keys)} steps")
    else:
        pk = before.pk
        records.revise(tx, op, pk, {"attributes": to_json(attributes), "confidence": _sure(found)})
        run.note("updated", before.id, f"{len(found.occurrences)} times by now")
    had = set(before.instances) if before is not None else set()
    edges.retire(tx, op, patterns.ties(tx, pk, had - set(firsts)))
    new = [first for first in firsts if first not in had]
    edges.insert(tx, op, [edges.pair(first, pk, "instance_of", auto_extracted=True) for first in new])
    edges.insert(tx, op, [edges.pair(pk, first, "derived_from", auto_extracted=True) for first in new])


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
    edges.retire(tx, op, patterns.ties(tx, pattern.pk))
    if records.retire(tx, op, [pattern.pk]):
        run.note("retired", pattern.id, "it is not done that way often enough any more")


def _key(pattern: Pattern) -> str:
    return str(pattern.attributes.get("key", ""))


def _occurrences(pattern: Pattern) -> int:
    return int(pattern.attributes.get("occurrences", 0))
