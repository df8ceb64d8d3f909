"""Schema steps: once each, whole or not at all, however many processes come at once."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import apsw
import pytest
from properties.tables import assert_indexes_agree, assert_sound, looking_at, open_quick

import recollect
from faults.processes import heard, started, told
from recollect.errors import MigrationFailed, StoreNewer
from recollect.store.sqlite.migrate import migrate, steps

pytestmark = pytest.mark.creates_stores
NEWEST = steps()[-1][0]
# Takes a while and fails if it is done twice.
SLOW_STEP = (
    "CREATE TABLE later AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000) "
    "SELECT i FROM n; CREATE TABLE once (x)"
)


def at_once(script: str, path: Path, arguments: list[str]) -> list[Any]:
    """What each process answers when all are let go together."""
    with ExitStack() as stack:
        processes = [stack.enter_context(started(script, path, argument)) for argument in arguments]
        for process in processes:
            assert heard(process) == "ready"
        for process in processes:
            told(process, "go")
        return [heard(process) for process in processes]


def applied(path: Path) -> list[int]:
    with looking_at(path) as db:
        return [row[0] for row in db.execute("SELECT version FROM migration ORDER BY version")]


def dump(path: Path) -> list[Any]:
    with looking_at(path) as db:
        schema = db.execute("SELECT type, name, sql FROM sqlite_schema ORDER BY name").fetchall()
        return [schema, db.execute("SELECT * FROM migration").fetchall(), db.execute("SELECT * FROM record").fetchall()]


@pytest.mark.parametrize("count", [2, 5])
def test_processes_that_create_a_store_at_once(tmp_path: Path, count: int) -> None:
    path = tmp_path / "new" / "m.db"
    answers = at_once("open_and_add.py", path, [f"process{number}" for number in range(count)])
    ids = [record_id for answer in answers for record_id in answer]
    assert len(set(ids)) == 3 * count
    assert applied(path) == list(range(1, NEWEST + 1))
    with open_quick(path) as memory:
        assert {record.id for record in memory.get_all()} == set(ids)
        assert_indexes_agree(memory)
        assert len({space["name"] for space in memory.stats()["spaces"]}) == 1
    assert_sound(path)


def test_two_processes_apply_a_step_once(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    recollect.open(path, embedder="fake").close()
    assert at_once("migrate_now.py", path, [SLOW_STEP, SLOW_STEP]) == [NEWEST + 1, NEWEST + 1]
    assert applied(path) == list(range(1, NEWEST + 2))
    with looking_at(path) as db:
        assert db.execute("SELECT count(*) FROM later").get == 200_000


@pytest.mark.parametrize(
    "broken",
    [
        "CREATE TABLE half (x); INSERT INTO no_such_table VALUES (1)",
        "CREATE TABLE half (x NOT NULL); INSERT INTO half VALUES (NULL)",
        "DROP TABLE meta; ALTER TABLE record RENAME COLUMN content TO text; SELECT no_such_function()",
        "CREATE TABLE half (x) STRICT; nonsense",
    ],
    ids=["missing table", "constraint", "after destruction", "syntax"],
)
def test_a_failing_step_leaves_the_file_as_it_was(tmp_path: Path, broken: str) -> None:
    path = tmp_path / "m.db"
    with open_quick(path) as memory:
        memory.add("safe")
    before = dump(path)
    db = apsw.Connection(str(path))
    with pytest.raises(MigrationFailed, match="rolled back") as caught:
        migrate(db, str(path), [*steps(), (NEWEST + 1, "fine", "CREATE TABLE fine (x)"), (NEWEST + 2, "bad", broken)])
    assert caught.value.code == "E1004"
    assert not db.in_transaction
    db.close()
    assert dump(path) == before
    with open_quick(path) as memory:
        assert [record.content for record in memory.get_all()] == ["safe"]


def test_a_newer_file_is_refused_and_untouched(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with open_quick(path) as memory:
        memory.add("from the future")
    with looking_at(path) as db:
        db.execute("INSERT INTO migration VALUES (?, 'future', 0)", (NEWEST + 1,))
    before = path.read_bytes()
    for _ in range(2):
        with pytest.raises(StoreNewer, match="upgrade") as caught:
            recollect.open(path, embedder="fake")
        assert caught.value.code == "E1006"
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["m.db"]


def test_a_step_waits_for_a_store_in_use(tmp_path: Path) -> None:
    """A process with an older program goes on reading while a newer one migrates; nothing is lost."""
    path = tmp_path / "m.db"
    with open_quick(path) as memory:
        memory.add("before")
        assert at_once("migrate_now.py", path, ["CREATE TABLE later (x)"]) == [NEWEST + 1]
        memory.add("after")
        assert len(memory.get_all()) == 2
    assert applied(path)[-1] == NEWEST + 1


def test_steps_are_numbered_without_gaps() -> None:
    assert [number for number, _, _ in steps()] == list(range(1, NEWEST + 1))
