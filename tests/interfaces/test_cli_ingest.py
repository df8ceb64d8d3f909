"""`recollect ingest`: what is drawn while it works, and what is left when it is done."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest
from commands import PROGRAM

SECTION = (
    "# Part {0}\n\nPart {0} of the manual tells what there is to know about the kettle number {0} and its lid.\n\n"
)


@pytest.fixture
def manual(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """More than is stored at once, and a file that cannot be read."""
    for name in [name for name in os.environ if name.startswith("RECOLLECT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("RECOLLECT_DB", str(tmp_path / "memory.db"))
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "fake")
    folder = tmp_path / "manual"
    folder.mkdir()
    for name in ("a.md", "b.md"):
        (folder / name).write_text("".join(SECTION.format(n) for n in range(1000, 1550)), encoding="utf-8")
    (folder / "photo.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    return folder


def on_a_terminal(*words: str) -> tuple[str, str]:
    """(stdout, what a person saw on the terminal meanwhile)."""
    near, far = pty.openpty()
    seen: list[bytes] = []

    def look() -> None:
        with contextlib.suppress(OSError):  # the other end is closed: it is done
            while part := os.read(near, 1 << 16):
                seen.append(part)

    looking = threading.Thread(target=look, daemon=True)  # a terminal that nobody reads fills up, and the command waits
    looking.start()
    try:
        done = subprocess.run(
            [*PROGRAM, *words], stdin=far, stderr=far, stdout=subprocess.PIPE, check=True, timeout=120
        )
    finally:
        os.close(far)
        looking.join(timeout=10)
        os.close(near)
    return done.stdout.decode(), b"".join(seen).decode()


def test_a_person_sees_a_bar(manual: Path) -> None:
    out, seen = on_a_terminal("ingest", str(manual))
    assert "reading" in seen
    assert "1,100 records" in out
    assert "photo.png is binary" in out
    out, seen = on_a_terminal("ingest", str(manual))
    assert seen == "", "nothing was to be done"
    assert "nothing new: 2 of 3 files unchanged" in out


def test_programs_see_nothing_but_the_answer(manual: Path) -> None:
    out, seen = on_a_terminal("ingest", str(manual), "-o", "json")
    assert seen == ""
    assert json.loads(out)["count"] == 1100
    done = subprocess.run([*PROGRAM, "ingest", str(manual), "--dry-run"], capture_output=True, check=True, timeout=120)
    assert done.stderr == b""
    assert "0 records would be remembered" in done.stdout.decode()


def test_a_hit_says_where_it_stands(run: Any, tmp_path: Path) -> None:
    (tmp_path / "wait.py").write_text("import time\n\n\ndef wait(seconds):\n    " + "time.sleep(seconds)\n    " * 200)
    run("ingest", "wait.py")
    shown = run("search", "where is wait implemented?").out
    assert "wait.py:4-" in shown


def test_a_folder_is_told_of_by_files(run: Any, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    for name in ("one", "two", "three"):
        (folder / f"{name}.md").write_text(f"# {name}\n\nNote {name}.\n")
    assert "remembered 3 records of 3 files" in run("ingest", "notes").out
    assert run("ingest", "notes").out == "· nothing new: 3 files unchanged\n"
    (folder / "two.md").write_text("# two\n\nAnother note.\n")
    assert "2 of 3 files unchanged" in run("ingest", "notes").out


def test_a_file_that_cannot_be_read_is_a_failure(run: Any, tmp_path: Path) -> None:
    (tmp_path / "photo.png").write_bytes(b"\x89PNG\r\n\x00\x00")
    done = run("ingest", "photo.png")
    assert done.code == 1
    assert "nothing was remembered" in done.out
    assert "photo.png is binary" in done.out
