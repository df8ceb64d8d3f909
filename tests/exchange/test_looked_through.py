"""Files of a store are looked through for erased texts while the store goes on writing and folding them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from recollect.exchange.erasure_report import searched


def looked(path: Path, *texts: str) -> dict[str, int]:
    found = searched(path, texts, lambda traces: set(), encrypted=False)
    return {each.name: each.found for each in found}


def test_a_text_is_found_wherever_it_lies(tmp_path: Path) -> None:
    path, text = tmp_path / "m.db", "the violin of Tobias Lindqvist"
    for before in (0, 1, (1 << 20) - 7, (1 << 20) - len(text), 3 << 20):  # also over the edge of what is read at once
        path.write_bytes(bytes(before) + text.encode() + bytes(9))
        assert looked(path, text, "nobody ever wrote this") == {"database": 1}
    path.write_bytes(b"")
    assert looked(path, text) == {"database": 0}
    path.write_bytes(bytes(5 << 20))
    assert looked(path, text) == {"database": 0}


def test_a_log_may_be_cut_off_meanwhile(tmp_path: Path) -> None:
    """A mapped file that becomes shorter ends the process that reads it."""
    path, log = tmp_path / "m.db", tmp_path / "m.db-wal"
    path.write_bytes(b"x")
    log.write_bytes(bytes(8 << 20))
    cutting = "import os, sys\nwhile True:\n    for size in (0, 8 << 20):\n        os.truncate(sys.argv[1], size)\n"
    with subprocess.Popen([sys.executable, "-c", cutting, str(log)]) as other:
        try:
            for _ in range(200):
                assert looked(path, "the violin of Tobias Lindqvist")["wal"] == 0
        finally:
            other.kill()
