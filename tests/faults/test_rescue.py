"""A damaged store made anew from what can still be read: sound, nothing invented, and nobody's become another's."""

from __future__ import annotations

import os
import random
from pathlib import Path

import apsw
import pytest
from properties.tables import assert_sound, looking_at, open_quick

import recollect
from faults.test_damaged_rows import CONFIG, SECTOR, damaged, sound
from recollect.errors import NotFound, StoreBusy, StoreDamaged, UsageError

__all__ = ["sound"]

FILES = int(os.environ.get("RECOLLECT_FILES", "400"))
KEY = bytes(range(32))
Said = dict[str, tuple[str, str | None]]


def said(path: Path, key: bytes | None = None) -> Said:
    """By id: the text of each record that lives, and whose it is."""
    with open_quick(path, key=key, config=CONFIG, background=False) as memory:
        found = memory.get_all(reach="all", limit=1_000)
        return {record.id: (record.content, record.scope.user_id) for record in found}


def judged(before: Said, path: Path) -> int:
    """What has to be true of a rescued store; how much of what there was is there."""
    after = said(path)
    for id_, (text, user) in after.items():
        assert id_ in before, "nobody ever stored that"
        assert text == before[id_][0]
        assert user == before[id_][1] or str(user).startswith("rescued-")
    with open_quick(path, config=CONFIG) as memory:
        memory.settle()
        assert [each for each in memory.doctor() if not each.ok and each.check not in ("disk", "vectors")] == []
        id_ = memory.add("said after the rescue", user_id="ana", infer=False).id
        assert id_ not in before
        assert memory.search("what was said after the rescue?", user_id="ana")[0].id == id_
    assert_sound(path)
    return len(after)


def rescued(data: bytes, before: Said, folder: Path, seeds: range) -> tuple[int, int]:
    """How many of so many damaged files could be rescued, and how much was lost that the report does not tell."""
    done = 0
    for seed in seeds:
        path = folder / f"{seed}.db"
        path.write_bytes(damaged(data, random.Random(seed)))
        try:
            report = recollect.rescue(path)
        except StoreDamaged:
            continue
        done += 1
        try:
            kept = judged(before, path)
        except BaseException as error:
            error.add_note(f"seed {seed}: {report}")
            raise
        missing = len(before) - kept
        assert missing == 0 or report.lost, f"seed {seed}: {missing} are missing, and nobody says so"
    return done, len(seeds)


def test_what_can_be_read_of_damaged_files_is_rescued(sound: bytes, tmp_path: Path) -> None:
    whole = tmp_path / "whole.db"
    whole.write_bytes(sound)
    done, tried = rescued(sound, said(whole), tmp_path, range(20, 32))
    assert done > tried - 3


@pytest.mark.slow
@pytest.mark.timeout(0)
def test_what_can_be_read_of_any_damaged_file_is_rescued(sound: bytes, tmp_path: Path) -> None:
    """`RECOLLECT_FILES` files."""
    whole = tmp_path / "whole.db"
    whole.write_bytes(sound)
    done, tried = rescued(sound, said(whole), tmp_path, range(2_000, 2_000 + FILES))
    print(f"{tried} files with damaged sectors, {done} rescued, 0 records that were not there or became another's")


def spoil(path: Path, page: int) -> None:
    size = 8192
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(random.Random(1).randbytes(size))


def test_a_damaged_index_costs_no_row(sound: bytes, tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    path.write_bytes(sound)
    before = said(path)
    with looking_at(path) as db:
        of = "SELECT rootpage FROM sqlite_schema WHERE type = 'index' AND tbl_name IN ('record', 'scope')"
        roots = [row[0] for row in db.execute(of)]
    assert len(roots) > 4
    for root in roots:
        spoil(path, root)
    report = recollect.rescue(path)
    assert report.lost == {}
    assert report.kept["record"] >= len(before)
    assert report.set_aside is not None
    assert Path(report.set_aside).exists()
    assert judged(before, path) == len(before)


def test_what_was_somebodys_is_nobody_elses(sound: bytes, tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    path.write_bytes(sound)
    before = said(path)
    with looking_at(path) as db:
        db.execute("UPDATE scope SET user_id = NULL WHERE user_id = 'ana'")  # its key still says whose it was
    assert recollect.rescue(path).lost == {"scope": 1}
    with open_quick(path, config=CONFIG) as memory:
        assert len(memory.search("tea", user_id="ana").hits) == len(memory.search("tea", user_id="ben").hits) == 0
        assert len(memory.get_all(reach="all", limit=1_000).records) == len(before)


def test_an_earlier_version_does_not_come_back_for_its_record(sound: bytes, tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    path.write_bytes(sound)
    with looking_at(path) as db:
        changed = [row[0] for row in db.execute("SELECT pk FROM record WHERE content LIKE 'changed %'")]
        db.execute("PRAGMA ignore_check_constraints = ON")
        db.execute("UPDATE record SET kind = 'nobody' WHERE pk = ?", (changed[0],))
        earlier = db.execute("SELECT content FROM record WHERE head_pk = ?", (changed[0],)).get
    report = recollect.rescue(path)
    assert report.lost["record"] >= 1
    assert earlier not in {text for text, _ in said(path).values()}


def test_an_encrypted_store_stays_encrypted(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with open_quick(path, key=KEY, config=CONFIG) as memory:
        memory.add([f"the secret number {number} of the harbour" for number in range(200)], user_id="ana", infer=False)
    before = said(path, KEY)
    pages = path.stat().st_size // 8192
    with path.open("r+b") as file:  # every sector is signed: a bit is enough for a page to be lost
        file.seek(8192 * (pages // 2) + SECTOR)
        file.write(b"?")
    report = recollect.rescue(path, key=KEY)
    after = said(path, KEY)
    assert after.items() <= before.items()
    assert len(before) - len(after) <= report.lost.get("record", 0)
    assert b"harbour" not in path.read_bytes()


def test_it_only_tells_when_asked_to_and_leaves_others_alone(sound: bytes, tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    path.write_bytes(sound)
    told = recollect.rescue(path, dry_run=True)
    assert (told.did, told.lost, told.set_aside) == ("would rescue", {}, None)
    assert path.read_bytes()[100:] == sound[100:]
    assert [each.name for each in tmp_path.iterdir()] == ["m.db"]
    with open_quick(path, config=CONFIG), pytest.raises(StoreBusy):
        recollect.rescue(path)
    with pytest.raises(NotFound):
        recollect.rescue(tmp_path / "none.db")
    with pytest.raises(UsageError):
        recollect.rescue(":memory:")
    other = tmp_path / "other.db"
    db = apsw.Connection(str(other))
    db.execute("CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)")
    db.close()
    content = other.read_bytes()
    with pytest.raises(StoreDamaged, match="another program"):
        recollect.rescue(other)
    assert other.read_bytes() == content
