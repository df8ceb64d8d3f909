"""Directions of questions."""

from __future__ import annotations

import numpy as np
import pytest

from recollect.recall.sources.vector import blended


def test_directions_blend_to_unit_length() -> None:
    mixed = blended(np.array([1.0, 0.0], np.float32), np.array([0.0, 1.0], np.float32), 0.4)
    assert np.linalg.norm(mixed) == pytest.approx(1.0)
    assert mixed[0] / mixed[1] == pytest.approx(0.4 / 0.6)
    assert not blended(np.zeros(2, np.float32), np.zeros(2, np.float32), 0.4).any()
