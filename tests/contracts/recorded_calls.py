"""What passes through the seam between engine and store: each call of a group's method, with what it answered."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from datetime import datetime
from functools import wraps
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
import pytest

from recollect.store import base
from recollect.store.base import Group, Store

Method = str  # with the group as a transaction calls it: `records.load`


class Call(NamedTuple):
    method: Method
    answer: Any


def groups(store: Store) -> dict[str, type[Group]]:
    """The class behind each group of a transaction."""
    found = {
        name: getattr(import_module(f"recollect.store.{module}"), kind) for name, (module, kind) in base._GROUPS.items()
    }
    with store.read() as tx:
        return {**found, "text": type(tx.text)}


def methods_of(kind: type[Group]) -> list[str]:
    """The public methods that a group declares itself."""
    declared = {name: value for each in kind.__mro__ if each not in Group.__mro__ for name, value in vars(each).items()}
    return sorted(name for name, value in declared.items() if not name.startswith("_") and callable(value))


class Recorder:
    """Keeps every call of a group that is made while it is installed, calls of one group by another included.

    Made before the store that it watches: what threads of memories do that were open before is not kept.
    """

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self._others = set(threading.enumerate()) - {threading.current_thread()}

    def install(self, monkeypatch: pytest.MonkeyPatch, kinds: Mapping[str, type[Group]]) -> None:
        for group, kind in kinds.items():
            for name in methods_of(kind):
                monkeypatch.setattr(kind, name, self._watched(f"{group}.{name}", getattr(kind, name)))

    def _watched(self, method: Method, really: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(really)
        def call(*args: Any, **kwargs: Any) -> Any:
            answer = really(*args, **kwargs)
            if threading.current_thread() in self._others:
                return answer
            if isinstance(answer, Iterator):
                answer = list(answer)
                self.calls.append(Call(method, plain(answer)))
                return iter(answer)
            self.calls.append(Call(method, plain(answer)))
            return answer

        return call


def plain(value: Any) -> Any:
    """A value that can be compared with what another database answered, whatever objects it came in."""
    if value is None or isinstance(value, bool | int | float | str | bytes):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [(each.name, plain(getattr(value, each.name))) for each in dataclasses.fields(value)]
    if isinstance(value, Mapping):
        return sorted(((plain(key), plain(each)) for key, each in value.items()), key=repr)  # in no order of its own
    if isinstance(value, AbstractSet):
        return sorted((plain(each) for each in value), key=repr)
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return str(value) if isinstance(value, datetime) else type(value).__name__
