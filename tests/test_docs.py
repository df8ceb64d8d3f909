"""What the documentation shows is run, and prints what it says it prints.

Python blocks of a file are one program, run in order in an empty folder with a store of its own. A line
`#> text` is a line of output. Shell blocks are run line by line: `recollect …` for real, `make …` as far as the
target must exist, `pip install …` not at all. A block that is not meant to run says `text` instead of `python`.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import atlas
import pytest
from commands import PROGRAM, Run

import recollect
from recollect import wiring
from recollect.config.root import declared, sections
from recollect.model.entity import EntityType
from recollect.model.scope import Scope
from recollect.store.base import Tx

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
VERBS = ROOT / "docs" / "verbs.md"  # a reference: one example a verb, each on its own, and synopses for the shell
ALONE = (["mcp"], ["repl"], ["serve"], ["ui"])  # commands that take a process over: its input, its output, its signals
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((?!https?://)([^)#]*)#?([^)]*)\)")
_PATH = re.compile(r"`((?:[\w.-]+/)+[\w-]+\.(?:py|pyi|sql)|(?:recollect|docs|tests|bench|scripts)/[\w./-]*)`")
_SETTING = re.compile(r"`([a-z]+)\.([a-z_]+)(\*?)(?=[`=\s])")


# Names of the language that look like settings: attributes of values that share a section's name, and files.
_NO_SETTINGS = {"graph.json", "graph.memory", "store.memory", "store.taken_over", "trust.composite", "trust.relevance"}
GENERATED = {ROOT / "docs" / "configuration.md", VERBS}  # made from the code, which has tests of its own
SENTENCE_WORDS_MAX = 30
_SENTENCE_END = re.compile(r"(?<=[.!?:;])[)*\"]*\s+|\n\n|^- ", re.MULTILINE)
_NO_SENTENCE = re.compile(r"^(?:\||#|    \S)[^\n]*$|<!--.*?-->", re.MULTILINE | re.DOTALL)
_MAP = re.compile(r"<!-- map:begin -->.*<!-- map:end -->", re.DOTALL)


def blocks(page: Path, *languages: str) -> list[tuple[int, str]]:
    """(line in the file, text) of every block in one of these languages."""
    source = page.read_text(encoding="utf-8")
    found = (match for match in _BLOCK.finditer(source) if match[1] in languages)
    return [(source.count("\n", 0, match.start(2)) + 1, match[2]) for match in found]


def pages_with(*languages: str) -> list[Path]:
    return [page for page in PAGES if page != VERBS and blocks(page, *languages)]


def page_id(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty home and working folder; nothing of the person running the tests is seen or touched."""
    for name in list(os.environ):
        if name.startswith("RECOLLECT_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("RECOLLECT_DB", str(tmp_path / "memory.db"))
    monkeypatch.chdir(tmp_path)
    opened: list[recollect.Memory] = []
    really = wiring.Memory

    def remembered(*engine: Any) -> recollect.Memory:
        opened.append(really(*engine))
        return opened[-1]

    monkeypatch.setattr(wiring, "Memory", remembered)
    yield tmp_path
    for memory in opened:  # pages show how to open a memory, seldom how to close it
        memory.close()


@pytest.mark.parametrize("page", pages_with("python"), ids=page_id)
def test_python(page: Path, home: Path) -> None:
    names: dict[str, object] = {"__name__": "__docs__"}
    for line, text in blocks(page, "python"):
        program = compile("\n" * (line - 1) + text, str(page), "exec")  # tracebacks show the line of the page
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(program, names)
        expected = re.findall(r"^\s*#> ?(.*)$", text, re.MULTILINE)
        if expected:
            assert output.getvalue().splitlines() == expected, f"{page_id(page)}, line {line}"


def _know_people(tx: Tx) -> None:
    op = tx.journal.begin("add", at=0, scope_pk=tx.scopes.ensure(Scope()))
    for name, *aliases in (("Ana Ruiz",), ("Annie",), ("Ben", "Benny")):
        tx.entities.ensure(op, name, EntityType.PERSON, tx.scopes.ensure(Scope()), aliases)


@pytest.mark.parametrize("line", [line for line, _ in blocks(VERBS, "python")] if VERBS.exists() else [])
def test_verb_example(line: int, home: Path) -> None:
    """Each example of the reference works on a small store where its names mean something."""
    text = dict(blocks(VERBS, "python"))[line]
    (home / "docs").mkdir()
    (home / "docs" / "runbook.md").write_text("# Runbook\n\nRestart the worker.\n", encoding="utf-8")
    with recollect.open(":memory:" if "backup" not in text else home / "m.db", embedder="fake") as mem:
        receipt = mem.add("Ana moved from vim to Helix", user_id="ana")
        a, b = (mem.add(one).id for one in ("Helix starts in no time", "Ana values quick tools"))
        edge = mem.relate(a, b, "supports")
        mem._engine.store.write(_know_people)
        Path("report.json").write_text(json.dumps(mem.erase(session_id="nowhere").to_dict()))
        if ".code." in text:
            mem.code.index(atlas.project(home))
        names = {"mem": mem, "receipt": receipt, "id": receipt.id, "a": a, "b": b, "edge": edge}
        if "turn.id" in text:
            names["turn"] = mem.turns.begin("Which editor does Ana use?")
        exec(compile("\n" * (line - 1) + text, str(VERBS), "exec"), names)
        if names["mem"] is not mem:  # the page opens one itself
            names["mem"].close()


@pytest.mark.parametrize("page", pages_with("sh"), ids=page_id)
def test_shell(page: Path, home: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RECOLLECT_EMBEDDER")  # the model that people have
    for line, text in blocks(page, "sh"):
        for command in filter(None, (part.partition("#")[0].strip() for part in text.splitlines())):
            obey(command, home, run, f"{page_id(page)}, line {line}")


def obey(command: str, home: Path, run: Run, where: str) -> None:
    program, *arguments = shlex.split(command)
    if program == "make":
        targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
        assert set(arguments) <= set(targets), f"{where}: {command}"
    elif program == "recollect" and arguments[:1] in ALONE:
        environ = {**os.environ, "PYTHONPATH": str(ROOT)}
        ended = subprocess.run(
            [*PROGRAM, *arguments], capture_output=True, text=True, cwd=home, env=environ, input="", check=False
        )
        assert ended.returncode == 0, f"{where}: {command}\n{ended.stdout}{ended.stderr}"
    elif program == "recollect":
        done = run(*arguments)
        assert done.code == 0, f"{where}: {command}\n{done.out}{done.err}"
    else:
        assert command.startswith("pip install "), f"{where}: nobody runs {command!r}"


def _heading_anchor(heading: str) -> str:
    """The name that GitHub gives a heading: lower case, words joined by dashes, no other marks."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def _anchors(page: Path) -> set[str]:
    return {_heading_anchor(heading) for heading in re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)}


def prose(page: Path) -> str:
    """A page without its blocks: what it says, not what it runs."""
    return _BLOCK.sub("", page.read_text(encoding="utf-8"))


def test_links_lead_somewhere() -> None:
    lost = []
    for page in PAGES:
        for target, anchor in _LINK.findall(page.read_text(encoding="utf-8")):
            place = (page.parent / target).resolve() if target else page
            if not place.exists() or (anchor and place.suffix == ".md" and anchor not in _anchors(place)):
                lost.append(f"{page_id(page)} links to {target}{'#' if anchor else ''}{anchor}")
    assert not lost, "\n".join(lost)


def test_files_that_pages_name_exist() -> None:
    """A path of the repository in backticks is a file or a folder of it, perhaps told from the package or the page."""
    lost = [
        f"{page_id(page)} names {path}"
        for page in PAGES
        for path in _PATH.findall(prose(page))
        if not any((folder / path).exists() for folder in (ROOT, ROOT / "recollect", page.parent))
    ]
    assert not lost, "\n".join(lost)


def test_settings_that_pages_name_exist() -> None:
    known, names = set(declared()), set(sections())
    lost = []
    for page in [page for page in PAGES if page not in GENERATED]:
        for section, name, star in _SETTING.findall(prose(page)):
            key = f"{section}.{name}"
            there = any(each.startswith(key) for each in known) if star else key in known
            if section in names and key not in _NO_SETTINGS and not there:
                lost.append(f"{page_id(page)} names the setting {key}{star}")
    assert not lost, "\n".join(lost)


def test_pages_speak_of_the_product_alone() -> None:
    """No private attribute is taught, and no section is cited of a text that readers do not have."""
    found = [
        f"{page_id(page)}: {word}"
        for page in PAGES
        for word in ("§", "._opened", "._engine", "._handle")
        if word in page.read_text(encoding="utf-8")
    ]
    assert not found, "\n".join(found)


def test_sentences_can_be_read_at_once() -> None:
    """A long sentence hides who does what. Decisions, which argue, and tables are free."""
    pages = [page for page in PAGES if page not in GENERATED and page.parent.name != "adr"]
    long = [
        f"{page_id(page)}: {' '.join(sentence.split())[:80]} …"
        for page in pages
        for sentence in _SENTENCE_END.split(_NO_SENTENCE.sub("", _MAP.sub("", prose(page))))
        if len(sentence.split()) > SENTENCE_WORDS_MAX
    ]
    assert not long, "\n".join(long)
