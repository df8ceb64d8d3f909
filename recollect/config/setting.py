"""What is known about one setting, and what happens to a value that does not fit."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import Any

VALUE_CHARS_SHOWN = 60
UNITS = {
    "ms": "ms",
    "s": "s",
    "minutes": "minutes",
    "hours": "hours",
    "days": "days",
    "bytes": "bytes",
    "mb": "MB",
    "chars": "characters",
    "tokens": "tokens",
    "words": "words",
}


class Policy(Enum):
    """What happens to a value of the right type outside its range. A wrong type is always refused."""

    CLAMP = "clamped"  # the nearest allowed value, with a warning
    RESET = "reset"  # the default, with a warning
    REFUSE = "refused"  # ConfigInvalid


CLAMP, RESET, REFUSE = Policy.CLAMP, Policy.RESET, Policy.REFUSE


class FrozenTable(Mapping[str, Any]):
    """A frozen mapping from names to numbers. Hashable, so that a section can be."""

    __slots__ = ("_rows",)

    def __init__(self, rows: Mapping[str, Any]) -> None:
        self._rows = dict(rows)

    def __getitem__(self, key: str) -> Any:
        return self._rows[key]

    def get(self, key: str, default: Any = None) -> Any:
        return self._rows.get(key, default)

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __hash__(self) -> int:
        return hash(frozenset(self._rows.items()))

    def __repr__(self) -> str:
        return f"Table({self._rows!r})"


class RefusedError(ValueError):
    """A value that no policy can repair; the message says what would be allowed."""


class Setting:
    """The facts about one setting, and the judgement of a value offered for it."""

    __slots__ = (
        "above",
        "choices",
        "default",
        "doc",
        "group",
        "hi",
        "keys",
        "kind",
        "live",
        "lo",
        "policy",
        "reads",
        "secret",
        "total",
        "unit",
    )

    def __init__(
        self,
        default: Any,
        lo: float,
        hi: float,
        doc: str,
        *,
        unit: str = "",
        policy: Policy = CLAMP,
        live: bool = True,
        choices: tuple[Any, ...] = (),
        keys: str = "",
        total: float = math.inf,
        group: str = "",
        above: str = "",
        secret: bool = False,
        reads: Callable[[str], object] | None = None,
    ) -> None:
        self.default: Any = FrozenTable(default) if isinstance(default, Mapping) else default
        self.kind: type = str if default is None else type(self.default)
        self.lo, self.hi, self.doc, self.unit = lo, hi, doc, unit
        self.policy, self.live = policy, live
        self.choices = choices
        self.keys = keys  # what the names of a table are when it takes new ones; "" closes it
        self.secret = secret  # never shown, neither to people nor in a log
        self.reads = reads  # reads a text; its ValueError says what is wrong with it
        self.total = total  # the most the values of a table may sum to
        self.group = group  # settings whose sum is limited together
        self.above = above  # at least this sibling's value

    def check(self, value: Any) -> tuple[Any, str]:
        """The value to use and why it differs from the one offered ("" if it does not).

        Raises RefusedError for a wrong type, and for anything outside the range under REFUSE.
        """
        if self.kind is FrozenTable:
            return self._check_table(value)
        if value is None and self.default is None:
            return None, ""
        value = self._typed(value)
        if self.choices:
            return self._check_choice(value)
        if self.reads is not None:
            self._read(value)
        if self.kind in (bool, str):
            return value, ""
        return self._check_range(value)

    def _read(self, value: str) -> None:
        assert self.reads is not None
        try:
            self.reads(value)
        except ValueError as error:
            raise RefusedError(str(error)) from error

    def limits(self) -> str:
        """The allowed values, for people."""
        if self.choices:
            return ", ".join(str(choice) for choice in self.choices)
        if self.kind is bool:
            return "true, false"
        if self.kind is str:
            return "text"
        return f"{plain(self.lo)} to {plain(self.hi)}"

    def _check_choice(self, value: Any) -> tuple[Any, str]:
        if value not in self.choices:
            raise RefusedError(f"must be one of {self.limits()}, not {shown(value)}")
        return value, ""

    def _check_range(self, value: Any) -> tuple[Any, str]:
        if self.lo <= value <= self.hi:
            return value, ""
        problem = f"{shown(value)} is outside {self.limits()}"
        if self.policy is REFUSE:
            raise RefusedError(problem)
        if self.policy is RESET:
            return self.default, f"{problem}; using the default {plain(self.default)}"
        nearest = self.kind(self.lo if value < self.lo else self.hi)
        return nearest, f"{problem}; using {plain(nearest)}"

    def _check_table(self, value: Any) -> tuple[Any, str]:
        if not isinstance(value, Mapping):
            raise RefusedError(f"must be a table of names and numbers, not {shown(value)}")
        rows = dict(self.default)
        problems = []
        for name, offered in value.items():
            if not isinstance(name, str) or not name or (name not in rows and not self.keys):
                raise RefusedError(f"has no entry {shown(name)}; known: {', '.join(self.default)}")
            policy = self.policy if name in self.default else CLAMP  # a new row has no default to go back to
            one = Setting(rows.get(name, self.lo), self.lo, self.hi, "", policy=policy)
            one.kind = float
            rows[name], problem = one.check(offered)
            if problem:
                problems.append(f"{name}: {problem}")
        if (total := sum(rows.values())) > self.total + 1e-9:
            return self.default, f"values sum to {plain(total)}, over {plain(self.total)}; using the defaults"
        return FrozenTable(rows), "; ".join(problems)

    def _typed(self, value: Any) -> Any:
        if self.kind is bool and isinstance(value, bool):
            return value
        if self.kind is str and isinstance(value, str):
            return value
        if self.kind in (int, float) and isinstance(value, int | float) and not isinstance(value, bool):
            if self.kind is int and (isinstance(value, int) or value.is_integer()):
                return int(value)
            if self.kind is float and (isinstance(value, int) or math.isfinite(value)):
                return float(min(max(value, -1e300), 1e300))  # an int may be too large for a float
        offered = "what was given" if self.secret else shown(value)
        raise RefusedError(f"must be {KIND_NAMES[self.kind]} ({self.limits()}), not {offered}")


KIND_NAMES: dict[type, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    FrozenTable: "a table",
}


def shown(value: object) -> str:
    """A value as it may appear in a message: never long."""
    try:
        written = repr(value)
    except Exception:  # a foreign object's repr is not our concern; an int can be too long to print
        written = f"a {type(value).__name__}"
    return written if len(written) <= VALUE_CHARS_SHOWN else written[: VALUE_CHARS_SHOWN - 1] + "…"


def plain(value: object) -> str:
    """A value as a person would write it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value)) if abs(value) >= 10 else f"{value:.1f}"
    if isinstance(value, float):
        return f"{value:g}" if abs(value) >= 1e-6 else repr(value)
    return str(value)
