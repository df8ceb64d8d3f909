"""A memory on disk whose clock is moved by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from properties.tables import open_quick
from ticking import Ticking

from recollect.memory import Memory


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def mem(tmp_path: Path, clock: Ticking) -> Iterator[Memory]:
    with open_quick(tmp_path / "m.db", clock=clock) as memory:
        yield memory
