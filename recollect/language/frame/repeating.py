"""What happens again and again: "every Monday", "täglich", "dos veces por semana"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeating:
    """Patterns of a language, with a space for any space, and the words without one of which none can match."""

    words: frozenset[str]
    patterns: tuple[str, ...]

    def spans(self, text: str, words: frozenset[str]) -> list[tuple[int, int]]:
        """Where a text says that something repeats; `words` are those of the text."""
        if words.isdisjoint(self.words):
            return []
        spans: list[tuple[int, int]] = []
        for pattern in self.compiled:
            for match in pattern.finditer(text):
                if not any(match.start() < end and begin < match.end() for begin, end in spans):
                    spans.append(match.span())
        return sorted(spans)

    @property
    def compiled(self) -> tuple[re.Pattern[str], ...]:
        return _compiled(self.patterns)


@cache
def _compiled(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    spaced = (pattern.replace(" ", r"\s+") for pattern in patterns)
    return tuple(re.compile(rf"(?<!\w)(?:{pattern})(?!\w)", re.IGNORECASE) for pattern in spaced)
