"""What the drawings are made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.text import Text

from recollect.interfaces.cli.wording import counted
from recollect.model.showable import inert

if TYPE_CHECKING:
    from rich.table import Table

__all__ = [
    "BAD",
    "DIM",
    "GOOD",
    "ID",
    "WARN",
    "bar",
    "counted",
    "day",
    "line",
    "missing",
    "ruled",
    "short",
    "short_id",
    "text",
    "written",
]

ID_CHARS = 8
GOOD, BAD, WARN, DIM, ID = "green", "red", "yellow", "dim", "cyan"


def text(content: Any, style: str = "") -> Text:
    """Text as it is: no markup is read, and nothing in it steers the terminal."""
    return Text(inert(str(content)), style=style)


def line(content: Any) -> Text:
    """A text that is copied: it is never broken, however long."""
    return Text(inert(str(content)), no_wrap=True, overflow="ignore")


def day(moment: str | None) -> str:
    """The date of an ISO time, with the hour when it has one."""
    if not moment:
        return ""
    date, _, clock = moment.partition("T")
    return date if clock.startswith("00:00:00") else f"{date} {clock[:5]}"


def grid(gap: int) -> Table:
    """Rows without lines between them."""
    from rich.table import Table

    return Table.grid(padding=(0, gap))


def ruled(*columns: str) -> Table:
    """An open table; texts fold, figures do not."""
    from rich import box
    from rich.table import Table

    drawn = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False)
    for name in columns:
        drawn.add_column(name, overflow="fold", no_wrap=name in ("score", "when", "hops"))
    return drawn


def written(given: Any, name: str = "") -> str:
    """A value as people write it; `name` tells times from other texts."""
    if given is None:
        return "not set"
    if isinstance(given, bool):
        return str(given).lower()
    if isinstance(given, list):
        return ", ".join(map(str, given))
    if isinstance(given, Mapping):
        return ", ".join(f"{key} {each}" for key, each in given.items())
    if isinstance(given, float):
        return f"{given:g}"
    return day(given) if name.endswith(("_at", "_time", "_from", "_until")) else str(given)


def bar(share: float, width: int = 24) -> str:
    """A bar for a share from 0 to 1, to the eighth of a character; something is never drawn as nothing."""
    whole, eighths = divmod(round(min(max(share, 0.0), 1.0) * width * 8), 8)
    return ("█" * whole + "▏▎▍▌▋▊▉"[eighths - 1 : eighths] if eighths else "█" * whole) or "▏"


def short(content: str, chars: int = 72) -> str:
    """The beginning of a text, on one line."""
    joined = " ".join(content.split())
    return joined if len(joined) <= chars else joined[: chars - 1] + "…"


def short_id(id_: str | None) -> str:
    """As much of an id as people need: every command takes it."""
    return (id_ or "")[:ID_CHARS]


def missing(data: Mapping[str, Any]) -> list[RenderableType]:
    """What could not take part."""
    return [text(f"! {each}", WARN) for each in data.get("missing", ())]
