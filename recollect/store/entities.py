"""Entities and mentions in the database: who and what records name.

An entity belongs to a scope, like a record. It is found by its name or one of its aliases, compared in folded form;
how a mention in a text is recognised is not decided here. What was recognised in texts needs no journal: it is there,
under the names in use, as long as live records name it, so that whatever takes records away takes it along, and back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from recollect.clock import from_us
from recollect.ids import new_ids
from recollect.model.entity import Entity, EntityType
from recollect.model.entity import fold as fold
from recollect.model.query import Criteria
from recollect.model.scope import DIMENSIONS, Scope
from recollect.store.base import Group, Row
from recollect.store.journal import Op
from recollect.store.mentions import ALIAS_COUNTS
from recollect.store.rows import from_json, to_json

SPLIT_FROM = "split_from"  # attribute of an entity that was split off another: the key of that one
# What was recognised in texts is there as long as a live record names it; what was stated, until it is withdrawn.
LIVE = (
    "LIVE(e) AND (e.found = 0 OR EXISTS (SELECT 1 FROM mention m JOIN record r ON r.pk = m.record_pk "
    "AND LIVE(r) WHERE m.entity_pk = e.pk))"
)
_LIVE_RECORDS = "LIVE(r)"
_NAMED = f"(e.folded = ? OR e.pk IN (SELECT a.entity_pk FROM alias a WHERE a.folded = ? AND {ALIAS_COUNTS}))"


class NewEntity(NamedTuple):
    """An entity to be stored. `found`: recognised in a text, not stated by anybody."""

    name: str
    type: EntityType
    scope_pk: int
    at: int
    found: bool = False
    attributes: dict[str, Any] = {}  # noqa: RUF012  (never changed)


class _Use(NamedTuple):
    """How often, and when, records call an entity so."""

    surface: str | None
    records: int
    first: int
    last: int


class Called(NamedTuple):
    """An entity that goes by a name."""

    pk: int
    type: EntityType
    scope_pk: int
    alias: bool  # the name is one of its others
    live: bool


class Entities(Group):
    """Persons, places and things, and who mentions them."""

    def ensure(self, op: Op, name: str, type_: EntityType, scope_pk: int, aliases: Sequence[str] = ()) -> int:
        """The key of an entity of this scope, made if none has the name; new aliases are added to it."""
        pk = self.sql.value(
            f"SELECT e.pk FROM entity e WHERE e.scope_pk = ? AND LIVE(e) AND {_NAMED} ORDER BY e.pk LIMIT 1",
            (scope_pk, fold(name), fold(name)),
        )
        if pk is None:
            pk = self.insert([NewEntity(name, type_, scope_pk, op.at)])[0]
            op.inserted("entity", pk, pk)
        self.add_aliases(op, pk, aliases)
        self.tx.changes.announce("entity", pk, pk)
        return int(pk)

    def add_aliases(self, op: Op, pk: int, aliases: Iterable[str]) -> None:
        """Further names of an entity. The list on the entity is the truth, the alias rows find it."""
        known = from_json(self.sql.value("SELECT aliases FROM entity WHERE pk = ?", (pk,)), [])
        folded = {fold(alias) for alias in known}
        fresh = {fold(alias): alias for alias in reversed([*aliases]) if fold(alias) not in folded}
        if fresh:
            self.revise(op, pk, {"aliases": to_json([*known, *reversed(fresh.values())])})

    def revise(self, op: Op, pk: int, new: dict[str, object]) -> None:
        """Change columns of an entity; the old values go to the journal."""
        names = list(new)
        row = self.sql.one(f"SELECT {', '.join(names)} FROM entity WHERE pk = ?", (pk,))
        assert row is not None
        op.changed("entity", [pk], dict(zip(names, row, strict=True)))
        self.sql.run(
            f"UPDATE entity SET {', '.join(f'{name} = ?' for name in names)} WHERE pk = ?", [*new.values(), pk]
        )
        if "aliases" in new:
            self.sql.run("DELETE FROM alias WHERE entity_pk = ? AND record_pk IS NULL", (pk,))
            folded = {
                fold(alias) for alias in from_json(self.sql.value("SELECT aliases FROM entity WHERE pk = ?", (pk,)), [])
            }
            self.sql.many(
                "INSERT INTO alias (entity_pk, folded) VALUES (?, ?)", ((pk, alias) for alias in sorted(folded))
            )
        self.tx.changes.announce("entity", pk, pk)

    def retire(self, op: Op, pks: Iterable[int]) -> None:
        """Stop believing that these entities are entities."""
        for pk in pks:
            self.revise(op, pk, {"retired_at": op.at})

    def withdraw(self, op: Op, pks: Iterable[int]) -> None:
        """Take back that these entities were made.

        What was said since of one split off goes back to where it came from.
        """
        there = self.sql.all("SELECT pk, attributes FROM entity WHERE pk IN KEYS(?) ORDER BY pk", (self.sql.keys(pks),))
        for pk, text in there:  # those that went with the records that named them are gone for good
            attributes = from_json(text, {})
            if SPLIT_FROM in attributes:
                self.tx.mentions.move(op, pk, attributes[SPLIT_FROM])
            self.retire(op, [pk])

    def merge(self, op: Op, keep_pk: int, other_pk: int) -> int:
        """Two entities are one: the first stays, under its name, with all names of both; how many records moved to
        it.
        """
        shown = self.load([keep_pk, other_pk])
        moved = self.tx.mentions.move(op, other_pk, keep_pk)
        name, type_, aliases = self._named_as(other_pk)
        self.add_aliases(op, keep_pk, [name, *aliases])
        kept_name = shown[keep_pk].name if keep_pk in shown else self._named_as(keep_pk)[0]
        self.revise(op, keep_pk, {"name": kept_name, "folded": fold(kept_name), "found": 0})  # somebody said so
        kept = EntityType(self.sql.value("SELECT type FROM entity WHERE pk = ?", (keep_pk,)))
        if kept is EntityType.CONCEPT and type_ is not EntityType.CONCEPT:
            self.revise(op, keep_pk, {"type": type_.value})
        self.retire(op, [other_pk])
        return moved

    def split(self, op: Op, pk: int, names: Sequence[str]) -> tuple[int, int]:
        """What was called by these names is another entity: its key, and how many records moved to it.

        It gets the first of the names. Nothing happens to the rest of the entity; its own name cannot be taken from it.
        """
        wanted = {fold(name) for name in names}
        _, type_, aliases = self._named_as(pk)
        surfaces = self.sql.all("SELECT record_pk, surface FROM mention WHERE entity_pk = ? ORDER BY record_pk", (pk,))
        moving = [record_pk for record_pk, surface in surfaces if surface is not None and fold(surface) in wanted]
        scope_pk = self.sql.value("SELECT scope_pk FROM entity WHERE pk = ?", (pk,))
        new_pk = self.insert([NewEntity(names[0], type_, scope_pk, op.at, attributes={SPLIT_FROM: pk})])[0]
        op.inserted("entity", new_pk, new_pk)
        left = [alias for alias in aliases if fold(alias) not in wanted]
        if len(left) < len(aliases):
            self.revise(op, pk, {"aliases": to_json(left)})
        self.add_aliases(op, new_pk, [name for name in names[1:] if fold(name) in wanted])
        return new_pk, self.tx.mentions.move(op, pk, new_pk, moving)

    def insert(self, new: Sequence[NewEntity]) -> range:
        """Store new entities; their keys are consecutive. Journalling is the caller's, where it is needed at all."""
        first = self.next_pk()
        pks = range(first, first + len(new))
        ids = new_ids(len(new))
        self.sql.many(
            "INSERT INTO entity (pk, id, scope_pk, name, folded, type, attributes, first_seen, last_seen, found) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (
                    pk,
                    id_,
                    each.scope_pk,
                    each.name,
                    fold(each.name),
                    each.type.value,
                    to_json(each.attributes),
                    each.at,
                    each.at,
                    int(each.found),
                )
                for pk, id_, each in zip(pks, ids, new, strict=True)
            ),
        )
        if new:
            self.tx.changes.announce("entity", pks[0], pks[-1])
        return pks

    def _named_as(self, pk: int) -> tuple[str, EntityType, list[str]]:
        row = self.sql.one("SELECT name, type, aliases FROM entity WHERE pk = ?", (pk,))
        assert row is not None
        return row[0], EntityType(row[1]), from_json(row[2], [])

    def mention(self, op: Op, record_pk: int, entity_pk: int, surface: str | None = None) -> None:
        """A record names an entity, in these words. Mentions live and die with their record."""
        self.sql.run(
            "INSERT INTO mention (record_pk, entity_pk, surface) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            (record_pk, entity_pk, surface),
        )
        self.sql.run("UPDATE entity SET last_seen = LARGER(last_seen, ?) WHERE pk = ?", (op.at, entity_pk))

    def named(self, name: str, scope_pks: Sequence[int] | None) -> list[tuple[int, Entity]]:
        """Entities of the visible scopes (None: all) with this name, alias or id, most mentioned first."""
        sql, params = (
            f"SELECT e.pk FROM entity e WHERE {LIVE} AND (e.id = ? OR {_NAMED})",
            [name, fold(name), fold(name)],
        )
        if scope_pks is not None:
            sql, params = f"{sql} AND e.scope_pk IN KEYS(?)", [*params, self.sql.keys(scope_pks)]
        loaded = self.load([row[0] for row in self.sql.all(sql, params)])
        return sorted(loaded.items(), key=lambda item: (-item[1].mention_count, item[0]))

    def load(self, pks: Iterable[int], clause: str = _LIVE_RECORDS, params: Sequence[Any] = ()) -> dict[int, Entity]:
        """Entities by key, as the records under a condition on `record r` show them.

        Their names, counts and times are those of these records: what nobody may see, or was deleted, is not told. An
        entity that was recognised in texts, and in none of these, is left out.
        """
        keys = list(pks)
        uses: dict[int, list[_Use]] = {}
        for pk, *use in self.sql.all(
            "SELECT m.entity_pk, m.surface, count(*), min(coalesce(r.event_time, r.created_at)), "
            "max(coalesce(r.event_time, r.created_at)) FROM mention m JOIN record r ON r.pk = m.record_pk "
            f"WHERE m.entity_pk IN KEYS(?) AND {clause} GROUP BY m.entity_pk, m.surface ORDER BY 3 DESC, 4",
            [self.sql.keys(keys), *params],
        ):
            uses.setdefault(pk, []).append(_Use(*use))
        rows = self.sql.all(
            "SELECT e.pk, e.id, e.name, e.type, e.aliases, e.summary, e.attributes, e.first_seen, e.last_seen, "
            "e.found, "
            "s.project, s.squad, s.agent_id, s.channel, s.user_id FROM entity e JOIN scope s ON s.pk = e.scope_pk "
            "WHERE e.pk IN KEYS(?)",
            (self.sql.keys(keys),),
        )
        found = {row[0]: _entity_of(row, uses.get(row[0], [])) for row in rows if row[0] in uses or not row[9]}
        return {pk: found[pk] for pk in keys if pk in found}

    def as_seen(self, pks: Iterable[int], criteria: Criteria, *, now: int) -> dict[int, Entity]:
        """Entities by key, as the records show them that the criteria let a reader see."""
        return self.load(pks, *self.tx.criteria.where(criteria, now=now))

    def as_named_in(self, pks: Iterable[int], record_pk: int) -> dict[int, Entity]:
        """Entities by key, as one record shows them."""
        return self.load(pks, "r.pk = ?", (record_pk,))

    def as_named_within(self, pks: Iterable[int], scope_pk: int) -> dict[int, Entity]:
        """Entities by key, as the live records of one scope show them."""
        return self.load(pks, "LIVE(r) AND r.scope_pk = ?", (scope_pk,))

    def mentioning(self, entity_pks: Iterable[int]) -> list[int]:
        """Live records that name one of these entities, newest first."""
        rows = self.sql.all(
            "SELECT DISTINCT m.record_pk FROM mention m JOIN record r ON r.pk = m.record_pk AND LIVE(r) "
            "WHERE m.entity_pk IN KEYS(?) ORDER BY m.record_pk DESC",
            (self.sql.keys(entity_pks),),
        )
        return [row[0] for row in rows]

    def found(self, names: Iterable[str], scope_pks: Sequence[int] | None) -> dict[str, tuple[int, ...]]:
        """Which of these folded names are known, each with the keys of its entities in the visible scopes (None: all).

        A name that only records have as their subject is known too, without a key.
        """
        listed = orjson.dumps(list(names)).decode()
        sight = "scope_pk IN KEYS(?2)" if scope_pks is not None else "scope_pk IS NOT NULL"
        rows = self.sql.all(
            "SELECT n.value, e.pk FROM EACH_ITEM(?1) n CROSS JOIN entity e ON e.folded = n.value "
            f"WHERE {LIVE} AND e.{sight} UNION ALL "
            "SELECT n.value, e.pk FROM EACH_ITEM(?1) n CROSS JOIN alias a ON a.folded = n.value "
            f"JOIN entity e ON e.pk = a.entity_pk WHERE {LIVE} AND {ALIAS_COUNTS} AND e.{sight} UNION ALL "
            "SELECT n.value, NULL FROM EACH_ITEM(?1) n WHERE EXISTS (SELECT 1 FROM record r WHERE "
            f"NOCASE(r.subject) = NOCASE(n.value) AND LIVE(r) AND r.{sight})",
            (listed,) if scope_pks is None else (listed, self.sql.keys(scope_pks)),
        )
        known: dict[str, dict[int, None]] = {}
        for name, pk in rows:
            known.setdefault(name, {}).update({} if pk is None else {pk: None})
        return {name: tuple(sorted(pks)) for name, pks in known.items()}

    def called(self, names: Iterable[str], scope_pks: Sequence[int]) -> dict[str, list[Called]]:
        """Who goes by each of these folded names in these scopes; entities that nothing live names included."""
        listed, sight = orjson.dumps(list(names)).decode(), self.sql.keys(scope_pks)
        rows = self.sql.all(
            "SELECT n.value, e.pk, e.type, e.scope_pk, 0, e.found = 0 OR EXISTS (SELECT 1 FROM mention m JOIN record r "
            "ON r.pk = m.record_pk AND LIVE(r) WHERE m.entity_pk = e.pk) FROM EACH_ITEM(?) n "
            "CROSS JOIN entity e ON e.folded = n.value WHERE LIVE(e) AND e.scope_pk IN KEYS(?) UNION ALL "
            "SELECT DISTINCT n.value, e.pk, e.type, e.scope_pk, 1, 1 = 1 FROM EACH_ITEM(?) n CROSS JOIN alias a "
            f"ON a.folded = n.value JOIN entity e ON e.pk = a.entity_pk WHERE {LIVE} AND {ALIAS_COUNTS} "
            "AND e.scope_pk IN KEYS(?)",
            (listed, sight, listed, sight),
        )
        known: dict[str, list[Called]] = {}
        for name, pk, type_, scope_pk, alias, live in rows:
            known.setdefault(name, []).append(Called(pk, EntityType(type_), scope_pk, bool(alias), bool(live)))
        return {name: sorted(called) for name, called in known.items()}

    def names_in_use(self, scope_pk: int, types: Iterable[EntityType], *, limit: int) -> list[tuple[int, str]]:
        """(entity, folded name) of the entities of a scope and these types that were seen last."""
        wanted = orjson.dumps([type_.value for type_ in types]).decode()
        rows = self.sql.all(
            "SELECT pk, folded FROM entity WHERE scope_pk = ? AND type IN (SELECT value FROM EACH_ITEM(?)) "
            "AND LIVE(entity) ORDER BY last_seen DESC, pk DESC LIMIT ?",
            (scope_pk, wanted, limit),
        )
        others = self.sql.all(
            f"SELECT DISTINCT a.entity_pk, a.folded FROM alias a WHERE a.entity_pk IN KEYS(?) AND {ALIAS_COUNTS} "
            "ORDER BY 1, 2",
            (self.sql.keys([row[0] for row in rows]),),
        )
        return [(pk, name) for pk, name in (*rows, *others)]

    def visible_from(self, scope_pk: int) -> list[int]:
        """Keys of the scopes that a record of this scope sees: its own and the wider ones."""
        row = self.sql.one(f"SELECT {', '.join(DIMENSIONS)} FROM scope WHERE pk = ?", (scope_pk,))
        assert row is not None
        return self.tx.scopes.visible(Scope(**dict(zip(DIMENSIONS, row, strict=True)))) or []

    def id_of(self, pk: int) -> str:
        """The id of an entity by its key."""
        return str(self.sql.value("SELECT id FROM entity WHERE pk = ?", (pk,)))

    def scope_pk(self, pk: int) -> int:
        """The scope of an entity."""
        return int(self.sql.value("SELECT scope_pk FROM entity WHERE pk = ?", (pk,)))

    def record_ids(self, entity_id: str, *, limit: int) -> list[str]:
        """The ids of the live records that name an entity, newest first."""
        rows = self.sql.all(
            "SELECT r.id FROM mention m JOIN entity e ON e.pk = m.entity_pk JOIN record r ON r.pk = m.record_pk "
            "WHERE e.id = ? AND LIVE(r) AND HEAD(r) ORDER BY r.pk DESC LIMIT ?",
            (entity_id, limit),
        )
        return [row[0] for row in rows]

    def is_live(self, pk: int) -> bool:
        """Whether an entity is there: stated, or named by a live record."""
        return self.sql.value(f"SELECT 1 FROM entity e WHERE e.pk = ? AND {LIVE}", (pk,)) is not None

    def next_pk(self) -> int:
        """The key that the next entity will get."""
        return self.sql.next_key("entity")

    def seen(self, times: Mapping[int, int], scope_pk: int) -> None:
        """When entities of a scope were named last, by which they are looked through.

        Never told: `load` counts itself.
        """
        self.sql.many(
            "UPDATE entity SET last_seen = ?1 WHERE pk = ?2 AND last_seen < ?1 AND scope_pk = ?3",
            ((at, pk, scope_pk) for pk, at in times.items()),
        )

    def names_of(self, entity_pks: Iterable[int]) -> dict[int, list[str]]:
        """Every name of these entities, their own first."""
        wanted = list(entity_pks)
        if not wanted:
            return {}
        keys = self.sql.keys(wanted)
        rows = self.sql.all("SELECT pk, name, aliases FROM entity WHERE pk IN KEYS(?)", (keys,))
        learned = self.sql.all(
            "SELECT a.entity_pk, m.surface FROM alias a JOIN mention m ON m.record_pk = a.record_pk "
            "AND m.entity_pk = a.entity_pk AND m.surface IS NOT NULL JOIN record r ON r.pk = a.record_pk "
            "AND LIVE(r) WHERE a.entity_pk IN KEYS(?) ORDER BY a.rowid",
            (keys,),
        )
        names = {pk: [name, *from_json(aliases, [])] for pk, name, aliases in rows}
        for pk, surface in learned:
            if fold(surface) not in map(fold, names[pk]):
                names[pk].append(surface)
        return names

    def about(self, names: Sequence[str], *, limit: int, unsaid: str | None = None) -> list[int]:
        """Live records whose subject is one of these names, in any case of its ASCII letters; at most `limit` of each.

        With `unsaid` only those whose text does not hold it: the others are found by their words.
        """
        sql = (
            "SELECT pk FROM record WHERE NOCASE(subject) = NOCASE(?) AND LIVE(record) "
            "AND coalesce(PLACE_IN(ASCII_LOWER(content), ASCII_LOWER(?)), 0) = 0 ORDER BY pk DESC LIMIT ?"
        )
        return sorted({row[0] for name in names for row in self.sql.all(sql, (name, unsaid, limit))}, reverse=True)

    def spoken_of(self, record_pks: Iterable[int]) -> list[tuple[int, int]]:
        """(record, entity) of every mention in these records, but for who speaks: all that one says would hang
        together.
        """
        rows = self.sql.all(
            "SELECT m.record_pk, m.entity_pk FROM mention m JOIN entity e ON e.pk = m.entity_pk AND LIVE(e) "
            "JOIN record r ON r.pk = m.record_pk WHERE m.record_pk IN KEYS(?) "
            "AND (r.speaker IS NULL OR ASCII_LOWER(m.surface) IS DISTINCT FROM ASCII_LOWER(r.speaker)) "
            "ORDER BY m.record_pk, m.entity_pk",
            (self.sql.keys(record_pks),),
        )
        return [(row[0], row[1]) for row in rows]

    def newest_mentions(self, entity_pks: Sequence[int], *, limit: int, unsaid: str | None = None) -> list[int]:
        """The newest records that name one of these entities, the deleted included: at most `limit` of each.

        With `unsaid` only those that call it something else.
        """
        sql = (
            "SELECT record_pk FROM mention WHERE entity_pk = ? AND (CAST(? AS TEXT) IS NULL OR "
            "ASCII_LOWER(surface) IS DISTINCT FROM ASCII_LOWER(?)) "
            "ORDER BY record_pk DESC LIMIT ?"
        )
        if len(entity_pks) != 1:  # most of many entities are named by few: one statement, unless one is named by many
            every = (
                "SELECT DISTINCT record_pk FROM mention WHERE entity_pk IN KEYS(?) "
                "AND (CAST(? AS TEXT) IS NULL OR ASCII_LOWER(surface) IS DISTINCT FROM ASCII_LOWER(?)) LIMIT ?"
            )
            found = [row[0] for row in self.sql.all(every, (self.sql.keys(entity_pks), unsaid, unsaid, limit))]
            if len(found) < limit:
                return sorted(found, reverse=True)
        rows = (row for pk in entity_pks for row in self.sql.all(sql, (pk, unsaid, unsaid, limit)))
        return sorted({row[0] for row in rows}, reverse=True)

    def mentions_of_each(self, entity_pks: Sequence[int], *, limit: int) -> dict[int, list[int]]:
        """The newest records that name each of these entities, the deleted included: at most `limit` of each."""
        rows = self.sql.all(
            "SELECT m.entity_pk, m.record_pk FROM EACH_KEY(?) given CROSS JOIN mention m ON m.entity_pk = given.value "
            "AND m.record_pk >= coalesce((SELECT n.record_pk FROM mention n WHERE n.entity_pk = given.value "
            "ORDER BY n.record_pk DESC LIMIT 1 OFFSET ?), 0) ORDER BY m.entity_pk, m.record_pk",
            (self.sql.keys(entity_pks), limit - 1),
        )
        found: dict[int, list[int]] = {}
        for entity_pk, record_pk in rows:
            found.setdefault(entity_pk, []).append(record_pk)
        return found

    def names(self, pks: Iterable[int]) -> dict[int, str]:
        """How entities are called, by key."""
        return dict(self.sql.all("SELECT pk, name FROM entity WHERE pk IN KEYS(?)", (self.sql.keys(pks),)))


def _entity_of(row: Row, uses: Sequence[_Use]) -> Entity:
    (
        _,
        id_,
        name,
        type_,
        stated,
        summary,
        attributes,
        first_seen,
        last_seen,
        found,
        project,
        squad,
        agent_id,
        channel,
        user_id,
    ) = row
    spoken: dict[str, str] = {}  # folded → as most write it, the most used name first
    count: Counter[str] = Counter()
    for use in uses:
        if use.surface is not None:
            spoken.setdefault(fold(use.surface), use.surface)
            count[fold(use.surface)] += use.records
    in_use = sorted(spoken, key=lambda folded: -count[folded])
    if found and in_use:  # what was recognised goes by the name that is used most
        name = spoken[in_use[0]]
    aliases = {fold(alias): alias for alias in from_json(stated, ())}
    aliases |= {folded: spoken[folded] for folded in in_use if folded not in aliases}
    aliases.pop(fold(name), None)
    return Entity(
        id=id_,
        name=name,
        type=EntityType(type_),
        aliases=tuple(aliases.values()),
        summary=summary,
        attributes={key: value for key, value in from_json(attributes, {}).items() if key != SPLIT_FROM},
        first_seen=from_us(min((use.first for use in uses), default=first_seen)),
        last_seen=from_us(max((use.last for use in uses), default=last_seen)),
        mention_count=sum(use.records for use in uses),
        scope=Scope(project=project, squad=squad, agent_id=agent_id, channel=channel, user_id=user_id),
    )
