"""What windows showed and how far down it stood, for the judgements that follow: `recall_floor` is tuned by them.

It is remembered in this process only, and until much else was shown: feedback comes while the window is at hand.
What was said of a record that no window here showed says nothing about windows, and is not counted.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from threading import Lock

from recollect.clock import Clock
from recollect.config import Config, LiveConfig
from recollect.limits import SHOWN_REMEMBERED
from recollect.store.base import Store


class JudgedWindows:
    """What was shown lately, and what was said of it."""

    def __init__(self, store: Store, config: LiveConfig, clock: Clock) -> None:
        self._store = store
        self._config = config
        self._clock = clock
        self._levels: OrderedDict[str, float] = OrderedDict()
        self._lock = Lock()

    def floor(self, config: Config) -> float:
        """The `recall_floor` that acts now."""
        if not config.context.self_tuning:
            return config.context.recall_floor
        with self._store.read() as tx:
            return tx.tuning.floor(config).value

    def shown(self, levels: Mapping[str, float]) -> None:
        """A window showed these records, which stood there."""
        with self._lock:
            for record_id, level in levels.items():
                self._levels[record_id] = level
                self._levels.move_to_end(record_id)
            while len(self._levels) > SHOWN_REMEMBERED:
                self._levels.popitem(last=False)

    def say(self, record_ids: Iterable[str], *, helpful: bool, operation: str | None) -> None:
        """These records helped, or did not; it counts while that operation is not undone."""
        if not self._config.current.context.self_tuning:
            return
        with self._lock:
            levels = {each: self._levels[each] for each in record_ids if each in self._levels}
        if levels:
            now = self._clock()
            self._store.write(lambda tx: tx.tuning.judge(levels, helpful=helpful, at=now, operation=operation))
