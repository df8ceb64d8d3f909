"""`recollect --help`: all commands at a glance, without the library that parses them, which takes longer to load."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterator

from recollect.verbs.table import VERBS
from recollect.verbs.verb import GROUPS, SPACES

HELP = "Long-term memory for AI agents: embedded, offline, correctable."
EPILOG = (
    "recollect demo shows it at work; recollect COMMAND --help tells all about a command; "
    "recollect help --all has a line for each."
)
SERVING, MORE = "For other programs", "More"
BEGINNING, SHARING = "To begin with", "Options of every command"
# What is no verb. Each says the same about itself where it is declared, as a test sees to.
BESIDE = {
    SERVING: {
        "init": "Set up Claude Code, Claude Desktop, Cursor, VS Code, Codex and Gemini CLI.",
        "hooks": "Hooks of coding clients.",
        "hook": "One event of a coding client, from stdin.",
        "mcp": "Serve the memory to an MCP client over stdin and stdout.",
        "serve": "Serve the memory over HTTP.",
        "ui": "Serve the memory on this machine and open its page in the browser.",
        "token": "Tokens that let others in through the server.",
        "vault": "The key of an encrypted store, and what it protects.",
    },
    MORE: {
        "config": "Every setting with its value, where that comes from and what it does.",
        "models": "The models in use.",
        "memory": "The memory by place, facet and relation.",
        "move": "Move a store.",
        "restore": "Bring a store back.",
        "rescue": "Make a damaged store anew from what can be read.",
        "demo": "A guided session on a store that is thrown away.",
        "repl": "A prompt for code that may use the memory and nothing else.",
        "bench": "Measure adding and searching on this machine, on a store that is thrown away.",
        "support": "A bundle for somebody who helps.",
        "completion": "Shell completion.",
        "help": "The help of a command.",
    },
}
EXAMPLES = {
    "recollect add Ana moved from vim to Helix -u ana": "remember something, for somebody",
    "recollect search which editor does Ana use": "find it",
    "recollect config set user ana": "and leave out the -u from now on",
    "recollect undo": "take back the last thing that was done",
}
SHARED = {
    "--db URL": "The store: a path, postgresql://…, or :memory:.",
    "-o, --output": "text for people, json for one JSON document.",
    "--key-file PATH": "The key of an encrypted store; else $RECOLLECT_KEY.",
    "--embedder NAME": "An embedder as prefix:model, or none.",
    "--version": "Show the version and exit.",
    "-h, --help": "Show this message, or that of a command.",
}
# What people type most. The others of a group are named, and have their line in `recollect help --all`.
EVERYDAY = frozenset(
    """add ingest update correct confirm flag delete search context reason get list timeline entity history
    operations undo relate related explain review questions assess publish subscribe bus code maintain export
    import erase stats health doctor init hooks mcp serve ui token vault config models demo help""".split()
)
_CLAUSE = re.compile(r"[.:;] ")
_NARROW, _WIDE = 60, 110
_NAME_CHARS = 16


def clause(text: str) -> str:
    """The first clause of a summary: what is read at a glance."""
    return _CLAUSE.split(text, maxsplit=1)[0].rstrip(".") + "."


def overview(columns: int | None = None, *, colour: bool = False, every: bool = False) -> str:
    """The page, for a terminal of that many columns: a line for what people type most, or for every command."""
    width = min(columns or shutil.get_terminal_size((_WIDE, 24)).columns, _WIDE)
    parts = ["", "Usage: recollect COMMAND [WORDS]... [OPTIONS]", "", *textwrap.wrap(HELP, width)]
    for title, rows in _panels():
        parts += ["", f"\x1b[1m{title}\x1b[0m" if colour else title]
        spoken = every or title in (BEGINNING, SHARING)
        for name, text in rows.items():
            if spoken or name in EVERYDAY:
                parts += _row(name, text, width)
        parts += [] if spoken else _also([name for name in rows if name not in EVERYDAY], width)
    return "\n".join((*parts, "", *textwrap.wrap(EPILOG, width), ""))


def show(*, every: bool = False) -> None:
    """Print it, with colour where people look."""
    seen = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    print(overview(None if sys.stdout.isatty() else _WIDE, colour=seen, every=every))


def _panels() -> Iterator[tuple[str, dict[str, str]]]:
    yield BEGINNING, EXAMPLES
    for group in GROUPS:
        yield (
            group,
            {
                verb.space or verb.in_shell: clause(SPACES.get(verb.space, verb.summary))
                for verb in VERBS
                if verb.group == group
            },
        )
    yield from BESIDE.items()
    yield SHARING, SHARED


def _row(name: str, text: str, width: int) -> list[str]:
    """A name and what it stands for: beside each other, or below each other where that would be too narrow."""
    if width < _NARROW or len(name) > _NAME_CHARS:
        return [f"  {name} ", *textwrap.wrap(text, width, initial_indent="      ", subsequent_indent="      ")]
    indent = " " * (_NAME_CHARS + 4)
    first, *more = textwrap.wrap(text, width, initial_indent=indent, subsequent_indent=indent)
    return [f"  {name:{_NAME_CHARS}}  {first.strip()}", *more]


def _also(names: list[str], width: int) -> list[str]:
    """The other commands of a group, by name alone."""
    if not names:
        return []
    return [
        f"{line} "
        for line in textwrap.wrap(
            f"also {' '.join(names)}",
            width - 1,
            initial_indent="  ",
            subsequent_indent="       ",
            break_on_hyphens=False,
        )
    ]
