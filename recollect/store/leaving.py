"""What leaves a store, as it is noted: files that exports were written to, erasures under way, rules of retention.

An erasure is found again by whoever opens the store next, if the process that began it is no more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import orjson

from recollect.store.base import Group

_FILES_KEPT = 10_000


class ExportedFile(NamedTuple):
    """A file that an export was written to. `of_scope` is the key of a scope, None for the whole store."""

    path: str
    at: int
    format: str
    sealed: bool
    of_scope: str | None
    records: int
    sha256: str | None


class BegunErasure(NamedTuple):
    """An erasure whose records are blanked and not yet removed."""

    pk: int
    at: int
    whom: dict[str, str]
    record_pks: list[int]
    operation_pk: int
    operation: str


class RetentionRule(NamedTuple):
    """A rule that upkeep keeps to, in the words it was given in."""

    name: str
    rule: str
    hard: bool
    made_at: int


class Leaving(Group):
    """Files, erasures and rules."""

    # --- files ---

    def note_file(self, file: ExportedFile) -> None:
        """An export was written; a file of the same name is no more what it was."""
        self.sql.run("DELETE FROM exported_file WHERE path = ?", (file.path,))
        self.sql.run(
            "INSERT INTO exported_file (path, at, format, sealed, of_scope, count, sha256) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (file.path, file.at, file.format, int(file.sealed), file.of_scope, file.records, file.sha256),
        )
        self.sql.run("DELETE FROM exported_file WHERE pk <= (SELECT max(pk) FROM exported_file) - ?", (_FILES_KEPT,))

    def files(self) -> list[ExportedFile]:
        """Every file that is known, the oldest first."""
        rows = self.sql.all(
            "SELECT path, at, format, sealed, of_scope, count, sha256 FROM exported_file ORDER BY at, pk"
        )
        return [ExportedFile(row[0], row[1], row[2], bool(row[3]), row[4], row[5], row[6]) for row in rows]

    def forget_files(self, paths: Sequence[str]) -> None:
        self.sql.many("DELETE FROM exported_file WHERE path = ?", ((path,) for path in paths))

    # --- erasures ---

    def begin_erasure(self, whom: Mapping[str, str], record_pks: Sequence[int], *, operation_pk: int, at: int) -> int:
        """Note what is to be removed; its number."""
        return self.sql.insert(
            "INSERT INTO erasing (at, whom, record_pks, operation_pk) VALUES (?, ?, ?, ?)",
            (at, orjson.dumps(dict(whom)).decode(), orjson.dumps(list(record_pks)).decode(), operation_pk),
        )

    def any_begun(self) -> bool:
        """Whether an erasure waits for its second step."""
        return self.sql.value("SELECT 1 FROM erasing LIMIT 1") is not None

    def begun_erasures(self) -> list[BegunErasure]:
        """Erasures that wait for their second step, the oldest first."""
        rows = self.sql.all(
            "SELECT e.pk, e.at, e.whom, e.record_pks, e.operation_pk, o.id FROM erasing e "
            "JOIN operation o ON o.pk = e.operation_pk ORDER BY e.pk"
        )
        return [
            BegunErasure(pk, at, orjson.loads(whom), orjson.loads(pks), operation_pk, operation)
            for pk, at, whom, pks, operation_pk, operation in rows
        ]

    def end_erasure(self, pk: int) -> None:
        self.sql.run("DELETE FROM erasing WHERE pk = ?", (pk,))

    # --- rules ---

    def keep_rule(self, rule: RetentionRule) -> bool:
        """Keep a rule under its name; whether there was another one."""
        known = self.drop_rule(rule.name)
        self.sql.run(
            "INSERT INTO retention_rule (name, rule, hard, made_at) VALUES (?, ?, ?, ?)",
            (rule.name, rule.rule, int(rule.hard), rule.made_at),
        )
        return known

    def rules(self) -> list[RetentionRule]:
        """All rules by their names."""
        rows = self.sql.all("SELECT name, rule, hard, made_at FROM retention_rule ORDER BY name")
        return [RetentionRule(name, rule, bool(hard), made_at) for name, rule, hard, made_at in rows]

    def stored_after(self, at: int, pks: Sequence[int]) -> set[int]:
        """Those of these records that were stored after a moment, whatever their own time says.

        Keys ascend: one that follows a record of a later time was stored while the clock was set back. What came with
        an import has its time from there.
        """
        rows = self.sql.all(
            "SELECT pk FROM record WHERE pk IN KEYS(?) AND coalesce(source, '') NOT LIKE 'import:%' AND pk > "
            "(SELECT min(pk) FROM record r WHERE HEAD(r) AND r.created_at > ?)",
            (self.sql.keys(pks), at),
        )
        return {row[0] for row in rows}

    def drop_rule(self, name: str) -> bool:
        """Forget a rule; whether there was one."""
        return self.sql.run("DELETE FROM retention_rule WHERE name = ?", (name,)) > 0
