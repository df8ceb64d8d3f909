"""Where settings come from. Later sources win: defaults, the file, the environment, arguments."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from recollect.config.removed import is_removed
from recollect.config.root import Config, Given, declared, overlay, require, resolve, sections, suggestion
from recollect.config.setting import FrozenTable, RefusedError, Setting, shown
from recollect.errors import ConfigInvalid

FILE_DEFAULT = "~/.recollect/config.toml"
FILE_BYTES_MAX = 1 << 20
PREFIX = "RECOLLECT_"
FILE_VARIABLE = "RECOLLECT_CONFIG"
TRUE, FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


def load_config(
    overrides: Mapping[str, Any] | None = None,
    *,
    path: str | os.PathLike[str] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Config:
    """Read all sources and check them.

    `overrides` is nested or has dotted keys. `path` names the file; otherwise `$RECOLLECT_CONFIG` does, and
    `~/.recollect/config.toml` is read if it is there. Raises ConfigInvalid for what makes no sense; what was
    clamped or reset is listed in the result's `warnings`.
    """
    environ = os.environ if environ is None else environ
    given = overlay(_from_file(path, environ), _from_environment(environ))
    given = overlay(given, flatten(overrides or {}, "argument"))
    return resolve(given, _near_misses(environ))


def flatten(nested: Mapping[str, Any], source: str) -> dict[str, Given]:
    """Nested tables and dotted keys as one level of known keys. Rows of a table setting may be dotted too."""
    if not isinstance(nested, Mapping):
        raise ConfigInvalid(f"settings ({source}) must be a mapping, not {shown(nested)}")
    flat: dict[str, Given] = {}
    for key, value in nested.items():
        if not isinstance(key, str):
            raise ConfigInvalid(f"setting names ({source}) are texts, not {shown(key)}")
        flat = overlay(flat, _flatten_one(key, value, source))
    return flat


def _flatten_one(key: str, value: Any, source: str) -> dict[str, Given]:
    if key in sections():
        if not isinstance(value, Mapping):
            raise ConfigInvalid(f"{key} ({source}) is a section, not a value: {shown(value)}")
        return flatten({f"{key}.{name}": inside for name, inside in value.items()}, source)
    if is_removed(key):
        return {key: Given(None, source)}
    owner, _, row = key.rpartition(".")
    if owner in declared() and declared()[owner].kind is FrozenTable:
        return {owner: Given({row: value}, source)}
    first = key.split(".", 1)[0]
    if key not in declared() and isinstance(value, Mapping) and first == key:
        raise ConfigInvalid(f"unknown section {key!r} ({source}){_section_suggestion(key)}")
    require(key, source)
    return {key: Given(value, source)}


def _section_suggestion(name: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, sections(), 1, 0.6)
    return f"; did you mean {near[0]}?" if near else suggestion(name)


def _from_file(path: str | os.PathLike[str] | None, environ: Mapping[str, str]) -> dict[str, Given]:
    named = path if path is not None else environ.get(FILE_VARIABLE) or None
    chosen = os.path.expanduser(FILE_DEFAULT if named is None else named)
    if named is None and not os.path.exists(chosen):
        return {}
    import tomllib  # most processes have no file

    try:
        with open(chosen, "rb") as file:
            content = file.read(FILE_BYTES_MAX + 1)
        if len(content) > FILE_BYTES_MAX:
            raise ConfigInvalid(f"{chosen} is larger than {FILE_BYTES_MAX} bytes; it is no configuration")
        nested = tomllib.loads(content.decode("utf-8"))
    except OSError as exc:
        raise ConfigInvalid(f"cannot read the configuration {chosen}: {exc.strerror or exc}") from exc
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as exc:
        raise ConfigInvalid(f"{chosen} is not valid TOML: {exc}") from exc
    return flatten(nested, f"file {chosen}")


def _from_environment(environ: Mapping[str, str]) -> dict[str, Given]:
    given: dict[str, Given] = {}
    for variable in sorted(environ):
        if not variable.startswith(PREFIX):
            continue
        key = variable.removeprefix(PREFIX).lower().replace("__", ".")
        if "." not in key and key not in declared():
            continue  # another program's, or one of ours that is not a setting
        source = f"environment {variable}"
        owner = key.rpartition(".")[0]
        if is_removed(key):
            value: Any = None
        elif key not in declared() and owner in declared():
            value = _number(environ[variable])
        else:
            value = _parse(require(key, source), environ[variable])
        given = overlay(given, _flatten_one(key, value, source))
    return given


def written_value(key: str, written: str) -> Any:
    """What a text means for a setting, or for a row of a table; what does not fit is refused, nothing is clamped."""
    owner, _, row = key.rpartition(".")
    if key not in declared() and owner in declared() and declared()[owner].kind is FrozenTable:
        value: Any = _number(written)
        offered, judge = {row: value}, declared()[owner]
    else:
        judge = require(key)
        offered = value = _parse(judge, written)
    try:
        _, problem = judge.check(offered)
    except RefusedError as error:
        problem = str(error)
    if problem:
        raise ConfigInvalid(f"{key}: {problem.partition('; using')[0]}")
    return float(value) if judge.kind is float and isinstance(value, int) else value


def _parse(setting: Setting, written: str) -> Any:
    """What the text means for that setting; what means nothing is passed on to be refused."""
    word = written.strip().lower()
    if setting.kind is bool and word in TRUE + FALSE:
        return word in TRUE
    if setting.kind in (int, float):
        return _number(written)
    if setting.kind is FrozenTable:
        pairs = [pair.partition("=") for pair in written.split(",") if pair.strip()]
        return {name.strip(): _number(value) for name, _, value in pairs}
    return written


def _number(written: str) -> Any:
    for kind in (int, float):
        try:
            return kind(written)
        except ValueError:
            continue
    return written


def _near_misses(environ: Mapping[str, str]) -> list[str]:
    """Variables that look like settings written with one underscore too few."""
    spelled = {key.upper().replace(".", "_"): key.upper().replace(".", "__") for key in declared() if "." in key}
    return [
        f"{variable} is ignored: write {PREFIX}{spelled[name]}"
        for variable in sorted(environ)
        if variable.startswith(PREFIX) and (name := variable.removeprefix(PREFIX)) in spelled
    ]
