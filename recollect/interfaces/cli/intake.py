"""Texts and records that come in from stdin or a file."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from recollect.errors import UsageError

if TYPE_CHECKING:
    from recollect.memory import Memory
    from recollect.verbs.verb import Verb

STDIN = "-"
PORTION = 500  # lines a write: large enough to be fast, small enough for a bar to move
_JOINED = ("ids", "results", "merged", "skipped", "flags", "missing")


def typed_or_piped(verb: Verb, given: str | None) -> str | None:
    """The text of a verb: as typed, or from stdin when it is `-`, or was left out and something is piped in."""
    if given == STDIN:
        return read_text()
    if given is not None or verb.piped not in verb.positional:
        return given
    found = "" if sys.stdin.isatty() else read_text()
    if not found.strip():
        name, what = verb.in_shell, verb.piped.upper()
        raise UsageError(f"{name} needs {what}: type it, or pipe it in (see recollect {name} --help)")
    return found


def messages(content: str | None) -> Any:
    """What `add` was given: JSON that is a message, or a list of messages and texts, is that; all else is a text."""
    if content is None or content.lstrip()[:1] not in ("{", "["):
        return content
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        return content
    items = found if isinstance(found, list) else [found]
    spoken = [each for each in items if isinstance(each, dict) and isinstance(each.get("content"), str | list)]
    texts = [each for each in items if isinstance(each, str)]
    return found if spoken and len(spoken) + len(texts) == len(items) else content


def read_text() -> str:
    """All of stdin, without the newline that ends it."""
    raw = sys.stdin.buffer.read() if hasattr(sys.stdin, "buffer") else sys.stdin.read().encode()
    try:
        return raw.decode("utf-8").removesuffix("\n")
    except UnicodeDecodeError as error:
        raise UsageError(f"stdin is not UTF-8 text (byte {error.start})") from None


def read_lines(path: str) -> list[Any]:
    """One message, record or text per line. Everything is read before anything is stored."""
    if path == STDIN:
        text = read_text()
    else:
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        except OSError as error:
            raise UsageError(f"cannot read {path}: {error.strerror or error}") from None
        except UnicodeDecodeError as error:
            raise UsageError(f"{path} is not UTF-8 text (byte {error.start})") from None
    return list(_parsed(text, "stdin" if path == STDIN else path))


def _parsed(text: str, where: str) -> Iterator[Any]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            item = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{where}, line {number} is not JSON: {error}") from None
        if not isinstance(item, str | dict):
            raise UsageError(f"{where}, line {number} must be an object or a text, not {line.strip()[:40]}")
        yield item


def transcript(given: Mapping[str, Any]) -> dict[str, Any]:
    """What `observe` was given, files or - for stdin, as its events and the client they come from; JSON is events."""
    from recollect.observe.transcripts import read, read_file

    places = given["events"] if isinstance(given["events"], list) else [given["events"]]
    if len(places) == 1 and isinstance(places[0], str) and places[0].lstrip()[:1] in ("{", "["):
        return {**given, "events": _parsed_value(places[0])}
    found = [read(sys.stdin.buffer) if place == STDIN else read_file(place) for place in places]
    events = [event for each in found for event in each.events]
    return {**given, "events": events, "origin": "transcript"}


def _parsed_value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"that is no JSON: {error}") from None


def add_lines(memory: Memory, items: list[Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Add in portions, with a bar for people; the receipts as one. `operations` has one entry per portion."""
    from recollect.verbs.by_name import run

    if not items:
        raise UsageError("there is nothing to remember: no line holds anything")
    total: dict[str, Any] = {"operation": None, "operations": [], "count": 0, "dry_run": False}
    total |= {name: [] for name in _JOINED}
    with _bar(len(items)) as advance:
        for start in range(0, len(items), PORTION):
            portion = items[start : start + PORTION]
            receipt = run(memory, "add", {**given, "content": portion})
            for skipped in receipt["skipped"]:
                skipped["index"] += start
            for name in _JOINED:
                total[name] += receipt[name]
            total["count"] += receipt["count"]
            total["operations"].append(receipt["operation"])
            advance(len(portion))
    for name in ("flags", "missing"):
        total[name] = list(dict.fromkeys(total[name]))
    total["operation"] = total["operations"][0] if len(total["operations"]) == 1 else None
    return total


@contextmanager
def _bar(total: int) -> Iterator[Callable[[int], None]]:
    """A progress bar on stderr while somebody watches and waits; nothing otherwise."""
    if not sys.stderr.isatty() or total <= PORTION:
        yield lambda count: None
        return
    from rich.progress import Progress

    from recollect.interfaces.cli.answer import console

    with Progress(console=console(stderr=True), transient=True) as progress:
        task = progress.add_task("remembering", total=total)
        yield lambda count: progress.advance(task, count)
