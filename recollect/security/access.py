"""Which key a store is opened with: the one that is given, or the one that its vault header says where to find."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from recollect.errors import RecollectError, StoreBusy, StoreLocked
from recollect.store.base import FileKey, PageKey
from recollect.store.open import is_encrypted, opens_with

if TYPE_CHECKING:
    from recollect.security.header import KeyNote, VaultHeader
    from recollect.security.keys import MasterKey, Purpose

_log = logging.getLogger(__name__)


class Access(NamedTuple):
    """What opens a store: the key of its pages, and the master key where there is a vault."""

    pages: FileKey = None
    master: MasterKey | None = None

    def wipe(self) -> None:
        """Overwrite the master key; the store stays open as long as it is."""
        if self.master is not None:
            self.master.wipe()

    def __repr__(self) -> str:
        return f"Access(encrypted={self.pages is not None}, vault={self.master is not None})"


KeyGiven = bytes | str | Callable[[], str] | None


class SubKeys:
    """The keys for single uses, of whatever opens a store at the moment; none of a plain file.

    A key of 32 bytes that was given without a vault serves as the master key. A store in memory has one of its own,
    which ends with it.
    """

    def __init__(self, access: Callable[[], Access], *, in_memory: bool = False) -> None:
        self._access = access
        self._in_memory = in_memory
        self._of: Access | None = None
        self._own: MasterKey | None = None
        self._made: dict[Purpose, bytes] = {}

    def of(self, purpose: Purpose) -> bytes | None:
        """The key for one use; None where there is no key to derive it from."""
        access = self._access()
        if self._of is not access:
            self._of, self._made, self._own = access, {}, self._master(access)
        if self._own is None:
            return None
        if purpose not in self._made:
            self._made[purpose] = self._own.derived(purpose)
        return self._made[purpose]

    def _master(self, access: Access) -> MasterKey | None:
        if access.master is not None:
            return access.master
        from recollect.security.keys import KEY_BYTES, MasterKey

        if isinstance(access.pages, bytes) and len(access.pages) == KEY_BYTES:
            return MasterKey(access.pages)
        return MasterKey.new() if self._in_memory else None


def access_to(database: str, key: KeyGiven | Access = None) -> Access:
    """The way into a store. Without a vault it is the key that was given, or none, as it stands.

    What a change of key left undone, because its process was killed, is finished or taken back first. A function
    given as `key` is asked for the passphrase, and only if one is needed.
    """
    if isinstance(key, Access):
        return key
    if database == ":memory:" or not os.path.exists(f"{database}.vault"):
        return _without_vault(database, key)
    from recollect.security.header import read_header

    header = read_header(database)
    if header is not None and header.change is not None:
        from recollect.security.changing import Changing, change_lock

        with change_lock(database) as alone:
            if not alone:
                raise StoreBusy("the store is being given another key just now; try again when that is done")
            header = Changing(database).finish()
    if header is None or header.key is None:
        return _without_vault(database, key)
    master = _master(database, header, header.key, key)
    return Access(page_key(master), master)


def page_key(master: MasterKey) -> PageKey:
    """The key that the pages of the file are encrypted with."""
    from recollect.security.keys import Purpose

    return PageKey(master.derived(Purpose.PAGES))


def _without_vault(database: str, key: KeyGiven) -> Access:
    """A key as it was given. One that opens nothing by itself may be the master key of a vault whose header is lost."""
    if callable(key):
        return Access()
    if isinstance(key, bytes) and is_encrypted(database):
        with suppress(RecollectError):  # what is wrong with the key is said by whoever opens the store
            if not opens_with(database, key):
                from recollect.security.keys import MasterKey

                master = MasterKey(key)
                if opens_with(database, page_key(master)):
                    _log.warning("the vault header is lost; the store was opened with the master key itself")
                    return Access(page_key(master), master)
    return Access(key)


def _master(database: str, header: VaultHeader, note: KeyNote, key: KeyGiven) -> MasterKey:
    from recollect.security import keeping
    from recollect.security.header import KeyPlace
    from recollect.security.unlocked import held_unlocked

    if key is not None and not callable(key):
        return _raised(database, header, note, key)
    held = held_unlocked(header, note)
    if held is not None:
        return held
    if callable(key) and note.kept is KeyPlace.PASSPHRASE:
        return _raised(database, header, note, key())
    try:
        return keeping.found(header, note)
    except StoreLocked as error:
        error.message = f"{Path(database)}: {error.message}"
        raise


def _raised(database: str, header: VaultHeader, note: KeyNote, key: bytes | str) -> MasterKey:
    """The master key that was given. A passphrase whose guesses are cheap by now makes them dearer on the way."""
    from recollect.security import keeping, passphrase
    from recollect.security.header import read_header, write_header

    master = keeping.given(header, note, key)
    dearer = keeping.resealed(header, note, key, master, passphrase.COST) if isinstance(key, str) else None
    if dearer is not None:
        from recollect.security.changing import change_lock

        with suppress(RecollectError), change_lock(database) as alone:  # it is tried again with the next unlocking
            if alone and read_header(database) == header:
                write_header(database, replace(header, key=dearer))
    return master
