"""An empty store of every kind of database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from contracts.store_backends import BACKENDS, DATABASES

from recollect.store.base import Store


@pytest.fixture(params=DATABASES)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    bench = BACKENDS[request.param](tmp_path)
    yield bench.open()
    bench.close()
