"""The change feed: which rows derived indexes have to look at again, in the order things happened."""

from __future__ import annotations

from typing import NamedTuple

from recollect.store.base import Group


class Change(NamedTuple):
    seq: int
    topic: str  # record | vector | edge | entity
    first_pk: int
    last_pk: int
    space_pk: int | None


class Changes(Group):
    """The change feed: which rows the derived indexes have to look at again."""

    def announce(self, topic: str, first_pk: int, last_pk: int, space_pk: int | None = None) -> None:
        """Say that these rows changed. Readers of the feed see it with the commit."""
        self.sql.run(
            "INSERT INTO change (topic, first_pk, last_pk, space_pk) VALUES (?, ?, ?, ?)",
            (topic, first_pk, last_pk, space_pk),
        )

    def since(self, seq: int, limit: int) -> list[Change]:
        """The next entries after `seq`."""
        rows = self.sql.all(
            "SELECT seq, topic, first_pk, last_pk, space_pk FROM change WHERE seq > ? ORDER BY seq LIMIT ?",
            (seq, limit),
        )
        return [Change(*row) for row in rows]

    def newest(self) -> int:
        return int(self.sql.value("SELECT seq FROM change ORDER BY seq DESC LIMIT 1") or 0)

    def oldest(self) -> int:
        """The first entry still kept; an index older than it has to be rebuilt."""
        return int(self.sql.value("SELECT seq FROM change ORDER BY seq LIMIT 1") or 0)

    def trim(self, keep: int) -> int:
        """Forget all but the newest `keep` entries; how many went."""
        return self.sql.run("DELETE FROM change WHERE seq <= ?", (self.newest() - keep,))


def spans(pks: list[int]) -> list[tuple[int, int]]:
    """Ascending pks as runs of neighbours: (first, last) each."""
    out: list[tuple[int, int]] = []
    for pk in pks:
        if out and pk == out[-1][1] + 1:
            out[-1] = (out[-1][0], pk)
        else:
            out.append((pk, pk))
    return out
