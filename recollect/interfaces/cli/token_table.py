"""Tokens drawn for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from recollect.interfaces.cli.cells import BAD, DIM, GOOD, ID, day, ruled, text
from recollect.model.grant import ANY
from recollect.model.scope import DIMENSIONS


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
            text(each["name"], ID),
            text(each["id"], DIM),
            text(", ".join(each["rights"])),
            text(_scope(each)),
            day(each["made_at"]),
            _state(each),
        )
    return table


def _scope(token: Mapping[str, Any]) -> str:
    """Whom it acts for: what it holds, and what it may add to that."""
    held = ", ".join(f"{name}={value}" for name, value in token["scope"].items()) or "what is everybody's"
    if set(token["may_add"]) | set(token["scope"]) >= set(DIMENSIONS) and all(map(_any, token["may_add"].values())):
        return f"{held}, and anybody it names"
    added = "; ".join(f"{name}={','.join(values)}" for name, values in token["may_add"].items())
    return f"{held}, may add {added}" if added else held


def _any(values: Sequence[str]) -> bool:
    return ANY in values


def _state(token: Mapping[str, Any]) -> Text:
    if token["revoked_at"]:
        return Text(f"revoked {day(token['revoked_at'])}", BAD)
    return Text(f"until {day(token['expires_at'])}" if token["expires_at"] else "open", GOOD)
