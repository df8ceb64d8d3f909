"""`recollect hooks`: files of clients changed at one place only, kept, and given back byte for byte."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from commands import Run
from hypothesis import given
from hypothesis import strategies as st

from recollect.interfaces.clients import hooking, jsonc

NAMES = ("claude-code", "codex", "cursor", "gemini")
COMMAND = ("--command", "/opt/recollect/bin/recollect")
FILES = {
    "claude-code": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "cursor": ".cursor/hooks.json",
    "gemini": ".gemini/settings.json",
}
MINE = """{
\t// how I like it
\t"model": "opus", "env": {"TOKEN": "x"},
\t"hooks": {
\t\t"Stop": [ { "hooks": [ { "type": "command", "command": "say done" } ] } ], // my own
\t\t"PostToolUse": [
\t\t\t{ "matcher": "Edit", "hooks": [ { "type": "command", "command": "prettier" } ] }, /* keep */
\t\t],
\t},
}
"""
BEFORE = [
    MINE,
    "{}",
    "{}\n",
    "{\n}\n",
    '{"hooks": {}}',
    '{"hooks": {"Stop": []}}\n',
    '{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"a"}]}]},"x":1}',
    '{\r\n  "theme": "dark"\r\n}\r\n',
    '// only a comment\n{"a": [1, 2]}\n',
]


def put(home: Path, name: str, text: str) -> Path:
    path = home / FILES[name]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def ours(path: Path) -> list[str]:
    value: Any = jsonc.read(path.read_text(encoding="utf-8")).value
    return [event for event, listed in value["hooks"].items() if "/opt/recollect" in json.dumps(listed)]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def test_nothing_is_written_unless_it_is_asked_for(run: Run, home: Path) -> None:
    path = put(home, "claude-code", MINE)
    done = run("hooks", "install", *COMMAND, "-o", "json")
    assert done.data["dry_run"] is True
    assert any("/opt/recollect/bin/recollect hook claude-code" in line for line in done.data["clients"][0]["diff"])
    assert path.read_text(encoding="utf-8") == MINE
    assert sorted(each.name for each in path.parent.iterdir()) == ["settings.json"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("before", [None, *BEFORE])
def test_hooks_go_in_once_and_come_out_byte_for_byte(run: Run, home: Path, name: str, before: str | None) -> None:
    path = home / FILES[name] if before is None else put(home, name, before)
    assert run("hooks", "install", "-c", name, *COMMAND, "--write").code == 0
    once = path.read_bytes()
    assert sorted(ours(path)) == sorted(event for event, _ in hooking.find(name).events)
    again = run("hooks", "install", "-c", name, *COMMAND, "--write", "-o", "json")
    assert [each["did"] for each in again.data["clients"]] == ["same"]
    assert path.read_bytes() == once
    assert run("hooks", "uninstall", "-c", name, "--write").code == 0
    assert (path.read_bytes() if path.exists() else None) == (None if before is None else before.encode())


def test_what_was_changed_since_stays_when_hooks_come_out(run: Run, home: Path) -> None:
    path = put(home, "claude-code", MINE)
    run("hooks", "install", "-c", "claude-code", *COMMAND, "--write")
    path.write_text(path.read_text(encoding="utf-8").replace('"opus"', '"sonnet"'), encoding="utf-8")
    run("hooks", "uninstall", "-c", "claude-code", "--write")
    left = path.read_text(encoding="utf-8")
    assert jsonc.read(left).value == jsonc.read(MINE.replace('"opus"', '"sonnet"')).value
    assert "// how I like it" in left
    assert "/* keep */" in left


def test_the_old_file_is_kept_and_a_changed_command_replaces_ours_alone(run: Run, home: Path) -> None:
    path = put(home, "claude-code", MINE)
    run("hooks", "install", "-c", "claude-code", "--command", "/old/recollect", "--write")
    (backup,) = path.parent.glob("*.bak")
    assert backup.read_text(encoding="utf-8") == MINE
    done = run("hooks", "install", "-c", "claude-code", *COMMAND, "--write", "-o", "json")
    assert done.data["clients"][0]["did"] == "change"
    text = path.read_text(encoding="utf-8")
    assert "/old/recollect" not in text
    assert text.count("say done") == text.count("prettier") == 1
    run("hooks", "uninstall", "-c", "claude-code", "--write")
    assert path.read_text(encoding="utf-8") == MINE


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "expected"),
        ("[]", "no table"),
        ('{"hooks": []}', "no table"),
        ('{"hooks": {"Stop": {}}}', "no list"),
        ("\xff", "a value is expected"),
    ],
)
def test_a_file_that_is_broken_is_left_alone(run: Run, home: Path, text: str, problem: str) -> None:
    path = put(home, "claude-code", text)
    done = run("hooks", "install", "-c", "claude-code", *COMMAND, "--write", "-o", "json")
    assert done.code == 1
    assert problem in done.data["clients"][0]["problem"]
    assert path.read_bytes() == text.encode()
    assert run("hooks", "status", "-o", "json").data["clients"][0]["state"] == "unreadable"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anything")
def test_a_folder_that_may_not_be_written_is_told(run: Run, home: Path) -> None:
    path = put(home, "claude-code", MINE)
    path.parent.chmod(0o500)
    try:
        done = run("hooks", "install", "-c", "claude-code", *COMMAND, "--write", "-o", "json")
    finally:
        path.parent.chmod(0o700)
    assert done.code == 1
    assert done.data["clients"][0]["did"] == "refused"


@pytest.mark.parametrize("name", ["disableAllHooks", "allowManagedHooksOnly"])
def test_where_an_administrator_forbids_hooks_nothing_is_written_and_it_is_said(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    path = put(home, "claude-code", MINE)
    managed = home / "managed-settings.json"
    monkeypatch.setattr(
        hooking,
        "HOOK_CLIENTS",
        tuple(replace(each, managed=each.managed and (lambda _: managed)) for each in hooking.HOOK_CLIENTS),
    )
    for text in ("{", "[]", json.dumps({name: False}), json.dumps({"permissions": {}})):
        managed.write_text(text, encoding="utf-8")
        assert run("hooks", "install", "-c", "claude-code", *COMMAND).code == 0
    managed.write_text(json.dumps({name: True}), encoding="utf-8")
    done = run("hooks", "install", "-c", "claude-code", *COMMAND, "--write", "-o", "json")
    assert (done.code, done.data["clients"][0]["did"]) == (1, "refused")
    assert name in done.data["clients"][0]["problem"]
    assert path.read_text(encoding="utf-8") == MINE
    assert name in run("hooks", "status", *COMMAND).out
    assert run("hooks", "install", "-c", "codex", *COMMAND, "--write").code == 0


def test_hooks_that_their_own_file_switches_off_are_told(run: Run, home: Path) -> None:
    path = put(home, "claude-code", MINE)
    run("hooks", "install", "-c", "claude-code", *COMMAND, "--write")
    path.write_text(path.read_text(encoding="utf-8").replace('"model"', '"disableAllHooks": true, "model"'), "utf-8")
    assert run("hooks", "status", *COMMAND, "-o", "json").data["clients"][0]["state"] == "off"
    assert "disableAllHooks" in run("hooks", "status", *COMMAND).out


def test_a_file_that_is_a_link_stays_one_and_a_read_only_one_keeps_its_rights(run: Run, home: Path) -> None:
    """People keep their settings in a repository of their own, or protect them."""
    kept = home / "dotfiles" / "claude.json"
    kept.parent.mkdir()
    kept.write_text(MINE, encoding="utf-8")
    kept.chmod(0o444)
    path = home / FILES["claude-code"]
    path.parent.mkdir()
    path.symlink_to(kept)
    assert run("hooks", "install", "-c", "claude-code", *COMMAND, "--write").code == 0
    assert path.is_symlink()
    assert kept.stat().st_mode & 0o777 == 0o444
    assert run("hooks", "uninstall", "-c", "claude-code", "--write").code == 0
    assert kept.read_text(encoding="utf-8") == MINE


def test_a_folder_has_hooks_of_its_own_and_the_project_may_be_named(run: Run, home: Path, tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    run("hooks", "install", "-c", "claude-code", "--folder", "shop", "--project", "my shop", *COMMAND, "--write")
    text = (tmp_path / "shop" / ".claude" / "settings.local.json").read_text(encoding="utf-8")
    assert "hook claude-code --db" in text
    assert "--project 'my shop'" in text
    assert not (home / ".claude").exists()


def test_status_tells_what_is_installed_what_waits_and_what_failed(run: Run, home: Path) -> None:
    from recollect.hook import places, spool

    put(home, "claude-code", MINE)
    run("hooks", "install", "-c", "claude-code", *COMMAND, "--write")
    folder = places.folder_of(os.environ["RECOLLECT_DB"])
    spool.append(folder, b'{"session":"s","type":"stop","key":"k","root":""}')
    spool.note_failure(folder, "disk full")
    told = run("hooks", "status", *COMMAND, "-o", "json").data
    assert [(each["client"], each["state"]) for each in told["clients"]] == [("claude-code", "installed")]
    assert (told["failures"], told["failed_because"], told["server"]) == (1, {"disk full": 1}, False)
    assert told["waiting_bytes"] > 0
    run("add", "something")
    told = run("hooks", "status", *COMMAND, "-o", "json").data
    assert (told["waiting_bytes"], told["taken"]) == (0, 1)
    assert "installed" in run("hooks", "status", *COMMAND).out
    run("hooks", "uninstall", "--write")
    assert run("hooks", "status", "-c", "claude-code", "-o", "json").data["clients"][0]["state"] == "absent"


def test_what_hooks_left_before_there_was_a_store_is_shown_to_whoever_looks(run: Run, home: Path) -> None:
    from recollect.hook import places, spool

    folder = places.folder_of(os.environ["RECOLLECT_DB"])
    spool.append(folder, b'{"session":"s","type":"stop","key":"k","root":"/shop","project":"shop"}')
    done = run("observed", "-o", "json")
    assert done.code == 0, done.err
    assert "no store" not in done.err
    assert [each["id"] for each in done.data["results"]] == ["s"]
    assert spool.is_empty(folder)


def test_sessions_are_told_to_people_and_files_of_events_are_taken_in(run: Run, home: Path) -> None:
    assert "recollect hooks install" in run("observed").out
    calls = [
        {"id": f"c{n}", "function": {"name": "read_file", "arguments": '{"path": "src/\\u001b[31m.py"}'}}
        for n in range(4)
    ]
    messages: list[dict[str, Any]] = [{"role": "assistant", "tool_calls": calls}]
    messages += [{"role": "tool", "tool_call_id": f"c{n}", "content": "x"} for n in range(4)]
    (home / "talk.json").write_text(json.dumps(messages), encoding="utf-8")
    assert run("observe", "talk.json", "-p", "shop", "-o", "json").data["taken"] == 4
    told = run("observed").out
    assert "4 steps, 1 files, 0 errors" in told
    assert "time_anomaly: src/" in told
    assert "\x1b" not in told
    assert run("observe", "nowhere.jsonl").code == 2
    assert run("observe", '{"broken').code == 2


def test_clients_without_hooks_and_stores_without_a_file_are_refused(run: Run, home: Path) -> None:
    assert run("hooks", "install", "-c", "vscode").code == 2
    assert run("--db", ":memory:", "hooks", "install", "-c", "codex").code == 2
    assert run("hooks", "install", "-c", "codex", "--folder", "nowhere").code == 2


_TEXTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=6), _TEXTS, max_size=4), st.sampled_from([None, 2, "\t"]))
def test_appending_and_removing_an_item_leaves_every_other_value(value: dict[str, Any], indent: Any) -> None:
    value = {**value, "hooks": {"Stop": [{"mine": 1}], "Other": []}}
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    for event in ("Stop", "Other", "New"):
        after = jsonc.append(text, ("hooks", event), {"ours": True})
        expected = json.loads(text)
        expected["hooks"].setdefault(event, []).append({"ours": True})
        assert json.loads(after) == expected
        back = json.loads(jsonc.remove(after, ("hooks", event), lambda item: item == {"ours": True}))
        kept = {**json.loads(text), "hooks": {k: v for k, v in json.loads(text)["hooks"].items() if v or k != event}}
        assert back == kept
