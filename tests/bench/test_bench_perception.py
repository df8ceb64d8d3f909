"""The measures of perception: what counts as right, what they read, and that they say what is missing."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bench.quality import asking, expressions, feelings, kinds, naming, sets
from bench.quality.expressions import Expression, is_right
from bench.quality.figures import Figure, goal_of, is_missed, table_of
from recollect.language.en.times import times_in

ROOT = Path(__file__).parents[2]
NOW = datetime(2026, 5, 13, 15, 30, tzinfo=UTC)  # a Wednesday


def rows(path: Path, lines: Sequence[dict[str, Any]]) -> None:
    path.parent.mkdir(exist_ok=True)
    text = "\n".join(json.dumps(line) for line in lines).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)


def expression(text: str, words: str, kind: str, **value: str) -> dict[str, Any]:
    start = text.index(words)
    result = {"type": f"set.{kind}", "start": start, "end": start + len(words) - 1, "values": [value]}
    return {"input": text, "reference": NOW.isoformat()[:19], "results": [result]}


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RECOLLECT_EVAL_DATA", str(tmp_path))
    rows(
        tmp_path / expressions.FILE,
        [
            expression("I saw Ana yesterday", "yesterday", "date", value="2026-05-12"),
            expression("I saw Ben yesterday", "yesterday", "date", value="2026-05-11"),
            expression("from 2014 to 2018", "from 2014 to 2018", "daterange", start="2014-01-01", end="2018-01-01"),
            expression("It took 3 hours", "3 hours", "duration", value="10800"),
            {"input": "It may rain", "reference": NOW.isoformat()[:19], "results": []},
        ],
    )
    rows(
        tmp_path / feelings.FILE,
        [
            {"id": "tweets:1", "score": 3.0, "text": "I love it!"},
            {"id": "tweets:2", "score": -3.0, "text": "I hate it!"},
            {"id": "movies:1", "score": 0.1, "text": "It is a film"},
        ],
    )
    counted = [name for name in map(str, range(100)) if feelings.left_out(name)]
    felt = (
        ("I love it!", ["joy"]),
        ("I hate it!", ["anger"]),
        ("I hate it!", ["joy"]),
        ("I hate it!", ["joy", "fear"]),
    )
    rows(
        tmp_path / feelings.LABELLED,
        [
            {"id": name, "text": text, "emotions": emotions}
            for name, (text, emotions) in zip(counted, felt, strict=False)
        ],
    )
    rows(
        tmp_path / asking.FILE,
        [
            {"question": "When did Ana move ?", "coarse": "NUM", "fine": "date"},
            {"question": "Why did the login break ?", "coarse": "DESC", "fine": "reason"},
            {"question": "What year did Ben move ?", "coarse": "NUM", "fine": "date"},
        ],
    )
    turns = [
        {"dia_id": "D1:1", "speaker": "Ana", "text": "Ben, I moved to Lisbon"},
        {"dia_id": "D1:2", "speaker": "Ben", "text": "Nice! How do you like Lisbon, Ana?"},
    ]
    said = {"session_1": turns, "session_1_date_time": "1:56 pm on 8 May, 2023"}
    (tmp_path / "locomo").mkdir()
    (tmp_path / sets.FILES["locomo"]).write_text(json.dumps([{"sample_id": "conv-30", "conversation": said, "qa": []}]))
    (tmp_path / "locomo/locomo_errata_dev.json").write_text("[]")
    return tmp_path


def by_name(figures: Sequence[Figure]) -> dict[str, Figure]:
    return {each.name: each for each in figures}


@pytest.mark.parametrize(
    ("text", "kind", "value", "right"),
    [
        ("yesterday", "date", {"value": "2026-05-12"}, True),
        ("yesterday", "date", {"value": "2026-05-11"}, False),
        ("last week", "date", {"value": "2026-05-04"}, False),  # a week is no day
        ("yesterday at 5pm", "datetime", {"value": "2026-05-12 17:00:00"}, True),
        ("yesterday", "datetime", {"value": "2026-05-12 17:00:00"}, False),
        ("last week", "daterange", {"start": "2026-05-04", "end": "2026-05-11"}, True),
        ("last week", "daterange", {"start": "2026-05-04", "end": "2026-05-10"}, False),
        ("from 3 to 7 May 2021", "daterange", {"start": "2021-05-03", "end": "2021-05-07"}, True),  # its last day
        ("from 3 to 7 May 2021", "daterange", {"start": "2021-05-03", "end": "2021-05-06"}, False),
        ("from May to July 2021", "daterange", {"start": "2021-05-01", "end": "2021-07-01"}, True),  # its last month
        ("since 2019", "daterange", {"start": "2019-01-01"}, True),
        ("since 2019", "daterange", {"start": "2019-01-01", "end": "2020-01-01"}, False),
        ("yesterday evening", "datetimerange", {"start": "2026-05-12 16:00:00", "end": "2026-05-12 20:00:00"}, True),
        ("yesterday at 5pm", "time", {"value": "17:00:00"}, True),
        ("every Monday", "set", {"value": "not resolved"}, True),
        ("on Monday", "set", {"value": "not resolved"}, False),
    ],
)
def test_what_counts_as_a_right_value(text: str, kind: str, value: dict[str, str], right: bool) -> None:
    (found,) = times_in(text, NOW)
    assert is_right(found, Expression(kind, 0, len(text), [value])) is right


def test_times_are_counted_by_kind_and_durations_left_out(data: Path) -> None:
    found = by_name(expressions.measure(baselines=False))
    assert (found["dates and date-times"].value, found["dates and date-times"].note) == (0.5, "2")
    assert found["ranges"].value == 1.0
    assert found["ranges, to the letter"].value == 0.0
    assert found["silent where there is none"].value == 1.0
    assert found["times of day"].value is None


def test_affect_is_correlated_with_the_ratings(data: Path) -> None:
    found = by_name(feelings.measure(baselines=True))
    assert found["tweets"].value == pytest.approx(1.0)
    assert found["overall"].value is not None
    assert found["overall"].value > 0.9
    assert found["overall"].baseline is not None
    assert found["sign right"].value == pytest.approx(2 / 3), "what is felt both ways is not counted"
    assert feelings.pearson([1.0, 1.0], [0.0, 1.0]) is None


def test_question_classes_stand_beside_the_first_word(data: Path) -> None:
    found = by_name(asking.measure(baselines=True))
    assert (found["right"].value, found["right"].baseline) == (1.0, pytest.approx(2 / 3))
    assert (found["right, when"].value, found["right, when"].baseline) == (1.0, 0.5)


def test_names_are_compared_with_labels_that_hold_no_words(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    person, place = "person", "place"
    labels = {
        "first": [
            ["conv-30", "D1:1", [[0, 3, 0, person], [16, 22, 1, place]]],
            ["conv-30", "D1:2", [[22, 28, 1, place], [30, 33, 2, person]]],
        ],
        "second": [["conv-30", "D1:2", [[22, 28, 1, person]]]],
    }
    (data / "labels.json").write_text(json.dumps(labels))
    monkeypatch.setattr(naming, "LABELS", data / "labels.json")
    found = by_name(naming.measure(baselines=False))
    assert found["found F1, first sample"].value == 1.0
    assert found["found and resolved F1, first sample"].value == 1.0
    assert found["found F1, second sample"].value == 0.0  # of another type


def test_labels_of_the_repository_are_numbers() -> None:
    for labelled in json.loads(naming.LABELS.read_text()).values():
        for conversation, turn, spans in labelled:
            assert conversation.startswith("conv-")
            assert turn.startswith("D")
            for begin, end, entity, type_ in spans:
                assert 0 <= begin < end
                assert entity >= 0 or type_ == "title"


def test_missing_data_is_said_and_not_missed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_EVAL_DATA", str(tmp_path))
    for name in ("datetime", "affect", "trec", "duplicates"):
        (figure,) = kinds.measured(name, baselines=False)
        assert figure.value is None
        assert figure.note.startswith("no ")
        assert not is_missed(name, figure)


def test_other_conversations_than_the_labelled_ones_are_no_data(data: Path) -> None:
    (figure,) = kinds.measured("entities", baselines=False)
    assert "other conversations" in figure.note


def test_a_goal_is_met_or_missed() -> None:
    met, missed = Figure(name="overall", value=0.6), Figure(name="overall", value=0.59)
    assert goal_of("affect", met) == 0.60
    assert not is_missed("affect", met)
    assert is_missed("affect", missed)
    assert table_of("affect", "VADER", [met, missed]).row_count == 2


def test_it_runs_as_a_command(data: Path) -> None:
    figures = data / "figures.json"
    command = [
        sys.executable,
        "-m",
        "bench.quality",
        "--set",
        "datetime,trec",
        "--alone",
        "--strict",
        "--json",
        str(figures),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=90, check=False)
    assert done.returncode == 1, done.stderr  # half of the dates are wrong
    assert json.loads(figures.read_text())["trec"]["right"]["value"] == 1.0
    assert "missed" in done.stdout
    assert "met" in done.stdout
