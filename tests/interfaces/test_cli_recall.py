"""What the shell shows of a search and of a timeline: how it came about, and every way to ask."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import Run

from recollect.interfaces.cli.views.cells import bar
from recollect.interfaces.cli.views.knowledge import later
from recollect.interfaces.cli.views.records import moved

pytestmark = pytest.mark.usefixtures("environment")


def added(run: Run, content: str, *more: str) -> str:
    return str(run("add", content, *more, "-o", "json").data["ids"][0])


def lines_with(shown: str, *words: str) -> list[str]:
    return [line for line in shown.splitlines() if all(word in line for word in words)]


# --- explain --------------------------------------------------------------------------------------------------------


def test_explain_tells_how_the_question_was_read(run: Run) -> None:
    added(run, "Checkout was slow", "--timestamp", "yesterday")
    shown = run("search", "why was checkout slow yesterday?", "--explain").out
    (plan,) = lines_with(shown, "read as")
    assert "read as causal, asks why (certainty 0." in plan
    assert "“yesterday” is 20" in plan
    assert "relations ×" in plan


def test_explain_tells_what_found_a_hit_what_it_was_worth_and_what_moved_it(run: Run) -> None:
    effect = added(run, "Checkout was slow on Friday")
    cause = added(run, "A nightly vacuum kept the disk busy")
    added(run, "Checkout was slow on Thursday")
    run("relate", cause, effect, "causes")
    run("confirm", effect)
    shown = run("search", "why was checkout slow?", "--explain").out
    assert lines_with(shown, "found by", "text #")
    (words,) = lines_with(shown.split(cause)[0], "worth")[:1]
    assert "█" in words
    assert lines_with(shown, "belief (", "belief +0.")
    assert lines_with(shown, "came", f"via causes from {effect}")


def test_explain_ends_with_figures(run: Run) -> None:
    added(run, "green tea")
    shown = run("search", "green tea", "--explain").out
    assert lines_with(shown, "1 of 1 candidates in", " ms, full")
    assert lines_with(shown, "order by mmr", "relevancy 0.", "nDCG 1.00", "answerable")
    assert lines_with(shown, "ms: ", "gather")
    assert "order by" not in run("search", "green tea").out
    assert "read as" not in run("search", "green tea").out


def test_what_is_not_known_is_said_with_its_reason(run: Run) -> None:
    added(run, "green tea")
    shown = " ".join(run("search", "which opera did Verdi write?", "--explain", "--embedder", "none").out.split())
    assert "no answer here: " in shown
    assert "1 record is stored here, none fits --tags" in run("search", "tea", "-u", "ana", "--tags", "none").out


def test_an_empty_question_shows_what_matters_and_says_so(run: Run) -> None:
    added(run, "green tea")
    shown = run("search", "", "--explain").out
    assert "green tea" in shown
    assert "the question is empty: this is what matters most now" in shown


def test_places_are_told_step_by_step() -> None:
    moves = [
        {"step": "rank", "rank": 4, "by": {}},
        {"step": "belief", "rank": 2, "by": {"kind": 0.0204, "freshness": -1e-9}},
        {"step": "once", "rank": 2, "by": {}},
        {"step": "current", "rank": 1, "by": {}},
    ]
    assert moved(moves) == "4 → 2 by belief (kind +0.020) → 1 by current"
    assert moved(moves[:1]) == "4"
    assert moved([moves[0], {"step": "belief", "rank": 4, "by": {"use": -0.003}}]) == "4, belief (use -0.003)"
    assert moved(moves[3:]) == "1 by current"


@pytest.mark.parametrize(("share", "drawn"), [(1.0, "████"), (0.5, "██"), (0.28125, "█▏"), (0.0, "▏"), (7.0, "████")])
def test_bars(share: float, drawn: str) -> None:
    assert bar(share, width=4) == drawn


# --- every way to ask -----------------------------------------------------------------------------------------------


@pytest.fixture
def atlas(run: Run, tmp_path: Path) -> None:
    notes = [
        {
            "content": "Tokens of auth expire hourly",
            "category": "gotcha",
            "place": {"file_path": "src/auth.py", "line_range": [10, 20]},
            "facets": {"diataxis_type": "howto"},
        },
        {"content": "Tokens of mail never expire", "category": "decision", "place": {"file_path": "src/mail.py"}},
        {"content": "Tokens were paper once", "timestamp": "2019-05-01"},
    ]
    path = tmp_path / "notes.jsonl"
    path.write_text("\n".join(json.dumps(note) for note in notes), encoding="utf-8")
    assert run("add", "--jsonl", str(path), "--session-id", "s1").code == 0


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["--place", "src/auth.py"], {"auth"}),
        (["--place", "auth.py:15"], {"auth"}),
        (["--place", '{"file_pattern": "src/*"}'], {"auth", "mail"}),
        (["--facets", '{"diataxis_type": "howto"}'], {"auth"}),
        (["--mode", "trend:30"], {"auth", "mail"}),
        (["--mode", "recent_sessions:1"], {"auth", "mail", "paper"}),
        (["--mode", '{"mode": "time_window", "end": "2020-01-01"}'], {"paper"}),
        (["--phase", "coding", "-k", "1"], {"auth"}),
        (["--mood", "-0.5"], {"auth", "mail", "paper"}),
        (["--rerank", "none"], {"auth", "mail", "paper"}),
        (["--asked-in", "s2"], {"auth", "mail", "paper"}),
        (["--threshold", "1.0"], set()),
        (
            [
                "--mode",
                "trend:30",
                "--phase",
                "coding",
                "--place",
                "src/auth.py",
                "--facets",
                '{"diataxis_type":"howto"}',
                "--rerank",
                "none",
            ],
            {"auth"},
        ),
    ],
)
def test_every_parameter_works_from_the_shell(run: Run, atlas: None, words: list[str], found: set[str]) -> None:
    done = run("search", "tokens", *words, "-o", "json")
    assert done.code == 0, done.out
    said = [hit["memory"] for hit in done.data["results"]]
    assert {word for word in ("auth", "mail", "paper") if any(word in text for text in said)} == found


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--mode", "backwards"], "'backwards'"),
        (["--phase", "dreaming"], "'dreaming'"),
        (["--place", '{"filepattern": "x"}'], "file_pattern"),
        (["--facets", "{oops"], "JSON"),
        (["--rerank", "best"], "'best'"),
        (["--mood", "happy"], "--mood"),
    ],
)
def test_mistakes_are_named(run: Run, words: list[str], named: str) -> None:
    done = run("search", "tokens", *words)
    assert done.code == 2
    assert named in done.err


# --- timeline -------------------------------------------------------------------------------------------------------


def test_a_timeline_is_drawn_with_dates_marks_and_peaks(run: Run) -> None:
    old = added(run, "Ana's editor is vim", "--timestamp", "2023-11-01")
    for number in range(3):
        added(run, f"Ana's editor got plugin {number}", "--timestamp", "2024-01-20")
    run("correct", old, "Ana's editor is Helix")
    shown = run("timeline", "Ana's editor").out
    assert lines_with(shown, "2023-11-01", "●", "beginning", "Ana's editor is vim")
    assert len(lines_with(shown, "2024-01-20", "▲", "+", "addition")) == 3
    assert lines_with(shown, "↻", "correction", "Ana's editor is Helix")
    assert lines_with(shown, "instead of: Ana's editor is vim")
    assert lines_with(shown, "80 days later")
    assert lines_with(shown, "▲ 3 steps from 2023-12-31 to 2024-01-30")
    data = run("timeline", "Ana's editor", "-o", "json").data
    assert data["results"][0]["transition"] == "beginning"


def test_a_topic_nobody_told_of(run: Run) -> None:
    assert "nothing is known about zeppelins" in run("timeline", "zeppelins").out
    assert run("timeline", " ").code == 2


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.5, "at once"), (60, "1 minute later"), (7_200, "2 hours later"), (200_000, "2 days later")],
)
def test_time_between_steps(seconds: float, said: str) -> None:
    assert later(seconds) == said
