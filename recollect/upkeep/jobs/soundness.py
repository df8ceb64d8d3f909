"""A store that was left open is looked through: every page is read once, in the background.

SQLite plays the log back by itself, so a process that was killed loses nothing that was acknowledged. But what ended it
may have been the disk. A damaged text index is built anew; damage to rows is noted in the store, and `health` tells it
until a later look finds the store sound.
"""

from __future__ import annotations

from contextlib import suppress

from recollect.clock import SECOND_US, Clock
from recollect.config import LiveConfig
from recollect.errors import RecollectError
from recollect.store.base import Store, Tx
from recollect.store.jobs import Job
from recollect.upkeep.jobs.worker import Progress

SOUNDNESS_JOB = "soundness"
DELAY_S = 5.0  # whoever opened the store wants an answer first
_LOOKED, _DAMAGED = "looked_through", "damage_found"  # meta: when every page was read last; when it was not sound
_HOUR_US = 3600 * SECOND_US


class Soundness:
    """The look itself, and whether there has to be one."""

    def __init__(self, store: Store, config: LiveConfig, clock: Clock) -> None:
        self._store = store
        self._config = config
        self._clock = clock

    def begin(self) -> None:
        """Queue the look if the store was left open and nobody has looked for `store.check_hours`."""
        hours = self._config.current.store.check_hours
        if not hours or not self._store.was_left_open:
            return
        now = self._clock()

        def ask(tx: Tx) -> None:
            if now - tx.meta.number(_LOOKED) >= hours * _HOUR_US:
                tx.jobs.enqueue_once(SOUNDNESS_JOB, now=now, delay_s=DELAY_S)

        with suppress(RecollectError):  # busy, full, or only to be read: the next opening asks again
            self._store.write(ask)

    def run(self, job: Job, progress: Progress) -> None:
        """Read all of it, mend what can be worked out again, and note what cannot."""
        sound = not self._store.faults() or (self._store.rows_are_sound() and self._store.mend())

        def note(tx: Tx) -> None:
            now = self._clock()
            tx.meta.note(_LOOKED, now)
            if sound:
                tx.meta.forget(_DAMAGED)
            else:
                tx.meta.note(_DAMAGED, now)

        self._store.write(note)


def damaged_at(tx: Tx) -> int | None:
    """When a look found rows damaged; None where the newest look found them sound."""
    return tx.meta.number(_DAMAGED) or None
