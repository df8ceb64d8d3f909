"""`recollect models`: which models are configured, whether each can be had, and what it is used for."""

from __future__ import annotations

from contextlib import suppress

import typer

from recollect.errors import UsageError
from recollect.interfaces.cli.answer import CommandAnswer
from recollect.interfaces.cli.session import check_output

NAME = "models"
HELP = """The models in use: whether each can be had, and what it does. Exit 1 if one cannot.

recollect models list      every provider, and how to install it
recollect models show NAME what is known about a language model, whoever serves it
recollect models use NAME  embed with this model from now on; the store's records get its vectors in the background
"""
_OUTPUT = typer.Option(None, "-o", "--output", metavar="text|json", help="For people, or one JSON document.")
_WORDS = typer.Argument(
    None, metavar="[list | show NAME | use NAME | NAME]", help="NAME as in claude-opus-4-6, ollama:qwen2.5."
)


def register(app: typer.Typer, *, panel: str) -> None:
    """Add the command to the application."""
    app.command(NAME, help=HELP, short_help="The models in use, and whether each can be had.", rich_help_panel=panel)(
        _models
    )


def _models(words: list[str] | None = _WORDS, output: str | None = _OUTPUT) -> CommandAnswer:
    check_output(output)
    match words or []:
        case []:
            return _configured()
        case ["list"]:
            return _providers()
        case ["use", name]:
            return _use(name)
        case ["show", name] | [name] if name not in ("show", "use"):
            return _language_model(name)
    raise UsageError("write recollect models, recollect models list, recollect models show NAME or models use NAME")


def _configured() -> CommandAnswer:
    from recollect.config import load_config
    from recollect.providers.overview import configured, unusable

    config = load_config()
    rows = configured(config)
    return CommandAnswer(
        data={"models": rows, "warnings": list(config.warnings)}, sort="Models", code=int(unusable(rows))
    )


def _providers() -> CommandAnswer:
    from recollect.config import load_config
    from recollect.providers.overview import providers

    return CommandAnswer(data={"providers": providers(load_config())}, sort="Providers")


def _use(name: str) -> CommandAnswer:
    """Name the embedder in the settings, and queue the vectors of what is stored already."""
    from recollect.errors import NotFound
    from recollect.interfaces.cli.settings import set_value
    from recollect.providers.registry import embedder_named
    from recollect.wiring import open_memory

    embeds = embedder_named(name) is not None  # a mistake is told before anything is changed
    answer = set_value("embedder", name)
    with suppress(NotFound):  # there is nothing to embed yet
        if embeds:
            with open_memory(embedder=name, background=False, create=False) as memory:
                memory.reembed()
    return answer


def _language_model(name: str) -> CommandAnswer:
    from dataclasses import asdict

    from recollect.config import load_config
    from recollect.providers.capabilities import capabilities, priced
    from recollect.providers.tokens import Counter

    config = load_config()
    found = priced(capabilities(name, models=config.models, context=config.context))
    return CommandAnswer(data={**asdict(found), "exact_tokens": Counter(found.tokenizer).exact}, sort="Model")
