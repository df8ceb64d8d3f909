"""The text index of a file that is open, made anew by whoever meets damage in it.

Its terms are worked out of the rows, so nothing is lost with it. A write that meets the damage waits until the index is
whole, and is done then. A search does without its words, and the index is made beside it. One that is damaged again at
once is left to the doctor: then more than the index is wrong.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING

from recollect.errors import RecollectError, StoreDamaged, StoreError
from recollect.one_thread import OneThread
from recollect.outage import Outage
from recollect.store.sqlite import damage
from recollect.store.textual import TextIndexDamaged

if TYPE_CHECKING:
    from recollect.store.base import Store

_log = logging.getLogger(__name__)
_AGAIN_S = 60.0  # between two attempts
_UNDER_WAY = "the text index of the file is damaged, and is made anew"


class TextMender:
    """For the threads of one store: one of those that met the damage makes the index anew, the others wait for it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._at_work: int | None = None  # the thread
        self._tried_at = float("-inf")
        self._thread = OneThread(self.mend, "recollect-mend")
        self.made = 0  # how many times it was
        self.damaged: Outage[RecollectError] = Outage()

    def met(self, made: int) -> None:
        """Somebody who began to read after so many were made met damage: have the index made anew beside."""
        if made != self.made:  # it is whole by now, and the reader's snapshot is older
            return
        self.damaged.begins(TextIndexDamaged(_UNDER_WAY))
        self._thread.begin(made)

    def mend(self, made: int) -> bool:
        """Make the index anew, unless that was done since `made`; whether it is whole now."""
        if self._at_work == threading.get_ident():
            return False
        with self._lock:
            if self.made != made:
                return True
            if time.monotonic() - self._tried_at < _AGAIN_S:
                self.damaged.begins(StoreDamaged("the text index of the file is damaged again, as soon as it was made"))
                return False
            self._tried_at, self._at_work = time.monotonic(), threading.get_ident()
            self.damaged.begins(TextIndexDamaged(_UNDER_WAY))
            try:
                self._make()
            except StoreError as error:  # no space, or rows are damaged too
                _log.error("the text index is damaged and could not be made anew: %s", error.code)
                self.damaged.begins(error)
                return False
            finally:
                self._at_work = None
            _log.warning("the text index was damaged and was made anew")
            self.made += 1
            self.damaged.ends()
            return True

    def _make(self) -> None:
        """In its tables, if these take it; else in new ones, which takes rewriting the file."""
        try:
            self._store.write(lambda tx: tx.text.rebuild())
        except StoreError:
            if not damage.mend(self._store):
                raise

    def close(self, wait_s: float) -> None:
        """Wait for what is under way, but not for ever: who opens the file next meets the damage again."""
        self._thread.end(wait_s)
