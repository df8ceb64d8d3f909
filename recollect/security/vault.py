"""The vault of one open store: whether it is protected, and by what; encrypted, decrypted, given another key."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.errors import RecollectError, StoreBusy, StoreLocked, UsageError
from recollect.model.result import Report
from recollect.outage import Outage
from recollect.security.access import Access
from recollect.security.auditing import VaultSeal
from recollect.security.standing import standing
from recollect.store.audit import AuditSeal, PlainSeal
from recollect.store.place import make_folder

if TYPE_CHECKING:
    from recollect.security.changing import Step
    from recollect.security.header import KeyNote, VaultHeader
    from recollect.security.keeping import KeyWish
    from recollect.security.keys import MasterKey
    from recollect.store.base import Store, Tx

LOST_KEY = (
    "a lost key is a lost store: nobody can open it without the key. Keep a copy in a safe place "
    "(`recollect vault export-key`), apart from the store"
)
_LINKED = "the old file has another name (a hard link): its bytes were not wiped, they are still there under that name"


class Vault:
    """Changes the key of a store while it is open. `leave_files` has the indexes let go of their files.

    `around` is what is done before and after: backups of the one key and of the other.
    """

    def __init__(
        self,
        store: Store,
        access: Access,
        *,
        leave_files: Callable[[], None],
        around: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self._around = around
        self._store = store
        self._access = access
        self._leave_files = leave_files
        self.outage: Outage[RecollectError] = Outage()  # of the place where the key is kept

    @property
    def master(self) -> MasterKey | None:
        """The key that others are derived from; None where there is no vault."""
        return self._access.master

    @property
    def access(self) -> Access:
        """What opens the store at the moment."""
        return self._access

    def wipe(self) -> None:
        """Overwrite the master key, when the store is closed."""
        self._access.wipe()

    def status(self) -> Report:
        if self._store.path is None:
            return Report(figures={"encrypted": False, "vault": False, "in_memory": True})
        report = standing(str(self._store.path), opened=self._access, encrypted=self._store.encrypted)
        with self._store.read() as tx:
            sealed = tx.sealed.counts()
        return replace(report, figures={**report.figures, "sealed": sealed._asdict()})

    def encrypt(self, wish: KeyWish, *, step: Step | None = None) -> Report:
        """Encrypt a plain store, or give one that was encrypted without a vault a vault."""
        database = self._database()
        header = self._header(database)
        if header.key is not None:
            raise UsageError("this store is encrypted already; rotate gives it another key")
        return self._changed(database, header, wish, step)

    def rotate(self, wish: KeyWish | None, *, step: Step | None = None) -> Report:
        """Give the store a new key. Without a wish the new key is kept where the old one was."""
        database = self._database()
        header = self._header(database)
        if header.key is None:
            raise UsageError("this store has no vault; encrypt gives it one")
        return self._changed(database, header, wish or _as_before(header.key), step)

    def decrypt(self, *, step: Step | None = None) -> Report:
        """Make the store a plain one again."""
        database = self._database()
        header = self._header(database)
        if not self._store.encrypted:
            raise UsageError("this store is not encrypted; there is nothing to decrypt")
        self._refuse_if_sealed()
        return self._changed(database, header, None, step)

    def _refuse_if_sealed(self) -> None:
        with self._store.read() as tx:
            sealed = tx.sealed.counts()
        if sealed.boxes:
            raise UsageError(
                f"{sealed.sensitive} sensitive and {sealed.confidential} confidential records are sealed under this "
                "vault's key, and a plain store has none: open them for good (`recollect vault migrate --to plain "
                "--open-fields`, vault.decrypt(open_fields=True)), or delete them. Nothing was changed"
            )

    def export_key(self) -> str:
        """The master key as 64 hex digits: with them the store can be opened when all else is lost."""
        if self._access.master is None:
            raise UsageError("this store has no vault; a key that was given to it is known to who gave it")
        return self._access.master.raw().hex()

    def look_for_key(self) -> None:
        """See whether the key can be had from where it is kept, as the next opening will; `outage` tells.

        Of a key that only its owner has there is nothing to see.
        """
        from recollect.security import keeping

        if self._store.path is None or self._access.master is None:
            return
        with self._noting():
            header = self._header(self._database())
            if header.key is not None and header.key.kept in keeping.OPENS_BY_ITSELF:
                keeping.found(header, header.key).wipe()

    @contextmanager
    def _noting(self) -> Iterator[None]:
        try:
            yield
        except StoreLocked as error:
            self.outage.begins(error)
            raise
        self.outage.ends()

    def _changed(self, database: str, header: VaultHeader, wish: KeyWish | None, step: Step | None) -> Report:
        with self._noting():
            return self._change(database, header, wish, step)

    def _change(self, database: str, header: VaultHeader, wish: KeyWish | None, step: Step | None) -> Report:
        from recollect.security import keeping
        from recollect.security.access import page_key
        from recollect.security.changing import Changing, change_lock
        from recollect.security.unlocked import lock_again

        began = time.monotonic()
        master: MasterKey | None = None
        note: KeyNote | None = None
        if wish is not None:
            master, note = keeping.made(wish, header)
            if header.key is not None and note.check == header.key.check:
                raise UsageError("the new key is the one that the store has already; nothing was changed")
        with self._around(), change_lock(database) as alone:
            if not alone:
                raise StoreBusy("a store in this folder is being given another key just now; try again")
            changing = Changing(database) if step is None else Changing(database, step=step)
            self._leave_files()
            with self._audit_under(master):
                changing.begin(self._store, header, note, master, self._resealing(master))
            make_folder(Path(database).parent)
            if header.key is not None:
                with suppress(RecollectError):  # an unlocked old key opens nothing any more
                    lock_again(header, header.key)
        self._access.wipe()
        self._access = Access() if master is None else Access(page_key(master), master)
        warnings = ([LOST_KEY] if note is not None else []) + ([_LINKED] if changing.left_linked else [])
        return Report(
            figures={
                "encrypted": note is not None,
                "kept": None if note is None else note.kept.value,
                "place": None if note is None else note.place,
                "key": None if note is None else note.check[:8],
                "bytes": self._store.size_bytes(),
                "seconds": round(time.monotonic() - began, 3),
            },
            warnings=tuple(warnings),
        )

    def _resealing(self, master: MasterKey | None) -> Callable[[Tx], None] | None:
        """What brings sealed fields from the old key to the new one, where there are any."""
        with self._store.read() as tx:
            sealed = tx.sealed.any()
        if not sealed or master is None:
            return None
        from recollect.security.access import page_key
        from recollect.security.protection import Protection, reseal

        new, old = Access(page_key(master), master), self._access
        return partial(reseal, Protection(lambda: old), Protection(lambda: new))

    @contextmanager
    def _audit_under(self, master: MasterKey | None) -> Iterator[None]:
        """Keep the key of the audit for both keys while the one takes the place of the other, then for the new one."""
        old = self._store.audit_seal
        new = None if master is None else VaultSeal(master)
        both: list[AuditSeal] = [old or PlainSeal(), new or PlainSeal()]
        self._store.write(lambda tx: tx.audit.seal(both))
        try:
            yield
        except BaseException:
            self._store.write(lambda tx: tx.audit.seal(both[:1]))
            raise
        self._store.audit_seal = new
        self._store.write(lambda tx: tx.audit.seal(both[1:]))

    def _database(self) -> str:
        if self._store.path is None:
            raise UsageError(
                "this store has no file to encrypt: it is in memory, or a database server keeps it (docs/postgres.md)"
            )
        return str(self._store.path)

    @staticmethod
    def _header(database: str) -> VaultHeader:
        from recollect.security.header import VaultHeader, read_header

        header = read_header(database) or VaultHeader()
        if header.change is not None:
            raise StoreBusy("the store is being given another key just now; try again when that is done")
        return header


def _as_before(note: KeyNote) -> KeyWish:
    """The same place for a new key; only a place that can hold one."""
    from recollect.security.header import KeyPlace
    from recollect.security.keeping import KeyWish

    if note.kept is KeyPlace.KEYRING or (note.kept is KeyPlace.FILE and note.ours):
        return KeyWish(note.kept, place=note.place)
    told = {
        KeyPlace.PASSPHRASE: "give the passphrase for the new key as key=: the same, or another one",
        KeyPlace.CALLER: "give the new key as key=: 32 bytes",
        KeyPlace.ENVIRONMENT: f"put the new key into another variable than ${note.place} and name it: keep='env:NAME'",
        KeyPlace.FILE: f"Recollect did not write {note.place}: put the new key into another file, keep='file:PATH'",
    }
    raise UsageError(told[note.kept])
