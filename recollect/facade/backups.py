"""Verbs about backups of the store."""

from __future__ import annotations

from recollect.facade import arguments
from recollect.facade.handle import Handle
from recollect.model.backup import Backup


class BackupVerbs(Handle):
    """Backups: one made now, and all there are."""

    def backup(self) -> Backup:
        """Make a backup now: a whole copy of the store, read back and found sound. Under the store's own key."""
        self._owner_only("backups")
        return self._engine.backups.make()

    def backups(self, *, verify: bool = False) -> list[Backup]:
        """The backups there are, newest first, with age and size.

        Args:
            verify: Open and read each again.
        """
        self._owner_only("backups")
        return self._opened.backups.listed(verify=arguments.truth(verify, "verify"))
