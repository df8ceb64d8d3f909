"""The benchmark runs, and what it writes can be read by programs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("psutil")

from bench import data, goals
from bench.__main__ import GROUPS
from bench.measure import Figure, in_turns, latency, percentile

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_quick_run_writes_figures(tmp_path: Path) -> None:
    path = tmp_path / "figures.json"
    command = [
        sys.executable,
        "-m",
        "bench",
        "--quick",
        "--size",
        "300",
        "--json",
        str(path),
        "--folder",
        str(tmp_path),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=290, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(path.read_text(encoding="utf-8"))
    assert found["quick"] is True
    assert found["goals"].keys() == {"met", "missed"}
    assert {figure["group"] for figure in found["figures"]} == set(GROUPS)
    by_name = {figure["name"]: figure for figure in found["figures"]}
    assert goals.GOALS.keys() <= by_name.keys()
    search = by_name["search, everything"]
    assert 0 < search["p50_ms"] <= search["p95_ms"] <= search["p99_ms"]
    assert search["size"] == 300
    assert search["floor"]["p50_ms"] > 0
    assert search["goals"] == [{"goal": "p50 ≤ 3 ms", "met": search["p50_ms"] <= 3}]
    assert by_name["batch add, texts"]["floor"]["per_s"] > 0
    assert by_name["memory, loaded"]["rss_mb"] > 0
    assert "0 lost" in by_name["add, 2 processes"]["note"]


def test_data_follows_from_its_index() -> None:
    assert data.records(5, 3) == data.records(0, 10)[5:8]
    assert data.texts(0, 4) == [record["content"] for record in data.records(0, 4)]
    assert data.texts(0, 4) != data.texts(0, 4, seed=1)


def test_portions_cover_the_store() -> None:
    portions = list(data.portions(1_234, 100))
    covered = [index for _, first, count in portions for index in range(first, first + count)]
    assert covered == list(range(1_234))
    assert len([scope for scope, _, _ in portions if "user_id" in scope]) == data.USERS


@pytest.mark.parametrize(
    ("goal", "met"),
    [
        (goals.Goal(measure="p50_ms", at_most=2), True),
        (goals.Goal(measure="p50_ms", at_most=1), False),
        (goals.Goal(measure="per_s", at_least=600), False),
        (goals.Goal(measure="p50_ms", times_floor=4), True),
        (goals.Goal(measure="p50_ms", times_floor=3), False),
    ],
    ids=str,
)
def test_goals_are_judged(goal: goals.Goal, met: bool) -> None:
    figure = latency("reads", "search", [2.0] * 10, size=100, floor_ms=[0.5] * 10)
    assert goal.applies(figure)
    assert goal.met(figure) is met


def test_a_goal_is_silent_where_it_does_not_apply() -> None:
    figure = Figure(group="reads", name="search, everything", size=20_000, p50_ms=2.0)
    assert goals.verdicts(figure) == []  # above the size of one goal, below that of the other


def test_percentiles_and_turns() -> None:
    assert percentile(range(100), 0.99) == 99
    assert percentile([7.0], 0.5) == 7.0
    seen: list[tuple[str, int]] = []
    times = in_turns({"a": lambda i: seen.append(("a", i)), "b": lambda i: seen.append(("b", i))}, range(30))
    assert {name: len(found) for name, found in times.items()} == {"a": 30, "b": 30}
    assert seen[:2] == [("a", 0), ("a", 0)]  # one more at the start of each block, not counted
