"""Records as entries of a list: the text, folded, and under it one quiet line of what is worth knowing about it.

Entries instead of columns: a text gets the whole width, so that a narrow terminal shows the same, only longer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.text import Text

from recollect.interfaces.cli.cells import DIM, ID, day, short, short_id, text
from recollect.interfaces.places import placed

FOLDED, FULL, SHORT = "folded", "full", "short"  # how long texts look
_LINES = 4  # of a folded text
_INDENT = 2


class Folded:
    """A text of which the first lines are shown; how many more there are is said."""

    def __init__(self, content: str, style: str = "", lines: int = _LINES) -> None:
        self._text = text(content.rstrip(), style)
        self._lines = lines

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = self._text.wrap(console, options.max_width)
        if len(lines) <= self._lines + 1:  # a line that says "one more line" would take its place
            yield self._text
            return
        told = [line for line in lines if line.plain.strip()]  # of a few lines none is spent on nothing
        if len(told) <= self._lines + 1:
            yield from told
            return
        yield from told[: self._lines]
        yield text(f"… {len(told) - self._lines} more lines", DIM)


def entry(
    row: Mapping[str, Any],
    look: str,
    *,
    figures: Iterable[str] = (),
    under: Iterable[RenderableType] = (),
    style: str = "",
) -> RenderableType:
    """One record. `figures` stand beside its id, `under` below it."""
    content = row.get("memory") or row["content"]
    when = day(row["event_time"] or row["created_at"])
    if look == SHORT:
        shown = Text(no_wrap=True, overflow="ellipsis")
        beside = " ".join((*figures, when.partition(" ")[0]))
        return shown.append_text(Text.assemble((short_id(row["id"]), ID), f"  {beside}  ", text(short(content, 400))))
    whole = text(content.rstrip(), style) if look == FULL else Folded(content, style)
    place = placed(row.get("place"))
    about = Text(style=DIM)
    if place:
        about.append_text(text(f"{place}  "))
    about.append(short_id(row["id"]), ID)
    about.append_text(text(" · ".join(("", *figures, when, *_who(row)))))
    return Group(whole, Padding(Group(about, *under), (0, 0, 0, _INDENT)))


def _who(row: Mapping[str, Any]) -> list[str]:
    """What sort it is, who said it and where."""
    kind = str(row["category"] if row.get("category") not in (None, "", row["kind"]) else row["kind"])
    said = [f"by {row['speaker']}"] if row.get("speaker") else []
    return [kind, *said, *([f"session {row['session_id']}"] if row.get("session_id") else [])]
