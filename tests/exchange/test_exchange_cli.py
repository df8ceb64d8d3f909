"""Export, import and erase-user in the shell."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from commands import PROGRAM

from recollect.ingest.progress import watched
from recollect.interfaces.cli import main
from recollect.memory import Memory

pytestmark = pytest.mark.usefixtures("environment")


def shell(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    capsys.readouterr()
    code = main(list(words))
    out, err = capsys.readouterr()
    return code, out, err


def test_out_and_in_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shell(capsys, "add", "Ana keeps bees", "-u", "ana")
    path, other = str(tmp_path / "a.jsonl"), str(tmp_path / "other.db")
    code, out, _ = shell(capsys, "export", path, "--plain", "-o", "json")
    assert (code, json.loads(out)["count"]) == (0, 1)
    code, out, _ = shell(capsys, "--db", other, "import", path, "--dry-run", "-o", "json")
    assert (code, json.loads(out)["did"]) == (0, "would restore")
    assert shell(capsys, "--db", other, "import", path)[0] == 0
    assert "bees" in shell(capsys, "--db", other, "search", "who keeps bees?", "-u", "ana")[1]


def test_a_plain_export_is_refused_where_nobody_can_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shell(capsys, "add", "Ana keeps bees")
    code, _, err = shell(capsys, "export", str(tmp_path / "a.jsonl"))
    assert (code, "--plain" in err, "--passphrase" in err) == (2, True, True)
    assert not (tmp_path / "a.jsonl").exists()
    for word in ("--plain", "--yes"):
        assert shell(capsys, "export", str(tmp_path / "a.jsonl"), word)[0] == 0
    assert shell(capsys, "export", str(tmp_path / "s.bin"), "--passphrase", "open sesame")[0] == 0


@pytest.mark.parametrize(("answer", "written"), [(b"n\n", False), (b"y\n", True)])
def test_a_person_decides_about_a_plain_export(
    answer: bytes, written: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shell(capsys, "add", "Ana keeps bees")
    answered([*PROGRAM, "export", str(tmp_path / "a.jsonl")], b"plain?", answer)
    assert (tmp_path / "a.jsonl").exists() is written


def answered(command: list[str], question: bytes, answer: bytes) -> bytes:
    """Run a command at a terminal, and answer its question; what it showed until then."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    asked = b""
    while question not in asked:
        asked += os.read(ours, 1024)
    os.write(ours, answer)
    try:
        while os.read(ours, 1024):
            pass
    except OSError:  # the other end is closed
        pass
    process.wait(30)
    os.close(ours)
    return asked


def test_a_plain_export_is_said_and_audited(memory: Memory, tmp_path: Path) -> None:
    memory.add("Ana keeps bees")
    told = memory.export(tmp_path / "a.jsonl")
    assert not told["encrypted"]
    assert any("plain" in each for each in told.warnings)
    assert not any("plain" in each for each in memory.export(tmp_path / "s", passphrase="open sesame").warnings)
    noted = [entry.event for entry in memory._opened.audit.entries(limit=4)]
    assert noted.count("plain_export_requested") == 1
    assert noted.count("export_created") == 2


def test_an_import_is_audited_with_what_became_of_it(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(json.dumps([{"memory": "Ana keeps bees"}, {"memory": "x" * 20_000}]))
    memory.import_(tmp_path / "m.json")
    [entry] = [each for each in memory._opened.audit.entries(limit=9) if "rejected_size" in each.detail]
    assert (entry.event, entry.count, entry.detail["rejected_size"]) == ("import_attempted", 1, 1)


def test_stdout_holds_the_export_alone(tmp_path: Path) -> None:
    subprocess.run([*PROGRAM, "add", "Ana keeps bees"], check=True, capture_output=True)
    done = subprocess.run([*PROGRAM, "export", "-", "--plain"], check=True, capture_output=True)
    lines = done.stdout.splitlines()
    assert json.loads(lines[0])["format"] == "recollect"
    assert json.loads(lines[-1])["table"] == "end"
    assert b"stdout" in done.stderr
    other = subprocess.run(
        [*PROGRAM, "--db", str(tmp_path / "o.db"), "import", "-", "-o", "json"],
        input=done.stdout,
        capture_output=True,
        check=True,
    )
    assert json.loads(other.stdout)["count"] == 1


def test_a_passphrase_comes_from_stdin(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shell(capsys, "add", "Ana keeps bees")
    path = str(tmp_path / "a.sealed")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"open sesame\n")))
    assert shell(capsys, "export", path, "--passphrase", "-")[0] == 0
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"wrong\n")))
    code, _, err = shell(capsys, "--db", str(tmp_path / "o.db"), "import", path, "--passphrase", "-")
    assert (code, "E4002" in err) == (1, True)
    assert shell(capsys, "--db", str(tmp_path / "o.db"), "import", path, "--passphrase", "open sesame")[0] == 0


def test_a_bad_file_is_a_usage_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.json").write_text("{")
    code, _, err = shell(capsys, "import", str(tmp_path / "bad.json"))
    assert (code, "not JSON" in err) == (2, True)
    assert shell(capsys, "import", str(tmp_path / "none.json"))[0] == 2
    assert shell(capsys, "export", str(tmp_path / "bad.json"), "--plain")[0] == 2


def test_erasing_asks_and_is_refused_where_nobody_can_answer(capsys: pytest.CaptureFixture[str]) -> None:
    shell(capsys, "add", "Ana keeps bees", "-u", "ana")
    code, _, err = shell(capsys, "erase-user", "ana")
    assert (code, "--yes" in err) == (2, True)
    code, out, _ = shell(capsys, "erase-user", "ana", "--dry-run", "-o", "json")
    assert json.loads(out)["count"] == 1
    code, out, _ = shell(capsys, "erase-user", "ana", "--yes", "-o", "json")
    assert (code, json.loads(out)["count"]) == (0, 1)
    assert not json.loads(shell(capsys, "list", "-u", "ana", "-o", "json")[1])["results"]


@pytest.mark.parametrize(("answer", "left"), [(b"n\n", 1), (b"y\n", 0)])
def test_a_person_decides(answer: bytes, left: int, capsys: pytest.CaptureFixture[str]) -> None:
    shell(capsys, "add", "Ana keeps bees", "-u", "ana")
    asked = answered([*PROGRAM, "erase-user", "ana"], b"Go on?", answer)
    assert b"1 record will be erased for good" in asked
    assert len(json.loads(shell(capsys, "list", "-u", "ana", "-o", "json")[1])["results"]) == left


def test_long_work_tells_how_far_it_is(memory: Memory, tmp_path: Path) -> None:
    memory.add([{"content": f"note {n} about things"} for n in range(2_500)], infer=False)
    told: list[tuple[int, int]] = []
    with watched(lambda done, total: told.append((done, total))):
        memory.export(tmp_path / "a.jsonl")
        assert told
        assert told[-1][0] == told[-1][1]
        exported = len(told)
        memory.import_(tmp_path / "a.jsonl")
    shares = [done / total for done, total in told[exported:]]
    assert len(shares) > 10
    assert shares == sorted(shares)
    assert shares[-1] == 1


def test_a_path_is_data_for_every_caller(memory: Memory, tmp_path: Path) -> None:
    from recollect.errors import UsageError
    from recollect.verbs.by_name import run

    data: dict[str, Any] = run(memory, "export", {"path": str(tmp_path / "a.jsonl")})
    assert data["path"] == str(tmp_path / "a.jsonl")
    assert run(memory, "import", {"path": str(tmp_path / "a.jsonl")})["count"] == 0
    with pytest.raises(UsageError):
        run(memory, "import", {})
