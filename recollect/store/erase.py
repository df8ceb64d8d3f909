"""Erasure: the one thing that cannot be undone. Rows, versions, terms, vectors, relations and journal images go."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

import orjson

from recollect.limits import SPAN_MAX
from recollect.model.entity import fold
from recollect.store import changes
from recollect.store.base import Group
from recollect.store.edges import DECAYED_TO
from recollect.store.journal import Op

# Handled one by one, because others' rows hang on them or because they say more than that they exist.
_BY_HAND = frozenset({"scope", "record", "entity", "operation"})
_WITHOUT_SESSIONS = (
    "UPDATE record SET provenance_sessions = (SELECT JSON_LIST(value) FROM "
    "EACH_ITEM(record.provenance_sessions) WHERE value NOT IN (SELECT value FROM EACH_ITEM(?1))) "
    "WHERE provenance_sessions IS NOT NULL AND EXISTS "
    "(SELECT 1 FROM EACH_ITEM(record.provenance_sessions) WHERE value IN (SELECT value FROM EACH_ITEM(?1)))"
)
_SPEAKING_OF = (
    "SELECT count(*) FROM record r JOIN scope s ON s.pk = r.scope_pk WHERE HEAD(r) AND LIVE(r) "
    "AND s.user_id IS DISTINCT FROM ?1 AND (r.speaker = ?1 COLLATE NOCASE OR r.subject = ?1 COLLATE NOCASE OR r.pk IN "
    "(SELECT m.record_pk FROM mention m JOIN entity e ON e.pk = m.entity_pk WHERE e.folded = ?2))"
)
UNTIL_REWRITTEN = "erased bytes may stay in it until that is done, which is tried again by itself; health() tells"


class Person(NamedTuple):
    """Where a person is in a store: the scopes that are theirs alone, and the sessions that only those hold."""

    user_id: str
    scope_pks: list[int]
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
        pks = [
            row[0]
            for row in self.sql.all(
                "SELECT pk FROM record WHERE pk IN KEYS(?) OR head_pk IN KEYS(?) ORDER BY pk",
                (self.sql.keys(head_pks), self.sql.keys(head_pks)),
            )
        ]
        given = self.tx.mentions.names_given(pks)
        self.tx.sealed.forget(pks)
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
            "THEN JSON_OF(?2, attributes -> ?1) END "
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

    def _forget_images(self, pks: Sequence[int]) -> None:
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
            "DELETE FROM journal WHERE relation IN ('record', 'vector', 'mention') AND before IS NOT NULL "
            "AND first_pk = last_pk AND first_pk IN KEYS(?)",
            (self.sql.keys(pks),),
        )
        self.sql.run(  # past versions that an undo dropped live on as images under keys that no row has any more
            "DELETE FROM journal WHERE operation_pk IN KEYS(?) AND relation = 'record' "
            "AND JSON_AT(before, '$.head_pk') IN KEYS(?)",
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
            "WHERE o.reason IS NOT NULL AND j.relation = 'record' AND j.before IS NOT NULL AND j.last_pk > j.first_pk"
        )
        return [pk for pk, first, last in spans if (at := bisect_left(pks, first)) < len(pks) and pks[at] <= last]

    def person(self, user_id: str) -> Person:
        """Where a person is in this store."""
        scope_pks = [row[0] for row in self.sql.all("SELECT pk FROM scope WHERE user_id = ?", (user_id,))]
        rows = self.sql.all(
            "SELECT DISTINCT id FROM session n WHERE scope_pk IN KEYS(?) AND NOT EXISTS (SELECT 1 FROM session o "
            "WHERE o.id = n.id AND o.scope_pk NOT IN KEYS(?))",
            (self.sql.keys(scope_pks), self.sql.keys(scope_pks)),
        )
        return Person(user_id, scope_pks, [row[0] for row in rows])

    def figures(self, person: Person) -> dict[str, int]:
        """How much there is of a person."""
        within = self.sql.keys(person.scope_pks)
        count = "SELECT count(*) FROM {} WHERE scope_pk IN KEYS(?)"
        return {
            "count": self.sql.value(count.format("record") + " AND HEAD(record)", (within,)),
            "versions": self.sql.value(count.format("record") + " AND head_pk IS NOT NULL", (within,)),
            "sessions": self.sql.value(count.format("session"), (within,)),
            "entities": self.sql.value(count.format("entity"), (within,)),
            "operations": self.sql.value(count.format("operation"), (within,)),
            "scopes": len(person.scope_pks),
        }

    def others_speaking_of(self, user_id: str) -> int:
        """How many live records of others speak of a person."""
        return int(self.sql.value(_SPEAKING_OF, (user_id, fold(user_id))))

    def erase_person(self, op: Op, person: Person, *, sessions: Sequence[int]) -> None:
        """Remove what was stored for a person, what was made of it, and every place that names them.

        `sessions` are their sessions as the log of what was recalled knows them.
        """
        rows = self.sql.all(
            "SELECT r.pk FROM record r WHERE r.scope_pk IN KEYS(?) AND HEAD(r) ORDER BY r.pk",
            (self.sql.keys(person.scope_pks),),
        )
        pks = [row[0] for row in rows]
        pks = sorted({*pks, *self.tx.statements.lose_turns(op, pks, erasing=True)})
        pks = sorted({*pks, *self.tx.patterns.resting_on(pks)})
        self.erase(op, pks)
        self.sql.note_erasure(op.id)
        self._erase_entities(person)
        self._erase_elsewhere(person, sessions)
        self._erase_by_scope(person)
        self._unname(person)

    def _erase_entities(self, person: Person) -> None:
        """Entities of their scopes: no other reader sees those."""
        rows = self.sql.all(
            "SELECT pk FROM entity WHERE scope_pk IN KEYS(?) ORDER BY pk", (self.sql.keys(person.scope_pks),)
        )
        pks = [row[0] for row in rows]
        self.sql.run("DELETE FROM journal WHERE relation = 'entity' AND first_pk IN KEYS(?)", (self.sql.keys(pks),))
        self.sql.run("DELETE FROM entity WHERE pk IN KEYS(?)", (self.sql.keys(pks),))
        for first, last in changes.spans(pks):
            self.tx.changes.announce("entity", first, last)

    def _erase_elsewhere(self, person: Person, sessions: Sequence[int]) -> None:
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
        self.sql.run("DELETE FROM job WHERE payload ->> '$.scope_pk' IN KEYS(?)", (within,))
        self.tx.tokens.forget_user(person.user_id)

    def _erase_by_scope(self, person: Person) -> None:
        """Every further table that says whose a row is, whatever is kept there: sessions, questions, summaries …"""
        for table in self.sql.tables_with("scope_pk"):
            if table not in _BY_HAND:
                self.sql.run(f'DELETE FROM "{table}" WHERE scope_pk IN KEYS(?)', (self.sql.keys(person.scope_pks),))
        for table in self.sql.tables_with("user_id"):
            if table not in _BY_HAND:
                self.sql.run(f'DELETE FROM "{table}" WHERE user_id = ?', (person.user_id,))

    def _unname(self, person: Person) -> None:
        """What was done stays counted, without saying for whom, by whom or why; then nothing refers to their scopes."""
        within = self.sql.keys(person.scope_pks)
        self.sql.run(
            "UPDATE operation SET scope_pk = NULL, reason = NULL, final = 1 WHERE scope_pk IN KEYS(?)", (within,)
        )
        self.sql.run("UPDATE operation SET actor = NULL WHERE actor = ?", (person.user_id,))
        self.tx.audit.unname(person.user_id)
        self.sql.run("DELETE FROM scope WHERE pk IN KEYS(?)", (within,))
