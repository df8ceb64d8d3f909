"""Texts made to be hard to read, through every reader: an answer or an error of ours, within a second.

Each reader has samples of what it reads. From these, texts of 100 KB are made as attackers make them: a piece repeated
without end, brackets that never close, pieces joined, characters changed at random (`hard_texts`). `make test` takes a
few of each, the slow test `RECOLLECT_TEXTS` in all.
"""

from __future__ import annotations

import io
import json
import os
import random
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from interfaces.rest_server import client
from starlette.testclient import TestClient

from properties import hard_texts as of
from properties.tables import open_quick
from recollect.code.families import extractor_of
from recollect.errors import RecollectError
from recollect.language.detect import detected
from recollect.language.passages import passages_of
from recollect.language.spoken import language_named
from recollect.language.terms import terms_of
from recollect.language.times import parse_window
from recollect.memory import Memory
from recollect.model.filters import parse_filters
from recollect.observe.reports import read_report
from recollect.perceive.turn import perceive_text
from recollect.structure.parse import pieces_of

SECONDS_MAX = 1.0
QUICK = 5
SLOW_TEXTS = int(os.environ.get("RECOLLECT_TEXTS", "2_000"))
FIRST_SEED = int(os.environ.get("RECOLLECT_SEED", "0"))


@dataclass(frozen=True)
class Place:
    """What readers read with: a store, a server over one, a folder for files."""

    memory: Memory
    server: TestClient
    folder: Path


Reading = Callable[[Place, str], Any]


def _document(format: str) -> Reading:
    return lambda place, text: pieces_of(text + "\n", format)


def _file(name: str) -> Reading:
    def read(place: Place, text: str) -> None:
        path = place.folder / name
        path.write_bytes(text.encode("latin-1", "replace"))
        pieces_of(path)

    return read


def _imported(format: str) -> Reading:
    return lambda place, text: place.memory.import_(io.BytesIO(_bytes(text)), format=format, dry_run=True)


def _archived(place: Place, text: str) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", _bytes(text))
    place.memory.import_(io.BytesIO(out.getvalue()), dry_run=True)


def _sentences(text: str) -> None:
    for language in ("en", "de", "es", "fr", "ja"):
        list(language_named(language).sentences(text))


def _filter(place: Place, text: str) -> None:
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        given = {"content": {"contains": text}}
    parse_filters(given)


def _posted(path: str, method: str = "POST") -> Reading:
    def read(place: Place, text: str) -> None:
        headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        answer = place.server.request(method, path, content=_bytes(text), headers=headers)
        assert answer.status_code < 500, answer.text[:300]

    return read


def _asked(path: str) -> Reading:
    def read(place: Place, text: str) -> None:
        answer = place.server.get(path, params={"query": text[:6_000], "filters": text[:6_000], "limit": text[:20]})
        assert answer.status_code < 500, answer.text[:300]

    return read


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


READERS: dict[str, tuple[str, Reading]] = {
    "markdown": (of.MARKDOWN, _document("markdown")),
    "rst": (of.RST, _document("rst")),
    "html": (of.HTML, _document("html")),
    "text": (of.PLAIN, _document("text")),
    "chat": (of.CHAT, _document("chat")),
    "pdf": ("", _file("a.pdf")),  # whose sample is made below
    **{f"{language}, in pieces": (code, _file(f"a.{language[:2]}")) for language, code in of.CODE.items()},
    **{
        f"{language}, its facts": (code, lambda _, text, name=language: extractor_of(name).extract(_bytes(text)))
        for language, code in of.CODE.items()
    },
    **{
        f"{name}, its facts": (text, lambda _, text, name=name: extractor_of(name).extract(_bytes(text)))
        for name, text in of.SETTINGS.items()
    },
    **{f"import of {name}": (text, _imported(name)) for name, text in of.IMPORTS.items()},
    "import of an archive": (of.CHAT, _archived),
    "what a text says": (of.SAID, lambda _, text: perceive_text(text)),
    "sentences": (of.SAID, lambda _, text: _sentences(text)),
    "passages and terms": (of.SAID, lambda _, text: (passages_of(text), terms_of(text), detected(text))),
    "time expressions": (of.TIMES, lambda _, text: parse_window(text)),
    "filters": (of.FILTER, _filter),
    "reports of tests": (of.REPORT, lambda _, text: read_report(text)),
    "reports in XML": (of.REPORT_IN_XML, lambda _, text: read_report(text)),
    "a question": (of.SAID, lambda place, text: place.memory.search(text[:20_000])),
    "a window": (of.SAID, lambda place, text: place.memory.context(text, max_tokens=500)),
    "bodies of REST": (of.BODY, _posted("/v1/memories/search")),
    "bodies of a write": (of.BODY, _posted("/v1/memories/compact")),
    "queries of REST": (of.FILTER, _asked("/v1/memories")),
    "bodies of MCP": (of.CALL, _posted("/mcp")),
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("readers")
    config = {"upkeep.scheduled": False, "serve.requests_per_minute": 0, "serve.answer_timeout_s": 600}
    with open_quick(folder / "m.db", config=config) as memory, client(folder / "served.db", config=config) as server:
        memory.add([of.SAID[:90], "Ana likes tea", "The ferry leaves at nine"], user_id="ana")
        yield Place(memory, server, folder)


def read(place: Place, name: str, seed: int) -> float:
    """Let a reader read one hard text. The processor seconds it took, all threads together."""
    sample, reading = READERS[name]
    text = of.hard_text(random.Random(f"{name} {seed}"), sample or of.pdf())
    begun = time.process_time()
    with suppress(RecollectError):
        reading(place, text)
    took = time.process_time() - begun
    assert took < SECONDS_MAX, f"{name}, seed {seed}: {took:.2f} s for {text[:30]!r} … {text[-30:]!r}"
    return took


@pytest.mark.parametrize("name", READERS)
def test_a_text_made_to_be_hard_is_read_in_time(place: Place, name: str) -> None:
    for seed in range(QUICK):
        read(place, name, seed)


@pytest.mark.slow
@pytest.mark.timeout(0)
def test_many_texts_made_to_be_hard_are_read_in_time(place: Place) -> None:
    slowest, wrong = (0.0, "", 0), list[str]()
    each = -(-SLOW_TEXTS // len(READERS))
    for name in READERS:
        for seed in range(FIRST_SEED, FIRST_SEED + each):
            try:
                slowest = max(slowest, (read(place, name, seed), name, seed))
            except BaseException as error:
                wrong.append(f"{name}, seed {seed}: {type(error).__name__}: {error}"[:500])
    print(f"{each * len(READERS)} texts through {len(READERS)} readers, {len(wrong)} went wrong; slowest: {slowest}")
    assert wrong == [], "\n".join(wrong)
