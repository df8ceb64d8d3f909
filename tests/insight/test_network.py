"""A part of the graph to draw: who is told first, what joins them, and that nobody sees what is not theirs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import recollect
from recollect import Memory
from recollect.errors import UsageError
from recollect.model.network import NAMES, Network, NodeSort

TEXTS = [
    "Clara works in Lisbon.",
    "The bakery of Clara closes at seven.",
    "Vans lose the network in the old town.",
    "Herons fish at dawn.",
]


@pytest.fixture
def mem() -> Iterator[Memory]:
    with recollect.open(":memory:") as memory:
        memory.add(TEXTS, user_id="ana")
        memory.settle()
        yield memory


def texts(network: Network, sort: NodeSort = NodeSort.RECORD) -> set[str]:
    return {each.text for each in network.nodes if each.sort is sort}


def lines(network: Network) -> set[tuple[str, str, str]]:
    named = [each.text for each in network.nodes]
    return {(named[each.source], each.label, named[each.target]) for each in network.links}


def ids(mem: Memory) -> dict[str, str]:
    return {each.content: each.id for each in mem.get_all(reach="all").records}


def test_records_and_whom_they_name_are_nodes(mem: Memory) -> None:
    known = ids(mem)
    mem.relate(known[TEXTS[1]], known[TEXTS[2]], "causes")
    network = mem.network()
    assert texts(network) >= set(TEXTS)
    assert {"Clara", "Lisbon"} <= texts(network, NodeSort.ENTITY)
    assert {(TEXTS[0], NAMES, "Clara"), (TEXTS[1], NAMES, "Clara")} <= lines(network)
    assert (TEXTS[1], "causes", TEXTS[2]) in lines(network)
    assert not network.more
    assert next(each.family for each in network.links if each.label == "causes") == "causation"
    told = network.to_dict()
    assert len(told["nodes"]) == len(network)
    assert max(max(each["source"], each["target"]) for each in told["links"]) < len(network)


def test_the_strongest_come_first_and_the_rest_is_said_to_be_there(mem: Memory) -> None:
    known = ids(mem)
    mem.relate(known[TEXTS[0]], known[TEXTS[3]], "relates_to")
    network = mem.network(limit=2, entities=False)
    assert texts(network) == {TEXTS[0], TEXTS[3]}
    assert network.more
    assert texts(mem.network(labels=["relates_to"], entities=False)) == {TEXTS[0], TEXTS[3]}
    assert texts(mem.network(kinds=["episodic"])) <= set(TEXTS)


def test_around_a_record_and_around_an_entity(mem: Memory) -> None:
    known = ids(mem)
    mem.relate(known[TEXTS[2]], known[TEXTS[3]], "supports")
    assert texts(mem.network(around=known[TEXTS[2]])) == {TEXTS[2], TEXTS[3]}
    clara = next(each for each in mem.network().nodes if each.text == "Clara")
    around = mem.network(around=[clara.id])
    assert {TEXTS[0], TEXTS[1]} <= texts(around)
    assert TEXTS[3] not in texts(around)
    assert "Clara" in texts(around, NodeSort.ENTITY)
    assert len(mem.network(around="00000000-0000-4000-8000-000000000000")) == 0


def test_a_relation_of_several_is_a_line_to_each(mem: Memory) -> None:
    known = ids(mem)
    members = [(known[TEXTS[0]], "subject"), (known[TEXTS[2]], "object"), (known[TEXTS[3]], "context")]
    mem.relate(members=members, label="witnessed")
    drawn = {line for line in lines(mem.network()) if line[1] == "witnessed"}
    assert drawn == {(TEXTS[0], "witnessed", TEXTS[2]), (TEXTS[0], "witnessed", TEXTS[3])}


def test_what_has_ended_is_told_with_until_when(mem: Memory) -> None:
    known = ids(mem)
    mem.correct(known[TEXTS[0]], "Clara works in Porto.")
    nodes = {each.text: each for each in mem.network().nodes}
    assert nodes[TEXTS[0]].until is not None
    assert nodes["Clara works in Porto."].until is None
    assert nodes[TEXTS[0]].since <= nodes[TEXTS[0]].until


def test_nobody_sees_what_is_not_theirs(mem: Memory) -> None:
    mem.add("Ben keeps the key under Dario's mat.", user_id="ben")
    mem.settle()
    known = ids(mem)
    secret = known["Ben keeps the key under Dario's mat."]
    mem.relate(known[TEXTS[0]], secret, "causes")
    for view in (mem.network(user_id="ana"), mem.scoped(user_id="ana").network()):
        assert "Clara" in texts(view, NodeSort.ENTITY)
        assert not any("Ben" in text or "Dario" in text for text in (*texts(view), *texts(view, NodeSort.ENTITY)))
        assert not any(each.label == "causes" for each in view.links)
    assert len(mem.scoped(user_id="ana").network(around=secret)) == 0
    dario = next(each for each in mem.network().nodes if each.text == "Dario")
    assert len(mem.scoped(user_id="ana").network(around=dario.id)) == 0


def test_what_was_deleted_is_not_drawn(mem: Memory) -> None:
    mem.delete(ids(mem)[TEXTS[0]])
    network = mem.network()
    assert TEXTS[0] not in texts(network)
    assert "Lisbon" not in texts(network, NodeSort.ENTITY)


@pytest.mark.parametrize("given", [{"limit": 0}, {"limit": 10_001}, {"around": 7}, {"entities": "yes"}, {"kinds": 3}])
def test_what_makes_no_sense_is_refused(mem: Memory, given: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        mem.network(**given)  # type: ignore[arg-type]
