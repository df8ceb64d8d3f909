"""Records in the database: insert, revise, retire, find, load."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from recollect.errors import NotFound, VersionConflict
from recollect.model.columns import COLUMNS, RecordRow, SealedBox, row_values
from recollect.model.labels import label_terms
from recollect.model.query import Criteria
from recollect.model.record import Brief, Record
from recollect.model.scope import DIMENSIONS, Scope
from recollect.store import changes
from recollect.store.base import Group, Row
from recollect.store.dialect import ALL
from recollect.store.journal import Op, Replaced
from recollect.store.rows import COPY_COLUMNS, INSERT_RECORD, RECORD_SELECT, record_of

# The columns whose words a record is found by.
SEARCHED = ("content", "category", "tags", "metadata")


def searched_terms(row: Mapping[str, Any]) -> list[str]:
    """The terms that a row of these columns is found by: those of its text, then of what it is filed under."""
    from recollect.language.terms import terms_of  # with stemmers and lists, which no reader needs

    return [*terms_of(row["content"]), *label_terms(row.get("category"), row.get("tags"), row.get("metadata"))]


class Origin(NamedTuple):
    """Where a record comes from. Of one that was drawn from a turn it is where the turn comes from."""

    category: str
    source: str | None
    role: str | None
    scope: Scope
    drawn: bool
    actor: str | None  # who stored it through a tool, a token or a named handle; None: the owner's program
    speaker: str | None
    confidence: float
    suspect: bool = False  # screening marked it, or the turn that it was drawn from


INFERRED_SOURCES = ("inferred", "observer_inferred")  # of what was concluded from behaviour rather than said
_TO_REVIEW = f"""
    SELECT r.pk, r.flagged, r.needs_review FROM record r
    WHERE HEAD(r) AND r.user_verified = 0 AND {{visible}} AND (
        r.needs_review = 1 OR r.flagged = 1
        OR (r.confidence < ? AND (coalesce(r.source, '') IN {INFERRED_SOURCES} OR EXISTS (
            SELECT 1 FROM member m JOIN edge e ON e.pk = m.edge_pk AND e.label = 'inferred_from'
            AND LIVE(e) WHERE m.record_pk = r.pk AND m.role = 'subject')))
    )
    ORDER BY r.flagged DESC, r.needs_review DESC, r.confidence, r.pk LIMIT ?
"""


class ToReview(NamedTuple):
    """A record that waits for a person's word; neither flagged nor for review: it was concluded, and is unsure."""

    pk: int
    flagged: bool
    needs_review: bool


class Records(Group):
    """Records: insert, revise, retire, find, load."""

    def insert(self, op: Op, rows: Sequence[RecordRow], terms: Sequence[Sequence[str]]) -> range:
        """Store new records; their keys are consecutive."""
        first = self.sql.next_key("record")
        pks = range(first, first + len(rows))
        self.sql.many(INSERT_RECORD, ((pk, *row_values(row)) for pk, row in zip(pks, rows, strict=True)))
        if boxes := [row.box for row in rows if row.box is not None]:
            self.tx.sealed.put(boxes)
        labelled = (
            [*said, *label_terms(row.category, row.tags, row.metadata)] for row, said in zip(rows, terms, strict=True)
        )
        self.tx.text.put(zip(pks, labelled, strict=True))
        op.inserted("record", first, pks[-1])
        self.tx.changes.announce("record", first, pks[-1])
        return pks

    def revise(
        self, op: Op, pk: int, new: Mapping[str, Any], *, reason: str | None = None, box: SealedBox | None = None
    ) -> None:
        """Make the next version of a record: the old one stays, retired now, reachable by `known_at` and history.

        `box` is what is sealed of it, if that is new too.
        """
        old = self._columns(pk)
        if box is not None:
            self.tx.sealed.put([box])
        assert old["head_pk"] is None
        assert new.keys() <= old.keys()
        self.keep_version(op, pk, old)
        stamped = {**new, "version": old["version"] + 1, "updated_at": op.at, "recorded_at": op.at}
        op.changed("record", [pk], {name: old[name] for name in stamped})
        self.write_columns(pk, stamped)
        self.log_tier(op, old, stamped, reason)

    def keep_version(self, op: Op, pk: int, old: Mapping[str, Any]) -> None:
        """Copy the current row aside as the version we believed until now."""
        values = {**old, "head_pk": pk, "retired_at": op.at}
        copy = self.sql.insert(
            f"INSERT INTO record ({COPY_COLUMNS}) VALUES ({', '.join('?' * len(COLUMNS))})",
            [values[name] for name in COLUMNS],
        )
        self.tx.text.put([(copy, searched_terms(old))])
        op.inserted("record", copy, copy)

    def adjust(self, op: Op, pk: int, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
        """Change how a record is judged: what it says is the same, so no version; what was thought of it stays
        known.
        """
        assert "content" not in new
        op.changed("record", [pk], {name: old[name] for name in new})
        self.tx.before.note_record(op, pk, old["version"], {name: old[name] for name in new if old[name] != new[name]})
        self.write_columns(pk, new)

    def write_columns(self, pk: int, values: Mapping[str, Any]) -> None:
        """Set columns of one row, keep the text index in step, tell the feed. Journalling is the caller's."""
        assert values.keys() <= set(COLUMNS)
        assignments = ", ".join(f"{name} = ?" for name in values)
        self.sql.run(f"UPDATE record SET {assignments} WHERE pk = ?", [*values.values(), pk])
        if not values.keys().isdisjoint(SEARCHED):
            self.tx.text.replace(pk, searched_terms(self._columns(pk)))
        self.tx.changes.announce("record", pk, pk)

    def log_tier(self, op: Op, old: Mapping[str, Any], new: Mapping[str, Any], reason: str | None) -> None:
        """Note a move between tiers in the evolution log."""
        if new.get("tier", old["tier"]) != old["tier"]:
            self.sql.run(
                "INSERT INTO evolution_log (timestamp, operation, node_ids, from_tier, to_tier, reasoning) "
                "SELECT ?, verb, ?, ?, ?, coalesce(?, reason) FROM operation WHERE pk = ?",
                (op.at, orjson.dumps([old["id"]]).decode(), old["tier"], new["tier"], reason, op.pk),
            )

    def retire(self, op: Op, pks: Iterable[int]) -> list[int]:
        """Stop believing records; those already retired are left as they are. Returns the ones that changed.

        What only they had ended holds again.
        """
        live = [
            row[0]
            for row in self.sql.all(
                "SELECT pk FROM record WHERE pk IN KEYS(?) AND LIVE(record) ORDER BY pk",
                (self.sql.keys(pks),),
            )
        ]
        self.tx.endings.lift(op, live)
        self.sql.run("UPDATE record SET retired_at = ? WHERE pk IN KEYS(?)", (op.at, self.sql.keys(live)))
        op.changed("record", live, {"retired_at": None})
        for first, last in changes.spans(live):
            self.tx.changes.announce("record", first, last)
        return live

    def columns_of(self, pk: int) -> dict[str, Any] | None:
        """All columns of one row by name."""
        row = self.sql.one(f"SELECT {COPY_COLUMNS} FROM record WHERE pk = ?", (pk,))
        return dict(zip(COLUMNS, row, strict=True)) if row else None

    def _columns(self, pk: int) -> dict[str, Any]:
        found = self.columns_of(pk)
        assert found is not None, f"row {pk} vanished inside its transaction"
        return found

    def find_pk(self, record_id: str, criteria: Criteria | None = None, *, now: int, live: bool = True) -> int:
        """The key of a record. With criteria, only if it is visible under them; otherwise it is simply not found."""
        sql, params = "SELECT r.pk FROM record r WHERE r.id = ? AND HEAD(r)", [record_id]
        if live:
            sql += " AND LIVE(r)"
        if criteria is not None:
            clause, more = self.tx.criteria.where(criteria, now=now, times=False)
            sql, params = f"{sql} AND {clause}", [*params, *more]
        pk = self.sql.value(sql, params)
        if pk is None:
            raise NotFound(f"no record has the id {record_id}" + ("" if live else ", now or in the past"))
        return int(pk)

    def scope_pk(self, pk: int) -> int:
        """The scope of a record."""
        return int(self.sql.value("SELECT scope_pk FROM record WHERE pk = ?", (pk,)))

    def named(self, criteria: Criteria, *, now: int, live: bool) -> list[int]:
        """Current versions that the criteria name, whatever their validity or tier; with `live` those believed."""
        clause, params = self.tx.criteria.where(criteria, now=now, times=False)
        held = "LIVE(r)" if live else "1 = 1"
        rows = self.sql.all(f"SELECT r.pk FROM record r WHERE HEAD(r) AND {held} AND {clause} ORDER BY r.pk", params)
        return [row[0] for row in rows]

    def latest(self, criteria: Criteria, *, now: int, limit: int) -> list[int]:
        """Keys that meet the criteria, the latest event first."""
        clause, params = self.tx.criteria.where(criteria, now=now)
        order = "ORDER BY coalesce(r.event_time, r.created_at) DESC, r.pk DESC LIMIT ?"
        rows = self.sql.all(f"SELECT r.pk FROM record r WHERE {clause} {order}", [*params, limit])
        return [row[0] for row in rows]

    def containing(
        self, text: str, criteria: Criteria, *, now: int, among: Sequence[int] | None, limit: int
    ) -> list[int]:
        """Keys that meet the criteria and whose content has a text in it, in any case, newest first."""
        clause, params = self.tx.criteria.where(criteria, now=now)
        fold = "ASCII_LOWER" if text.isascii() else "FOLDED"
        clause, params = f"{clause} AND PLACE_IN({fold}(r.content), {fold}(?)) > 0", [*params, text]
        if among is not None:
            clause, params = f"{clause} AND r.pk IN KEYS(?)", [*params, self.sql.keys(among)]
        rows = self.sql.all(f"SELECT r.pk FROM record r WHERE {clause} ORDER BY r.pk DESC LIMIT ?", [*params, limit])
        return [row[0] for row in rows]

    def keys_by_id(self, ids: Iterable[str], *, live: bool = False) -> dict[str, int]:
        """The keys of records by their ids, deleted ones only if those count too."""
        only = " AND LIVE(r)" if live else ""
        rows = self.sql.all(
            f"SELECT r.id, r.pk FROM record r WHERE r.id IN (SELECT value FROM EACH_ITEM(?)) AND HEAD(r){only}",
            (orjson.dumps(list(ids)).decode(),),
        )
        return {row[0]: row[1] for row in rows}

    def note_gap(self, pk: int, *, retired_at: int, until: int) -> None:
        """A record comes back that was deleted: from then until now it was not believed."""
        self.sql.run(
            "INSERT INTO gap (record_pk, from_at, until_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            (pk, retired_at, until),
        )

    def require_version(self, pk: int, version: int | None) -> None:
        """Refuse to go on if a record is no longer the version somebody had before them."""
        now = None if version is None else int(self.sql.value("SELECT version FROM record WHERE pk = ?", (pk,)))
        if now != version:
            raise VersionConflict(f"the record is at version {now}, not {version}; read it again, then decide")

    def load(self, pks: Sequence[int]) -> dict[int, Record]:
        """Records by key; keys without a row are left out."""
        if len(pks) == 0:
            return {}
        rows = self.sql.all(f"{RECORD_SELECT} WHERE r.pk IN KEYS(?) ORDER BY r.pk", (self.sql.keys(pks),))
        return {row[0]: record_of(row) for row in rows}

    def ids(self, pks: Sequence[int]) -> list[str]:
        """The public ids of rows, in the order asked."""
        if len(pks) == 0:
            return []
        found: dict[int, str] = dict(
            self.sql.all("SELECT pk, id FROM record WHERE pk IN KEYS(?)", (self.sql.keys(pks),))
        )
        return [found[pk] for pk in pks]

    def briefs(self, record_ids: Sequence[str]) -> dict[str, Brief]:
        """Records in fewer and fewer words, by id."""
        rows = self.sql.all(
            "SELECT r.id, r.pk, r.perceived FROM EACH_ITEM(?) given JOIN record r ON r.id = given.value AND HEAD(r)",
            (orjson.dumps(list(record_ids)).decode(),),
        )
        read = ((id_, pk, orjson.loads(perceived) if perceived else {}) for id_, pk, perceived in rows)
        return {
            id_: Brief(pk, said["summary"], said["key_fact"], said["tag"], tuple(said["tokens"]))
            if "tag" in said
            else Brief(pk)
            for id_, pk, said in read
        }

    def ids_beginning(self, beginning: str, criteria: Criteria | None, *, now: int, limit: int = 8) -> list[str]:
        """Ids that begin so, of records that the criteria let a reader see, whatever their times; None: of any."""
        clause, params = ("1 = 1", []) if criteria is None else self.tx.criteria.where(criteria, now=now, times=False)
        rows = self.sql.all(
            f"SELECT r.id FROM record r WHERE HEAD(r) AND r.id >= ? AND r.id < ? AND {clause} ORDER BY 1 LIMIT ?",
            [beginning, beginning + "g", *params, limit],
        )
        return [row[0] for row in rows]

    def contents_by_id(self, record_ids: Sequence[str]) -> dict[str, str]:
        """The texts of records by their ids, of forgotten ones too; those that were erased are left out."""
        rows = self.sql.all(
            "SELECT r.id, r.content FROM EACH_ITEM(?) given JOIN record r ON r.id = given.value AND HEAD(r)",
            (orjson.dumps(list(record_ids)).decode(),),
        )
        return dict(rows)

    def pks_of(self, record_ids: Sequence[str]) -> list[int]:
        """The keys of the current versions of records, in the order asked; an id without a record has none."""
        rows = self.sql.all(
            "SELECT r.id, r.pk FROM EACH_ITEM(?) given JOIN record r ON r.id = given.value AND HEAD(r)",
            (orjson.dumps(list(record_ids)).decode(),),
        )
        found: dict[str, int] = dict(rows)
        return [found[each] for each in record_ids if each in found]

    def origins(self, pks: Sequence[int]) -> dict[int, Origin]:
        """Where these records come from, by key."""
        rows = self.sql.all(
            "SELECT r.pk, r.category, coalesce(t.source, r.source), coalesce(t.role, r.role), r.turn_pk IS NOT NULL, "
            "r.speaker, r.confidence, "
            "coalesce(JSON_TEXT(coalesce(t.attributes, r.attributes), '$.screening.action'), '') IN ('mark', "
            "'quarantine'), "
            "(SELECT o.actor FROM journal j JOIN operation o ON o.pk = j.operation_pk WHERE j.relation = 'record' "
            "AND j.before IS NULL AND j.first_pk <= r.pk AND j.last_pk >= r.pk ORDER BY j.first_pk DESC LIMIT 1), "
            f"{', '.join(f's.{name}' for name in DIMENSIONS)} FROM record r JOIN scope s ON s.pk = r.scope_pk "
            "LEFT JOIN record t ON t.pk = r.turn_pk WHERE r.pk IN KEYS(?)",
            (self.sql.keys(pks),),
        )
        return {
            pk: Origin(
                category,
                source,
                role,
                Scope(**dict(zip(DIMENSIONS, where, strict=True))),
                bool(drawn),
                actor,
                speaker,
                sure,
                bool(suspect),
            )
            for pk, category, source, role, drawn, speaker, sure, suspect, actor, *where in rows
        }

    def sayings(self, record_ids: Sequence[str]) -> dict[str, tuple[str, str]]:
        """What statements tell, by id: of whom or what, and which side of it ("the user", "lives in")."""
        rows = self.sql.all(
            "SELECT r.id, ASCII_LOWER(r.subject), ASCII_LOWER(r.predicate) FROM EACH_ITEM(?) given "
            "JOIN record r ON r.id = given.value AND HEAD(r) AND r.subject IS NOT NULL",
            (orjson.dumps(list(record_ids)).decode(),),
        )
        return {id_: (subject, predicate or "") for id_, subject, predicate in rows}

    def contents(self, pks: Sequence[int]) -> list[str]:
        """The texts of rows in the order asked; an empty one for a key without a row."""
        found: dict[int, str] = dict(
            self.sql.all("SELECT pk, content FROM record WHERE pk IN KEYS(?)", (self.sql.keys(pks),))
        )
        return [found.get(pk, "") for pk in pks]

    def visible_contents(self, ids: Sequence[str], criteria: Criteria) -> list[str]:
        """The texts of those of these records that are live and that the criteria let a reader see."""
        clause, params = self.tx.criteria.where(criteria, now=0, times=False)
        sql = f"SELECT r.content FROM EACH_ITEM(?) n JOIN record r ON r.id = n.value WHERE HEAD(r) AND {clause}"
        rows = self.sql.all(f"{sql} AND LIVE(r) ORDER BY r.pk", [orjson.dumps(list(ids)).decode(), *params])
        return [row[0] for row in rows]

    def visible_versions(self, ids: Iterable[str], criteria: Criteria, *, now: int) -> dict[str, int]:
        """The versions of those of these records that hold now and that the criteria let a reader see, by id."""
        clause, params = self.tx.criteria.where(criteria, now=now)
        named = "SELECT r.id, r.version FROM EACH_ITEM(?) n JOIN record r ON r.id = n.value"
        sql = f"{named} WHERE HEAD(r) AND {clause}"
        return dict(self.sql.all(sql, [orjson.dumps(list(ids)).decode(), *params]))

    def load_known(self, head_pks: Sequence[int], known_at: int) -> dict[int, Record]:
        """The versions of these records that we believed at a time, by the key of the current version."""
        rows = self.sql.all(
            f"{RECORD_SELECT} WHERE coalesce(r.head_pk, r.pk) IN KEYS(?) AND r.recorded_at <= ? "
            "AND (LIVE(r) OR r.retired_at > ?) ORDER BY r.recorded_at",
            (self.sql.keys(head_pks), known_at, known_at),
        )
        latest = {_head_pk(row): row for row in rows}  # the latest recorded wins
        return dict(zip(latest, self._as_thought(list(latest.values()), known_at), strict=True))

    def page(self, criteria: Criteria, *, now: int, limit: int, before_pk: int | None) -> list[tuple[int, Record]]:
        """Matching records with their keys, newest first."""
        clause, params = self.tx.criteria.where(criteria, now=now)
        if before_pk is not None:
            clause, params = f"{clause} AND r.pk < ?", [*params, before_pk]
        rows = self.sql.all(f"{RECORD_SELECT} WHERE {clause} ORDER BY r.pk DESC LIMIT ?", [*params, limit])
        return list(zip((row[0] for row in rows), self._as_thought(rows, criteria.known_at), strict=True))

    def matching(
        self, criteria: Criteria, *, now: int, among: Sequence[int] | None = None, limit: int = ALL
    ) -> list[int]:
        """Keys that meet the criteria, all or among the given ones, ascending."""
        clause, params = self.tx.criteria.where(criteria, now=now)
        if among is not None:
            clause, params = f"r.pk IN KEYS(?) AND {clause}", [self.sql.keys(among), *params]
        rows = self.sql.all(f"SELECT r.pk FROM record r WHERE {clause} ORDER BY r.pk LIMIT ?", [*params, limit])
        return [row[0] for row in rows]

    def outside_session(self, pks: Sequence[int], session: str) -> list[int]:
        """Those of these records that do not come from a session, ascending."""
        rows = self.sql.all(
            "SELECT r.pk FROM record r LEFT JOIN session s ON s.pk = r.session_pk WHERE r.pk IN KEYS(?) "
            "AND s.id IS DISTINCT FROM ? ORDER BY 1",
            (self.sql.keys(pks), session),
        )
        return [row[0] for row in rows]

    def seen(self, criteria: Criteria, *, now: int, among: Sequence[int]) -> list[int]:
        """Which of these records the criteria let a reader see, whatever their times."""
        clause, params = self.tx.criteria.where(criteria, now=now, times=False)
        rows = self.sql.all(
            f"SELECT r.pk FROM record r WHERE r.pk IN KEYS(?) AND {clause} ORDER BY r.pk",
            [self.sql.keys(among), *params],
        )
        return [row[0] for row in rows]

    def versions(self, head_pk: int) -> list[Record]:
        """Every version of a record, oldest first, the current one last."""
        rows = self.sql.all(
            f"{RECORD_SELECT} WHERE r.head_pk = ? OR r.pk = ? ORDER BY HEAD(r), r.recorded_at",
            (head_pk, head_pk),
        )
        return [record_of(row) for row in rows]

    def left_by_each(self, pk: int, done: Sequence[Replaced]) -> dict[int, Record | None]:
        """What each operation on a record left of it, None where it was deleted, by the operation's key.

        Worked out backwards from what the record is now, by what each of them replaced, newest first. No clock is
        asked: one that went back does not change what came after what.
        """
        (row,) = self.sql.all(f"{RECORD_SELECT} WHERE r.pk = ?", (pk,))
        names = ("pk", *COLUMNS)
        values = dict(zip(names, row, strict=False))
        left: dict[int, Record | None] = {}
        until = values["retired_at"]  # when the version was replaced, or the record deleted
        for operation_pk, at, replaced in done:
            if operation_pk not in left:
                told = record_of((*(values | {"retired_at": until}).values(), *row[len(names) :]))
                left[operation_pk] = None if values["retired_at"] is not None else told
            if replaced is not None:
                values |= replaced
                until = at if {"version", "retired_at"} & replaced.keys() else until
        return left

    def _as_thought(self, rows: Sequence[Row], known_at: int | None) -> list[Record]:
        """Records of rows of `RECORD_SELECT`; with `known_at` as they were judged then."""
        if known_at is None:
            return [record_of(row) for row in rows]
        held = self.tx.before.of_rows([row[0] for row in rows], known_at)
        names = ("pk", *COLUMNS)
        return [
            record_of(
                (
                    *(held.get(row[0], {}).get(name, value) for name, value in zip(names, row, strict=False)),
                    *row[len(names) :],
                )
            )
            for row in rows
        ]

    def is_at_version(self, pk: int, version: int) -> bool:
        """Whether a record is live and still that version."""
        return bool(self.sql.value("SELECT version FROM record WHERE pk = ? AND LIVE(record)", (pk,)) == version)

    def version_and_end(self, pk: int) -> tuple[int, int | None] | None:
        """The version of a live record and when it ends; None for one that is gone."""
        row = self.sql.one("SELECT version, valid_until FROM record WHERE pk = ? AND LIVE(record)", (pk,))
        return None if row is None else (row[0], row[1])

    def are_live(self, pks: Collection[int]) -> bool:
        """Whether none of these is gone."""
        sql = "SELECT count(*) FROM record WHERE pk IN KEYS(?) AND LIVE(record)"
        return bool(self.sql.value(sql, (self.sql.keys(pks),)) == len(set(pks)))

    def live_count(self) -> int:
        return int(self.sql.value("SELECT count(*) FROM record WHERE LIVE(record)"))

    def any_live(self) -> bool:
        return bool(self.sql.value("SELECT 1 FROM record WHERE LIVE(record) LIMIT 1"))

    def live_contents(self, pks: Iterable[int]) -> dict[int, str]:
        """The texts of those of these that are live, by ascending key."""
        sql = "SELECT pk, content FROM record WHERE pk IN KEYS(?) AND LIVE(record) ORDER BY pk"
        return dict(self.sql.all(sql, (self.sql.keys(pks),)))

    def live_objects(self, pks: Iterable[int]) -> dict[str, str | None]:
        """What the live ones of these statements say something is, by id."""
        sql = "SELECT id, object FROM record WHERE pk IN KEYS(?) AND LIVE(record)"
        return dict(self.sql.all(sql, (self.sql.keys(pks),)))

    def untouched_contents(self, pks: Iterable[int], *, before: int) -> dict[int, tuple[str, str]]:
        """(hash, text) of those of these that are live and were not changed since `before`, by key."""
        rows = self.sql.all(
            "SELECT r.pk, r.content_hash, r.content FROM record r WHERE r.pk IN KEYS(?) AND HEAD(r) AND LIVE(r) "
            "AND r.updated_at <= ?",
            (self.sql.keys(pks), before),
        )
        return {row[0]: (row[1], row[2]) for row in rows}

    def live_hash(self, pk: int) -> str | None:
        """The hash of the text of a live record; None for one that is gone."""
        found = self.sql.value("SELECT content_hash FROM record WHERE pk = ? AND LIVE(record)", (pk,))
        return None if found is None else str(found)

    def by_scope(self, pks: Iterable[int]) -> dict[int, list[int]]:
        """The keys of these by the scope that each is in, ascending."""
        rows = self.sql.all("SELECT scope_pk, pk FROM record WHERE pk IN KEYS(?) ORDER BY 1, 2", (self.sql.keys(pks),))
        found: dict[int, list[int]] = {}
        for scope_pk, pk in rows:
            found.setdefault(scope_pk, []).append(pk)
        return found

    def linkable(self, pks: Iterable[int], *, now: int) -> dict[int, tuple[int, str]]:
        """(scope, text) of those of these that may be linked to what is like them: of long-term memory, current, and
        not drawn from a turn, which stands for them."""
        rows = self.sql.all(
            "SELECT r.pk, r.scope_pk, r.content FROM record r WHERE r.pk IN KEYS(?) AND HEAD(r) AND LIVE(r) "
            "AND r.tier = 'longterm' AND r.turn_pk IS NULL AND r.kind <> 'entity' AND HOLDS(r, ?)",
            (self.sql.keys(pks), now),
        )
        return {row[0]: (row[1], row[2]) for row in rows}

    def live_after(self, pk: int, limit: int) -> list[tuple[int, str, str | None]]:
        """The next records by key that are live, were given rather than drawn, and are not in the archive: (key, text,
        role)."""
        return self.sql.all(
            "SELECT r.pk, r.content, r.role FROM record r WHERE r.pk > ? AND HEAD(r) AND LIVE(r) "
            "AND r.turn_pk IS NULL AND r.tier <> 'archive' ORDER BY r.pk LIMIT ?",
            (pk, limit),
        )

    def to_review(self, criteria: Criteria, *, below: float, now: int, limit: int) -> list[ToReview]:
        """What waits for a person's word, of what the criteria let a reader see: flagged, stored for review, or
        concluded and surer by less than `below`; in this order."""
        clause, params = self.tx.criteria.where(criteria, now=now)
        rows = self.sql.all(_TO_REVIEW.format(visible=clause), [*params, below, limit])
        return [ToReview(pk, bool(flagged), bool(needs_review)) for pk, flagged, needs_review in rows]


def _head_pk(row: Row) -> int:
    head = row[1 + COLUMNS.index("head_pk")]
    return int(row[0] if head is None else head)
