"""Question classes of `trec_questions` beside what an intent says a question asks for.

Of TREC's classes a date is *when*, a person or group *who*, a reason *why*, a manner *how*; everything else (what
something is, where, how many) is *what* for a memory, which looks for it in the same way. The baseline is the word a
question begins with.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from bench.quality.figures import Figure, share
from bench.quality.sets import lines_of
from recollect.config.reading import IntentSettings
from recollect.recall.question.intent import Intent, IntentReader

FILE = "trec_questions/trec_dev.jsonl"
CLASSES = ("why", "when", "who", "how", "what")
_MAPPED = {"NUM:date": "when", "DESC:reason": "why", "DESC:manner": "how"}


def measure(baselines: bool) -> list[Figure]:
    reader = IntentReader(None, IntentSettings())
    every: Counter[str] = Counter()
    own: Counter[str] = Counter()
    other: Counter[str] = Counter()
    for row in lines_of(FILE):
        wanted = class_of(row)
        every[wanted] += 1
        own[wanted] += asked(reader.read(row["question"])) == wanted
        other[wanted] += _first_word(row["question"]) == wanted
    total = sum(every.values())
    figures = [
        Figure(
            name="right",
            value=share(sum(own.values()), total),
            note=f"{total} questions",
            baseline=share(sum(other.values()), total) if baselines else None,
        )
    ]
    return figures + [
        Figure(
            name=f"right, {name}",
            value=share(own[name], every[name]),
            note=f"{every[name]}",
            baseline=share(other[name], every[name]) if baselines else None,
        )
        for name in CLASSES
    ]


def class_of(row: dict[str, Any]) -> str:
    return "who" if row["coarse"] == "HUM" else _MAPPED.get(f"{row['coarse']}:{row['fine']}", "what")


def asked(intent: Intent) -> str:
    if intent.asks in ("why", "when", "who"):
        return intent.asks
    return "how" if intent.kind == "procedural" else "what"


def _first_word(question: str) -> str:
    first = question.split(maxsplit=1)[0].lower()
    return first if first in CLASSES else "what"
