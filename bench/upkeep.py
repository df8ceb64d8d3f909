"""Upkeep: how long it takes to consolidate what was said, and what somebody who searches meanwhile notices of it."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import recollect
from bench import data
from bench.child import run
from bench.inside import wait_until_current
from bench.measure import Figure, Stopwatch, latency, timed
from bench.plan import Plan
from recollect.memory import Memory
from recollect.model.run import RunReport

GROUP = "upkeep"
SESSION = 20  # turns
_TOWNS = ("Oslo", "Lisbon", "Kyoto", "Prague", "Vienna")
_FIRMS = ("Acme", "Larkspur", "Quillon")
_CONFIG = {"upkeep.after_session": False}  # everything waits for the run that is measured


def measure(folder: Path, size: int, plan: Plan) -> list[Figure]:
    turns = min(size, plan.turns_max)
    return [
        *(Figure(**each) for each in run("bench.upkeep:alone", folder=str(folder), turns=turns)),
        *(Figure(**each) for each in run("bench.upkeep:beside", folder=str(folder), turns=turns, idle=plan.searches)),
    ]


def alone(folder: str, turns: int) -> list[dict[str, Any]]:
    """In a child: consolidate, and then all the rest of a night, with nobody about."""
    with recollect.open(Path(folder) / "alone.db", config=_CONFIG) as mem:
        _talk(mem, turns)
        figures = []
        for name, verb in (("consolidate", mem.consolidate), ("maintain, after it", mem.maintain)):
            watch = Stopwatch()
            report = verb()
            assert report.state == "done", report.problems
            figures.append(
                Figure(
                    group=GROUP, name=name, size=turns, per_s=turns / watch.s, note=f"{watch.s:.1f} s: {_did(report)}"
                )
            )
    return [figure.to_dict() for figure in figures]


def beside(folder: str, turns: int, idle: int) -> list[dict[str, Any]]:
    """In a child: searches while a whole night's work is done, and with nothing else going on before and after it."""
    questions = data.questions(max(idle, 400))
    with recollect.open(Path(folder) / "beside.db", config=_CONFIG) as mem:
        _talk(mem, turns)

        def ask(question: str) -> None:
            mem.search(question, user_id="ana")

        timed(ask, questions[:50])
        quiet = timed(ask, questions[: idle // 2])
        reports: list[RunReport] = []
        work = threading.Thread(target=lambda: reports.append(mem.maintain()))
        watch = Stopwatch()
        work.start()
        during: list[float] = []
        while work.is_alive():
            during += timed(ask, [questions[len(during) % len(questions)]])
        work.join()
        took_s = watch.s
        wait_until_current(mem)
        quiet += timed(ask, questions[idle // 2 : idle])
    note = f"{len(during)} searches in {took_s:.1f} s: {_did(reports[0])}"
    return [latency(GROUP, "search while maintaining", during, size=turns, floor_ms=quiet, note=note).to_dict()]


def _talk(mem: Memory, turns: int) -> None:
    """Conversations of one person about her life and her work."""
    for start in range(0, turns, SESSION):
        said = [_turn(start + at) for at in range(min(SESSION, turns - start))]
        mem.add(said, session_id=f"session {start // SESSION}", user_id="ana")
    mem._engine.worker.run_pending()
    wait_until_current(mem)


def _turn(number: int) -> dict[str, str]:
    """Every session begins with something that changes from one to the next, or repeats."""
    session, place = divmod(number, SESSION)
    said = (f"I live in {_TOWNS[session % len(_TOWNS)]} now.", "", f"I work at {_FIRMS[session // 7 % len(_FIRMS)]}.")
    text = said[place] if place < len(said) and said[place] else data.text(number)
    return {
        "role": "user" if number % 2 == 0 else "assistant",
        "name": "Ana" if number % 2 == 0 else "Rex",
        "content": text,
    }


def _did(report: RunReport) -> str:
    return ", ".join(f"{count} {did}" for did, count in sorted(report.counts.items())) or "nothing to do"
