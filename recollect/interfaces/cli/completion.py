"""`recollect completion bash|zsh|fish`: the script that makes Tab work, printed or put in its place."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import typer

from recollect.errors import UsageError
from recollect.interfaces.cli.answer import CommandAnswer, write_json
from recollect.interfaces.cli.options import command, context, field
from recollect.interfaces.cli.session import check_output

NAME = "completion"
HELP = "Shell completion: print the script for a shell, or --install it."
_SHELL = "bash, zsh or fish; by default the one this runs in."
_INSTALL = "Put it where the shell reads it."
_OUTPUT = "For people, or one JSON document."

# The shells ask this program itself, in the way Typer answers.
_BASH = """\
_recollect_completion() {
    local IFS=$'\\n'
    COMPREPLY=( $( env COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD=$COMP_CWORD \\
                   _RECOLLECT_COMPLETE=complete_bash "$1" 2>/dev/null ) )
}
complete -o default -F _recollect_completion recollect
"""
_ZSH = """\
#compdef recollect
_recollect_completion() {
    eval "$(env _TYPER_COMPLETE_ARGS="${words[1,$CURRENT]}" _RECOLLECT_COMPLETE=complete_zsh recollect 2>/dev/null)"
}
if [ "$funcstack[1]" = "_recollect" ]; then
    _recollect_completion "$@"
else
    compdef _recollect_completion recollect
fi
"""
_FISH = """\
function __recollect_ask
    env _RECOLLECT_COMPLETE=complete_fish _TYPER_COMPLETE_FISH_ACTION=$argv[1] \\
        _TYPER_COMPLETE_ARGS=(commandline -cp | string collect) recollect 2>/dev/null
end
complete --command recollect --no-files --condition "__recollect_ask is-args" --arguments "(__recollect_ask get-args)"
"""
_SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


def register(app: typer.Typer, *, panel: str) -> None:
    """Add the command to the application."""
    fields = [
        context(),
        field("shell", str | None, typer.Argument(None, metavar="[SHELL]", help=_SHELL, autocompletion=_shells)),
        field("install", bool, typer.Option(False, "--install", help=_INSTALL)),
        field("output", str | None, typer.Option(None, "-o", "--output", metavar="text|json", help=_OUTPUT)),
    ]
    app.command(NAME, help=HELP, rich_help_panel=panel)(command(NAME, fields, _completion))


def _completion(ctx: typer.Context, shell: str | None, install: bool, output: str | None) -> CommandAnswer | int:
    check_output(output)
    chosen = _named(shell)
    if install:
        return CommandAnswer(data={"shell": chosen, **installed(chosen, Path.home(), os.environ)}, sort="Completion")
    if (output or (ctx.obj or {}).get("output")) == "json":
        write_json({"shell": chosen, "script": _SCRIPTS[chosen]})
    else:
        print(_SCRIPTS[chosen], end="")
    return 0


def installed(shell: str, home: Path, environ: Any) -> dict[str, Any]:
    """Write the script where the shell finds it, and the one line it needs in its start file, if that is missing."""
    if shell == "fish":
        place = Path(environ.get("XDG_CONFIG_HOME") or home / ".config") / "fish" / "completions" / "recollect.fish"
        start, line = None, ""
    elif shell == "zsh":
        own = Path(environ.get("ZDOTDIR") or home)
        place, start = own / ".zfunc" / "_recollect", own / ".zshrc"
        line = f"fpath+=({_quoted(place.parent)}); autoload -Uz compinit; compinit"
    else:
        place, start = home / ".bash_completions" / "recollect.sh", home / ".bashrc"
        line = f"source {_quoted(place)}"
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(_SCRIPTS[shell], encoding="utf-8")
        changed = start is not None and _appended(start, line)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"completion for {shell} could not be installed ({error}); put the output of "
            f"`recollect completion {shell}` where your shell reads it"
        ) from None
    return {"path": str(place), "start_file": str(start) if start else None, "start_file_changed": changed}


def _appended(start: Path, line: str) -> bool:
    """Whether the line had to be added. Nothing else of the file is touched: it is only ever appended to."""
    before = start.read_text(encoding="utf-8") if start.exists() else ""
    if line in before.splitlines():
        return False
    with start.open("a", encoding="utf-8") as file:
        file.write(("" if not before or before.endswith("\n") else "\n") + line + "\n")
    return True


def _quoted(path: Path) -> str:
    import shlex

    return shlex.quote(str(path))


def _named(shell: str | None) -> str:
    if shell is None:
        shell = _around()
    if shell not in _SCRIPTS:
        raise UsageError(f"completion is there for {', '.join(_SCRIPTS)}; name one, such as recollect completion bash")
    return shell


def _around() -> str | None:
    """The shell this person uses, if it can be told."""
    return Path(os.environ.get("SHELL", "")).name or None


def _shells(incomplete: str) -> list[str]:
    return [shell for shell in _SCRIPTS if shell.startswith(incomplete)]
