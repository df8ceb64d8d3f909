"""What `assess` says about a question."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from properties.tables import open_quick
from ticking import Ticking
from upkeep.upkeep_runs import embedding_of, run_steps

from recollect.insight.assess import Assessing
from recollect.memory import Memory
from recollect.model.knowledge import Level
from recollect.model.query import Criteria
from recollect.model.scope import Reach, Scope
from recollect.upkeep.knowledge.abstraction import AbstractionStep

WORDS = "amber birch cedar delta ember fjord grove heath islet jasper knoll lagoon".split()
ALL = Criteria(reach=Reach.ALL)


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


@pytest.fixture
def memory(path: Path, clock: Ticking) -> Iterator[Memory]:
    with open_quick(path, clock=clock) as opened:
        yield opened


def assessing(memory: Memory) -> Assessing:
    engine = memory._engine
    return Assessing(engine.store, embedding_of(memory), engine.recall.search, engine.config, engine.clock)


def fire(memory: Memory, count: int = 12, **more: object) -> list[str]:
    return [memory.add(f"Ana fired the {word} bowl in the kiln of the pottery", **more).id for word in WORDS[:count]]


def test_what_is_stored_is_known_and_what_is_not_is_not(memory: Memory) -> None:
    fire(memory)
    run_steps(memory, AbstractionStep())
    known = assessing(memory).assess("Where did Ana fire the amber bowl?", ALL)
    assert known.level in (Level.CONFIDENT, Level.UNCERTAIN)
    assert known.domain is not None
    assert any("12 records" in reason for reason in known.reasons)
    unknown = assessing(memory).assess("Which satellites orbit Jupiter backwards?", ALL)
    assert unknown.level is Level.UNKNOWN
    assert unknown.confidence < known.confidence
    assert unknown.reasons


def test_an_empty_memory_knows_nothing(memory: Memory) -> None:
    found = assessing(memory).assess("Where did Ana fire the amber bowl?", ALL)
    assert (found.level, found.confidence, found.domain) == (Level.UNKNOWN, 0.0, None)


def test_old_knowledge_is_less_sure_and_says_so(memory: Memory, clock: Ticking) -> None:
    fire(memory)
    run_steps(memory, AbstractionStep())
    question = "Where did Ana fire the amber bowl?"
    fresh = assessing(memory).assess(question, ALL)
    clock.skip(400)
    old = assessing(memory).assess(question, ALL)
    assert 0.6 * fresh.confidence < old.confidence < fresh.confidence
    assert any("nothing new came in since 2026-05-13" in reason for reason in old.reasons)


def test_what_others_know_is_not_told(memory: Memory) -> None:
    fire(memory, user_id="ana")
    run_steps(memory, AbstractionStep())
    found = assessing(memory).assess("Where did Ana fire the amber bowl?", Criteria(scope=Scope(user_id="ben")))
    assert (found.level, found.domain) == (Level.UNKNOWN, None)


def test_without_a_tree_the_search_alone_decides(memory: Memory) -> None:
    fire(memory)
    found = assessing(memory).assess("Where did Ana fire the amber bowl?", ALL)
    assert found.level is not Level.UNKNOWN
    assert "it is in no area of the map yet" in found.reasons
