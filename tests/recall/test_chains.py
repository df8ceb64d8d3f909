"""How something developed: `timeline`, `history` and `explain` tell one chain, in one order, with the same dates."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from changed_lives import ChangedLife

from recollect.model.timeline import Transition

TURNS = ("I use vim", "Honestly I have been on Helix", "Zed opens my files")
STATEMENTS = ("Ana uses vim", "Ana has been on Helix", "Zed opens Ana's")


@pytest.fixture
def life(tmp_path: Path) -> Iterator[ChangedLife]:
    opened = ChangedLife(tmp_path / "m.db")
    opened.end(STATEMENTS[1], STATEMENTS[0])
    opened.end(STATEMENTS[2], STATEMENTS[1])
    yield opened
    opened.memory.close()


@pytest.mark.parametrize("topic", ["vim", "Helix editor", "Zed"])
def test_the_three_tell_the_same_chain(life: ChangedLife, topic: str) -> None:
    turns = [life.record(each).id for each in TURNS]
    told = [event for event in life.memory.timeline(topic, user_id="ana") if event.record.id in turns]
    assert [event.record.id for event in told] == turns, "whichever of its words the chain is asked by"
    for earlier, later in pairwise(told):
        assert later.transition is Transition.CORRECTION
        assert (later.of, earlier.ended_by) == (earlier.record.id, later.record.id)
    ends = [event.ended_at for event in told]
    for place, beginning in enumerate(STATEMENTS):
        record = life.record(beginning)
        assert [each.id for each in life.memory.explain(record.id).evolution] == [
            life.record(each).id for each in STATEMENTS
        ]
        *_, last = life.memory.history(record.id)
        assert last.record is not None
        assert last.record.valid_until == ends[place]
    assert ends[-1] is None


def test_a_lifted_end_leaves_the_chain(life: ChangedLife) -> None:
    life.memory.delete(life.record(TURNS[2]).id)
    told = {event.record.id: event for event in life.memory.timeline("Helix editor", user_id="ana")}
    assert told[life.record(TURNS[1]).id].ended_at is None
    assert life.record(STATEMENTS[1]).valid_until is None


def test_a_chain_of_another_user_is_not_told(life: ChangedLife) -> None:
    assert list(life.memory.timeline("vim", user_id="ben")) == []


def test_reasoning_puts_what_holds_before_what_has_ended(life: ChangedLife) -> None:
    evidence = life.memory.reason("Which editor does Ana use, vim or Helix or Zed?", user_id="ana").evidence
    places = {hit.id: place for place, hit in enumerate(evidence)}
    old, _, new = (places[life.record(each).id] for each in TURNS)
    assert new < old
    assert not evidence[old].current
