"""Relations and names bring what words and meaning do not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ticking import Ticking

from recall.watched_searches import pk_of
from recollect import Memory
from recollect.model.entity import EntityType
from recollect.model.scope import Scope
from recollect.store.base import Tx
from recollect.wiring import open_memory

WHY = "Why was checkout slow?"


@pytest.fixture
def mem() -> Iterator[Memory]:
    with open_memory(":memory:", embedder="wordllama", clock=Ticking()) as memory:
        memory.add([f"The team went bowling, round {number}" for number in range(20)])
        yield memory


def know(mem: Memory, name: str, *aliases: str, records: tuple[str, ...] = ()) -> None:
    """An entity, and records that name it."""
    pks = [pk_of(mem, one) for one in records]

    def work(tx: Tx) -> None:
        scope_pk = tx.scopes.ensure(Scope())
        op = tx.journal.begin("add", at=mem._engine.clock(), scope_pk=scope_pk)
        entity_pk = tx.entities.ensure(op, name, EntityType.PERSON, scope_pk, aliases)
        for pk in pks:
            tx.entities.mention(op, pk, entity_pk)

    mem._engine.store.write(work)


def test_why_leads_to_causes_that_share_no_word(mem: Memory) -> None:
    effect = mem.add("Checkout was slow on Friday").id
    cause = mem.add("A nightly vacuum kept the disk busy").id
    root = mem.add("Nobody had set a window for maintenance").id
    before = [hit.id for hit in mem.search(WHY, top_k=3)]
    assert before[0] == effect
    mem.relate(cause, effect, "causes")
    mem.relate(root, cause, "causes")
    found = mem.search(WHY, explain=True)
    assert [hit.id for hit in found][:3] == [effect, cause, root]
    assert found.quality.intent == "causal"
    assert found.trace.via[cause] == f"via causes from {effect}"
    assert found.trace.via[root] == f"via causes from {cause}, via causes from {effect}"
    assert found.trace.found_by[cause]["graph"] == 1
    assert {step.source for step in found.trace.hits[cause]} >= {"graph"}


def test_a_cause_told_from_its_effect_is_found_as_well(mem: Memory) -> None:
    effect = mem.add("Checkout was slow on Friday").id
    cause = mem.add("A nightly vacuum kept the disk busy").id
    mem.relate(effect, cause, "caused_by")
    assert [hit.id for hit in mem.search(WHY)][:2] == [effect, cause]


def test_relations_that_ended_lead_nowhere(mem: Memory) -> None:
    effect = mem.add("Checkout was slow on Friday").id
    cause = mem.add("A nightly vacuum kept the disk busy").id
    mem.unrelate(mem.relate(cause, effect, "causes"))
    found = mem.search(WHY, explain=True)
    assert cause not in found.trace.via


def test_relations_lead_to_nothing_the_reader_may_not_see(mem: Memory) -> None:
    effect = mem.add("Checkout was slow on Friday").id
    cause = mem.add("A nightly vacuum kept the disk busy", user_id="ben").id
    mem.relate(cause, effect, "causes")
    found = mem.search(WHY, user_id="ana", explain=True, top_k=50)
    assert cause not in {hit.id for hit in found}
    assert cause in {hit.id for hit in mem.search(WHY, user_id="ben")}
    assert all(cause not in told for told in found.trace.via.values())


def test_a_name_finds_records_that_call_the_person_otherwise(mem: Memory) -> None:
    nick = mem.add("Bibi broke the coffee machine").id
    mem.add("Somebody repaired the coffee machine")
    assert mem.search("Benedikt").abstained
    know(mem, "Benedikt", "Bibi", records=(nick,))
    found = mem.search("what did Benedikt break?", explain=True)
    assert found[0].id == nick
    assert found.trace.found_by[nick]["entity"] == 1
    assert "entity" in {step.source for step in found.trace.hits[nick]}


def test_who_walks_by_what_is_named(mem: Memory) -> None:
    """The record that names the machine leads to another that names the same person."""
    broke = mem.add("The coffee machine was broken by a colleague").id
    moved = mem.add("The desk at the window is taken").id
    know(mem, "Benedikt", records=(broke, moved))
    found = mem.search("who broke the coffee machine?", explain=True, top_k=100)
    assert found[0].id == broke
    assert found.trace.via[moved] == f"via mention from {broke}"
