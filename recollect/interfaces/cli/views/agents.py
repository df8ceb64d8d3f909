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
_CAME_OF_IT = {
    "shown": "was shown",
    "used": "used",
    "stored": "stored",
    "learned": "taught",
    "in_vain": "warned in vain",
}
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


def meter(data: Mapping[str, Any]) -> RenderableType:
    """Sessions without memory beside those with it, by figures of one session; then projects, what was saved signed."""
    if not data["total"]["sessions"]:
        return text("no session of a coding agent in that time", DIM)
    table = Table.grid(padding=(0, 2))
    table.add_row(text("a session", DIM), *(Text(head, DIM, justify="right") for head in ("without", "with memory")))
    for name, words in _METERED.items():
        table.add_row(text(words), *(Text(_each(data[side], name), justify="right") for side in ("quiet", "told")))
    lines = [f"{data['quiet']['sessions']} sessions without memory, {data['told']['sessions']} with it"]
    lines += [f"{each['project'] or 'no project'}: {_saved(each)}" for each in data["projects"]]
    return Group(table, *map(text, lines))


def end(data: Mapping[str, Any]) -> RenderableType:
    """A session that is over, what is remembered and was learned of it, and what it cost."""
    how = {"learned": "learned", "again": "seen again", "stored": "stored", "state": "where it stood"}
    records = (
        Text.assemble(text(f"  {each['id'][:8]} ", ID), text(f"{how[each['how']]}: "), text(each["content"]))
        for each in data["records"]
    )
    undo = (text(f"  `recollect undo {each}` takes back what was learned", DIM) for each in data["operations"][-1:])
    figures = data["figures"]
    cost = f"  {figures['discovery']} looks, {figures['rereads']} rereads, {figures['recurrences']} known errors again"
    return Group(*_session(data["session"]), *records, text(cost), text(f"  {_saved(figures)}", DIM), *undo)


def coverage(data: Mapping[str, Any]) -> RenderableType:
    """What is known from agents at work in a few lines, then folder by folder."""
    since = f" since {data['since'][:10]}" if data["since"] else ""
    standing = ", ".join(f"{count} {name}" for name, count in data["standing"].items())
    table = Table.grid(padding=(0, 2))
    table.add_row(*(text(head, DIM) for head in ("folder", "sessions", "files", "edited", "known", "records")))
    for each in data["modules"]:
        known = Text(f"{each['known']}/{each['files']}", WARN if not each["known"] else "", justify="right")
        figures = (Text(str(each[name]), justify="right") for name in ("sessions", "files", "edited"))
        table.add_row(text(each["module"]), *figures, known, Text(str(each["records"]), justify="right"))
    return Group(
        text(f"{data['sessions']} sessions ({data['open']} not concluded), {data['events']} events{since}"),
        text(f"{data['errors']} errors, {data['cured']} of them with a cure"),
        text(f"inferred: {standing}; {data['review']} wait for review"),
        *([table] if data["modules"] else []),
    )


_METERED = {
    "steps": "steps",
    "discovery": "searches, lists, first reads",
    "hinted": "first reads of what was named",
    "rereads": "rereads",
    "recurrences": "known errors again",
    "tokens_looked": "tokens looked at",
    "tokens_injected": "tokens said by the memory",
}


def _each(figures: Mapping[str, Any], name: str) -> str:
    return f"{figures[name] / figures['sessions']:,.1f}" if figures["sessions"] else "-"


def _saved(figures: Mapping[str, Any]) -> str:
    if figures["tokens_net"] is None:
        return "what was saved is not known: too few sessions without memory to compare with"
    return f"{figures['tokens_saved']:+,} tokens saved, {figures['tokens_net']:+,} with what the memory said taken off"


def _session(each: Mapping[str, Any]) -> Iterator[RenderableType]:
    when = each["last_at"][:16].replace("T", " ")
    where = f"  {each['client']}  {each['project'] or 'no project'}  "
    head = Text.assemble(text(each["id"][:36], ID), text(where), (when, DIM))
    yield head
    phase = f"{each['phase']}: " if each["phase"] else ""
    done = f"{phase}{each['steps']} steps, {each['files']} files, {each['errors']} errors"
    yield text(f"  {done}" + (f", {each['outside']} outside" if each["outside"] else ""))
    for name, words in _CAME_OF_IT.items():
        if each[name]:
            yield Text.assemble(text(f"  {words}: "), text(", ".join(f"#{id_}" for id_ in each[name]), ID))
    telling = [signal for signal in each["signals"] if signal["kind"] not in _QUIET]
    for signal in telling[:SIGNALS_SHOWN]:
        about = " and ".join(filter(None, (signal["subject"], signal["other"])))
        yield text(f"  {signal['kind']}: {signal.get('error') or about} ({signal['count']}×)", DIM)
    rest = Counter(signal["kind"] for signal in each["signals"] if signal["kind"] in _QUIET)
    rest.update(signal["kind"] for signal in telling[SIGNALS_SHOWN:])
    if rest:
        yield text(f"  {', '.join(f'{count} {kind}' for kind, count in rest.items())}", DIM)
