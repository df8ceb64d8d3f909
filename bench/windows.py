"""Contexts over a warm store, beside the search inside them; and a mind put aside and taken up again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import recollect
from bench import data
from bench.child import run
from bench.inside import wait_until_current
from bench.measure import Figure, in_turns, latency
from bench.plan import Plan

GROUP = "windows"
MODEL = "gpt-4o"
TOKENS = 2000
CANDIDATES = 60  # about what such a window looks at
_MINDS, _TIMES = 10, 10  # few enough to be in memory all the time
_SCOPE: dict[str, Any] = {"reach": "all"}


def measure(folder: Path, size: int, plan: Plan) -> list[Figure]:
    found = run("bench.windows:contexts", folder=str(folder), size=size, searches=plan.searches)
    return [Figure(**figure) for figure in found]


def contexts(folder: str, size: int, searches: int) -> list[dict[str, Any]]:
    """In a child: contexts in turn with the search for as many candidates, then minds."""
    questions = data.questions(searches)
    with recollect.open(Path(folder) / data.STORE_FILE) as mem:
        wait_until_current(mem)
        for question in questions[:5]:
            mem.context(question, model=MODEL, max_tokens=TOKENS, **_SCOPE)
        shown = [0, 0]

        def build(question: str) -> None:
            shown[0] += len(mem.context(question, model=MODEL, max_tokens=TOKENS, **_SCOPE).hits)
            shown[1] += 1

        def find(question: str) -> None:
            mem.search(question, top_k=CANDIDATES, **_SCOPE)

        times = in_turns({"floor": find, "context": build}, questions)
        note = f"{shown[0] / shown[1]:.1f} records in {TOKENS} tokens; the floor is the search"
        figures = [latency(GROUP, "context", times["context"], size=size, floor_ms=times["floor"], note=note)]

        def put_aside_and_back(session: str) -> None:
            mem.working.suspend(session_id=session)
            mem.working.resume(session_id=session)

        sessions = [f"s{number}" for number in range(_MINDS)]
        for session, question in zip(sessions, questions, strict=False):
            mem.context(question, session_id=session, max_tokens=TOKENS)
            mem.working.note("Ana wants the report before Friday", session_id=session)
        times = in_turns({"mind": put_aside_and_back}, sessions * _TIMES)
        figures.append(latency(GROUP, "mind, suspended and resumed", times["mind"], size=size))
    return [figure.to_dict() for figure in figures]
