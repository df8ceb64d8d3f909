"""Tools that were found in a session stay at hand for a while: an agent does not look for them at every turn."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import NamedTuple

from recollect.model.skill import KnownTool

_CACHED_MAX = 1_000


class _Loaded(NamedTuple):
    """Tools that were found in a session, and when that was."""

    at: int
    tools: tuple[KnownTool, ...]


class ToolCache:
    """Tools that were found in sessions lately. It belongs to a process: another one searches again."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._held: OrderedDict[tuple[str, str], _Loaded] = OrderedDict()

    def get(self, scope: str, session: str, *, since: int) -> tuple[KnownTool, ...]:
        """What was found in a session since then."""
        with self._lock:
            found = self._held.get((scope, session))
            return found.tools if found is not None and found.at >= since else ()

    def put(self, scope: str, session: str, tools: Sequence[KnownTool], *, at: int) -> None:
        with self._lock:
            self._held[scope, session] = _Loaded(at, tuple(tools))
            while len(self._held) > _CACHED_MAX:
                self._held.popitem(last=False)

    def clear(self) -> None:
        with self._lock:
            self._held.clear()
