"""Claude Code itself, headless, in an empty home, with a scripted model: hooks go in, speak and listen, and come out.

Run where `claude` is on the PATH or `RECOLLECT_CLAUDE` names it (`npm i -g --prefix DIR @anthropic-ai/claude-code`).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from scripted_model import ScriptedModel, served
from sessions import repository

import recollect
from recollect.hook import places, spool
from recollect.observe import transcripts
from recollect.observe.serving_hooks import is_served

CLAUDE = os.environ.get("RECOLLECT_CLAUDE") or shutil.which("claude")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CLAUDE is None, reason="Claude Code is not installed: set RECOLLECT_CLAUDE to its path"),
    pytest.mark.timeout(300),
]
ROOT = Path(__file__).resolve().parents[2]


class Machine:
    """A home with Claude Code in it, a store, and a project."""

    def __init__(self, folder: Path) -> None:
        self.home, self.store = folder / "home", folder / "m.db"
        (self.home / ".claude").mkdir(parents=True)
        (self.home / ".claude" / "settings.json").write_text('{\n  "env": {}\n}\n', encoding="utf-8")
        self.shop = repository(folder / "shop", a__py="def f():\n    return 1\n")
        self.program = folder / "recollect"
        self.program.write_text(
            f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(ROOT)!r})\n"
            "from recollect.interfaces.cli import main\nsys.exit(main())\n",
            encoding="utf-8",
        )
        self.program.chmod(0o755)

    def recollect(self, *words: str) -> Any:
        environ = {"HOME": str(self.home), "PATH": os.environ["PATH"], "RECOLLECT_EMBEDDER": "fake"}
        line = [str(self.program), "--db", str(self.store), *words, "-o", "json"]
        done = subprocess.run(line, env=environ, capture_output=True, text=True, check=True, timeout=60)
        return json.loads(done.stdout)

    def ask(self, prompt: str, model: ScriptedModel) -> dict[str, Any]:
        assert CLAUDE is not None
        with served(model) as address:
            environ = {
                "HOME": str(self.home),
                "PATH": os.environ["PATH"],
                "ANTHROPIC_BASE_URL": address,
                "ANTHROPIC_API_KEY": "none",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                "DISABLE_AUTOUPDATER": "1",
            }
            done = subprocess.run(
                [CLAUDE, "-p", prompt, "--allowedTools", "Read,Edit,Write,Bash,Grep", "--output-format", "json"],
                cwd=self.shop,
                env=environ,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
        assert done.returncode == 0, done.stdout[-500:] + done.stderr[-500:]
        found: dict[str, Any] = json.loads(done.stdout)
        return found


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_the_real_client_is_told_what_to_know_and_tells_what_it_did(machine: Machine) -> None:
    settings = machine.home / ".claude" / "settings.json"
    before = settings.read_bytes()
    machine.recollect("hooks", "install", "-c", "claude-code", "--command", str(machine.program), "--write")
    path = str(machine.shop / "a.py")
    failing = ("Bash", {"command": "python3 -c 'import nothere'"})
    script: list[tuple[str, dict[str, Any]]] = [
        ("Read", {"file_path": path}),
        failing,
        failing,
        ("Edit", {"file_path": path, "old_string": "return 1", "new_string": "return 2"}),
        ("Bash", {"command": "cat a.py"}),
    ]
    first = ScriptedModel(script)
    machine.ask("change f to return 2", first)
    assert len(first.shown) >= len(script) + 1
    with recollect.open(machine.store, embedder="fake", background=False) as memory:
        (session,) = memory.observed()
        assert (session.client, session.project, session.steps, session.errors) == ("claude-code", "shop", 5, 2)
        assert session.ended_at is not None
        kinds = {each.kind.value for each in session.signals}
        assert {"file_access", "error_retry"} <= kinds
        for category, nonce in (("gotcha", "NONCE-FILE-4711"), ("work_state", "NONCE-START-0815")):
            files = {"related_files": ["a.py"]} if category == "gotcha" else None
            id_ = memory.add(f"{nonce}: mind the cache", category=category, metadata=files, project="shop").id
            if category == "gotcha":
                memory.confirm(id_)
    second = ScriptedModel([("Edit", {"file_path": path, "old_string": "return 2", "new_string": "return 3"})])
    machine.ask("now 3", second)
    assert "NONCE-START-0815" in second.shown[0]
    assert "NONCE-FILE-4711" in second.shown[-1]
    assert not spool.failures(places.folder_of(str(machine.store)))
    with recollect.open(machine.store, embedder="fake", background=False) as memory:
        before_reading = [(each.id, each.steps, len(each.signals)) for each in memory.observed()]
        for transcript in (machine.home / ".claude" / "projects").rglob("*.jsonl"):
            found = transcripts.read_file(transcript)
            done = memory.observe(found.events, client=found.client, origin="transcript")
            assert (done.taken, done.refused) == (0, ())
        assert [(each.id, each.steps, len(each.signals)) for each in memory.observed()] == before_reading
    machine.recollect("hooks", "uninstall", "-c", "claude-code", "--write")
    assert settings.read_bytes() == before


def test_the_real_client_is_served_over_http_and_goes_on_when_the_server_is_killed(machine: Machine) -> None:
    machine.recollect("hooks", "install", "-c", "claude-code", "--command", str(machine.program), "--write")
    with recollect.open(machine.store, embedder="fake", background=False) as memory:
        memory.add("NONCE-PROMPT-99: the release is cut from the branch harbour", project="shop")
    line = [str(machine.program), "serve", "--db", str(machine.store), "--port", "0", "--embedder", "fake", "--quiet"]
    server = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    folder = places.folder_of(str(machine.store))
    try:
        while not is_served(folder):
            assert server.poll() is None
            time.sleep(0.1)
        model = ScriptedModel([("Read", {"file_path": str(machine.shop / "a.py")})])
        machine.ask("from which branch is the release cut?", model)
        assert "NONCE-PROMPT-99" in model.shown[0]
        assert spool.is_empty(folder)
    finally:
        server.kill()
        server.wait()
    machine.ask("again", ScriptedModel([("Read", {"file_path": str(machine.shop / "a.py")})]))
    assert not spool.is_empty(folder)
    with recollect.open(machine.store, embedder="fake", background=False) as memory:
        assert sorted(each.steps for each in memory.observed()) == [1, 1]
