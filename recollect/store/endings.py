"""Ends of statements and doubts about them: which record ended which, who decided it, how sure that is, and until when.

An end is a `supersedes` edge from the newer record to the older one, and the `valid_until` of the older one. The edge
says by what probability (`confidence`), why (`evidence`), and in its attributes who decided it (`by`), what a question
has to speak of (`about`), which end was set (`until`) and what was known of the older one's times before (`was`). A
turn keeps its times, because it says what was said; only the edge tells that it is outdated.

A doubt is a `may_replace` edge from the newer record to the older one. It changes nothing but what a reader is told.

An end rests on the record that brought it. When that one is deleted, forgotten or says something else, what it alone
had ended holds again (`lift`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from recollect.errors import CycleRefused
from recollect.limits import REASON_CHARS_MAX, SPAN_MAX
from recollect.model.edge import Edge
from recollect.model.ending import MAY_REPLACE, REPLACES, Decider, EndCause
from recollect.model.query import Criteria
from recollect.store import edges
from recollect.store.base import Group
from recollect.store.edges import SOURCE_ROLES, TARGET_ROLES
from recollect.store.journal import Op
from recollect.store.relations import LAPSED, UNDONE
from recollect.store.rows import from_json, to_json

BY, ABOUT, UNTIL, WAS = "by", "about", "until", "was"  # attributes of an edge that ends a record
MODEL = "model"  # … and, of one that a language model decided, its name
JUDGED = "judged"  # attribute of a doubt: what a language model said of it
_TIMES = ("valid_from", "valid_until")

_REPLACES = (  # (old one, new one) of everything live that took another's place
    f"FROM member old JOIN edge e ON e.pk = old.edge_pk AND e.label = '{REPLACES}' AND LIVE(e) "
    f"JOIN member new ON new.edge_pk = e.pk AND new.role IN {SOURCE_ROLES} "
    f"JOIN record r ON r.pk = new.record_pk AND LIVE(r) WHERE old.role IN {TARGET_ROLES}"
)
_ENDED_ONLY_BY = (  # by records that go: no other live record stands for the end
    "AND old.record_pk NOT IN KEYS(?) AND NOT EXISTS (SELECT 1 FROM member held JOIN edge f "
    f"ON f.pk = held.edge_pk AND f.label = '{REPLACES}' AND LIVE(f) "
    f"JOIN member by ON by.edge_pk = f.pk AND by.role IN {SOURCE_ROLES} AND by.record_pk NOT IN KEYS(?) "
    "JOIN record other ON other.pk = by.record_pk AND LIVE(other) "
    f"WHERE held.record_pk = old.record_pk AND held.role IN {TARGET_ROLES})"
)
_ENDED_BY_OPERATION = (  # the last operation that holds and said when a record is true, and what it said before
    "SELECT j.operation_pk, j.before FROM journal j JOIN operation o ON o.pk = j.operation_pk "
    "WHERE j.relation = 'record' AND j.first_pk BETWEEN ? AND ? AND j.last_pk >= ? AND o.undone_by IS NULL "
    "AND o.undoes IS NULL AND JSON_TYPE(j.before, '$.valid_until') IS NOT NULL ORDER BY j.pk DESC LIMIT 1"
)
_BETWEEN = (  # edges between two records that say which of them holds, or perhaps does
    "SELECT e.pk, e.label, e.attributes FROM member a "
    "JOIN member b ON b.edge_pk = a.edge_pk AND b.record_pk = ? JOIN edge e ON e.pk = a.edge_pk "
    "WHERE a.record_pk = ?"
)


class _Ended(NamedTuple):
    """A record that has ended, and the edge that says so."""

    pk: int
    edge_pk: int
    attributes: dict[str, Any]
    stated: bool  # by a person


class Endings(Group):
    """What has ended, what may have, and what holds again."""

    # --- ending and doubting ------------------------------------------------------------------------------------

    def end(
        self, op: Op, *, older: int, newer: int, cause: EndCause, until: int | None = None, since: int | None = None
    ) -> bool:
        """The newer record ends the older one; whether it did.

        A statement holds `until` then (by default until the newer one begins); `since` moves its beginning. A turn
        keeps its times. Nothing ends that is gone or ended before, or that a circle would lead back to; unless
        a person decides it, neither does what a person confirmed (a doubt is noted instead), what a person has said
        the newer one does not end, or anything for the sake of a record that holds only for a while: the older one
        holds again after it. A doubt between the two is settled with it.
        """
        old, new = self.tx.records.columns_of(older), self.tx.records.columns_of(newer)
        person = cause.by is Decider.PERSON
        if not _may_end(old, new) or (not person and self._is_barred(newer, older, new)):
            return False
        assert old is not None
        assert new is not None
        if old["user_verified"] and not new["user_verified"] and not person:
            self.doubt(op, older=older, newer=newer, cause=cause)
            return False
        turn = old["kind"] == "episodic"
        begins = min((each for each in (since, old["valid_from"]) if each is not None), default=None)
        last = _beginning(new) if until is None else until
        last = last if begins is None else max(last, begins)
        if old["valid_until"] is not None and old["valid_until"] <= last:
            return False
        attributes: dict[str, Any] = {UNTIL: last} if turn else {UNTIL: last, WAS: [old[name] for name in _TIMES]}
        try:
            self.tx.edges.insert(op, [_edge(newer, older, REPLACES, cause, attributes)])
        except CycleRefused:  # by way of others the older one took the newer one's place before
            return False
        if not turn:
            self.tx.records.revise(op, older, {"valid_from": begins, "valid_until": last})
        self._lapse(op, self._between(newer, older, (MAY_REPLACE, "contradicts"), found_only=True))
        return True

    def doubt(self, op: Op, *, older: int, newer: int, cause: EndCause) -> bool:
        """Note that the newer record may end the older one, unless that was said or decided before; whether it was
        noted."""
        if older == newer or self.is_decided(newer, older):
            return False
        self.tx.edges.insert(op, [_edge(newer, older, MAY_REPLACE, cause, {})])
        return True

    def is_decided(self, one: int, other: int) -> bool:
        """Whether a doubt or an end between two records stands, or was rejected for good."""
        return bool(
            self.sql.value(
                f"{_BETWEEN} AND e.label IN ('{REPLACES}', '{MAY_REPLACE}') "
                f"AND JSON_TEXT(e.attributes, '$.{LAPSED}') IS NULL AND NOT {UNDONE} LIMIT 1",
                (other, one),
            )
        )

    def doubted(self, *, older: int, newer: int) -> list[int]:
        """The live edges by which one record may have ended another."""
        return self._between(newer, older, (MAY_REPLACE,), found_only=False)

    def reject(self, op: Op, edge_pks: Collection[int]) -> None:
        """A person, or a language model, says that these ends or doubts are wrong: what they ended holds again, and
        they are not made again."""
        for ended in self._ended_by_edges(edge_pks):
            self._restore(op, ended)
        self.tx.edges.retire(op, edge_pks)

    # --- lifting ------------------------------------------------------------------------------------------------

    def lift(self, op: Op, going: Sequence[int]) -> int:
        """These records are believed no more: what only they had ended holds again, as before; how many that are.

        An end that was set otherwise since stays, and so does one that another live record stands for.
        """
        return sum(self._restore(op, ended) for ended in self._ended_only_by(going))

    def reconsider(self, op: Op, pk: int, reason: str, *, said_by: int | None = None) -> int:
        """A record says something else now: what it was found to have ended holds again, and is in doubt; how many.

        `said_by` says it now, the record itself unless another is named. What a person said it replaces stays replaced.
        Doubts that its old words raised go, too, and what a language model made of them binds no more.
        """
        found = [ended for ended in self._ended_only_by([pk]) if not ended.stated]
        doubts = self.sql.all(
            "SELECT e.pk FROM member m JOIN edge e ON e.pk = m.edge_pk AND LIVE(e) AND e.auto_extracted = 1 "
            f"AND e.label = '{MAY_REPLACE}' WHERE m.record_pk = ? AND m.role IN {SOURCE_ROLES}",
            (pk,),
        )
        self._lapse(op, [row[0] for row in doubts])
        self._reopen(op, pk)
        lifted = [ended for ended in found if self._restore(op, ended)]
        self._lapse(op, [ended.edge_pk for ended in lifted])
        for ended in lifted:
            sure = self.tx.edges.columns_of(ended.edge_pk, ("confidence",))[0]
            about = tuple(ended.attributes.get(ABOUT) or ())
            cause = EndCause(by=Decider.RULE, probability=sure, reason=reason, about=about)
            self.doubt(op, older=ended.pk, newer=said_by or pk, cause=cause)
        return len(lifted)

    def pass_on(self, op: Op, *, source: int, to: int) -> None:
        """A record is merged into another: what it had ended, the other one ends now."""
        for ended in self._ended_only_by([source]):
            if ended.pk == to:
                continue
            label, confidence, evidence, extracted = self.tx.edges.columns_of(
                ended.edge_pk, ("label", "confidence", "evidence", "auto_extracted")
            )
            copy = edges.pair(
                to,
                ended.pk,
                label,
                confidence=confidence,
                evidence=from_json(evidence, []),
                auto_extracted=bool(extracted),
                attributes=ended.attributes,
            )
            try:
                self.tx.edges.insert(op, [copy])
            except CycleRefused:
                continue

    def holding_an_end(self, pks: Collection[int], *, besides: Collection[int]) -> set[int]:
        """Those of these records that ended a live one which is not `besides`: without them it would hold again."""
        rows = self.sql.all(
            f"SELECT DISTINCT new.record_pk {_REPLACES} AND new.record_pk IN KEYS(?) AND old.record_pk NOT IN KEYS(?) "
            "AND EXISTS (SELECT 1 FROM record ended WHERE ended.pk = old.record_pk AND LIVE(ended))",
            (self.sql.keys(pks), self.sql.keys(besides)),
        )
        return {row[0] for row in rows}

    def _ended_only_by(self, pks: Sequence[int]) -> list[_Ended]:
        gone = self.sql.keys(pks)
        rows = self.sql.all(
            f"SELECT DISTINCT old.record_pk, e.pk, e.attributes, e.auto_extracted {_REPLACES} "
            f"AND new.record_pk IN KEYS(?) {_ENDED_ONLY_BY} ORDER BY 1, 2",
            (gone, gone, gone),
        )
        return [_Ended(pk, edge_pk, from_json(text, {}), not found) for pk, edge_pk, text, found in rows]

    def _ended_by_edges(self, edge_pks: Collection[int]) -> list[_Ended]:
        rows = self.sql.all(
            f"SELECT DISTINCT old.record_pk, e.pk, e.attributes, e.auto_extracted {_REPLACES} AND e.pk IN "
            f"KEYS(?) ORDER BY 2, 1",
            (self.sql.keys(edge_pks),),
        )
        return [_Ended(pk, edge_pk, from_json(text, {}), not found) for pk, edge_pk, text, found in rows]

    def _restore(self, op: Op, ended: _Ended) -> bool:
        """Give a record the times it had before it was ended, unless other ones were set since."""
        now = self.tx.records.columns_of(ended.pk)
        if now is None or now["valid_until"] is None:
            return False
        before: dict[str, Any] | None = None
        if WAS not in ended.attributes:  # ended before edges told what was known
            before = self._before_its_end(ended.pk, ended.edge_pk)
        elif now["valid_until"] == ended.attributes.get(UNTIL):
            before = dict(zip(_TIMES, ended.attributes[WAS], strict=True))
        if before is None or all(now[name] == value for name, value in before.items()):
            return False
        self.tx.records.revise(op, ended.pk, before)
        return True

    def _before_its_end(self, pk: int, edge_pk: int) -> dict[str, Any] | None:
        """When a record was true by what was known before the operation that stored this relation ended it.

        None if another operation has said since when it is true.
        """
        last = self.sql.one(_ENDED_BY_OPERATION, (pk - SPAN_MAX + 1, pk, pk))
        by = self.sql.value(
            "SELECT operation_pk FROM journal WHERE relation = 'edge' AND before IS NULL AND first_pk BETWEEN ? AND ? "
            "AND last_pk >= ?",
            (edge_pk - SPAN_MAX + 1, edge_pk, edge_pk),
        )
        if last is None or last[0] != by:
            return None
        return {name: value for name, value in orjson.loads(last[1]).items() if name in _TIMES}

    def _between(self, newer: int, older: int, labels: Sequence[str], *, found_only: bool) -> list[int]:
        found = " AND e.auto_extracted = 1" if found_only else ""
        named = ", ".join("?" * len(labels))
        rows = self.sql.all(
            f"{_BETWEEN} AND e.label IN ({named}) AND LIVE(e){found} ORDER BY e.pk", (older, newer, *labels)
        )
        return [row[0] for row in rows]

    def _lapse(self, op: Op, edge_pks: Iterable[int]) -> None:
        """Withdraw edges that nobody rejected: the same may be found again."""
        for pk in edge_pks:
            known = from_json(self.tx.edges.columns_of(pk, ("attributes",))[0], {})
            self.tx.edges.revise(op, pk, {"retired_at": op.at, "attributes": to_json(known | {LAPSED: True})})

    def _reopen(self, op: Op, pk: int) -> None:
        """Doubts that a language model removed by the old words of a record may be raised again."""
        removed = self.sql.all(
            f"SELECT e.pk, e.attributes FROM member m JOIN edge e ON e.pk = m.edge_pk AND e.label = '{MAY_REPLACE}' "
            f"WHERE m.record_pk = ? AND e.retired_at IS NOT NULL AND JSON_TEXT(e.attributes, '$.{JUDGED}') IS NOT NULL "
            f"AND JSON_TEXT(e.attributes, '$.{LAPSED}') IS NULL",
            (pk,),
        )
        for edge_pk, text in removed:
            self.tx.edges.revise(op, edge_pk, {"attributes": to_json(from_json(text, {}) | {LAPSED: True})})

    def _is_barred(self, newer: int, older: int, row: Mapping[str, Any] | None) -> bool:
        """Whether a person has rejected that the one ends the other, or the newer one says itself until when it holds.

        A newer one that was ended by another in its turn holds for good but for that.
        """
        rejected = self.sql.value(
            f"{_BETWEEN} AND e.label IN ('{REPLACES}', '{MAY_REPLACE}') AND e.retired_at IS NOT NULL "
            f"AND JSON_TEXT(e.attributes, '$.{LAPSED}') IS NULL AND NOT {UNDONE} LIMIT 1",
            (older, newer),
        )
        if rejected is not None or row is None or row["valid_until"] is None:
            return rejected is not None
        return not self.sql.value(f"SELECT 1 {_REPLACES} AND old.record_pk = ? LIMIT 1", (newer,))

    # --- asking -------------------------------------------------------------------------------------------------

    def successors(self, pk: int, criteria: Criteria | None, *, now: int) -> list[str]:
        """The ids of what is said instead of a record, at the end of the chain, as far as a reader sees it."""
        clause, params = ("1 = 1", []) if criteria is None else self.tx.criteria.where(criteria, now=now, times=False)
        found = self.sql.all(
            f"WITH RECURSIVE replaced (old, new, id) AS (SELECT old.record_pk, new.record_pk, r.id {_REPLACES} "
            f"AND old.record_pk = ? AND {clause} UNION SELECT old.record_pk, new.record_pk, r.id FROM replaced p, "
            f"{_REPLACES.removeprefix('FROM ')} AND old.record_pk = p.new AND {clause}) "
            "SELECT id FROM replaced WHERE new NOT IN (SELECT old FROM replaced) GROUP BY id ORDER BY min(new)",
            [pk, *params, *params],
        )
        return [row[0] for row in found]


def decider_of(edge: Edge) -> Decider:
    """Who decided an end or a doubt; edges of before that was noted tell by whether a caller stated them."""
    told = edge.attributes.get(BY)
    return Decider(told) if told else (Decider.RULE if edge.auto_extracted else Decider.PERSON)


def _may_end(old: Mapping[str, Any] | None, new: Mapping[str, Any] | None) -> bool:
    """Both are there, and are two."""
    return (
        old is not None
        and new is not None
        and old["id"] != new["id"]
        and old["retired_at"] is None
        and new["retired_at"] is None
    )


def _beginning(row: Mapping[str, Any]) -> int:
    """From when on a record holds: what it says, or when it was said."""
    for name in ("valid_from", "event_time", "created_at"):
        if row[name] is not None:
            return int(row[name])
    raise AssertionError("every record was stored at some time")


def _edge(newer: int, older: int, label: str, cause: EndCause, attributes: dict[str, Any]) -> edges.NewEdge:
    told: dict[str, Any] = {BY: cause.by.value, **({MODEL: cause.model} if cause.model else {}), **attributes}
    return edges.pair(
        newer,
        older,
        label,
        confidence=min(1.0, max(0.0, cause.probability)),
        auto_extracted=cause.by is not Decider.PERSON,
        evidence=[cause.reason[:REASON_CHARS_MAX]] if cause.reason else [],
        attributes=told | ({ABOUT: list(cause.about)} if cause.about else {}),
    )
