"""A store in a container, and a hidden one that nobody can prove: what the experiment does, and where it ends."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from security.vaults import MARKER, contents, files_with

from recollect.errors import DiskFull, StoreBusy, StoreDamaged, StoreError, StoreLocked, UsageError
from recollect.interfaces.volumes import create_volume, hide_in, open_volume
from recollect.memory import Memory
from recollect.security import passphrase
from recollect.security.passphrase import Cost
from recollect.security.volume import SALT_BYTES, SIZE_MIN, SLOT_BYTES, Container, _sides

pytestmark = pytest.mark.creates_stores
ON = {"security.hidden_volume": True, "upkeep.scheduled": False}
OUTER, HIDDEN = "correct horse", "battery staple"
QUICK = Cost(memory_kib=8 * 1024, iterations=1, lanes=1)


@pytest.fixture(autouse=True)
def quick_guesses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passphrase, "COST", QUICK)


@pytest.fixture
def box(tmp_path: Path) -> Path:
    path = tmp_path / "box"
    create_volume(path, OUTER, size=SIZE_MIN, hidden=HIDDEN, config=ON)
    return path


def opened(path: Path, phrase: str, **options: Any) -> Memory:
    return open_volume(path, phrase, config=ON, **{"embedder": "fake", **options})


def remember(path: Path, phrase: str, text: str, **options: Any) -> None:
    with opened(path, phrase, **options) as memory:
        memory.add(text)


def test_two_passphrases_open_two_stores_in_one_file(box: Path) -> None:
    remember(box, OUTER, "the shopping list")
    remember(box, HIDDEN, f"the {MARKER} is in the cellar")
    remember(box, OUTER, "more shopping", protect=HIDDEN)
    with opened(box, OUTER) as memory:
        assert contents(memory) == {"the shopping list", "more shopping"}
    with opened(box, HIDDEN) as memory:
        assert contents(memory) == {f"the {MARKER} is in the cellar"}
        assert [hit.content for hit in memory.search("what is in the cellar?")]
        assert [entry.event for entry in memory.audit(event="hidden_volume_accessed")]
    assert files_with(box.parent) == []
    assert [each.name for each in box.parent.iterdir()] == ["box"]
    assert box.stat().st_size == SIZE_MIN
    assert box.stat().st_mode & 0o777 == 0o600


def test_it_is_an_experiment_behind_a_switch(tmp_path: Path, box: Path) -> None:
    with pytest.raises(UsageError, match="hidden_volume"):
        create_volume(tmp_path / "other", OUTER)
    with pytest.raises(UsageError, match="hidden_volume"):
        open_volume(box, OUTER)
    assert not (tmp_path / "other").exists()


def test_a_wrong_passphrase_changes_nothing(box: Path) -> None:
    before = box.read_bytes()
    for wrong in ("a guess", OUTER.upper(), HIDDEN + " "):
        with pytest.raises(StoreLocked) as caught:
            opened(box, wrong)
        assert caught.value.code == "E1001"
    with pytest.raises(StoreLocked):
        opened(box, OUTER, protect="a guess")
    with pytest.raises(StoreLocked):
        opened(box, HIDDEN, protect=OUTER)
    for bad in ("", "x" * 5_000, 7):
        with pytest.raises(UsageError):
            opened(box, bad)  # type: ignore[arg-type]
    assert box.read_bytes() == before
    opened(box, OUTER).close()


def test_bad_containers_are_told(tmp_path: Path, box: Path) -> None:
    for wrong in (
        lambda: create_volume(box, OUTER, config=ON),
        lambda: create_volume(tmp_path / "small", OUTER, size=1 << 20, config=ON),
        lambda: create_volume(tmp_path / "same", OUTER, size=SIZE_MIN, hidden=OUTER, config=ON),
    ):
        with pytest.raises(UsageError):
            wrong()
    assert [each.name for each in tmp_path.iterdir()] == ["box"]
    with pytest.raises(StoreError):
        opened(tmp_path / "nowhere", OUTER)
    (tmp_path / "short").write_bytes(b"x" * 1000)
    with pytest.raises(StoreDamaged):
        opened(tmp_path / "short", OUTER)


def test_a_container_is_open_once(box: Path) -> None:
    memory = opened(box, OUTER)
    with pytest.raises(StoreBusy) as caught:
        opened(box, HIDDEN)
    assert caught.value.retryable
    memory.close()
    opened(box, HIDDEN).close()


# --- growing --------------------------------------------------------------------------------------------------------


def fill(memory: Memory) -> int:
    """Store until there is no more room; how many records that took. Most of it is filled by other means."""
    store = memory._opened.store
    for added in range(2_000):
        try:
            memory.add(f"number {added}", infer=False)
            for part in range(3):
                name = f"padding {added} {part}"
                store.write(lambda tx, name=name: tx.meta.note(name, "-" * 60_000))  # type: ignore[misc]
        except DiskFull:
            return added
    raise AssertionError("it never filled up")


def test_an_outer_store_that_protects_stops_before_the_hidden_one(box: Path) -> None:
    remember(box, HIDDEN, "the hidden one")
    with opened(box, OUTER, protect=HIDDEN) as memory:
        assert fill(memory) > 1
        kept = len(contents(memory))
    with opened(box, OUTER) as memory:
        assert len(contents(memory)) == kept, "what was acknowledged is there"
    with opened(box, HIDDEN) as memory:
        assert contents(memory) == {"the hidden one"}


def test_an_outer_store_alone_grows_over_the_hidden_one(box: Path) -> None:
    """The price of not knowing: said in the documentation, and seen as damage or nothing at all."""
    remember(box, HIDDEN, "the hidden one")
    with opened(box, OUTER) as memory:
        fill(memory)
    with pytest.raises((StoreLocked, StoreDamaged)):
        opened(box, HIDDEN)
    opened(box, OUTER).close()


def test_a_hidden_store_fills_its_own_place_and_no_other(box: Path) -> None:
    remember(box, OUTER, "the outer one")
    with opened(box, HIDDEN) as memory:
        assert fill(memory) > 1
        kept = len(contents(memory))
    with opened(box, OUTER) as memory:
        assert contents(memory) == {"the outer one"}
    with opened(box, HIDDEN) as memory:
        assert len(contents(memory)) == kept


def test_a_hidden_store_is_refused_where_the_outer_one_is(tmp_path: Path) -> None:
    path = tmp_path / "box"
    create_volume(path, OUTER, size=SIZE_MIN, config=ON)
    with opened(path, OUTER) as memory:
        fill(memory)
    before = path.read_bytes()
    with pytest.raises(DiskFull):
        hide_in(path, OUTER, HIDDEN, config=ON)
    with pytest.raises(StoreLocked):
        hide_in(path, "a guess", HIDDEN, config=ON)
    assert path.read_bytes() == before


# --- what can be told from outside ----------------------------------------------------------------------------------


def counted(data: bytes) -> Any:
    return np.bincount(np.frombuffer(data, np.uint8), minlength=256)


def chi_square(data: bytes) -> float:
    expected = len(data) / 256
    return float(((counted(data) - expected) ** 2 / expected).sum())


def entropy(data: bytes) -> float:
    shares = counted(data) / len(data)
    return float(-(shares * np.log2(shares)).sum())


def slots(path: Path) -> list[bytes]:
    whole = path.read_bytes()
    return [whole[at : at + SLOT_BYTES] for at in range(SALT_BYTES, len(whole) - SLOT_BYTES + 1, SLOT_BYTES)]


def test_with_and_without_a_hidden_store_a_container_looks_the_same(tmp_path: Path) -> None:
    """Bytes, pairs of bytes, and slots by themselves: chi-square with 255 degrees of freedom stays below 400 for chance
    (p < 1e-8), and the slots that hold something are among the others."""
    for name, hidden in (("plain", None), ("hiding", HIDDEN)):
        path = tmp_path / name
        create_volume(path, OUTER, size=SIZE_MIN, hidden=hidden, config=ON)
        remember(path, OUTER, "the shopping list " * 20)
        if hidden:
            remember(path, hidden, "the same text again and again " * 20)
        whole = path.read_bytes()
        assert entropy(whole) > 7.9999
        assert chi_square(whole) < 400
        even = np.frombuffer(whole, np.uint8)[: len(whole) // 2 * 2]
        assert chi_square((even[::2] ^ even[1::2]).tobytes()) < 400
        assert max(map(chi_square, slots(path))) < 400
        assert len(set(slots(path))) == len(slots(path))
    used = hidden_slots(tmp_path / "hiding")
    by_slot = [chi_square(slot) for slot in slots(tmp_path / "hiding")]
    in_use = [by_slot[number] for number in used]
    free = [value for number, value in enumerate(by_slot) if number not in used]
    assert abs(sum(in_use) / len(in_use) - sum(free) / len(free)) < 5 * 22.6 * math.sqrt(
        1 / len(in_use) + 1 / len(free)
    )


def hidden_slots(path: Path) -> set[int]:
    side = _sides(path.read_bytes(), HIDDEN)[1]
    return set(range(side.first, side.first + 8))


def test_the_place_of_a_hidden_store_depends_on_its_key(tmp_path: Path) -> None:
    firsts = set()
    whole = os.urandom(SIZE_MIN)
    for number in range(12):
        outer, hidden = _sides(whole, f"phrase {number}")
        assert outer.first == 0
        assert len(slots_in(whole)) // 2 <= hidden.first < len(slots_in(whole)) * 3 // 4
        firsts.add(hidden.first)
    assert len(firsts) > 4


def slots_in(whole: bytes) -> range:
    return range((len(whole) - SALT_BYTES) // SLOT_BYTES)


def test_two_looks_at_a_container_tell_that_something_changed_in_its_rest(box: Path) -> None:
    """What it does not protect from: whoever copies the file twice sees which slots were written."""
    before = slots(box)
    remember(box, HIDDEN, "a change")
    changed = {number for number, slot in enumerate(slots(box)) if slot != before[number]}
    side = _sides(box.read_bytes(), HIDDEN)[1]
    assert changed
    assert min(changed) == side.first


@pytest.mark.parametrize("place", ["first", "last"])
def test_a_changed_byte_is_damage_and_never_another_store(box: Path, place: str) -> None:
    remember(box, OUTER, "the outer one")
    whole = bytearray(box.read_bytes())
    at = SALT_BYTES + (100 if place == "first" else 5 * SLOT_BYTES + 100)
    whole[at] ^= 1
    box.write_bytes(whole)
    with pytest.raises((StoreLocked, StoreDamaged)):
        opened(box, OUTER)


def test_a_slot_of_an_older_writing_does_not_fit(box: Path) -> None:
    remember(box, OUTER, "the first")
    old = slots(box)[3]
    remember(box, OUTER, "the second")
    whole = bytearray(box.read_bytes())
    at = SALT_BYTES + 3 * SLOT_BYTES
    whole[at : at + SLOT_BYTES] = old
    box.write_bytes(whole)
    with pytest.raises(StoreDamaged):
        opened(box, OUTER)


# --- ends that nobody wished for ------------------------------------------------------------------------------------

CHILD = """
import os, signal, sys
from recollect.interfaces.volumes import open_volume
from recollect.security import passphrase, volume
from recollect.security.passphrase import Cost
passphrase.COST = Cost(memory_kib=8192, iterations=1, lanes=1)
path, phrase, when = sys.argv[1:]
die = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
memory = open_volume(path, phrase, embedder=None, config={"security.hidden_volume": True})
memory.add("written by the killed one")
if when == "open":
    die()
real = os.replace
if when == "copied":
    volume.os.replace = die
else:
    volume.os.replace = lambda *given: (real(*given), die())
memory.close()
"""


@pytest.mark.parametrize("phrase", [OUTER, HIDDEN])
@pytest.mark.parametrize(("when", "there"), [("open", False), ("copied", False), ("replaced", True)])
def test_a_process_that_is_killed_leaves_the_old_container_or_the_new(
    box: Path, phrase: str, when: str, there: bool
) -> None:
    remember(box, OUTER, "the outer one")
    remember(box, HIDDEN, "the hidden one")
    done = subprocess.run([sys.executable, "-c", CHILD, str(box), phrase, when], check=False, timeout=120)
    assert done.returncode == -signal.SIGKILL
    for each, own in ((OUTER, "the outer one"), (HIDDEN, "the hidden one")):
        with opened(box, each) as memory:
            extra = {"written by the killed one"} if there and each == phrase else set()
            assert contents(memory) == {own} | extra
    assert sorted(each.name for each in box.parent.iterdir()) == ["box"], "what the killed one left is gone"


def test_a_disk_that_is_full_when_a_container_is_closed_is_told(box: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remember(box, OUTER, "the first")
    before = box.read_bytes()
    memory = opened(box, OUTER)
    memory.add("the second")

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DiskFull, match="as it was"):
        memory.close()
    monkeypatch.undo()
    monkeypatch.setattr(passphrase, "COST", QUICK)
    assert box.read_bytes() == before
    assert [each.name for each in box.parent.iterdir()] == ["box"]
    assert contents(opened(box, OUTER)) == {"the first"}


def test_nothing_but_the_container_is_written_while_it_is_open(box: Path, tmp_path: Path) -> None:
    with opened(box, HIDDEN) as memory:
        for number in range(30):
            memory.add(f"the {MARKER} number {number} flew over the lake")
        memory.search(MARKER)
        assert [each.name for each in tmp_path.iterdir()] == ["box"]
        assert memory._opened.store.encrypted
        assert files_with(tmp_path) == []
    assert files_with(tmp_path) == []


def test_a_container_is_no_key_of_a_file(box: Path, tmp_path: Path) -> None:
    import recollect

    with pytest.raises(UsageError, match="in memory"):
        recollect.open(tmp_path / "m.db", key=Container(box).unlock(OUTER))  # type: ignore[arg-type]


def test_what_is_sealed_by_field_opens_again_with_the_passphrase(box: Path) -> None:
    """Keys for single uses come from the passphrase, too, and not from the process."""
    sealing = {**ON, "security.personal": "tier"}
    with open_volume(box, HIDDEN, config=sealing, embedder="fake") as memory:
        id_ = memory.add("my card is 4111 1111 1111 1111").id
    with open_volume(box, HIDDEN, config=sealing, embedder="fake") as memory:
        assert "4111 1111 1111 1111" in memory.reveal(id_).content
        assert memory.audit_verify().ok
