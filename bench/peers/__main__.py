"""`python -m bench.peers`: other libraries beside ours. Same texts, same vectors, one run.

python -m bench.peers                                     all of them, 10,000 and 100,000 texts
python -m bench.peers --only chroma --folder /tmp/peers   keep environments there, and use those that are there
python -m bench.peers --json peers.json --draw --svg docs/images/peers.svg   draw what was measured before

Each library is installed by name into an environment of its own. Texts are LoCoMo's turns, sentences of the other sets,
and then generated ones; vectors the static model's. R@10 is asked within the conversation a question is about; times
are those of searches in everything. Each is opened once more after two processes added at once, and after one was
killed while it added. A step that takes too long is stopped and says how far it came.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from bench import data
from bench.peers.plot import OURS, drawn
from bench.quantised import Corpus, corpus, embedded

PACKAGES = {
    "recollect": [str(Path(__file__).parents[2])],
    "recollect:messages": [],  # in the environment of what is before the colon
    "chroma": ["chromadb"],
    "lancedb": ["lancedb"],
    "qdrant": ["qdrant-client"],
    "sqlite-vec": ["sqlite-vec", "sqlean.py"],
    "langgraph": ["langgraph"],
    "mem0": ["mem0ai"],
    "txtai": ["torch==2.13.0", "txtai"],  # without a version, torch brings gigabytes for graphics cards
    "basic-memory": ["basic-memory", "sqlean.py"],
    "mcp-memory-service": ["mcp-memory-service", "sqlean.py"],
}
NEWER_PYTHONS = {"basic-memory": ("python3.13", "python3.12")}
_SIZES = (10_000, 100_000)
_KILLED_AFTER = 12  # acknowledged portions
_INSTALL_S = 900
_RUNNER = Path(__file__).with_name("runner.py")

Report = dict[str, dict[str, dict[str, Any]]]  # figures by size and name


def main() -> int:
    options = _options()
    report: Report = json.loads(options.json.read_text()) if options.json and options.json.exists() else {}
    with tempfile.TemporaryDirectory(prefix="recollect-peers-") as temporary:
        base = options.folder or Path(temporary)
        for size in options.size if not options.draw else ():
            given = base / "given" / str(size)
            if not (given / "questions.npy").exists():
                given.mkdir(parents=True)
                prepare(corpus(size), size, given)
            for name in options.only:
                figures = report.setdefault(str(size), {})[name] = {}
                try:
                    library = name.partition(":")[0]
                    python, figures["installed MB"] = _environment(library, base / "environments" / library)
                    place = base / "stores" / name / str(size)
                    figures |= _measured(Peer(name, python, place, given, options.seconds), whole=size <= _SIZES[0])
                except (subprocess.SubprocessError, StopIteration) as error:
                    figures["not run"] = str(error)[-300:]
                shutil.rmtree(base / "stores" / name, ignore_errors=True)
                if options.json is not None:
                    options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    for at, of_size in report.items():
        Console(width=200).print(_table(f"{int(at):,} texts", of_size))
    if options.svg is not None:
        options.svg.write_text(drawn(report), encoding="utf-8")
    return 0


def prepare(of: Corpus, size: int, place: Path) -> None:
    """What all peers get, in files that any environment reads; beyond what people wrote, generated sentences."""
    made = data.texts(0, size - len(of.texts))
    texts = [*of.texts, *made]
    given = {
        "texts": texts,
        "groups": [f"g{talk}" for talk in of.talks] + ["g0"] * len(made),
        "questions": of.questions,
        "asked_in": [f"g{talk}" for talk in of.asked_in],
        "gold": [sorted(rows) for rows in of.gold],
    }
    (place / "given.json").write_text(json.dumps(given))
    np.save(place / "vectors.npy", embedded("static", texts))
    np.save(place / "questions.npy", embedded("static", of.questions))


def _environment(name: str, place: Path) -> tuple[str, float]:
    """Its interpreter, and how much is installed beside Python."""
    python, installed = place / "bin" / "python", place / "installed.json"
    if not installed.exists():
        newer = (found for each in NEWER_PYTHONS.get(name, ()) if (found := shutil.which(each)))
        interpreter = next(newer, sys.executable)
        subprocess.run([interpreter, "-m", "venv", str(place)], check=True, timeout=_INSTALL_S)
        before, pip = _packages_mb(place), [str(python), "-m", "pip", "install", "-q"]
        subprocess.run([*pip, *PACKAGES[name]], check=True, timeout=_INSTALL_S, capture_output=True)
        installed.write_text(json.dumps(_packages_mb(place) - before))
        subprocess.run([*pip, "numpy"], check=True, timeout=_INSTALL_S, capture_output=True)  # the runner's own
    return str(python), json.loads(installed.read_text())


def _packages_mb(place: Path) -> float:
    packages = next((place / "lib").glob("python*/site-packages"))
    return sum(each.stat().st_size for each in packages.rglob("*") if each.is_file()) / 1e6


class Peer(NamedTuple):
    """A library in its environment, and the measurements of one size."""

    name: str
    python: str
    place: Path
    given: Path
    seconds: float

    def command(self, measurement: str) -> list[str]:
        store = self.place / ("writing" if measurement in {"adding", "counting"} else measurement)
        store.mkdir(parents=True, exist_ok=True)
        return [self.python, str(_RUNNER), self.name, measurement, str(store), str(self.given), str(self.seconds)]

    def told(self, measurement: str) -> dict[str, Any]:
        """All it told; why it ended early, too."""
        process = _start(self.command(measurement))
        ended = ""
        try:
            out, err = process.communicate(timeout=4 * self.seconds)
            if process.returncode:
                ended = err.strip()[-200:] or f"exit {process.returncode}"
        except subprocess.TimeoutExpired:
            process.kill()
            out, _ = process.communicate()
            ended = f"stopped after {4 * self.seconds:.0f} s"
        figures: dict[str, Any] = {}
        for line in out.splitlines():
            figures |= json.loads(line)
        return figures | ({f"{measurement} ended": ended} if ended else {})


def _measured(peer: Peer, whole: bool) -> dict[str, Any]:
    figures = peer.told("speed")
    if whole:
        if peer.name.startswith(OURS):
            figures |= peer.told("early")
        left = peer.told("traces")
        stored, deleted, closed = (left.get(when) for when in ("stored", "deleted", "closed"))
        figures["files with a deleted text"] = f"{deleted} after, {closed} closed (of {stored})"
        for what, function in (("two writers", _two_writers), ("kill -9", _killed)):
            shutil.rmtree(peer.place / "writing", ignore_errors=True)
            figures[what] = function(peer)
    return figures


def _start(command: list[str], first: int = 0) -> subprocess.Popen[str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {"FIRST": str(first)}
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, env=environment, text=True, **pipes)


def _two_writers(peer: Peer) -> str:
    """Two processes open the same store and add 5,000 texts each, or as many as there is time for."""
    both = [_start(peer.command("adding"), first) for first in (0, 5_000)]
    ready = [bool(process.stdout and process.stdout.readline().strip()) for process in both]
    ended = []
    for process in both:  # told to go before any is waited for
        with suppress(BrokenPipeError):
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
    for process in both:
        try:
            ended.append(process.communicate(timeout=peer.seconds))
        except subprocess.TimeoutExpired:
            process.kill()
            ended.append(process.communicate())
    refused = [
        err.strip().splitlines()[-1][:90] for (_, err), process in zip(ended, both, strict=True) if process.returncode
    ]
    text = f"{_counted(peer)} there of {sum(_last_number(out) for out, _ in ended):,} acknowledged"
    return f"{text}; {sum(ready)} opened; {refused[0]}" if refused else text


def _killed(peer: Peer) -> str:
    """One process adds, and is killed after some portions."""
    process = _start(peer.command("adding"))
    assert process.stdout is not None
    assert process.stdin is not None
    process.stdout.readline()
    process.stdin.write("go\n")
    process.stdin.flush()
    acknowledged = 0
    for _ in range(_KILLED_AFTER):
        acknowledged = max(acknowledged, _last_number(process.stdout.readline()))
    process.kill()
    out, _ = process.communicate()
    acknowledged = max(acknowledged, _last_number(out))
    time.sleep(1.0)
    return f"{_counted(peer)} there of {acknowledged:,} acknowledged"


def _counted(peer: Peer) -> str:
    told = peer.told("counting")
    return f"{told['count']:,}" if "count" in told else f"not opened again: {told['counting ended']}"[:120]


def _last_number(out: str) -> int:
    numbers = [int(line) for line in out.split() if line.isdigit()]
    return max(numbers, default=0)


def _table(title: str, report: dict[str, dict[str, Any]]) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column("what")
    for name in report:
        table.add_column(name, overflow="fold")
    for what in dict.fromkeys(what for figures in report.values() for what in figures):
        cells = [figures.get(what, "") for figures in report.values()]
        table.add_row(what, *(f"{cell:,.3g}" if isinstance(cell, float) else str(cell) for cell in cells))
    return table


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.peers", formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__
    )
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(PACKAGES), help="these libraries")
    sizes: dict[str, Any] = {"type": lambda text: [int(part) for part in text.split(",")], "default": list(_SIZES)}
    parser.add_argument("--size", **sizes, help="of stores; beyond 10,000 speed alone is measured")
    parser.add_argument("--seconds", type=float, default=160, help="how long a step may take")
    parser.add_argument("--folder", type=Path, help="for environments and what they are given; kept")
    parser.add_argument("--json", type=Path, help="figures are added to those that are there")
    parser.add_argument("--svg", type=Path, help="the plot")
    parser.add_argument("--draw", action="store_true", help="measure nothing, show what --json holds")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
