"""`recollect move`: what is typed, what is answered, which exit code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.usefixtures("environment")


def test_a_store_is_moved(run: Any, tmp_path: Path) -> None:
    source, target = str(tmp_path / "a.db"), str(tmp_path / "b.db")
    run("--db", source, "add", "Ana moved from vim to Helix")
    looked = run("move", source, target, "--dry-run", "-o", "json")
    assert (looked.code, looked.data["did"]) == (0, "would move")
    done = run("move", source, target)
    assert done.code == 0
    assert "moved" in done.out
    assert "alike in both places" in done.out
    assert "Helix" in run("--db", target, "search", "editor").out
    refused = run("--db", source, "add", "Ben likes tea")
    assert refused.code != 0
    assert "E1016" in refused.err
    assert target in refused.err
    back = run("move", source, "--cancel", "-o", "json")
    assert back.data["did"] == "taken back"
    assert run("--db", source, "add", "Ben likes tea").code == 0


def test_what_is_typed_wrongly(run: Any, tmp_path: Path) -> None:
    source = str(tmp_path / "a.db")
    run("--db", source, "add", "Ana moved from vim to Helix")
    assert "say where" in run("move", source).err
    assert "same place" in run("move", source, source).err
    assert "no store" in run("move", str(tmp_path / "nowhere.db"), source).err
    assert "no move" in run("move", source, "--cancel").err
