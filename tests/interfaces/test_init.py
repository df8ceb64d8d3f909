"""`recollect init`: clients are found, their files changed at one place only, kept, and given back as they were."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.config import toml_file
from recollect.errors import ConfigInvalid, UsageError
from recollect.interfaces.cli import main
from recollect.interfaces.clients import jsonc, rules
from recollect.interfaces.clients.catalog import CLIENTS, Machine, find
from recollect.interfaces.clients.setup import entry

NAMES = ("claude-code", "claude-desktop", "cursor", "vscode", "codex", "gemini")
COMMAND = ["--command", "/opt/recollect/bin/recollect"]
CLAUDE_CODE = """{
  "numStartups": 34,
  "projects": {"/src/atlas": {"mcpServers": {}, "history": ["{", "\\"mcpServers\\""]}},
  "mcpServers": {
    "files": {"type": "stdio", "command": "npx", "args": ["-y", "files"]}
  },
  "theme": "dark"
}
"""
VSCODE = """{
\t// servers of mine
\t"servers": {
\t\t"web": { "type": "http", "url": "https://example.org/mcp" }, // the last one
\t},
\t/* nothing yet */
\t"inputs": []
}
"""
CODEX = """# how I like it
model = "gpt-5"

[mcp_servers.files]
command = "npx"
args = ["-y", "files"]

# what it may do
[sandbox]
mode = "read-only"
"""


class Done:
    """What a command left behind."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def data(self) -> Any:
        return json.loads(self.out)

    def client(self, name: str) -> Any:
        return next(each for each in self.data["clients"] if each["client"] == name)


Init = Callable[..., Done]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home on Linux with nothing in it."""
    for name in [name for name in os.environ if name.startswith(("RECOLLECT_", "XDG_", "CODEX_", "CLAUDE_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    return tmp_path


@pytest.fixture
def init(home: Path, capsys: pytest.CaptureFixture[str]) -> Init:
    def call(*words: str, json: bool = True) -> Done:
        capsys.readouterr()
        code = main(["init", *COMMAND, *words, *(["-o", "json"] if json else [])])
        return Done(code, *capsys.readouterr())

    return call


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def installed(home: Path) -> dict[str, Path]:
    """All six clients, three of them with files that people wrote."""
    (home / ".config" / "Claude").mkdir(parents=True)
    (home / ".cursor").mkdir()
    (home / ".gemini").mkdir()
    return {
        "claude-code": put(home / ".claude.json", CLAUDE_CODE),
        "claude-desktop": home / ".config" / "Claude" / "claude_desktop_config.json",
        "cursor": home / ".cursor" / "mcp.json",
        "vscode": put(home / ".config" / "Code" / "User" / "mcp.json", VSCODE),
        "codex": put(home / ".codex" / "config.toml", CODEX),
        "gemini": home / ".gemini" / "settings.json",
    }


def servers(name: str, path: Path) -> Any:
    text = path.read_text(encoding="utf-8")
    read = tomllib.loads(text) if name == "codex" else jsonc.read(text).value
    return read[find(name).within]


# --- finding ------------------------------------------------------------------------------------------------------


def test_nothing_there_is_said_with_what_to_paste(init: Init) -> None:
    done = init(json=False)
    assert done.code == 0
    assert "Claude Code, Claude Desktop, Cursor, VS Code, Codex, Gemini CLI" in done.out
    assert '"command": "/opt/recollect/bin/recollect"' in done.out


@pytest.mark.parametrize("name", NAMES)
def test_a_client_is_found_by_its_folder(init: Init, installed: dict[str, Path], home: Path, name: str) -> None:
    assert name in [each["client"] for each in init().data["clients"]]
    assert init().client(name)["path"] == str(installed[name])


@pytest.mark.parametrize(
    ("platform", "environ", "name", "path"),
    [
        ("darwin", {}, "claude-desktop", "Library/Application Support/Claude/claude_desktop_config.json"),
        ("darwin", {}, "vscode", "Library/Application Support/Code/User/mcp.json"),
        ("win32", {"APPDATA": "/roaming"}, "claude-desktop", "/roaming/Claude/claude_desktop_config.json"),
        ("win32", {}, "vscode", "AppData/Roaming/Code/User/mcp.json"),
        ("linux", {"XDG_CONFIG_HOME": "/conf"}, "vscode", "/conf/Code/User/mcp.json"),
        ("linux", {"CODEX_HOME": "/codex"}, "codex", "/codex/config.toml"),
        ("linux", {"CLAUDE_CONFIG_DIR": "/claude"}, "claude-code", "/claude/.claude.json"),
        ("darwin", {}, "cursor", ".cursor/mcp.json"),
        ("win32", {}, "gemini", ".gemini/settings.json"),
    ],
)
def test_files_are_where_each_system_keeps_them(
    platform: str, environ: dict[str, str], name: str, path: str, tmp_path: Path
) -> None:
    assert find(name).file(Machine(home=tmp_path, platform=platform, environ=environ)) == tmp_path / path


def test_names_are_forgiving_and_unknown_ones_listed() -> None:
    assert find("Gemini CLI").name == "gemini"
    assert find("claude_code").name == "claude-code"
    with pytest.raises(UsageError, match=r"claude-code, claude-desktop, cursor, vscode, codex, gemini"):
        find("emacs")


# --- showing ------------------------------------------------------------------------------------------------------


def test_nothing_is_written_unless_asked(init: Init, installed: dict[str, Path], home: Path) -> None:
    before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    done = init(json=False)
    assert done.code == 0
    assert '+    "recollect": {' in done.out
    assert "+[mcp_servers.recollect]" in done.out
    assert "Nothing was written" in done.out
    assert {path: path.read_bytes() for path in home.rglob("*") if path.is_file()} == before


def test_the_difference_is_in_the_json(init: Init, installed: dict[str, Path]) -> None:
    done = init("--client", "codex")
    assert [each["client"] for each in done.data["clients"]] == ["codex"]
    assert done.data["dry_run"] is True
    assert "+[mcp_servers.recollect]" in done.client("codex")["diff"]


# --- writing ------------------------------------------------------------------------------------------------------


def test_every_client_gets_its_entry(init: Init, installed: dict[str, Path]) -> None:
    done = init("--write")
    assert done.code == 0
    for name, path in installed.items():
        found = servers(name, path)["recollect"]
        assert found == entry(find(name), ["/opt/recollect/bin/recollect", "mcp"])
        assert ("type" in found) is (name in ("claude-code", "cursor", "vscode"))


def test_all_else_stays_as_it_was(init: Init, installed: dict[str, Path]) -> None:
    init("--write")
    for name, before in (("claude-code", CLAUDE_CODE), ("vscode", VSCODE), ("codex", CODEX)):
        after = installed[name].read_text(encoding="utf-8")
        for line in before.splitlines():
            assert line.rstrip(",") in after, f"{name} lost {line!r}"
    assert servers("vscode", installed["vscode"])["web"] == {"type": "http", "url": "https://example.org/mcp"}


def test_the_old_file_is_kept(init: Init, installed: dict[str, Path]) -> None:
    done = init("--write")
    backup = Path(done.client("vscode")["backup"])
    assert backup.read_text(encoding="utf-8") == VSCODE
    assert backup.parent == installed["vscode"].parent
    assert done.client("cursor")["backup"] is None


def test_a_second_time_changes_nothing(init: Init, installed: dict[str, Path], home: Path) -> None:
    init("--write")
    before = sorted(home.rglob("*"))
    again = init("--write")
    assert {each["did"] for each in again.data["clients"]} == {"same"}
    assert sorted(home.rglob("*")) == before


def test_an_entry_is_brought_up_to_date_and_keeps_what_people_added(init: Init, installed: dict[str, Path]) -> None:
    put(installed["cursor"], '{"mcpServers": {"recollect": {"url": "http://x/mcp", "env": {"A": "1"}}}}')
    put(installed["codex"], '[mcp_servers.recollect]\ncommand = "old"  # mine\nstartup_timeout_sec = 20\nargs = [\n]\n')
    done = init("--write", "-u", "ana", "--tools", "engram")
    assert done.client("cursor")["did"] == "change"
    started = ["mcp", "--tools", "engram", "--user-id", "ana"]
    assert servers("cursor", installed["cursor"])["recollect"] == {
        "env": {"A": "1"},
        "type": "stdio",
        "command": COMMAND[1],
        "args": started,
    }
    assert servers("codex", installed["codex"])["recollect"] == {
        "command": COMMAND[1],
        "args": started,
        "startup_timeout_sec": 20,
    }


def test_what_was_added_can_be_taken_out_again(init: Init, installed: dict[str, Path]) -> None:
    init("--write")
    done = init("--remove", "--write")
    assert {each["did"] for each in done.data["clients"]} == {"remove"}
    for name, before in (("claude-code", CLAUDE_CODE), ("vscode", VSCODE), ("codex", CODEX)):
        assert installed[name].read_text(encoding="utf-8") == before
    assert {each["did"] for each in init("--uninstall", "--write").data["clients"]} == {"absent"}


def test_rights_and_links_of_a_file_stay(init: Init, installed: dict[str, Path], home: Path) -> None:
    kept = put(home / "dotfiles" / "claude.json", CLAUDE_CODE)
    kept.chmod(0o600)
    installed["claude-code"].unlink()
    installed["claude-code"].symlink_to(kept)
    init("--client", "claude-code", "--write")
    assert installed["claude-code"].is_symlink()
    assert kept.stat().st_mode & 0o777 == 0o600
    assert "recollect" in servers("claude-code", kept)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("gemini", '{"mcpServers": {', "line 1, column 17"),
        ("cursor", '{\n  "mcpServers": [1,\n}', "line 3, column 1"),
        ("vscode", '{"servers": 3}', "servers"),
        ("codex", "[mcp_servers\n", "line 1"),
        ("claude-code", "[]", "mcpServers"),
    ],
)
def test_a_file_that_is_not_understood_is_left_alone(
    init: Init, installed: dict[str, Path], name: str, text: str, said: str
) -> None:
    put(installed[name], text)
    done = init("--client", name, "--write")
    assert done.code == 1
    assert done.client(name)["did"] == "refused"
    assert said in done.client(name)["problem"]
    assert installed[name].read_text(encoding="utf-8") == text
    assert "left alone" in init("--client", name, "--write", json=False).out


def test_bytes_that_are_no_text_are_left_alone(init: Init, installed: dict[str, Path]) -> None:
    installed["gemini"].write_bytes(b"\xff\xfe{}")
    assert init("--client", "gemini", "--write").client("gemini")["problem"] == "it is not UTF-8 text"


def test_one_bad_file_does_not_stop_the_others(init: Init, installed: dict[str, Path]) -> None:
    put(installed["gemini"], "{")
    done = init("--write")
    assert done.code == 1
    assert done.client("codex")["written"] is True


# --- what is written ----------------------------------------------------------------------------------------------


def test_a_store_is_named_by_its_full_path(
    init: Init, installed: dict[str, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert init("--db", "team.db").data["command"][2:] == ["--db", str(tmp_path / "team.db")]
    monkeypatch.setenv("RECOLLECT_DB", str(tmp_path / "mine.db"))
    assert init().data["command"][2:] == ["--db", str(tmp_path / "mine.db")]


def test_a_project_folder_is_set_up_for_all_who_work_there(
    home: Path, installed: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    project = home / "atlas"
    project.mkdir()
    assert main(["init", "--folder", str(project), "--write", "--project", "atlas"]) == 0
    written = {path.relative_to(project).as_posix() for path in project.rglob("*") if path.is_file()}
    assert written == {
        ".mcp.json",
        ".cursor/mcp.json",
        ".vscode/mcp.json",
        ".codex/config.toml",
        ".gemini/settings.json",
    }
    found = json.loads((project / ".mcp.json").read_text())["mcpServers"]["recollect"]
    assert (found["command"], found["args"]) == ("recollect", ["mcp", "--project", "atlas"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--client", "emacs"], "claude-desktop"),
        (["--write", "--dry-run"], "not both"),
        (["--folder", "/no/such/folder"], "is no folder"),
        (["--tools", "everything"], "everything"),
        (["--client", "claude-desktop", "--folder", "."], "leave out --folder"),
    ],
)
def test_mistakes(init: Init, installed: dict[str, Path], words: list[str], said: str) -> None:
    done = init(*words)
    assert done.code == 2
    assert said in done.data["message"]


def test_the_doctor_sees_a_client_that_starts_nothing(
    init: Init, installed: dict[str, Path], home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    init("--client", "cursor", "--write")
    capsys.readouterr()
    code = main(["--db", str(home / "m.db"), "--embedder", "fake", "doctor", "-o", "json"])
    findings = {each["check"]: each for each in json.loads(capsys.readouterr().out)["findings"]}
    assert code == 1
    assert findings["client"]["cure"].startswith("recollect init --client cursor --write")
    assert findings["client"]["code"] == "D15"
    assert findings["clients"]["detail"] == "set up: Cursor"


def test_the_doctor_has_a_client_start_the_program_that_is_there(
    init: Init,
    installed: dict[str, Path],
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What else the entry says, who it is for among it, stays as it was."""
    init("--client", "cursor", "--user-id", "ana", "--write")
    here = tmp_path / "recollect"
    here.write_text("#!/bin/sh\n")
    here.chmod(0o755)
    monkeypatch.setattr("sys.argv", [str(here)])
    before = json.loads(installed["cursor"].read_text())["mcpServers"]["recollect"]
    capsys.readouterr()
    words = ["--db", str(home / "m.db"), "--embedder", "fake", "doctor", "-o", "json"]
    for fix, fixed in (([], False), (["--fix"], True)):
        assert main([*words, *fix]) == int(not fixed)
        findings = {each["check"]: each for each in json.loads(capsys.readouterr().out)["findings"]}
        assert findings["client"]["fixed"] is fixed
    after = json.loads(installed["cursor"].read_text())["mcpServers"]["recollect"]
    assert after == {**before, "command": str(here)}
    assert "ana" in after["args"]
    assert main(words) == 0


# --- the two editors ----------------------------------------------------------------------------------------------

NAMES_OF_SERVERS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(NAMES_OF_SERVERS, inside, max_size=3),
    max_leaves=8,
)
OURS = {"command": "C:\\bin\\recollect", "args": ["mcp", "--user-id", 'a"]}']}


@given(st.dictionaries(NAMES_OF_SERVERS, VALUES, max_size=4), st.sampled_from([None, 1, 2, "\t"]), st.booleans())
def test_any_json_keeps_everything_else(before: dict[str, Any], indent: Any, has_table: bool) -> None:
    before.pop("servers", None)
    if has_table:
        before["servers"] = {"other": {"url": "x"}}
    text = json.dumps(before, indent=indent, ensure_ascii=False)
    after = jsonc.put(text, ("servers", "recollect"), OURS)
    expected = {**before, "servers": {**before.get("servers", {}), "recollect": OURS}}
    assert json.loads(after) == expected
    back = json.loads(jsonc.drop(after, ("servers", "recollect")))
    assert back == {**before, "servers": before.get("servers", {})}


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(jsonc.NotJsonError):
        jsonc.read(text)
    with contextlib.suppress(ConfigInvalid):
        toml_file.read(text)


def test_comments_above_the_next_table_belong_to_it() -> None:
    text = toml_file.put(CODEX.replace("# what it may do\n", ""), ("mcp_servers", "recollect"), OURS)
    noted = text + "\n# speaks of the last one\n[tui]\nx = 1\n"
    assert "# speaks of the last one\n[tui]" in toml_file.drop(noted, ("mcp_servers", "recollect"))


def test_a_table_in_another_form_is_changed_as_it_is_written() -> None:
    text = 'mcp_servers = {recollect = {command = "old"}, other = {url = "x"}}  # ours\n'
    after = toml_file.put(text, ("mcp_servers", "recollect"), OURS)
    assert tomllib.loads(after)["mcp_servers"] == {"recollect": OURS, "other": {"url": "x"}}
    assert after.endswith("}  # ours\n")
    assert tomllib.loads(toml_file.drop(after, ("mcp_servers", "recollect"))) == {
        "mcp_servers": {"other": {"url": "x"}}
    }


def test_what_is_no_table_is_left_alone() -> None:
    with pytest.raises(ConfigInvalid, match="mcp_servers is no table"):
        toml_file.put("mcp_servers = 3\n", ("mcp_servers", "recollect"), OURS)


def test_a_table_between_others_goes_with_those_inside_it() -> None:
    text = (
        "[mcp_servers.recollect]\ncommand = 'x'\n\n[tui]\nx = 1\n\n"
        "[mcp_servers.recollect.env]\nA = 'b'\n\n# of the last\n[last]\ny = 2\n"
    )
    assert toml_file.drop(text, ("mcp_servers", "recollect")) == "[tui]\nx = 1\n\n# of the last\n[last]\ny = 2\n"


def test_windows_line_ends_stay() -> None:
    for text, editor in ((VSCODE, jsonc), (CODEX, toml_file)):
        name = "servers" if editor is jsonc else "mcp_servers"
        after = editor.put(text.replace("\n", "\r\n"), (name, "recollect"), OURS)
        assert after.count("\n") == after.count("\r\n")


def test_there_are_six_clients() -> None:
    assert tuple(client.name for client in CLIENTS) == NAMES


# --- what it needs, and what agents are told ------------------------------------------------------------------------


def test_without_the_sdk_nothing_broken_is_offered(
    installed: dict[str, Path], home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("recollect.interfaces.mcp.is_installed", lambda: False)
    before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    for words in ([], ["--write"]):
        assert main(["init", *words]) != 0
        assert "pip install 'recollect[mcp]'" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in home.rglob("*") if path.is_file()} == before
    assert main(["init", "--remove"]) == 0


def test_the_doctor_sees_that_what_clients_start_cannot_run(
    init: Init, installed: dict[str, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert init("--write").code == 0
    monkeypatch.setattr("recollect.interfaces.mcp.is_installed", lambda: False)
    capsys.readouterr()
    assert main(["doctor", "--embedder", "fake"]) == 1
    assert "pip install 'recollect[mcp]'" in capsys.readouterr().out


def test_a_folder_is_bound_to_its_project(init: Init, installed: dict[str, Path], home: Path) -> None:
    folder = home / "atlas"
    folder.mkdir()
    assert init("--folder", str(folder)).data["command"][-2:] == ["--project", "atlas"]
    assert init("--folder", str(folder), "--project", "other").data["command"][-2:] == ["--project", "other"]
    assert "--project" not in init().data["command"]


def test_rules_tell_an_agent_when_to_remember(init: Init, installed: dict[str, Path], home: Path) -> None:
    folder = home / "atlas"
    folder.mkdir()
    (folder / "CLAUDE.md").write_text("# Ours\n\nTabs.\n")
    for again in ("add", "same"):
        done = init("--folder", str(folder), "--rules", "--write")
        assert {each["did"] for each in done.data["clients"] if each["what"] == "rules"} == {again}
    said = (folder / "CLAUDE.md").read_text()
    assert said.startswith("# Ours\n\nTabs.\n\n<!-- recollect:begin -->")
    assert said.count("recollect:begin") == 1
    assert "alwaysApply: true" in (folder / ".cursor/rules/recollect.mdc").read_text()
    assert "add_memory" in (folder / "AGENTS.md").read_text()
    assert init("--folder", str(folder), "--remove", "--write").code == 0
    assert (folder / "CLAUDE.md").read_text() == "# Ours\n\nTabs.\n"
    assert not (folder / ".cursor/rules/recollect.mdc").exists()
    assert not (folder / "AGENTS.md").exists()


def test_rules_name_tools_that_exist() -> None:
    from recollect.verbs.toolsets.sets import toolset

    named = set(re.findall(r"`(\w+_\w+)`", rules.TEXT))
    assert named
    assert named <= set(toolset("default"))
