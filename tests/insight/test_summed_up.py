"""`summaries`: from what is at the top down to records."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import recollect
from recollect.errors import NotFound, UsageError
from recollect.memory import Memory
from recollect.model.knowledge import SummaryLevel

LIKED = ("green tea", "black tea", "white tea", "red wine", "oat milk", "cold water")


@pytest.fixture
def memory() -> Iterator[Memory]:
    with recollect.open(":memory:", embedder="fake") as found:
        for what in LIKED:
            found.add(f"Ana likes to drink {what} in the morning", user_id="ana")
        found.add("Ben plays the cello in Porto", user_id="ben")
        found.maintain()
        yield found


def test_a_tree_is_walked_from_the_top_to_its_records(memory: Memory) -> None:
    tops = memory.summaries(user_id="ana")
    assert tops.node is None
    (top,) = tops.below
    assert (top.summary.level, top.scope.user_id, top.parts) == (SummaryLevel.GLOBAL, "ana", 1)
    seen: set[str] = set()
    (area,) = memory.summaries(top.number, user_id="ana").below
    assert area.number in {each.number for each in memory.knowledge(user_id="ana").domains}
    for cluster in memory.summaries(area.number, user_id="ana").below:
        branch = memory.summaries(cluster.number, user_id="ana")
        assert [each.number for each in branch.above] == [top.number, area.number]
        assert branch.node == cluster
        assert not branch.below
        seen |= {record.content for record in branch.records}
    assert seen == {f"Ana likes to drink {what} in the morning" for what in LIKED}


def test_records_of_a_cluster_come_in_pages(memory: Memory) -> None:
    at = memory.summaries(user_id="ana")
    while at.below:
        at = memory.summaries(at.below[0].number, user_id="ana")
    assert at.node is not None
    ids = [record.id for record in at.records]
    assert len(ids) > 1
    pages = [memory.summaries(at.node.number, limit=1, start=each).records[0].id for each in range(len(ids))]
    assert pages == ids


def test_nobody_sees_the_tree_of_somebody_else(memory: Memory) -> None:
    (ana,) = memory.summaries(user_id="ana").below
    ben = memory.scoped(user_id="ben")
    assert {each.scope.user_id for each in ben.summaries().below} == {"ben"}
    with pytest.raises(NotFound):
        ben.summaries(ana.number)
    assert len(memory.summaries(reach="all").below) == 2


def test_what_is_deleted_leaves_the_branch_at_once(memory: Memory) -> None:
    at = memory.summaries(user_id="ana")
    while at.below:
        at = memory.summaries(at.below[0].number, user_id="ana")
    assert at.node is not None
    gone = at.records[0]
    memory.delete(gone.id)
    now = memory.summaries(at.node.number)
    assert gone.id not in {record.id for record in now.records}
    assert now.node is not None
    assert now.node.summary.text == "", "its words may have been those of the record"


@pytest.mark.parametrize("number", [0, -1, True, "1", 2**70])
def test_a_number_that_makes_no_sense(memory: Memory, number: object) -> None:
    with pytest.raises(UsageError):
        memory.summaries(number)  # type: ignore[arg-type]


def test_a_number_that_is_not_there(memory: Memory) -> None:
    with pytest.raises(NotFound):
        memory.summaries(10**9)


def test_summaries_of_every_level_are_found_by_what_they_are_about(memory: Memory) -> None:
    found = memory.summaries(about="tea in the morning", user_id="ana").below
    assert {each.summary.level for each in found} == set(SummaryLevel)
    assert "tea" in found[0].summary.text
    assert memory.summaries(about="tea in the morning", limit=1, start=1, user_id="ana").below == found[1:2]


def test_summaries_found_are_those_a_reader_may_see(memory: Memory) -> None:
    ben = memory.scoped(user_id="ben")
    found = ben.summaries(about="Ben plays the cello").below
    assert {each.scope.user_id for each in found} == {"ben"}
    assert not any("tea" in each.summary.text for each in ben.summaries(about="tea").below)


def test_the_whole_tree_or_a_branch_is_looked_through_and_not_both(memory: Memory) -> None:
    with pytest.raises(UsageError, match="under"):
        memory.summaries(1, about="tea")
