"""An empty store of every kind of database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from databases import DATABASES

from recollect.config import Config
from recollect.store.base import Store
from recollect.store.open import open_store


@pytest.fixture(params=DATABASES)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    opened = open_store(DATABASES[request.param](tmp_path), key=None, config=Config())
    yield opened
    opened.close()
