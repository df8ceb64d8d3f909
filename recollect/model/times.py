"""Times as people and programs give them: `datetime`, ISO text, epoch seconds, or "last week", "in March".

A point in time is a `datetime`; an expression that names a stretch ("yesterday") is a window, and where a point
is asked for its beginning is meant. Words are read by `model.phrases`, as they are in running text.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

from recollect.errors import InvalidQuery, shown
from recollect.limits import YEAR_MAX, YEAR_MIN
from recollect.model.phrases import read_phrase

Window = tuple[datetime, datetime]


def parse_time(value: Any, what: str = "time", *, now: datetime | None = None) -> datetime:
    """The moment a caller means, aware and in UTC. `InvalidQuery` when it means none."""
    if isinstance(value, str):
        return parse_window(value, what, now=now)[0]
    return _moment(value, what)


def parse_window(value: Any, what: str = "time", *, now: datetime | None = None) -> Window:
    """The stretch a caller means, end exclusive; a moment is a stretch of no length."""
    if not isinstance(value, str):
        moment = _moment(value, what)
        return moment, moment
    text = " ".join(value.strip().lower().replace("_", " ").split())
    now = (now or datetime.now(UTC)).astimezone(UTC)
    try:
        found = read_phrase(text, now)
        window = (found.start, found.end) if found else _iso(value.strip())
    except (ValueError, OverflowError):
        window = None
    if window is None:
        raise InvalidQuery(
            f"{what}: cannot read {value[:60]!r} as a time; use ISO 8601 such as 2026-05-03T10:00:00Z, "
            "or words such as 'yesterday', 'last week', 'in March'"
        )
    return window


def _moment(value: Any, what: str) -> datetime:
    try:
        if isinstance(value, datetime):
            return (value if value.tzinfo else value.replace(tzinfo=UTC)).astimezone(UTC)
        if isinstance(value, date):
            return datetime(value.year, value.month, value.day, tzinfo=UTC)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value, UTC)
    except (ValueError, OverflowError, OSError):
        pass
    raise InvalidQuery(f"{what}: {shown(value, 60)} is not a time between the years {YEAR_MIN} and {YEAR_MAX}")


def _iso(text: str) -> Window | None:
    moment = datetime.fromisoformat(text)
    moment = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    if len(text) == 10:
        return moment, moment + timedelta(days=1)
    return moment, moment
