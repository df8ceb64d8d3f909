"""What a store notes by name: how far background jobs have come, what a model has cost, what waits."""

from __future__ import annotations

from collections.abc import Iterable

from recollect.errors import StoreMoved
from recollect.store.base import Group, Row, Tx

ABOUT_MOVES = "move:"  # what begins so is about the move of a store, and is not moved with it
MOVED_TO = "move:to"  # in a store that was moved away: where it is now
FILLED_FROM = "move:from"  # in a store that is being filled: where from
NOTES_OF_MOVES = f"SELECT key, value FROM meta WHERE key IN ('{MOVED_TO}', '{FILLED_FROM}')"


class Meta(Group):
    """Notes by name, one value each."""

    def text(self, key: str) -> str | None:
        """What is noted under a name; None where nothing is."""
        found = self.sql.value("SELECT value FROM meta WHERE key = ?", (key,))
        return None if found is None else str(found)

    def number(self, key: str) -> int:
        """The number that is noted under a name; 0 where nothing is."""
        return int(self.text(key) or 0)

    def note(self, key: str, value: str | int) -> None:
        """Note a value, in the place of the one before."""
        self.sql.run(
            "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            (key, str(value)),
        )

    def note_once(self, key: str, value: str) -> str:
        """Note a value unless one is noted already; the one that stands then."""
        self.sql.run("INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO NOTHING", (key, value))
        return self.text(key) or value

    def forget(self, key: str) -> None:
        self.sql.run("DELETE FROM meta WHERE key = ?", (key,))

    def count(self, beginning: str) -> int:
        """Under how many names that begin so something is noted."""
        return int(self.sql.value("SELECT count(*) FROM meta WHERE substr(key, 1, ?) = ?", (len(beginning), beginning)))


def refuse_moved(tx: Tx) -> None:
    """`StoreMoved` where the store is elsewhere by now, or not all here yet."""
    refuse_noted(tx.sql.all(NOTES_OF_MOVES))


def refuse_noted(notes: Iterable[Row]) -> None:
    """The same, of notes that were read already."""
    for key, place in notes:
        if key == MOVED_TO:
            raise StoreMoved(
                f"this store was moved to {place}: open it there; `recollect move STORE --cancel` takes this one into "
                "use again, as it was when it was moved"
            )
        raise StoreMoved(
            f"this store is not all here: it is being moved from {place}; open it there, or finish what was begun by "
            "`recollect move` with the same two places"
        )
