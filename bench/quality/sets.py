"""The evaluation sets: where they are, and one form for all of them.

The data is not part of this repository (several licences forbid it). It is read from `$RECOLLECT_EVAL_DATA`, or from
`../shared/data` beside the repository.
"""

from __future__ import annotations

import gzip
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

UNANSWERABLE = frozenset({"adversarial", "abstention"})
FILES = {
    "locomo": "locomo/locomo_dev.json",
    "realtalk": "realtalk/realtalk_dev.json",
    "beam100k": "beam/beam_100k_dev.json.gz",
    "beam500k": "beam/beam_500k_dev.json.gz",
    "timeqa": "timeqa/timeqa_dev.json.gz",
    "prefeval": "prefeval/prefeval_dev.json",
    "multihop": "multihop/multihop_dev.json.gz",
    "cranfield": "cranfield/cranfield_dev.json.gz",
}
_LOCOMO_ERRATA = "locomo/locomo_errata_dev.json"
_LOCOMO_CATEGORY = {1: "multi_hop", 2: "temporal", 3: "open_domain", 4: "single_hop", 5: "adversarial"}
_LOCOMO_ORDER = (26, 30, 41, 42, 43, 44, 47, 48, 49, 50)  # the errata count conversations in this order
_DATES = (
    (re.compile(r"\d{1,2}\.\d{1,2}\.\d{4}"), "%d.%m.%Y"),
    (re.compile(r"[A-Z][a-z]+-\d{1,2}-\d{4}"), "%B-%d-%Y"),
    (re.compile(r"\d{1,2} [A-Z][a-z]+, \d{4}"), "%d %B, %Y"),
    (re.compile(r"\d{4}/\d{2}/\d{2}"), "%Y/%m/%d"),
    (re.compile(r"\d{4}-\d{2}-\d{2}"), "%Y-%m-%d"),
)


class NoData(Exception):
    """The folder does not hold what is asked for; the words say what is missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    id: str
    session: str
    speaker: str
    text: str
    date: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """`newer` and `older` are turns of which the first holds the current fact."""

    id: str
    text: str
    category: str
    gold: frozenset[str]
    newer: frozenset[str] = frozenset()
    older: frozenset[str] = frozenset()

    @property
    def answerable(self) -> bool:
        return self.category not in UNANSWERABLE


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    id: str
    turns: list[Turn]
    questions: list[Question] = field(default_factory=list)


def place() -> Path:
    """Where the data is meant to be."""
    return Path(os.environ.get("RECOLLECT_EVAL_DATA") or Path(__file__).parents[3] / "shared" / "data")


def folder() -> Path:
    """Where the data is; says what to do when it is not."""
    if not (place() / FILES["locomo"]).exists():
        raise SystemExit(
            f"no evaluation data in {place()}; set RECOLLECT_EVAL_DATA to the folder that holds {FILES['locomo']}"
        )
    return place()


def lines_of(file: str) -> Iterator[dict[str, Any]]:
    """The rows of a set that is kept as lines of JSON."""
    path = place() / file
    if not path.exists():
        raise NoData(f"no {file} in {place()}")
    raw = path.read_bytes()
    for line in (gzip.decompress(raw) if path.suffix == ".gz" else raw).splitlines():
        yield json.loads(line)


def load(name: str) -> list[Conversation]:
    """The conversations of a set, turns oldest first."""
    where = folder()
    if not (where / FILES[name]).exists():
        raise NoData(f"no {FILES[name]} in {where}")
    data = _read(where / FILES[name])
    raw = data["conversations"] if isinstance(data, dict) else list(_locomo(data, _read(where / _LOCOMO_ERRATA)))
    return [_conversation(one) for one in raw]


def _read(path: Path) -> Any:
    raw = path.read_bytes()
    return json.loads(gzip.decompress(raw) if path.suffix == ".gz" else raw)


def _conversation(raw: dict[str, Any]) -> Conversation:
    turns = [
        Turn(
            id=turn["id"],
            session=str(turn["session"]),
            speaker=str(turn["speaker"]),
            date=_date(turn["date"]),
            text=turn["text"] + (f" [image: {turn['caption']}]" if turn.get("caption") else ""),
        )
        for turn in raw["turns"]
    ]
    questions = [
        Question(
            id=q["id"],
            text=q["question"],
            category=q["category"],
            gold=frozenset(q["gold"]),
            newer=frozenset((q.get("roles") or {}).get("updated_info") or ()),
            older=frozenset((q.get("roles") or {}).get("original_info") or ()),
        )
        for q in raw["questions"]
    ]
    return Conversation(id=raw["id"], turns=turns, questions=questions)


def _locomo(samples: list[dict[str, Any]], errata: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """LoCoMo's own form, with the corrected citations."""
    fixed = {e["question_id"]: e["correct_evidence"] for e in errata if e["error_type"] == "WRONG_CITATION"}
    for sample in samples:
        said = sample["conversation"]
        sessions = sorted((key for key in said if re.fullmatch(r"session_\d+", key)), key=lambda key: int(key[8:]))
        turns = [
            {
                "id": turn["dia_id"],
                "session": key,
                "date": said[f"{key}_date_time"],
                "speaker": turn["speaker"],
                "text": turn["text"],
                "caption": turn.get("blip_caption"),
            }
            for key in sessions
            for turn in said[key]
        ]
        known = {turn["id"] for turn in turns}
        number = _LOCOMO_ORDER.index(int(sample["sample_id"].removeprefix("conv-")))
        questions = []
        for index, q in enumerate(sample["qa"]):
            cited = fixed.get(f"locomo_{number}_qa{index}", q.get("evidence", []))
            gold = [f"D{a}:{int(b)}" for text in cited for a, b in re.findall(r"D:?(\d+):(\d+)", text)]
            questions.append(
                {
                    "id": f"{sample['sample_id']}/{index}",
                    "question": q["question"],
                    "category": _LOCOMO_CATEGORY[q["category"]],
                    "gold": [turn for turn in gold if turn in known],
                }
            )
        yield {"id": sample["sample_id"], "turns": turns, "questions": questions}


def _date(text: object) -> datetime | None:
    for pattern, form in _DATES:
        if match := pattern.search(str(text)):
            try:
                return datetime.strptime(match[0], form).replace(tzinfo=UTC)
            except ValueError:
                continue
    return None
