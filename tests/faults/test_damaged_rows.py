"""Sectors of the file hold something else than was written: garbage, zeros, what belongs elsewhere, single bits.

SQLite notices much of it, and not all: a page may fit the others and say what nobody wrote. Whatever a verb meets, it
answers or raises an error of ours; `doctor` tells of the damage, and mends nothing out of damaged rows.
"""

from __future__ import annotations

import io
import os
import random
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from properties.tables import looking_at, open_quick

from recollect.errors import RecollectError, StoreDamaged
from recollect.memory import Memory

SECTOR = 512
FILES = int(os.environ.get("RECOLLECT_FILES", "400"))
CONFIG = {"upkeep.scheduled": False}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A small store with a little of everything."""
    path = tmp_path_factory.mktemp("sound") / "m.db"
    with open_quick(path, config=CONFIG) as memory:
        ids = memory.add(
            [f"fact number {number} about tea and Rome" for number in range(60)],
            user_id="ana",
            metadata={"room": 1},
            tags=["home"],
        ).ids
        for one, other in pairwise(ids[:21]):
            memory.relate(one, other, "supports")
        for id_ in ids[:10]:
            memory.update(id_, content=f"changed {id_}")
        turns = [{"role": "user", "content": f"I moved the piano to room {number}"} for number in range(10)]
        memory.add(turns, session_id="talk", user_id="ana")
        memory.correct(ids[30], "fact number 30 was about coffee")
        memory.settle()
    return path.read_bytes()


def damaged(data: bytes, chance: random.Random) -> bytes:
    """The same with some sectors spoilt; never the first, which says what the file is."""
    found, sectors = bytearray(data), len(data) // SECTOR
    for _ in range(chance.choice((1, 1, 3, 8))):
        at = chance.randrange(1, sectors) * SECTOR
        other = chance.randrange(1, sectors) * SECTOR
        found[at : at + SECTOR] = chance.choice(
            (
                chance.randbytes(SECTOR),
                data[other : other + SECTOR],
                bytes(SECTOR),
                bytes(
                    byte ^ (1 << chance.randrange(8) if chance.random() < 0.01 else 0) for byte in data[at:][:SECTOR]
                ),
            )
        )
    return bytes(found)


def everything(memory: Memory) -> list[Callable[[], Any]]:
    """Calls of many sorts; the ids are of records that may be anywhere in the file."""
    some = [record.id for record in memory.get_all(reach="all", limit=1_000)][::9]
    return [
        lambda: memory.search("tea", user_id="ana"),
        lambda: memory.context("where is the piano?", user_id="ana"),
        *(lambda id_=id_: (memory.get(id_), memory.history(id_), memory.related(id_)) for id_ in some),
        lambda: memory.add("more", user_id="ana"),
        lambda: memory.correct(some[0], "new"),
        lambda: memory.delete(some[-1]),
        memory.stats,
        memory.health,
        lambda: memory.export(io.BytesIO()),
        lambda: memory.doctor(fix=True),
        lambda: memory.erase_user("ana"),
    ]


def used(path: Path) -> int:
    """How many calls of a life with a damaged store were answered with an error of ours; any other error goes on."""
    refused = 0
    try:
        with open_quick(path, config=CONFIG) as memory:
            for call in everything(memory):
                try:
                    call()
                except RecollectError:
                    refused += 1
    except RecollectError:
        refused += 1
    return refused


def spoilt(sound: bytes, tmp_path: Path, seeds: range) -> int:
    refused = 0
    for seed in seeds:
        path = tmp_path / f"{seed}.db"
        path.write_bytes(damaged(sound, random.Random(seed)))
        try:
            refused += used(path)
        except Exception as error:
            error.add_note(f"seed {seed}")
            raise
        for each in tmp_path.glob(f"{seed}.db*"):
            each.unlink() if each.is_file() else None
    return refused


def test_damaged_sectors_end_in_errors_of_ours(sound: bytes, tmp_path: Path) -> None:
    assert spoilt(sound, tmp_path, range(12)) > 3


@pytest.mark.slow
@pytest.mark.timeout(0)
def test_any_damaged_sectors_end_in_errors_of_ours(sound: bytes, tmp_path: Path) -> None:
    """`RECOLLECT_FILES` files."""
    refused = spoilt(sound, tmp_path, range(1_000, 1_000 + FILES))
    print(f"{FILES} files with damaged sectors, {refused} calls refused, 0 errors that are not ours")


@pytest.mark.parametrize(
    "strange",
    [
        "UPDATE record SET tags = '[not json' WHERE content LIKE '%number 47%'",
        "UPDATE record SET content = CAST(x'ff00' AS TEXT) WHERE content LIKE '%number 47%'",
        "UPDATE record SET kind = 'nobody' WHERE content LIKE '%number 47%'",
    ],
)
def test_rows_that_nobody_wrote_are_damage_that_health_and_doctor_tell(
    sound: bytes, tmp_path: Path, strange: str
) -> None:
    path = tmp_path / "m.db"
    path.write_bytes(sound)
    with open_quick(path, config=CONFIG) as memory:
        assert all(finding.ok for finding in memory.doctor() if finding.check != "disk")
    with looking_at(path) as db:
        db.execute("PRAGMA ignore_check_constraints = ON")
        db.execute(strange)
    with open_quick(path, config=CONFIG) as memory:
        with pytest.raises(StoreDamaged, match="restore"):
            memory.get_all(reach="all", limit=1_000)
        (lost,) = [each for each in memory.health()["degraded"] if each["part"] == "rows"]
        assert "restore" in lost["cure"]
        found = {finding.check: finding for finding in memory.doctor(fix=True)}
        assert found["integrity"].code == "D02"
        assert not any(finding.fixed for finding in found.values())


def test_health_answers_while_records_cannot_be_read(sound: bytes, tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    path.write_bytes(sound)
    with looking_at(path) as db:
        pages = db.execute("SELECT pageno FROM dbstat WHERE name = 'record' AND pagetype = 'leaf'").fetchall()
    with path.open("r+b") as file:
        file.seek((pages[len(pages) // 2][0] - 1) * 8192)
        file.write(random.Random(1).randbytes(8192))
    with open_quick(path, config=CONFIG) as memory:
        with pytest.raises(StoreDamaged):
            memory.get_all(reach="all")
        assert "rows" in {each["part"] for each in memory.health()["degraded"]}
        assert "restore" in " ".join(memory.health().warnings)


def test_an_odd_error_over_sound_rows_stays_what_it_is(tmp_path: Path) -> None:
    with open_quick(tmp_path / "m.db", config=CONFIG) as memory:
        memory.add("The kettle is red", infer=False)
        with pytest.raises(KeyError, match="mine"), memory._engine.store.read():
            raise KeyError("mine")
        with pytest.raises(KeyError, match="mine"):
            memory._engine.store.write(lambda tx: {}["mine"])
        assert memory.health()["degraded"] == []
        assert memory.add("The kettle is blue", infer=False).ids
