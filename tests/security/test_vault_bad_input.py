"""Bad input to the vault: each is an error with a code that says what to do; nothing is lost or half encrypted."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from security.vaults import MARKER, contents, files_with, filled

import recollect
from recollect.errors import ConfigInvalid, RecollectError, StoreLocked
from recollect.memory import Memory
from recollect.security import passphrase
from recollect.security.header import header_path
from recollect.security.passphrase import Cost

QUICK = Cost(memory_kib=8 * 1024, iterations=1, lanes=1)
PREPARED = "ab" * 32


@pytest.fixture(autouse=True)
def quick_guesses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passphrase, "COST", QUICK)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store" / "m.db"


def opened(path: Path, **options: Any) -> Memory:
    return recollect.open(path, **{"embedder": "fake", **options})


def everything(folder: Path) -> dict[str, bytes]:
    """All files, save the count of attempts that failed."""
    found = (each for each in sorted(folder.iterdir()) if each.is_file() and each.suffix != ".refused")
    return {each.name: each.read_bytes() for each in found}


# --- the key file ---------------------------------------------------------------------------------------------------


def instead(file: Path, make: Callable[[Path], object]) -> None:
    file.unlink()
    make(file)


KEY_FILES: dict[str, Callable[[Path], object]] = {
    "empty": lambda file: file.write_bytes(b""),
    "half a key": lambda file: file.write_text(PREPARED[:40]),
    "half a byte more": lambda file: file.write_text(PREPARED + "a"),
    "not hex": lambda file: file.write_text("zz" * 32),
    "a novel": lambda file: file.write_bytes(b"x" * 100_000),
    "another key": lambda file: file.write_text("cd" * 32),
    "gone": lambda file: file.unlink(),
    "a folder": lambda file: instead(file, Path.mkdir),
    "a pipe": lambda file: instead(file, lambda at: os.mkfifo(at, 0o600)),
    "read by the group": lambda file: file.chmod(0o640),
    "read by all": lambda file: file.chmod(0o604),
    "a link that leads nowhere": lambda file: instead(file, lambda at: at.symlink_to("nowhere")),
}


@pytest.mark.parametrize("damage", KEY_FILES)
def test_a_key_file_that_is_no_good_keeps_the_store_shut(path: Path, tmp_path: Path, damage: str) -> None:
    file = tmp_path / "keys" / "m.key"
    with filled(path) as memory:
        memory.vault.encrypt(keep=f"file:{file}")
    kept, before = file.read_bytes(), everything(path.parent)
    KEY_FILES[damage](file)
    with pytest.raises(StoreLocked) as caught:
        opened(path)
    assert caught.value.code == "E1001"
    assert str(file) in caught.value.message
    assert kept.decode().strip() not in caught.value.message
    assert everything(path.parent) == before
    if file.is_dir():
        file.rmdir()
    else:
        file.unlink(missing_ok=True)
    file.write_bytes(kept)
    file.chmod(0o600)
    with opened(path) as again:
        assert len(contents(again)) == 8


@pytest.mark.parametrize("damage", ["empty", "half a key", "not hex", "a folder", "read by all"])
def test_a_prepared_key_file_that_is_no_good_encrypts_nothing(path: Path, tmp_path: Path, damage: str) -> None:
    file = tmp_path / "m.key"
    file.write_text(PREPARED)
    file.chmod(0o600)
    KEY_FILES[damage](file)
    with filled(path) as memory:
        with pytest.raises(RecollectError) as caught:
            memory.vault.encrypt(keep=f"file:{file}")
        assert caught.value.code in ("E1001", "E4005")
        assert not memory.vault.status()["encrypted"]
        memory.add("goes on")
    assert not header_path(path).exists()
    with opened(path) as again:
        assert len(contents(again)) == 9


# --- the header -----------------------------------------------------------------------------------------------------


def test_a_store_whose_header_is_gone_says_that_it_needs_its_key(path: Path) -> None:
    with filled(path) as memory:
        memory.vault.encrypt("correct horse")
    header_path(path).unlink()
    before = everything(path.parent)
    for key in (None, "correct horse", b"\x01" * 32):
        with pytest.raises(StoreLocked) as caught:
            opened(path, key=key)
        assert caught.value.code == "E1001"
        assert everything(path.parent) == before


def test_the_header_of_another_store_opens_nothing(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other" / "m.db"
    for each, phrase in ((path, "correct horse"), (other, "another horse")):
        with filled(each) as memory:
            memory.vault.encrypt(phrase)
    own = header_path(path).read_bytes()
    shutil.copyfile(header_path(other), header_path(path))
    before = everything(path.parent)
    for phrase in ("correct horse", "another horse"):
        with pytest.raises(StoreLocked) as caught:
            opened(path, key=phrase)
        assert caught.value.code == "E1001"
    assert everything(path.parent) == before
    header_path(path).write_bytes(own)
    with opened(path, key="correct horse") as again:
        assert len(contents(again)) == 8


def test_a_header_beside_a_plain_store_is_told_apart(path: Path, tmp_path: Path) -> None:
    """A plain file put where an encrypted one was is not taken for it."""
    other = tmp_path / "other" / "m.db"
    with filled(other) as memory:
        memory.vault.encrypt("correct horse")
    filled(path).close()
    shutil.copyfile(header_path(other), header_path(path))
    with pytest.raises(StoreLocked) as caught:
        opened(path, key="correct horse")
    assert caught.value.code == "E1001"
    header_path(path).unlink()
    with opened(path) as again:
        assert len(contents(again)) == 8


# --- a disk that is full, a folder that cannot be written -------------------------------------------------------------

CHILD = """
import os, resource, signal, sys
import recollect
from recollect.security import passphrase
from recollect.security.passphrase import Cost
passphrase.COST = Cost(memory_kib=8192, iterations=1, lanes=1)
path, verb, limit, user = sys.argv[1:]
memory = recollect.open(path, key="correct horse" if verb != "encrypt" else None, embedder=None, background=False)
if int(user):
    import tempfile
    with tempfile.TemporaryDirectory() as other:  # loads all modules: afterwards they cannot be read
        with recollect.open(other + "/m.db", embedder=None, background=False) as tried:
            tried.vault.encrypt("one")
            tried.vault.rotate("two")
            tried.vault.decrypt()
    os.chmod(os.path.dirname(path), 0o500)
    os.setuid(int(user))
if int(limit):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
try:
    if verb == "encrypt":
        memory.vault.encrypt("correct horse")
    elif verb == "rotate":
        memory.vault.rotate("another horse")
    else:
        memory.vault.decrypt()
except recollect.RecollectError as error:
    print(error.code, type(error).__name__, flush=True)
os._exit(0)
"""


def tried(path: Path, verb: str, *, limit: int = 0, user: int = 0) -> str:
    """What a process says that tries to change the key; it ends without closing anything."""
    words = [sys.executable, "-c", CHILD, str(path), verb, str(limit), str(user)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("verb", ["encrypt", "rotate", "decrypt"])
def test_a_file_that_may_not_grow_leaves_the_store_as_it_was(path: Path, verb: str) -> None:
    with filled(path) as memory:
        if verb != "encrypt":
            memory.vault.encrypt("correct horse")
    size = path.stat().st_size
    assert tried(path, verb, limit=size // 2).split()[0] in ("E1003", "E1005")
    unchanged(path, verb)


def unchanged(path: Path, verb: str) -> None:
    """The store opens as before, holds all it held, and nothing of a copy is left."""
    with opened(path, key=None if verb == "encrypt" else "correct horse") as again:
        assert len(contents(again)) == 8
        assert again.vault.status()["encrypted"] is (verb != "encrypt")
        assert not again.vault.status().warnings or "beside" not in str(again.vault.status().warnings)
    left = {each.name for each in path.parent.iterdir() if each.name[0] != "."}
    assert left <= {"m.db", "m.db.vault", "m.db.backups"}
    assert [each for each in path.parent.glob("m.db.backups/*") if each.name[0] != "."] == []
    if verb != "encrypt":
        assert files_with(path.parent, MARKER) == []


@contextmanager
def small_disk(store: Path) -> Iterator[Path]:
    """A file system of its own with room for this store and not for a second one."""
    kib = store.stat().st_size * 3 // 2 // 1024
    place = Path(tempfile.mkdtemp(prefix="recollect-small-"))
    mounted = shutil.which("mount") and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", str(place)], capture_output=True, check=False
    )
    if not mounted or mounted.returncode:
        place.rmdir()
        pytest.skip("no small file system can be made here")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=False)
        place.rmdir()


@pytest.mark.parametrize("verb", ["encrypt", "rotate", "decrypt"])
def test_a_disk_that_is_full_leaves_the_store_as_it_was(tmp_path: Path, verb: str) -> None:
    made = tmp_path / "store" / "m.db"
    with filled(made) as memory:
        if verb != "encrypt":
            memory.vault.encrypt("correct horse")
    with small_disk(made) as disk:
        path = disk / "store" / "m.db"
        path.parent.mkdir(mode=0o700)
        for each in ("m.db", "m.db.vault"):
            if (made.parent / each).exists():
                shutil.copy2(made.parent / each, path.parent / each)
        assert tried(path, verb).split()[0] in ("E1003", "E1005")
        unchanged(path, verb)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="takes a user whom folders can be closed to")
@pytest.mark.parametrize("verb", ["encrypt", "rotate", "decrypt"])
def test_a_folder_that_cannot_be_written_leaves_the_store_as_it_was(verb: str) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        path = folder / "store" / "m.db"
        with filled(path) as memory:
            if verb != "encrypt":
                memory.vault.encrypt("correct horse")
        for each in (path.parent, *path.parent.iterdir()):
            os.chown(each, 65_534, 65_534)
        before = everything(path.parent)
        assert tried(path, verb, user=65_534).split()[0] in ("E1005", "E1008", "E1001")
        path.parent.chmod(0o700)
        for each in (path.parent, *path.parent.iterdir()):
            os.chown(each, 0, 0)
        assert {name: held for name, held in everything(path.parent).items() if "-" not in name} == before
        unchanged(path, verb)


# --- two at once ----------------------------------------------------------------------------------------------------


def test_of_two_processes_that_give_a_new_key_one_is_told_to_wait(path: Path) -> None:
    with filled(path) as memory:
        memory.vault.encrypt("correct horse")
    code = CHILD.replace('memory.vault.rotate("another horse")', 'input(); memory.vault.rotate("another horse")')
    code = code.replace("if int(user)", 'print("open", flush=True)\nif int(user)').replace(
        "os._exit(0)", "memory.close()"
    )
    words = [sys.executable, "-c", code, str(path), "rotate", "0", "0"]
    two = [subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    for each in two:
        assert each.stdout is not None
        assert each.stdout.readline() == "open\n"
    for each in two:  # both have it open: whoever comes first is told that the other one has it open
        assert each.stdin is not None
        each.stdin.write("\n")
        each.stdin.flush()
    said = [each.communicate(timeout=120)[0].strip() for each in two]
    assert set(said) <= {"", "E1009 StoreBusy"}
    assert said.count("") <= 1
    opens = []
    for phrase in ("correct horse", "another horse"):
        try:
            with opened(path, key=phrase) as again:
                assert len(contents(again)) == 8
            opens.append(phrase)
        except StoreLocked:
            pass
    assert len(opens) == 1, "one key opens it, whichever won"
    assert opens == (["another horse"] if "" in said else ["correct horse"])


# --- settings -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        '[security]\npersonal = "hush"\n',
        '[security]\nsecrets = "burn"\n',
        '[security]\npersonal_in = "team=payroll: redact"\n',
        '[security]\npersonal_in = "project=payroll: hush"\n',
        '[security]\ninjection_tools_action = "ignore"\n',
        '[security]\nlimit_searches = "sometimes"\n',
        "[security]\nsearches_per_minute = twenty\n",
    ],
)
def test_a_policy_file_with_an_unknown_word_opens_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    file, path = tmp_path / "recollect.toml", tmp_path / "m.db"
    filled(path).close()
    file.write_text(words, encoding="utf-8")
    monkeypatch.setenv("RECOLLECT_CONFIG", str(file))
    with pytest.raises(RecollectError) as caught, opened(path) as memory:
        memory.add("screened by what?")
    assert caught.value.code in (ConfigInvalid.code, "E4005")
    monkeypatch.delenv("RECOLLECT_CONFIG")
    with opened(path) as again:
        assert len(contents(again)) == 8


def test_an_unknown_name_in_a_policy_file_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "recollect.toml"
    file.write_text("[security]\npersnal = 'redact'\n", encoding="utf-8")
    monkeypatch.setenv("RECOLLECT_CONFIG", str(file))
    with pytest.raises(ConfigInvalid, match="personal"):
        opened(tmp_path / "m.db")
    assert not (tmp_path / "m.db").exists()


def test_a_header_that_was_cut_is_damage_and_not_a_wrong_passphrase(path: Path) -> None:
    with filled(path) as memory:
        memory.vault.encrypt("correct horse")
    whole = header_path(path).read_bytes()
    assert json.loads(whole)
    for length in range(0, len(whole), max(1, len(whole) // 20)):
        header_path(path).write_bytes(whole[:length])
        with pytest.raises(RecollectError) as caught:
            opened(path, key="correct horse")
        assert caught.value.code == "E1002"
    header_path(path).write_bytes(whole)
    with opened(path, key="correct horse") as again:
        assert len(contents(again)) == 8
