"""The map of what is known."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from properties.tables import open_quick
from ticking import Ticking
from upkeep.upkeep_runs import embedding_of, run_steps, table

from recollect.clock import DAY_US
from recollect.config import Config
from recollect.insight.assess import Assessing
from recollect.memory import Memory
from recollect.model.query import Criteria
from recollect.model.scope import Reach, Scope
from recollect.recall.known.domains import domain_of, freshness, is_weak
from recollect.store.summaries import SummaryNode
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


def test_the_map_has_depth_freshness_uncertainty_and_confidence(memory: Memory, path: Path) -> None:
    fire(memory)
    run_steps(memory, AbstractionStep())
    found = assessing(memory).map(Scope(), Reach.ALL)
    (domain,) = found.domains
    assert domain.records == 12
    (mass,) = table(path, "SELECT sum(strength * confidence) AS mass FROM record WHERE retired_at IS NULL")
    assert domain.depth == pytest.approx(mass["mass"])
    assert (domain.freshness, domain.uncertainty) == (1.0, 0.0)
    assert domain.confidence == pytest.approx(domain.depth / (domain.depth + 5))
    assert found.coverage == domain.confidence
    assert "pottery" in domain.label
    assert found.unmapped == 0
    memory.add("Ben sailed across the bay")
    assert assessing(memory).map(Scope(), Reach.ALL).unmapped == 1


def test_silence_lowers_confidence(memory: Memory, clock: Ticking) -> None:
    fire(memory)
    run_steps(memory, AbstractionStep())
    fresh = assessing(memory).map(Scope(), Reach.ALL).domains[0].confidence
    clock.skip(29)
    assert assessing(memory).map(Scope(), Reach.ALL).domains[0].confidence == fresh
    clock.skip(31)
    assert assessing(memory).map(Scope(), Reach.ALL).domains[0].confidence == pytest.approx(fresh / 2, rel=0.01)


def test_freshness_halves_with_every_stretch_of_silence() -> None:
    assert [round(freshness(days * DAY_US, 30), 3) for days in (0, 30, 60, 90)] == [1.0, 1.0, 0.5, 0.25]


def test_what_contradicts_itself_is_uncertain(memory: Memory) -> None:
    ids = fire(memory)
    run_steps(memory, AbstractionStep())
    edge = memory.relate(ids[0], ids[1], "contradicts")
    (domain,) = assessing(memory).map(Scope(), Reach.ALL).domains
    assert domain.uncertainty == pytest.approx(2 / 12)
    memory.unrelate(edge)
    assert assessing(memory).map(Scope(), Reach.ALL).domains[0].uncertainty == 0.0


def test_a_domain_is_weak_when_little_of_it_is_sure() -> None:
    config = Config()
    sure = SummaryNode(level="domain", records=30, mass=30.0, newest_at=1)
    assert not is_weak(sure, config)
    faded = SummaryNode(level="domain", records=30, mass=3.0, newest_at=1)
    assert is_weak(faded, config)
    assert domain_of(faded, config, now=1).confidence < config.domains.weak


def test_a_weak_domain_is_cut_up_more_finely_once(memory: Memory, path: Path) -> None:
    for word in WORDS:
        for place in ("kiln", "shed"):
            memory.add(f"Ana fired the {word} bowl in the {place} of the pottery", confidence=0.1)
    run_steps(memory, AbstractionStep())
    sizes = [row["records"] for row in table(path, "SELECT records FROM summary WHERE live = 1 AND level = 'cluster'")]
    assert sum(sizes) == 24
    assert max(sizes) <= 10  # half of what a cluster may hold
    before = table(path, "SELECT pk FROM summary ORDER BY pk")
    run_steps(memory, AbstractionStep())
    assert table(path, "SELECT pk FROM summary ORDER BY pk") == before


def test_a_scope_sees_its_own_map(memory: Memory) -> None:
    fire(memory, user_id="ana")
    run_steps(memory, AbstractionStep())
    assert assessing(memory).map(Scope(user_id="ben")).domains == ()
    (domain,) = assessing(memory).map(Scope(user_id="ana")).domains
    assert domain.scope == Scope(user_id="ana")
