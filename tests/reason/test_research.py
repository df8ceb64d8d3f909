"""What research found becomes records with their sources, related where they support each other."""

from __future__ import annotations

import json
from typing import Any

import pytest

from recollect.errors import ContentTooLarge, RecollectError, UsageError
from recollect.memory import Memory
from recollect.model.place import PositionType
from recollect.model.record import Kind

A, B, C = "https://example.org/a", "https://example.org/b", "http://example.org/c?page=2"
SESSION: dict[str, Any] = {
    "id": "r1",
    "query": "how fast is Helix",
    "findings": [
        {
            "content": "Helix 26 opens a file of 2 GB in a second.",
            "source_urls": [A, B],
            "confidence": 0.8,
            "discovered_at": "2026-05-03T10:00:00Z",
            "title": "A test of editors",
        },
        {"content": "Helix reads files in the background since version 25.", "urls": [A], "confidence": 0.6},
        {"content": "A forum says that Helix is slow on Windows.", "url": C},
    ],
    "cross_references": [[1, 0]],
}


def edges_of(memory: Memory, record: str) -> list[tuple[str, str, str, float]]:
    return [(edge.source, edge.label, edge.target, edge.weight) for edge in memory.related(record).edges]


def test_findings_are_records_with_their_sources(memory: Memory) -> None:
    receipt = memory.research(SESSION, agent_id="rex")
    first, _, third = (memory.get(each) for each in receipt.ids)
    assert first is not None
    assert third is not None
    assert (first.kind, first.category, first.session_id) == (Kind.EPISODIC, "insight", "research:r1")
    assert (first.importance, first.confidence, first.source) == (0.8, 0.8, A)
    assert first.metadata == {"urls": [A, B], "title": "A test of editors", "query": "how fast is Helix"}
    assert first.place is not None
    assert (first.place.position_type, first.place.url) == (PositionType.EXTERNAL, A)
    assert first.event_time is not None
    assert first.event_time.isoformat() == "2026-05-03T10:00:00+00:00"
    assert third.source == C
    assert memory.search("how fast does Helix open a file?", agent_id="rex")[0].id == receipt.ids[0]


def test_findings_that_support_each_other_or_share_an_address_are_related(memory: Memory) -> None:
    third = {"content": "Another page says that 2 GB open quickly.", "urls": [B]}
    first, second, other = memory.research([*SESSION["findings"][:2], third], cross_references=[(1, 0)]).ids
    assert edges_of(memory, second) == [(second, "supports", first, 0.8)], "one relation between two is enough"
    assert (first, "relates_to", other, 0.5) in edges_of(memory, other)


def test_one_undo_takes_all_of_it_back(memory: Memory) -> None:
    receipt = memory.research(SESSION)
    assert [each.verb for each in memory.operations()] == ["research"]
    assert receipt.operation is not None
    memory.undo(receipt.operation)
    assert [memory.get(each) for each in receipt.ids] == [None, None, None]
    assert memory.relations().edges == ()
    again = memory.undo(memory.operations(limit=1)[0].id)
    assert again.operation
    assert edges_of(memory, receipt.ids[1]) == [(receipt.ids[1], "supports", receipt.ids[0], 0.8)]


def test_what_is_known_gets_the_new_addresses_and_no_second_record_or_edge(memory: Memory) -> None:
    first = memory.research(SESSION)
    again = memory.research(
        {**SESSION, "findings": [{**each, "urls": [C]} for each in SESSION["findings"]]}, session_id="r2"
    )
    assert again.ids == first.ids
    assert set(again.merged) == set(first.ids)
    known = memory.get(first.ids[0])
    assert known is not None
    assert known.metadata["urls"] == [A, B, C]
    assert known.session_id == "research:r1"
    assert [edge[1] for edge in edges_of(memory, first.ids[0])].count("supports") == 1
    assert again.operation is not None
    memory.undo(again.operation)
    restored = memory.get(first.ids[0])
    assert restored is not None
    assert restored.metadata["urls"] == [A, B]


def test_two_findings_that_say_the_same_are_one_and_do_not_support_themselves(memory: Memory) -> None:
    same = {"content": "Helix 26 opens a file of 2 GB in a second.", "urls": [A]}
    receipt = memory.research([same, same], cross_references=[(0, 1)])
    assert receipt.ids[0] == receipt.ids[1]
    assert edges_of(memory, receipt.ids[0]) == []


def test_what_somebody_said_is_no_finding(memory: Memory) -> None:
    said = memory.add([{"role": "user", "name": "Ana", "content": "Helix 26 opens a file of 2 GB in a second."}]).id
    found = memory.research([SESSION["findings"][0]])
    assert found.id != said
    assert found.merged == ()


def test_a_session_is_named_once(memory: Memory) -> None:
    assert memory.research(SESSION["findings"][:1], session_id="research:x").records[0].session_id == "research:x"
    fresh = memory.research({"content": "One finding alone", "urls": [A]}).records[0].session_id
    assert fresh is not None
    assert fresh.startswith("research:")


def test_json_will_do(memory: Memory) -> None:
    assert len(memory.research(json.dumps(SESSION)).ids) == 3


def test_a_long_address_is_kept_whole_where_there_is_room(memory: Memory) -> None:
    long = "https://example.org/" + "a" * 500
    record = memory.research([{"content": "From far down a page", "urls": [long]}]).records[0]
    assert record.source == "https://example.org"
    assert record.metadata["urls"] == [long]


GOOD = {"content": "Something true", "urls": [A]}


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        {},
        "",
        "not JSON",
        7,
        None,
        ["text"],
        [{"urls": [A]}],
        [{"content": "  ", "urls": [A]}],
        [{**GOOD, "colour": 1}],
        [{**GOOD, "urls": ["ftp://example.org"]}],
        [{**GOOD, "urls": ["example.org"]}],
        [{**GOOD, "urls": ["https://"]}],
        [{**GOOD, "urls": ["javascript:alert(1)"]}],
        [{**GOOD, "urls": [7]}],
        [{**GOOD, "urls": {"a": 1}}],
        [{**GOOD, "urls": ["https://exa mple.org"]}],
        [{**GOOD, "urls": ["https://example.org:99999"]}],
        [{**GOOD, "urls": ["https://u:secret@example.org"]}],
        [{**GOOD, "urls": ["https://example.org/\n"]}],
        [{**GOOD, "confidence": 2}],
        [{**GOOD, "confidence": "high"}],
        [{**GOOD, "discovered_at": "no time at all"}],
        {"findings": []},
        {"findings": [GOOD], "colour": 1},
        [GOOD] * 1001,
    ],
)
def test_bad_findings_store_nothing(memory: Memory, wrong: Any) -> None:
    with pytest.raises(UsageError):
        memory.research(wrong if wrong == [] or not isinstance(wrong, list) else [GOOD, *wrong])
    assert memory.stats()["records"] == 0
    assert memory.operations() == []


@pytest.mark.parametrize(
    "pairs",
    [[(0, 0)], [(0, 2)], [(-1, 0)], [(0,)], [(0, 1, 2)], ["01"], [(0, "1")], [(True, 0)], [3], "01", 5, {"0": 1}],
)
def test_bad_cross_references_store_nothing(memory: Memory, pairs: Any) -> None:
    with pytest.raises(UsageError):
        memory.research([GOOD, {**GOOD, "content": "Something else"}], cross_references=pairs)
    assert memory.stats()["records"] == 0


def test_a_secret_in_an_address_is_not_repeated(memory: Memory) -> None:
    with pytest.raises(RecollectError) as refused:
        memory.research([{**GOOD, "urls": ["https://u:secret@example.org"]}])
    assert "secret" not in refused.value.message
    with pytest.raises(ContentTooLarge):
        memory.research([{**GOOD, "urls": [f"https://example.org/{n}" for n in range(65)]}])


def test_a_finding_is_seen_in_its_scope_only(memory: Memory) -> None:
    receipt = memory.scoped(user_id="ana").research([GOOD])
    assert memory.scoped(user_id="ben").get(receipt.id) is None
    assert memory.scoped(user_id="ana").get(receipt.id) is not None
