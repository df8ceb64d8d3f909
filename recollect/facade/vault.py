"""The vault of a store: `mem.vault`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from recollect.facade import arguments
from recollect.facade.audited import audited
from recollect.facade.handle import Namespace
from recollect.model.audit import CALLING, AuditEvent

if TYPE_CHECKING:
    from recollect.model.result import Report
    from recollect.security.keeping import KeyWish
    from recollect.security.vault import Vault


@audited
class VaultVerbs(Namespace):
    """Whether the store is protected, and its key. For the owner of the store."""

    def status(self) -> Report:
        """What protects the store: how its key is kept, who can read its files, what the process does."""
        self._handle._owner_only("the vault")
        return self._handle._opened.vault.status()

    def encrypt(self, key: bytes | str | None = None, *, keep: str | None = None) -> Report:
        """Encrypt the store while it is open; calls wait until it is done. A lost key is a lost store.

        Args:
            key: 32 bytes that the caller keeps, or a passphrase; left out, a new key is made and kept by `keep`.
            keep: Where the key is kept: keyring, file:PATH or env:NAME.
        """
        self._handle._owner_only("the vault")
        wish = _wish(key, keep)
        return self._changed(lambda vault: vault.encrypt(wish))

    def rotate(self, key: bytes | str | None = None, *, keep: str | None = None) -> Report:
        """Encrypt the store anew under a new key; the old one opens nothing afterwards, and is forgotten.

        Args:
            key: The new key, or the passphrase for it; left out, a new key takes the old one's place.
            keep: Where the new key is kept, if elsewhere.
        """
        self._handle._owner_only("the vault")
        wish = None if key is None and keep is None else _wish(key, keep)
        return self._changed(lambda vault: vault.rotate(wish))

    def decrypt(self, *, open_fields: bool = False) -> Report:
        """Make the store a plain file again, and forget its key.

        Args:
            open_fields: Bring what is sealed under the key back into its records first, for good.
        """
        self._handle._owner_only("the vault")
        if arguments.truth(open_fields, "open_fields"):
            self._handle._engine.sealing.open_all()
        return self._changed(lambda vault: vault.decrypt())

    def seal(self, *, dry_run: bool = False) -> Report:
        """Seal what is stored already, as `security.personal` says for what comes. Interrupted, it goes on when called
        again.

        Args:
            dry_run: Only say how many records would be sealed.
        """
        self._handle._owner_only("the vault")
        return self._handle._engine.sealing.seal_all(dry_run=arguments.truth(dry_run, "dry_run"))

    def secret(self, ref: str, *, reason: str | None = None) -> str:
        """The secret that a reference in a text stands for. Each call is in the audit before it is answered.

        Args:
            ref: The reference: `3f9a1c20be` of `[secret:password#3f9a1c20be]`, or all of that.
            reason: What it is needed for.
        """
        from recollect.ingest import check
        from recollect.model.audit import AuditEvent

        self._handle._owner_only("the vault")
        engine = self._handle._engine
        wanted = check.name(ref, "ref").rpartition("#")[2].rstrip("]")
        why = check.reason(reason, engine.config.current.security)
        kind, value = engine.unsealing.secret(wanted)
        told = {"secret": kind, "ref": wanted} | ({} if why is None else {"reason": why})
        engine.audit.note(AuditEvent.FIELD_DECRYPTED, verb="secret", detail=told, at_once=True)
        return value

    def export_key(self) -> str:
        """The master key as 64 hex digits, for a safe place: whoever has them can open the store."""
        self._handle._owner_only("the vault")
        key = self._handle._opened.vault.export_key()
        self._note(AuditEvent.KEY_EXPORTED)
        return key

    def _changed(self, change: Callable[[Vault], Report]) -> Report:
        """Both ends of a change of the key are noted: one that was broken off shows."""
        self._note(AuditEvent.KEY_ROTATION_STARTED)
        report = change(self._handle._engine.vault)
        self._note(AuditEvent.KEY_ROTATION_COMPLETED)
        return report

    def _note(self, event: AuditEvent) -> None:
        call = CALLING.get()
        self._handle._opened.audit.note(event, verb="" if call is None else call.verb, at_once=True)
        if call is not None and event is not AuditEvent.KEY_ROTATION_STARTED:
            call.noted = True


def _wish(key: bytes | str | None, keep: str | None) -> KeyWish:
    from recollect.security.keeping import wished

    return wished(key, keep)
