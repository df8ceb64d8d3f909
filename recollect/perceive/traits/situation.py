"""The situation a text was said in, as far as it bears on feeling: how work ended, a correction, a first time.

Who knows says so: `outcome` or `success` in the metadata or attributes of a record. Of what a tool printed its words
tell. What people say of their work is felt by its words already and is not counted a second time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from recollect.language import lists
from recollect.model.roles import TOOLS, is_machine
from recollect.perceive.traits.signs import sign_of, words_of

OUTCOMES = ("success", "partial", "failure", "retry")
WORKED: Mapping[str, int] = {"success": 1, "partial": 1, "failure": -1, "error": -1, "retry": -1}
_ALSO = {"error": "failure", "failed": "failure", "ok": "success", "done": "success", "succeeded": "success"}
_BEGINNING_CHARS = 300  # of a turn, where somebody is set right

_FAILED = re.compile(
    r"\b(?:fail(?:s|ed|ure|ing)?|error|exception|traceback|broke(?:n)?|crash(?:es|ed)?|(?:does|did) ?n[o']t work"
    r"|not working)\b",
    re.IGNORECASE,
)
_SUCCEEDED = re.compile(
    r"\b(?:pass(?:es|ed)?|success(?:ful(?:ly)?)?|succeed(?:s|ed)?|works?(?: now)?|worked|done|fixed|green|great"
    r"|perfect)\b",
    re.IGNORECASE,
)
_LISTS = lists.sections("en", "situation")
_CORRECTING, _FIRST = sign_of(_LISTS["correcting"]), sign_of(_LISTS["first time"])
_TELLING = words_of(_CORRECTING, _FIRST)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


class Situation(NamedTuple):
    """`outcome` is how work ended; `corrected`: somebody was set right; `novel`: it happened for the first time."""

    outcome: str | None = None
    corrected: bool = False
    novel: bool = False


PLAIN = Situation()


def situation_of(text: str, *, role: str | None = None, noted: Mapping[str, Any] | None = None) -> Situation:
    """What the words of a turn, its role, and what is `noted` of it beside the words tell of its situation."""
    lowered = text.lower().replace("’", "'")
    words = _TELLING.intersection(_WORD.findall(lowered))
    beginning = lowered[:_BEGINNING_CHARS]
    return Situation(
        outcome=outcome_noted(noted or {}) or (_printed(text) if (role or "").lower() in TOOLS else None),
        corrected=not is_machine(role) and _CORRECTING.count(words, beginning) > 0,
        novel=_FIRST.count(words, lowered) > 0,
    )


def outcome_noted(noted: Mapping[str, Any]) -> str | None:
    """The outcome that somebody noted, by its name."""
    said = noted.get("outcome", noted.get("success"))
    if isinstance(said, bool):
        return "success" if said else "failure"
    if not isinstance(said, str):
        return None
    name = _ALSO.get(said.lower(), said.lower())
    return name if name in OUTCOMES else None


def outcome_told(content: str) -> int:
    """Whether a text says that something worked (1), that it failed (-1), or neither."""
    if _FAILED.search(content):
        return -1
    return 1 if _SUCCEEDED.search(content) else 0


def _printed(text: str) -> str | None:
    told = outcome_told(text[:_BEGINNING_CHARS])
    return None if not told else "success" if told > 0 else "failure"
