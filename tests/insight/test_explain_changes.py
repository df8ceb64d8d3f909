"""`explain` says which text ended a record, by what probability and why, and in which chain it stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from changed_lives import ChangedLife

from recollect.insight.assess import level_of
from recollect.model.ending import Decider
from recollect.model.knowledge import Level

USES_VIM, ON_HELIX, ON_ZED = "Ana uses vim", "Ana has been on Helix", "Zed opens Ana's files"


@pytest.fixture
def life(tmp_path: Path) -> Iterator[ChangedLife]:
    opened = ChangedLife(tmp_path / "m.db")
    yield opened
    opened.memory.close()


def test_it_says_which_text_ended_a_statement_and_by_what_probability(life: ChangedLife) -> None:
    life.end(ON_HELIX, USES_VIM, probability=0.87, reason="editor: vim → Helix")
    told = life.memory.explain(life.record(USES_VIM).id)
    (ending,) = told.ended_by
    assert (ending.by_record, ending.by, ending.probability) == (life.record(ON_HELIX).id, Decider.MODEL, 0.87)
    assert ending.ended_at is not None
    assert ending.ended_at.date().isoformat() == "2025-05-02"
    assert (
        "ended on 2025-05-02 by “Ana has been on Helix for a week”, decided by the reader of pairs "
        "with probability 0.87 (editor: vim → Helix)"
    ) in told.because
    assert told.to_dict()["ended_by"][0]["probability"] == 0.87


def test_of_a_turn_it_tells_the_same_of_what_was_drawn_from_it(life: ChangedLife) -> None:
    life.end("Ana quit the bakery", "Ana works at the bakery")
    told = life.memory.explain(life.record("I work at the bakery").id)
    (ending,) = told.ended_by
    assert ending.record == life.record("Ana works at the bakery").id
    assert any(
        line.startswith("of it, “Ana works at the bakery on Mill Street” ended on 2025-05-30") for line in told.because
    )


def test_a_doubt_is_told_as_a_doubt(life: ChangedLife) -> None:
    life.doubt("Ana's knee hurts", "Ana runs ten", probability=0.58)
    told = life.memory.explain(life.record("Ana runs ten").id)
    assert told.ended_by == ()
    assert [doubt.probability for doubt in told.may_have_changed] == [0.58]
    assert any("may have been changed by" in line and "0.58" in line for line in told.because)


def test_the_chain_is_told_in_order_from_wherever_it_is_asked(life: ChangedLife) -> None:
    life.end(ON_ZED, ON_HELIX)
    life.end(ON_HELIX, USES_VIM)
    for beginning in (USES_VIM, ON_HELIX, ON_ZED):
        told = life.memory.explain(life.record(beginning).id)
        assert [record.content.split(" ")[1] for record in told.evolution] == ["uses", "has", "opens"]


def test_what_has_ended_is_no_confident_answer(life: ChangedLife) -> None:
    question = "What do mornings mean, black coffee?"
    assert not any("holds no more" in reason for reason in life.memory.assess(question, user_id="ana").reasons)
    life.memory.update(life.record("Mornings mean").id, valid_until="2026-05-14")
    found = life.memory.search(question, user_id="ana", as_of="2026-05-13T18:00")
    assert found[0].content.startswith("Mornings mean")
    assert level_of(0.99, found, life.memory.config) is Level.CONFIDENT
    over = replace(found, hits=(replace(found[0], current=False), *found.hits[1:]))
    assert level_of(0.99, over, life.memory.config) is Level.UNCERTAIN


def test_a_lifted_end_is_told_no_more(life: ChangedLife) -> None:
    life.end(ON_HELIX, USES_VIM)
    life.memory.delete(life.record("Honestly I have been on Helix").id)
    told = life.memory.explain(life.record(USES_VIM).id)
    assert told.ended_by == ()
    assert told.record.valid_until is None
    assert told.evolution == ()
