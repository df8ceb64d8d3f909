"""Entities and mentions: found by any of their names, undone like everything else."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import TypeVar

import pytest

from recollect.ids import new_id
from recollect.model.columns import RecordRow
from recollect.model.entity import Entity, EntityType
from recollect.model.query import Criteria
from recollect.model.scope import Scope
from recollect.store import entities
from recollect.store.base import Store, Tx
from recollect.store.entities import NewEntity
from recollect.store.journal import Op
from recollect.store.rows import content_hash

T = TypeVar("T")
PERSON = EntityType.PERSON


@pytest.fixture
def store(database: Store) -> Store:
    database.write(lambda tx: [tx.scopes.ensure(scope) for scope in (Scope(), Scope(user_id="ana"))])
    return database


class Steps:
    """Operations one after the other, a second apart."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._seconds = count(1)
        self.last = 0

    def do(self, work: Callable[[Tx, Op], T], verb: str = "add") -> T:
        def inside(tx: Tx) -> T:
            op = tx.journal.begin(verb, at=next(self._seconds) * 1_000_000, scope_pk=1)
            self.last = op.pk
            return work(tx, op)

        return self.store.write(inside)

    def undo(self, operation_pk: int) -> int:
        at = next(self._seconds) * 1_000_000
        return self.store.write(lambda tx: tx.undoing.undo(operation_pk, clock=lambda: at, scope_pk=1, actor=None).pk)

    def ensure(self, name: str, *aliases: str, scope_pk: int = 1, type_: EntityType = PERSON) -> int:
        return self.do(lambda tx, op: tx.entities.ensure(op, name, type_, scope_pk, aliases))

    def record(self, text: str, *entity_pks: int) -> int:
        def work(tx: Tx, op: Op) -> int:
            row = RecordRow(
                id=new_id(),
                scope_pk=1,
                content=text,
                content_hash=content_hash(text),
                created_at=op.at,
                updated_at=op.at,
                recorded_at=op.at,
            )
            pk = tx.records.insert(op, [row], [[]])[0]
            for entity_pk in entity_pks:
                tx.entities.mention(op, pk, entity_pk, surface="she")
                tx.entities.mention(op, pk, entity_pk, surface="again")
            return pk

        return self.do(work)

    def found(self, name: str, *texts: str, scope_pk: int = 1, surface: str | None = None) -> tuple[int, list[int]]:
        """An entity recognised in these texts, under this name or what they call it."""

        def work(tx: Tx, op: Op) -> tuple[int, list[int]]:
            pk = tx.entities.insert([NewEntity(name, PERSON, scope_pk, op.at, found=True)])[0]
            rows = [
                RecordRow(
                    id=new_id(),
                    scope_pk=scope_pk,
                    content=text,
                    content_hash=content_hash(text),
                    created_at=op.at,
                    updated_at=op.at,
                    recorded_at=op.at,
                )
                for text in texts
            ]
            pks = list(tx.records.insert(op, rows, [[] for _ in rows]))
            tx.mentions.note([(record, pk, surface or name) for record in pks])
            if surface is not None:
                tx.mentions.learn([(pk, entities.fold(surface), pks[0])])
            return pk, pks

        return self.do(work)

    def named(self, name: str, scope_pks: list[int] | None = None) -> list[Entity]:
        with self.store.read() as tx:
            return [entity for _, entity in tx.entities.named(name, scope_pks)]


@pytest.fixture
def steps(store: Store) -> Steps:
    return Steps(store)


def test_one_entity_for_all_spellings(steps: Steps) -> None:
    pk = steps.ensure("Ana Ruiz", "Anita")
    assert [steps.ensure(name) for name in ("ANA  ruiz", " ana ruiz ", "anita", "ANITA")] == [pk] * 4
    (entity,) = steps.named("aNa RUIZ")
    assert (entity.name, entity.type, entity.aliases, entity.mention_count) == ("Ana Ruiz", PERSON, ("Anita",), 0)
    assert steps.named("anita") == [entity]
    assert steps.named("Ana") == []


@pytest.mark.parametrize(
    ("name", "folded"), [("STRASSE", "straße"), ("Ünal", "ünal"), ("a\tb\n c", "A B C"), ("北京", "北京")]
)
def test_names_are_compared_in_folded_form(steps: Steps, name: str, folded: str) -> None:
    assert steps.ensure(name) == steps.ensure(folded)


def test_new_aliases_are_added_once(steps: Steps) -> None:
    pk = steps.ensure("Ana", "Anita")
    assert steps.ensure("Ana", "anita", "Annie", "ANNIE") == pk
    (entity,) = steps.named("annie")
    assert entity.aliases[:2] == ("Anita", "Annie")
    assert {entities.fold(alias) for alias in entity.aliases} == {"anita", "annie"}
    assert len(entity.aliases) == 2


def test_a_scope_has_its_own_entities(steps: Steps) -> None:
    everyone, own = steps.ensure("Ana"), steps.ensure("Ana", scope_pk=2)
    assert everyone != own
    assert len(steps.named("ana")) == 2
    (entity,) = steps.named("ana", [2])
    assert entity.scope == Scope(user_id="ana")
    assert steps.named("ana", []) == []


def test_mentions_count_live_records(steps: Steps, store: Store) -> None:
    ana, bo = steps.ensure("Ana"), steps.ensure("Bo", "Ana's friend")
    first, second, _ = steps.record("one", ana), steps.record("two", ana, bo), steps.record("three")
    with store.read() as tx:
        assert tx.entities.mentioning([ana]) == [second, first]
        assert tx.entities.mentioning([ana, bo]) == [second, first]
        assert tx.entities.mentioning([]) == []
    (entity,) = steps.named("ana")
    assert entity.mention_count == 2
    assert entity.last_seen > entity.first_seen
    steps.do(lambda tx, op: tx.records.retire(op, [second]), "delete")
    with store.read() as tx:
        assert tx.entities.mentioning([ana, bo]) == [first]
    assert [entity.mention_count for entity in steps.named("ana")] == [1]
    steps.undo(steps.last)
    assert [entity.mention_count for entity in steps.named("ana")] == [2]


def test_the_most_mentioned_comes_first(steps: Steps) -> None:
    quiet, loud = steps.ensure("Ana"), steps.ensure("Ana", scope_pk=2)
    steps.record("one", loud)
    with steps.store.read() as tx:
        assert [pk for pk, _ in tx.entities.named("ana", None)] == [loud, quiet]


def test_undo_of_a_new_entity_and_undo_of_that(steps: Steps) -> None:
    pk = steps.ensure("Ana", "Anita")
    taken_back = steps.undo(steps.last)
    assert steps.named("ana") == steps.named("anita") == []
    steps.undo(taken_back)
    (entity,) = steps.named("anita")
    assert entity.name == "Ana"
    assert steps.ensure("ana") == pk


def test_a_retired_entity_makes_room_for_a_new_one(steps: Steps) -> None:
    pk = steps.ensure("Ana", "Anita")
    steps.do(lambda tx, op: tx.entities.retire(op, [pk]), "delete")
    assert steps.named("anita") == []
    assert steps.ensure("anita") != pk


def test_undo_of_aliases_takes_them_back_from_the_lookup(steps: Steps) -> None:
    steps.ensure("Ana", "Anita")
    steps.ensure("Ana", "Annie")
    added = steps.last
    back = steps.undo(added)
    assert steps.named("annie") == []
    assert [entity.aliases for entity in steps.named("anita")] == [("Anita",)]
    steps.undo(back)
    assert [entity.aliases for entity in steps.named("annie")] == [("Anita", "Annie")]


def test_undo_of_other_columns(steps: Steps) -> None:
    pk = steps.ensure("Ana")
    steps.do(lambda tx, op: tx.entities.revise(op, pk, {"summary": "A sailor."}), "update")
    changed = steps.last
    assert steps.named("ana")[0].summary == "A sailor."
    steps.undo(changed)
    assert steps.named("ana")[0].summary is None


def test_changes_are_announced(steps: Steps, store: Store) -> None:
    with store.read() as tx:
        before = tx.changes.newest()
    pk = steps.ensure("Ana", "Anita")
    with store.read() as tx:
        fresh = tx.changes.since(before, 100)
    assert fresh
    assert {(change.topic, change.first_pk) for change in fresh} == {("entity", pk)}


# --- what was recognised in texts -----------------------------------------------------------------------------------


def test_what_was_recognised_is_there_as_long_as_a_live_record_names_it(steps: Steps, store: Store) -> None:
    pk, (record,) = steps.found("Ana Ruiz", "one", surface="Ana")
    told = steps.last
    assert [entity.name for entity in steps.named("ana ruiz")] == ["Ana"]  # as the one record calls her
    back = steps.undo(told)
    assert steps.named("ana") == steps.named("ana ruiz") == []
    with store.read() as tx:
        assert tx.entities.found(["ana", "ana ruiz"], None) == {}
        assert not tx.entities.is_live(pk)
    steps.undo(back)
    assert [entity.mention_count for entity in steps.named("ana")] == [1]
    steps.do(lambda tx, op: tx.records.retire(op, [record]), "delete")
    assert steps.named("ana") == []


def test_merging_moves_mentions_and_names_and_undo_moves_them_back(steps: Steps, store: Store) -> None:
    ana, (first, both) = steps.found("Ana Ruiz", "one", "two")
    annie, (third,) = steps.found("Annie", "three", surface="Nan")
    steps.do(lambda tx, op: tx.mentions.note([(both, annie, "Annie")]))
    before = [steps.named(name) for name in ("ana ruiz", "annie", "nan")]
    steps.do(lambda tx, op: tx.entities.merge(op, ana, annie), "merge")
    merged = steps.last
    (entity,) = steps.named("annie")
    assert (entity.name, entity.mention_count) == ("Ana Ruiz", 3)
    assert {"Annie", "Nan"} <= set(entity.aliases)
    assert steps.named("nan") == steps.named("ana ruiz") == [entity]
    with store.read() as tx:
        assert tx.entities.mentioning([ana]) == [third, both, first]
        assert tx.entities.mentioning([annie]) == []
        assert (
            tx.sql.value("SELECT surface FROM mention WHERE record_pk = ? AND entity_pk = ?", (both, ana)) == "Ana Ruiz"
        )
    back = steps.undo(merged)
    assert [steps.named(name) for name in ("ana ruiz", "annie", "nan")] == before
    steps.undo(back)
    assert steps.named("nan") == [entity]


def test_splitting_takes_names_with_their_records(steps: Steps, store: Store) -> None:
    ana, (first,) = steps.found("Ana Ruiz", "one")
    (second,) = steps.found("Somebody", "two")[1]

    def called_annie(tx: Tx, op: Op) -> None:
        tx.mentions.note([(second, ana, "ANNIE")])
        tx.mentions.learn([(ana, "annie", second)])

    steps.do(called_annie)
    steps.do(lambda tx, op: tx.entities.split(op, ana, ["Annie"]), "split")
    split = steps.last
    assert [(entity.name, entity.mention_count) for entity in steps.named("annie")] == [("Annie", 1)]
    assert [(entity.name, entity.aliases) for entity in steps.named("ana ruiz")] == [("Ana Ruiz", ())]
    steps.undo(split)
    assert [entity.aliases for entity in steps.named("annie")] == [("ANNIE",)]
    with store.read() as tx:
        assert tx.entities.mentioning([ana]) == [second, first]


def test_erased_records_leave_no_name_behind(steps: Steps, store: Store) -> None:
    ana, (first,) = steps.found("Ana Secretson", "one")
    (second,) = steps.found("Ben", "two")[1]
    steps.do(lambda tx, op: tx.mentions.note([(second, ana, "Ana")]))
    (third,) = steps.found("Zelda Secretson", "three")[1]
    steps.do(lambda tx, op: tx.erasure.erase(op, [first, third]), "delete")
    assert steps.named("zelda secretson") == steps.named("ana secretson") == []
    assert [entity.name for entity in steps.named("ana")] == ["Ana"]
    with store.read() as tx:
        assert tx.sql.value("SELECT count(*) FROM entity WHERE name LIKE '%Secretson%'") == 0
        assert tx.sql.value("SELECT count(*) FROM alias WHERE folded LIKE '%secretson%'") == 0
        assert tx.sql.value("SELECT count(*) FROM journal WHERE before LIKE '%Secretson%'") == 0


def test_a_merge_of_records_erased_since_is_still_undone(steps: Steps) -> None:
    ana, _ = steps.found("Ana", "one")
    ben, (second, _) = steps.found("Ben", "two", "three")
    steps.do(lambda tx, op: tx.entities.merge(op, ana, ben), "merge")
    merged = steps.last
    steps.do(lambda tx, op: tx.erasure.erase(op, [second]), "delete")
    steps.undo(merged)
    assert [entity.mention_count for entity in (*steps.named("ana"), *steps.named("ben"))] == [1, 1]


def test_the_list_is_of_a_type_and_of_what_is_seen(steps: Steps, store: Store) -> None:
    steps.found("Ana", "one", "two")
    steps.found("Ben", "three", scope_pk=2)
    steps.ensure("Oslo", type_=EntityType.PLACE)

    def names(criteria: Criteria, type_: EntityType | None = None, limit: int = 9) -> list[str]:
        with store.read() as tx:
            return [each.name for each in tx.profiles.listed(criteria, now=10**15, type_=type_, limit=limit)]

    assert names(Criteria()) == ["Ana", "Oslo"]
    assert names(Criteria(scope=Scope(user_id="ana"))) == ["Ana", "Ben", "Oslo"]
    assert names(Criteria(), EntityType.PLACE) == ["Oslo"]
    assert names(Criteria(), limit=1) == ["Ana"]


def test_a_name_that_was_only_stated_can_be_split_off(steps: Steps) -> None:
    ben = steps.ensure("Ben", "Benny")
    steps.do(lambda tx, op: tx.entities.split(op, ben, ["Benny"]), "split")
    assert [(entity.name, entity.mention_count) for entity in steps.named("benny")] == [("Benny", 0)]
    steps.undo(steps.last)
    assert [entity.aliases for entity in steps.named("benny")] == [("Benny",)]
