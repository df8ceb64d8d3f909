"""The only place that asks what time it is, and the only conversions between times and numbers.

Inside the store a time is an integer: microseconds since 1970 UTC. Outside it is an aware `datetime`.
Everything that depends on "now" takes a `Clock`, so tests move time instead of waiting for it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SECOND_US = 1_000_000
DAY_US = 86_400 * SECOND_US
EARLIEST_US, LATEST_US = -62_135_596_800 * SECOND_US, 253_402_300_800 * SECOND_US - 1  # of years 1 and 9999
FOREVER_US = 2**62  # later than any time a datetime can hold: "still true", "still believed"

Clock = Callable[[], int]


def now_us() -> int:
    """Now, in microseconds since 1970 UTC."""
    return time.time_ns() // 1000


def to_us(moment: datetime) -> int:
    """Exact microseconds of a datetime; a naive one is taken as UTC."""
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    delta = moment - EPOCH
    return (delta.days * 86_400 + delta.seconds) * SECOND_US + delta.microseconds


def from_us(us: int) -> datetime:
    """The aware UTC datetime of a stored number; the inverse of `to_us`."""
    return EPOCH + timedelta(microseconds=us)


def maybe_from_us(us: int | None) -> datetime | None:
    return None if us is None else from_us(us)
