"""The disk fails at any one call of a life: the store opens again, nothing acknowledged is lost, it says what it found.

`make test` takes a call here and there; the slow tests take each of them. How a life is judged: `scripted_life.py`.
"""

from __future__ import annotations

import gzip
import os
import random
import shutil
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from properties.tables import assert_sound, looking_at

import recollect
from faults.bad_disk import CHANGES, BadDisk, How, bad_disk
from faults.scripted_life import Life, bytes_left, lived
from faults.short_calls import short_calls
from recollect.errors import RecollectError, StoreDamaged
from recollect.memory import Memory
from recollect.wiring import open_memory

BEFORE = "written before the disk lied"
LEFT = {"as it was told", "as it was once", "damaged", "damaged, its backups erased"}  # of a store on a disk that lied
STRIDE = 131  # a prime: with every kind of failure it meets other calls
PART = os.environ.get("RECOLLECT_FAULT_PART", "0/1")  # of the slow tests, for several machines
CONFIG = {
    "upkeep.scheduled": False,
    "store.checkpoint_pages": 100,
}  # the log is folded several times in so short a life

UPGRADES = Path(__file__).parents[1] / "upgrade"


@pytest.fixture
def disk() -> Iterator[BadDisk]:
    with bad_disk() as made:
        yield made


def opened(path: Path, *, background: bool = False) -> Memory:
    return open_memory(path, embedder="fake", config=CONFIG, background=background)


def spoilt(disk: BadDisk, path: Path, at: int, how: How, kinds: tuple[str, ...], chance: random.Random) -> Life | None:
    """A life in which the disk fails at a call; None if the store could not even be opened. Nothing stays open."""
    disk.fail(at, how, kinds=kinds)
    try:
        memory = opened(path, background=at % 2 == 1)
    except RecollectError:
        assert disk.happened
        life = None
    else:
        try:
            life = lived(memory)
        finally:
            if how is not How.CUT:
                disk.heal()
            memory.close()
    if how is How.CUT:
        disk.after_the_cut(path.parent, chance)
    disk.heal()
    return life


def judged(path: Path, life: Life | None) -> None:
    """What has to hold, whatever happened: asked of a store that is opened anew on a sound disk."""
    with opened(path) as memory:
        survivor = Life(memory)
        if life is not None:
            found = survivor.holding()
            assert life.model.fits(found) == []
            gone = life.model.erased
            assert [text for text in gone if text in found] == []
        said = [finding for finding in memory.doctor() if not finding.ok and finding.check != "disk"]
        assert {finding.check for finding in said} <= {"erasures"}, said
        assert [finding for finding in memory.doctor(fix=True) if not finding.ok and finding.check != "disk"] == []
        assert memory.add("written after it").ids
        memory.settle()
    assert_sound(path)
    for text in life.model.erased if life is not None else ():
        assert bytes_left(path.parent, text) == []


def once(disk: BadDisk, template: Path, folder: Path, at: int, how: How, kinds: tuple[str, ...]) -> bool:
    """One life with its failure. Whether there was one: a life has only so many calls."""
    folder.mkdir()
    path = folder / "m.db"
    shutil.copy(template, path)
    life = spoilt(disk, path, at, how, kinds, random.Random(at))
    happened = list(disk.happened)
    try:
        judged(path, life)
    except BaseException as error:
        told = [f"{each.code}: {each}" for each in life.errors] if life else ["it did not open"]
        error.add_note(f"call {at}, {how.name}: {happened}; the life said {told}")
        raise
    shutil.rmtree(folder)
    return bool(happened)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated store with nothing in it, as every life begins."""
    path = tmp_path_factory.mktemp("template") / "m.db"
    opened(path).close()
    return path


WAYS = [
    (How.EIO, ("read", *CHANGES)),
    (How.EIO_STAYS, CHANGES),
    (How.TORN, ("write",)),
    (How.FULL, ("write",)),
    (How.CUT, CHANGES),
]


@pytest.mark.parametrize(("how", "kinds"), WAYS, ids=[how.name for how, _ in WAYS])
def test_a_disk_that_fails_at_some_calls_loses_nothing(
    disk: BadDisk, template: Path, tmp_path: Path, how: How, kinds: tuple[str, ...]
) -> None:
    met = 0
    for at in range(7, 1_500, STRIDE * 2):
        if not once(disk, template, tmp_path / str(at), at, how, kinds):
            break
        met += 1
    assert met > 1


def test_a_life_on_a_sound_disk_fails_at_nothing(disk: BadDisk, template: Path, tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    shutil.copy(template, path)
    with opened(path) as memory:
        life = lived(memory)
    assert life.errors == []
    assert life.done > 18
    assert life.model.erased
    judged(path, life)


@pytest.mark.parametrize("key", [None, bytes(range(32))], ids=["plain", "encrypted"])
def test_reads_and_writes_that_stop_halfway_are_gone_on_with(tmp_path: Path, template: Path, key: bytes | None) -> None:
    """A call may do less than was asked, or be interrupted: that is no failure, and nobody hears of it."""
    path = tmp_path / "m.db"
    if key is None:
        shutil.copy(template, path)
    with short_calls(5) as calls:
        with open_memory(path, key=key, embedder="fake", config=CONFIG) as memory:
            life = lived(memory)
        assert life.errors == []
        with open_memory(path, key=key, embedder="fake", config=CONFIG) as memory:
            assert life.model.fits(Life(memory).holding()) == []
            assert all(finding.ok for finding in memory.doctor() if finding.check != "disk")
    assert calls.short > 50
    assert calls.interrupted > 50


def test_a_disk_that_is_slow_delays_and_loses_nothing(disk: BadDisk, template: Path, tmp_path: Path) -> None:
    for at in range(11, 1_500, STRIDE * 4):
        assert once(disk, template, tmp_path / str(at), at, How.SLOW, CHANGES)


def test_an_opening_that_fails_says_so_and_leaves_nothing_open(disk: BadDisk, template: Path, tmp_path: Path) -> None:
    """Whichever call it was: the error is ours, and neither a descriptor nor a thread is left of the store."""
    path = tmp_path / "m.db"
    shutil.copy(template, path)
    opened(path).close()
    failed = 0
    for at in range(200):
        files, threads = set(os.listdir("/proc/self/fd")), threading.active_count()
        disk.fail(at, How.EIO_STAYS)
        try:
            memory = opened(path)
        except RecollectError:
            failed += 1
            assert threading.active_count() == threads, f"call {at}: {disk.happened}"
            assert set(os.listdir("/proc/self/fd")) == files, f"call {at}: {disk.happened}"
            disk.heal()
            continue
        disk.heal()
        memory.close()
        if not disk.happened:
            break
    assert failed > 10
    judged(path, None)


@pytest.mark.parametrize("kept", ["format-04", "format-11"])
@pytest.mark.parametrize("how", [How.EIO, How.FULL, How.CUT], ids=lambda how: how.name)
def test_an_upgrade_on_a_disk_that_fails_is_made_whole_or_not_at_all(
    disk: BadDisk, tmp_path: Path, kept: str, how: How
) -> None:
    content = gzip.decompress((UPGRADES / f"{kept}.db.gz").read_bytes())
    met = 0
    for at in range(3, 4_000, 37):
        path = tmp_path / str(at) / "m.db"
        path.parent.mkdir()
        path.write_bytes(content)
        before = lines(path)
        disk.fail(at, how, kinds=CHANGES)
        try:
            opened(path).close()
        except RecollectError:
            met += 1
        if not disk.happened:
            break
        if how is How.CUT:
            disk.after_the_cut(path.parent, random.Random(at))
        disk.heal()
        with opened(path) as memory:
            assert [finding for finding in memory.doctor() if not finding.ok and finding.check != "disk"] == []
        assert lines(path) == before
        assert_sound(path)
    assert met


def lines(path: Path) -> Counter[str]:
    """What the rows of records say, of every version of each."""
    with looking_at(path) as db:
        return Counter(row[0] for row in db.execute("SELECT content FROM record"))


def test_reads_go_on_while_a_write_waits_for_the_disk(disk: BadDisk, template: Path, tmp_path: Path) -> None:
    """A sync that takes half a second keeps its caller waiting, and nobody who reads."""
    path = tmp_path / "m.db"
    shutil.copy(template, path)
    with opened(path) as memory:
        memory.add("The kettle is red", infer=False)
        memory.settle()
        with ThreadPoolExecutor(1) as pool:
            with disk.held("sync") as begun:
                written = pool.submit(memory.add, "The kettle is blue", infer=False)
                assert begun.wait(10)
                found = [hit.content for hit in memory.search("kettle").hits]
                assert found == ["The kettle is red"]
                assert not written.done()
            assert written.result(10).ids


def after_a_lie(disk: BadDisk, template: Path, folder: Path, at: int) -> str | None:
    """The power goes at a call, after syncs that were none; what became of the store. None: there was no such call.

    Nobody can promise to hold what a disk said it had and had not. But the store is one that it was at some time, or it
    says that it is damaged, and comes back from its backup, unless an erasure has just taken these away.
    """
    chance = random.Random(at)
    folder.mkdir()
    path = folder / "m.db"
    shutil.copy(template, path)
    with opened(path) as memory:
        memory.add(BEFORE, infer=False)
        backup = memory.backup()
    disk.fail(at, How.CUT, kinds=CHANGES)
    disk.lies_from = chance.randrange(max(0, at - 300), at + 1)
    life = Life(memory)
    try:
        memory = opened(path, background=at % 2 == 1)
    except RecollectError:
        assert disk.happened
    else:
        life = lived(memory)
        memory.close()
    cut = bool(disk.happened)
    disk.after_the_cut(folder, chance)
    disk.heal()
    became = what_is_left(path, life)
    if became == "damaged" and not os.path.exists(backup.path):
        became = "damaged, its backups erased"
    elif became == "damaged":
        restored = recollect.restore(path, backup.name)
        assert restored.did == "restored"
        with opened(path) as memory:
            assert [record.content for record in memory.get_all(reach="all")] == [BEFORE]
            assert [finding for finding in memory.doctor() if not finding.ok and finding.check != "disk"] == []
    shutil.rmtree(folder)
    return became if cut else None


def what_is_left(path: Path, life: Life) -> str:
    """Of a store on a disk that lied: everything, what it held once, or a damage that is told."""
    try:
        memory = opened(path)
    except StoreDamaged:
        return "damaged"
    with memory:
        if [finding for finding in memory.doctor(fix=True) if not finding.ok and finding.check != "disk"]:
            return "damaged"
        found = Life(memory).holding()
    if life.model.fits(found) == []:
        return "as it was told"
    return "as it was once" if life.was_once(found) else "neither"


def test_a_disk_that_lies_leaves_what_was_once_or_a_damage_that_is_told(
    disk: BadDisk, template: Path, tmp_path: Path
) -> None:
    became = Counter(after_a_lie(disk, template, tmp_path / str(at), at) for at in range(29, 1_500, STRIDE))
    assert became.keys() <= LEFT, became
    assert len(became) > 1


@pytest.mark.slow
@pytest.mark.timeout(7_200)
def test_a_disk_that_lies_at_any_call_leaves_what_was_once_or_a_damage_that_is_told(
    disk: BadDisk, template: Path, tmp_path: Path
) -> None:
    at, step = map(int, PART.split("/"))
    became, wrong = Counter[str](), list[str]()
    left: str | None = ""
    while left is not None:
        try:
            left = after_a_lie(disk, template, tmp_path / str(at), at)
            assert left is None or left in LEFT, left
            became[left or "as it was told"] += 1
        except Exception as error:
            wrong.append(f"LIES {at}: {type(error).__name__}: {error}"[:900])
            print(wrong[-1], flush=True)
        at += step
    told = ", ".join(f"{count} {left}" for left, count in sorted(became.items()))
    print(f"LIES: {became.total()} lives with a failure in each, {len(wrong)} went wrong: {told}")
    assert wrong == []


@pytest.mark.slow
@pytest.mark.timeout(7_200)
@pytest.mark.parametrize(("how", "kinds"), WAYS, ids=[how.name for how, _ in WAYS])
def test_a_disk_that_fails_at_any_call_loses_nothing(
    disk: BadDisk, template: Path, tmp_path: Path, how: How, kinds: tuple[str, ...]
) -> None:
    at, step = map(int, PART.split("/"))
    lives, wrong, failed = 0, list[str](), True
    while failed:
        try:
            failed = once(disk, template, tmp_path / str(at), at, how, kinds)
        except Exception as error:
            wrong.append("\n".join([f"{type(error).__name__}: {error}"[:900], *getattr(error, "__notes__", [])]))
            print(f"{how.name} {at}: {wrong[-1]}", flush=True)
        at, lives = at + step, lives + 1
    print(f"{how.name}: {lives - 1} lives with a failure in each, {len(wrong)} went wrong")
    assert wrong == []
