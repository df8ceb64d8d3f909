"""Answers about code, drawn for people: files and lines first, as editors and terminals like to follow them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from recollect.interfaces.cli.views.cells import DIM, WARN, short_id, text

TESTS_TOLD = 5
_SURE = ("exact", "inferred", "said")


def answer(data: Mapping[str, Any]) -> RenderableType:
    """What was found, one to a line; then where the rest lies, and what may be wrong."""
    parts: list[RenderableType] = [text(f"{data['asked']}: {data['summary']}", "bold")]
    parts += [_line(item) for item in data["items"]]
    if data["possible"]:
        parts += [text("possible:", DIM), *(_line(item) for item in data["possible"])]
    if data["modules"]:
        parts.append(text("and more in:", DIM))
        parts += [
            text(f"  {each['path']}/  {each['files']} files, {each['symbols']} symbols") for each in data["modules"]
        ]
    if data["next"] is not None:
        parts.append(text(f"go on with --start {data['next']}", DIM))
    if data["tests"]:
        more = f" and {data['counts']['tests'] - TESTS_TOLD} more" if data["counts"]["tests"] > TESTS_TOLD else ""
        parts.append(text(f"tests: {', '.join(data['tests'][:TESTS_TOLD])}{more}", DIM))
    if data["paired"]:
        parts.append(text(f"goes with it: {', '.join(each['path'] for each in data['paired'])}", DIM))
    parts += [_note(each) for each in data["records"]]
    return Group(*parts, *_warnings(data))


def notes(data: Mapping[str, Any]) -> RenderableType:
    """What was said about code, one to a line."""
    parts: list[RenderableType] = [_note(each) for each in data["items"]] or [text("nothing was said yet", DIM)]
    if data["next"] is not None:
        parts.append(text(f"go on with --start {data['next']}", DIM))
    return Group(*parts)


def paired(data: Mapping[str, Any]) -> RenderableType:
    """Files that go with one, the surest first: how surely, and what showed it."""
    parts: list[RenderableType] = [text(data["path"], "bold")]
    parts += [_pair(each) for each in data["files"]] or [text("nothing goes with it, as far as is known", DIM)]
    return Group(*parts, *(text(note, WARN) for note in data["missing"]))


def _pair(pair: Mapping[str, Any]) -> Text:
    times = f"{pair['together']} time{'s' * (pair['together'] != 1)} together"
    watched = f", {pair['sessions']} of them watched" if pair["sessions"] else ""
    order = {True: ", comes after it", False: ", comes before it", None: ""}[pair["follows"]]
    return text(f"  {pair['weight']:.2f}  {pair['path']}").append_text(text(f"  {times}{watched}{order}", DIM))


def project_map(data: Mapping[str, Any]) -> RenderableType:
    """The text of a map."""
    return Group(text(data["text"]), *_warnings(data))


def _line(item: Mapping[str, Any]) -> Text:
    place = f"{item['path']}:{item.get('at') or item['line']}" if item["path"] else f"line {item['line']}"
    drawn = Text.assemble("  " * (item.get("depth", 0) or 1), text(place))
    if item["symbol"]:
        drawn.append_text(text(f"  {item['symbol']}", "bold"))
    said = [word for word in (item.get("note"), "" if item["resolved"] in _SURE else item["resolved"]) if word]
    if said:
        drawn.append_text(text(f"  {', '.join(said)}", DIM))
    return drawn


def _note(note: Mapping[str, Any]) -> Text:
    """A record about code: what it is, what it says, where, and what to think of it."""
    drawn = Text.assemble(text(f"{short_id(note['id'])} {note['kind']}  ", DIM), text(note["text"]))
    said = [*note["about"], note.get("by", ""), note["state"] if note.get("state", "fresh") != "fresh" else ""]
    said.append("" if note["counts"] else "waits, and is part of no answer")
    drawn.append_text(text(f"  {', '.join(word for word in said if word)}", DIM))
    return drawn


def _warnings(data: Mapping[str, Any]) -> Sequence[RenderableType]:
    out: list[RenderableType] = [text(note, DIM) for note in data.get("notes", ())]
    if data["stale"]:
        out.append(text(f"not taken in as they are now: {', '.join(data['stale'])}", WARN))
    return out
