"""Hits that the present screen has never judged, judged when they are about to be shown.

A store that was filled while texts were not screened, or by a screen with other weights, is gone over in the
background. Until that is done, what a search or a window would show is looked at here: marked, or withheld, by the same
thresholds as `add`. Only the hits of an answer are looked at, each once; a store that was gone over costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from recollect.config import LiveConfig
from recollect.errors import NotFound
from recollect.model.result import Hit
from recollect.model.screening import SCREENED_BY, Screening, ScreeningAction, action_on
from recollect.security.screening.screen import Screen
from recollect.store.base import Store, Tx
from recollect.store.rows import from_json

JUDGED_MAX = 4096  # texts whose judgement is kept
_APART = (ScreeningAction.QUARANTINE, ScreeningAction.REFUSE)
_DECIDED = (ScreeningAction.MARK, ScreeningAction.QUARANTINE, ScreeningAction.RELEASED)


class Suspects:
    """Judges hits of a store that was not gone over yet. `found` is told that there is something to go over for."""

    def __init__(
        self, store: Store, screen: Callable[[], Screen], config: LiveConfig, found: Callable[[], None]
    ) -> None:
        self._store = store
        self._screen = screen
        self._config = config
        self._found = found
        self._gone_over: str | None = None  # by which weights
        self._judged: dict[tuple[str, str, str | None], Screening] = {}  # by weights, text and role

    def withheld(self, hits: Sequence[Hit]) -> dict[str, Hit | None]:
        """By id, those of the hits that are shown otherwise: with flags, or not at all."""
        if not hits or not self._config.current.security.injection_screen or self._is_gone_over():
            return {}
        judged = {hit.id: self._worst(hit) for hit in hits if not hit.flags}
        suspects = {id_: found for id_, found in judged.items() if found.action != ScreeningAction.KEEP}
        if not suspects:
            return {}
        with self._store.read() as tx:
            decided = {id_ for id_ in suspects if _is_decided(tx, id_)}
        self._found()
        return {
            hit.id: None if suspects[hit.id].action in _APART else replace(hit, flags=suspects[hit.id].flags)
            for hit in hits
            if hit.id in suspects and hit.id not in decided
        }

    def shown(self, hits: Sequence[Hit]) -> list[Hit]:
        """The hits that may be shown, with flags where they are marked."""
        changed = self.withheld(hits)
        if not changed:
            return list(hits)
        return [shown for hit in hits if (shown := changed.get(hit.id, hit)) is not None]

    def _is_gone_over(self) -> bool:
        version = self._screen().version
        if self._gone_over != version:
            with self._store.read() as tx:
                self._gone_over = tx.meta.text(SCREENED_BY)
        return self._gone_over == version

    def _worst(self, hit: Hit) -> Screening:
        """Of the text and of what it rests on: what was drawn from an attack goes with it."""
        said = [(hit.content, hit.role), *((source.content, source.role) for source in hit.sources)]
        return max((self._judge(*each) for each in said), key=lambda found: found.injection)

    def _judge(self, text: str, role: str | None) -> Screening:
        screen = self._screen()
        key = (screen.version, text, role)
        known = self._judged.get(key)
        if known is None:
            if len(self._judged) >= JUDGED_MAX:
                self._judged.clear()
            known = self._judged[key] = screen.screen(text, role=role)
        return known


def _is_decided(tx: Tx, record_id: str) -> bool:
    """Whether a person or a screen has spoken about a record: what was released stays released."""
    try:
        row = tx.records.columns_of(tx.records.find_pk(record_id, now=0, live=False))
    except NotFound:
        return False
    return row is not None and (bool(row["user_verified"]) or action_on(from_json(row["attributes"], {})) in _DECIDED)
