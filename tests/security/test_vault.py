"""A store encrypted, decrypted and given another key while it is open, and opened again by whoever has the key."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import keyring.backends.fail
import keyring.backends.null
import pytest
from security.vaults import MARKER, contents, files_with, filled, keyring_in, using

import recollect
from recollect.errors import (
    AccessDenied,
    DiskFull,
    RecollectError,
    StoreBusy,
    StoreDamaged,
    StoreLocked,
    StoreNewer,
    UsageError,
)
from recollect.memory import Memory
from recollect.security import passphrase
from recollect.security.changing import change_lock
from recollect.security.header import header_path, read_header, write_header
from recollect.security.passphrase import Cost
from recollect.security.unlocked import held_unlocked, keep_unlocked, lock_again
from recollect.store.sqlite import store as sqlite_store

QUICK = Cost(memory_kib=8 * 1024, iterations=1, lanes=1)


@pytest.fixture(autouse=True)
def quick_guesses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sealing takes as long as it must; tests take the least that a header may ask for."""
    monkeypatch.setattr(passphrase, "COST", QUICK)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store" / "m.db"


def opened(path: Path, **options: Any) -> Memory:
    return recollect.open(path, **{"embedder": "fake", **options})


def test_a_plain_store_is_encrypted_while_it_is_open(path: Path, tmp_path: Path) -> None:
    with filled(path) as memory:
        before, handle = contents(memory), memory.scoped(user_id="ana")
        report = memory.vault.encrypt(keep=f"file:{tmp_path / 'key'}")
        assert report["encrypted"]
        assert "a lost key is a lost store" in report.warnings[0]
        assert contents(memory) == before
        assert len(handle.search(f"the {MARKER}")) > 0
        handle.add("written afterwards")
        assert files_with(path.parent) == []
    assert not files_with(path.parent, "written afterwards")
    with opened(path) as again:  # finds its key by itself
        assert contents(again) == before | {"written afterwards"}
        assert again.vault.status()["kept"] == "file"
        assert again.health()["encrypted"]


def test_an_encrypted_store_is_made_plain_again(path: Path, tmp_path: Path) -> None:
    with filled(path) as memory:
        before = contents(memory)
        memory.vault.encrypt(keep=f"file:{tmp_path / 'key'}")
        memory.vault.decrypt()
        assert contents(memory) == before
    assert sorted(each.name for each in path.parent.iterdir() if not each.name.startswith(".")) == [
        "m.db",
        "m.db.backups",
    ]
    assert not (tmp_path / "key").exists(), "a key that opens nothing is forgotten"
    with opened(path) as again:
        assert contents(again) == before
        with pytest.raises(UsageError, match="not encrypted"):
            again.vault.decrypt()


def test_calls_wait_while_the_key_changes_and_none_is_lost(path: Path, tmp_path: Path) -> None:
    with filled(path) as memory:
        stop, errors, added = threading.Event(), [], []

        def work() -> None:
            while not stop.is_set():
                try:
                    added.append(memory.add(f"note {len(added)}").id)
                    memory.search("note")
                except RecollectError as error:  # pragma: no cover
                    errors.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        memory.vault.encrypt(keep=f"file:{tmp_path / 'key'}")
        memory.vault.rotate()
        memory.vault.decrypt()
        memory.vault.encrypt("correct horse")
        stop.set()
        thread.join()
        assert errors == []
        assert added
        assert all(memory.get(each) is not None for each in added)
    with opened(path, key="correct horse") as again:
        assert all(again.get(each) is not None for each in added)
        assert all(finding.ok for finding in again.doctor() if finding.check in ("database", "integrity"))


def test_a_new_key_opens_and_the_old_one_is_gone(path: Path, tmp_path: Path) -> None:
    with filled(path) as memory:
        memory.vault.encrypt(keep=f"file:{tmp_path / 'key'}")
        old = bytes.fromhex(memory.vault.export_key())
        written = (tmp_path / "key").read_text()
        memory.vault.rotate()
        assert (tmp_path / "key").read_text() != written
        assert sorted(each.name for each in tmp_path.iterdir()) == ["key", "store"]
    with pytest.raises(StoreLocked):
        opened(path, key=old)
    header_path(path).rename(tmp_path / "header")
    with pytest.raises(StoreLocked):  # the old key opens no page of the file either
        opened(path, key=old)
    (tmp_path / "header").rename(header_path(path))
    with opened(path) as again:
        assert len(contents(again)) == 8


def test_the_keyring_of_the_system_keeps_one_key_and_forgets_the_others(path: Path, tmp_path: Path) -> None:
    with keyring_in(tmp_path) as ring, filled(path) as memory:
        memory.vault.encrypt(keep="keyring")
        memory.vault.rotate()
        key = memory.vault.export_key()
        header = read_header(path)
        assert header is not None
        assert header.key is not None
        assert ring.get_password("recollect-vault", f"{header.id}/{header.key.check}") == key
        assert Path(ring.file_path).read_text().count(" = ") == 1
        status = memory.vault.status()
        assert "PlaintextKeyring" in status["place"]
        assert any("plain file" in each for each in status.warnings)
    with keyring_in(tmp_path), opened(path) as again:
        assert len(contents(again)) == 8


@pytest.mark.parametrize("ring", [keyring.backends.fail.Keyring(), keyring.backends.null.Keyring()])
def test_without_a_keyring_nothing_is_encrypted(path: Path, ring: Any) -> None:
    with using(ring), filled(path) as memory:
        with pytest.raises(StoreLocked, match="keyring") as caught:
            memory.vault.encrypt(keep="keyring")
        assert caught.value.code == "E1001"
        assert len(contents(memory)) == 8
        assert not header_path(path).exists()
    with opened(path) as again:  # it is the plain store that it was
        assert len(contents(again)) == 8


def test_a_locked_keyring_keeps_the_store_shut(path: Path, tmp_path: Path) -> None:
    class Locked(keyring.backends.fail.Keyring):
        def get_password(self, service: str, username: str) -> str:
            raise keyring.errors.KeyringLocked("locked")

    with keyring_in(tmp_path), filled(path) as memory:
        memory.vault.encrypt(keep="keyring")
        key = memory.vault.export_key()
    before = path.read_bytes()
    with using(Locked()):
        with pytest.raises(StoreLocked, match="KeyringLocked"):
            opened(path)
        assert path.read_bytes() == before
        with opened(path, key=bytes.fromhex(key)) as again:  # the exported key opens it all the same
            assert len(contents(again)) == 8


def test_a_variable_of_the_environment_holds_the_key(
    path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with filled(path) as memory:
        with pytest.raises(StoreLocked, match="SOME_KEY"):
            memory.vault.encrypt(keep="env:SOME_KEY")
        monkeypatch.setenv("SOME_KEY", "7f" * 32)
        memory.vault.encrypt(keep="env:SOME_KEY")
        with pytest.raises(UsageError, match="another variable"):
            memory.vault.rotate()
        monkeypatch.setenv("OTHER_KEY", "7f" * 32)
        with pytest.raises(UsageError, match="already"):
            memory.vault.rotate(keep="env:OTHER_KEY")
        monkeypatch.setenv("OTHER_KEY", "80" * 32)
        memory.vault.rotate(keep="env:OTHER_KEY")
    with opened(path) as again:
        assert len(contents(again)) == 8
    for wrong, word in (("81" * 32, "not the key"), ("nonsense", "hex digits")):
        monkeypatch.setenv("OTHER_KEY", wrong)
        with pytest.raises(StoreLocked, match=word):
            opened(path)


def test_a_key_file_that_others_can_read_is_not_used(path: Path, tmp_path: Path) -> None:
    key = tmp_path / "key"
    with filled(path) as memory:
        memory.vault.encrypt(keep=f"file:{key}")
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    key.chmod(0o644)
    with pytest.raises(StoreLocked, match="chmod 600"):
        opened(path)
    key.chmod(0o600)
    key.write_text("00" * 32)
    with pytest.raises(StoreLocked, match="not the key"):
        opened(path)
    key.unlink()
    with pytest.raises(StoreLocked, match="cannot read the key file"):
        opened(path)


def test_a_key_file_that_somebody_prepared_is_used_and_left(path: Path, tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_bytes(os.urandom(32))
    key.chmod(0o600)
    with filled(path) as memory:
        memory.vault.encrypt(keep=f"file:{key}")
        assert memory.vault.export_key() == key.read_bytes().hex()
        with pytest.raises(UsageError, match="did not write"):
            memory.vault.rotate()
        memory.vault.decrypt()
    assert len(key.read_bytes()) == 32


def test_a_wrong_passphrase_changes_nothing(path: Path) -> None:
    with filled(path) as memory:
        memory.vault.encrypt("correct horse")
    before = {each.name: each.read_bytes() for each in path.parent.iterdir()}
    for key in ("wrong", "", b"x" * 32, None):
        with pytest.raises((StoreLocked, UsageError)) as caught:
            opened(path, key=key)
        assert caught.value.code in ("E1001", "E4005")
    after = {each.name: each.read_bytes() for each in path.parent.iterdir()}
    assert after.pop("m.db.refused").endswith(b" 3\n")  # noted for the audit: when, and how often
    assert after == before
    with opened(path, key=lambda: "correct horse") as again:  # a function is asked
        assert len(contents(again)) == 8
    with opened(path, key="correct horse") as again:
        assert len(contents(again)) == 8


def test_guesses_become_dearer_when_the_passphrase_is_given(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with filled(path) as memory:
        memory.vault.encrypt("correct horse")
    monkeypatch.setattr(passphrase, "COST", Cost(memory_kib=16 * 1024, iterations=2, lanes=1))
    opened(path, key="correct horse").close()
    header = read_header(path)
    assert header is not None
    assert header.key is not None
    assert header.key.sealed is not None
    assert header.key.sealed.cost == Cost(memory_kib=16 * 1024, iterations=2, lanes=1)
    opened(path, key="correct horse").close()
    assert read_header(path) == header, "once is enough"


def test_an_unlocked_store_opens_until_it_is_locked(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "run").mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    with filled(path) as memory:
        memory.vault.encrypt("correct horse")
        master = memory._opened.vault.master
        header = read_header(path)
        assert header is not None
        assert header.key is not None
        assert master is not None
        kept = keep_unlocked(header, header.key, master, for_s=None)
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    with opened(path) as again:
        assert again.vault.status()["unlocked"]
    assert lock_again(header, header.key)
    with pytest.raises(StoreLocked, match="vault unlock"):
        opened(path)
    keep_unlocked(header, header.key, master, for_s=0)  # its time is over
    assert held_unlocked(header, header.key) is None
    assert not kept.exists()


def test_a_store_that_is_open_elsewhere_is_left_alone(path: Path) -> None:
    with filled(path) as memory, opened(path) as other:
        with pytest.raises(StoreBusy, match="open elsewhere"):
            memory.vault.encrypt("correct horse")
        assert len(contents(memory)) == len(contents(other)) == 8
        other.add("still here")
        assert len(contents(memory)) == 9
    assert not header_path(path).exists()
    with opened(path) as again:
        assert len(contents(again)) == 9


def test_a_store_with_a_raw_key_gets_a_vault(path: Path) -> None:
    key = os.urandom(32)
    with filled(path, key=key) as memory:
        memory.vault.encrypt("correct horse")
    with pytest.raises(StoreLocked):
        opened(path, key=key)
    with opened(path, key="correct horse") as again:
        assert len(contents(again)) == 8
        again.vault.decrypt()
        assert len(contents(again)) == 8


def test_the_exported_key_opens_a_store_whose_header_is_lost(path: Path) -> None:
    with filled(path) as memory:
        memory.vault.encrypt("correct horse")
        key = memory.vault.export_key()
    header_path(path).unlink()
    with opened(path, key=bytes.fromhex(key)) as again:
        assert len(contents(again)) == 8
        again.vault.encrypt("another horse")
    with opened(path, key="another horse") as again:
        assert len(contents(again)) == 8


@pytest.mark.parametrize("damage", [b"", b"{}", b"not json", b'{"format": "recollect-vault", "version": 1}'])
def test_a_damaged_header_is_said_and_nothing_is_changed(path: Path, damage: bytes) -> None:
    with filled(path) as memory:
        memory.vault.encrypt("correct horse")
    before = path.read_bytes()
    header_path(path).write_bytes(damage)
    with pytest.raises(StoreDamaged, match="damaged") as caught:
        opened(path, key="correct horse")
    assert caught.value.code == "E1002"
    assert path.read_bytes() == before
    assert header_path(path).read_bytes() == damage


def test_every_changed_byte_of_a_header_is_noticed(path: Path) -> None:
    with filled(path) as memory:
        memory.vault.encrypt("correct horse")
    whole = header_path(path).read_bytes()
    for at in range(0, len(whole), 7):
        changed = whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]
        header_path(path).write_bytes(changed)
        with pytest.raises((StoreDamaged, StoreLocked)):
            opened(path, key="correct horse").close()


def test_a_header_of_a_newer_version_is_left_alone(path: Path) -> None:
    with filled(path) as memory:
        memory.vault.encrypt("correct horse")
    newer = header_path(path).read_text().replace('"version": 1', '"version": 2')
    header_path(path).write_text(newer)
    with pytest.raises(StoreNewer, match="upgrade"):
        opened(path, key="correct horse")
    assert header_path(path).read_text() == newer


def _damage(path: Path, page: int) -> None:
    with filled(path) as memory:
        memory.vault.encrypt("correct horse")
    raw = bytearray(path.read_bytes())
    raw[page * 8192 + 100] ^= 1
    path.write_bytes(raw)


def test_a_damaged_first_page_keeps_the_store_shut(path: Path) -> None:
    _damage(path, 0)
    before = path.read_bytes()
    with pytest.raises((StoreDamaged, StoreLocked)):
        opened(path, key="correct horse")
    assert path.read_bytes() == before


def test_a_damaged_page_is_found_by_the_doctor(path: Path) -> None:
    _damage(path, 5)
    with opened(path, key="correct horse") as memory:
        assert not all(finding.ok for finding in memory.doctor())


def test_the_vault_is_its_owners(path: Path) -> None:
    with filled(path) as memory:
        handle = memory.scoped(user_id="ana")
        for call in (
            handle.vault.status,
            handle.vault.decrypt,
            handle.vault.rotate,
            handle.vault.export_key,
            lambda: handle.vault.encrypt("correct horse"),
        ):
            with pytest.raises(AccessDenied):
                call()


def test_what_makes_no_sense_is_refused(path: Path) -> None:
    with filled(path) as memory:
        for key, keep in ((None, None), (None, "cloud"), (b"short", None), ("pass", "keyring"), (None, "file:")):
            with pytest.raises(UsageError):
                memory.vault.encrypt(key, keep=keep)
        with pytest.raises(UsageError, match="no vault"):
            memory.vault.rotate()
        with pytest.raises(UsageError, match="no vault"):
            memory.vault.export_key()
    with recollect.open(":memory:", embedder="fake") as memory:
        assert memory.vault.status()["in_memory"]
        with pytest.raises(UsageError, match="in memory"):
            memory.vault.encrypt("correct horse")


def test_a_hard_link_to_the_old_file_is_not_wiped_but_told(path: Path, tmp_path: Path) -> None:
    with filled(path) as memory:
        os.link(path, tmp_path / "backup.db")
        report = memory.vault.encrypt("correct horse")
        assert any("hard link" in each for each in report.warnings)
    with opened(tmp_path / "backup.db") as backup:
        assert len(contents(backup)) > 0


def test_the_old_file_and_its_log_are_overwritten(path: Path) -> None:
    """Not only their names go: whoever has the blocks finds nothing in them."""
    with filled(path) as memory:
        with path.open("rb") as old, open(f"{path}-wal", "rb") as log:
            assert MARKER.encode() in log.read()
            memory.vault.encrypt("correct horse")
            for file in (old, log):
                file.seek(0)
                left = file.read()
                assert left
                assert MARKER.encode() not in left
        assert len(contents(memory)) == 8


def test_a_full_disk_leaves_the_store_as_it_was(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise DiskFull("no space left")

    with filled(path) as memory:
        monkeypatch.setattr(sqlite_store, "copy_under", full)
        with pytest.raises(DiskFull):
            memory.vault.encrypt(keep=f"file:{tmp_path / 'key'}")
        monkeypatch.undo()
        assert len(contents(memory)) == 8
        memory.add("still writing")
        assert not (tmp_path / "key").exists()
        assert not memory.vault.status()["encrypted"]
    assert sorted(each.name for each in path.parent.iterdir() if each.name[0] != ".") == ["m.db"]
    with opened(path) as again:
        assert len(contents(again)) == 9


def test_a_store_that_another_process_has_open_is_left_alone(path: Path) -> None:
    filled(path).close()
    code = f"import recollect, sys; m = recollect.open({str(path)!r}, embedder=None); print(1, flush=True); input()"
    other = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert other.stdout is not None
    assert other.stdout.readline() == "1\n"
    with opened(path) as memory:
        with pytest.raises(StoreBusy, match="open elsewhere"):
            memory.vault.encrypt("correct horse")
        other.communicate("\n")
        memory.vault.encrypt("correct horse")
        assert len(contents(memory)) == 8


def test_who_opens_a_store_while_its_key_changes_is_told_to_try_again(path: Path) -> None:
    with filled(path) as memory:
        memory.vault.encrypt("correct horse")
    header = read_header(path)
    assert header is not None
    write_header(path, header.changing(None))
    with change_lock(str(path)) as alone:
        assert alone
        with pytest.raises(StoreBusy, match="try again") as caught:
            opened(path, key="correct horse")
        assert caught.value.retryable
    with opened(path, key="correct horse") as again:  # nobody is changing it any more: taken back
        assert len(contents(again)) == 8


def test_the_key_is_wiped_when_it_is_replaced_and_when_the_store_is_closed(path: Path) -> None:
    with filled(path) as memory:
        memory.vault.encrypt("correct horse")
        first = memory._opened.vault.master
        memory.vault.rotate("correct horse")
        second = memory._opened.vault.master
        assert first is not None
        assert second is not None
        assert first._secret.wiped
        assert not second._secret.wiped
    assert second._secret.wiped
    with opened(path, key="correct horse") as again:
        third = again._opened.opened_with.master
        assert third is not None
    assert third._secret.wiped
