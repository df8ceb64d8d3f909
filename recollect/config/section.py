"""How settings are declared, and the classes that hold them.

A section is a class whose fields are declared by one call each, read as "default, lowest, highest, meaning":

    class RecallSettings(SettingsSection):
        rrf_k: int = setting(60, 1, 1000, "Flattens rank differences in fusion")

The call keeps its facts in the field's metadata, so validation, environment parsing, hot reload and the
documentation are all derived from the same line. Sections are frozen, keyword-only dataclasses. Their one
`__init__` replaces those `dataclasses` would compile for each of them: that alone took longer than importing
everything else in this package.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import FrozenInstanceError, dataclass, field, fields
from typing import Any, NoReturn, TypeVar, cast, dataclass_transform

from recollect.config.setting import CLAMP, REFUSE, RESET, UNITS, RefusedError, Setting
from recollect.errors import ConfigInvalid

T = TypeVar("T")


def setting(default: T, lo: float, hi: float, doc: str, **facts: Any) -> T:
    """Declare a number within lo..hi. `facts`: unit, policy, live, group and above, as in Setting."""
    return _declare(default, lo, hi, doc, **facts)


def weight(default: float, doc: str, **facts: Any) -> float:
    """Declare a number within 0..1 that goes back to its default when it is not."""
    return setting(default, 0.0, 1.0, doc, policy=RESET, **facts)


def switch(default: bool, doc: str, **facts: Any) -> bool:
    """Declare a truth value."""
    return _declare(default, 0, 1, doc, policy=REFUSE, **facts)


def choice(default: T, choices: tuple[T, ...], doc: str, **facts: Any) -> T:
    """Declare one of a few values."""
    return _declare(default, 0, 0, doc, policy=REFUSE, choices=choices, **facts)


def text(default: str | None, doc: str, **facts: Any) -> Any:
    """Declare a text; with the default None it may also be absent."""
    return _declare(default, 0, 0, doc, policy=REFUSE, **facts)


def table(default: Mapping[str, float], lo: float, hi: float, doc: str, **facts: Any) -> Mapping[str, float]:
    """Declare numbers by name. What is given is laid over the default; `keys` allows new names.

    Rows within 0..1 are weights and go back to their default like any weight; others are clamped.
    """
    return _declare(default, lo, hi, doc, policy=RESET if (lo, hi) == (0, 1) else CLAMP, **facts)


def _declare(default: T, lo: float, hi: float, doc: str, **facts: Any) -> T:
    declared = Setting(default, lo, hi, doc, **facts)
    return cast(T, field(default=declared.default, metadata={"setting": declared}))


@dataclass_transform(kw_only_default=True, frozen_default=True)
class SettingsSection:
    """Settings that belong together. Every value was checked: one that does not fit raises ConfigInvalid."""

    def __init_subclass__(cls) -> None:
        dataclass(init=False, repr=False, eq=False, match_args=False)(cls)

    def __init__(self, **values: Any) -> None:
        for name, declared in settings_of(type(self)).items():
            value = values.pop(name, declared.default)
            if value is not declared.default:
                value = _fitting(f"{type(self).__name__}.{name}", declared, value)
            self.__dict__[name] = value
        if values:
            raise TypeError(f"{type(self).__name__} has no setting {', '.join(values)}")

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenInstanceError(f"cannot assign to {name!r}: use Config.with_changes")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(f"cannot delete {name!r}")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    def __hash__(self) -> int:
        return hash((type(self), *vars(self).values()))

    def __repr__(self) -> str:
        kind: type[Any] = type(self)
        kept = {name for name, each in settings_of(kind).items() if each.secret}
        told = {each.name for each in fields(kind) if each.repr}
        values = {name: value for name, value in vars(self).items() if name in told}
        shown = {name: "…" if name in kept and value else repr(value) for name, value in values.items()}
        inside = ", ".join(f"{name}={value}" for name, value in shown.items())
        return f"{type(self).__name__}({inside})"


def settings_of(section: type[Any]) -> dict[str, Setting]:
    """The declared settings of a section, in order."""
    known: dict[str, Setting] | None = section.__dict__.get("_settings")
    if known is None:
        declared = {each.name: each.metadata.get("setting") for each in fields(section)}
        known = {name: setting for name, setting in declared.items() if setting is not None}
        for name, each in known.items():
            each.unit = each.unit or UNITS.get(name.rsplit("_", 1)[-1], "")
        section._settings = known
    return known


def _fitting(key: str, declared: Setting, value: Any) -> Any:
    try:
        value, problem = declared.check(value)
    except RefusedError as exc:
        problem = str(exc)
    if problem:
        raise ConfigInvalid(f"{key}: {problem}")
    return value
