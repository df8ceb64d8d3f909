"""`recollect repl`: the sandbox at a prompt, for people who want to see what an agent would see."""

from __future__ import annotations

import ast
import codeop
import inspect
import json
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Any

from recollect.errors import SandboxError
from recollect.interfaces.repl.functions import FUNCTIONS, MemoryHandle
from recollect.interfaces.repl.sandbox import Sandbox
from recollect.limits import SANDBOX_CHARS_MAX
from recollect.model.showable import in_json, inert

TIME_S = 30.0  # people wait longer than agents, and have Ctrl-C
PROMPT, MORE = ">>> ", "... "
BANNER = """Recollect sandbox: a prompt for code that may use the memory and nothing else. These functions are there:
{functions}
Such as: memory_query("which editor?", limit=3). Plain values are kept from line to line, functions are not;
no imports, no classes. `help` shows this again, `dir()` your values, `exit` or Ctrl-D leaves."""
_LEAVE = frozenset({"exit", "exit()", "quit", "quit()", ":q"})
_HELP = frozenset({"help", "help()", "?"})


def run_shell(memory: MemoryHandle) -> int:
    """Read, run and print until the end of input. Piped input is one program, and exit code 1 its failure."""
    with Sandbox(memory, time_s=TIME_S, result_chars=SANDBOX_CHARS_MAX) as sandbox:
        if sys.stdin.isatty():
            return _converse(sandbox)
        return _run_program(sandbox, sys.stdin.read())


def greeting() -> str:
    """What can be called here, each with its arguments and what it does."""
    return BANNER.format(functions="\n".join(f"  {_called(each)}" for each in FUNCTIONS.values()))


def _called(function: Callable[..., Any]) -> str:
    given = [each for name, each in inspect.signature(function).parameters.items() if name != "memory"]
    words = ", ".join(
        each.name if each.default is inspect.Parameter.empty else f"{each.name}={each.default!r}" for each in given
    )
    said = (inspect.getdoc(function) or "").partition("\n")[0]
    return f"{function.__name__}({words}): {said}"


def _run_program(sandbox: Sandbox, code: str) -> int:
    try:
        outcome = sandbox.execute(code)
    except SandboxError as error:
        _complain(error)
        return 1
    print(inert(outcome.output), end="")
    _show(outcome.result)
    return 0


def _converse(sandbox: Sandbox) -> int:
    with suppress(ImportError):  # not on every platform
        import_module("readline")  # gives input() its history
    print(greeting())
    variables: dict[str, Any] = {}
    while True:
        try:
            code = _read_statement()
        except EOFError:
            print()
            return 0
        except KeyboardInterrupt:
            print()
            continue
        word = code.strip()
        if word in _LEAVE:
            return 0
        if word in _HELP:
            print(greeting())
        elif word == "dir()":
            print(", ".join((*sorted(variables), *FUNCTIONS)))
        elif word:
            variables = _run_statement(sandbox, code, variables)


def _run_statement(sandbox: Sandbox, code: str, variables: dict[str, Any]) -> dict[str, Any]:
    """Run one statement; an expression also shows its value. Gives the variables of the next one."""
    expression = _is_expression(code)
    try:
        # The bracket closes on a line of its own: a comment may end the code.
        outcome = sandbox.execute(f"result = ({code}\n)" if expression else code, variables=variables)
    except SandboxError as error:
        _complain(error)
        return variables
    except KeyboardInterrupt:
        print("stopped; memory calls already made stay", file=sys.stderr)
        return variables
    print(inert(outcome.output), end="")
    if expression:
        _show(outcome.result)
    return dict(outcome.variables)


def _read_statement() -> str:
    """Lines until they make a statement, or cannot become one: the sandbox then says what is wrong."""
    code = input(PROMPT)
    while True:
        try:
            if codeop.compile_command(code) is not None:
                return code
        except (SyntaxError, ValueError, OverflowError):
            return code
        code += "\n" + input(MORE)


def _is_expression(code: str) -> bool:
    try:
        ast.parse(code.strip(), mode="eval")
    except (SyntaxError, ValueError):
        return False
    return True


def _show(value: Any) -> None:
    if value is not None:
        print(in_json(json.dumps(value, indent=2, ensure_ascii=False)))


def _complain(error: SandboxError) -> None:
    for note in getattr(error, "__notes__", ()):
        print(inert(note), end="")
    print(inert(str(error)), file=sys.stderr)
