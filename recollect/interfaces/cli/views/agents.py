"""Coding agents for people: which clients have hooks and how they fare, and what sessions did and show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from recollect.interfaces.cli.views.cells import BAD, DIM, GOOD, ID, WARN, text

SIGNALS_SHOWN = 8  # of one session; files that were touched are only counted
_QUIET = ("file_access", "sequence")


def status(data: Mapping[str, Any]) -> RenderableType:
    """A line for each client, then what waits, what was taken in and what went wrong."""
    table = Table.grid(padding=(0, 2))
    for each in data["clients"]:
        mark = {"installed": ("✓", GOOD), "absent": ("·", DIM)}.get(each["state"], ("✗", BAD))
        table.add_row(Text(*mark), text(each["client"]), text(each["state"]), text(each["path"], DIM))
    if not data["clients"]:
        table.add_row(Text("·", DIM), text("no client was found; name one with --client"))
    return Group(table, *(text(f"  {line}", style) for line, style in _told(data)))


def _told(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    last = f", last {data['last_taken'][:19].replace('T', ' ')}" if data["last_taken"] else ""
    yield f"{data['taken']} events taken in{last}; {data['waiting_bytes']} bytes wait", ""
    yield f"{data['hints']} projects have something ready to be said", DIM
    if data["server"]:
        yield "a server answers the hooks", GOOD
    elif data["encrypted"]:
        yield "the store is encrypted: without `recollect serve` its hooks do nothing", WARN
    for each in data["clients"]:
        if each["forbidden"]:
            yield f"{each['client']}: {each['forbidden']}", BAD
        elif each["state"] == "off":
            yield f"{each['client']}: disableAllHooks in its file lets no hook run", WARN
    if data["cut"]:
        yield f"{data['cut']} lines were cut short and left out", WARN
    if data["failures"]:
        why = ", ".join(f"{reason} ({count})" for reason, count in data["failed_because"].items())
        yield f"{data['failures']} failures, last {data['last_failure'][:19].replace('T', ' ')}: {why}", BAD
        yield "`recollect doctor --fix` forgets them", DIM


def sessions(data: Mapping[str, Any]) -> RenderableType:
    """A paragraph for each session: what was done, and what can be told from it."""
    found: Sequence[Mapping[str, Any]] = data["results"]
    if not found:
        return text("no session of a coding agent; `recollect hooks install` lets them tell", DIM)
    return Group(*(line for each in found for line in _session(each)))


def brief(data: Mapping[str, Any]) -> RenderableType:
    """The parts of what a session begins with, as an agent would read them without the marks around."""
    if not data["parts"]:
        return text("a session begins with nothing: no work state, and nothing that may be told unasked", DIM)
    return Group(*(text(each["text"]) for each in data["parts"]), text(f"about {data['tokens']} tokens", DIM))


def _session(each: Mapping[str, Any]) -> Iterator[RenderableType]:
    when = each["last_at"][:16].replace("T", " ")
    where = f"  {each['client']}  {each['project'] or 'no project'}  "
    head = Text.assemble(text(each["id"][:36], ID), text(where), (when, DIM))
    yield head
    phase = f"{each['phase']}: " if each["phase"] else ""
    done = f"{phase}{each['steps']} steps, {each['files']} files, {each['errors']} errors"
    yield text(f"  {done}" + (f", {each['outside']} outside" if each["outside"] else ""))
    telling = [signal for signal in each["signals"] if signal["kind"] not in _QUIET]
    for signal in telling[:SIGNALS_SHOWN]:
        about = " and ".join(filter(None, (signal["subject"], signal["other"])))
        yield text(f"  {signal['kind']}: {signal.get('error') or about} ({signal['count']}×)", DIM)
    rest = Counter(signal["kind"] for signal in each["signals"] if signal["kind"] in _QUIET)
    rest.update(signal["kind"] for signal in telling[SIGNALS_SHOWN:])
    if rest:
        yield text(f"  {', '.join(f'{count} {kind}' for kind, count in rest.items())}", DIM)
