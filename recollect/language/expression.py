"""Regular expressions that are compiled when somebody first asks them something.

To compile those that a question from the shell has no use for took 12 ms of its 300; ranges of Chinese characters take
a millisecond each. For expressions of modules that every command loads; the rest may as well use `re.compile`.
"""

from __future__ import annotations

import re
from typing import Any, cast


class _Expression:
    def __init__(self, pattern: str, flags: int) -> None:
        self._source = pattern, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(*self._source), name)
        self.__dict__[name] = found  # asked for again, it is at hand: as quick as the method of a pattern
        return found


def expression(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """As `re.compile`, at first use. For its methods: functions of `re` do not take it."""
    return cast("re.Pattern[str]", _Expression(pattern, flags))
