"""Passages of a text: sentences packed together, so that a long text is judged by its best part."""

from __future__ import annotations

import re

from recollect.language.sentences import ROUGH_END

PASSAGE_WORDS = 50
_SENTENCE_END = re.compile(rf"{ROUGH_END}|\n+")  # a line of a list or a chat is by itself


def passages_of(text: str) -> list[str]:
    """Parts of at most `PASSAGE_WORDS` words, cut between sentences; a longer sentence is one part."""
    if text.count(" ") + text.count("\n") < PASSAGE_WORDS:
        return [text]
    parts: list[list[str]] = [[]]
    words = 0
    for sentence in _SENTENCE_END.split(text):
        count = sentence.count(" ") + 1
        if parts[-1] and words + count > PASSAGE_WORDS:
            parts.append([])
            words = 0
        parts[-1].append(sentence)
        words += count
    return [" ".join(part) for part in parts]
