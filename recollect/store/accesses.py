"""How often records were returned, and in how many sessions: bookkeeping, neither a version nor an operation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from recollect.store.base import Group


class Accesses(Group):
    """Uses of records."""

    def count(self, counts: Mapping[int, int], *, now: int) -> None:
        """Add so many uses to each record."""
        self.sql.many(
            "UPDATE record SET access_count = access_count + ?, last_access = ? WHERE pk = ?",
            ((count, now, pk) for pk, count in counts.items()),
        )

    def count_sessions(self, sessions: Iterable[tuple[int, int]], *, now: int, since: int) -> None:
        """Note in which sessions records were used: (record, number of the session).

        A session counts once for a record, however often and through however many processes it asks; one that was not
        heard of `since` then counts as another when it comes back.
        """
        self.sql.run("DELETE FROM recalled WHERE at < ?", (since,))
        for pk, session in sorted(sessions):
            known = self.sql.run("UPDATE recalled SET at = ? WHERE record_pk = ? AND session = ?", (now, pk, session))
            if not known:
                # By way of the record: it may have been erased since it was returned.
                self.sql.run("INSERT INTO recalled SELECT pk, ?, ? FROM record WHERE pk = ?", (session, now, pk))
                self.sql.run("UPDATE record SET access_sessions = access_sessions + 1 WHERE pk = ?", (pk,))
