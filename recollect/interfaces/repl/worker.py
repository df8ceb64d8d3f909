"""The child process: waits for code, forks for each run, confines the fork, runs it there and reports.

The waiting process never sees what a run left behind: globals, memory and limits belong to the fork and end
with it. Where the platform cannot fork, one process serves one run.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import unicodedata  # noqa: F401  the parser wants it for names beyond ASCII, and a fork can open no file
from collections.abc import Callable, ItemsView, KeysView, ValuesView
from typing import Any

from .channel import FAILED, FORKS, OUT_OF_MEMORY, Frame, OversizeError, PipeChannel
from .policy import FILENAME, CodeRefused, MemoryCallError, Output, compile_code, namespace

try:
    import resource
except ImportError:  # not on Windows
    LIMITS: dict[str, int] = {}
else:
    LIMITS = {name: number for name, number in vars(resource).items() if name.startswith("RLIMIT_")}

DEPTH_MAX = 50
MESSAGE_CHARS_MAX = 1_000
LISTS = (list, tuple, range, KeysView, ValuesView, ItemsView)


def serve(channel: PipeChannel) -> None:
    """Answer requests until the other side hangs up."""
    gc.freeze()  # a collection in the fork would write to, and so copy, every page the two still share
    channel.send({"ready": True})
    while (request := channel.receive()) is not None:
        if not FORKS:
            channel.send({"end": answer(request, channel)})
            return
        pid = os.fork()
        if pid == 0:
            os._exit(answer(request, channel))
        _, status = os.waitpid(pid, 0)
        channel.send({"end": os.waitstatus_to_exitcode(status)})


def answer(request: Frame, channel: PipeChannel) -> int:
    """One run, confined. Everything it has to say is sent; the exit code covers what it cannot say."""
    try:
        unlimited = confine(memory_mb=request["memory_mb"], cpu_s=request["cpu_s"])
        channel.send(run(request, channel) | {"unlimited": unlimited})
    except MemoryError:
        return OUT_OF_MEMORY
    except BaseException:  # nothing may leave the fork: above it is the loop of the process that waits
        return FAILED
    return 0


def confine(*, memory_mb: int, cpu_s: int) -> list[str]:
    """Lower the limits of this process for good; gives the names of those the platform refuses.

    No descriptor can be opened, so even code that got past the language has no file, no socket and no program
    to start. The processor limit matters when the sandbox died and nobody keeps the time.
    """
    wanted = {
        "RLIMIT_AS": memory_mb << 20,
        "RLIMIT_CPU": cpu_s,
        "RLIMIT_NOFILE": 0,
        "RLIMIT_FSIZE": 0,
        "RLIMIT_NPROC": 0,
        "RLIMIT_CORE": 0,
    }
    refused = [name for name in wanted if name not in LIMITS]
    for name in wanted.keys() & LIMITS.keys():
        limit = LIMITS[name]
        try:
            _, hard = resource.getrlimit(limit)
            value = wanted[name] if hard == resource.RLIM_INFINITY else min(wanted[name], hard)
            resource.setrlimit(limit, (value, value))
        except (OSError, ValueError):  # known by name only, as the address space is on macOS
            refused.append(name)
    return sorted(refused)


def run(request: Frame, channel: PipeChannel) -> Frame:
    """Compile and execute. Gives `{"result", "output", "variables"}` or `{"failed", "output"}`."""
    output = Output(request["output_chars"])
    functions = {name: remote(name, channel) for name in request["functions"]}
    names = namespace(functions, output)
    ours = frozenset(names)
    names |= request["variables"] or {}
    try:
        exec(compile_code(request["code"]), names)
        result = encode(names.get("result"), request["result_chars"])
    except CodeRefused as refused:
        return {"failed": readable(str(refused)), "output": ""}
    except MemoryError:
        raise
    except Exception as exc:
        return {"failed": describe(exc), "output": output.text()}
    kept = {} if request["variables"] is None else keep(names, ours, request["result_chars"])
    return {"result": result, "output": output.text(), "variables": kept}


def remote(name: str, channel: PipeChannel) -> Callable[..., Any]:
    """A function that asks the sandbox to do the work and waits for the answer."""

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            channel.send({"call": name, "args": plain(args), "kwargs": plain(kwargs)})
        except (OversizeError, UnicodeEncodeError) as exc:
            raise MemoryCallError(f"{name}: {exc}") from None
        reply = await_reply(channel)
        if "error" in reply:
            raise MemoryCallError(reply["error"], reply["code"])
        return reply["value"]

    return call


def await_reply(channel: PipeChannel) -> Frame:
    """The reply, or the end of the run: after half a reply nobody could tell where the next one begins."""
    try:
        reply = channel.receive()
    except BaseException as exc:
        os._exit(OUT_OF_MEMORY if isinstance(exc, MemoryError) else FAILED)
    if reply is None:  # the sandbox hung up
        os._exit(FAILED)
    return reply


def plain(value: Any, depth: int = 0) -> Any:
    """The same in JSON's own types: sequences become lists, and so do sets, in order if they have one."""
    if depth > DEPTH_MAX:
        raise ValueError(f"nested more than {DEPTH_MAX} deep")
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, dict):
        return {key: plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, set | frozenset):
        try:
            value = sorted(value)
        except TypeError:
            value = list(value)
    if isinstance(value, LISTS):
        return [plain(item, depth + 1) for item in value]
    raise TypeError(f"{type(value).__name__} is not a plain value")


def encode(value: Any, chars_max: int) -> str:
    """The value as JSON text, which is how it travels: its length is checked once, here."""
    try:
        text = json.dumps(plain(value), ensure_ascii=False, allow_nan=False)
        text.encode()
    except (TypeError, ValueError, RecursionError) as exc:
        raise NotPlainError(f"result must be plain values that JSON can hold: {exc}") from None
    if len(text) > chars_max:
        raise NotPlainError(f"result is {len(text)} characters as JSON, over the limit of {chars_max}")
    return text


class NotPlainError(Exception):
    """`result` cannot leave."""


def keep(names: dict[str, Any], ours: frozenset[str], chars_max: int) -> dict[str, str]:
    """The variables a shell carries to the next line: those that can leave, while there is room."""
    kept = {}
    for name, value in names.items():
        if name.startswith("_") or name in ours:
            continue
        try:
            kept[name] = encode(value, chars_max)
        except NotPlainError:
            continue
        chars_max -= len(kept[name])
    return kept


def describe(exc: Exception) -> str:
    """`line 3: ValueError: …`, with the innermost line of the user's code."""
    if isinstance(exc, NotPlainError):
        return str(exc)
    line, trace = None, exc.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == FILENAME:
            line = trace.tb_lineno
        trace = trace.tb_next
    try:
        message = str(exc)
    except RecursionError:
        message = "(its message is nested too deeply to show)"
    return readable(f"line {line or 1}: {type(exc).__name__}: {message}")


def readable(message: str) -> str:
    return message[:MESSAGE_CHARS_MAX].encode(errors="replace").decode()  # it may quote a lone surrogate


def main() -> None:
    """Take the pipes away from the standard streams, so that nothing but frames is ever written to them."""
    channel = PipeChannel(os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb"))
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    sys.setrecursionlimit(500)  # deep enough for people, shallow enough for the C stack
    serve(channel)
