"""Settings as people see and change them: in the shell and on the page. What is secret is not shown."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from recollect.config import Config, load_config
from recollect.config.load import FILE_DEFAULT, FILE_VARIABLE, written_value
from recollect.config.root import declared, require
from recollect.config.setting import FrozenTable, Setting
from recollect.config.toml_file import drop, put
from recollect.errors import UsageError
from recollect.interfaces.clients.setup import replace_file
from recollect.providers.llms.naming import shown

HIDDEN = "…"  # stands for a secret that is set


def settings_file() -> str:
    """The file that changes are written to, there or not."""
    return os.path.expanduser(os.environ.get(FILE_VARIABLE) or FILE_DEFAULT)


def told(config: Config, key: str) -> dict[str, Any]:
    """One setting with its value, where that comes from, and what it does."""
    setting = require(key)
    return {
        "key": key,
        "value": shown_value(setting, config.value(key)),
        "origin": config.origin(key),
        "range": setting.limits(),
        "unit": setting.unit,
        "live": setting.live,
        "doc": setting.doc,
        "default": dict(setting.default) if isinstance(setting.default, FrozenTable) else setting.default,
    }


def shown_value(setting: Setting, value: Any) -> Any:
    """A value as people may see it: no key, and no password in an address."""
    if isinstance(value, FrozenTable):
        return dict(value)
    if setting.secret:
        return HIDDEN if value else value
    return shown(value) if isinstance(value, str) else value


def put_setting(key: str, written: str) -> dict[str, Any]:
    """Write one setting into the file, and tell what holds now."""
    meant = written_value(key, written)
    if isinstance(meant, Mapping):
        raise UsageError(f"{key} is a table; set one row of it: recollect config set {key}.NAME NUMBER")
    return _changed(key, lambda text: put(text, key.split("."), meant))


def drop_setting(key: str) -> dict[str, Any]:
    """Take one setting out of the file, and tell what holds now."""
    return _changed(key, lambda text: drop(text, key.split(".")))


def owner_of(key: str) -> str:
    """The setting that a key names: its own, or the table that it is a row of."""
    return key if key in declared() or key.rpartition(".")[0] not in declared() else key.rpartition(".")[0]


def _changed(key: str, change: Callable[[str], str]) -> dict[str, Any]:
    """Change the file and tell what holds now; a file that cannot be changed stays as it is."""
    owner = owner_of(key)
    secret = require(owner).secret
    path = Path(settings_file()).resolve()
    try:
        before = path.read_bytes().decode("utf-8") if path.exists() else ""
        after = change(before)
        if after != before:
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(path, after.encode("utf-8"))
            if secret:
                path.chmod(0o600)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot change {path}: {getattr(error, 'strerror', None) or error}") from None
    return {**told(load_config(), owner), "path": str(path), "changed": after != before}
