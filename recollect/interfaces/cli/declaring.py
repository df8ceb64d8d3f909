"""Commands whose parameters are data: functions that Typer reads as if they had been written down."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import typer

from recollect.interfaces.cli.session import SHARED, check_output, merged


def command(name: str, fields: list[inspect.Parameter], call: Callable[..., Any]) -> Callable[..., Any]:
    """A command of this name that takes these parameters and hands them to `call`."""

    def declared(**given: Any) -> Any:
        return call(**given)

    declared.__name__ = name
    declared.__signature__ = inspect.Signature(fields)  # type: ignore[attr-defined]
    declared.__annotations__ = {field.name: field.annotation for field in fields}
    return declared


def field(name: str, kind: Any, info: Any) -> inspect.Parameter:
    """One parameter, with what Typer should know about it."""
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=info, annotation=kind)


def context() -> inspect.Parameter:
    return inspect.Parameter("ctx", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)


def shared_of(ctx: typer.Context, given: dict[str, Any]) -> dict[str, Any]:
    """The options every command has, taken out of what it was given."""
    own = {name: given.pop(name, None) for name in SHARED}
    check_output(own["output"])
    return merged(ctx.obj or {}, own)
