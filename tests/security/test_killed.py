"""A change of key that is killed at any of its steps: the store opens, with all that was in it, old or new."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from security.vaults import MARKER, contents, files_with, filled

import recollect
from recollect.security.header import read_header
from recollect.store.sqlite.connection import PLAIN_HEADER

CHILD = Path(__file__).with_name("change_and_die.py")
STEPS = (
    "noted",
    "key kept",
    "copied",
    "linked",
    "switched",
    "taken up",
    "header written",
    "wiped",
    "old key forgotten",
)
AFTER = STEPS.index("switched")


def child(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(CHILD), *map(str, words)], capture_output=True, text=True, check=False, timeout=100
    )


def test_the_steps_are_those_that_are_killed_at(tmp_path: Path) -> None:
    filled(tmp_path / "m.db").close()
    done = child(tmp_path / "m.db", "encrypt", "list", f"file:{tmp_path / 'key'}")
    assert done.returncode == 0, done.stderr
    assert tuple(done.stdout.split("\n")[:-1]) == STEPS


@pytest.mark.parametrize("verb", ["encrypt", "rotate", "decrypt"])
@pytest.mark.parametrize("step", STEPS)
def test_a_change_that_was_killed_is_finished_or_taken_back(tmp_path: Path, verb: str, step: str) -> None:
    path, key = tmp_path / "store" / "m.db", tmp_path / "key"
    (tmp_path / "store").mkdir()
    with filled(path) as memory:
        before = contents(memory)
        if verb != "encrypt":
            memory.vault.encrypt(keep=f"file:{key}")
    old = key.read_text() if key.exists() else None

    died = child(path, verb, step, f"file:{key}")
    assert died.returncode == -signal.SIGKILL, died.stderr

    finished = STEPS.index(step) >= AFTER
    encrypted = (verb == "encrypt") == finished if verb != "rotate" else True
    with recollect.open(path, embedder="fake") as again:
        assert contents(again) == before
        assert all(finding.ok for finding in again.doctor() if finding.check == "database")
        again.add(f"the {MARKER} came back")
        assert again.audit_verify().ok, "the chain of the audit has its key, whichever the store has"
    with recollect.open(path, embedder="fake") as once_more:
        assert len(contents(once_more)) == len(before) + 1
    _assert_nothing_is_left(path, key, encrypted=encrypted)
    if verb == "rotate":
        assert (key.read_text() == old) != finished


def _assert_nothing_is_left(path: Path, key: Path, *, encrypted: bool) -> None:
    names = sorted(each.name for each in path.parent.iterdir() if each.is_file())
    assert names == (["m.db", "m.db.vault"] if encrypted else ["m.db"])
    assert (path.read_bytes()[:16] != PLAIN_HEADER) == encrypted
    assert files_with(path.parent) == ([] if encrypted else ["m.db"])
    backups = [*path.parent.glob("m.db.backups/*.db")]
    assert all((each.read_bytes()[:16] != PLAIN_HEADER) == encrypted for each in backups)
    assert [each.name for each in key.parent.iterdir() if each.name.startswith("key")] == (["key"] if encrypted else [])
    header = read_header(path)
    assert (header is not None and header.change is None) if encrypted else header is None


@pytest.mark.parametrize("step", ["key kept", "copied", "switched", "wiped"])
def test_a_passphrase_opens_what_was_killed_on_the_way_to_it(tmp_path: Path, step: str) -> None:
    path = tmp_path / "m.db"
    with filled(path) as memory:
        before = contents(memory)
    assert child(path, "encrypt", step, "passphrase").returncode == -signal.SIGKILL
    key = "correct horse" if STEPS.index(step) >= AFTER else None
    with recollect.open(path, key=key, embedder="fake") as again:
        assert contents(again) == before
    assert (read_header(path) is not None) == (key is not None)
