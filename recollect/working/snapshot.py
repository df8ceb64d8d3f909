"""Between a mind and its row: what is saved, and what comes back after an absence (Engram §17.5.5).

Up to four hours all of it, as it was; up to a day weaker, the more so the longer it was; then nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from recollect.clock import SECOND_US
from recollect.config.window import WorkingSettings
from recollect.model.working import Restored, SlotSource
from recollect.store.minds import MindRow, SlotRow
from recollect.working.likeness import Vector
from recollect.working.mind import Mind
from recollect.working.momentum import Motion
from recollect.working.slots import HeldSlot

_HOUR_US, _MINUTE_US = 3600 * SECOND_US, 60 * SECOND_US


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
