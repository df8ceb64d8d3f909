"""What was written to learn from: chats over months, what later turns do to earlier ones, and questions.

A line of `training/data/*.jsonl` is a story of 6 to 12 turns with labelled pairs, or a season of about a hundred turns
with questions alone. The README beside this file describes the fields.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

LABELS = ("replaces", "ends", "corrects", "adds", "restates", "unrelated")
OVER = frozenset({"replaces", "ends", "corrects"})  # the older text no longer holds
SEASON_TURNS = 40  # a story has 6 to 12 turns, a season about a hundred
_SEASON_PAIRS = 100  # unlisted ones of a season: of its 5000 pairs hardly any are about one thing
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+")
_SENTENCE_MIN = 12  # characters; a shorter one belongs to its neighbour


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    text: str
    speaker: str
    role: str
    day: date


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """An older and a newer turn, as places in the story, and what the newer one does to the older one."""

    older: int
    newer: int
    label: str
    tag: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question; `evidence` and `outdated` are places in the story."""

    text: str
    kind: str
    evidence: frozenset[int]
    outdated: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    id: str
    language: str
    turns: tuple[Turn, ...]
    pairs: tuple[Pair, ...]
    questions: tuple[Asked, ...]

    @property
    def writer(self) -> str:
        return self.id.split("-", 1)[0]

    @property
    def is_season(self) -> bool:
        return len(self.turns) > SEASON_TURNS

    def answerable(self) -> list[Asked]:
        return [question for question in self.questions if question.evidence]

    def unlisted(self) -> list[Pair]:
        """The pairs of a story that its writer did not list, and a few of a season's many, drawn by its id."""
        listed = {(pair.older, pair.newer) for pair in self.pairs}
        rest = [
            Pair(older=older, newer=newer, label="unrelated", tag="unlisted")
            for newer in range(len(self.turns))
            for older in range(newer)
            if (older, newer) not in listed
        ]
        return random.Random(self.id).sample(rest, _SEASON_PAIRS) if self.is_season else rest


def _story(line: dict[str, Any]) -> Story:
    user = line.get("user", "")
    turns = tuple(
        Turn(
            text=turn["text"],
            speaker=turn.get("speaker") or (user if turn["role"] == "user" else "Assistant"),
            role=turn["role"],
            day=date.fromisoformat(turn["date"]),
        )
        for turn in line["turns"]
    )
    pairs = tuple(
        Pair(older=older, newer=newer, label=label, tag=tag)
        for older, newer, label, tag in line.get("pairs", ())
        if label in LABELS
    )
    questions = tuple(
        Asked(
            text=asked["q"],
            kind=asked.get("kind", ""),
            evidence=frozenset(asked["evidence"]) if asked.get("answerable", True) else frozenset(),
            outdated=frozenset(asked.get("outdated", ())),
        )
        for asked in line["questions"]
    )
    if len(turns) > SEASON_TURNS:
        pairs = _changes(questions)
    return Story(id=line["id"], language=line["language"], turns=turns, pairs=pairs, questions=questions)


def _changes(questions: Sequence[Asked]) -> tuple[Pair, ...]:
    """What a season's questions say of its pairs: a turn that one calls outdated is replaced by the later evidence."""
    found = {(older, newer) for q in questions for older in q.outdated for newer in q.evidence if older < newer}
    return tuple(Pair(older=older, newer=newer, label="replaces", tag="asked") for older, newer in sorted(found))


def read(folder: Path) -> list[Story]:
    """Every story and season of a folder's `*.jsonl`, by their ids."""
    lines = (line for path in sorted(folder.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines())
    return sorted((_story(json.loads(line)) for line in lines if line.strip()), key=lambda story: story.id)


def split(stories: Iterable[Story], held_out: Sequence[str]) -> tuple[list[Story], list[Story]]:
    """What is learned from, and what is kept back: all stories of a writer (`w3`), or those of a stem (`w4-08`)."""
    kept: list[Story] = []
    held: list[Story] = []
    for story in stories:
        out = any(story.writer == name or ("-" in name and story.id.startswith(name)) for name in held_out)
        (held if out else kept).append(story)
    return kept, held


def folds(stories: Sequence[Story], count: int, seed: int) -> Iterator[tuple[list[Story], list[Story]]]:
    """Splits into learned from and kept back, so that each story is kept back once."""
    order = list(stories)
    random.Random(seed).shuffle(order)
    for number in range(count):
        yield [s for i, s in enumerate(order) if i % count != number], order[number::count]


def sentences(text: str) -> list[str]:
    """The sentences of a turn; the turn itself when it has but one."""
    found: list[str] = []
    for part in _SENTENCE_END.split(text.strip()):
        if found and (len(part) < _SENTENCE_MIN or len(found[-1]) < _SENTENCE_MIN):
            found[-1] = f"{found[-1]} {part}"
        else:
            found.append(part)
    return found or [text]


def framed(older: Turn, newer: Turn) -> tuple[str, str]:
    """The two sides that the reader of pairs sees: each text behind its role, the newer one with speaker and gap."""
    same = "same" if older.speaker == newer.speaker else "other"
    return f"{older.role}: {older.text}", f"{newer.role}, {same}, {(newer.day - older.day).days} days: {newer.text}"
