"""The measure of retrieval quality: what it reads, what it counts, and that it runs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bench.quality import everyday, kinds, measures, refusals, sets
from bench.quality.rankers import Bm25, Engine, Fused, Vectors
from bench.quality.run import run

ROOT = Path(__file__).parents[2]

TURNS = [
    {"id": "1", "session": "a", "date": "2026-05-03", "speaker": "Ana", "text": "I moved to Lisbon"},
    {"id": "2", "session": "a", "date": "2026-05-03", "speaker": "Ben", "text": "How is the weather?"},
    {
        "id": "3",
        "session": "b",
        "date": "2026-06-01",
        "speaker": "Ana",
        "text": "My sister keeps bees",
        "caption": "a hive",
    },
    {"id": "4", "session": "b", "date": "none", "speaker": "Ben", "text": "Honey for everybody then"},
]
QUESTIONS: list[dict[str, Any]] = [
    {"id": "q1", "question": "Where did Ana move?", "category": "single", "gold": ["1"]},
    {
        "id": "q2",
        "question": "Who keeps bees?",
        "category": "single",
        "gold": ["3"],
        "roles": {"updated_info": ["3"], "original_info": ["4"]},
    },
    {"id": "q3", "question": "What is the airspeed of a swallow?", "category": "abstention", "gold": []},
]


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RECOLLECT_EVAL_DATA", str(tmp_path))
    for name in ("locomo", "realtalk"):
        (tmp_path / name).mkdir()
    said = {
        "session_1": [{"dia_id": "D1:1", "speaker": "Ana", "text": "I moved", "blip_caption": "a map"}],
        "session_1_date_time": "1:56 pm on 8 May, 2023",
    }
    asked = [
        {"question": "Who moved?", "category": 4, "evidence": ["D1:1"]},
        {"question": "When?", "category": 2, "evidence": ["D9:9"]},
    ]
    (tmp_path / sets.FILES["locomo"]).write_text(
        json.dumps([{"sample_id": "conv-30", "conversation": said, "qa": asked}])
    )
    errata = [
        {"question_id": "locomo_1_qa1", "error_type": "WRONG_CITATION", "correct_evidence": ["D1:01"]},
        {"question_id": "locomo_1_qa0", "error_type": "AMBIGUOUS", "correct_evidence": []},
    ]
    (tmp_path / "locomo/locomo_errata_dev.json").write_text(json.dumps(errata))
    conversation = {"id": "c", "turns": TURNS, "questions": QUESTIONS}
    (tmp_path / sets.FILES["realtalk"]).write_text(json.dumps({"conversations": [conversation]}))
    return tmp_path


def test_the_first_form_is_read_with_its_corrections(data: Path) -> None:
    (conversation,) = sets.load("locomo")
    (turn,) = conversation.turns
    assert turn.text == "I moved [image: a map]"
    assert turn.date is not None
    assert turn.date.date().isoformat() == "2023-05-08"
    assert [question.gold for question in conversation.questions] == [{"D1:1"}, {"D1:1"}]
    assert [question.category for question in conversation.questions] == ["single_hop", "temporal"]


def test_the_other_form_is_read(data: Path) -> None:
    (conversation,) = sets.load("realtalk")
    assert conversation.turns[2].text == "My sister keeps bees [image: a hive]"
    assert conversation.turns[3].date is None
    assert [question.answerable for question in conversation.questions] == [True, True, False]


def test_missing_data_says_what_to_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_EVAL_DATA", str(tmp_path))
    with pytest.raises(SystemExit, match="RECOLLECT_EVAL_DATA"):
        sets.load("locomo")


def test_measures() -> None:
    assert measures.recall_at(["a", "b", "c"], {"c", "d"}, 3) == 0.5
    assert measures.recall_at(["a", "b", "c"], {"c", "d"}, 2) == 0.0
    assert measures.ndcg_at(["a", "b"], {"a"}) == 1.0
    assert measures.ndcg_at(["b", "a"], {"a"}) == pytest.approx(0.6309, abs=1e-4)
    assert measures.newer_first(["n", "o"], {"n"}, {"o"}) == 1.0
    assert measures.newer_first(["o", "n"], {"n"}, {"o"}) == 0.0
    assert measures.newer_first(["x"], {"n"}, {"o"}) == 0.0
    assert measures.auroc([0.9, 0.5], [0.5, 0.1]) == 0.875
    assert measures.auroc([0.9], []) is None


def test_every_ranker_answers(data: Path) -> None:
    conversations = sets.load("realtalk")
    for ranker in (Bm25(), Vectors("wordllama"), Fused(Bm25(), Vectors("wordllama")), Engine()):
        found = run(ranker, conversations).averages()
        assert found["R@5"] == 1.0
        assert found.keys() >= {"nDCG@10", "newer first", "AUROC"}
    assert found["newer first"] == 1.0  # the engine's, which came last
    assert found["AUROC"] == 1.0


def test_it_runs_as_a_command(data: Path, tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    command = [sys.executable, "-m", "bench.quality", "--set", "realtalk", "--json", str(figures)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=90, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(figures.read_text())["realtalk"]["recollect"]["R@5"] == 1.0
    assert "goal" in done.stdout


WEEK = {
    "id": "week_0",
    "user": "Ana",
    "turns": [
        {"session": "s1", "date": "2026-05-04", "role": "user", "text": "My dentist is Dr. Costa in Porto"},
        {"session": "s1", "date": "2026-05-04", "role": "assistant", "text": "Noted."},
        {"session": "s2", "date": "2026-05-11", "role": "user", "text": "We bought a red canoe for the lake"},
        {"session": "s2", "date": "2026-05-11", "role": "assistant", "text": "Enjoy the lake!"},
        {"session": "s3", "date": "2026-05-12", "role": "user", "text": "The canoe is blue now, I painted it"},
    ],
    "questions": [
        {"q": "Who is my dentist?", "evidence": [0], "outdated": [], "category": "people", "answerable": True},
        {"q": "What colour is the canoe?", "evidence": [4], "outdated": [2], "category": "changed", "answerable": True},
        {"q": "What did I say yesterday?", "evidence": [4], "outdated": [], "category": "list", "answerable": True},
        {
            "q": "What is the airspeed of a swallow?",
            "evidence": [],
            "outdated": [],
            "category": "unanswerable",
            "answerable": False,
        },
    ],
}


def test_a_week_is_told_turn_by_turn_and_asked_about_on_the_day_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EVAL_DATA", str(tmp_path))
    (tmp_path / "weeks").mkdir()
    (tmp_path / "weeks/week_0.json").write_text(json.dumps(WEEK))
    (life,) = everyday.weeks()
    with everyday.told(life) as memory:
        assert memory.search("canoe", user_id="ana")[0].speaker == "Ana"
        assert "painted" in memory.search("What did I say yesterday?", user_id="ana")[0].content
    figures = {figure.name: figure for figure in everyday.measure_weeks(baselines=False)}
    assert figures["first hit"].note == "3 questions"
    assert figures["current above outdated"].note == "1 questions"
    assert figures["unanswerable flagged"].value == 1.0
    assert figures["wrongly refused"].note == "3 questions"
    assert figures["top 3"].value == 1.0
    assert figures["in the context"].value is not None
    assert figures["top 3, week_0"].value == figures["top 3"].value


def test_a_story_is_read_with_what_is_no_longer_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_EVAL_DATA", str(tmp_path))
    (tmp_path / "truth").mkdir()
    turns = [turn | {"speaker": "Ana"} for turn in WEEK["turns"] if turn["role"] == "user"]  # type: ignore[attr-defined]
    told = {
        "id": "a",
        "language": "en",
        "turns": turns,
        "question": "Which colour has the canoe?",
        "category": "change",
        "evidence": [2],
        "outdated": [1],
    }
    lines = [json.dumps(told), json.dumps(told | {"id": "b", "language": "de"})]
    (tmp_path / "truth/stories_dev.jsonl").write_text("\n".join(lines) + "\n")
    figures = {figure.name: figure for figure in everyday.measure_stories(baselines=False)}
    assert figures["current above outdated"].note == "2 questions"
    assert figures["top 3"].value == 1.0
    assert [figures[f"top 3, {of}"].note for of in ("not in English", "en", "de")] == ["1 questions"] * 3
    assert "in the context" not in figures


def test_weeks_that_are_not_there_are_said_to_be_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_EVAL_DATA", str(tmp_path))
    (figure,) = kinds.measured("weeks", baselines=False)
    assert figure.value is None
    assert "week_" in figure.note


def test_refusals_ask_each_conversation_what_belongs_to_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EVAL_DATA", str(tmp_path))
    monkeypatch.setattr(refusals, "SETS", ())
    monkeypatch.setattr(refusals, "LIVES", {"weeks": everyday.weeks})
    (tmp_path / "weeks").mkdir()
    asked = [WEEK["questions"][0], {**WEEK["questions"][3], "answerable": False}]  # type: ignore[index]
    about_whales = {
        "q": "How deep do sperm whales dive?",
        "evidence": [],
        "outdated": [],
        "category": "",
        "answerable": True,
    }
    for number, questions in enumerate([asked, [about_whales]]):
        week = {**WEEK, "id": f"week_{number}", "questions": questions}
        (tmp_path / f"weeks/week_{number}.json").write_text(json.dumps(week))
    figures = {figure.name: figure for figure in refusals.measure(baselines=False)}
    assert figures["unanswerable flagged, weeks"].value == 1.0
    assert figures["another's flagged, weeks"].note == "3 questions"
    assert figures["wrongly refused, weeks"].note == "2 questions"
    assert refusals.spread(range(100), 40) == range(0, 100, 3)
