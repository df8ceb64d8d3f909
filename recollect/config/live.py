"""A configuration that may change while the program runs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from threading import Lock
from typing import Any, NamedTuple

from recollect.config.load import flatten, load_config
from recollect.config.root import Config, Given, declared, overlay, sections


class SettingChange(NamedTuple):
    """One setting before and after."""

    key: str
    old: Any
    new: Any


class Reloaded(NamedTuple):
    """What a reload did. `needs_reopening` holds changes that wait until the memory is opened again."""

    config: Config
    changed: tuple[SettingChange, ...]
    needs_reopening: tuple[SettingChange, ...]


class LiveConfig:
    """Holds the current Config and swaps it whole.

    Reading `current` takes no lock; an operation that reads it once sees one consistent configuration until
    it ends. Settings declared `live=False` keep their running value however often the sources are read.
    """

    def __init__(
        self,
        overrides: Mapping[str, Any] | None = None,
        *,
        path: str | os.PathLike[str] | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self._path = path
        self._environ = environ
        self._overrides = [dict(overrides or {})]
        self._swap = Lock()
        self._current = load_config(overrides, path=path, environ=environ)

    @property
    def current(self) -> Config:
        """The configuration now. Read it once per operation."""
        return self._current

    def reload(self) -> Reloaded:
        """Read the sources again. Raises ConfigInvalid, and changes nothing, if they are not valid."""
        return self._apply([])

    def change(self, changes: Mapping[str, Any]) -> Reloaded:
        """Set values from inside the program; they outlive later reloads, like arguments."""
        return self._apply([dict(changes)])

    def _apply(self, more: list[dict[str, Any]]) -> Reloaded:
        with self._swap:
            overrides = [*self._overrides, *more]
            wanted = load_config(overrides[0], path=self._path, environ=self._environ)
            for changes in overrides[1:]:
                wanted = wanted.with_changes(changes)
            running = self._current
            result = hold_back(running, wanted)
            self._overrides = [overrides[0], *_folded(overrides[1:])]
            self._current = result.config
            return result


def hold_back(running: Config, wanted: Config) -> Reloaded:
    """The wanted configuration with what cannot change while running left as it is."""
    differing = [
        SettingChange(key, running.value(key), wanted.value(key))
        for key in declared()
        if running.value(key) != wanted.value(key)
    ]
    changed = tuple(each for each in differing if declared()[each.key].live)
    held = tuple(each for each in differing if not declared()[each.key].live)
    return Reloaded(_with_values(wanted, running, held), changed, held)


def _with_values(wanted: Config, running: Config, held: tuple[SettingChange, ...]) -> Config:
    if not held:
        return wanted
    given = {key: value for key, value in wanted.given.items() if key not in {each.key for each in held}}
    given.update({each.key: running.given[each.key] for each in held if each.key in running.given})
    values = {name: dict(vars(getattr(wanted, name))) for name in sections()}
    top = {key: wanted.value(key) for key in declared() if "." not in key}
    for each in held:
        section, _, name = each.key.rpartition(".")
        (values[section] if section else top)[name] = each.old
    built = {name: sections()[name](**inside) for name, inside in values.items()}
    return Config(**top, **built, warnings=wanted.warnings, ignored=wanted.ignored, given=given)


def _folded(changes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Changes made from inside, as few as say the same, so that a long run does not pile them up."""
    flat: dict[str, Given] = {}
    for each in changes:
        flat = overlay(flat, flatten(each, "argument"))
    return [{key: given.value for key, given in flat.items()}] if flat else []
