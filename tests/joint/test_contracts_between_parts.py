"""What one part hands to another, by the numbers of the design (§45): each with real parts, end to end.

Contract 11 (replay → tree) is in `tests/upkeep/knowledge/test_renewal.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from ticking import Ticking

import recollect
from recollect.memory import Memory

REX = {"agent_id": "rex", "project": "shop"}
BO = {"agent_id": "bo", "project": "shop"}


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def mem(clock: Ticking) -> Iterator[Memory]:
    with recollect.open(":memory:", clock=clock) as opened:
        yield opened


def said(mem: Memory, *texts: str, at: str = "2026-05-01T10:00:00Z", **scope: str) -> None:
    turns = [{"role": "user", "name": "Ana", "content": text, "timestamp": at} for text in texts]
    mem.add(turns, session_id="s", **scope)
    mem.settle()


def test_contract_4_the_story_of_an_entity_stands_at_the_times_that_are_told(mem: Memory) -> None:
    said(mem, "Ben leads Project Alpha", "Project Alpha was started on March 15, 2026")
    said(mem, "On April 2 we shipped Project Alpha to Globex", at="2026-05-03T10:00:00Z")
    story = [(event.at.date().isoformat(), event.record.content) for event in mem.timeline("Project Alpha")]
    assert story == [
        ("2026-03-15", "Project Alpha was started on March 15, 2026"),
        ("2026-04-02", "On April 2 we shipped Project Alpha to Globex"),
        ("2026-05-01", "Ben leads Project Alpha"),
    ]


def test_a_plan_stands_at_the_day_it_was_told(mem: Memory) -> None:
    said(mem, "We will ship Project Alpha on June 3, 2026")
    (event,) = mem.timeline("Project Alpha")
    assert event.at == datetime(2026, 5, 1, 10, tzinfo=UTC)


def test_contract_5_a_question_about_an_entity_goes_to_what_is_known_of_it(mem: Memory) -> None:
    said(mem, *(f"The {sort} project meets on {day}" for sort in ("old", "new") for day in ("Monday", "Friday")))
    said(mem, "Mara Lindt plays the cello", "Mara Lindt lives in Porto", "Mara Lindt works at the harbour office")
    mem.maintain()
    found = mem.search("Tell me about Mara Lindt", top_k=3, explain=True)
    assert found.trace is not None
    assert all("entity" in found.trace.found_by[hit.id] or "Mara" in hit.content for hit in found)
    assert all("Mara" in hit.content for hit in found)
    window = mem.context("Tell me everything about Mara Lindt", mode="deep")
    profile = next(part.text for part in window.parts if part.name == "entities")
    assert all(word in profile for word in ("Mara Lindt (person)", "cello", "Porto", "harbour office"))


def test_contract_8_an_entity_is_shared_as_one_with_whoever_asked(mem: Memory) -> None:
    mem.subscribe(["people"], **BO)
    mem.subscribe(["queues"], agent_id="cy", project="shop")
    said(mem, "Mara Lindt leads the harbour office", "Mara Lindt prefers calls before noon", **REX)
    (publication,) = mem.publish(entity="Mara Lindt", topics=["people"], **REX)
    mem.bus.deliver()
    (message,) = mem.bus.inbox(**BO)
    assert (message.subject, message.sender) == ("Mara Lindt", "rex")
    assert len(message.records) == len(publication.records) >= 2
    assert list(mem.bus.inbox(agent_id="cy", project="shop")) == []


def test_contract_9_what_arrived_is_gone_over_before_all_else(clock: Ticking) -> None:
    config = {"replay.records_max": 1, "replay.scenarios_max": 0, "replay.interference": 0.0}
    with recollect.open(":memory:", clock=clock, config=config) as mem:
        mem.subscribe(None, **BO)
        known = mem.add("The ladders stand at the north gate of the stock yard behind the harbour office", **BO).id
        mem.add([f"Note {number} says that lunch was late in week {number}" for number in range(30)], **BO)
        mem.publish("The ladders stand at the north gate of the stock yard beside the harbour office", **REX)
        mem.bus.deliver()
        mem.settle()
        (arrived,) = mem.get_all(filters={"source": "bus"}, **BO)
        assert mem.replay().counts["linked"] == 1  # of 32 records one was gone over
        (edge,) = mem.related(arrived.id, labels=["similar_to"], **BO).edges
        assert {edge.source, edge.target} == {arrived.id, known}


def test_contract_13_whom_a_message_names_is_whom_the_receiver_knows(mem: Memory) -> None:
    said(mem, "Mara Lindt leads the harbour office", **BO)
    known = mem.entity("Mara Lindt", **BO).entity.id
    mem.subscribe(None, **BO)
    mem.publish("mara lindt prefers calls before noon", **REX)
    mem.publish("We asked Mara Lindt for the keys of the north gate", **REX)
    mem.bus.deliver()
    mem.settle()
    found = [entity for entity in mem.entities(**BO) if entity.name.casefold() == "mara lindt"]
    assert [entity.id for entity in found] == [known]
    told = {record.content for record in mem.entity("Mara Lindt", **BO).newest}
    assert any("north gate" in text for text in told)
