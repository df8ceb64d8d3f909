"""The commands of the shell, built from the table of verbs.

A command's options come from the signature of its method, and reading that loads the engine. So only the verbs
that occur among the words of the line are built in full; of the others help and completion need the name and
the summary, which the table has.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Collection, Iterator
from functools import partial
from typing import Any

import typer

from recollect.errors import UsageError
from recollect.interfaces.cli import (
    completion,
    guide,
    hooks,
    init,
    mcp,
    move,
    options,
    rescue,
    restore,
    serve,
    settings,
    speed,
    support,
    tokens,
    topology,
    ui,
    vault,
)
from recollect.interfaces.cli.answer import CommandAnswer
from recollect.interfaces.cli.calling import answered
from recollect.interfaces.cli.examples import in_shell_words
from recollect.interfaces.cli.options import command, context, shared_of
from recollect.interfaces.cli.overview import EPILOG, HELP, MORE, SERVING, clause
from recollect.interfaces.cli.session import check_output, for_somebody, open_from
from recollect.verbs.table import VERBS
from recollect.verbs.verb import SPACES, Verb

JSONL_HELP = "Read one message, record or text per line from this file, or from stdin with -."
BESIDE_VERBS = (
    init.NAME,
    hooks.NAME,
    hooks.ONE,
    topology.NAME,
    mcp.NAME,
    tokens.NAME,
    vault.NAME,
    move.NAME,
    restore.NAME,
    rescue.NAME,
    "repl",
    speed.NAME,
    support.NAME,
)
_HELP_WORDS = ["--help", "-h"]
_TYPERS_OWN = ("install_completion", "show_completion")


def complete() -> Any:
    """The application with every command complete."""
    return assembled({*BESIDE_VERBS, *(name for verb in VERBS for name in verb.names)})


def assembled(words: Collection[str]) -> Any:
    """The command that Typer makes of the application.

    Typer registers what answers a shell only together with two options, which `recollect completion` stands for
    here; it writes a type beside flags, as if they took a value; and it lists commands with all of their first
    paragraph, where a clause is read at a glance.
    """
    whole = typer.main.get_command(build(words))
    for each in _within(whole):
        each.short_help = clause(each.help or "")
        for one in (*each.params, each.get_help_option(typer.Context(each, help_option_names=_HELP_WORDS))):
            one.hidden = one.name in _TYPERS_OWN or getattr(one, "hidden", False)
            if getattr(one, "is_flag", False):
                one.metavar = ""
            if getattr(one, "_runtime_param", ...) is None and one.type_descriptor.annotation in _AS_TYPED:
                one._runtime_param = _AS_IT_IS
            if one.param_type_name == "argument":
                one._usage_display_name = partial(_usage_name, one)
                one.display_type_rich = _no_type
    return whole


def _usage_name(argument: Any) -> str:
    """`QUERY...`, or `[QUERY]...` where it may be left out; Typer puts what is needed in braces."""
    many = "..." if argument.nargs != 1 else ""
    return f"{argument.display_name_raw if argument.required else f'[{argument.display_name_raw}]'}{many}"


class _AsItIs:
    """What was typed, handed on. Typer would import pydantic to see that a text is one: a fifth of a quick command."""

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        return list(value or ()) if param.multiple or param.nargs == -1 else value


_AS_IT_IS = _AsItIs()
_AS_TYPED = (str, bool, list[str])


def _no_type(**_: Any) -> str:
    return ""


def _within(command: Any) -> Iterator[Any]:
    yield command
    for each in getattr(command, "commands", {}).values():
        yield from _within(each)


def build(words: Collection[str]) -> typer.Typer:
    """The application; of the verbs, those among `words` are complete."""
    app = typer.Typer(
        name="recollect",
        help=HELP,
        epilog=EPILOG,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
        context_settings={"help_option_names": _HELP_WORDS},
    )
    app.callback()(command("root", [context(), *options.shared(), _version()], _root))
    for verb in VERBS:
        for name in verb.names if not verb.space else ():
            _register(app, verb, name, full=name in words)
    _register_spaces(app, words)
    init.register(app, panel=SERVING, full=init.NAME in words)
    hooks.register(app, panel=SERVING, full=hooks.NAME in words or hooks.ONE in words)
    mcp.register(app, panel=SERVING, full=mcp.NAME in words)
    serve.register(app, panel=SERVING)
    ui.register(app, panel=SERVING)
    tokens.register(app, panel=SERVING, full=tokens.NAME in words)
    vault.register(app, panel=SERVING, full=vault.NAME in words)
    move.register(app, panel=MORE, full=move.NAME in words)
    restore.register(app, panel=MORE, full=restore.NAME in words)
    rescue.register(app, panel=MORE, full=rescue.NAME in words)
    topology.register(app, panel=MORE, full=topology.NAME in words)
    settings.register(app, panel=MORE)
    app.command(
        "demo",
        help="A guided session on a store that is thrown away; --ui shows the page over a filled one.",
        rich_help_panel=MORE,
    )(_demo)
    app.command("repl", help="A prompt for code that may use the memory and nothing else.", rich_help_panel=MORE)(
        _repl_command("repl" in words)
    )
    speed.register(app, panel=MORE, full=speed.NAME in words)
    support.register(app, panel=MORE, full=support.NAME in words)
    completion.register(app, panel=MORE)
    guide.register(app, panel=MORE, whole=complete)
    return app


def _register(app: typer.Typer, verb: Verb, name: str, *, full: bool, own: str = "") -> None:
    hidden = name != (own or verb.in_shell) or bool(verb.flag_of[0])
    text = verb.summary.replace("[", "\\[")
    epilog = f"For example: {in_shell_words(verb)}".replace("[", "\\[") if full else None
    add = app.command(name, help=text, epilog=epilog, hidden=hidden, rich_help_panel=verb.group)
    add(_verb_command(verb, name) if full else command(verb.name, [], lambda: None))


def _register_spaces(app: typer.Typer, words: Collection[str]) -> None:
    """Verbs that hang off a name are commands of a group of that name: `recollect code impact`."""
    for space in dict.fromkeys(verb.space for verb in VERBS if verb.space):
        group = typer.Typer(help=SPACES[space], no_args_is_help=True)
        inside = [verb for verb in VERBS if verb.space == space]
        for verb in inside:
            name = verb.in_shell.rpartition(" ")[2]
            _register(group, verb, name, full=space in words, own=name)
        app.add_typer(group, name=space, rich_help_panel=inside[0].group)


def _verb_command(verb: Verb, name: str) -> Callable[..., Any]:
    from recollect.verbs.signature import signature_of

    signature = signature_of(verb)
    fields = options.fields_of(verb, signature.parameters, signature.returns)
    if verb.name == "add":
        jsonl = typer.Option(None, "--jsonl", metavar="PATH", help=JSONL_HELP)
        fields.append(inspect.Parameter("jsonl", inspect.Parameter.KEYWORD_ONLY, default=jsonl, annotation=str | None))

    others = {each.flag_of[1]: each for each in VERBS if each.flag_of[0] == verb.name}
    for flag, each in others.items():
        wanted = typer.Option(False, f"--{flag}", help=each.summary)
        fields.append(inspect.Parameter(flag, inspect.Parameter.KEYWORD_ONLY, default=wanted, annotation=bool))

    def call(ctx: typer.Context, **given: Any) -> CommandAnswer:
        asked = [other for flag, other in others.items() if given.pop(flag)]
        if asked:
            return answered(asked[0], asked[0].name, shared_of(ctx, given), given)
        return answered(verb, name, shared_of(ctx, given), given)

    return command(verb.name, [context(), *fields, *options.shared()], call)


def _repl_command(full: bool) -> Callable[..., Any]:
    if not full:
        return command("repl", [], lambda: None)
    from recollect.verbs.signature import signature_of
    from recollect.verbs.table import find

    scope = options.scope_fields(signature_of(find("stats")).parameters)

    def repl(ctx: typer.Context, **given: Any) -> int:
        from recollect.interfaces.repl import run_shell

        opened = shared_of(ctx, given)
        opened["db"] = opened["db"] or os.environ.get("RLM_MEMORY_DB")  # of programs that run code
        who = {name: value for name, value in for_somebody(given).items() if value is not None}
        with open_from(opened) as memory:
            return run_shell(memory.scoped(**who) if who else memory)

    return command("repl", [context(), *scope, *options.shared()], repl)


def _demo(
    ctx: typer.Context,
    ui: bool = typer.Option(False, "--ui", help="Open the page over a filled example store instead."),
    port: int | None = typer.Option(None, "--port", "-p", help="With --ui; by default one that is free."),
    browser: bool = typer.Option(True, "--browser/--no-browser", help="With --ui: whether a browser is opened."),
) -> int:
    if (ctx.obj or {}).get("output") == "json":
        raise UsageError("demo has no JSON output; leave out -o json")
    from recollect.interfaces.cli.demo import run_demo, run_page

    return run_page(port, browser=browser) if ui else run_demo()


def _root(ctx: typer.Context, **given: Any) -> None:
    given.pop("version")
    check_output(given.get("output"))
    ctx.obj = given


def _show_version(wanted: bool) -> None:
    if wanted:
        from recollect._version import __version__

        print(f"recollect {__version__}")
        raise typer.Exit


def _version() -> inspect.Parameter:
    info = typer.Option(False, "--version", help="Show the version and exit.", is_eager=True, callback=_show_version)
    return inspect.Parameter("version", inspect.Parameter.KEYWORD_ONLY, default=info, annotation=bool)
