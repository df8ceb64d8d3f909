"""From the arguments of a process to its exit code: 0 done, 1 failed, 2 used wrongly, 130 interrupted."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from recollect.errors import RecollectError, UsageError
from recollect.interfaces.cli.answer import CommandAnswer, Declined, emit, emit_error

if TYPE_CHECKING:
    from recollect.verbs.verb import Verb

PROGRAM = "recollect"
_GC_OBJECTS = 50_000
_GC_OBJECTS_ONCE = 200_000  # a search makes some 78,000, and looking through them takes 10 ms
INTERRUPTED, PIPE_CLOSED = 130, 141  # 128 + SIGINT, 128 + SIGPIPE


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Never raises for what a user can cause, and leaves stdout to the answer."""
    words = list(sys.argv[1:] if argv is None else argv)
    own = argv is None  # a process of its own: what it loads stays until it ends, and is no garbage
    if own:
        gc.set_threshold(_GC_OBJECTS)
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, ValueError):  # replaced by something simpler, as test runners do
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    as_json = wants_json(words)
    try:
        code = _run(words or ["--help"], as_json, own=own)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _silence_stdout()
        return PIPE_CLOSED
    except Declined:
        print("stopped; nothing was done", file=sys.stderr)
        return 1
    except RecollectError as error:
        emit_error(error, as_json=as_json)
        return 2 if isinstance(error, UsageError) else 1
    except Exception as error:  # a bug of ours: programs still get their one document, people the traceback
        emit_error(_bug(error), as_json=as_json)
        sys.excepthook(type(error), error, error.__traceback__)
        return 1
    finally:
        if own:
            gc.freeze()  # nothing of it is looked through on the way out, which takes 30 ms after a search


def wants_json(words: Sequence[str]) -> bool:
    """Whether JSON was asked for, told before parsing: a mistake on the line must be reported in JSON too."""
    chosen = False
    for at, word in enumerate(words):
        if word == "--":
            break
        if word in ("-o", "--output"):
            chosen = words[at + 1 : at + 2] == ["json"]
        elif word.startswith(("-o", "--output=")):
            chosen = word in ("-ojson", "-o=json", "--output=json")
    return chosen


def _run(words: list[str], as_json: bool, *, own: bool) -> int:
    if len(words) == 1 and words[0] in _AT_ONCE and f"_{PROGRAM.upper()}_COMPLETE" not in os.environ:
        return _AT_ONCE[words[0]]()
    from recollect.interfaces.cli.calling import answered
    from recollect.interfaces.cli.lane import understood

    straight = None if f"_{PROGRAM.upper()}_COMPLETE" in os.environ else understood(words)
    if straight is not None and own:
        _make_haste(straight.verb)
    answer = answered(*straight) if straight is not None else _parsed(words)
    if isinstance(answer, CommandAnswer):
        emit(answer, as_json=as_json)
        return answer.code
    return answer if isinstance(answer, int) else 0


def _make_haste(verb: Verb) -> None:
    """Spare a process that runs one verb and ends what only pays in one that stays."""
    gc.set_threshold(_GC_OBJECTS_ONCE)
    if not verb.writes and verb.group != "Upkeep":
        # A question is too small to be shared among threads, and to start them takes 20 to 40 ms; numpy loads later.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _parsed(words: list[str]) -> Any:
    """What comes of a line that only the library understands, or complains of."""
    import typer

    from recollect.interfaces.cli.app import assembled

    # Typer may carry a click of its own; its base error is reached through the one it exports.
    foreign: type[Exception] = typer.BadParameter.__mro__[2]
    command = assembled(_words_at_hand(words))
    try:
        return command.main(words, prog_name=PROGRAM, standalone_mode=False)
    except typer.Abort:
        raise Declined from None
    except foreign as error:
        raise UsageError(_advice(error)) from None


def _overview() -> int:
    from recollect.interfaces.cli.overview import show

    show()
    return 0


def _version() -> int:
    from recollect._version import __version__

    print(f"{PROGRAM} {__version__}")
    return 0


_AT_ONCE = {"--help": _overview, "-h": _overview, "--version": _version}  # nothing there is to be parsed


def _words_at_hand(words: list[str]) -> set[str]:
    """What was typed, or what the shell asks completions for."""
    line = os.environ.get("COMP_WORDS", "") + " " + os.environ.get("_TYPER_COMPLETE_ARGS", "")
    return {*words, *line.split()} if f"_{PROGRAM.upper()}_COMPLETE" in os.environ else set(words)


def _advice(error: Exception) -> str:
    """The parser's complaint, and where to read more."""
    said: str = error.format_message() if hasattr(error, "format_message") else str(error)
    path = getattr(getattr(error, "ctx", None), "command_path", PROGRAM)
    dash = "; a text that begins with a dash goes after --" if said.startswith("No such option: -") else ""
    return f"{said.strip().rstrip('.')} (see {path} --help{dash})"


def _bug(error: Exception) -> RecollectError:
    return RecollectError(f"this is a bug in Recollect ({type(error).__name__}: {str(error)[:200]})")


def _silence_stdout() -> None:
    """Whoever read our output has left; keep the interpreter from complaining about it at exit."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
