"""Agents tell each other: who gets what, once, in which version, and what never crosses a scope."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ticking import Ticking

import recollect
from recollect.errors import AccessDenied, NotFound, Overloaded, UsageError
from recollect.facade.handle import engine_of
from recollect.memory import Memory

REX = {"agent_id": "rex", "project": "shop"}
BO = {"agent_id": "bo", "project": "shop"}
QUEUE = "Close the queue, or tests hang"


@pytest.fixture
def mem(tmp_path: Path) -> Iterator[Memory]:
    clock = Ticking()
    with recollect.open(tmp_path / "m.db", embedder="fake", background=False, clock=clock) as memory:
        memory.clock = clock  # type: ignore[attr-defined]
        yield memory


def contents(memory: Memory, **scope: Any) -> set[str]:
    return {
        record.content for record in memory.get_all(limit=1000, **scope) if record.scope.agent_id == scope["agent_id"]
    }


def test_what_was_published_arrives_as_a_record_of_ones_own(mem: Memory) -> None:
    told = mem.subscribe(["queue"], **BO)
    kept = mem.add(QUEUE, category="gotcha", tags=["ci"], metadata={"related_files": ["q.py"]}, importance=0.9, **REX)
    (publication,) = mem.publish(kept.id, topics=["queue"], **REX)
    assert publication.receivers == 1
    assert mem.bus.deliver().outcomes == {"delivered": 1}
    (message,) = told.poll()
    assert (message.sender, message.outcome, message.contents) == ("rex", "delivered", (QUEUE,))
    record = mem.get(message.records[0])
    assert dict(record.scope.items()) == BO
    assert (record.category, record.tags, record.source, record.importance) == ("gotcha", ("ci",), "bus", 0.9)
    assert record.metadata["related_files"] == ["q.py"]
    assert record.attributes["bus"] == {"from": "rex", "record": kept.id, "publication": publication.id}
    assert told.poll() == []


def test_what_was_published_is_listed_with_what_became_of_it(mem: Memory) -> None:
    mem.subscribe(["queue"], **BO)
    mem.publish(QUEUE, topics=["queue"], **REX)
    (waits,) = mem.bus.publications()
    assert (waits.waiting, waits.outcomes, waits.contents) == (1, {}, (QUEUE,))
    mem.bus.deliver()
    (told,) = mem.bus.publications(**REX)
    assert (told.waiting, told.outcomes, told.publication.receivers) == (0, {"delivered": 1}, 1)
    assert told.to_dict()["from"] == "rex"
    assert mem.bus.publications(**BO) == []
    assert mem.scoped(**BO).bus.publications() == []
    assert len(mem.scoped(**REX).bus.publications()) == 1


def test_nothing_is_delivered_twice_or_to_its_publisher(mem: Memory) -> None:
    for wanted in (["queue"], None, ["tests"]):
        mem.subscribe(wanted, **BO)
    mem.subscribe(None, **REX)
    mem.publish(QUEUE, topics=["queue", "tests"], **REX)
    mem.bus.deliver()
    mem.bus.deliver()
    assert len(mem.bus.inbox(**BO)) == 1
    assert mem.bus.inbox(**REX) == []
    assert len(contents(mem, **BO)) == 1


def test_a_filter_lets_through_what_was_asked_for(mem: Memory) -> None:
    mem.subscribe(["queue"], sources=["rex"], importance_min=0.8, **BO)
    mem.publish("of another topic", topics=["mail"], importance=0.9, **REX)
    mem.publish("too light", topics=["queue"], importance=0.7, **REX)
    mem.publish("of another agent", topics=["queue"], importance=0.9, agent_id="cy", project="shop")
    mem.publish("wanted", topics=["mail", "queue"], importance=0.8, **REX)
    mem.bus.deliver()
    assert contents(mem, **BO) == {"wanted"}


def test_a_rate_lets_the_weightiest_through_and_the_rest_waits_for_the_next_cycle(mem: Memory) -> None:
    mem.subscribe(None, rate=2, **BO)
    for number in range(5):
        mem.publish(f"fact number {number}", importance=0.6 + number / 20, **REX)
    report = mem.bus.deliver()
    assert (report.outcomes["delivered"], report.waiting) == (2, 3)
    assert contents(mem, **BO) == {"fact number 3", "fact number 4"}
    assert mem.bus.deliver().outcomes == {}
    mem.clock.skip(1)  # type: ignore[attr-defined]
    assert mem.bus.deliver().outcomes == {"delivered": 2}
    mem.clock.skip(1)  # type: ignore[attr-defined]
    assert mem.bus.deliver().waiting == 0
    assert len(contents(mem, **BO)) == 5


@pytest.mark.parametrize(
    ("said", "publisher", "receiver", "arrives"),
    [
        ({}, REX, {"agent_id": "bo", "project": "other"}, False),
        ({}, {**REX, "user_id": "ana"}, BO, False),
        ({}, {**REX, "user_id": "ana"}, {**BO, "user_id": "ana"}, True),
        ({}, {**REX, "channel": "dm"}, {**BO, "channel": "all"}, False),
        ({"visibility": "squad"}, {**REX, "squad": "ops"}, BO, False),
        ({"visibility": "squad"}, {**REX, "squad": "ops"}, {**BO, "squad": "ops"}, True),
        ({"visibility": "targets", "targets": ["cy"]}, REX, BO, False),
        ({"visibility": "targets", "targets": ["bo"]}, REX, BO, True),
        ({"visibility": "targets", "targets": ["bo"]}, REX, {"agent_id": "bo"}, False),
        ({"visibility": "global"}, REX, {"agent_id": "bo", "project": "other"}, True),
        ({"visibility": "global"}, {**REX, "user_id": "ana"}, {"agent_id": "bo", "user_id": "ben"}, False),
    ],
)
def test_nothing_crosses_a_scope_it_may_not(
    mem: Memory, said: dict[str, Any], publisher: dict[str, str], receiver: dict[str, str], arrives: bool
) -> None:
    mem.subscribe(None, **receiver)
    mem.publish(QUEUE, **said, **publisher)
    mem.bus.deliver()
    assert bool(mem.bus.inbox(**receiver)) is arrives


def test_a_handle_publishes_and_listens_only_as_itself(mem: Memory) -> None:
    rex = mem.scoped(**REX)
    bo = mem.scoped(**BO)
    with pytest.raises(AccessDenied):
        rex.publish(QUEUE, visibility="global")
    with pytest.raises(AccessDenied):
        rex.subscribe(None, agent_id="bo")
    secret = mem.add("Bo's own", **BO)
    with pytest.raises(NotFound):
        rex.publish(secret.id)
    bo.subscribe(None)
    rex.publish(QUEUE)
    mem.bus.deliver()
    assert [each.contents for each in bo.bus.inbox()] == [(QUEUE,)]
    assert rex.bus.inbox() == []
    assert rex.bus.subscriptions() == []
    assert not rex.bus.unsubscribe(bo.bus.subscriptions()[0].id)
    with pytest.raises(AccessDenied):
        rex.bus.deliver()


def test_what_must_stay_is_refused_and_nothing_is_half_published(mem: Memory) -> None:
    mem.subscribe(None, **BO)
    flagged = mem.add("wrong", **REX)
    mem.flag(flagged.id, reason="no")
    unsure = mem.add("perhaps", needs_review=True, **REX)
    fine = mem.add("fine", **REX)
    for id_ in (flagged.id, unsure.id):
        with pytest.raises(UsageError, match="confirm it first"):
            mem.publish([fine.id, id_], **REX)
    private = mem.add("mine", user_id="ana", **REX)
    with pytest.raises((UsageError, NotFound)):
        mem.publish(private.id, **REX)
    assert mem.bus.deliver().outcomes == {}


@pytest.mark.parametrize(
    "given",
    [
        {"id_or_text": QUEUE, "project": "shop"},
        {"id_or_text": QUEUE, "agent_id": "rex"},
        {"id_or_text": QUEUE, "visibility": "everybody", **REX},
        {"id_or_text": QUEUE, "visibility": "targets", **REX},
        {"id_or_text": QUEUE, "targets": ["bo"], **REX},
        {"id_or_text": QUEUE, "importance": 2, **REX},
        {"id_or_text": [], **REX},
        {**REX},
        {"id_or_text": QUEUE, "entity": "Mara", **REX},
        {"entity": "Nobody", **REX},
        {"id_or_text": "00000000-0000-4000-8000-000000000000", **REX},
    ],
)
def test_bad_calls_are_answered_with_a_word(mem: Memory, given: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        mem.publish(**given)
    assert mem.operations() == []


def test_what_was_withdrawn_deleted_or_flagged_meanwhile_does_not_arrive(mem: Memory) -> None:
    mem.subscribe(None, **BO)
    ids = [mem.add(f"fact {name}", **REX).id for name in "abc"]
    first, _, _ = mem.publish(ids, **REX)
    assert mem.bus.withdraw(first.id) == 1
    mem.delete(ids[1])
    mem.flag(ids[2], reason="no")
    assert mem.bus.deliver().outcomes == {"withdrawn": 2}
    assert contents(mem, **BO) == set()


def test_a_hard_deletion_takes_its_publication_along(mem: Memory) -> None:
    mem.subscribe(None, **BO)
    kept = mem.add(QUEUE, **REX)
    mem.publish(kept.id, topics=["secret-topic"], **REX)
    mem.delete(kept.id, hard=True)
    assert mem.bus.deliver().outcomes == {}
    assert mem.bus.inbox(**BO) == []


def test_a_later_version_takes_the_place_of_the_earlier_one(mem: Memory) -> None:
    mem.subscribe(None, **BO)
    (first,) = mem.publish(QUEUE, **REX)
    mem.bus.deliver()
    fix = mem.correct(first.records[0], "Close the queue and the pool", reason="saw it")
    mem.publish(fix.id, **REX)
    assert mem.bus.deliver().outcomes == {"renewed": 1}
    held = {record.content: record.valid_until for record in mem.get_all(**BO) if record.scope.agent_id == "bo"}
    assert held["Close the queue and the pool"] is None
    assert held.get(QUEUE, 1) is not None


def test_the_same_version_published_again_is_known(mem: Memory) -> None:
    mem.subscribe(None, **BO)
    mem.subscribe(None, **REX)
    (first,) = mem.publish(QUEUE, **REX)
    mem.bus.deliver()
    copy = mem.bus.inbox(**BO)[0].records[0]
    mem.publish(copy, **BO)
    assert mem.bus.deliver().outcomes == {"known": 1}
    assert mem.bus.inbox(**REX)[0].records == first.records
    assert contents(mem, **REX) == {QUEUE}


@pytest.mark.parametrize("surer", ["rex", "bo", None])
def test_changes_side_by_side_are_both_kept_and_both_are_told(mem: Memory, surer: str | None) -> None:
    mem.subscribe(None, **BO)
    mem.subscribe(None, **REX)
    (first,) = mem.publish(QUEUE, **REX)
    mem.bus.deliver()
    copy = mem.bus.inbox(**BO)[0].records[0]
    mine = mem.correct(copy, "It is the pool", reason="measured")
    theirs = mem.correct(first.records[0], "It is the lock", reason="looked")
    for agent, id_ in (("bo", mine.id), ("rex", theirs.id)):
        if surer is not None:
            mem.update(id_, confidence=0.9 if agent == surer else 0.5)
    mem.publish(mine.id, **BO)
    mem.publish(theirs.id, **REX)
    assert mem.bus.deliver().outcomes == {"conflict": 2}
    said = {"rex": "It is the lock", "bo": "It is the pool"}
    for scope, agent in ((REX, "rex"), (BO, "bo")):
        told = [each for each in mem.bus.inbox(**scope) if each.outcome == "conflict"]
        message = next(each for each in told if len(each.records) == 2)
        assert len(told) == 2, "of what arrived, and of what the agent had published"
        assert set(message.contents) == set(said.values()), "both versions are kept"
        wins = said[surer or "rex"]
        assert message.contents[0] == wins, (agent, "the surer holds; of equally sure ones the newer")
        with engine_of(mem).store.read() as tx:
            assert tx.edges.joins(*tx.records.pks_of(message.records), "contradicts")
        held = {record.content: record.valid_until for record in mem.get_all(**scope)}
        assert held[wins] is None


def test_an_entity_arrives_as_one(mem: Memory) -> None:
    mem.subscribe(None, **BO)
    for text in ("Mara Lindt leads the shop project", "Mara Lindt prefers calls before noon"):
        mem.add({"role": "user", "content": text}, **REX)
    mem.settle()
    (publication,) = mem.publish(entity="Mara Lindt", **REX)
    assert publication.subject == "Mara Lindt"
    assert len(publication.records) >= 2
    mem.bus.deliver()
    (message,) = mem.bus.inbox(**BO)
    assert (message.subject, len(message.records)) == ("Mara Lindt", len(publication.records))
    mem.settle()
    assert mem.entity("Mara Lindt", **BO) is not None
    (delivery,) = (each for each in mem.operations() if each.verb == "deliver")
    mem.undo(delivery.id)
    assert contents(mem, **BO) == set()


def test_a_flagged_publisher_is_believed_less(mem: Memory) -> None:
    mem.subscribe(None, **BO)
    for number in range(4):
        mem.flag(mem.add(f"wrong number {number}", **REX).id, reason="no")
    mem.publish(QUEUE, **REX)
    mem.bus.deliver()
    assert mem.get(mem.bus.inbox(**BO)[0].records[0]).confidence == pytest.approx(0.5)


def test_more_than_may_wait_is_refused_whole(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "m.db", embedder="fake", background=False, config={"bus.pending_max": 3}) as mem:
        mem.subscribe(None, **BO)
        mem.publish(["one", "two"], **REX)
        with pytest.raises(Overloaded):
            mem.publish(["three", "four"], **REX)
        assert mem.bus.deliver().outcomes == {"delivered": 2}


def test_subscribing_again_changes_nothing_and_earlier_brings_what_was(mem: Memory) -> None:
    mem.publish(QUEUE, topics=["queue"], **REX)
    first = mem.subscribe(["queue"], **BO)
    assert mem.bus.deliver().outcomes == {}
    again = mem.subscribe(["queue"], earlier=True, **BO)
    assert first.id == again.id
    assert len(mem.bus.subscriptions(**BO)) == 1
    assert mem.bus.deliver().outcomes == {"delivered": 1}
    assert mem.bus.unsubscribe(first.id, **BO)
    assert mem.bus.subscriptions() == []
    mem.publish("more", topics=["queue"], **REX)
    assert mem.bus.deliver().outcomes == {}


def test_four_agents_that_edit_one_thing_lose_nothing(tmp_path: Path) -> None:
    names = ("ann", "bob", "cat", "dan")
    with recollect.open(tmp_path / "m.db", embedder="fake", config={"bus.deliveries_max": 10_000}) as mem:
        for name in names:
            mem.subscribe(None, agent_id=name, project="shop")
        (first,) = mem.publish("The limit is ten", agent_id="ann", project="shop")
        mem.bus.deliver()
        held = {name: mem.get_all(agent_id=name, project="shop")[0].id for name in names[1:]}
        held["ann"] = first.records[0]

        def edit(name: str) -> None:
            scope = {"agent_id": name, "project": "shop"}
            own = held[name]
            for number in range(3):
                own = mem.correct(own, f"The limit is {number}, says {name}", reason="measured").id
                mem.publish(own, **scope)

        threads = [threading.Thread(target=edit, args=(name,)) for name in names]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        mem.settle()
        mem.bus.deliver()
        said = {f"The limit is {number}, says {name}" for name in names for number in range(3)}
        for name in names:
            own = contents(mem, agent_id=name, project="shop")
            arrived = {
                text for each in mem.bus.inbox(agent_id=name, project="shop", limit=1000) for text in each.contents
            }
            mine = {text for text in said if text.endswith(name)}
            assert said - mine <= arrived | own, "every version of the others arrived"
