"""Changing one member of a JSON file that people wrote: comments, order and spacing of everything else stay.

JSON with comments and trailing commas is read, as VS Code and others write it. Nothing is reformatted: a change is
cut into the text at the places that reading it found.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

_BLANK = re.compile(r"(?:[ \t\r\n\ufeff]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_REST_OF_LINE = re.compile(r",?[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/[ \t]*)?")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_WORD = re.compile(r"true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_LINE_END = re.compile(r"[ \t]*\r?\n")
_INDENT = re.compile(r"^([ \t]+)\S", re.MULTILINE)


class NotJsonError(ValueError):
    """The text is no JSON; the message says where it stops being any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonNode:
    """A value and where it stands in the text."""

    start: int
    end: int
    value: Any
    members: dict[str, tuple[int, JsonNode]] = field(default_factory=dict)  # of an object: where a key begins
    items: list[JsonNode] = field(default_factory=list)  # of a list


def read(text: str) -> JsonNode:
    """The value a text stands for; a text of nothing but blanks and comments is an empty object nowhere."""
    at = _blank(text, 0)
    if at == len(text):
        return JsonNode(start=at, end=at, value={})
    try:
        node = _value(text, at)
    except RecursionError:
        raise NotJsonError("it is nested too deeply") from None
    if _blank(text, node.end) != len(text):
        raise _wrong(text, _blank(text, node.end), "something follows the end")
    return node


def put(text: str, path: tuple[str, str], value: Any) -> str:
    """The text with `value` at this path; the table around it is made if there is none."""
    root = _object(text, read(text), "the file")
    outer, name = path
    if root.start == root.end:
        return text + json.dumps({outer: {name: value}}, indent=2, ensure_ascii=False) + "\n"
    if outer not in root.members:
        return _insert(text, root, outer, {name: value}, depth=1)
    table = _object(text, root.members[outer][1], f'"{outer}"')
    if name not in table.members:
        return _insert(text, table, name, value, depth=2)
    old = table.members[name][1]
    return text[: old.start] + _written(text, value, depth=2) + text[old.end :]


def drop(text: str, path: tuple[str, str]) -> str:
    """The text without what is at this path; unchanged when nothing is."""
    root = _object(text, read(text), "the file")
    outer, name = path
    if outer not in root.members:
        return text
    table = _object(text, root.members[outer][1], f'"{outer}"')
    if name not in table.members:
        return text
    return _without_member(text, table, name)


def put_member(text: str, name: str, value: Any, *, overwrite: bool = True) -> str:
    """The text of an object with a member of its own; one that is there already is left alone on request."""
    root = _object(text, read(text), "the file")
    if name not in root.members:
        return _insert(text, root, name, value, depth=1)
    old = root.members[name][1]
    return text[: old.start] + _written(text, value, depth=1) + text[old.end :] if overwrite else text


def append(text: str, path: tuple[str, str], item: Any) -> str:
    """The text with one more item at the end of the list at this path, which is made if there is none."""
    root = _object(text, read(text), "the file")
    outer, name = path
    table = root.members[outer][1] if outer in root.members else None
    if table is None or name not in _object(text, table, f'"{outer}"').members:
        return put(text, path, [item])
    listed = table.members[name][1]
    if not isinstance(listed.value, list):
        raise _wrong(text, listed.start, f'"{outer}.{name}" is no list')
    return _insert_in(text, listed, [node.end for node in listed.items], _written(text, item, depth=3), depth=3)


def remove(text: str, path: tuple[str, str], unwanted: Callable[[Any], bool]) -> str:
    """The text without the items of a list that are unwanted; a list, and a table, that held nothing else goes too."""
    outer, name = path
    while True:
        root = _object(text, read(text), "the file")
        table = root.members[outer][1] if outer in root.members else None
        listed = table.members[name][1] if table is not None and name in table.members else None
        going = next((node for node in listed.items if unwanted(node.value)), None) if listed is not None else None
        if listed is None or table is None or going is None:
            return text
        if len(listed.items) > 1:
            others = [node.end for node in listed.items if node.end < going.start]
            text = _without_span(text, going.start, going.end, others)
        elif len(table.members) > 1:
            return _without_member(text, table, name)
        else:
            return _without_member(text, root, outer)


def _without_member(text: str, table: JsonNode, name: str) -> str:
    key, node = table.members[name]
    before = [other.end for _, other in table.members.values() if other.end < key]
    return _without_span(text, key, node.end, before)


def _without_span(text: str, start: int, end: int, before: list[int]) -> str:
    """Cut out a member or an item; `before` is where those before it end."""
    follows = _blank(text, end)
    if text[follows] == ",":
        return _cut(text, _whole_line(text, start, follows + 1))
    gone = [_whole_line(text, start, end)]
    if before:  # it was the last one: the comma that led to it goes too
        comma = _blank(text, max(before))
        gone.append((comma, comma + 1))
    return _cut(text, *gone)


def _cut(text: str, *spans: tuple[int, int]) -> str:
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + text[end:]
    return text


def _whole_line(text: str, start: int, end: int) -> tuple[int, int]:
    """A span, with its line when nothing else stands there, and with the blanks it would leave."""
    line = text.rfind("\n", 0, start) + 1
    alone = not text[line:start].strip()
    rest = _LINE_END.match(text, end)
    if alone and rest:
        return line, rest.end()
    before = text[:start].rstrip(" \t\r\n" if alone else " \t")
    return len(before), end


def _insert(text: str, table: JsonNode, name: str, value: Any, *, depth: int) -> str:
    """A new last member."""
    written = f"{json.dumps(name, ensure_ascii=False)}: {_written(text, value, depth=depth)}"
    return _insert_in(text, table, [node.end for _, node in table.members.values()], written, depth=depth)


def _insert_in(text: str, table: JsonNode, ends: list[int], written: str, *, depth: int) -> str:
    """A new last member or item; `ends` is where those that are there end."""
    one_line = "\n" not in text.strip()
    newline, unit = _newline(text), _unit(text)
    if not ends:
        inside = text[table.start + 1 : table.end - 1]
        kept = inside.rstrip()
        lines = written if one_line else f"{newline}{unit * depth}{written}{newline}{unit * (depth - 1)}"
        return text[: table.start + 1] + kept + lines + text[table.end - 1 :]
    last = max(ends)
    comma = _blank(text, last)
    has_comma = text[comma] == ","
    if one_line:
        at = comma + 1 if has_comma else last
        return text[:at] + (" " if has_comma else ", ") + written + text[at:]
    rest = _REST_OF_LINE.match(text, comma + 1 if has_comma else last)
    assert rest is not None
    end, tail = rest.end(), "," if has_comma else ""
    line = f"{newline}{unit * depth}{written}{tail}"
    closing = "" if "\n" in text[end : table.end] else f"{newline}{unit * (depth - 1)}"
    return text[:last] + ("" if has_comma else ",") + text[last:end].rstrip() + line + closing + text[end:]


def _written(text: str, value: Any, *, depth: int) -> str:
    """A value in the style of the text around it."""
    if "\n" not in text.strip():
        return json.dumps(value, ensure_ascii=False)
    unit = _unit(text)
    lines = json.dumps(value, indent=unit, ensure_ascii=False).split("\n")
    return _newline(text).join([lines[0], *(unit * depth + line for line in lines[1:])])


def _unit(text: str) -> str:
    found = _INDENT.search(text)
    return found[1] if found else "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _object(text: str, node: JsonNode, what: str) -> JsonNode:
    if not isinstance(node.value, dict):
        raise _wrong(text, node.start, f"{what} is no object")
    return node


def _value(text: str, at: int) -> JsonNode:
    start = text[at : at + 1]
    if start == "{":
        return _members(text, at)
    if start == "[":
        return _items(text, at)
    found = _STRING.match(text, at) if start == '"' else _WORD.match(text, at)
    if found is None:
        raise _wrong(text, at, "a value is expected")
    try:
        return JsonNode(start=at, end=found.end(), value=json.loads(found[0]))
    except ValueError:
        raise _wrong(text, at, "a text with an unknown escape") from None


def _members(text: str, start: int) -> JsonNode:
    members: dict[str, tuple[int, JsonNode]] = {}
    at = _blank(text, start + 1)
    while text[at : at + 1] != "}":
        key = _STRING.match(text, at)
        if key is None:
            raise _wrong(text, at, 'a "name" or } is expected')
        colon = _blank(text, key.end())
        if text[colon : colon + 1] != ":":
            raise _wrong(text, colon, "a colon is expected")
        node = _value(text, _blank(text, colon + 1))
        members[_value(text, at).value] = (at, node)
        at = _next(text, node.end, "}")
    value = {name: node.value for name, (_, node) in members.items()}
    return JsonNode(start=start, end=at + 1, value=value, members=members)


def _items(text: str, start: int) -> JsonNode:
    items: list[JsonNode] = []
    at = _blank(text, start + 1)
    while text[at : at + 1] != "]":
        items.append(_value(text, at))
        at = _next(text, items[-1].end, "]")
    return JsonNode(start=start, end=at + 1, value=[item.value for item in items], items=items)


def _next(text: str, end: int, closing: str) -> int:
    """Where the next part begins, or where the closing bracket stands."""
    at = _blank(text, end)
    if text[at : at + 1] == ",":
        return _blank(text, at + 1)
    if text[at : at + 1] != closing:
        raise _wrong(text, at, f"a comma or {closing} is expected")
    return at


def _blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    assert found is not None
    return found.end()


def _wrong(text: str, at: int, why: str) -> NotJsonError:
    line = text.count("\n", 0, at) + 1
    return NotJsonError(f"{why} in line {line}, column {at - text.rfind(chr(10), 0, at)}")
