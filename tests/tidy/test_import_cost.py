"""`import recollect` is for every program that might remember something, so it costs next to nothing."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from recollect.language.expression import expression

IMPORT_MS_MAX = 150
RUNS = 5
_HEAVY = (
    "numpy",
    "apsw",
    "tantivy",
    "usearch",
    "tokenizers",
    "wordllama",
    "onnxruntime",
    "splintr",
    "asyncio",
    "typer",
    "rich",
    "starlette",
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


_COMMAND = """
import sys
from recollect.interfaces.cli import main
code = main(sys.argv[1:])
print(*[name for name in sys.modules], file=sys.stderr)
sys.exit(code)
"""
_ENGINE = {
    "numpy",
    "pydantic",
    "tantivy",
    "usearch",
    "tokenizers",
    "recollect.recall.pipeline",
    "recollect.context.window",
    "recollect.ingest.pipeline",
    "recollect.upkeep.maintain",
}


_NOT_FOR_A_SEARCH = {
    "pydantic",
    "usearch",
    "tokenizers",
    "recollect.context.window",
    "recollect.upkeep.maintain",
    "numpy.ma",
    "typer",
    "importlib.resources",
}


def environ_of(home: Path) -> dict[str, str]:
    return {**os.environ, "HOME": str(home), "RECOLLECT_DB": str(home / "m.db"), "RECOLLECT_EMBEDDER": "fake"}


def loaded(home: Path, *words: str) -> set[str]:
    """What a command has imported when it ends."""
    done = subprocess.run(
        [sys.executable, "-c", _COMMAND, *words], capture_output=True, text=True, check=True, env=environ_of(home)
    )
    return set(done.stderr.splitlines()[-1].split())


def test_a_command_that_looks_something_up_loads_only_what_it_needs(tmp_path: Path) -> None:
    loaded(tmp_path, "add", "Ana likes bread")
    for words in (["list"], ["operations"], ["list", "--after", "2030-01-01"]):
        assert not loaded(tmp_path, *words) & _ENGINE, words
    assert not loaded(tmp_path, "search", "bread") & _NOT_FOR_A_SEARCH


def test_a_search_with_the_model_that_people_have_loads_only_what_it_needs(tmp_path: Path) -> None:
    loaded(tmp_path, "add", "Ana likes bread", "--embedder", "wordllama")
    assert not loaded(tmp_path, "search", "what does Ana like?", "--embedder", "wordllama") & _NOT_FOR_A_SEARCH


def test_a_question_from_the_shell_starts_no_threads_for_algebra_and_leaves_no_garbage_to_look_for(
    tmp_path: Path,
) -> None:
    loaded(tmp_path, "add", "Ana likes bread")
    program = """
import gc, os, sys
from recollect.interfaces.cli import main
main()
print(os.environ.get("OPENBLAS_NUM_THREADS"), gc.get_freeze_count() > 1000, file=sys.stderr)
"""
    for words, threads in ((["search", "bread"], "1"), (["add", "Ben likes rice"], "None")):
        environ = {key: value for key, value in environ_of(tmp_path).items() if key != "OPENBLAS_NUM_THREADS"}
        done = subprocess.run(
            [sys.executable, "-c", program, *words], capture_output=True, text=True, check=True, env=environ
        )
        assert done.stderr.splitlines()[-1].split() == [threads, "True"], words


def test_an_expression_is_compiled_when_it_is_first_asked_something() -> None:
    broken = expression("(")  # nobody looks at it yet
    with pytest.raises(re.error):
        broken.search("x")
    word = expression("[a-z]+", re.IGNORECASE)
    assert (word.findall("Ana 7 ben"), word.sub("-", "Ana"), word.pattern) == (["Ana", "ben"], "-", "[a-z]+")
    assert word.findall is word.findall, "made once"
