"""That a part cannot be had for a while: what is in the way, and since when. Kept by the part itself."""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

from recollect.clock import Clock, now_us

T = TypeVar("T")


class _Going(NamedTuple, Generic[T]):
    why: T
    since: int


class Outage(Generic[T]):
    """Begins when something first fails and ends when it first succeeds; failures between those change only why.

    For many threads: what is known is replaced as a whole, so whoever asks waits for nobody.
    """

    def __init__(self, clock: Clock = now_us) -> None:
        self._clock = clock
        self._going: _Going[T] | None = None

    def begins(self, why: T) -> None:
        """It failed, for this reason."""
        going = self._going
        self._going = _Going(why, self._clock() if going is None else going.since)

    def ends(self) -> None:
        """It works."""
        self._going = None

    def is_now(self, why: T | None) -> None:
        """It failed for this reason, or works."""
        if why is None:
            self.ends()
        else:
            self.begins(why)

    @property
    def why(self) -> T | None:
        """What is in the way; None where nothing is."""
        going = self._going
        return None if going is None else going.why

    @property
    def since(self) -> int | None:
        """When it first failed, in microseconds; None where it works."""
        going = self._going
        return None if going is None else going.since
