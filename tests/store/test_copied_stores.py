"""Stores that tests copy from a migrated one (`new_stores`) are what the product would have made."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import apsw
import pytest
from new_stores import Template

import recollect


def made(path: Path) -> list[Any]:
    """Everything in the file of a new store but the moments at which its schema steps ran."""
    recollect.open(path, embedder=None, background=False).close()
    with apsw.Connection(str(path)) as db:
        schema = db.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name").fetchall()
        tables = [name for kind, name, _, _ in schema if kind == "table" and name != "migration"]
        rows = {name: db.execute(f'SELECT * FROM "{name}"').fetchall() for name in tables}
        steps = db.execute("SELECT version, name FROM migration").fetchall()
        pragmas = {
            name: db.pragma(name) for name in ("application_id", "page_size", "auto_vacuum", "journal_mode", "encoding")
        }
    db.close()
    return [schema, rows, steps, pragmas, stat.S_IMODE(path.stat().st_mode)]


def test_a_copied_store_is_what_the_product_makes(
    tmp_path: Path, new_stores: Template, monkeypatch: pytest.MonkeyPatch
) -> None:
    new_stores.copied = False
    by_the_product = made(tmp_path / "a.db")
    new_stores.copied = True
    monkeypatch.setattr("recollect.store.sqlite.migrate.steps", lambda: pytest.fail("a store was migrated, not copied"))
    assert made(tmp_path / "b.db") == by_the_product
    recollect.open(":memory:", embedder=None, background=False).close()


def test_each_copied_store_gets_an_id_of_its_own(tmp_path: Path) -> None:
    ids = set()
    for place in (str(tmp_path / "a.db"), str(tmp_path / "b.db"), ":memory:"):
        with recollect.open(place, embedder="fake") as memory:
            ids.add(memory._opened.store_id)
    assert len(ids) == 3
    assert sorted(os.listdir(tmp_path)) == ["a.db", "b.db"]
