"""What happens in a memory, as it happens: changes that the caller may see, and how the store itself is."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, Unpack

from recollect.engine import Engine
from recollect.errors import UsageError
from recollect.facade import arguments
from recollect.facade.arguments import ScopeArgs
from recollect.facade.handle import Handle
from recollect.ingest import check
from recollect.limits import EVENTS_PER_READ_MAX
from recollect.model.query import Criteria

EVERY_S = 0.25
WAIT_S_MAX = 86_400.0
SEQ_MAX = 2**62


class Watching(Handle):
    """Events."""

    def events(
        self, *, since: int | None = None, wait_s: float | None = None, **scope: Unpack[ScopeArgs]
    ) -> Iterator[dict[str, Any]]:
        """What happens from now on, by any process, one event after the other; the loop is yours to leave.

        A `record`, `edge` or `entity` has ids of what changed, never content, and its place in the feed (`seq`).
        `ready`, `health` and `disk-full` are about the store. `lost`: entries were trimmed before they were read.

        Args:
            since: Go on after this `seq`, the one of the last event that was seen.
            wait_s: End after so many seconds without an event; by default never.
        """
        engine, sight = self._engine, self._sight(scope, reading=True)
        seq = engine.store.change_seq() if since is None else arguments.count(since, "since", SEQ_MAX, least=0)
        return _happening(engine, sight, seq, _patience(wait_s))


def _happening(engine: Engine, sight: Criteria | None, seq: int, patience_s: float) -> Iterator[dict[str, Any]]:
    heard: int | None = None
    quiet_since = time.monotonic()
    while True:
        news = engine.vitals.look(heard)
        heard = news[-1].number if news else heard or 0
        with engine.store.read() as tx:
            visible = None if sight is None else tx.scopes.visible(sight.scope, sight.reach)
            portion = tx.changes.after(seq, limit=EVENTS_PER_READ_MAX, visible=visible)
        seq = portion.seq
        told = [event.to_dict() for event in news]
        told += [{"topic": "lost"}] if portion.lost else []
        told += [{**each.to_dict(), "seq": each.seq} for each in portion.announcements]
        yield from told
        if told:
            quiet_since = time.monotonic()
        elif time.monotonic() - quiet_since >= patience_s:
            return
        else:
            time.sleep(min(EVERY_S, patience_s))


def _patience(wait_s: float | None) -> float:
    if wait_s is None:
        return float("inf")
    if isinstance(wait_s, bool) or not isinstance(wait_s, int | float):
        raise UsageError("wait_s must be a number of seconds")
    return check.within(wait_s, 0.0, WAIT_S_MAX, "wait_s")
