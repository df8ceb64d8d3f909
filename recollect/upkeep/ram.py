"""Keeps the memory of the process within what is set: sheds in a stated order, and takes back when there is room again.

Nothing that is shed is lost: it is read or worked out again when it is asked for, which takes longer.
"""

from __future__ import annotations

import gc
import logging
import sys
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from recollect.config import LiveConfig
from recollect.index.base import Pressure
from recollect.index.resident import release_free_memory, resident_mb
from recollect.outage import Outage

_log = logging.getLogger(__name__)
_CACHED_MIN = 256  # smaller caches hold what takes long to make, and next to no memory
_AGAIN_S = 5.0  # models are loaded again within that, and are of use for a while
_LATER_MAX = 64  # times as long between two attempts to take back what is then shed again


class RamStep(NamedTuple):
    """One thing that can be done without: how it is let go, and how it comes back."""

    name: str
    shed: Callable[[], None]
    restore: Callable[[], None] = lambda: None


class RamWatch:
    """Looks now and then, on one thread. `again` is repeated at every look while memory is short."""

    def __init__(
        self,
        steps: Sequence[RamStep],
        again: Callable[[], None],
        config: LiveConfig,
        *,
        resident: Callable[[], float | None] = resident_mb,
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        self._steps = list(steps)
        self._again = again
        self._config = config
        self._resident = resident
        self._seconds = seconds
        self._shed = 0  # how many of the steps
        self._calm_since: float | None = None
        self._later = 1
        self._let_go_at = float("-inf")
        self._restored_at = float("-inf")
        self.level = Pressure.NORMAL
        self.outage: Outage[Pressure] = Outage()  # from the first look that found too much until all is taken back

    @property
    def shed(self) -> list[str]:
        """What is done without now, in the order in which it was let go."""
        return [step.name for step in self._steps[: self._shed]]

    def look(self) -> None:
        """See how much there is, and let go of one thing more, of everything, or take one back."""
        self._look()
        self.outage.is_now(self.level if self.level is not Pressure.NORMAL or self._shed else None)

    def _look(self) -> None:
        settings = self._config.current.ram
        resident = self._resident()
        if not settings.budget_mb or resident is None:
            self.level = Pressure.NORMAL
            while self._shed:
                self._take_back()
            return
        share = resident / settings.budget_mb
        self.level = Pressure(int(share >= settings.elevated) + int(share >= settings.critical))
        if self.level is not Pressure.NORMAL:
            self._let_go(len(self._steps) if self.level is Pressure.CRITICAL else 1)
        elif self._shed and share < settings.elevated - settings.gap:
            self._calm_since = self._calm_since or self._seconds()
            if self._seconds() - self._calm_since >= settings.calm_s * self._later:
                self._take_back()
        else:
            self._calm_since = None

    def _let_go(self, steps: int) -> None:
        self.outage.begins(self.level)  # nobody sees what was let go without being told why
        self._calm_since = None
        if self._shed < len(self._steps) and self._seconds() - self._restored_at < self._config.current.ram.calm_s:
            self._later = min(2 * self._later, _LATER_MAX)  # it was no use to take it back
        coming = self._steps[self._shed : self._shed + steps]
        if not coming and self.level is Pressure.CRITICAL and self._seconds() - self._let_go_at >= _AGAIN_S:
            coming = self._steps  # what was read again meanwhile
        for step in coming:
            step.shed()
            self._let_go_at = self._seconds()
        self._shed = min(self._shed + steps, len(self._steps))
        if coming:
            _log.info("memory is short: %s let go", ", ".join(step.name for step in coming))
        self._again()
        release_free_memory()

    def _take_back(self) -> None:
        self._shed -= 1
        self._steps[self._shed].restore()
        self._restored_at = self._seconds()
        self._calm_since = None


def clear_caches() -> None:
    """Forget what was remembered of words and sentences that were read."""
    for name, module in list(sys.modules.items()):
        if not name.startswith("recollect."):
            continue
        for each in list(vars(module).values()):
            sized = getattr(each, "cache_parameters", None)
            if sized is not None and (sized()["maxsize"] or 0) >= _CACHED_MIN:
                each.cache_clear()
    gc.collect()
