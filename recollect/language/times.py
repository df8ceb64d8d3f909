"""Times as people and programs give them: `datetime`, ISO text, epoch seconds, or "last week", "in March".

A point in time is a `datetime`; an expression that names a stretch ("yesterday") is a window, and where a point
is asked for its beginning is meant. Words are read by the phrases of our languages, as they are in running text.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Any

from recollect.errors import InvalidQuery, shown
from recollect.language.spoken import stretch_of
from recollect.limits import TIME_CHARS_MAX, YEAR_MAX, YEAR_MIN

Window = tuple[datetime, datetime]
# A date, and a time after a sign that separates them: `datetime` itself takes any character for that sign, and of a
# number of a hundred thousand digits it makes a day of the year 1111.
_ISO = re.compile(r"[\dW-]{7,10}(?:[T ]\S{2,40})?", re.IGNORECASE)
_LAST = datetime.max.replace(tzinfo=UTC)


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
    now = (now or datetime.now(UTC)).astimezone(UTC)
    try:
        window = _in_words(value, now) or _iso(value)
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


def parse_iso(text: str) -> datetime:
    """The moment that an ISO 8601 text names, aware and in UTC, without a zone in UTC too. `ValueError` otherwise."""
    text = text.strip()
    if not _ISO.fullmatch(text):
        raise ValueError("not a time in ISO 8601")
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except OverflowError:  # an offset that leads out of the calendar
        raise ValueError("not a time of the calendar") from None


def _in_words(value: str, now: datetime) -> Window | None:
    if len(value) > TIME_CHARS_MAX:
        return None
    found = stretch_of(" ".join(value.lower().replace("_", " ").split()), now)
    return (found.start, found.end) if found else None


def _iso(text: str) -> Window:
    moment = parse_iso(text)
    if len(text.strip()) > 10:
        return moment, moment
    return moment, _LAST if moment.date() == _LAST.date() else moment + timedelta(days=1)  # the last day there is
