"""Erasure: the one thing that cannot be undone. Rows, versions, terms, vectors, relations and journal images go."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

import orjson

from recollect.limits import SPAN_MAX
from recollect.model.entity import fold
from recollect.model.grant import APART
from recollect.store import changes
from recollect.store.base import Group
from recollect.store.edges import DECAYED_TO
from recollect.store.journal import Op
from recollect.store.tables import BY_NAME, LEFT_OUT

# Handled one by one, because others' rows hang on them or because they say more than that they exist.
_BY_HAND = frozenset({"scope", "record", "entity", "operation"})
_IMAGED = ("record", "vector", "mention")  # relations of the journal whose images hold something of a record
_TEXTS = ("record", "vector")
_UNCOUNTED = frozenset(
    {"record_text", "record_vocabulary", "change", "job", "run", "audit", "meta", "migration", "erasing", "space"}
)
_COUNTED = tuple(name for name in (*BY_NAME, *LEFT_OUT) if name not in _UNCOUNTED)
_BLANK = (
    "content = '[erased]', content_hash = '', subject = NULL, predicate = NULL, object = NULL, tags = NULL, "
    "metadata = NULL, attributes = NULL, source = NULL, speaker = NULL, provenance_sessions = NULL, place = NULL, "
    "facets = NULL, perceived = '{}', sealed = NULL"
)
_WITHOUT_SESSIONS = (
    "UPDATE record SET provenance_sessions = (SELECT JSON_LIST(value) FROM "
    "EACH_ITEM(record.provenance_sessions) WHERE value NOT IN (SELECT value FROM EACH_ITEM(?1))) "
    "WHERE provenance_sessions IS NOT NULL AND EXISTS "
    "(SELECT 1 FROM EACH_ITEM(record.provenance_sessions) WHERE value IN (SELECT value FROM EACH_ITEM(?1)))"
)
_SPEAKING_OF = (
    "SELECT count(*) FROM record r JOIN scope s ON s.pk = r.scope_pk WHERE HEAD(r) AND LIVE(r) "
    "AND s.user_id IS DISTINCT FROM ?1 AND (NOCASE(r.speaker) = NOCASE(?1) OR NOCASE(r.subject) = NOCASE(?1) OR "
    "r.pk IN "
    "(SELECT m.record_pk FROM mention m JOIN entity e ON e.pk = m.entity_pk WHERE e.folded = ?2))"
)
UNTIL_REWRITTEN = "erased bytes may stay in it until that is done, which is tried again by itself; health() tells"


class Whom(NamedTuple):
    """Who or what is erased: a person, a channel, a session, or what all of these have in common."""

    user_id: str | None = None
    channel: str | None = None
    session_id: str | None = None

    def told(self) -> dict[str, str]:
        """What was named."""
        return {name: value for name, value in self._asdict().items() if value is not None}


class Affected(NamedTuple):
    """Where that is in a store: the scopes that go as a whole, or else the sessions; and the names that go with them.

    `sessions` are names that no session outside has.
    """

    whom: Whom
    scope_pks: list[int]
    session_pks: list[int]
    sessions: list[str]


class Erasure(Group):
    """Taking every trace of records out of the tables."""

    def erase(self, op: Op, head_pks: Sequence[int]) -> int:
        """Remove records and every trace of their content from the database; how many rows went.

        Pages are overwritten (`secure_delete`). The caller has the file rewritten after the commit; that this is due is
        noted here, so that it is done by somebody else if the caller cannot. The audit keeps that something was erased,
        not what. What only these records had ended holds again.
        """
        self.tx.endings.lift(op, head_pks)
        pks = self._with_versions(head_pks)
        given = self.tx.mentions.names_given(pks)
        self.tx.sealed.forget(pks)
        self.tx.bus.forget_records(pks)
        self._forget_images(pks)
        lonely = self.sql.all(
            "SELECT DISTINCT m.edge_pk FROM member m WHERE m.record_pk IN KEYS(?) AND "
            "(SELECT count(DISTINCT o.record_pk) FROM member o WHERE o.edge_pk = m.edge_pk "
            "AND o.record_pk NOT IN KEYS(?)) < 2",
            (self.sql.keys(pks), self.sql.keys(pks)),
        )
        edge_pks = [row[0] for row in lonely]
        self.sql.run(
            "DELETE FROM journal WHERE relation = 'edge' AND before IS NOT NULL AND first_pk = last_pk "
            "AND first_pk IN KEYS(?)",
            (self.sql.keys(edge_pks),),
        )
        self.sql.run("DELETE FROM edge WHERE pk IN KEYS(?)", (self.sql.keys(edge_pks),))
        self._quote_nothing(pks)
        self.tx.text.drop(pks)
        self.sql.run("DELETE FROM record WHERE pk IN KEYS(?)", (self.sql.keys(pks),))
        self.tx.mentions.forget(given)  # nobody else names them: their names go too
        self.tx.text.purge()
        for topic, gone in (("record", pks), ("edge", sorted(edge_pks))):
            for first, last in changes.spans(gone):
                self.tx.changes.announce(topic, first, last)
        if pks:
            self.sql.note_erasure(op.id)
        return len(pks)

    def forget_past(self, op: Op, pks: Sequence[int]) -> None:
        """Records stay, and what was noted about what they said goes: images, reasons, what relations quote of them."""
        self._forget_images(pks)
        self._quote_nothing(pks)
        self.tx.text.purge()
        self.sql.note_erasure(op.id)

    def _quote_nothing(self, pks: Sequence[int]) -> None:
        """A relation among several others stays, without the evidence and the attributes that may quote what goes.

        Of its attributes only how far it has faded is kept, which is a number.
        """
        rows = self.sql.all(
            "SELECT DISTINCT edge_pk FROM member WHERE record_pk IN KEYS(?) ORDER BY 1", (self.sql.keys(pks),)
        )
        edge_pks = [row[0] for row in rows]
        keys = self.sql.keys(edge_pks)
        self.sql.run(
            "UPDATE edge SET evidence = NULL, attributes = CASE WHEN JSON_TYPE(attributes, ?1) = 'integer' "
            "THEN JSON_OF(?2, JSON_PART(attributes, ?1)) END "
            "WHERE pk IN KEYS(?3) AND (evidence IS NOT NULL OR attributes IS NOT NULL)",
            (f"$.{DECAYED_TO}", DECAYED_TO, keys),
        )
        self.sql.run(
            "UPDATE journal SET before = JSON_DROP(before, '$.evidence', '$.attributes') WHERE relation = 'edge' "
            "AND first_pk = last_pk AND before IS NOT NULL AND first_pk IN KEYS(?)",
            (keys,),
        )
        self.sql.run(
            "DELETE FROM journal WHERE relation = 'edge' AND before = '{}' AND first_pk IN KEYS(?)",
            (keys,),
        )
        for first, last in changes.spans(edge_pks):
            self.tx.changes.announce("edge", first, last)

    def _forget_images(self, pks: Sequence[int], relations: tuple[str, ...] = _IMAGED) -> None:
        """Journal images of these rows, and the reasons people gave for operations on them, hold content too.

        An operation on one of them may have moved others along: then it can still be undone for those, but its reason,
        which is likely to speak of the one that goes, is not kept.
        """
        operations = [
            row[0]
            for row in self.sql.all(
                "SELECT DISTINCT operation_pk FROM journal WHERE relation IN ('record', 'vector', 'mention') "
                "AND first_pk = last_pk AND first_pk IN KEYS(?)",
                (self.sql.keys(pks),),
            )
        ]
        self.sql.run(
            f"DELETE FROM journal WHERE relation IN {relations} AND before IS NOT NULL "
            "AND first_pk = last_pk AND first_pk IN KEYS(?)",
            (self.sql.keys(pks),),
        )
        self.sql.run(  # past versions that an undo dropped live on as images under keys that no row has any more
            "DELETE FROM journal WHERE operation_pk IN KEYS(?) AND relation = 'record' "
            "AND JSON_INT(before, '$.head_pk') IN KEYS(?)",
            (self.sql.keys(operations), self.sql.keys(pks)),
        )
        reasoned = [*operations, *self._on_spans_with(pks)]
        self.sql.run("UPDATE operation SET reason = NULL WHERE pk IN KEYS(?)", (self.sql.keys(reasoned),))
        self.sql.run(
            "UPDATE operation SET final = 1 WHERE pk IN KEYS(?) AND NOT EXISTS "
            "(SELECT 1 FROM journal j WHERE j.operation_pk = operation.pk AND j.last_pk - j.first_pk < ? "
            " AND j.before IS NOT NULL)",
            (self.sql.keys(operations), SPAN_MAX),
        )
        ids = self.sql.all("SELECT DISTINCT id FROM record WHERE pk IN KEYS(?)", (self.sql.keys(pks),))
        self.sql.many("DELETE FROM evolution_log WHERE node_ids = ?", ((f'["{row[0]}"]',) for row in ids))

    def _on_spans_with(self, pks: Sequence[int]) -> list[int]:
        """Operations with a reason that changed one of these rows (ascending) together with its neighbours."""
        spans = self.sql.all(
            "SELECT j.operation_pk, j.first_pk, j.last_pk FROM operation o JOIN journal j ON j.operation_pk = o.pk "
            "WHERE o.reason IS NOT NULL AND j.relation = 'record' AND j.before IS NOT NULL AND j.last_pk > "
            "j.first_pk ORDER BY j.pk"
        )
        return [pk for pk, first, last in spans if (at := bisect_left(pks, first)) < len(pks) and pks[at] <= last]

    def affected(self, whom: Whom) -> Affected:
        """Where somebody or something is in this store."""
        scope_pks = self._scopes_of(whom)
        within = self.sql.keys(scope_pks)
        rows = self.sql.all(
            "SELECT pk FROM session WHERE scope_pk IN KEYS(?1) AND (CAST(?2 AS TEXT) IS NULL OR id = ?2) ORDER BY pk",
            (within, whom.session_id),
        )
        session_pks = [row[0] for row in rows]
        names = self.sql.all(
            "SELECT DISTINCT id FROM session n WHERE pk IN KEYS(?1) AND NOT EXISTS (SELECT 1 FROM session o "
            "WHERE o.id = n.id AND o.pk NOT IN KEYS(?1)) ORDER BY id",
            (self.sql.keys(session_pks),),
        )
        whole = scope_pks if whom.session_id is None else []
        return Affected(whom, whole, session_pks, [row[0] for row in names])

    def _scopes_of(self, whom: Whom) -> list[int]:
        rows = self.sql.all(
            "SELECT pk FROM scope WHERE (CAST(?1 AS TEXT) IS NULL OR user_id = ?1) AND (CAST(?2 AS TEXT) IS "
            "NULL OR channel = ?2) ORDER BY pk",
            (whom.user_id, whom.channel),
        )
        return [row[0] for row in rows]

    def figures(self, affected: Affected) -> dict[str, int]:
        """How much there is of it."""
        within = self.sql.keys(affected.scope_pks)
        count = "SELECT count(*) FROM {} WHERE scope_pk IN KEYS(?)"
        heads = self._heads(affected)
        return {
            "count": len(heads),
            "versions": self.sql.value("SELECT count(*) FROM record WHERE head_pk IN KEYS(?)", (self.sql.keys(heads),)),
            "sessions": len(affected.session_pks),
            "entities": self.sql.value(count.format("entity"), (within,)),
            "operations": self.sql.value(count.format("operation"), (within,)),
            "scopes": len(affected.scope_pks),
        }

    def rows_by_table(self) -> dict[str, int]:
        """How many rows each table has that may hold something of somebody."""
        return {name: int(self.sql.value(f"SELECT count(*) FROM {name}")) for name in _COUNTED}

    def samples(self, affected: Affected, limit: int) -> list[str]:
        """Texts of some of the records, to look for when they are gone."""
        rows = self.sql.all(
            "SELECT content FROM record WHERE pk IN KEYS(?) ORDER BY length(content) DESC, pk LIMIT ?",
            (self.sql.keys(self._heads(affected)), limit),
        )
        return [row[0] for row in rows]

    def said_elsewhere(self, parts: Sequence[str]) -> set[str]:
        """Those of these texts that are part of a record that is there."""
        rows = self.sql.all(
            "SELECT given.value FROM EACH_ITEM(?) given WHERE EXISTS "
            "(SELECT 1 FROM record r WHERE PLACE_IN(r.content, given.value) > 0)",
            (orjson.dumps(list(parts)).decode(),),
        )
        return {row[0] for row in rows}

    def _heads(self, affected: Affected) -> list[int]:
        """The records that go, without what was made of them."""
        by_session = self.sql.keys([] if affected.whom.session_id is None else affected.session_pks)
        rows = self.sql.all(
            "SELECT r.pk FROM record r WHERE (r.scope_pk IN KEYS(?) OR r.session_pk IN KEYS(?)) AND HEAD(r) "
            "ORDER BY r.pk",
            (self.sql.keys(affected.scope_pks), by_session),
        )
        return [row[0] for row in rows]

    def others_speaking_of(self, user_id: str) -> int:
        """How many live records of others speak of a person."""
        return int(self.sql.value(_SPEAKING_OF, (user_id, fold(user_id))))

    def blank(self, op: Op, affected: Affected) -> list[int]:
        """The first step: nothing of these records can be read or recalled any more; the keys of all that go.

        Texts, vectors, evidence, originals under a tier and images of the journal are overwritten or dropped. Names of
        people and things go with the second step.
        """
        self.sql.run("UPDATE operation SET final = 1 WHERE pk = ?", (op.pk,))
        heads = self._heads(affected)
        heads = sorted({*heads, *self.tx.statements.lose_turns(op, heads, erasing=True)})
        heads = sorted({*heads, *self.tx.patterns.resting_on(heads)})
        self.tx.endings.lift(op, heads)
        pks = self._with_versions(heads)
        keys = self.sql.keys(pks)
        self.tx.sealed.forget(pks)
        self._forget_images(pks, _TEXTS)
        self._quote_nothing(pks)
        self.tx.text.drop(pks)
        self.sql.run(
            f"UPDATE record SET {_BLANK}, retired_at = coalesce(retired_at, ?) WHERE pk IN KEYS(?)", (op.at, keys)
        )
        for table in ("vector", "sentence_vectors"):
            self.sql.run(f"DELETE FROM {table} WHERE record_pk IN KEYS(?)", (keys,))
        for first, last in changes.spans(pks):
            self.tx.changes.announce("record", first, last)
        self.sql.note_erasure(op.id)
        return heads

    def remove(self, op: Op, affected: Affected, blanked: Sequence[int], *, sessions: Sequence[int]) -> int:
        """The second step: rows go, with what was made of them and every place that names whom; how many records.

        `blanked` are the records of the first step; what came since goes with them. `sessions` are the names of the
        sessions as the log of what was recalled knows them.
        """
        rows = self.sql.all("SELECT pk FROM record WHERE pk IN KEYS(?)", (self.sql.keys(blanked),))
        since = self._heads(affected)
        since = sorted({*since, *self.tx.statements.lose_turns(op, since, erasing=True)})
        pks = sorted({*(row[0] for row in rows), *since, *self.tx.patterns.resting_on(since)})
        self.erase(op, pks)
        self.sql.note_erasure(op.id)
        self._erase_elsewhere(affected, sessions)
        if affected.whom.session_id is not None:
            self._erase_sessions(affected)
            return len(pks)
        self._erase_entities(affected)
        self._erase_by_scope(affected)
        self._unname(affected)
        return len(pks)

    def _with_versions(self, head_pks: Sequence[int]) -> list[int]:
        """The rows of these records, ascending."""
        keys = self.sql.keys(head_pks)
        rows = self.sql.all("SELECT pk FROM record WHERE pk IN KEYS(?) OR head_pk IN KEYS(?) ORDER BY pk", (keys, keys))
        return [row[0] for row in rows]

    def _erase_sessions(self, affected: Affected) -> None:
        """Sessions without their records: what others say too, and was first said there, was said nowhere now."""
        keys = self.sql.keys(affected.session_pks)
        self.sql.run("UPDATE record SET session_pk = NULL WHERE session_pk IN KEYS(?)", (keys,))
        self.sql.run(  # the mind of a session is named after it, and after how far its caller sees
            "DELETE FROM mind WHERE pk IN (SELECT m.pk FROM mind m JOIN session n ON n.scope_pk = m.scope_pk "
            "AND (m.session = n.id OR PLACE_IN(m.session, n.id || ?) = 1) WHERE n.pk IN KEYS(?))",
            (APART, keys),
        )
        self.sql.run(
            "UPDATE journal SET before = JSON_DROP(before, '$.session_pk') WHERE relation = 'record' "
            "AND JSON_INT(before, '$.session_pk') IN KEYS(?)",
            (keys,),
        )
        self.sql.run("DELETE FROM session WHERE pk IN KEYS(?)", (keys,))

    def _erase_entities(self, person: Affected) -> None:
        """Entities of their scopes: no other reader sees those."""
        rows = self.sql.all(
            "SELECT pk FROM entity WHERE scope_pk IN KEYS(?) ORDER BY pk", (self.sql.keys(person.scope_pks),)
        )
        pks = [row[0] for row in rows]
        self.sql.run("DELETE FROM journal WHERE relation = 'entity' AND first_pk IN KEYS(?)", (self.sql.keys(pks),))
        self.sql.run("DELETE FROM entity WHERE pk IN KEYS(?)", (self.sql.keys(pks),))
        for first, last in changes.spans(pks):
            self.tx.changes.announce("entity", first, last)

    def _erase_elsewhere(self, person: Affected, sessions: Sequence[int]) -> None:
        """Traces on records of others: what they asked, said of them, and the sessions in which they met them."""
        within = self.sql.keys(person.scope_pks)
        self.sql.run(
            "DELETE FROM feedback WHERE operation_pk IN (SELECT pk FROM operation WHERE scope_pk IN KEYS(?))", (within,)
        )
        self.sql.run("DELETE FROM recalled WHERE session IN KEYS(?)", (self.sql.keys(sessions),))
        named = orjson.dumps(person.sessions).decode()
        self.sql.run(_WITHOUT_SESSIONS, (named,))
        self.sql.run(
            "UPDATE question SET asked_session = NULL WHERE asked_session IN (SELECT value FROM EACH_ITEM(?))", (named,)
        )
        self.sql.run("DELETE FROM job WHERE JSON_INT(payload, '$.scope_pk') IN KEYS(?)", (within,))
        if person.whom.user_id is not None and person.scope_pks:
            self.tx.tokens.forget_user(person.whom.user_id)
        if person.whom.session_id is None:
            self.tx.observed.erase(person.scope_pks)
        else:
            self.tx.observed.erase(self._scopes_of(person.whom), session_id=person.whom.session_id)
            self.tx.turns.erase(self._scopes_of(person.whom), person.whom.session_id)

    def _erase_by_scope(self, person: Affected) -> None:
        """Every further table that says whose a row is, whatever is kept there: sessions, questions, summaries …"""
        for table in self.sql.tables_with("scope_pk"):
            if table not in _BY_HAND:
                self.sql.run(f'DELETE FROM "{table}" WHERE scope_pk IN KEYS(?)', (self.sql.keys(person.scope_pks),))
        if person.whom.channel is not None:
            return
        for table in self.sql.tables_with("user_id"):
            if table not in _BY_HAND:
                self.sql.run(f'DELETE FROM "{table}" WHERE user_id = ?', (person.whom.user_id,))

    def _unname(self, person: Affected) -> None:
        """What was done stays counted, without saying for whom, by whom or why; then nothing refers to their scopes."""
        within = self.sql.keys(person.scope_pks)
        self.sql.run(
            "UPDATE operation SET scope_pk = NULL, reason = NULL, final = 1 WHERE scope_pk IN KEYS(?)", (within,)
        )
        keys = [row[0] for row in self.sql.all("SELECT key FROM scope WHERE pk IN KEYS(?)", (within,))]
        user_id = person.whom.user_id if person.whom.channel is None else None
        self.sql.run("UPDATE operation SET actor = NULL WHERE actor = ?", (user_id,))
        self.tx.audit.unname(user_id, keys)
        self.sql.run("DELETE FROM scope WHERE pk IN KEYS(?)", (within,))
