"""Reasoning and research from the shell."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

import recollect
from recollect.interfaces.cli import main
from recollect.interfaces.cli.views import draw
from recollect.memory import Memory

QUESTION = "Who was the first president of the association that publishes the Harbour Review?"
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    monkeypatch.setenv("RECOLLECT_DB", str(tmp_path / "cli.db"))
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "fake")

    def call(*arguments: str, stdin: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8"))
        code = main(list(arguments))
        out, err = capfdbinary.readouterr()
        return code, out.decode(), err.decode()

    return call


def drawn(memory: Memory, question: str) -> str:
    console = Console(file=StringIO(), width=120, markup=False, highlight=False)
    console.print(draw("Reasoning", memory.reason(question).to_dict()))
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def test_the_tree_is_drawn(memory: Memory) -> None:
    first = memory.add("The Harbour Review is published by the Tide Society.").id
    memory.add("Ana Ruiz was the first president of the Tide Society.\x1b[31m")
    shown = drawn(memory, QUESTION)
    assert f"├── {first[:8]}  " in shown
    assert "about whom: association that publishes the Harbour Review" in shown
    assert "by name: first president association Tide Society" in shown
    assert "no language model" in shown
    assert "\x1b" not in shown
    assert first[:8] in shown.partition("evidence")[2]


def test_a_followed_relation_is_drawn(memory: Memory) -> None:
    outage = memory.add("Checkout was down on Monday morning").id
    cause = memory.add("A certificate ran out over the weekend").id
    for n in range(30):
        memory.add(f"Invoice {n} was paid on Monday morning by the Porto office")
    memory.relate(cause, outage, "causes")
    assert f"—causes→ {cause[:8]}" in drawn(memory, "Why was checkout down on Monday?")


def test_nothing_is_drawn_as_nothing(memory: Memory) -> None:
    assert "nothing stored here bears on it" in drawn(memory, "Who is Zacharias?")


def test_json_is_the_value(run: Run, tmp_path: Path) -> None:
    run("add", "Ben drinks green tea.")
    code, out, _ = run("reason", "Who drinks green tea?", "--depth", "1", "-o", "json")
    data = json.loads(out)
    assert code == 0
    assert data["results"][0]["memory"] == "Ben drinks green tea."
    with recollect.open(tmp_path / "cli.db", embedder="fake") as memory:
        assert data.keys() == memory.reason("Who drinks green tea?").to_dict().keys()


def test_research_takes_json_from_stdin(run: Run) -> None:
    findings = [{"content": f"Finding number {n} about tea", "urls": [f"https://example.org/{n}"]} for n in range(2)]
    code, out, _ = run("research", "-", "--cross-references", "[[0, 1]]", "-o", "json", stdin=json.dumps(findings))
    assert (code, len(json.loads(out)["ids"])) == (0, 2)
    code, _, err = run("research", '[{"content": "x", "urls": ["ftp://example.org"]}]')
    assert code == 2
    assert "http://" in err
