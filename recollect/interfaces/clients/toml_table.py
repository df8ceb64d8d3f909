"""Changing one `[outer.name]` table of a TOML file; every other byte stays.

The table is found by its header and ends where the next header begins. The result is read again and compared: if
anything but that table came out different, the file is one this module does not understand, and is refused.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

from recollect.config.edit import without_lead

_HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)


class NotTomlError(ValueError):
    """The text is no TOML, or holds the table in a form that cannot be changed in place."""


def read(text: str) -> dict[str, Any]:
    """The tables of a text."""
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise NotTomlError(str(error)) from None
    except RecursionError:
        raise NotTomlError("it is nested too deeply") from None


def put(text: str, path: tuple[str, str], value: dict[str, Any]) -> str:
    """The text with these values in the table; lines of it that say something else stay, with their comments."""
    newline = "\r\n" if "\r\n" in text else "\n"
    span = _span(text, path)
    if span is None:
        lines = newline.join((f"[{'.'.join(path)}]", *(_line(key, each) for key, each in value.items())))
        apart = "" if not text.strip() else newline if text.endswith("\n") else newline * 2
        return _checked(text, f"{text}{apart}{lines}{newline}", path, value)
    old = read(text).get(path[0], {}).get(path[1], {})
    body = text[slice(*span)]
    for key in old.keys() - value.keys():
        body = _assignment(key).sub("", body, count=1)
    for key, each in value.items():
        if key not in old:
            head, rest = body.split("\n", 1) if "\n" in body else (body, "")
            body = f"{head}\n{_line(key, each)}{newline}{rest}"
        elif each != old[key]:
            line = _line(key, each) + newline
            body = _assignment(key).sub(line.replace("\\", r"\\"), body, count=1)
    return _checked(text, text[: span[0]] + body + text[span[1] :], path, value)


def _assignment(key: str) -> re.Pattern[str]:
    """`key = value` and the end of its line; a list may take several lines."""
    value = r"(?:\[[^\]]*\][^\r\n]*|[^\r\n]*)"
    return re.compile(rf"""^[ \t]*["']?{re.escape(key)}["']?[ \t]*=[ \t]*{value}(?:\r?\n|\Z)""", re.MULTILINE)


def drop(text: str, path: tuple[str, str]) -> str:
    """The text without this table and those inside it; unchanged when there is none."""
    outer, name = path
    if name not in read(text).get(outer, {}):
        return text
    changed = text
    while (span := _span(changed, path)) or (span := _span(changed, path, inside=True)):
        changed = changed[: span[0]].rstrip() + _gap(changed, *span) + changed[span[1] :].lstrip("\r\n")
    return _checked(text, changed, path, None)


def _gap(text: str, start: int, end: int) -> str:
    """What stands between the parts before and after a table that goes."""
    newline = "\r\n" if "\r\n" in text else "\n"
    if not text[:start].strip():
        return ""
    return newline * 2 if text[end:].strip() else newline


def _span(text: str, path: tuple[str, str], *, inside: bool = False) -> tuple[int, int] | None:
    """From the header of the table to the next one or the comments above it; with `inside`, of a table within it."""
    forms = (rf"""(?:{name}|"{name}"|'{name}')""" for name in map(re.escape, path))
    names = r"[ \t]*\.[ \t]*".join(forms)
    more = r"[ \t]*\.[^\]\r\n]+" if inside else ""
    found = re.compile(rf"^[ \t]*\[[ \t]*{names}{more}[ \t]*\]", re.MULTILINE).search(text)
    if found is None:
        return None
    follows = _HEADER.search(text, found.end())
    end = follows.start() if follows else len(text)
    return found.start(), without_lead(text, found.end(), end) if follows else end


def _checked(before: str, after: str, path: tuple[str, str], wanted: dict[str, Any] | None) -> str:
    """The changed text, if it differs from the old one in this table alone."""
    outer, name = path
    expected = read(before)
    if not isinstance(expected.setdefault(outer, {}), dict):
        raise NotTomlError(f"{outer} is no table")
    expected[outer].pop(name, None)
    if wanted is not None:
        expected[outer][name] = wanted
    try:
        found = read(after)
    except NotTomlError:
        found = {}
    found.setdefault(outer, {})
    if found != expected:
        raise NotTomlError(f"{outer}.{name} is not written as a table of its own; change it by hand")
    return after


def _line(key: str, value: Any) -> str:
    """Texts, truth values, numbers and lists of them: for these JSON's form is TOML's."""
    return f"{key} = {json.dumps(value, ensure_ascii=False)}"
