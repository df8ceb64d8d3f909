"""`recollect config`: what is set, where it was set, and what could be. What is secret is not shown."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperGroup

from recollect.interfaces.cli import models
from recollect.interfaces.cli.answer import CommandAnswer
from recollect.interfaces.cli.completing import setting_names
from recollect.interfaces.cli.session import check_output

_OUTPUT = typer.Option(None, "-o", "--output", metavar="text|json", help="For people, or one JSON document.")
_KEY = typer.Argument(metavar="KEY", help="Such as recall.top_k.", autocompletion=setting_names)
_NAME = typer.Argument(
    metavar="NAME", help="A setting such as recall.top_k, or a section.", autocompletion=setting_names
)
_VALUE = typer.Argument(metavar="VALUE", help="A number, a text, or true and false.")
_CHANGED = typer.Option(False, "--changed", help="Only what differs from the defaults.")


def register(app: typer.Typer, *, panel: str) -> None:
    """Add the command to the application, and beside it the one about the models that are set."""
    config = typer.Typer(
        cls=_SettingsGroup,
        invoke_without_command=True,
        help="Every setting with its value, where that comes from and what it does.",
        epilog="For example: recollect config recall.top_k, or recollect config recall",
    )
    config.callback()(_config)
    config.command("get", help="One setting, or those of a section; the word may be left out.")(_get)
    config.command(
        "set",
        help="Change a setting in the configuration file; comments in it stay.",
        epilog="For example: recollect config set user ana",
    )(_set)
    config.command(
        "unset",
        help="Take a setting out of the configuration file: its default holds again.",
        epilog="For example: recollect config unset user",
    )(_unset)
    config.command("path", help="The configuration file.")(_path)
    app.add_typer(config, name="config", rich_help_panel=panel)
    models.register(app, panel=panel)


class _SettingsGroup(TyperGroup):
    """Takes the name of a setting in the place of a command."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            return "get", self.commands["get"], args
        return super().resolve_command(ctx, args)


def _config(ctx: typer.Context, output: str | None = _OUTPUT, changed: bool = _CHANGED) -> CommandAnswer | None:
    check_output(output)
    if ctx.invoked_subcommand is not None:
        return None
    from recollect.config import load_config
    from recollect.config.root import declared

    return _listed(load_config(), list(declared()), changed=changed)


def _get(name: str = _NAME, output: str | None = _OUTPUT) -> CommandAnswer:
    check_output(output)
    from recollect.config import load_config
    from recollect.config.root import declared, sections

    config = load_config()
    if name in sections():
        return _listed(config, [key for key in declared() if key.partition(".")[0] == name])
    about = [each for each in config.warnings if each.startswith((f"{name} ", f"{name}:"))]
    return CommandAnswer(data={**_setting(config, name), "warnings": about}, sort="Setting")


def _listed(config: Any, keys: Sequence[str], *, changed: bool = False) -> CommandAnswer:
    rows = [_setting(config, key) for key in keys]
    if changed:
        rows = [row for row in rows if row["origin"] != "default"]
    return CommandAnswer(data={"settings": rows, "warnings": list(config.warnings)}, sort="Settings")


def _set(key: str = _KEY, value: str = _VALUE, output: str | None = _OUTPUT) -> CommandAnswer:
    check_output(output)
    return set_value(key, value)


def set_value(key: str, value: str) -> CommandAnswer:
    """Write one setting into the file, and tell what holds now."""
    from recollect.interfaces.settings import put_setting

    return CommandAnswer(data=put_setting(key, value), sort="SettingChanged")


def _unset(key: str = _KEY, output: str | None = _OUTPUT) -> CommandAnswer:
    check_output(output)
    from recollect.interfaces.settings import drop_setting

    return CommandAnswer(data=drop_setting(key), sort="SettingChanged")


def _path(output: str | None = _OUTPUT) -> CommandAnswer:
    check_output(output)
    from recollect.interfaces.settings import settings_file

    path = settings_file()
    return CommandAnswer(data={"path": path, "exists": os.path.exists(path)}, sort="Path")


def _setting(config: Any, key: str) -> dict[str, Any]:
    from recollect.interfaces.settings import told

    return told(config, key)
