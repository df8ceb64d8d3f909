"""An encrypted store writes nothing in the clear: not while it is open, not after closing, not after a kill."""

from __future__ import annotations

import io
import math
import os
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from security.vaults import MARKER, contents, files_with, filled

import recollect
from recollect.exchange.temporary import temporary_file

KEY = bytes(range(32))
WORDS = f"{MARKER} heron kingfisher pelican cormorant avocet bittern dunlin"
SMALL = {"index.flat_max": 0, "index.poll_interval_s": 0.05}  # so that vectors would soon be worth a file


def entropy(data: bytes) -> float:
    """Bits a byte."""
    return -sum(n / len(data) * math.log2(n / len(data)) for n in Counter(data).values())


def busy(memory: recollect.Memory) -> None:
    """Everything that may leave something behind: documents, knowledge, searches, erasure, upkeep."""
    for number in range(30):
        memory.add(f"On day {number} Ana saw the {WORDS} number {number}", user_id="ana", session_id="s1")
    memory.ingest(f"# Birds\n\nThe {WORDS}.\n\n## More\n\n{MARKER} again.", user_id="ana")
    memory.search(f"which {MARKER} was it", user_id="ana")
    memory.context(f"the {MARKER}?", user_id="ana")
    memory.settle()
    memory.delete(memory.add(f"{MARKER} to be erased", user_id="ana").id, hard=True)
    memory.maintain()


def test_nothing_plain_lies_beside_an_encrypted_store(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with filled(path, embedder="static", config=SMALL) as memory:
        memory.vault.encrypt(KEY)
        busy(memory)
        assert files_with(tmp_path) == []
    assert files_with(tmp_path) == []
    assert sorted(each.name for each in tmp_path.iterdir()) == ["m.db", "m.db.vault"]
    with recollect.open(path, key=KEY, embedder="static", config=SMALL) as again:
        again.search(MARKER, user_id="ana")
        assert files_with(tmp_path) == []
        assert not [each.name for each in tmp_path.iterdir() if "vectors" in each.name]


def test_the_marker_would_be_found_in_a_plain_store(tmp_path: Path) -> None:
    """The test above could fail: this is what it looks for."""
    with filled(tmp_path / "m.db") as memory:
        assert files_with(tmp_path)
        memory.vault.encrypt(KEY)
        assert not files_with(tmp_path)


def test_vector_files_of_a_plain_store_go_with_its_encryption(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with filled(path, embedder="static", config=SMALL) as memory:
        memory.settle()
        memory.search("lake", user_id="ana")
    assert [each.name for each in tmp_path.iterdir() if "vectors" in each.name], "a plain store has such files"
    with recollect.open(path, embedder="static", config=SMALL) as memory:
        memory.vault.encrypt(KEY)
        memory.add(f"another {MARKER}", user_id="ana")
        assert len(memory.search(MARKER, user_id="ana")) > 0
    assert sorted(each.name for each in tmp_path.iterdir()) == ["m.db", "m.db.vault"]


def test_nothing_plain_is_left_by_a_process_that_was_killed(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with filled(path) as memory:
        memory.vault.encrypt(KEY)
    code = (
        "import os, recollect\n"
        f"memory = recollect.open({str(path)!r}, key=bytes(range(32)), embedder='fake')\n"
        f"for n in range(50): memory.add(f'{WORDS} {{n}}', user_id='ana')\n"
        f"os.kill(os.getpid(), {int(signal.SIGKILL)})\n"
    )
    died = subprocess.run([sys.executable, "-c", code], check=False, timeout=100, capture_output=True)
    assert died.returncode == -signal.SIGKILL, died.stderr
    assert (tmp_path / "m.db-wal").stat().st_size > 0, "the log of the killed process is there"
    assert files_with(tmp_path) == []
    with recollect.open(path, key=KEY, embedder="fake") as again:
        assert len(contents(again)) == 58


def test_every_byte_of_the_file_looks_like_chance(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with filled(path) as memory:
        memory.vault.encrypt(KEY)
    raw = path.read_bytes()
    assert entropy(raw) > 7.99
    assert all(entropy(raw[at : at + 8192]) > 7.9 for at in range(0, len(raw), 8192))


def test_no_byte_of_the_header_is_the_same_in_all_stores(tmp_path: Path) -> None:
    heads = []
    for number in range(12):
        path = tmp_path / f"{number}.db"
        with recollect.open(path, embedder=None, background=False) as memory:
            memory.vault.encrypt(KEY)
        heads.append(path.read_bytes()[:128])
    same = [at for at in range(128) if len({head[at] for head in heads}) < 6]
    assert same == []


def test_what_passes_through_is_kept_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream is kept until it was read twice: of an encrypted store never in a file."""
    made: list[Any] = []
    really = tempfile.SpooledTemporaryFile

    def noted(*args: Any, **more: Any) -> Any:
        made.append(args)
        return really(*args, **more)

    monkeypatch.setattr(tempfile, "SpooledTemporaryFile", noted)

    class Stream(io.RawIOBase):
        """Cannot be read twice."""

        def __init__(self, data: bytes) -> None:
            self._data = io.BytesIO(data)

        def readable(self) -> bool:
            return True

        def read(self, size: int = -1) -> bytes:
            return self._data.read(size)

    with filled(tmp_path / "m.db") as memory:
        memory.export(tmp_path / "out.jsonl")
        data = (tmp_path / "out.jsonl").read_bytes()
    with recollect.open(tmp_path / "plain.db", embedder="fake") as plain:
        plain.import_(Stream(data))
        assert made
    made.clear()
    with recollect.open(tmp_path / "private.db", embedder="fake", key=KEY) as private:
        private.import_(Stream(data))
        assert len(contents(private)) == 8
    assert made == []


def test_a_private_temporary_file_has_no_place(tmp_path: Path) -> None:
    with temporary_file(private=True) as file:
        file.write(b"x" * (10 << 20))
        file.seek(0)
        assert len(file.read()) == 10 << 20
        if sys.platform.startswith("linux"):
            assert os.readlink(f"/proc/self/fd/{file.fileno()}").startswith("/memfd:")
