"""Whether a sentence denies something, or tells that something is different now: by the `changes.txt` of its language.

The list has four headings: `denies` and `changes` hold words and phrases, `denies nothing` and `changes nothing` the
phrases in which such a word says no such thing ("no hay problema"). `*` stands for the endings of a word, `…` for a few
words of the same clause ("nicht … mehr").
"""

from __future__ import annotations

import re
from functools import cache

from recollect.language import lists
from recollect.language.rules import one_of

_GAP = r"[^,;.!?]{1,60}?"
_SPACE = r"\s{1,3}"


def denies(language: str, sentence: str) -> bool:
    """Whether a sentence of this language says that something is not so."""
    return _pattern(language, "denies").search(_pattern(language, "denies nothing").sub(" ", sentence)) is not None


def tells_change(language: str, sentence: str) -> bool:
    """Whether a sentence of this language says that something is different now."""
    return _pattern(language, "changes").search(_pattern(language, "changes nothing").sub(" ", sentence)) is not None


@cache
def _pattern(language: str, heading: str) -> re.Pattern[str]:
    phrases = lists.sections(language, "changes")[heading]
    return re.compile(rf"(?<!\w)(?:{one_of(map(_phrase, phrases))})(?!\w)", re.IGNORECASE)


def _phrase(words: str) -> str:
    return re.escape(words).replace(r"\ …\ ", _GAP).replace(r"\*", r"\w*+").replace(r"\ ", _SPACE)
