"""`import recollect` is for every program that might remember something, so it costs next to nothing."""

from __future__ import annotations

import subprocess
import sys

IMPORT_MS_MAX = 150
RUNS = 5
_HEAVY = (
    "numpy",
    "apsw",
    "tantivy",
    "usearch",
    "tokenizers",
    "wordllama",
    "splintr",
    "asyncio",
    "typer",
    "rich",
    "fastapi",
    "uvicorn",
)
_PROGRAM = f"""
import sys, time
start = time.perf_counter()
import recollect
took_ms = (time.perf_counter() - start) * 1e3
print(took_ms, *[name for name in {_HEAVY!r} if name in sys.modules])
"""


def measure() -> tuple[float, list[str]]:
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True)
    took_ms, *heavy = done.stdout.split()
    return float(took_ms), heavy


def test_import_is_cheap() -> None:
    runs = [measure() for _ in range(RUNS)]
    assert runs[0][1] == [], f"import recollect pulls in {', '.join(runs[0][1])}"
    best = min(took_ms for took_ms, _ in runs)
    assert best <= IMPORT_MS_MAX, f"import recollect takes {best:.0f} ms, at most {IMPORT_MS_MAX}"
