"""One value or one table of a TOML file changed in place: comments, spacing and every other line stay as they are.

tomlkit reads and writes; it is loaded when something is changed. The result is read again by another parser and
compared: if anything but what was meant came out different, nothing is changed.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from recollect.errors import ConfigInvalid

_BOM = "\ufeff"


def read(text: str) -> dict[str, Any]:
    """The tables of a text."""
    try:
        return tomllib.loads(text.removeprefix(_BOM))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigInvalid(f"the file is not valid TOML: {error}") from None


def put(text: str, path: Sequence[str], value: Any) -> str:
    """The text with this value, or this table, at a path. Of a table only what differs is written."""
    expected = read(text)
    _set(expected, path, value)
    if read(text) == expected:
        return text
    table, rows = (path, value) if isinstance(value, Mapping) else (path[:-1], {path[-1]: value})
    document = _document(text)
    holders = _holders(document, table) if table else [document]
    if not holders:
        return _checked(text, _with_table_behind(text, table, rows), expected, path)
    inside = holders[0][table[-1]] if table else document
    if isinstance(value, Mapping):
        for key in [key for key in inside if key not in value]:
            inside.remove(key)
    for key, each in rows.items():
        if key not in inside:
            _append(inside, key, each)
        elif inside[key].unwrap() != each:
            inside[key] = each
    return _checked(text, document.as_string(), expected, path)


def drop(text: str, path: Sequence[str]) -> str:
    """The text without what is at a path; unchanged where nothing is. Comments above what follows stay with it."""
    expected = read(text)
    document = _document(text)
    holders = _holders(document, path)
    if not holders:
        return text
    is_table = False
    for holder in holders:
        is_table |= isinstance(holder[path[-1]], Mapping)
        rest = _tail(holder[path[-1]])
        holder.remove(path[-1])
        if rest:
            _restore(holder, rest)
    _set(expected, path, None)
    after = document.as_string()
    if is_table:  # the blank lines before its header are nobody's
        after = after.rstrip() + "\n" if after.strip() else ""
    return _checked(text, after, expected, path)


def _holders(document: Any, path: Sequence[str]) -> list[Any]:
    """The tables that hold what is at a path: several where other tables stand between its parts."""
    tables = [document]
    for name in path[:-1]:
        inside = [each for table in tables for key, each in _body(table) if key is not None and key.key == name]
        tables = [each for each in inside if isinstance(each, Mapping)]
    return [table for table in tables if path[-1] in table]


def _with_table_behind(text: str, path: Sequence[str], rows: Mapping[str, Any]) -> str:
    """The text with one more table at its end."""
    import tomlkit

    written = tomlkit.document()
    place: Any = written
    for name in path:
        place[name] = tomlkit.table(is_super_table=name is not path[-1])
        place = place[name]
    place.update(rows)
    apart = "" if not text.strip() else "\n" if text.endswith("\n") else "\n\n"
    return text.removeprefix(_BOM) + apart + tomlkit.dumps(written).lstrip()


def _append(place: Any, name: str, value: Any) -> None:
    """Add behind the last value: blank lines and comments at the end of a table speak of what follows it."""
    body = _body(place)
    kept = []
    while body and body[-1][0] is None:
        kept.append(body.pop())
    place.append(name, value)
    body.extend(reversed(kept))


def _tail(item: Any) -> str:
    """The blank lines and comments at the end of a table."""
    text = ""
    while isinstance(item, Mapping):
        body = _body(item)
        at = len(body)
        while at and body[at - 1][0] is None:
            at -= 1
        text = "".join(each.as_string() for _, each in body[at:]) + text
        if not at:
            break
        item = body[at - 1][1]
    return text.lstrip("\r\n") if "#" in text else ""


def _restore(place: Any, text: str) -> None:
    """Put blank lines and comments where something was taken out."""
    from tomlkit.items import Null, Whitespace

    body = _body(place)
    at = next(at for at, (key, each) in enumerate(body) if key is None and isinstance(each, Null))
    body[at] = (None, Whitespace(text))


def _body(place: Any) -> Any:
    return place.body if hasattr(place, "body") else place.value.body


def _document(text: str) -> Any:
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        return tomlkit.parse(text.removeprefix(_BOM))
    except TOMLKitError as error:
        raise ConfigInvalid(f"the file is not valid TOML: {error}") from None


def _checked(before: str, after: str, expected: dict[str, Any], path: Sequence[str]) -> str:
    if "\r\n" in before:
        after = re.sub(r"(?<!\r)\n", "\r\n", after)
    try:
        found = read(after)
    except ConfigInvalid:
        found = {}
    if _filled(found) != _filled(expected):
        where = ".".join(path)
        raise ConfigInvalid(f"the file writes {where} in a form that is not changed from here; change it by hand")
    return (_BOM if before.startswith(_BOM) else "") + after


def _set(tables: dict[str, Any], path: Sequence[str], value: Any) -> None:
    for at, name in enumerate(path[:-1], start=1):
        tables = tables.setdefault(name, {})
        if not isinstance(tables, dict):
            raise ConfigInvalid(f"{'.'.join(path[:at])} is no table in the file")
    if value is None:
        tables.pop(path[-1], None)
    elif isinstance(tables.get(path[-1]), dict) and not isinstance(value, Mapping):
        raise ConfigInvalid(f"{'.'.join(path)} is a table in the file")
    else:
        tables[path[-1]] = value


def _filled(tables: dict[str, Any]) -> dict[str, Any]:
    """Without empty tables: a header alone sets nothing."""
    inside = {name: _filled(each) if isinstance(each, dict) else each for name, each in tables.items()}
    return {name: each for name, each in inside.items() if each != {}}
