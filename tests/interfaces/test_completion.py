"""`recollect completion`: the scripts, where they go, and what Tab offers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import recollect
from recollect.interfaces.cli import main

PROGRAM = "#!{python}\nimport sys\nfrom recollect.interfaces.cli import main\nsys.exit(main())\n"
SHELLS = ("bash", "zsh", "fish")
Tab = Callable[..., list[str]]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith(("RECOLLECT_", "_RECOLLECT_", "XDG_", "ZDOTDIR"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("RECOLLECT_DB", str(tmp_path / "memory.db"))
    return tmp_path


@pytest.fixture
def tab(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Tab:
    """What is offered after these words, the last of them unfinished."""

    def press(*words: str) -> list[str]:
        monkeypatch.setenv("_RECOLLECT_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", " ".join(("recollect", *words)))
        monkeypatch.setenv("COMP_CWORD", str(len(words)))
        capsys.readouterr()
        with pytest.raises(SystemExit):
            main([])
        monkeypatch.delenv("_RECOLLECT_COMPLETE")
        return capsys.readouterr().out.split()

    return press


@pytest.fixture
def stored(home: Path) -> list[str]:
    """A store with two records of Ana's and one of somebody with a dangerous name."""
    with recollect.open(embedder="fake") as memory:
        first = memory.add("Ana moved to Helix", user_id="ana", project="atlas", session_id="monday").id
        second = memory.add("Ana likes bread", user_id="ana").id
        memory.add("a trap", user_id="$(touch trap)", project="x`id`")
    return [str(first), str(second)]


# --- what is offered ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["sea"], ["search"]),
        (["search", "x", "--us"], ["--user-id", "--user"]),
        (["add", "x", "--kind", "se"], ["semantic"]),
        (["search", "x", "--kinds", "episodic,sem"], ["episodic,semantic"]),
        (["token", "c"], ["create"]),
        (["init", "--client", "claude-d"], ["claude-desktop"]),
        (["config", "get", "serve.po"], ["serve.port"]),
        (["completion", "z"], ["zsh"]),
        (["help", "sea"], ["search"]),
        (["help", "token", "c"], ["create"]),
        (["-o", "j"], ["json"]),
    ],
)
def test_words_are_completed(tab: Tab, words: list[str], offered: list[str]) -> None:
    assert tab(*words) == offered


def test_names_in_the_store_are_offered(tab: Tab, stored: list[str]) -> None:
    assert tab("search", "x", "-u", "a") == ["ana"]
    assert tab("search", "x", "--project", "at") == ["atlas"]
    assert tab("list", "--session-id", "m") == ["monday"]
    assert tab("get", stored[0][:6]) == [stored[0]]
    assert tab("relate", stored[0], stored[1][:6]) == [stored[1]]
    assert len(tab("undo", "")) == 3


def test_names_that_a_shell_would_run_are_not_offered(tab: Tab, stored: list[str]) -> None:
    assert tab("search", "x", "-u", "") == ["ana"]
    assert tab("search", "x", "--project", "") == ["atlas"]


def test_a_key_press_creates_no_store(tab: Tab, home: Path) -> None:
    assert tab("get", "") == []
    assert list(home.iterdir()) == []


def test_a_store_that_cannot_be_read_offers_nothing(tab: Tab, home: Path) -> None:
    (home / "memory.db").write_bytes(b"no database at all, but long enough to look like one" * 200)
    assert tab("get", "") == []
    (home / "memory.db").unlink()
    with recollect.open(home / "memory.db", key=bytes(32), embedder="fake") as memory:
        secret = str(memory.add("a secret").id)
    assert tab("get", "") == []
    (home / "key").write_bytes(bytes(32))
    assert tab("--key-file", str(home / "key"), "get", "") == [secret]


# --- the scripts --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_is_printed(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert f"complete_{shell}" in script
    assert main(["completion", shell, "-o", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"shell": shell, "script": script}


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_accepts_its_script(shell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    main(["completion", shell])
    script = tmp_path / "script"
    script.write_text(capsys.readouterr().out)
    subprocess.run([shell, "-n", str(script)], check=True)


def test_bash_completes(tmp_path: Path, stored: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A real bash reads the script, asks the program and fills in the answer."""
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    program = tmp_path / "bin" / "recollect"
    program.parent.mkdir()
    program.write_text(PROGRAM.format(python=sys.executable))
    program.chmod(0o755)
    main(["completion", "bash"])
    asked = "COMP_WORDS=(recollect search x -u ''); COMP_CWORD=4; _recollect_completion recollect; echo ${COMPREPLY[*]}"
    root = str(Path(recollect.__file__).parents[1])
    environ = os.environ | {"PATH": f"{program.parent}:{os.environ['PATH']}", "PYTHONPATH": root}
    line = capsys.readouterr().out + asked
    done = subprocess.run(["bash", "-c", line], env=environ, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.split() == ["ana"]
    assert not (tmp_path / "trap").exists()


# --- installing ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shell", "place", "start"),
    [
        ("bash", ".bash_completions/recollect.sh", ".bashrc"),
        ("zsh", ".zfunc/_recollect", ".zshrc"),
        ("fish", ".config/fish/completions/recollect.fish", None),
    ],
)
def test_it_is_installed_once(
    home: Path, shell: str, place: str, start: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    if start:
        (home / start).write_text("alias ll='ls -l'  # no newline at the end")
    assert main(["completion", shell, "--install", "-o", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["path"] == str(home / place)
    assert (home / place).read_text().count(f"complete_{shell}") == 1
    if start is None:
        assert told["start_file"] is None
        return
    first = (home / start).read_text()
    assert first.startswith("alias ll='ls -l'  # no newline at the end\n")
    assert main(["completion", shell, "--install"]) == 0
    assert "open a new shell" in capsys.readouterr().out
    assert (home / start).read_text() == first


def test_folders_that_were_chosen_are_used(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ZDOTDIR", str(home / "z"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "conf"))
    assert main(["completion", "zsh", "--install"]) == 0
    assert main(["completion", "fish", "--install"]) == 0
    assert (home / "z" / ".zfunc" / "_recollect").exists()
    assert (home / "conf" / "fish" / "completions" / "recollect.fish").exists()


def test_what_stands_in_the_way_is_said(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / ".bash_completions").write_text("a file")
    assert main(["completion", "bash", "--install"]) == 2
    assert "could not be installed" in capsys.readouterr().err


def test_the_shell_is_guessed_or_asked_for(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("SHELL", "/usr/bin/fish")
    assert main(["completion"]) == 0
    assert "complete_fish" in capsys.readouterr().out
    monkeypatch.setenv("SHELL", "/bin/tcsh")
    assert main(["completion"]) == 2
    assert "bash, zsh, fish" in capsys.readouterr().err
