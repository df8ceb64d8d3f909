"""Current truth: lives told over ninety days by a clock that is moved, consolidated on the way, and asked about.

    python -m bench.quality.truth [lives]

`current truth`: of the facts that changed, the share for which the turn with the present value comes before every turn
with an earlier one, asked by default. `outdated statements retired`: the share of them that has ended. `not wrongly
retired`: of all statements that still hold, the share that has not. `without duplicates`: the share of live statements
that say what no other one says.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import recollect
from bench.quality.figures import Figure
from bench.quality.rankers import settle
from bench.quality.truth_stories import CHANGED, ENDED, REPEATED, Told, story
from recollect.clock import DAY_US
from recollect.upkeep.consolidation.consolidate import ConsolidateStep
from recollect.upkeep.runs.activity import Activity
from recollect.upkeep.runs.runner import Runner

LIVES = 20
DAYS = 90
CONSOLIDATED_EVERY_DAYS = 7
_TOP = 10


class MovedClock:
    """A clock that is where it was put, and a little later at every look."""

    def __init__(self) -> None:
        self.now = 1_780_000_000_000_000

    def __call__(self) -> int:
        self.now += 1
        return self.now


@dataclass(slots=True)
class Outcome:
    """Counts over all lives, and what went wrong in words."""

    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def note(self, name: str, right: bool, what: str) -> None:
        self.counts[name] += 1
        self.counts[f"{name}, right"] += right
        if not right:
            self.wrong.append(f"{name}: {what}")

    def share(self, name: str) -> float:
        return self.counts[f"{name}, right"] / max(1, self.counts[name])


def measure(baselines: bool, lives: int = LIVES) -> list[Figure]:
    outcome = measured(lives)
    duplicates = outcome.counts["duplicates"] / max(1, outcome.counts["live statements"])
    figures = [
        ("current truth", outcome.share(CHANGED), outcome.counts[CHANGED]),
        ("what ended is not told as true", outcome.share(ENDED), outcome.counts[ENDED]),
        ("outdated statements retired", outcome.share("outdated"), outcome.counts["outdated"]),
        ("not wrongly retired", outcome.share("kept"), outcome.counts["kept"]),
        ("without duplicates", 1.0 - duplicates, outcome.counts["live statements"]),
    ]
    unseen = measured(max(1, lives // 2), otherwise=True)
    figures += [
        ("current truth, in other words", unseen.share(CHANGED), unseen.counts[CHANGED]),
        ("not wrongly retired, in other words", unseen.share("kept"), unseen.counts["kept"]),
    ]
    return [Figure(name=name, value=value, note=f"of {count}") for name, value, count in figures]


def measured(lives: int, *, consolidated: bool = True, otherwise: bool = False) -> Outcome:
    """Every life in a store of its own; `otherwise`, told in words that no rule was made for."""
    outcome = Outcome()
    for seed in range(lives):
        clock = MovedClock()
        with recollect.open(":memory:", clock=clock, config={"upkeep.after_session": False}) as memory:
            told = story(seed, DAYS, otherwise=otherwise)
            _tell(memory, clock, told, consolidated=consolidated)
            settle(memory)
            _look(memory, told, outcome)
            _ask(memory, told, outcome)
    return outcome


def _tell(memory: recollect.Memory, clock: MovedClock, told: Sequence[Told], *, consolidated: bool) -> None:
    began, last = clock.now, 0.0
    engine = memory._engine
    runner = Runner(engine.store, engine.config, clock, Activity())
    for each in told:
        clock.now = max(clock.now, began + int(each.day * DAY_US))
        said: dict[str, Any] = {"role": "user", "name": "Ana", "content": each.text}
        said["metadata"] = {"fact": each.fact, "step": each.step}
        memory.add([said], session_id=f"day {int(each.day)}", user_id="ana")
        if consolidated and each.day - last > CONSOLIDATED_EVERY_DAYS:
            runner.run("consolidate", [ConsolidateStep()])
            last = each.day
    clock.now += DAY_US
    if consolidated:
        runner.run("consolidate", [ConsolidateStep()])


def _look(memory: recollect.Memory, told: Sequence[Told], outcome: Outcome) -> None:
    """What has become of the statements."""
    steps = {(each.fact, each.step): each for each in told}
    live: Counter[tuple[str, str]] = Counter()
    with memory._engine.store.read() as tx:
        rows = tx.sql.all(
            "SELECT metadata ->> '$.fact', metadata ->> '$.step', content, valid_until IS NULL AND retired_at IS NULL, "
            "retired_at IS NOT NULL, attributes ->> '$.tense' FROM record WHERE turn_pk IS NOT NULL AND head_pk IS NULL"
        )
    for fact, step, content, is_live, is_merged, tense in rows:
        each = steps[fact, int(step)]
        if is_live:
            outcome.counts["live statements"] += 1
            live[fact, "" if each.sort == REPEATED else content] += 1
        if each.holds and not is_merged:
            outcome.note("kept", bool(is_live), f"{fact}: {content}")
        elif each.sort in (CHANGED, ENDED) and tense != "past" and not is_merged:
            outcome.note("outdated", not is_live, f"{fact}: {content}")
    outcome.counts["duplicates"] += sum(count - 1 for count in live.values())
    outcome.wrong += [f"duplicates: {fact} {count}" for (fact, _), count in live.items() if count > 1]


def _ask(memory: recollect.Memory, told: Sequence[Told], outcome: Outcome) -> None:
    """Which turn of a fact comes first."""
    for last in [each for each in told if each.question and each.holds]:
        found = memory.search(last.question, user_id="ana", top_k=_TOP)
        steps = [hit.metadata["step"] for hit in found if hit.metadata.get("fact") == last.fact]
        outcome.note(last.sort, steps[:1] == [last.step], f"{last.question} {steps} {last.text}")


if __name__ == "__main__":
    result = measured(
        int(sys.argv[1]) if len(sys.argv) > 1 else LIVES,
        consolidated="--bare" not in sys.argv,
        otherwise="--otherwise" in sys.argv,
    )
    for line, count in Counter(result.wrong).most_common(60):
        print(count, line)
    print(dict(result.counts))
    for name in (CHANGED, ENDED, "outdated", "kept"):
        print(f"{name}: {result.share(name):.4f}")
