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
from collections import Counter
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

    def ask(self, prompt: str, model: ScriptedModel, **environment: str) -> dict[str, Any]:
        assert CLAUDE is not None
        with served(model) as address:
            environ = {
                "HOME": str(self.home),
                "PATH": os.environ["PATH"],
                "ANTHROPIC_BASE_URL": address,
                "ANTHROPIC_API_KEY": "none",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                "DISABLE_AUTOUPDATER": "1",
                **environment,
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


class _Seen:
    """What models were shown in thirty sessions, by what each nonce stands for."""

    def __init__(self) -> None:
        self.first: dict[str, int] = {}
        self.times: Counter[str] = Counter()

    def look(self, number: int, model: ScriptedModel, **nonces: str) -> None:
        told = "\n".join(model.shown[-1:])
        for name, nonce in nonces.items():
            if nonce in told:
                self.first.setdefault(name, number)
                self.times[name] += 1


def _filled(machine: Machine) -> None:
    """Records and an index before the first session: what is wanted, a warning, what a planner left, how plans went."""
    with recollect.open(machine.store, embedder="fake", background=False) as memory:
        files = {"related_files": ["a.py"]}
        for content, category in (("NONCE-WARN-1: mind the cache", "gotcha"), ("NONCE-WANT-2: sign", "instruction")):
            id_ = memory.add(
                content, category=category, metadata=files if category == "gotcha" else None, project="shop"
            ).id
            memory.confirm(id_)
        stage = {"session_id": "planner", "cwd": str(machine.shop), "phase": "planning"}
        memory.observe({**stage, "type": "session_start", "id": "1"})
        memory.add("NONCE-RELAY-3: tokens first", category="decision", project="shop", session_id="planner")
        memory.observe({**stage, "type": "session_end", "id": "2"})
        for number in range(3):
            done = [("TodoWrite", 2, "pending"), ("Edit", 0, ""), ("TodoWrite", 5, "completed")]
            calls = [
                {
                    "type": "tool",
                    "id": f"{at}",
                    "tool": tool,
                    "input": {"todos": [{"content": f"{n}", "status": state} for n in range(count)]}
                    if count
                    else {"file_path": str(machine.shop / "a.py")},
                }
                for at, (tool, count, state) in enumerate(done)
            ]
            common = {"session_id": f"plan{number}", "cwd": str(machine.shop)}
            memory.observe([{**common, **each} for each in (*calls, {"type": "session_end", "id": "end"})])
        memory.add("NONCE-PROMPT-5: the release is cut from the branch harbour", project="shop")
        memory.code.index(machine.shop)


def _served(machine: Machine) -> subprocess.Popen[bytes]:
    line = [str(machine.program), "serve", "--db", str(machine.store), "--port", "0", "--embedder", "fake", "--quiet"]
    server = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not is_served(places.folder_of(str(machine.store))):
        assert server.poll() is None
        time.sleep(0.1)
    return server


@pytest.mark.timeout(900)
def test_thirty_sessions_see_every_injection_and_survive_the_death_of_the_server(machine: Machine) -> None:
    settings = machine.home / ".claude" / "settings.json"
    before = settings.read_bytes()
    for number in range(12):
        (machine.shop / f"user{number}.py").write_text("import a\n\nprint(a.f())\n")
    (machine.shop / "helper.py").write_text("def nonce_helper_4():\n    return 1\n")
    (machine.shop / "check.py").write_text("import a, sys\nsys.exit('RuntimeError: boom' if a.f() < 100 else 0)\n")
    machine.recollect("hooks", "install", "-c", "claude-code", "--command", str(machine.program), "--write")
    machine.ask("hello", ScriptedModel([]))  # the first hook makes the folder that hints are put into
    _filled(machine)
    seen = _Seen()
    server: subprocess.Popen[bytes] | None = None
    folder = places.folder_of(str(machine.store))
    path, helper = str(machine.shop / "a.py"), str(machine.shop / "helper.py")
    check = ("Bash", {"command": "python3 check.py"})
    for number in range(1, 31):
        script: list[tuple[str, dict[str, Any]]] = [("Read", {"file_path": helper}), ("Read", {"file_path": path})]
        script += [check, check] if number in (2, 6) else []
        value = 100 if number == 2 else 1
        script += [("Write", {"file_path": path, "content": f"def f():\n    return {value}  # {number}\n"})]
        script += [check] if number == 2 else []
        server = _served(machine) if number == 11 else server
        if number == 15:
            assert server is not None
            server.kill()
            server.wait()
        model = ScriptedModel(script)
        phase = {"RECOLLECT_PHASE": "planning"} if number == 20 else {}
        machine.ask("from which branch is the release cut?" if number == 12 else "go on", model, **phase)
        seen.look(
            number,
            model,
            wanted="NONCE-WANT-2",
            warning="NONCE-WARN-1",
            relay="NONCE-RELAY-3",
            preloaded="PRE-LOADED FILES",
            outline="1-2 nonce_helper_4",
            contents="helper.py, whole",
            reach="files depend on it",
            state="Where the work stood:",
            calibration="How earlier plans came out",
            cure="This error came up",
            prompt="NONCE-PROMPT-5",
        )
        if not 11 <= number < 15:
            recollect.open(machine.store, embedder="fake", background=False).close()
    assert not spool.failures(folder)
    with recollect.open(machine.store, embedder="fake", background=False) as memory:
        watched = [each for each in memory.observed(limit=100) if each.client == "claude-code"]
        assert len(watched) == 31
        assert all(each.ended_at is not None for each in watched)
    machine.recollect("hooks", "uninstall", "-c", "claude-code", "--write")
    assert settings.read_bytes() == before
    assert seen.times["outline"] >= 10
    assert seen.times["contents"] >= 2
    assert seen.times["relay"] == 1
    assert seen.first["preloaded"] <= 8
    assert seen.first["calibration"] == 20
    assert seen.times["calibration"] == 1
    for each in ("wanted", "warning", "reach"):
        assert seen.times[each] >= 29, each
    assert seen.times["state"] >= 28
    assert seen.times["cure"] >= 1
    assert seen.times["prompt"] >= 1
