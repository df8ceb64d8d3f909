"""Moving a store into a file or out of one, in SQLite's words."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.store.base import Row
from recollect.store.moving import MovedTable, Moving

_LEFT = ("migration", "move_note")
_TRIGGER = "move_watch_"
_COLUMNS = "seq INTEGER PRIMARY KEY AUTOINCREMENT, what TEXT NOT NULL, key TEXT NOT NULL"


class SqliteMoving(Moving):
    """See `store.moving.Moving`."""

    def tables(self) -> list[MovedTable]:
        names = self.sql.all(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' "
            "AND name NOT LIKE 'sqlite_%' ORDER BY name"
        )
        return [self._table(name) for (name,) in names if name not in _LEFT]

    def _table(self, name: str) -> MovedTable:
        found = self.sql.all("SELECT name, type, pk FROM pragma_table_info(?) ORDER BY name", (name,))
        columns = [column for column, _, _ in found]
        keys = sorted((place, column, kind == "BLOB") for column, kind, place in found if place)
        if not keys:  # the order in which rows came is a column elsewhere
            columns, keys = sorted([*columns, "rowid"]), [(1, "rowid", False)]
        return MovedTable(
            name, tuple(columns), tuple(column for _, column, _ in keys), tuple(binary for _, _, binary in keys)
        )

    def watch(self, tables: Sequence[MovedTable]) -> None:
        self.sql.run(f"CREATE TABLE IF NOT EXISTS move_note ({_COLUMNS})")
        for table in tables:
            new, old = _noted(table, "new"), _noted(table, "old")
            for event, noted in (("INSERT", [new]), ("UPDATE", [old, new]), ("DELETE", [old])):
                body = " ".join(f"INSERT INTO move_note (what, key) VALUES ('{table.name}', {key});" for key in noted)
                self.sql.run(
                    f"CREATE TRIGGER IF NOT EXISTS {_TRIGGER}{table.name}_{event} AFTER {event} ON {table.name} "
                    f"BEGIN {body} END"
                )

    def unwatch(self) -> None:
        triggers = self.sql.all(
            "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND substr(name, 1, ?) = ?",
            (len(_TRIGGER), _TRIGGER),
        )
        for (name,) in triggers:
            self.sql.run(f"DROP TRIGGER {name}")
        self.sql.run("DROP TABLE IF EXISTS move_note")

    def keys_given(self) -> dict[str, int]:
        return dict(self.sql.all("SELECT name, seq FROM sqlite_sequence WHERE name <> 'move_note' ORDER BY name"))

    def _put(self, table: MovedTable, rows: Sequence[Row]) -> None:
        marks = ", ".join("?" * len(table.columns))
        self.sql.many(f"INSERT INTO {table.name} ({table.listed}) VALUES ({marks})", rows)

    def _after_rows(self, table: MovedTable) -> None:
        """Nothing: the next row gets a larger key by itself."""


def _noted(table: MovedTable, row: str) -> str:
    parts = (
        f"hex({row}.{name})" if binary else f"{row}.{name}"
        for name, binary in zip(table.key, table.binary, strict=True)
    )
    return f"json_array({', '.join(parts)})"
