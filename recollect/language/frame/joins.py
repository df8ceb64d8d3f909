"""How words that join times are put into patterns: made when a text with a time comes, because amounts are large."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache

from recollect.language.expression import expression


def later(pattern: str) -> Callable[[], re.Pattern[str]]:
    """The pattern, with any space for a space, compiled when it is first asked for."""
    return cache(lambda: re.compile(pattern.replace(" ", r"\s+"), re.IGNORECASE))


def relation_before(words: Iterable[str], article: str) -> re.Pattern[str]:
    """One of the words, right before a time, whose articles may stand between."""
    known = "|".join(sorted(map(re.escape, words), key=len, reverse=True))
    return expression(rf"\b({known})\s+{article}{article}$", re.IGNORECASE)


def tail_behind(words: Iterable[str]) -> re.Pattern[str]:
    """One of the words, right behind a time."""
    return expression(rf"\s*+,?\s*+({'|'.join(words)})\b", re.IGNORECASE)
