"""Patterns: found from three on, found again, growing and going with their instances, and never across scopes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_llm import Answering, broken
from properties.tables import assert_sound, open_quick, visible_state
from upkeep.upkeep_runs import Crash, abandon, dying_at, embedding_of, holds, run_steps, table

from recollect.memory import Memory
from recollect.providers.base import Llm
from recollect.upkeep.consolidation.patterns import PatternsStep

TEAS = ["green", "black", "white"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


@pytest.fixture
def memory(path: Path) -> Iterator[Memory]:
    with open_quick(path) as opened:
        yield opened


def drinks(memory: Memory, *teas: str, who: str = "Ana", **scope: str) -> list[str]:
    return [memory.add(f"{who} likes to drink {tea} tea in the morning", **scope).id for tea in teas]


def found_in(path: Path) -> list[dict[str, object]]:
    return table(path, "SELECT * FROM record WHERE kind = 'schema' AND retired_at IS NULL AND head_pk IS NULL")


def instances(memory: Memory, pattern_id: str) -> set[str]:
    found = memory.related(pattern_id, labels=["instance_of"])
    return {member.record_id for edge in found.edges for member in edge.members} - {pattern_id}


def look(memory: Memory, llm: Llm | None = None, **more: object) -> dict[str, int]:
    return dict(run_steps(memory, PatternsStep(embedding_of(memory), llm), **more).counts)


def test_three_like_each_other_make_a_pattern(memory: Memory, path: Path) -> None:
    ids = drinks(memory, *TEAS)
    assert look(memory) == {"made": 1}
    (pattern,) = found_in(path)
    assert instances(memory, str(pattern["id"])) == set(ids)
    assert all(tea in str(pattern["content"]) for tea in TEAS)
    assert pattern["category"] == "pattern"
    assert_sound(path)


def test_two_do_not(memory: Memory, path: Path) -> None:
    drinks(memory, "green", "black")
    assert look(memory) == {}
    assert found_in(path) == []


def test_what_is_not_believed_does_not(memory: Memory, path: Path) -> None:
    for tea in TEAS:
        memory.add(f"Ana likes to drink {tea} tea in the morning", confidence=0.3)
    look(memory)  # together 1 - 0.7³ = 0.66
    assert found_in(path) == []


def test_the_second_run_adds_nothing(memory: Memory, path: Path) -> None:
    drinks(memory, *TEAS)
    look(memory)
    before = visible_state(path)
    assert look(memory) == {}
    assert visible_state(path) == before


def test_a_pattern_grows_and_is_not_doubled(memory: Memory, path: Path) -> None:
    ids = drinks(memory, *TEAS)
    look(memory)
    (first,) = found_in(path)
    ids += drinks(memory, "yellow", "red")
    assert look(memory) == {"updated": 1}
    (second,) = found_in(path)
    assert second["id"] == first["id"]
    assert instances(memory, str(second["id"])) == set(ids)
    assert "yellow" in str(second["content"])
    assert len(memory.history(str(second["id"]))) == 2


def test_it_goes_when_too_few_are_left(memory: Memory, path: Path) -> None:
    ids = drinks(memory, *TEAS)
    look(memory)
    memory.delete(ids[1])
    assert look(memory) == {"retired": 1}
    assert found_in(path) == []
    assert table(path, "SELECT 1 FROM edge WHERE label = 'instance_of' AND retired_at IS NULL") == []


def test_what_somebody_deleted_stays_away(memory: Memory, path: Path) -> None:
    drinks(memory, *TEAS)
    look(memory)
    memory.delete(str(found_in(path)[0]["id"]))
    assert look(memory) == {}
    drinks(memory, "yellow")
    assert look(memory) == {}
    assert found_in(path) == []


def test_what_somebody_worded_is_not_reworded(memory: Memory, path: Path) -> None:
    drinks(memory, *TEAS)
    look(memory)
    (pattern,) = found_in(path)
    memory.update(str(pattern["id"]), content="Ana drinks tea whenever it is morning")
    drinks(memory, "yellow")
    look(memory)
    (kept,) = found_in(path)
    assert kept["content"] == "Ana drinks tea whenever it is morning"
    assert len(instances(memory, str(kept["id"]))) == 4


def test_subjects_and_denials_are_not_mixed(memory: Memory, path: Path) -> None:
    drinks(memory, "green", "black")
    drinks(memory, "white", who="Ben")
    memory.add("Ana does not like to drink red tea in the morning")
    look(memory)
    assert found_in(path) == []


def test_scopes_are_not_mixed(memory: Memory, path: Path) -> None:
    drinks(memory, "green", "black", user_id="ana")
    drinks(memory, "white", "red", user_id="ben")
    look(memory)
    assert found_in(path) == []
    drinks(memory, "yellow", user_id="ben")
    look(memory)
    (pattern,) = found_in(path)
    assert table(path, "SELECT user_id FROM scope WHERE pk = ?", pattern["scope_pk"]) == [{"user_id": "ben"}]
    assert "green" not in str(pattern["content"])


def test_undo_takes_it_back_exactly(memory: Memory, path: Path) -> None:
    drinks(memory, *TEAS)
    before = visible_state(path)
    report = run_steps(memory, PatternsStep(embedding_of(memory)))
    assert report.operation is not None
    memory.undo(report.operation)
    assert visible_state(path) == before
    assert look(memory) == {"made": 1}  # it may be found again


def test_a_dry_run_shows_and_changes_nothing(memory: Memory, path: Path) -> None:
    drinks(memory, *TEAS)
    before = visible_state(path)
    assert look(memory, dry_run=True) == {"made": 1}
    assert visible_state(path) == before


def test_a_process_that_dies_leaves_nothing_half_done(
    memory: Memory, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drinks(memory, *TEAS)
    before = visible_state(path)
    with dying_at(monkeypatch, 0), pytest.raises(Crash):
        look(memory)
    assert visible_state(path) == before
    abandon(path)
    assert look(memory) == {"made": 1}
    assert len(found_in(path)) == 1


def test_erasing_an_instance_takes_the_pattern_along(memory: Memory, path: Path) -> None:
    """Its words are those of its instances."""
    ids = drinks(memory, "green", "black", "zanzibari")
    look(memory)
    assert holds(path, "zanzibari")
    memory.delete(ids[2], hard=True)
    assert found_in(path) == []
    assert holds(path, "zanzibari") == []


def test_a_model_words_it_as_long_as_it_invents_nothing(memory: Memory, path: Path) -> None:
    drinks(memory, *TEAS)
    look(memory, Answering(lambda prompt: "Ana likes green, black and white tea in the morning."))
    assert found_in(path)[0]["content"] == "Ana likes green, black and white tea in the morning."


@pytest.mark.parametrize("say", [broken, lambda prompt: "Ben flew to Lisbon in 1999.", lambda prompt: ""])
def test_a_model_that_fails_or_invents_is_not_believed(memory: Memory, path: Path, say: object) -> None:
    drinks(memory, *TEAS)
    look(memory, Answering(say))  # type: ignore[arg-type]
    assert str(found_in(path)[0]["content"]).startswith("Ana likes to drink")
