"""Errors of tools: the line that tells, and what stays of it when the same thing goes wrong elsewhere."""

from __future__ import annotations

ERROR_CHARS_MAX = 200  # of an error that are kept
_LOOKED_AT_CHARS = 32_768
_TRACEBACK = "Traceback (most recent call last)"
_WORDS = ("error", "exception", "failed", "fatal", "panic", "cannot", "not found", "denied", "no such", "undefined")


def telling(error: str) -> str:
    """The line of an error that says what went wrong: the last of a traceback, else the first that sounds like it."""
    text = error if len(error) <= _LOOKED_AT_CHARS else error[: _LOOKED_AT_CHARS // 2] + error[-_LOOKED_AT_CHARS // 2 :]
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.startswith(("Exit code", "exit status", "Command failed"))]
    if not lines:
        return error.strip()[:ERROR_CHARS_MAX]
    if _TRACEBACK in text:
        return lines[-1][:ERROR_CHARS_MAX]
    found = next((line for line in lines if any(word in line.lower() for word in _WORDS)), lines[0])
    return found[:ERROR_CHARS_MAX]


def normalised(text: str) -> str:
    """An error without what differs from one time to the next: colours, times, ids, folders, numbers, quoted values."""
    import re  # a few milliseconds, paid for only where something failed

    for pattern, instead in (
        (r"\x1b\[[0-9;?]*[ -/]*[@-~]", ""),
        (r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?", "<time>"),
        (r"\b\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?\b", "<time>"),
        (r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b", "<id>"),
        (r"\b0x[0-9a-fA-F]+\b", "<id>"),
        (r"(?:[A-Za-z]:)?(?:[\w.@~+-]*[/\\])+([\w.@+-]+)", r"\1"),
        (r"'[^'\n]{0,200}'|\"[^\"\n]{0,200}\"|`[^`\n]{0,200}`", "<value>"),
        (r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b", "<id>"),
        (r"\d+(?:\.\d+)?", "<number>"),
        (r"\s+", " "),
    ):
        text = re.sub(pattern, instead, text)
    return text.strip()[:ERROR_CHARS_MAX]


def digest(text: str) -> str:
    """The name under which an error is known again."""
    return print_of_bytes(normalised(text).encode("utf-8", "replace"))


def print_of_bytes(data: bytes) -> str:
    """Sixteen digits that stand for some bytes. `hashlib` would load a whole library of ciphers."""
    try:
        from _blake2 import blake2b
    except ImportError:
        from hashlib import blake2b
    return str(blake2b(data, digest_size=8).hexdigest())
