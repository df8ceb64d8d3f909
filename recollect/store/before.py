"""What was thought of records and relations before: judgements, which change without making a version.

A record that is confirmed, used or spoken for says what it said. To keep its whole text once more for every word about
it would drown the store, so only the columns that were changed are kept, with the time until which they held. The first
such row later than a moment says what held at that moment. Relations have no versions: for them it is all there is, the
times in which one was withdrawn before somebody brought it back included.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from recollect.store.base import Group
from recollect.store.journal import Op

RECORD_COLUMNS = (
    "confidence",
    "importance",
    "success_count",
    "failure_count",
    "arousal",
    "valid_from",
    "updated_at",
    "attributes",
)
EDGE_COLUMNS = ("weight", "confidence", "auto_extracted", "retired_at")
_OF_ROW = "b.record_pk = coalesce(r.head_pk, r.pk) AND b.version = r.version AND b.until_at > {}"
_WITHIN_VERSION = f"{_OF_ROW} AND (LIVE(r) OR b.until_at <= r.retired_at)"
_NO_ATTRIBUTES = "{}"  # as NULL says that they did not change


class Before(Group):
    """What records and edges were judged to be before an operation judged them anew."""

    def note_record(self, op: Op, pk: int, version: int, old: Mapping[str, Any]) -> None:
        """Keep what was thought of a record until now, of the columns that are about to change."""
        held = {name: old[name] for name in RECORD_COLUMNS if name in old}
        if "attributes" in held:
            held["attributes"] = held["attributes"] or _NO_ATTRIBUTES
        self._note("record_before", {"record_pk": pk, "until_at": op.at, "version": version}, held)

    def note_edge(self, op: Op, pk: int, old: Mapping[str, Any]) -> None:
        """The same of a relation. One that is withdrawn says so itself; how long it was is noted when that ends."""
        self._note("edge_before", {"edge_pk": pk, "until_at": op.at}, {n: old[n] for n in EDGE_COLUMNS if n in old})

    def note_withdrawn(self, op: Op, first_pk: int, last_pk: int) -> None:
        """Relations come back: until now they were withdrawn."""
        self.sql.run(
            "INSERT INTO edge_before (edge_pk, until_at, retired_at) SELECT pk, ?, retired_at FROM edge "
            "WHERE pk BETWEEN ? AND ? AND retired_at IS NOT NULL "
            "ON CONFLICT (edge_pk, until_at) DO UPDATE SET retired_at = coalesce(edge_before.retired_at, "
            "excluded.retired_at)",
            (op.at, first_pk, last_pk),
        )

    def _note(self, table: str, whose: Mapping[str, Any], held: Mapping[str, Any]) -> None:
        """What changes twice at one time held as it was before the first."""
        known = {name: value for name, value in held.items() if value is not None}
        if known:
            names = [*whose, *known]
            self.sql.run(
                f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))}) "
                f"ON CONFLICT ({', '.join(whose)}) DO UPDATE "
                f"SET {', '.join(f'{name} = coalesce({table}.{name}, excluded.{name})' for name in known)}",
                [*whose.values(), *known.values()],
            )

    def of_rows(self, pks: Sequence[int], at: int) -> dict[int, dict[str, Any]]:
        """What was thought of rows of `record` at a time, by key, as far as it was something else than they say."""
        found = self.sql.all(
            f"SELECT r.pk, {', '.join(f'b.{name}' for name in RECORD_COLUMNS)} FROM record r JOIN record_before b "
            f"ON {_WITHIN_VERSION.format('?')} WHERE r.pk IN KEYS(?) ORDER BY b.until_at",
            (at, self.sql.keys(pks)),
        )
        return _first_of_each(found, RECORD_COLUMNS)

    def of_edges(self, pks: Iterable[int], at: int) -> dict[int, dict[str, Any]]:
        """The same of relations."""
        found = self.sql.all(
            f"SELECT edge_pk, {', '.join(EDGE_COLUMNS)} FROM edge_before WHERE edge_pk IN KEYS(?) AND until_at > ? "
            "ORDER BY until_at",
            (self.sql.keys(pks), at),
        )
        return _first_of_each(found, EDGE_COLUMNS)


def _first_of_each(found: Iterable[Sequence[Any]], names: Sequence[str]) -> dict[int, dict[str, Any]]:
    out: dict[int, dict[str, Any]] = {}
    for pk, *values in found:
        held = out.setdefault(pk, {})
        for name, value in zip(names, values, strict=True):
            if value is not None:
                held.setdefault(name, value)
    return out


def record_column(name: str, at: int | None) -> str:
    """A column of `record r` as SQL: what it is, or with `at` what it was then."""
    if at is None or name not in RECORD_COLUMNS:
        return f"r.{name}"
    return _then(f"record_before b WHERE {_WITHIN_VERSION.format(int(at))}", "r", name)


def edge_column(name: str, at: int | None) -> str:
    """A column of `edge e` as SQL: what it is, or with `at` what it was then."""
    if at is None or name not in EDGE_COLUMNS:
        return f"e.{name}"
    return _then(f"edge_before b WHERE b.edge_pk = e.pk AND b.until_at > {int(at)}", "e", name)


def edge_believed(at: int | None) -> str:
    """SQL that is true of an `edge e` that we believe, or with `at` believed then."""
    if at is None:
        return "LIVE(e)"
    return f"(e.recorded_at <= {int(at)} AND coalesce({edge_column('retired_at', at)} > {int(at)}, TRUE))"


def record_believed(at: int | None) -> str:
    """The same of the current row `record r` of a record: asked of its whole life, not of one version."""
    if at is None:
        return "LIVE(r)"
    return (
        f"(r.created_at <= {int(at)} AND (LIVE(r) OR r.retired_at > {int(at)}) AND NOT EXISTS "
        f"(SELECT 1 FROM gap g WHERE g.record_pk = r.pk AND g.from_at <= {int(at)} AND g.until_at > {int(at)}))"
    )


def _then(rows: str, now: str, name: str) -> str:
    return f"coalesce((SELECT b.{name} FROM {rows} AND b.{name} IS NOT NULL ORDER BY b.until_at LIMIT 1), {now}.{name})"
