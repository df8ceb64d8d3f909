"""`recollect completion bash|zsh|fish`: the script that makes Tab work, printed or put in its place."""

from __future__ import annotations

import typer

from recollect.errors import UsageError
from recollect.interfaces.cli.answer import Answer
from recollect.interfaces.cli.declaring import command, context, field

NAME = "completion"
HELP = "Shell completion: print the script for a shell, or --install it."
SHELLS = ("bash", "zsh", "fish")
_SHELL = "bash, zsh or fish; by default the one this runs in."


def register(app: typer.Typer, *, panel: str) -> None:
    """Add the command to the application."""
    fields = [
        context(),
        field("shell", str | None, typer.Argument(None, metavar="[SHELL]", help=_SHELL, autocompletion=_shells)),
        field("install", bool, typer.Option(False, "--install", help="Put it where the shell reads it.")),
    ]
    app.command(NAME, help=HELP, rich_help_panel=panel)(command(NAME, fields, _completion))


def script(shell: str) -> str:
    """What the shell has to read."""
    from typer.completion import get_completion_script

    return get_completion_script(prog_name="recollect", complete_var="_RECOLLECT_COMPLETE", shell=shell)


def _completion(ctx: typer.Context, shell: str | None, install: bool) -> Answer | int:
    chosen = _named(shell)
    as_json = (ctx.obj or {}).get("output") == "json"
    if install:
        from typer.completion import install as put_in_place

        _, path = put_in_place(shell=chosen, prog_name="recollect", complete_var="_RECOLLECT_COMPLETE")
        return Answer(data={"shell": chosen, "path": str(path)}, sort="Completion")
    if as_json:
        return Answer(data={"shell": chosen, "script": script(chosen)}, sort="Completion")
    print(script(chosen))
    return 0


def _named(shell: str | None) -> str:
    if shell is None:
        shell = _around()
    if shell not in SHELLS:
        raise UsageError(f"completion is there for {', '.join(SHELLS)}; name one, such as recollect completion bash")
    return shell


def _around() -> str | None:
    """The shell that started this process, if it can be told."""
    import shellingham

    try:
        return str(shellingham.detect_shell()[0])
    except shellingham.ShellDetectionFailure:
        return None


def _shells(incomplete: str) -> list[str]:
    return [shell for shell in SHELLS if shell.startswith(incomplete)]
