"""A context for people: the text itself, and on a terminal what it took."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from recollect.interfaces.cli.cells import DIM, missing, ruled, text
from recollect.model.showable import showable


def context_window(data: Mapping[str, Any]) -> RenderableType:
    """The text as it would be sent, lines as they are; figures only where a person looks."""
    whole = Text(showable(data["text"]), no_wrap=True, overflow="ignore")
    if not sys.stdout.isatty():  # what is piped goes to a model; what a person should know goes beside it
        for each in data["missing"]:
            print(f"! {showable(each)}", file=sys.stderr)
        return whole
    table = ruled("part", "tokens", "of", "records")
    for part in data["parts"]:
        shown = [item["detail"] for item in part["items"]]
        table.add_row(part["name"], str(part["tokens"]), str(part["budget"]), _by_detail(shown))
    exactly = "" if data["exact"] else "about "
    took = f"{exactly}{data['tokens']} of {data['limit']} tokens with the prompt, {data['mode']}"
    return Group(whole, Text(), *([table] if data["parts"] else []), text(took, DIM), *missing(data))


def _by_detail(shown: list[str]) -> str:
    return ", ".join(f"{shown.count(detail)} {detail.replace('_', ' ')}" for detail in dict.fromkeys(shown))
