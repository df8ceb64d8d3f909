"""Entities and mentions in the database: who and what records name.

An entity belongs to a scope, like a record. It is found by its name or one of its aliases, compared in folded form;
how a mention in a text is recognised is not decided here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import orjson

from recollect.clock import from_us
from recollect.ids import new_id
from recollect.model.entity import Entity, EntityType
from recollect.model.scope import Scope
from recollect.store import changes
from recollect.store.base import Row, Tx
from recollect.store.journal import Op
from recollect.store.rows import from_json, to_json

_SELECT = (
    "SELECT e.pk, e.id, e.name, e.type, e.aliases, e.summary, e.attributes, e.first_seen, e.last_seen, "
    "(SELECT count(*) FROM mention m JOIN record r ON r.pk = m.record_pk AND r.retired_at IS NULL "
    " WHERE m.entity_pk = e.pk), s.project, s.squad, s.agent_id, s.channel, s.user_id "
    "FROM entity e JOIN scope s ON s.pk = e.scope_pk"
)


def fold(name: str) -> str:
    """A name as it is compared: case and spacing do not matter."""
    return " ".join(name.casefold().split())


def ensure(tx: Tx, op: Op, name: str, type_: EntityType, scope_pk: int, aliases: Sequence[str] = ()) -> int:
    """The key of an entity of this scope, made if none has the name; new aliases are added to it."""
    pk = tx.value(
        "SELECT e.pk FROM entity e WHERE e.scope_pk = ? AND e.retired_at IS NULL AND (e.folded = ? OR EXISTS "
        "(SELECT 1 FROM alias a WHERE a.entity_pk = e.pk AND a.folded = ?)) ORDER BY e.pk LIMIT 1",
        (scope_pk, fold(name), fold(name)),
    )
    if pk is None:
        pk = tx.insert(
            "INSERT INTO entity (id, scope_pk, name, folded, type, first_seen, last_seen) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (new_id(), scope_pk, name, fold(name), type_.value, op.at, op.at),
        )
        op.inserted("entity", pk, pk)
    add_aliases(tx, op, pk, aliases)
    changes.announce(tx, "entity", pk, pk)
    return int(pk)


def add_aliases(tx: Tx, op: Op, pk: int, aliases: Iterable[str]) -> None:
    """Further names of an entity. The list on the entity is the truth, the alias rows find it."""
    known = from_json(tx.value("SELECT aliases FROM entity WHERE pk = ?", (pk,)), [])
    folded = {fold(alias) for alias in known}
    fresh = {fold(alias): alias for alias in reversed([*aliases]) if fold(alias) not in folded}
    if fresh:
        revise(tx, op, pk, {"aliases": to_json([*known, *reversed(fresh.values())])})


def revise(tx: Tx, op: Op, pk: int, new: dict[str, object]) -> None:
    """Change columns of an entity; the old values go to the journal."""
    names = list(new)
    row = tx.one(f"SELECT {', '.join(names)} FROM entity WHERE pk = ?", (pk,))
    assert row is not None
    op.changed("entity", [pk], dict(zip(names, row, strict=True)))
    tx.run(f"UPDATE entity SET {', '.join(f'{name} = ?' for name in names)} WHERE pk = ?", [*new.values(), pk])
    if "aliases" in new:
        tx.run("DELETE FROM alias WHERE entity_pk = ?", (pk,))
        folded = {fold(alias) for alias in from_json(tx.value("SELECT aliases FROM entity WHERE pk = ?", (pk,)), [])}
        tx.many("INSERT INTO alias (entity_pk, folded) VALUES (?, ?)", ((pk, alias) for alias in sorted(folded)))
    changes.announce(tx, "entity", pk, pk)


def retire(tx: Tx, op: Op, pks: Iterable[int]) -> None:
    """Stop believing that these entities are entities."""
    for pk in pks:
        revise(tx, op, pk, {"retired_at": op.at})


def mention(tx: Tx, op: Op, record_pk: int, entity_pk: int, surface: str | None = None) -> None:
    """A record names an entity, in these words. Mentions live and die with their record."""
    tx.run(
        "INSERT INTO mention (record_pk, entity_pk, surface) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        (record_pk, entity_pk, surface),
    )
    tx.run("UPDATE entity SET last_seen = max(last_seen, ?) WHERE pk = ?", (op.at, entity_pk))


def named(tx: Tx, name: str, scope_pks: Sequence[int] | None) -> list[tuple[int, Entity]]:
    """Entities of the visible scopes (None: all) with this name or alias, most mentioned first."""
    sql, params = f"{_SELECT} WHERE e.retired_at IS NULL AND (e.folded = ? OR e.pk IN ", [fold(name), fold(name)]
    sql += "(SELECT entity_pk FROM alias WHERE folded = ?))"
    if scope_pks is not None:
        sql, params = f"{sql} AND e.scope_pk IN carray(?)", [*params, tx.pk_list(scope_pks)]
    rows = tx.all(f"{sql} ORDER BY 10 DESC, e.pk", params)
    return [(row[0], _entity_of(row)) for row in rows]


def mentioning(tx: Tx, entity_pks: Iterable[int]) -> list[int]:
    """Live records that name one of these entities, newest first."""
    rows = tx.all(
        "SELECT DISTINCT m.record_pk FROM mention m JOIN record r ON r.pk = m.record_pk AND r.retired_at IS NULL "
        "WHERE m.entity_pk IN carray(?) ORDER BY m.record_pk DESC",
        (tx.pk_list(entity_pks),),
    )
    return [row[0] for row in rows]


def any_named(tx: Tx) -> bool:
    """Whether the store knows any entity, or any record that says whom it is about."""
    return bool(
        tx.value("SELECT EXISTS (SELECT 1 FROM entity) OR EXISTS (SELECT 1 FROM record WHERE subject IS NOT NULL)")
    )


def any_mention(tx: Tx) -> bool:
    """Whether any record names an entity."""
    return bool(tx.value("SELECT EXISTS (SELECT 1 FROM mention)"))


def found(tx: Tx, names: Iterable[str], scope_pks: Sequence[int] | None) -> dict[str, tuple[int, ...]]:
    """Which of these folded names are known, each with the keys of its entities in the visible scopes (None: all).

    A name that only records have as their subject is known too, without a key.
    """
    listed = orjson.dumps(list(names)).decode()
    sight = "scope_pk IN carray(?2)" if scope_pks is not None else "scope_pk IS NOT NULL"
    rows = tx.all(
        "SELECT n.value, e.pk FROM json_each(?1) n CROSS JOIN entity e ON e.folded = n.value "
        f"WHERE e.retired_at IS NULL AND e.{sight} UNION ALL "
        "SELECT n.value, e.pk FROM json_each(?1) n CROSS JOIN alias a ON a.folded = n.value "
        f"JOIN entity e ON e.pk = a.entity_pk WHERE e.retired_at IS NULL AND e.{sight} UNION ALL "
        "SELECT n.value, NULL FROM json_each(?1) n WHERE EXISTS (SELECT 1 FROM record r WHERE "
        f"r.subject = n.value COLLATE NOCASE AND r.retired_at IS NULL AND r.{sight})",
        (listed,) if scope_pks is None else (listed, tx.pk_list(scope_pks)),
    )
    known: dict[str, dict[int, None]] = {}
    for name, pk in rows:
        known.setdefault(name, {}).update({} if pk is None else {pk: None})
    return {name: tuple(pks) for name, pks in known.items()}


def names_of(tx: Tx, entity_pks: Iterable[int]) -> dict[int, list[str]]:
    """Every name of these entities, their own first."""
    rows = tx.all("SELECT pk, name, aliases FROM entity WHERE pk IN carray(?)", (tx.pk_list(entity_pks),))
    return {pk: [name, *from_json(aliases, [])] for pk, name, aliases in rows}


def about(tx: Tx, names: Sequence[str], *, limit: int) -> list[int]:
    """Live records whose subject is one of these names, in any case of its ASCII letters; at most `limit` of each."""
    sql = "SELECT pk FROM record WHERE subject = ? COLLATE NOCASE AND retired_at IS NULL ORDER BY pk DESC LIMIT ?"
    return sorted({row[0] for name in names for row in tx.all(sql, (name, limit))}, reverse=True)


def mentioned_in(tx: Tx, record_pks: Iterable[int]) -> list[tuple[int, int]]:
    """(record, entity) of every mention in these records."""
    rows = tx.all(
        "SELECT m.record_pk, m.entity_pk FROM mention m JOIN entity e ON e.pk = m.entity_pk AND e.retired_at IS NULL "
        "WHERE m.record_pk IN carray(?)",
        (tx.pk_list(record_pks),),
    )
    return [(row[0], row[1]) for row in rows]


def newest_mentions(tx: Tx, entity_pks: Sequence[int], *, limit: int) -> list[int]:
    """The newest records that name one of these entities, the deleted included: at most `limit` of each."""
    sql = "SELECT record_pk FROM mention WHERE entity_pk = ? ORDER BY record_pk DESC LIMIT ?"
    return sorted({row[0] for pk in entity_pks for row in tx.all(sql, (pk, limit))}, reverse=True)


def _entity_of(row: Row) -> Entity:
    (_, id_, name, type_, aliases, summary, attributes, first_seen, last_seen, mentions, project, squad, agent_id,
     channel, user_id) = row  # fmt: skip
    return Entity(
        id=id_, name=name, type=EntityType(type_), aliases=tuple(from_json(aliases, ())), summary=summary,
        attributes=from_json(attributes, {}), first_seen=from_us(first_seen), last_seen=from_us(last_seen),
        mention_count=mentions,
        scope=Scope(project=project, squad=squad, agent_id=agent_id, channel=channel, user_id=user_id),
    )  # fmt: skip
