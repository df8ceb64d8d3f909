"""`recollect config` and `recollect models`: what is set, where it was set, and what could be."""

from __future__ import annotations

import os
from typing import Any

import typer

from recollect.interfaces.cli.answer import Answer
from recollect.interfaces.cli.session import check_output

_OUTPUT = typer.Option(None, "-o", "--output", metavar="text|json", help="For people, or one JSON document.")
_MODEL = typer.Argument(None, metavar="[MODEL]", help="A language model, such as claude-opus-4-6 or ollama:qwen2.5.")
_CHANGED = typer.Option(False, "--changed", help="Only what differs from the defaults.")


def register(app: typer.Typer, *, panel: str) -> None:
    """Add both commands to the application."""
    config = typer.Typer(invoke_without_command=True, help="Settings with their values, origins and ranges.")
    config.callback()(_config)
    config.command("get", help="One setting.")(_get)
    config.command("path", help="The configuration file.")(_path)
    app.add_typer(config, name="config", rich_help_panel=panel)
    app.command("models", help="Embedders; or what is known about MODEL.", rich_help_panel=panel)(_models)


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


def _get(key: str = typer.Argument(metavar="KEY"), output: str | None = _OUTPUT) -> Answer:
    check_output(output)
    from recollect.config import load_config

    return Answer(data=_setting(load_config(), key), sort="Setting")


def _path(output: str | None = _OUTPUT) -> Answer:
    check_output(output)
    from recollect.config.load import FILE_DEFAULT, FILE_VARIABLE

    path = os.path.expanduser(os.environ.get(FILE_VARIABLE) or FILE_DEFAULT)
    return Answer(data={"path": path, "exists": os.path.exists(path)}, sort="Path")


def _models(model: str | None = _MODEL, output: str | None = _OUTPUT) -> Answer:
    check_output(output)
    return _embedders() if model is None else _language_model(model)


def _embedders() -> Answer:
    from importlib.util import find_spec

    from recollect.config import load_config
    from recollect.providers.registry import EMBEDDERS

    chosen = load_config().embedder
    rows = []
    for name, provider in EMBEDDERS.items():
        installed = all(find_spec(library) is not None for library in provider.libraries)
        cure = None if installed else f"pip install 'recollect[{provider.extra}]'"
        configured = chosen.partition(":")[0] == name
        rows.append({"embedder": name, "installed": installed, "configured": configured, "install": cure})
    return Answer(data={"embedders": rows, "configured": chosen}, sort="Models")


def _language_model(name: str) -> Answer:
    from dataclasses import asdict

    from recollect.config import load_config
    from recollect.providers.capabilities import capabilities, priced
    from recollect.providers.tokens import Counter

    config = load_config()
    found = priced(capabilities(name, models=config.models, context=config.context))
    return Answer(data={**asdict(found), "exact_tokens": Counter(found.tokenizer).exact}, sort="Model")


def _setting(config: Any, key: str) -> dict[str, Any]:
    from recollect.config.root import require
    from recollect.config.setting import Table

    setting, value = require(key), config.value(key)
    default = setting.default
    return {
        "key": key, "value": dict(value) if isinstance(value, Table) else value, "origin": config.origin(key),
        "range": setting.limits(), "unit": setting.unit, "live": setting.live, "doc": setting.doc,
        "default": dict(default) if isinstance(default, Table) else default,
    }  # fmt: skip
