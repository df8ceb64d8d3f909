"""Times as people and programs give them: `datetime`, ISO text, epoch seconds, or "last week", "in March".

A point in time is a `datetime`; an expression that names a stretch ("yesterday") is a window, and where a point
is asked for its beginning is meant. Words beyond these few are read by `perceive`, which may use a library.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Any

from recollect.errors import InvalidQuery, shown
from recollect.limits import YEAR_MAX, YEAR_MIN

_MONTHS = {
    name: number
    for number, names in enumerate(
        ("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
         "september sep sept", "october oct", "november nov", "december dec"), start=1)
    for name in names.split()
}  # fmt: skip
_AGO = re.compile(r"(\d{1,4}|a|an|one) (minute|hour|day|week|month|year)s? ago")
_IN_MONTH = re.compile(r"(?:in )?([a-z]+)(?: (\d{4}))?")
_MONTH_ONLY = re.compile(r"(\d{4})-(\d{2})")
_YEAR_ONLY = re.compile(r"(?:in )?(\d{4})")
_SPAN = re.compile(r"(last|this|past|previous|next) (day|week|month|year)")
_DAYS = {"minute": 1 / 1440, "hour": 1 / 24, "day": 1, "week": 7, "month": 30, "year": 365}

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
        window = _calendar(text) or _relative(text, now) or _iso(value.strip())
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


def _calendar(text: str) -> Window | None:
    if match := _MONTH_ONLY.fullmatch(text):
        return _month(int(match[1]), int(match[2]))
    if match := _YEAR_ONLY.fullmatch(text):
        year = int(match[1])
        return datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC)
    return None


def _relative(text: str, now: datetime) -> Window | None:
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    day = timedelta(days=1)
    named = {"now": (now, now), "today": (today, today + day), "yesterday": (today - day, today),
             "tomorrow": (today + day, today + 2 * day)}  # fmt: skip
    if text in named:
        return named[text]
    if match := _AGO.fullmatch(text):
        count = int(match[1]) if match[1].isdigit() else 1
        then = now - timedelta(days=count * _DAYS[match[2]])
        return then, then
    if match := _SPAN.fullmatch(text):
        return _span(match[1], match[2], today)
    if (match := _IN_MONTH.fullmatch(text)) and match[1] in _MONTHS:
        month = _MONTHS[match[1]]
        year = int(match[2]) if match[2] else (now.year if month <= now.month else now.year - 1)
        return _month(year, month)
    return None


def _span(which: str, unit: str, today: datetime) -> Window:
    """Calendar stretches: last week is the seven days from Monday to Sunday before this week's Monday."""
    if unit == "day":
        start, length = today, timedelta(days=1)
    elif unit == "week":
        start, length = today - timedelta(days=today.weekday()), timedelta(days=7)
    else:
        return _long_span(which, unit, today)
    shift = {"this": 0, "next": 1}.get(which, -1)
    return start + shift * length, start + (shift + 1) * length


def _long_span(which: str, unit: str, today: datetime) -> Window:
    shift = {"this": 0, "next": 1}.get(which, -1)
    if unit == "year":
        first = today.replace(month=1, day=1)
        return first.replace(year=today.year + shift), first.replace(year=today.year + shift + 1)
    index = today.year * 12 + today.month - 1 + shift
    return _month(index // 12, index % 12 + 1)


def _month(year: int, month: int) -> Window:
    start = datetime(year, month, 1, tzinfo=UTC)
    return start, datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC)
