"""An error of Python's that rows end in, though nobody can have written them so: it is told as damage.

SQLite sees when a page does not fit the others. A page that fits, and holds something else than was written to it, is
met by whoever reads the row: a text that is not there, JSON that is none. So any error that is not ours makes the store
look at its rows, once in a while.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from recollect.deadline import unhurried
from recollect.errors import RecollectError, StoreDamaged
from recollect.outage import Outage
from recollect.store.base import Store
from recollect.store.sqlite import damage
from recollect.store.textual import TextIndexDamaged

_AGAIN_S = 60.0  # what was found holds so long
_TOLD = "rows of the database are damaged; `recollect doctor` tells more, `recollect restore` has backups"


class Suspicion:
    """For the threads of one store: one of those that met something odd looks at all rows, the others wait for it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.RLock()
        self._looked_at = float("-inf")
        self._looking = False
        self.damaged: Outage[RecollectError] = Outage()

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Inside, an odd error is `StoreDamaged` if rows are damaged, and what it was otherwise."""
        try:
            yield
        except StoreDamaged as error:
            if not isinstance(error, TextIndexDamaged):
                self._is_right()
            raise
        except (RecollectError, apsw.Error):
            raise
        except Exception as error:
            if self._is_right():
                raise StoreDamaged(_TOLD) from error
            raise

    def _is_right(self) -> bool:
        with self._lock:
            if self._looking:
                return False
            if time.monotonic() - self._looked_at >= _AGAIN_S:
                self._looking = True
                try:
                    with unhurried():
                        sound = damage.only_beside_the_rows(self._store)
                finally:
                    self._looking = False
                self.damaged.is_now(None if sound else StoreDamaged(_TOLD))
                self._looked_at = time.monotonic()
            return self.damaged.why is not None
