"""The store a command works on, opened from its options and the environment."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from recollect.errors import NotFound, StoreError, UsageError
from recollect.interfaces.cli.wording import in_shell

if TYPE_CHECKING:
    from recollect.memory import Memory

KEY_VARIABLE = "RECOLLECT_KEY"
KEY_BYTES = 32
NOBODY = "-"  # not "": an empty variable in a script must not widen what it does
_BY_SETTINGS = ("user_id", "project")
SHARED = ("db", "output", "key_file", "embedder")


def merged(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """The shared options, given before the verb or after it; the latter wins."""
    return {name: before.get(name) if after.get(name) is None else after[name] for name in SHARED}


def check_output(given: str | None) -> None:
    if given not in (None, "text", "json"):
        raise UsageError(f"-o takes text or json, not {given[:20]!r}")


@contextmanager
def open_from(
    options: Mapping[str, Any],
    *,
    kept_open: bool = False,
    background: bool = True,
    create: bool = True,
    needed: bool = False,
) -> Iterator[Memory]:
    """The memory that the shared options name. One that is kept open looks after itself (`upkeep.served`).

    Without `background` nothing is done beside what is asked: for a command that asks once and ends. Without `create`
    a store that is not there is not made, unless hooks have left something for it: an empty one in memory answers, and
    a word on stderr says so. With `needed` it is an error.
    """
    from recollect.config import load_config
    from recollect.facade.handle import engine_of, through
    from recollect.telemetry import export, send_last
    from recollect.wiring import open_memory

    more: dict[str, Any] = {} if options["embedder"] is None else {"embedder": options["embedder"]}
    if kept_open and load_config().upkeep.served:
        more["config"] = {"upkeep.scheduled": True}
    key, note = key_for(options, ask=not kept_open), None
    create = create or _hooks_left_something(options["db"])
    try:
        memory = open_memory(options["db"], key=key, background=background, create=create, **more)
    except NotFound as error:
        if needed:
            raise
        note = f"{error.message}; the first `recollect add` makes it"
        memory = open_memory(":memory:", background=background, **more)
    except StoreError as error:
        error.message = in_shell(error.message)
        raise
    try:
        with memory:
            if kept_open and (telemetry := engine_of(memory).telemetry) is not None:
                export()
                telemetry.watch()
            yield through(memory, "cli")
    finally:
        send_last()
    if note is not None:
        print(note, file=sys.stderr)


def _hooks_left_something(db: str | None) -> bool:
    """Whether events wait for a store. They are what somebody wants to see, and they need a store to be taken into."""
    from recollect.config import load_config
    from recollect.hook import places, spool
    from recollect.store.open import is_server, store_path

    place = store_path(db, load_config())
    return place != ":memory:" and not is_server(place) and not spool.is_empty(places.folder_of(place))


def for_somebody(given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with the user and the project of the settings where none was named; - stands for nobody."""
    named = {name: value for name, value in given.items() if not (name in _BY_SETTINGS and value == NOBODY)}
    if given.get("reach") == "all":
        return named
    from recollect.config import load_config

    config = load_config()
    usual = {"user_id": config.user, "project": config.project}
    return named | {name: value for name, value in usual.items() if name in given and given[name] is None and value}


def key_for(options: Mapping[str, Any], *, ask: bool) -> bytes | Callable[[], str] | None:
    """The key that is given. A store with a vault knows where its own is, and may have a person asked for a passphrase:
    never by a command that serves others."""
    if options["key_file"] is None:
        from recollect.config import load_config
        from recollect.store.open import store_path

        if os.path.exists(f"{store_path(options['db'], load_config())}.vault"):
            return ask_passphrase if ask and at_a_terminal() else None
    return read_key(options["key_file"])


def at_a_terminal() -> bool:
    """Whether there is a person to ask."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def ask_passphrase(prompt: str = "Passphrase: ") -> str:
    from getpass import getpass

    return getpass(prompt)


def read_key(path: str | None, environ: Mapping[str, str] = os.environ) -> bytes | None:
    """The key of an encrypted store from a file or the environment; None for a plain store."""
    if path is not None:
        try:
            with open(path, "rb") as file:
                raw = file.read(4096)
        except OSError as error:
            raise UsageError(f"cannot read the key file {path}: {error.strerror or error}") from None
        return raw if len(raw) == KEY_BYTES else _from_hex(raw.decode("ascii", "replace"), path)
    written = environ.get(KEY_VARIABLE)
    return _from_hex(written, f"${KEY_VARIABLE}") if written else None


def _from_hex(text: str, where: str) -> bytes:
    """Never repeats the text: it may be most of a key."""
    try:
        key = bytes.fromhex(text.strip())
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise UsageError(f"{where} must hold {KEY_BYTES} bytes as {2 * KEY_BYTES} hex digits")
    return key
