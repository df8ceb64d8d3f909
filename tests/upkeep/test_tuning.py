"""The floor of the window is tuned by what was said of records that were barely shown: bounded, told, undoable."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from contracts.store_backends import BACKENDS, DATABASES
from rich.console import Console
from upkeep.upkeep_runs import run_steps

import recollect
from recollect import Memory
from recollect.config import load_config
from recollect.interfaces.cli.views.reports import run_report
from recollect.model.run import RunReport
from recollect.store.tuning import JudgedShown
from recollect.upkeep.tuning import JUDGED_MIN, TuningStep, move_of

ON = {"context.self_tuning": True}
SETTINGS = load_config(environ={}).context


def opened(**config: Any) -> Memory:
    given = {"context.self_tuning": True} | {key.replace("__", "."): value for key, value in config.items()}
    return recollect.open(":memory:", embedder=None, config=given, background=False)


@pytest.fixture
def mem() -> Iterator[Memory]:
    with opened() as memory:
        yield memory


def judge(memory: Memory, level: float, helpful: Sequence[bool]) -> list[str]:
    """New records, each shown at a level of the floor and then judged; the operations of the feedback."""
    ids = [memory.add(f"note {random.random()} about berth {number}").ids[0] for number in range(len(helpful))]
    memory._engine.windows.judged.shown(dict.fromkeys(ids, level))
    given = [memory.feedback(each, helpful=said).operation for each, said in zip(ids, helpful, strict=True)]
    return [operation for operation in given if operation is not None]


def floor(memory: Memory) -> float:
    acting = memory._engine.windows.judged.floor(memory.config)
    assert memory.health()["recall_floor"] == acting
    return acting


def night(memory: Memory, **more: Any) -> RunReport:
    return run_steps(memory, TuningStep(), **more)


def test_it_rises_when_what_was_barely_shown_was_no_help(mem: Memory) -> None:
    judge(mem, 0.55, [False] * 20)
    report = night(mem)
    assert floor(mem) == 0.55
    assert [(item.did, item.id) for item in report.items] == [("raised", "context.recall_floor")]
    assert report.items[0].reason == "0.50 to 0.55: 0 records that stood near it helped, 20 did not"
    health = mem.health()
    assert health["recall_floor_by"] == "tuned"
    assert "0 helped and 20 did not" in health["recall_floor_why"]


def test_it_falls_when_what_was_barely_shown_helped(mem: Memory) -> None:
    judge(mem, 0.52, [True] * 18 + [False] * 2)
    assert night(mem).counts == {"lowered": 1}
    assert floor(mem) == 0.45


def test_what_an_answer_cites_counts_as_help(mem: Memory) -> None:
    ids = [mem.add(f"Ana sails boat {number} to Lima", user_id="ana").ids[0] for number in range(22)]
    prompt = "Which boats does Ana sail to Lima?"
    with mem.turn(prompt, session_id="s1", user_id="ana", max_tokens=3000) as turn:
        shown = [each for each in ids if each in turn.window.ids]
        turn.answer(" ".join(f"#{each[:8]}" for each in shown[: len(shown) // 2]))
    begun = mem.turns.begin(prompt, session_id="s2", user_id="ana", max_tokens=3000)
    mem.turns.end(begun.id, " ".join(f"#{each[:8]}" for each in shown[len(shown) // 2 :]))
    assert len(shown) > 2
    with mem._engine.store.read() as tx:
        judged = tx.tuning.fresh()
    assert len(judged) == len(shown)
    assert all(each.helpful and 0.0 < each.level <= 1.0 for each in judged)
    assert turn.receipt is not None
    assert turn.receipt.operation is not None
    mem.undo(turn.receipt.operation)  # the turn did not happen, so neither did what it said of records
    with mem._engine.store.read() as tx:
        assert len(tx.tuning.fresh()) == len(shown) - len(shown) // 2


def test_nothing_moves_without_enough_feedback(mem: Memory) -> None:
    assert night(mem).operation is None
    judge(mem, 0.55, [False] * (JUDGED_MIN - 1))
    report = night(mem)
    assert (report.operation, report.counts, floor(mem)) == (None, {}, 0.5)
    judge(mem, 0.95, [False] * 40)  # what stood far above the floor says nothing about it
    assert night(mem).operation is None
    judge(mem, 0.55, [False])
    assert night(mem).counts == {"raised": 1}


def test_a_record_has_one_voice(mem: Memory) -> None:
    only = mem.add("Ana has a boat").ids[0]
    mem._engine.windows.judged.shown({only: 0.55})
    for _ in range(JUDGED_MIN + 5):
        mem.feedback(only, helpful=False)
    assert night(mem).operation is None


def test_feedback_on_what_no_window_showed_is_not_counted(mem: Memory) -> None:
    for number in range(JUDGED_MIN):
        mem.feedback(mem.add(f"Ben paints fence {number}").ids[0], helpful=False)
    assert night(mem).operation is None


def test_contradictory_feedback_moves_nothing(mem: Memory) -> None:
    judge(mem, 0.55, [number % 2 == 0 for number in range(60)])
    judge(mem, 0.45, [number % 2 == 0 for number in range(60)])
    assert night(mem).operation is None
    assert (floor(mem), mem.health()["recall_floor_by"]) == (0.5, "setting")


def test_each_judgement_is_used_once(mem: Memory) -> None:
    judge(mem, 0.58, [False] * 30)
    assert night(mem).counts == {"raised": 1}
    assert night(mem).counts == {}
    assert floor(mem) == 0.55


@pytest.mark.parametrize(("helpful", "bound"), [(False, 0.62), (True, 0.4)])
def test_it_stays_within_its_bounds(helpful: bool, bound: float) -> None:
    with opened(context__tuned_min=0.4, context__tuned_max=0.62) as memory:
        for _ in range(5):
            judge(memory, floor(memory) + 0.01, [helpful] * 20)
            night(memory)
        assert floor(memory) == bound


def test_undoing_the_run_puts_it_back_and_undoing_that_brings_it_again(mem: Memory) -> None:
    judge(mem, 0.55, [False] * 20)
    first = mem.maintain()
    assert first.counts["raised"] == 1
    judge(mem, 0.58, [False] * 20)
    second = night(mem)
    assert floor(mem) == 0.6
    assert first.operation is not None
    assert second.operation is not None
    undone = mem.undo(second.operation)
    assert floor(mem) == 0.55
    assert night(mem).counts == {}  # what was undone is not done again for the same reasons
    assert undone.operation is not None
    mem.undo(undone.operation)
    assert floor(mem) == 0.6


def test_feedback_that_was_undone_does_not_count(mem: Memory) -> None:
    given = judge(mem, 0.55, [False] * 20)
    mem.undo(given[0])
    assert night(mem).operation is None


def test_a_dry_run_moves_nothing(mem: Memory) -> None:
    judge(mem, 0.55, [False] * 20)
    assert night(mem, dry_run=True).counts == {"raised": 1}
    assert floor(mem) == 0.5


def test_a_floor_given_by_hand_goes_first(mem: Memory) -> None:
    judge(mem, 0.55, [False] * 20)
    night(mem)
    assert floor(mem) == 0.55
    mem._engine.config.change({"context.recall_floor": 0.3})
    assert (floor(mem), mem.health()["recall_floor_by"]) == (0.3, "hand")
    judge(mem, 0.33, [False] * 20)
    assert night(mem).operation is None


def test_switched_off_nothing_is_kept_and_what_was_moved_does_not_act(mem: Memory) -> None:
    judge(mem, 0.55, [False] * 20)
    night(mem)
    mem._engine.config.change({"context.self_tuning": False})
    assert (floor(mem), mem.health()["recall_floor_by"]) == (0.5, "setting")
    with mem._engine.store.read() as tx:
        before = tx.meta.text("tuning:judged")
    judge(mem, 0.55, [False] * 20)
    assert night(mem).operation is None
    with mem._engine.store.read() as tx:
        assert tx.meta.text("tuning:judged") == before


def test_it_is_off_unless_it_is_switched_on() -> None:
    assert not SETTINGS.self_tuning


def test_a_window_admits_what_the_tuned_floor_admits() -> None:
    words = "Ana sails boat Iris Lima harbour storm night".split()
    with opened() as memory:
        near = [" ".join([*words[:count], "ok"]) for count in range(len(words), 0, -1)]
        far = "Ana asked whether somebody would look after plants, curtains, letters and the cat next summer"
        memory.add([*near, far, *(f"Ben paints fence {number}" for number in range(40))], infer=False)
        usual = _shown(memory, words)
        _tuned(memory, helpful=False, to=SETTINGS.tuned_max)
        raised = _shown(memory, words)
        _tuned(memory, helpful=True, to=SETTINGS.tuned_min)
        lowered = _shown(memory, words)
    assert raised < usual <= lowered
    assert near[0] in raised


def _tuned(memory: Memory, *, helpful: bool, to: float) -> None:
    while floor(memory) != to:
        judge(memory, floor(memory) + 0.01, [helpful] * 20)
        assert night(memory).operation is not None


def _shown(memory: Memory, words: Sequence[str]) -> set[str]:
    window = memory.context(f"Does {' '.join(words)}?", model="gpt-4o")
    return {hit.content for hit in window.hits}


@pytest.mark.parametrize("name", [name for name in DATABASES if BACKENDS[name].shared])
def test_what_one_server_learnt_acts_in_another_and_is_undone_by_it(name: str, tmp_path: Path) -> None:
    url = BACKENDS[name].url(tmp_path)
    with (
        recollect.open(url, embedder=None, config=ON, background=False) as one,
        recollect.open(url, embedder=None, config=ON, background=False) as two,
    ):
        judge(one, 0.55, [False] * 20)
        report = night(two)
        assert floor(one) == floor(two) == 0.55
        assert report.operation is not None
        two.undo(report.operation)
        assert floor(one) == floor(two) == 0.5


def test_very_old_moves_are_told_as_one(mem: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.store.tuning.MOVES_KEPT", 2)
    for helpful in (False, True, False, True, False):
        judge(mem, floor(mem) + 0.01, [helpful] * 20)
        assert night(mem).operation is not None
    with mem._engine.store.read() as tx:
        kept = tx.tuning.moves()
    assert [(round(each.by, 4), each.operation is None) for each in kept] == [(0.0, True), (0.05, False)]
    assert floor(mem) == 0.55


def test_the_shell_names_the_setting_that_was_moved(mem: Memory) -> None:
    judge(mem, 0.55, [False] * 20)
    console = Console(width=160, record=True, file=StringIO())
    console.print(run_report(night(mem).to_dict()))
    assert "context.recall_floor" in console.export_text()


# --- simulated feedback ----------------------------------------------------------------------------------------------


def _nights(worth: float, *, told_true: float, nights: int, seed: int) -> float:
    """The floor after so many nights, where records that stand above `worth` help, and a share of feedback says so."""
    chance, acting = random.Random(seed), 0.5
    for _ in range(nights):
        levels = [chance.uniform(acting - 0.1, 1.0) for _ in range(150)]
        judged = [
            JudgedShown(pk, level, (level >= worth) == (chance.random() < told_true), 0, None)
            for pk, level in enumerate(levels)
        ]
        moved = move_of(judged, acting, SETTINGS)
        acting += 0.0 if moved is None else moved.by
    return acting


@pytest.mark.parametrize("worth", [0.1, 0.2, 0.3, 0.8, 0.9])
def test_it_comes_nearer_to_what_is_worth_showing_even_where_some_feedback_is_wrong(worth: float) -> None:
    for seed in range(20):
        assert abs(_nights(worth, told_true=0.95, nights=30, seed=seed) - worth) < abs(0.5 - worth)


def test_it_stays_near_where_it_is_right() -> None:
    for seed in range(20):
        assert abs(_nights(0.5, told_true=0.95, nights=30, seed=seed) - 0.5) <= 0.051


def test_feedback_by_chance_hardly_ever_moves_it() -> None:
    ended = [_nights(0.5, told_true=0.5, nights=30, seed=seed) for seed in range(50)]
    assert sum(each != 0.5 for each in ended) <= 5
    assert all(abs(each - 0.5) <= 0.051 for each in ended)
