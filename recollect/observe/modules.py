"""What sessions read at their beginning, by the folders in which they changed something: what work there usually needs.

A module is a folder where a session did its work: where most of the files that it edited are, or a third of them. Of a
project as a whole (`EVERYWHERE`) every session with an edit counts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import comb
from posixpath import dirname
from typing import NamedTuple

import orjson

from recollect.store.observed import RepeatedSignal

FIRST_STEPS = 30  # of a session, in which what is usually read is read
EVERYWHERE = None
ALWAYS, OFTEN = 0.8, 0.5  # of a module's sessions, more than which read a file
_CHANGING = frozenset({"edit", "write"})

Module = str | None


class UsualRead(NamedTuple):
    """A file that sessions of a module read at their beginning: in how many of all of them, and when last."""

    module: Module
    path: str
    sessions: tuple[str, ...]
    of: int
    last_at: int

    @property
    def share(self) -> float:
        return len(self.sessions) / self.of

    @property
    def always(self) -> bool:
        return self.share > ALWAYS

    @property
    def confidence(self) -> float:
        """How probable it is that more than half of all such sessions read it, seeing how many did."""
        return float(sum(comb(self.of + 1, n) for n in range(len(self.sessions) + 1)) / 2 ** (self.of + 1))


class ModuleReads:
    """Who worked where, and what they read first. `accesses` are the files that sessions touched."""

    def __init__(self, accesses: Iterable[RepeatedSignal]) -> None:
        by_session: dict[str, list[RepeatedSignal]] = defaultdict(list)
        for row in accesses:
            by_session[row.session].append(row)
        self.touched = {name: {dirname(row.subject) for row in rows} for name, rows in by_session.items()}
        self._worked: dict[Module, dict[str, int]] = defaultdict(dict)  # when last, by session
        self._read: dict[Module, dict[str, dict[str, int]]] = defaultdict(lambda: defaultdict(dict))
        for name, rows in by_session.items():
            self._note(name, rows)

    def _note(self, session: str, rows: Sequence[RepeatedSignal]) -> None:
        told = [(row, orjson.loads(row.detail) if row.detail else {}) for row in rows]
        edited = Counter(dirname(row.subject) for row, detail in told if detail.get("classes", {}).keys() & _CHANGING)
        if not edited:
            return
        most = min(max(edited.values()), edited.total() / 3)
        modules = [folder for folder, files in edited.items() if files >= most]
        last_at = max(row.at for row in rows)
        for module in (*modules, EVERYWHERE):
            self._worked[module][session] = last_at
            for row, detail in told:
                if "read" in detail.get("classes", {}) and detail.get("steps", [1])[0] <= FIRST_STEPS:
                    self._read[module][row.subject][session] = row.at

    def newest(self, *, least: int) -> list[str]:
        """The modules of the session that worked last, as far as so many sessions worked there."""
        last = max(self._worked[EVERYWHERE].items(), key=lambda item: item[1], default=("", 0))[0]
        return sorted(
            module
            for module, sessions in self._worked.items()
            if module is not None and last in sessions and len(sessions) >= least
        )

    def expected(self, near: str | None, *, least: int) -> list[Module]:
        """Where the next session will probably work, the nearest first: at `near`, a file or folder, else where the
        last one worked; and in the project as a whole."""
        if near is None:
            return [*self.newest(least=least), EVERYWHERE]
        path = near.strip("/")
        return [*dict.fromkeys((path, dirname(path))), EVERYWHERE]

    def sessions(self, module: Module) -> list[str]:
        """The sessions that changed something there."""
        return list(self._worked.get(module, ()))

    def of(self, modules: Iterable[Module]) -> Iterator[UsualRead]:
        """Every file that any session of these modules read at its beginning."""
        for module in modules:
            for path, sessions in self._read.get(module, {}).items():
                yield UsualRead(module, path, tuple(sessions), len(self._worked[module]), max(sessions.values()))
