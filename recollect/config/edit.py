"""One setting of a TOML file changed in place: comments, spacing and every other line stay as they are.

The result is read again and compared. If anything but that setting came out different, the file writes it in a form
that this module does not understand, and nothing is changed.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

from recollect.errors import ConfigInvalid

_HEADER = re.compile(r"^[ \t]*\[[^\r\n]*$", re.MULTILINE)


def put(text: str, key: str, value: Any) -> str:
    """The text with this value for a dotted key; a section that is not there is added at the end."""
    newline = "\r\n" if "\r\n" in text else "\n"
    section, _, name = key.rpartition(".")
    line = f"{name} = {_written(value)}"
    found = _assigned(text, key)
    if found is not None:
        start, end, comment = found
        after = text[:start] + f"{_word_of(text[start:end])} = {_written(value)}{comment}" + text[end:]
    elif (span := _span(text, section)) is not None:
        at = span[1]
        gap = "" if not at or text[:at].endswith("\n") else newline
        after = f"{text[:at]}{gap}{line}{newline}{text[at:]}"
    else:
        apart = "" if not text.strip() else newline if text.endswith("\n") else newline * 2
        after = f"{text}{apart}[{section}]{newline}{line}{newline}"
    return _checked(text, after, key, value)


def drop(text: str, key: str) -> str:
    """The text without the setting; unchanged where it is not set."""
    found = _assigned(text, key)
    if found is None:
        return _checked(text, text, key, None)
    start, end, _ = found
    line_end = text.find("\n", end)
    return _checked(text, text[:start] + (text[line_end + 1 :] if line_end >= 0 else ""), key, None)


def _assigned(text: str, key: str) -> tuple[int, int, str] | None:
    """Where `name = value` stands, without the end of its line, and the comment behind the value."""
    section, _, name = key.rpartition(".")
    for within, word in ((section, name), ("", key)):
        span = _span(text, within)
        if span is None:
            continue
        form = re.compile(rf"""^[ \t]*["']?{re.escape(word)}["']?[ \t]*=[ \t]*([^\r\n]*)""", re.MULTILINE)
        found = form.search(text, *span)
        if found is not None:
            return found.start(), found.end(), _comment(found[1])
    return None


def _word_of(assignment: str) -> str:
    return assignment.partition("=")[0].rstrip()


def _comment(rest: str) -> str:
    """What follows the value on its line: blanks and a comment. A # inside a text is none."""
    for at in (each.start() for each in re.finditer(r"[ \t]*#", rest)):
        try:
            tomllib.loads(f"x = {rest[:at]}")
        except tomllib.TOMLDecodeError:
            continue
        return rest[at:]
    return ""


def _span(text: str, section: str) -> tuple[int, int] | None:
    """From behind the header of a section to where the next begins, or its comments; the top has no header."""
    start = 0
    if section:
        names = r"[ \t]*\.[ \t]*".join(rf"""["']?{re.escape(name)}["']?""" for name in section.split("."))
        found = re.compile(rf"^[ \t]*\[[ \t]*{names}[ \t]*\][^\r\n]*(?:\r?\n|\Z)", re.MULTILINE).search(text)
        if found is None:
            return None
        start = found.end()
    follows = _HEADER.search(text, start)
    end = follows.start() if follows else len(text)
    return start, without_lead(text, start, end) if follows else end


def without_lead(text: str, start: int, end: int) -> int:
    """Where this part ends without the blank lines and comments above a header, which speak of what follows it."""
    for line in reversed(text[start:end].splitlines(keepends=True)):
        if line.strip() and not line.lstrip(" \t").startswith("#"):
            break
        end -= len(line)
    return end


def _checked(before: str, after: str, key: str, value: Any) -> str:
    expected, found = _read(before), {}
    place = expected
    *sections, name = key.split(".")
    for each in sections:
        place = place.setdefault(each, {})
        if not isinstance(place, dict):
            break
    else:
        if value is None:
            place.pop(name, None)
        else:
            place[name] = value
        try:
            found = _read(after)
        except ConfigInvalid:
            found = {}
    if _filled(found) != _filled(expected):
        raise ConfigInvalid(f"the file writes {key} in a form that is not changed from here; change it by hand")
    return after


def _filled(tables: dict[str, Any]) -> dict[str, Any]:
    """Without empty tables: a header alone sets nothing."""
    inside = {name: _filled(each) if isinstance(each, dict) else each for name, each in tables.items()}
    return {name: each for name, each in inside.items() if each != {}}


def _read(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigInvalid(f"the file is not valid TOML: {error}") from None


def _written(value: Any) -> str:
    """Texts, truth values and numbers: for these JSON's form is TOML's."""
    return json.dumps(value, ensure_ascii=False)
