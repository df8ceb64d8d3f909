"""Erasing a person: what was stored for them in any scope, what was made of it, and every place that names them.

It cannot be undone. Rows go in one transaction, then the file is rewritten, so that no byte of theirs is left in it
or in its log. What others stored that merely speaks of the person stays, and is counted: only people can decide about
that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import orjson

from recollect.clock import Clock
from recollect.errors import StoreError
from recollect.model.entity import fold
from recollect.model.result import Report
from recollect.recall.access import session_hash
from recollect.store import changes
from recollect.store.base import Store, Tx
from recollect.store.erase import UNTIL_REWRITTEN
from recollect.store.journal import Op
from recollect.store.sqlite.log import scrub_is_due

# Handled one by one, because others' rows hang on them or because they say more than that they exist.
_BY_HAND = frozenset({"scope", "record", "entity", "operation", "audit"})
_TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
_COLUMNS = "SELECT name FROM pragma_table_info(?)"
_WITHOUT_SESSIONS = (
    "UPDATE record SET provenance_sessions = (SELECT json_group_array(value) FROM "
    "json_each(record.provenance_sessions) WHERE value NOT IN (SELECT value FROM json_each(?1))) "
    "WHERE provenance_sessions IS NOT NULL AND EXISTS "
    "(SELECT 1 FROM json_each(record.provenance_sessions) WHERE value IN (SELECT value FROM json_each(?1)))"
)
_SPEAKING_OF = (
    "SELECT count(*) FROM record r JOIN scope s ON s.pk = r.scope_pk WHERE HEAD(r) AND LIVE(r) "
    "AND s.user_id IS NOT ?1 AND (r.speaker = ?1 COLLATE NOCASE OR r.subject = ?1 COLLATE NOCASE OR r.pk IN "
    "(SELECT m.record_pk FROM mention m JOIN entity e ON e.pk = m.entity_pk WHERE e.folded = ?2))"
)


class _Person(NamedTuple):
    """Where somebody is in a store."""

    user_id: str
    scope_pks: list[int]
    sessions: list[str]


class Erasure:
    """Forgets people. `after_erasure` lets caches outside the database forget too."""

    def __init__(self, store: Store, clock: Clock, after_erasure: Callable[[], None]) -> None:
        self._store = store
        self._clock = clock
        self._after_erasure = after_erasure

    def erase_user(self, user_id: str, *, dry_run: bool, actor: str | None) -> Report:
        """Erase a person; how much there was of them."""
        if dry_run:
            with self._store.read() as tx:
                return Report(
                    figures=_figures(tx, _person(tx, user_id)) | {"dry_run": True}, warnings=_told(tx, user_id)
                )
        self._after_erasure()  # files beside the database go first: a process killed in between must not leave them

        def work(tx: Tx) -> Report:
            person = _person(tx, user_id)
            figures = _figures(tx, person)
            op = tx.journal.begin("erase_user", at=self._clock(), actor=None if actor == user_id else actor)
            _erase(tx, op, person)
            op.finish(figures["count"], final=True)
            return Report(figures=figures | {"dry_run": False}, warnings=_told(tx, user_id))

        done = self._store.write(work)
        self._after_erasure()
        try:
            self._store.scrub()
        except StoreError as error:  # what was erased is gone from the tables; only its old places may show
            note = f"the file could not be rewritten now ({error.code}): {UNTIL_REWRITTEN}"
            return Report(figures=done.figures, warnings=(*done.warnings, note))
        return done


def _person(tx: Tx, user_id: str) -> _Person:
    scope_pks = [row[0] for row in tx.sql.all("SELECT pk FROM scope WHERE user_id = ?", (user_id,))]
    rows = tx.sql.all(
        "SELECT DISTINCT id FROM session n WHERE scope_pk IN KEYS(?) AND NOT EXISTS (SELECT 1 FROM session o "
        "WHERE o.id = n.id AND o.scope_pk NOT IN KEYS(?))",
        (tx.sql.keys(scope_pks), tx.sql.keys(scope_pks)),
    )
    return _Person(user_id, scope_pks, [row[0] for row in rows])


def _figures(tx: Tx, person: _Person) -> dict[str, int]:
    within = tx.sql.keys(person.scope_pks)
    count = "SELECT count(*) FROM {} WHERE scope_pk IN KEYS(?)"
    return {
        "count": tx.sql.value(count.format("record") + " AND head_pk IS NULL", (within,)),
        "versions": tx.sql.value(count.format("record") + " AND head_pk IS NOT NULL", (within,)),
        "sessions": tx.sql.value(count.format("session"), (within,)),
        "entities": tx.sql.value(count.format("entity"), (within,)),
        "operations": tx.sql.value(count.format("operation"), (within,)),
        "scopes": len(person.scope_pks),
    }


def _told(tx: Tx, user_id: str) -> tuple[str, ...]:
    others = tx.sql.value(_SPEAKING_OF, (user_id, fold(user_id)))
    note = f"{others} records outside their scopes speak of them and stay; look at them, and delete what should go"
    return (note,) if others else ()


def _erase(tx: Tx, op: Op, person: _Person) -> None:
    pks = [
        row[0]
        for row in tx.sql.all(
            "SELECT pk FROM record WHERE scope_pk IN KEYS(?) AND head_pk IS NULL ORDER BY pk",
            (tx.sql.keys(person.scope_pks),),
        )
    ]
    pks = sorted({*pks, *tx.statements.lose_turns(op, pks, erasing=True)})
    pks = sorted({*pks, *tx.patterns.resting_on(pks)})
    tx.erasure.erase(op, pks)
    scrub_is_due(tx, op.id)
    _erase_entities(tx, person)
    _erase_elsewhere(tx, person)
    _erase_by_scope(tx, person)
    _unname(tx, person)


def _erase_entities(tx: Tx, person: _Person) -> None:
    """Entities of their scopes: nobody else sees those."""
    rows = tx.sql.all("SELECT pk FROM entity WHERE scope_pk IN KEYS(?) ORDER BY pk", (tx.sql.keys(person.scope_pks),))
    pks = [row[0] for row in rows]
    tx.sql.run("DELETE FROM journal WHERE relation = 'entity' AND first_pk IN KEYS(?)", (tx.sql.keys(pks),))
    tx.sql.run("DELETE FROM entity WHERE pk IN KEYS(?)", (tx.sql.keys(pks),))
    for first, last in changes.spans(pks):
        tx.changes.announce("entity", first, last)


def _erase_elsewhere(tx: Tx, person: _Person) -> None:
    """Traces on records of others: what they asked, said of them, and the sessions in which they met them."""
    within = tx.sql.keys(person.scope_pks)
    tx.sql.run(
        "DELETE FROM feedback WHERE operation_pk IN (SELECT pk FROM operation WHERE scope_pk IN KEYS(?))", (within,)
    )
    hashes = tx.sql.keys([session_hash(each) for each in person.sessions])
    tx.sql.run("DELETE FROM recalled WHERE session IN KEYS(?)", (hashes,))
    named = orjson.dumps(person.sessions).decode()
    tx.sql.run(_WITHOUT_SESSIONS, (named,))
    tx.sql.run(
        "UPDATE question SET asked_session = NULL WHERE asked_session IN (SELECT value FROM EACH_ITEM(?))", (named,)
    )
    tx.sql.run("DELETE FROM job WHERE payload ->> '$.scope_pk' IN KEYS(?)", (within,))
    tx.tokens.forget_user(person.user_id)


def _erase_by_scope(tx: Tx, person: _Person) -> None:
    """Every further table that says whose a row is, whatever is kept there: sessions, questions, summaries …"""
    for (table,) in tx.sql.all(_TABLES):
        columns = {name for (name,) in tx.sql.all(_COLUMNS, (table,))} if table not in _BY_HAND else set()
        if "scope_pk" in columns:
            tx.sql.run(f'DELETE FROM "{table}" WHERE scope_pk IN KEYS(?)', (tx.sql.keys(person.scope_pks),))
        if "user_id" in columns:
            tx.sql.run(f'DELETE FROM "{table}" WHERE user_id = ?', (person.user_id,))


def _unname(tx: Tx, person: _Person) -> None:
    """What was done stays counted, without saying for whom, by whom or why; then nothing refers to their scopes."""
    within = tx.sql.keys(person.scope_pks)
    tx.sql.run("UPDATE operation SET scope_pk = NULL, reason = NULL, final = 1 WHERE scope_pk IN KEYS(?)", (within,))
    tx.sql.run("UPDATE audit SET scope_pk = NULL WHERE scope_pk IN KEYS(?)", (within,))
    for table in ("operation", "audit"):
        tx.sql.run(f"UPDATE {table} SET actor = NULL WHERE actor = ?", (person.user_id,))
    tx.sql.run("DELETE FROM scope WHERE pk IN KEYS(?)", (within,))
