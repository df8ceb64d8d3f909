"""`recollect backup`, `backups`, `restore`, `rescue`: what is typed, what is answered."""

from __future__ import annotations

import re
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from rest_server import client

pytestmark = pytest.mark.usefixtures("environment")


def test_a_store_is_backed_up_and_brought_back(run: Any) -> None:
    assert "there is no backup" in run("backups").out
    run("add", "Ana moved from vim to Helix")
    assert "backed up and read back" in run("backup").out
    run("add", "Ben likes tea")
    (listed,) = run("backups", "--verify", "-o", "json").data["results"]
    assert listed["verified"]
    shown = run("backups").out
    assert listed["name"] in shown
    looked = run("restore", "--dry-run")
    assert "without 1 operations (1 add)" in looked.out
    assert "pass --yes" in run("restore").err
    done = run("restore", listed["name"], "--yes", "-o", "json")
    assert done.data["lost"]["verbs"] == {"add": 1}
    found = run("list", "-o", "json").data["results"]
    assert [each["content"] for each in found] == ["Ana moved from vim to Helix"]


def test_a_store_that_is_gone_is_said_and_comes_back(run: Any, tmp_path: Path) -> None:
    run("add", "Ana moved from vim to Helix")
    run("backup")
    (tmp_path / "memory.db").unlink()
    for command in (["search", "editor"], ["add", "Ben likes tea"], ["health"]):
        said = run(*command)
        assert said.code != 0
        assert "[E1002]" in said.err
        assert "recollect restore" in said.err
        assert "no store" not in said.err
    assert run("restore", "--yes").code == 0
    assert "Helix" in run("list").out


def test_the_doctor_says_to_move_the_file_of_another_program_away(run: Any, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "memory.db")) as db:
        db.execute("CREATE TABLE theirs (a)")
    told = run("doctor", "-o", "json").out
    assert "[E1002]" in told or "E1002" in told
    assert "another program away first" in told


def test_whoever_only_uses_the_shell_has_a_backup(run: Any, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("RECOLLECT_BACKUPS__INTERVAL_HOURS", "0.0001")
    run("add", "Ana moved from vim to Helix")
    time.sleep(0.5)
    run("add", "Ben likes tea")
    assert "auto-" in run("backups").out


def test_a_moment_is_typed_in_words(run: Any) -> None:
    run("add", "Ana moved from vim to Helix")
    done = run("restore", "--at", "yesterday", "--yes")
    assert done.code == 0
    assert "1 operations after that moment are undone" in done.out
    assert run("list", "-o", "json").data["results"] == []
    (back,) = re.findall(r"`recollect restore (restore-\S+)` takes all of this back", done.out)
    assert run("restore", back, "--yes").code == 0
    assert "Helix" in run("list").out
    assert "to come" in run("restore", "--at", "tomorrow", "--dry-run").err


def test_a_damaged_store_is_rescued(run: Any) -> None:
    run("add", "Ana moved from vim to Helix")
    assert "no row is lost" in run("rescue", "--dry-run").out
    assert "pass --yes" in run("rescue").err
    done = run("rescue", "--yes")
    assert done.code == 0
    assert ".damaged-" in done.out
    found = run("list", "-o", "json").data["results"]
    assert [each["content"] for each in found] == ["Ana moved from vim to Helix"]


def test_over_http_the_owner_makes_and_lists_them(tmp_path: Path) -> None:
    with client(tmp_path / "memory.db") as server:
        server.post("/v1/memories", json={"content": "Ana moved from vim to Helix"})
        made = server.post("/v1/verbs/backup", json={})
        assert made.status_code == 200, made.text
        assert made.json()["verified"]
        listed = server.post("/v1/verbs/backups", json={"verify": True}).json()["results"]
        assert [each["name"] for each in listed] == [made.json()["name"]]
        assert server.post("/v1/verbs/restore", json={}).status_code == 404
