"""Tokens drawn for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from recollect.interfaces.cli.cells import BAD, DIM, GOOD, ID, day, ruled, text


def new_token(data: Mapping[str, Any]) -> RenderableType:
    """The one time a token is shown."""
    return Group(
        text(data["token"], "bold"),
        Text.assemble((data["name"], ID), text(f": {', '.join(data['rights'])} {_scope(data)}")),
        text("Only its hash is kept: copy it now. Send it as `Authorization: Bearer …`.", DIM),
    )


def tokens(data: Mapping[str, Any]) -> RenderableType:
    """Who may come in, as whom, and until when."""
    if not data["tokens"]:
        return text("no tokens; `recollect token create` makes one", DIM)
    table = ruled("name", "id", "rights", "scope", "made", "state")
    for each in data["tokens"]:
        table.add_row(
            text(each["name"], ID), text(each["id"], DIM), text(", ".join(each["rights"])), text(_scope(each)),
            day(each["made_at"]), _state(each),
        )  # fmt: skip
    return table


def _scope(token: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in token["scope"].items()) or "for anybody"


def _state(token: Mapping[str, Any]) -> Text:
    if token["revoked_at"]:
        return Text(f"revoked {day(token['revoked_at'])}", BAD)
    return Text(f"until {day(token['expires_at'])}" if token["expires_at"] else "open", GOOD)
