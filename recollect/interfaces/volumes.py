"""Stores in a container, one of which may be hidden: an experiment, behind `security.hidden_volume`.

A container is read whole when a store in it is opened, and written whole when that is closed. Between the two, what was
stored is in memory alone: a process that is killed loses it, and leaves the container as it was.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from recollect.config import load_config
from recollect.errors import UsageError
from recollect.facade.handle import engine_of
from recollect.memory import Memory
from recollect.model.audit import AuditEvent
from recollect.security.volume import SIZE, Container
from recollect.wiring import open_memory

Path = str | os.PathLike[str]


def create_volume(
    path: Path,
    passphrase: str,
    *,
    size: int = SIZE,
    hidden: str | None = None,
    config: Mapping[str, Any] | None = None,
) -> None:
    """Make a container: a file of that size, every byte of which looks like chance.

    Args:
        path: Where; nothing may be there yet.
        passphrase: Of the outer store.
        size: Of the file, for good.
        hidden: Of a hidden store. It can be added later, too.
    """
    _require(config)
    box = Container.create(path, passphrase, size=size)
    if hidden is not None:
        try:
            box.add_hidden(passphrase, hidden)
        except BaseException:
            box.path.unlink(missing_ok=True)
            raise


def hide_in(path: Path, passphrase: str, hidden: str, *, config: Mapping[str, Any] | None = None) -> None:
    """Add a hidden store to a container. The outer store must not reach into its place."""
    _require(config)
    Container(path).add_hidden(passphrase, hidden)


def open_volume(
    path: Path,
    passphrase: str,
    *,
    protect: str | None = None,
    config: Mapping[str, Any] | None = None,
    **options: Any,
) -> Memory:
    """The store that a passphrase is for, outer or hidden; closing it writes the container.

    Args:
        path: The container.
        passphrase: Of the store to open. Nothing else says which one that is.
        protect: Of the hidden store, where the outer one is opened: what would grow over it is refused (E1003).
        options: What `recollect.open` takes beside.
    """
    _require(config)
    memory = open_memory(":memory:", key=Container(path).unlock(passphrase, protect=protect), config=config, **options)
    # In the store that was opened, and in no other: an entry elsewhere would tell that there is one.
    engine_of(memory).audit.note(AuditEvent.HIDDEN_VOLUME_ACCESSED, at_once=True)
    return memory


def _require(config: Mapping[str, Any] | None) -> None:
    if not load_config(config).security.hidden_volume:
        raise UsageError("containers are an experiment; read docs/adr/0041 and set security.hidden_volume = true")
