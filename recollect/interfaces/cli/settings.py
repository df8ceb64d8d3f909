"""`recollect config`: what is set, where it was set, and what could be. What is secret is not shown."""

from __future__ import annotations

import os
from typing import Any

import typer

from recollect.interfaces.cli import models
from recollect.interfaces.cli.answer import Answer
from recollect.interfaces.cli.completing import setting_names
from recollect.interfaces.cli.session import check_output

_OUTPUT = typer.Option(None, "-o", "--output", metavar="text|json", help="For people, or one JSON document.")
_KEY = typer.Argument(metavar="KEY", help="Such as recall.top_k.", autocompletion=setting_names)
_CHANGED = typer.Option(False, "--changed", help="Only what differs from the defaults.")


def register(app: typer.Typer, *, panel: str) -> None:
    """Add the command to the application, and beside it the one about the models that are set."""
    config = typer.Typer(invoke_without_command=True, help="Settings with their values, origins and ranges.")
    config.callback()(_config)
    config.command("get", help="One setting.")(_get)
    config.command("path", help="The configuration file.")(_path)
    app.add_typer(config, name="config", rich_help_panel=panel)
    models.register(app, panel=panel)


def _config(ctx: typer.Context, output: str | None = _OUTPUT, changed: bool = _CHANGED) -> Answer | None:
    check_output(output)
    if ctx.invoked_subcommand is not None:
        return None
    from recollect.config import load_config
    from recollect.config.root import declared

    config = load_config()
    rows = [_setting(config, key) for key in declared()]
    if changed:
        rows = [row for row in rows if row["origin"] != "default"]
    return Answer(data={"settings": rows, "warnings": list(config.warnings)}, sort="Settings")


def _get(key: str = _KEY, output: str | None = _OUTPUT) -> Answer:
    check_output(output)
    from recollect.config import load_config

    return Answer(data=_setting(load_config(), key), sort="Setting")


def _path(output: str | None = _OUTPUT) -> Answer:
    check_output(output)
    from recollect.config.load import FILE_DEFAULT, FILE_VARIABLE

    path = os.path.expanduser(os.environ.get(FILE_VARIABLE) or FILE_DEFAULT)
    return Answer(data={"path": path, "exists": os.path.exists(path)}, sort="Path")


def _setting(config: Any, key: str) -> dict[str, Any]:
    from recollect.config.root import require
    from recollect.config.setting import Table

    setting, value, default = require(key), config.value(key), require(key).default
    return {
        "key": key, "value": dict(value) if isinstance(value, Table) else _shown(key, value),
        "origin": config.origin(key), "range": setting.limits(), "unit": setting.unit, "live": setting.live,
        "doc": setting.doc,
        "default": dict(default) if isinstance(default, Table) else default,
    }  # fmt: skip


_HIDDEN = "…"  # stands for a secret that is set


def _shown(key: str, value: Any) -> Any:
    """A value as people may see it: no key, and no password in an address."""
    from recollect.config.root import require
    from recollect.providers.llms.naming import shown

    if require(key).secret:
        return _HIDDEN if value else value
    return shown(value) if isinstance(value, str) else value
