"""A browser for each module of tests, one example store for all of them; each test gets a copy, or a store of its own.

A browser ends with its module: while it lives, its driver keeps an event loop running in this thread, and no other test
there could begin one.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from interfaces.rest_server import listening
from page.browsing import DESKTOP, Visitor, chromium

from recollect.interfaces.cli import example_store


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example store of `recollect demo --ui`."""
    path = tmp_path_factory.mktemp("example") / "example.db"
    example_store.fill(path)
    return path


@pytest.fixture
def served(filled: Path, tmp_path: Path) -> Iterator[str]:
    """A server over a copy of the example store; its address."""
    for each in filled.parent.iterdir():
        if each.is_file():
            shutil.copy(each, tmp_path / each.name)
    with listening(tmp_path / filled.name, embedder="static") as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def visit(browser: Any, served: str) -> Iterator[Callable[..., Visitor]]:
    """Somebody who comes to the page; leaves when the test ends."""
    with ExitStack() as leaving:

        def come(size: dict[str, int] = DESKTOP, address: str = served, **more: Any) -> Visitor:
            visitor = Visitor(browser, address, size, **more)
            leaving.callback(visitor.close)
            return visitor

        yield come
