"""Whether what records say still holds: ended or not, replaced by what, in doubt because of what.

Worked out for all hits of an answer at once, in a few statements, from what `endings` wrote. A statement stands by its
own times, a turn by those of the statements that were drawn from it (`model.ending.Validity`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from recollect.clock import from_us, to_us
from recollect.model.edge import CONTRADICTION_LABELS
from recollect.model.ending import HOLDS, MAY_REPLACE, REPLACES, Decider, Doubt, Validity
from recollect.model.query import Criteria
from recollect.model.record import Kind
from recollect.store import before
from recollect.store.base import Group
from recollect.store.edges import SOURCE_ROLES, TARGET_ROLES
from recollect.store.endings import BY, UNTIL
from recollect.store.rows import from_json
from recollect.store.shown import ShownRecord
from recollect.store.statements import KINDS

DOUBTS_MAX = 3  # that are told of one record
_DRAWN = "derived_from"
_DOUBTING = (MAY_REPLACE, "updates", *CONTRADICTION_LABELS)
_NAMED = ", ".join(f"'{label}'" for label in (REPLACES, *_DOUBTING))
# CROSS JOIN keeps the order: from the few records that are asked about.
_SAID_OF = (
    "SELECT here.record_pk, e.label, there.record_pk, {confidence}, e.evidence, e.attributes FROM member here "
    f"CROSS JOIN edge e ON e.pk = here.edge_pk AND e.label IN ({{labels}}) AND {{believed}} "
    f"CROSS JOIN member there ON there.edge_pk = e.pk AND there.role IN {SOURCE_ROLES} "
    f"WHERE here.record_pk IN KEYS(?) AND here.role IN {TARGET_ROLES} ORDER BY e.pk"
)
_ONWARD = (
    "WITH RECURSIVE up (root, old, pk) AS (SELECT k.value, CAST(NULL AS BIGINT), k.value FROM EACH_KEY(?) k "
    "UNION SELECT up.root, up.pk, there.record_pk "
    f"FROM up CROSS JOIN member here ON here.record_pk = up.pk AND here.role IN {TARGET_ROLES} "
    f"CROSS JOIN edge e ON e.pk = here.edge_pk AND e.label = '{REPLACES}' AND {{believed}} "
    f"CROSS JOIN member there ON there.edge_pk = e.pk AND there.role IN {SOURCE_ROLES} "
    "CROSS JOIN record r ON r.pk = there.record_pk AND {record_believed}) "
    "SELECT root, old, pk FROM up WHERE old IS NOT NULL"
)


_HOPS_MAX = 16  # of a chain of changes
_SHOWN = "coalesce({0}t.pk, {0}.pk), coalesce({0}t.id, {0}.id)"
_CHANGES = (
    f"SELECT n.pk, o.pk, {_SHOWN.format('n')}, {_SHOWN.format('o')}, coalesce(o.valid_until, "
    f"JSON_INT(e.attributes, '$.{UNTIL}'), n.valid_from, n.event_time, n.created_at) FROM edge e "
    f"CROSS JOIN member old ON old.edge_pk = e.pk AND old.role IN {TARGET_ROLES} "
    f"CROSS JOIN member new ON new.edge_pk = e.pk AND new.role IN {SOURCE_ROLES} "
    "CROSS JOIN record o ON o.pk = old.record_pk AND LIVE(o) CROSS JOIN record n ON n.pk = new.record_pk AND LIVE(n) "
    "LEFT JOIN record ot ON ot.pk = o.turn_pk AND LIVE(ot) LEFT JOIN record nt ON nt.pk = n.turn_pk AND LIVE(nt) "
    "WHERE e.pk IN (SELECT edge_pk FROM member WHERE record_pk IN KEYS(?) OR record_pk IN KEYS(?)) "
    f"AND e.label = '{REPLACES}' AND LIVE(e) ORDER BY e.pk"
)


class _SaidOfIt(NamedTuple):
    """What an edge says of a record: that a later one ended it, or may have."""

    label: str
    by: int
    sure: float
    evidence: str | None
    attributes: str | None


class Replacement(NamedTuple):
    """A record that ended another, each as it is shown: (key, id); and until when the other held."""

    newer: int
    newer_id: str
    older: int
    older_id: str
    until: int | None


class _Times(NamedTuple):
    """When something holds."""

    begins: int | None
    ends: int | None

    def is_over(self, at: int) -> bool:
        """What ends when it begins never holds."""
        return self.ends is not None and (self.ends <= at or self.ends == self.begins)


class _Later(NamedTuple):
    """A later record: its id, that of the turn that says it, and from when on it holds."""

    id: str
    turn_id: str | None
    begins: int


class ValidityOfRecords(Group):
    """What still holds of what records say."""

    def of(self, found: Mapping[int, ShownRecord], criteria: Criteria, *, now: int) -> dict[int, Validity]:
        """How these rows stand, by key; those of which nothing is known to have changed are left out.

        Asked at the moment, and by what was known at the time, that the criteria name. Later records that the
        criteria's scope does not let the reader see are not named.
        """
        if not found or not self.tx.edges.any_edge():
            return _by_own_times(found, criteria, now)
        heads = {pk: pk for pk in found} if criteria.known_at is None else self.tx.candidates.heads(list(found))
        asked = _Asked(self, found, heads, criteria, now)
        return {pk: validity for pk in found if (validity := asked.validity(pk)) is not HOLDS}

    def said_of(self, pks: Collection[int], labels: str, known_at: int | None) -> dict[int, list[_SaidOfIt]]:
        """What edges of these labels say of records, by key."""
        sql = _SAID_OF.format(
            labels=labels,
            confidence=before.edge_column("confidence", known_at),
            believed=before.edge_believed(known_at),
        )
        out: dict[int, list[_SaidOfIt]] = {}
        for pk, *said in self.sql.all(sql, (self.sql.keys(pks),)):
            out.setdefault(pk, []).append(_SaidOfIt._make(said))
        return out

    def times_of(self, pks: Collection[int], known_at: int | None) -> dict[int, _Times]:
        """When those of these statements hold that are believed, or were at a time."""
        if known_at is not None:
            held = self.tx.records.load_known(list(pks), known_at)
            return {
                pk: _Times(_us(record.valid_from), _us(record.valid_until))
                for pk, record in held.items()
                if record.kind.value in KINDS
            }
        rows = self.sql.all(
            f"SELECT pk, valid_from, valid_until FROM record WHERE pk IN KEYS(?) AND LIVE(record) AND kind IN {KINDS}",
            (self.sql.keys(pks),),
        )
        return {pk: _Times(begins, ends) for pk, begins, ends in rows}

    def onward(self, pks: Collection[int], known_at: int | None) -> dict[int, list[tuple[int, int]]]:
        """(older, newer) of what took the place of each of these records, and of that, to the end of the chain."""
        sql = _ONWARD.format(believed=before.edge_believed(known_at), record_believed=before.record_believed(known_at))
        out: dict[int, list[tuple[int, int]]] = {}
        for root, older, newer in self.sql.all(sql, (self.sql.keys(pks),)):
            out.setdefault(root, []).append((older, newer))
        return out

    def changes_around(self, pks: Collection[int]) -> list[Replacement]:
        """What took whose place among these statements and turns, and along the chains that lead from them, both ways.

        In the order of the chain's hops. A statement is named by the turn that says it, where one does.
        """
        known = set(pks)
        found: dict[tuple[int, int], Replacement] = {}
        frontier: Collection[int] = known
        for _ in range(_HOPS_MAX):
            rows = self.sql.all(_CHANGES, (self.sql.keys(frontier), self.sql.keys(frontier)))
            fresh = {row[:2]: Replacement._make(row[2:]) for row in rows if row[:2] not in found}
            found |= fresh
            frontier = {pk for pair in fresh for pk in pair} - known
            known |= frontier
            if not frontier:
                break
        return list(found.values())

    def later(self, pks: Collection[int], criteria: Criteria, *, now: int) -> dict[int, _Later]:
        """Those of these records that are believed, or were at a time, and that the reader may see."""
        sight = Criteria(scope=criteria.scope, reach=criteria.reach)
        clause, params = self.tx.criteria.where(sight, now=now, times=False)
        rows = self.sql.all(
            "SELECT r.pk, r.id, t.id, coalesce(r.valid_from, r.event_time, r.created_at) FROM record r "
            f"LEFT JOIN record t ON t.pk = r.turn_pk AND LIVE(t) WHERE r.pk IN KEYS(?) "
            f"AND {before.record_believed(criteria.known_at)} AND {clause}",
            [self.sql.keys(pks), *params],
        )
        return {pk: _Later(id_, turn_id, begins) for pk, id_, turn_id, begins in rows}


class _Asked:
    """One question about some rows: everything is read first, for all of them together."""

    def __init__(
        self,
        validities: ValidityOfRecords,
        found: Mapping[int, ShownRecord],
        heads: Mapping[int, int],
        criteria: Criteria,
        now: int,
    ) -> None:
        known_at = criteria.known_at
        self._found, self._heads, self._now = found, heads, now
        self._at = now if criteria.as_of is None else criteria.as_of
        self._past = criteria.as_of is not None
        said = validities.said_of(set(heads.values()), f"{_NAMED}, '{_DRAWN}'", known_at)
        drawn = {pk: [each.by for each in told if each.label == _DRAWN] for pk, told in said.items()}
        self._statements = {pk: pks for pk, pks in drawn.items() if pks}
        stated = {pk for pks in self._statements.values() for pk in pks}
        self._times = validities.times_of(stated, known_at) if stated else {}
        self._said = {pk: [each for each in told if each.label != _DRAWN] for pk, told in said.items()}
        if self._times:
            self._said |= validities.said_of(self._times.keys() - self._said.keys(), _NAMED, known_at)
        named = {each.by for told in self._said.values() for each in told}
        replaced = [pk for pk, told in self._said.items() if any(each.label == REPLACES for each in told)]
        self._onward = validities.onward(replaced, known_at) if replaced else {}
        named |= {newer for steps in self._onward.values() for _, newer in steps}
        self._later = validities.later(named, criteria, now=now) if named else {}

    def validity(self, pk: int) -> Validity:
        """How one row stands."""
        head, shown = self._heads[pk], self._found[pk]
        times = _Times(_us(shown.valid_from), _us(shown.valid_until))
        if shown.kind is not Kind.EPISODIC:
            return self._of_one(head, times, self._said.get(head, ()), turn=False)
        statements = [each for each in self._statements.get(head, ()) if each in self._times]
        parts = [self._of_one(each, self._times[each], self._said.get(each, ()), turn=True) for each in statements]
        changed = any(not part.current for part in parts)  # then the statements tell what the turn's own order hints at
        said = [each for each in self._said.get(head, ()) if each.label != "updates" or not changed]
        return _of_a_turn(self._of_one(head, times, said, turn=True), parts)

    def _of_one(self, pk: int, times: _Times, said: Sequence[_SaidOfIt], *, turn: bool) -> Validity:
        """How a statement stands; for the reader of its `turn`, what is said instead is told by turns, too."""
        ends = times.ends if times.ends is not None else self._end_by_edges(said)
        over = _Times(times.begins, ends).is_over(self._at)
        ended_at = from_us(ends) if ends is not None and ends <= self._now else None
        instead = self._instead(pk, turn=turn) if ended_at is not None or over else ()
        doubts = () if over else self._doubts(said, instead, turn=turn)
        if not over and ended_at is None and not doubts:
            return HOLDS
        return Validity(current=not over, ended_at=ended_at, replaced_by=instead, may_have_changed=doubts)

    def _end_by_edges(self, said: Iterable[_SaidOfIt]) -> int | None:
        """The end of what has no time of its own: a turn, or a record that a caller said is replaced."""
        ends = [
            from_json(each.attributes, {}).get(UNTIL) or self._later[each.by].begins
            for each in said
            if each.label == REPLACES and each.by in self._later
        ]
        return min(ends, default=None)

    def _instead(self, pk: int, *, turn: bool) -> tuple[str, ...]:
        """What is said now: the last of each chain that the reader sees."""
        steps = [(older, newer) for older, newer in self._onward.get(pk, ()) if newer in self._later]
        replaced = {older for older, _ in steps}
        return self._ids([newer for _, newer in steps if newer not in replaced], turn=turn)

    def _doubts(self, said: Iterable[_SaidOfIt], instead: Collection[str], *, turn: bool) -> tuple[Doubt, ...]:
        found: dict[str, Doubt] = {}
        for each in sorted(said, key=lambda one: -one.sure):
            later = self._later.get(each.by)
            if each.label not in _DOUBTING or later is None or (self._past and later.begins > self._at):
                continue
            if each.label == "updates" and from_json(each.attributes, {}).get(BY) == Decider.MODEL:
                continue  # tells searches which one to put first; what the reader doubts has an edge of its own
            id_ = (later.turn_id or later.id) if turn else later.id
            if id_ not in instead:
                reason = next(iter(from_json(each.evidence, [])), "")
                found.setdefault(id_, Doubt(id=id_, probability=each.sure, reason=reason))
        return tuple(found.values())[:DOUBTS_MAX]

    def _ids(self, pks: Iterable[int], *, turn: bool) -> tuple[str, ...]:
        later = [self._later[pk] for pk in pks if pk in self._later]
        return tuple(dict.fromkeys((each.turn_id or each.id) if turn else each.id for each in later))


def _of_a_turn(own: Validity, parts: Sequence[Validity]) -> Validity:
    """A turn by what was drawn from it: over when all of it is, partly over when some is."""
    over = [part for part in parts if not part.current]
    if not own.current or not (over or own is not HOLDS or any(part is not HOLDS for part in parts)):
        return own
    ended = [part.ended_at for part in (own, *parts) if part.ended_at is not None]
    doubts = {each.id: each for part in (own, *parts) for each in part.may_have_changed}
    replaced = tuple(dict.fromkeys(id_ for part in (own, *parts) for id_ in part.replaced_by))
    likely = sorted((each for each in doubts.values() if each.id not in replaced), key=lambda each: -each.probability)
    everything = bool(parts) and len(over) == len(parts)
    return Validity(
        current=not everything,
        ended_at=max(ended, default=None),
        replaced_by=replaced,
        partly_ended=bool(over) and not everything,
        may_have_changed=() if everything else tuple(likely[:DOUBTS_MAX]),
    )


def _by_own_times(found: Mapping[int, ShownRecord], criteria: Criteria, now: int) -> dict[int, Validity]:
    """Where nothing is related to anything, a record's own times say everything."""
    at = now if criteria.as_of is None else criteria.as_of
    out = {}
    for pk, shown in found.items():
        ends = _us(shown.valid_until)
        over = _Times(_us(shown.valid_from), ends).is_over(at)
        if over or (ends is not None and ends <= now):
            out[pk] = Validity(current=not over, ended_at=shown.valid_until if ends and ends <= now else None)
    return out


def _us(moment: datetime | None) -> int | None:
    return None if moment is None else to_us(moment)
