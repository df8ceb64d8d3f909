"""`python -m bench.peers`: other libraries beside ours. Same texts, same vectors, one run.

python -m bench.peers                                     all of them, 10,000 texts
python -m bench.peers --only chroma --folder /tmp/peers   keep environments there, and use those that are there

Each library is installed by name into an environment of its own. Texts are LoCoMo's turns and sentences of the other
sets, vectors the static model's. R@10 is asked within the conversation a question is about; times are those of searches
in everything. Each is opened once more after two processes added at once, and after one was killed while it added.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from bench.peers.adapters import PEERS
from bench.quantised import Corpus, corpus, embedded

PACKAGES = {
    "chroma": ["chromadb"],
    "lancedb": ["lancedb"],
    "qdrant": ["qdrant-client"],
    "sqlite-vec": ["sqlite-vec"],
    "langgraph": ["langgraph"],
}
NOT_RUN = {
    "mem0, txtai": "no adapter was written yet",
    "basic-memory, mcp-memory-service": "no adapter was written yet; they embed texts themselves",
}
_SIZE = 10_000
_KILLED_AFTER = 12  # acknowledged portions
_TIMEOUT_S = 900
_RUNNER = Path(__file__).with_name("runner.py")


def main() -> int:
    options = _options()
    report: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory(prefix="recollect-peers-") as temporary:
        base = options.folder or Path(temporary)
        data = base / "given"
        data.mkdir(parents=True, exist_ok=True)
        prepare(corpus(options.size), data)
        for name in options.only:
            try:
                python, installed_mb = _environment(name, base / "environments" / name)
                report[name] = {"installed MB": installed_mb, **_measured(name, python, base / "stores" / name, data)}
            except (subprocess.SubprocessError, ValueError) as error:
                report[name] = {"not run": str(error)[-300:]}
    Console(width=150).print(_table(report))
    if options.json is not None:
        options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 0


def prepare(of: Corpus, data: Path) -> None:
    """What all peers get, in files that any environment reads."""
    given = {
        "texts": of.texts,
        "groups": [f"g{talk}" for talk in of.talks],
        "questions": of.questions,
        "asked_in": [f"g{talk}" for talk in of.asked_in],
        "gold": [sorted(rows) for rows in of.gold],
    }
    (data / "given.json").write_text(json.dumps(given))
    np.save(data / "vectors.npy", embedded("static", of.texts))
    np.save(data / "questions.npy", embedded("static", of.questions))


def _environment(name: str, place: Path) -> tuple[str, float]:
    """Its interpreter, and what is installed beside it."""
    if name == "recollect":
        return sys.executable, 0.0
    python = place / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(place)], check=True, timeout=_TIMEOUT_S)
        install = [str(python), "-m", "pip", "install", "-q", *PACKAGES[name], "numpy"]
        subprocess.run(install, check=True, timeout=_TIMEOUT_S, capture_output=True)
    packages = next((place / "lib").glob("python*/site-packages"))
    bytes_ = sum(each.stat().st_size for each in packages.rglob("*") if each.is_file() and "/pip" not in str(each))
    return str(python), bytes_ / 1e6


def _measured(name: str, python: str, base: Path, data: Path) -> dict[str, Any]:
    def command(measurement: str, store: str) -> list[str]:
        (base / store).mkdir(parents=True, exist_ok=True)
        return [python, str(_RUNNER), name, measurement, str(base / store), str(data)]

    def told(measurement: str, store: str) -> dict[str, Any]:
        done = subprocess.run(
            command(measurement, store), capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
        )
        if done.returncode:
            raise ValueError(f"{measurement}: {done.stderr.strip()[-300:]}")
        found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
        return found

    figures = told("speed", "speed")
    left = told("traces", "traces")
    figures["deleted text in files"] = (
        f"{left['deleted']} after, {left['closed']} closed (of {left['files with it, stored']})"
    )
    for what, function in (("two writers", _two_writers), ("kill -9", _killed)):
        figures[what] = function(command, told)
    return figures


def _start(command: list[str], first: int) -> subprocess.Popen[str]:
    environment = os.environ | {"FIRST": str(first)}
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, env=environment, text=True, **pipes)


def _two_writers(command: Any, told: Any) -> str:
    """Two processes open the same store and add 5,000 texts each."""
    both = [_start(command("adding", "two"), first) for first in (0, 5_000)]
    ready = [bool(process.stdout and process.stdout.readline().strip()) for process in both]
    ended = [process.communicate("go\n", timeout=_TIMEOUT_S) for process in both]
    refused = [
        err.strip().splitlines()[-1][:70] for (_, err), process in zip(ended, both, strict=True) if process.returncode
    ]
    acknowledged = sum(_last_number(out) for out, _ in ended)
    try:
        found = told("counting", "two")["count"]
    except ValueError as error:
        return f"not opened again: {error}"[:120]
    text = f"{found} there of {acknowledged} acknowledged"
    return f"{text}; {sum(ready)} opened; {refused[0]}" if refused else text


def _killed(command: Any, told: Any) -> str:
    """One process adds, and is killed after some portions."""
    process = _start(command("adding", "killed"), 0)
    assert process.stdout is not None
    assert process.stdin is not None
    process.stdout.readline()
    process.stdin.write("go\n")
    process.stdin.flush()
    acknowledged = 0
    for _ in range(_KILLED_AFTER):
        acknowledged = int(json.loads(process.stdout.readline()))
    process.kill()
    out, _ = process.communicate()
    acknowledged = max(acknowledged, _last_number(out))
    time.sleep(1.0)
    try:
        return f"{told('counting', 'killed')['count']} there of {acknowledged} acknowledged"
    except ValueError as error:
        return f"not opened again: {error}"[:120]


def _last_number(out: str) -> int:
    numbers = [int(line) for line in out.split() if line.isdigit()]
    return max(numbers, default=0)


def _table(report: dict[str, dict[str, Any]]) -> Table:
    table = Table(title="beside the others", title_justify="left")
    table.add_column("what")
    for name in report:
        table.add_column(name, overflow="fold")
    for what in dict.fromkeys(what for figures in report.values() for what in figures):
        cells = [figures.get(what, "") for figures in report.values()]
        table.add_row(what, *(f"{cell:,.3g}" if isinstance(cell, float) else str(cell) for cell in cells))
    return table


def _options() -> argparse.Namespace:
    listed = "\n".join(f"not run: {name}: {why}" for name, why in NOT_RUN.items())
    parser = argparse.ArgumentParser(
        prog="python -m bench.peers", formatter_class=argparse.RawDescriptionHelpFormatter, epilog=listed
    )
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(PEERS))
    parser.add_argument("--size", type=int, default=_SIZE)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
