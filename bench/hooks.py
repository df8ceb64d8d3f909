"""Hooks of coding clients: what a client waits for at each step of its agent, as a process and over HTTP."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import recollect
from bench.measure import Figure, Stopwatch, in_turns, latency
from bench.plan import Plan
from bench.server import served

GROUP = "hooks"
FILES, WARNINGS = 200, 100  # of the project; warnings that a person confirmed
_MAIN = "import sys; from recollect.interfaces.cli import main; sys.exit(main())"
_HEADERS = {"Content-Type": "application/json"}


def measure_once(folder: Path, plan: Plan) -> list[Figure]:
    """Both ways with a project that has something to be said, beside what an interpreter takes to start and end."""
    shop = folder / "shop"
    (shop / ".git").mkdir(parents=True)
    store = _filled(folder / "hooks.db", shop)
    process = _Process(store, folder)
    for _ in range(2):
        process(_call(shop, 0))  # compiles what the others find compiled
    numbers = range(1, 1 + max(20, plan.searches // 4))
    calls = {
        "hook, own process": lambda number: process(_call(shop, number)),
        "floor": lambda number: process.nothing(),
        "hook at the start of a session": lambda number: process(_start(shop, number)),
    }
    times = in_turns(calls, list(numbers))
    floor = times.pop("floor")
    note = f"stdin to exit, {WARNINGS} warnings; the floor is an interpreter that does nothing"
    figures = [latency(GROUP, name, found, floor_ms=floor, note=note) for name, found in times.items()]
    return [*figures, *_over_http(store, shop, plan)]


class _Process:
    """Hooks as a client runs them, with every module compiled, as an installed package is."""

    def __init__(self, store: Path, folder: Path) -> None:
        self._command = [sys.executable, "-c", _MAIN, "hook", "claude-code", "--db", str(store)]
        compiled = {"PYTHONPYCACHEPREFIX": str(folder / "compiled"), "PYTHONDONTWRITEBYTECODE": ""}
        self._environment = os.environ | compiled

    def __call__(self, payload: dict[str, Any]) -> None:
        data = json.dumps(payload).encode()
        subprocess.run(self._command, input=data, env=self._environment, stdout=subprocess.DEVNULL, check=True)

    def nothing(self) -> None:
        command = [sys.executable, "-c", "pass"]
        subprocess.run(command, input=b"", env=self._environment, stdout=subprocess.DEVNULL, check=True)


def _over_http(store: Path, shop: Path, plan: Plan) -> list[Figure]:
    calls: list[float] = []
    prompts: list[float] = []
    with served(str(store)) as server:
        server.wait_until_warm()
        line = http.client.HTTPConnection("127.0.0.1", server.port)
        for number in range(plan.searches):
            asked = {
                **_start(shop, 0),
                "hook_event_name": "UserPromptSubmit",
                "prompt": f"what about part {number % 50}?",
            }
            for payload, times in ((_call(shop, number, "h"), calls), (asked, prompts)):
                watch = Stopwatch()
                line.request("POST", "/v1/hooks/claude-code", json.dumps(payload), _HEADERS)
                line.getresponse().read()
                times.append(watch.ms)
        line.close()
    return [
        latency(GROUP, "hook over HTTP", calls, note="one connection; the event is durable when it is answered"),
        latency(GROUP, "prompt over HTTP", prompts, note="the same with a search"),
    ]


def _filled(path: Path, shop: Path) -> Path:
    """A store that knows the project and has warnings about half of its files."""
    with recollect.open(path, embedder="static") as memory:
        memory.observe({"session_id": "s0", "type": "session_start", "cwd": str(shop)}, origin="hook")
        for number in range(WARNINGS):
            text = f"part {number} of the cache is filled before part {number + 1}, or tests hang"
            files = {"related_files": [f"src/part_{number}.py"]}
            memory.confirm(memory.add(text, category="gotcha", metadata=files, project="shop").id)
        memory.settle()
    os.makedirs(f"{path}.hooks", mode=0o700, exist_ok=True)
    recollect.open(path, embedder="static", background=False).close()  # leaves what hooks are to find
    return path


def _start(shop: Path, number: int) -> dict[str, Any]:
    return {"session_id": f"b{number}", "cwd": str(shop), "hook_event_name": "SessionStart", "source": "startup"}


def _call(shop: Path, number: int, session: str = "p") -> dict[str, Any]:
    path = str(shop / "src" / f"part_{number % FILES}.py")
    lines = [" def f():", "-    return 1", "+    return 2"]
    return {
        "session_id": f"{session}{number // 50}",
        "cwd": str(shop),
        "hook_event_name": "PostToolUse",
        "tool_name": "Edit",
        "tool_use_id": f"toolu_{session}_{number:06}",
        "tool_input": {"file_path": path, "old_string": "return 1", "new_string": "return 2"},
        "tool_response": {
            "filePath": path,
            "originalFile": "x = 1\n" * 2_000,
            "structuredPatch": [{"oldStart": 1, "oldLines": 2, "newStart": 1, "newLines": 2, "lines": lines}],
        },
    }
