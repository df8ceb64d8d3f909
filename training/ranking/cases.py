"""Questions of the evaluation sets, and what each part of a score said of their candidates.

A file has one JSON object a line for each question. It holds ids of turns and figures, and none of the texts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A hit: the turns that it is or rests on, and for each part its share times its present weight."""

    turns: tuple[str, ...]
    parts: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A question that has an answer, with its candidates in the order of the engine's answer.

    `newer` are turns that must come before those of `outdated`; where `outdated` is empty, nothing need.
    """

    set: str
    question: str
    evidence: frozenset[str]
    newer: frozenset[str]
    outdated: frozenset[str]
    candidates: tuple[Candidate, ...]


def write(file: Path, cases: Iterable[Case]) -> int:
    """Keep the cases; how many there were."""
    lines = [json.dumps(asdict(case), default=sorted) for case in cases]
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return len(lines)


def read(file: Path) -> list[Case]:
    return [_case(json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]


def _case(raw: dict[str, Any]) -> Case:
    return Case(
        set=raw["set"],
        question=raw["question"],
        evidence=frozenset(raw["evidence"]),
        newer=frozenset(raw["newer"]),
        outdated=frozenset(raw["outdated"]),
        candidates=tuple(Candidate(turns=tuple(one["turns"]), parts=one["parts"]) for one in raw["candidates"]),
    )
