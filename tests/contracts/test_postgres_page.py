"""What docs/postgres.md tells operators to run, run: its SQL, and a backup that is restored."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import psycopg
import pytest
from postgres_server import bundled, server

import recollect

PAGE = Path(__file__).resolve().parents[2] / "docs" / "postgres.md"
_SQL = re.compile(r"^```sql\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_GIVEN = {"recollect_operator": "ROLE", "page_reader": "ROLE", "recollect_page": "DATABASE"}


def program(name: str) -> str:
    """A program of PostgreSQL, as old as the server: of the wheel, or the system's."""
    if os.environ.get("RECOLLECT_TEST_POSTGRES"):
        found = shutil.which(name)
        return found or pytest.skip(f"there is no {name}")
    return str(bundled().bin_path / name)


def test_the_statements_of_the_page_run() -> None:
    url = server().new()
    statements = [each.strip() for block in _SQL.findall(PAGE.read_text()) for each in block.split(";") if each.strip()]
    assert len(statements) >= 4
    with psycopg.connect(url, autocommit=True) as db:
        try:
            for statement in statements:
                own = statement.replace("recollect_reader", "page_reader")
                own = own.replace("ROLE recollect", "ROLE recollect_operator").replace(
                    "TO recollect", "TO recollect_operator"
                )
                own = own.replace(
                    "DATABASE recollect OWNER recollect", "DATABASE recollect_page OWNER recollect_operator"
                )
                db.execute(own)
        finally:
            for name, kind in reversed(_GIVEN.items()):
                db.execute(f"DROP {kind} IF EXISTS {name}")


def test_a_backup_is_restored_into_another_database(tmp_path: Path) -> None:
    url, other = server().new(), server().new(empty=True)
    with recollect.open(url, embedder="fake", background=False) as mem:
        kept = mem.add("Ana moved from vim to Helix", tags=["editor"], metadata={"related_files": ["a/b.py"]}).ids[0]
        mem.correct(kept, "Ana moved from Helix to Zed")
        before = mem.stats().to_dict()["records"]
    dump = str(tmp_path / "recollect.dump")
    subprocess.run([program("pg_dump"), "--format=custom", "--schema=recollect", f"--file={dump}", url], check=True)
    subprocess.run([program("pg_restore"), f"--dbname={other}", dump], check=True)
    with recollect.open(other, embedder="fake", background=False) as mem:
        assert mem.stats().to_dict()["records"] == before
        assert mem.search("Which editor does Ana use?").hits[0].content == "Ana moved from Helix to Zed"
        assert mem.add("Ana lives in Lisbon").ids
        mem.undo(mem.operations(limit=1)[0].id)
