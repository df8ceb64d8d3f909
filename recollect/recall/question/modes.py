"""The ways to search by time that a caller asks for by name.

`recent_sessions` looks at the last sessions, `time_window` between two times, `around_event` at the sessions either
side of a record, `trend` at the last days. A mode is given as its name, as a name with its one value
("recent_sessions:5", "trend:30", "around_event:<id>", "time_window:last week"), or as a dict.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, cast, get_args

from recollect.clock import DAY_US, to_us
from recollect.config.reading import TimeSettings
from recollect.errors import InvalidQuery, shown
from recollect.language.times import parse_window
from recollect.recall.question.when import When, between

ModeName = Literal["recent_sessions", "time_window", "around_event", "trend"]
MODES: tuple[ModeName, ...] = get_args(ModeName)
SESSIONS_MAX = 1_000
DAYS_MAX = 36_500
# The names of the design beside ours.
_ALIASES = {
    "sessionCount": "sessions",
    "session_count": "sessions",
    "startDate": "start",
    "start_date": "start",
    "after": "start",
    "endDate": "end",
    "end_date": "end",
    "before": "end",
    "eventId": "event",
    "event_id": "event",
    "trendDays": "days",
    "trend_days": "days",
}
_TAKES: dict[ModeName, tuple[str, ...]] = {
    "recent_sessions": ("sessions",),
    "time_window": ("start", "end", "window"),
    "around_event": ("event", "sessions"),
    "trend": ("days",),
}
_ONE_VALUE = {"recent_sessions": "sessions", "time_window": "window", "around_event": "event", "trend": "days"}


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeMode:
    """A mode with everything it needs; times are microseconds, end exclusive."""

    mode: ModeName
    sessions: int = 0  # recent_sessions: how many; around_event: how many either side
    start: int | None = None
    end: int | None = None
    event: str | None = None  # the id of a record

    @property
    def when(self) -> When | None:
        """The window of the modes that have one."""
        return None if self.start is None and self.end is None else between(self.start, self.end, surface=self.mode)


def time_mode(value: Any, *, now: datetime, settings: TimeSettings) -> TimeMode:
    """The mode a caller means. `InvalidQuery` names what cannot be read."""
    if isinstance(value, TimeMode):
        return value
    name, options = _split(value)
    unknown = sorted(set(options) - set(_TAKES[name]))
    if unknown:
        raise InvalidQuery(f"mode {name}: does not take {', '.join(unknown)}; it takes {', '.join(_TAKES[name])}")
    if name == "recent_sessions":
        return TimeMode(mode=name, sessions=_count(options.get("sessions", settings.recent_sessions), name))
    if name == "trend":
        days = _days(options.get("days", settings.trend_days))
        return TimeMode(mode=name, start=to_us(now) - int(days * DAY_US))
    if name == "around_event":
        event = options.get("event")
        if not isinstance(event, str) or not event.strip():
            raise InvalidQuery("mode around_event: needs event=, the id of a record")
        sessions = _count(options.get("sessions", settings.event_sessions), name, least=0)
        return TimeMode(mode=name, event=event.strip(), sessions=sessions)
    return _window(options, now)


def _split(value: Any) -> tuple[ModeName, dict[str, Any]]:
    """The name of a mode and its options, by our names for them."""
    name: Any = None
    options: dict[str, Any] = {}
    if isinstance(value, str):
        name, colon, rest = value.strip().partition(":")
        options = {_ONE_VALUE.get(name.strip(), "value"): rest.strip()} if colon else {}
    elif isinstance(value, Mapping):
        options = {_ALIASES.get(str(key), str(key)): option for key, option in value.items() if option is not None}
        name = options.pop("mode", None)
    name = name.strip() if isinstance(name, str) else name
    if name not in MODES:
        raise InvalidQuery(f"mode: {shown(name if name else value)} is none of {', '.join(MODES)}")
    return cast(ModeName, name), options


def _count(value: Any, mode: str, least: int = 1) -> int:
    number = int(value) if isinstance(value, str) and value.isdecimal() else value
    if not isinstance(number, int) or isinstance(number, bool) or not least <= number <= SESSIONS_MAX:
        raise InvalidQuery(f"mode {mode}: sessions is {shown(value)}, not a number from {least} to {SESSIONS_MAX}")
    return number


def _days(value: Any) -> float:
    try:
        days = float(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else -1.0
    except ValueError:
        days = -1.0
    if not 0 < days <= DAYS_MAX:
        raise InvalidQuery(f"mode trend: days is {shown(value)}, not a number above 0 and up to {DAYS_MAX}")
    return days


def _window(options: Mapping[str, Any], now: datetime) -> TimeMode:
    """From the beginning of what `start` names to the end of what `end` names: both days of two dates count."""
    if "window" in options:
        first, _, last = str(options["window"]).partition("..")
        options = {"start": first, "end": last or first}
    start = to_us(parse_window(options["start"], "mode time_window: start", now=now)[0]) if "start" in options else None
    end = to_us(parse_window(options["end"], "mode time_window: end", now=now)[1]) if "end" in options else None
    if start is None and end is None:
        raise InvalidQuery("mode time_window: needs start=, end= or both")
    if start is not None and end is not None and end <= start:
        raise InvalidQuery(f"mode time_window: ends ({shown(options['end'])}) before it starts")
    return TimeMode(mode="time_window", start=start, end=end)
