"""Stored markup, in every output that somebody reads: nothing in it acts, and all of it can be read.

Payloads stand in every field that a caller may fill. Programs get them as they were stored: Python, JSON over HTTP.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import Run
from model.active_markup import HALVES, ORDINARY, PAYLOADS, TRICKY, UNSEEN, active, active_in_markdown, parsed
from rest_server import client
from tool_reads import READING, arguments

import recollect
from recollect import Memory
from recollect.errors import NotFound
from recollect.model.showable import inert, showable
from recollect.verbs.toolsets.run import answer, bound, text_of
from recollect.verbs.toolsets.sets import toolset

WORD = "palm"
STORED = (*PAYLOADS, *TRICKY, *HALVES[:3], *UNSEEN)
# Everything a reader of pages or terminals must not get from a record.
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\U000e0020-\U000e007e]")


def filled(path: Path, texts: tuple[str, ...] = STORED) -> dict[str, str]:
    """A store with a payload in every field; the id of a record by each payload."""
    ids: dict[str, str] = {}
    with recollect.open(path, embedder="fake") as memory:
        for at, text in enumerate(texts):
            short = " ".join(text.split())[:60]
            receipt = memory.add(
                {"role": "user", "name": short, "content": f"{at}: {text}"},
                category="note" if at % 2 else "instruction",
                tags=[short],
                metadata={short: text},
                source=short,
                session_id=short,
                timestamp=f"2026-05-{at % 28 + 1:02d}",
                keep=True,
            )
            ids[text] = receipt.id
        memory.add("Ana went to Rome with Ben. " + texts[0], keep=True)
        known = list(ids.values())
        memory.relate(known[0], known[1], "causes", evidence=[texts[0], texts[1]])
        memory.update(known[2], content=f"now {texts[2]}", reason=texts[3])
        memory.settle()
    return ids


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    path = tmp_path_factory.mktemp("filled") / "memory.db"
    return path, filled(path)


@pytest.fixture
def ids(environment: None, once: tuple[Path, dict[str, str]], tmp_path: Path) -> dict[str, str]:
    shutil.copy(once[0], tmp_path / "memory.db")
    return once[1]


@pytest.fixture
def memory(ids: dict[str, str], tmp_path: Path) -> Iterator[Memory]:
    with recollect.open(tmp_path / "memory.db", embedder="fake") as found:
        yield found


def check(shown: str) -> None:
    assert not active_in_markdown(shown)
    assert not STEERING.search(shown.replace("\n", "")), "characters that nobody sees"
    assert WORD in shown


@pytest.mark.parametrize("layout", ["window", "assistant", "flow"])
@pytest.mark.parametrize("mode", ["standard", "deep"])
def test_a_window(memory: Memory, layout: str, mode: str) -> None:
    window = memory.context("what about palm?", layout=layout, mode=mode, max_tokens=30_000)
    assert len(window.ids) > len(STORED) / 2
    for shown in (window.text, window.system, *(part.text for part in window.parts)):
        assert not active_in_markdown(shown)
        assert not STEERING.search(shown.replace("\n", ""))
    check(window.text)


COMMANDS = (
    ("search", "palm", "-n", "60"),
    ("search", "palm", "--explain", "-n", "60"),
    ("search", "palm", "--full", "-n", "60"),
    ("get", "$0"),
    ("list", "-n", "100"),
    ("context", "what about palm?", "--max-tokens", "9000"),
    ("timeline", "palm"),
    ("entities",),
    ("history", "$2"),
    ("operations",),
    ("related", "$0"),
    ("relations",),
    ("network",),
    ("topology",),
    ("memory", "graph"),
    ("explain", "$0"),
    ("review",),
    ("weak",),
    ("reason", "what about palm?"),
    ("knowledge",),
)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command[:3]))
def test_a_command_of_the_shell(run: Run, ids: dict[str, str], command: tuple[str, ...]) -> None:
    known = list(ids.values())
    words = [known[int(word[1:])] if word.startswith("$") else word for word in command]
    done = run(*words)
    assert done.code == 0, done.err
    assert not active_in_markdown(done.out)
    assert not STEERING.search(done.out.replace("\n", ""))
    assert not STEERING.search(run(*words, "-o", "json").out.replace("\n", "")), "people look at JSON, too"


def test_the_shell_shows_the_words_of_what_it_stills(run: Run, ids: dict[str, str]) -> None:
    check(run("search", "palm", "--full", "-n", "60").out)


def test_the_prompt_of_the_sandbox(run: Run, ids: dict[str, str]) -> None:
    done = run(
        "repl", stdin="for hit in memory_query('palm', limit=40):\n    print(hit)\nresult = memory_query('palm')\n"
    )
    assert done.code == 0, done.err
    printed = done.out.partition("\n[\n")[0]
    check(printed)
    assert not STEERING.search(done.out.replace("\n", ""))


def test_pictures_and_pages_of_relations(run: Run, ids: dict[str, str]) -> None:
    for kind in ("svg", "html"):
        done = run("memory", "graph", "--format", kind)
        assert done.code == 0, done.err
        body = done.out.partition("</style>")[2]
        assert not re.search(r"<(?:img|script|iframe|a|meta|object)\b", body)
        assert not re.search(r"\s(?:href|src|on\w+)=", re.sub(r">[^<]*<", "><", body)), "no attribute of a tag"
        assert WORD in body


@pytest.mark.parametrize("name", READING)
def test_a_tool(memory: Memory, ids: dict[str, str], name: str) -> None:
    tool = READING[name]
    try:
        done = answer(tool, arguments(tool, next(iter(ids.values())), "palm"), bound(memory))
    except NotFound:  # no entity of that name, no code
        return
    assert not _acting(done.data)
    assert not active_in_markdown(text_of(done))
    assert not STEERING.search(text_of(done).replace("\n", ""))


def _acting(data: object) -> list[str]:
    if isinstance(data, str):
        return active(data) + STEERING.findall(data.replace("\n", ""))
    if isinstance(data, dict):
        return [told for pair in data.items() for each in pair for told in _acting(each)]
    return [told for each in data for told in _acting(each)] if isinstance(data, list) else []


def test_resources_and_prompts_of_mcp(memory: Memory, ids: dict[str, str]) -> None:
    pytest.importorskip("mcp")
    from recollect.interfaces.mcp import prompts, resources
    from recollect.interfaces.mcp.binding import Binding

    for each in resources.listed(memory):
        assert not _acting(each.name)
        assert not _acting(each.description or "")
    for id_ in ids.values():
        (found,) = resources.read(memory, f"{resources.RECORD}{id_}").contents
        assert not _acting(json.loads(found.text))
        assert WORD in found.text
    binding = Binding(memory=bound(memory), tools=toolset("default"))
    said = prompts.prompt(binding, prompts.RECALL, {"question": "what about palm?"})
    check(said.messages[0].content.text)


def test_an_export_for_people(run: Run, ids: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "out.md"
    assert run("export", str(path), "--format", "markdown", "--plain").code == 0
    written = path.read_text()
    body = written.partition("-->")[2]
    assert not active_in_markdown(body)
    assert not STEERING.search(written.replace("\n", ""))
    tokens = parsed(body)
    titles = [tokens[at + 1].content for at, each in enumerate(tokens) if each.type == "heading_open"]
    ours = re.compile(
        r"Memories|Everybody|Session .*|What was said|Facts|How things are done|Opinions|Who and what|\w+.*"
    )
    assert all(ours.fullmatch(title) and "\n" not in title for title in titles)
    assert not any(each.type in ("html_block", "fence", "hr") for each in tokens)
    assert written.count("palm") >= len(STORED) / 2


def test_programs_get_what_was_stored(memory: Memory, ids: dict[str, str], tmp_path: Path) -> None:
    for at, (text, id_) in enumerate(ids.items()):
        record = memory.get(id_)
        assert record is not None
        assert record.content == (f"now {text}" if at == 2 else f"{at}: {text}")
    memory.close()
    with client(tmp_path / "memory.db") as server:
        row = server.get(f"/v1/memories/{next(iter(ids.values()))}").json()
    assert PAYLOADS[0] in json.dumps(row)


def test_what_people_note_is_shown_as_it_is(environment: None, run: Run, tmp_path: Path) -> None:
    filled(tmp_path / "memory.db", ORDINARY)
    with recollect.open(tmp_path / "memory.db", embedder="fake") as memory:
        window = memory.context("what is there?", mode="deep", max_tokens=20_000, layout="window").text
    for text in ORDINARY:
        told = text.replace("\n", "\n  ")
        assert told in window, text
        assert inert(text) == showable(text) == text
