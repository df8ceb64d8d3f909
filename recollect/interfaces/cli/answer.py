"""What a command hands back, and how it reaches stdout."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from recollect.errors import RecollectError
from recollect.model.showable import in_json, inert, inert_data

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

PIPED_WIDTH = 120
PORTION_BYTES = 1 << 16


class Declined(Exception):
    """Somebody was asked, and said no."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandAnswer:
    """Plain data, and the sort of thing it is (`Receipt`, `Recollection` …) so that it can be drawn."""

    data: Any
    sort: str
    code: int = 0
    aside: bool = False  # stdout holds something else: an export
    shown: bool = False  # it is on the screen already
    look: str = "folded"  # or full, or short: how much of long texts people see


def emit(answer: CommandAnswer, *, as_json: bool) -> None:
    """One JSON document for programs, or a drawing for people."""
    if answer.shown:
        return
    if as_json and not answer.aside:
        write_json(answer.data)
    else:
        from recollect.interfaces.cli.views import draw

        show(draw(answer.sort, inert_data(answer.data), answer.look), stderr=answer.aside)


def emit_error(error: RecollectError, *, as_json: bool) -> None:
    """What went wrong, on stderr for people; with `as_json` programs get their one document on stdout as well."""
    if as_json:
        write_json(error.to_dict())
    print(f"error [{error.code}]: {inert(error.message)}", file=sys.stderr)


def show(drawing: RenderableType, *, stderr: bool = False) -> None:
    """A drawing for people. Where it is piped, no line ends in the blanks that fill a table."""
    from rich.console import Group

    screen, whole = console(stderr=stderr), Group(drawing)  # a bare text would be wrapped though it says no
    if screen.is_terminal:
        screen.print(whole, crop=False)
        return
    with screen.capture() as captured:
        screen.print(whole, crop=False)
    screen.file.write("\n".join(line.rstrip() for line in captured.get().split("\n")))


def write_json(data: Any) -> None:
    """UTF-8 whatever the terminal speaks, indented and without what steers one: people read it too."""
    import orjson

    written = orjson.dumps(data, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE | orjson.OPT_NON_STR_KEYS)
    text = in_json(written.decode()).encode()
    sys.stdout.flush()
    for start in range(0, len(text), PORTION_BYTES):  # in portions, so that a reader who leaves is noticed
        sys.stdout.buffer.write(text[start : start + PORTION_BYTES])
        sys.stdout.buffer.flush()


def console(*, stderr: bool = False) -> Console:
    """A console that is wide when nobody looks, and without colour when piped or asked to (NO_COLOR)."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else PIPED_WIDTH
    return Console(file=stream, width=width, highlight=False, emoji=False, markup=False)
