"""The minds of one store, one for each scope and session: in memory while they are used, put aside when they are not.

A mind that is asked for is the one in memory, else the one that was saved, else a fresh one that begins with what
matters most. A saved mind comes back as it was within four hours, weaker within a day, the more so the longer it was,
and not at all later. Before it is handed out it is held against the store: records that were deleted or changed
meanwhile, by whatever process, are not in mind any more, and after an erasure nothing is that was said where the erased
may have been said.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from threading import RLock

import numpy as np

from recollect.clock import SECOND_US, Clock, from_us
from recollect.config import LiveConfig
from recollect.config.window import WorkingSettings
from recollect.errors import RecollectError
from recollect.model.grant import APART
from recollect.model.scope import Scope
from recollect.model.working import MindInSight, Restored, SlotSource
from recollect.providers.base import Embedder
from recollect.providers.tokens import Counter, counter_for
from recollect.store.base import Store, Tx
from recollect.store.minds import MindRow, SlotRow
from recollect.working.likeness import Vector
from recollect.working.mind import Mind
from recollect.working.momentum import Motion
from recollect.working.slots import HeldSlot

_HOUR_US, _MINUTE_US = 3600 * SECOND_US, 60 * SECOND_US
Foremost = Callable[[Scope, int], Iterable[tuple[str, str, float]]]
Mine = Callable[[Scope, str], bool]  # whether a caller may look into the mind of a scope under that name

_log = logging.getLogger(__name__)
_HOUR_US, _MINUTE_US = 3600 * SECOND_US, 60 * SECOND_US
_SHED_EVERY_US = _MINUTE_US

Key = tuple[str, str]


class _Entry:
    """A mind in memory, up to which operation it was held against the store, and when it was last saved there by
    anybody as far as is known here."""

    __slots__ = ("mind", "operation", "saved_at", "scope", "session")

    def __init__(self, mind: Mind, scope: Scope, session: str, operation: int, saved_at: int) -> None:
        self.mind, self.scope, self.session, self.operation = mind, scope, session, operation
        self.saved_at = saved_at


class Minds:
    """Minds by scope and session. Safe to use from many threads.

    `foremost(scope, limit)` tells what matters most in a scope, as (record id, text, weight); without it a mind that
    was away for long begins empty.
    """

    def __init__(
        self,
        store: Store,
        live: LiveConfig,
        clock: Clock,
        *,
        embedder: Embedder | None = None,
        foremost: Foremost | None = None,
        counter: Counter | None = None,
        kept_of: Callable[[str, Scope], str] = lambda text, scope: text,
    ) -> None:
        self._kept_of = kept_of  # what may be kept of words that belong to no record
        self._store = store
        self._live = live
        self._clock = clock
        self._embedder = embedder
        self._foremost = foremost
        self._counter = counter
        self._lock = RLock()
        self._entries: OrderedDict[Key, _Entry] = OrderedDict()
        self._shed_at = 0

    def __len__(self) -> int:
        return len(self._entries)

    def of(self, scope: Scope, session: str | None = None) -> Mind:
        """The mind of a scope and session. The one used longest ago makes room where there are too many."""
        key = (scope.key, session or "")
        with self._lock:
            entry = self._entries.get(key)
            if entry is not None:
                self._entries.move_to_end(key)
        if entry is None:
            made = self._resumed(scope, session)
            with self._lock:  # somebody else may have been quicker
                entry = self._entries.setdefault(key, made)
                self._entries.move_to_end(key)
            self._make_room()
            if entry is made:
                return entry.mind
        self._hold_against(entry)
        return entry.mind

    def suspend(self, scope: Scope, session: str | None = None) -> bool:
        """Save a mind and let it go from memory; False when it was not there."""
        with self._lock:
            entry = self._entries.pop((scope.key, session or ""), None)
        if entry is None:
            return False
        self._save([entry])
        return True

    def share(self, scope: Scope, session: str | None = None) -> None:
        """Save a mind and hold it here as well: another process may go on with it, and whoever is next sees that."""
        with self._lock:
            entry = self._entries.get((scope.key, session or ""))
        if entry is not None:
            self._save([entry])

    def resume(self, scope: Scope, session: str | None = None) -> Mind:
        """The mind as it was put aside; the same as `of`, which does so by itself."""
        return self.of(scope, session)

    def clear(self, scope: Scope, session: str | None = None) -> bool:
        """Forget a mind, in memory and in the store; whether there was one."""
        name = session or ""
        with self._lock:
            entry = self._entries.pop((scope.key, name), None)
        if entry is not None:
            entry.mind.clear()
        return self._store.write(lambda tx: tx.minds.drop(scope, name)) or entry is not None

    def forget(self, *, user_id: str | None, channel: str | None, session: str | None) -> None:
        """After an erasure: let go of the minds it is about unsaved, and take out of all others what it took."""

        def concerned(entry: _Entry) -> bool:
            named = (
                (user_id, entry.scope.user_id),
                (channel, entry.scope.channel),
                (session, entry.session.partition(APART)[0]),
            )
            return all(wanted is None or wanted == has for wanted, has in named)

        with self._lock:
            gone = [key for key, entry in self._entries.items() if concerned(entry)]
            for key in gone:
                self._entries.pop(key).mind.clear()
            left = list(self._entries.values())
        for entry in left:
            self._hold_against(entry)

    def in_sight(self, scopes: Callable[[Tx], Sequence[int] | None], mine: Mine, *, limit: int) -> list[MindInSight]:
        """Minds of these scopes, those in memory first and the one used last first. To look: none is taken up."""
        with self._lock:
            held = [each for each in self._entries.values() if mine(each.scope, each.session)]
        held.sort(key=lambda each: -each.mind.used_at)
        for entry in held[:limit]:
            self._hold_against(entry)
        here = {(each.scope.key, each.session) for each in held}
        with self._store.read() as tx:
            aside = [
                (scope, session, tx.minds.load(scope, session))
                for scope, session in tx.minds.newest(scopes(tx), limit=limit + len(here))
                if (scope.key, session) not in here and mine(scope, session)
            ]
        shown = [self._seen(each.mind, each.scope, each.session, each.mind.used_at, held=True) for each in held]
        now, settings = self._clock(), self._settings()
        for scope, session, row in aside:
            mind = self._fresh(session)
            if row is not None and restore(mind, row, self._model, now, settings):
                shown.append(self._seen(mind, scope, session, row.saved_at, held=False))
        return shown[:limit]

    def _seen(self, mind: Mind, scope: Scope, session: str, used_at: int, *, held: bool) -> MindInSight:
        state = mind.state()
        return MindInSight(
            scope=scope,
            session_id=session.partition(APART)[0] or None,
            held=held,
            used_at=from_us(used_at),
            heard_at=state.heard_at,
            certainty=state.certainty,
            change=state.change,
            slots=tuple(mind.in_mind()),
        )

    def suspend_all(self) -> None:
        """Save every mind, for the end; it never fails."""
        with self._lock:
            entries = list(self._entries.values())
            self._entries.clear()
        self._let_go(entries)

    def shed_if_due(self) -> None:
        """Now and then: save and let go of minds that nobody has used for a while."""
        now = self._clock()
        if 0 <= now - self._shed_at < _SHED_EVERY_US:
            return
        self._shed_at = now
        self.shed(self._settings().idle_minutes * _MINUTE_US)

    def shed(self, idle_us: float) -> None:
        """Save and let go of minds that nobody has used for so long."""
        now = self._clock()
        with self._lock:
            idle = [key for key, entry in self._entries.items() if now - entry.mind.used_at > idle_us]
            entries = [self._entries.pop(key) for key in idle]
        self._let_go(entries)

    def _settings(self) -> WorkingSettings:
        return self._live.current.working

    @property
    def _model(self) -> str | None:
        return None if self._embedder is None else self._embedder.name

    def _resumed(self, scope: Scope, session: str | None) -> _Entry:
        now, settings = self._clock(), self._settings()
        mind = self._fresh(session)
        with self._store.read() as tx:
            row = tx.minds.load(scope, session or "")
            operation = tx.minds.newest_operation()
        if row is None or not restore(mind, row, self._model, now, settings):
            self._begin(mind, scope, now, settings)
        return _Entry(mind, scope, session or "", operation, 0 if row is None else row.saved_at)

    def _fresh(self, session: str | None) -> Mind:
        """A mind in which nothing is yet."""
        if self._counter is None:
            self._counter = counter_for(None)
        return Mind(
            settings=self._settings,
            clock=self._clock,
            counter=self._counter,
            embedder=self._embedder,
            session_id=session and (session.partition(APART)[0] or None),
        )

    def _begin(self, mind: Mind, scope: Scope, now: int, settings: WorkingSettings) -> None:
        """Morning recall: a few records that matter most."""
        if self._foremost is None or not settings.start_records:
            return
        for record_id, text, weight in self._foremost(scope, settings.start_records):
            strength = settings.slot_activation["morning"] * min(max(weight, 0.0), 1.0)
            mind.noted(text, SlotSource.MORNING, now, record_id=record_id, activation=strength)
            mind.restored = Restored.MORNING

    def _hold_against(self, entry: _Entry) -> None:
        """Take out of a mind what the store does not stand for any more, and in what another process left of it."""
        now = self._clock()
        with self._store.read() as tx:
            saved_at = tx.minds.saved_at(entry.scope, entry.session)
            newer = saved_at is not None and saved_at > max(entry.saved_at, entry.mind.used_at)
            row = tx.minds.load(entry.scope, entry.session) if newer else None
            if row is not None:
                entry.saved_at, entry.operation = row.saved_at, tx.minds.newest_operation()
            else:
                _settle(tx, entry)
        if saved_at is None and entry.saved_at:  # forgotten elsewhere
            entry.saved_at = 0
            entry.mind.clear()
        if row is not None:
            motion = Motion(_unpacked(row.centroid), _unpacked(row.velocity), row.certainty, row.turns)
            fits = row.model == self._model and motion.centroid is not None
            entry.mind.take_over(_slots(row, 1.0, 0.0, now), motion if fits else None, row.heard_at)

    def _make_room(self) -> None:
        most = self._settings().minds
        with self._lock:
            excess = [self._entries.popitem(last=False)[1] for _ in range(len(self._entries) - most)]
        self._let_go(excess)

    def _let_go(self, entries: list[_Entry]) -> None:
        """Save minds that nobody asks for now. What cannot be saved is lost, and said in the log: others go on."""
        if not entries:
            return
        try:
            self._save(entries)
        except RecollectError as error:
            _log.warning("%d minds could not be saved (%s)", len(entries), error.code)

    def _save(self, entries: list[_Entry]) -> None:
        """All in one transaction, in which it is also seen what may be saved."""
        now, settings, model = self._clock(), self._settings(), self._model
        forget_before = now - round(settings.restore_faded_hours * _HOUR_US)

        def work(tx: Tx) -> None:
            for entry in entries:
                _settle(tx, entry)
                at = max(now, entry.saved_at + 1)  # every saved state has a moment of its own
                row = self._admitted(row_of(entry.mind, model, at, settings), entry.scope)
                entry.saved_at = at
                tx.minds.save(entry.scope, entry.session, row, forget_before=forget_before)

        self._store.write(work)

    def _admitted(self, row: MindRow, scope: Scope) -> MindRow:
        """A mind as it may be kept: what a slot shows of a record is not kept, words of the talk pass the policy."""
        slots = (
            slot if slot.record_id is not None else slot._replace(text=self._kept_of(slot.text, scope))
            for slot in row.slots
        )
        return row._replace(slots=tuple(slots))


def _settle(tx: Tx, entry: _Entry) -> None:
    """Take out of a mind what the store does not stand for any more."""
    found = tx.minds.standing(entry.scope, entry.mind.records(), since=entry.operation)
    if found.gone:
        entry.mind.drop(found.gone)
    if found.erased:
        entry.mind.forget_talk()
    entry.operation = found.operation


def row_of(mind: Mind, model: str | None, now: int, settings: WorkingSettings) -> MindRow:
    """What is kept of a mind; activations are those of now, so that an absence does not count twice."""
    slots, motion, heard_at = mind.saved()
    return MindRow(
        saved_at=now,
        heard_at=heard_at,
        model=model,
        centroid=_packed(motion.centroid),
        velocity=_packed(motion.velocity),
        certainty=motion.certainty,
        turns=motion.turns,
        slots=tuple(
            SlotRow(
                id=held.id,
                text=held.text,
                source=held.source.value,
                record_id=held.record_id,
                activation=held.activation(now, settings),
                accessed_at=held.at,
                since=held.since,
                uses=held.uses,
                lasting=held.lasting,
            )
            for held in slots
        ),
    )


def restore(mind: Mind, row: MindRow, model: str | None, now: int, settings: WorkingSettings) -> bool:
    """Put a saved mind back as far as the absence allows; False when it was too long."""
    away_us = max(now - row.saved_at, 0)
    if away_us >= settings.restore_faded_hours * _HOUR_US:
        return False
    full = away_us < settings.restore_full_hours * _HOUR_US
    factor = 1.0 if full else 1.0 - min(away_us / _MINUTE_US / settings.restore_fade_minutes, settings.restore_fade_max)
    least = 0.0 if full else settings.restore_min
    motion = Motion(_unpacked(row.centroid), _unpacked(row.velocity), row.certainty * factor, row.turns)
    mind.restore(
        _slots(row, factor, least, now),
        motion if row.model == model and motion.centroid is not None else None,
        row.heard_at,
        Restored.FULL if full else Restored.FADED,
    )
    return True


def _slots(row: MindRow, factor: float, least: float, now: int) -> Iterator[HeldSlot]:
    for slot in row.slots:
        if slot.activation * factor > least or not least:
            yield HeldSlot(
                id=slot.id,
                text=slot.text,
                source=SlotSource(slot.source),
                record_id=slot.record_id,
                level=slot.activation * factor,
                at=now,
                since=now,
                tokens=0,
                uses=slot.uses,
                lasting=bool(slot.lasting),
            )


def _packed(vector: Vector | None) -> bytes | None:
    return None if vector is None else vector.astype("<f4").tobytes()


def _unpacked(data: bytes | None) -> Vector | None:
    return None if data is None else np.frombuffer(data, dtype="<f4").astype(np.float32)
