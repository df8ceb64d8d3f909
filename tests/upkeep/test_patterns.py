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
from recollect.upkeep.consolidation.patterns import Patterns
from recollect.upkeep.consolidation.procedures import Procedures

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
    return dict(run_steps(memory, Patterns(embedding_of(memory), llm), **more).counts)


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
    report = run_steps(memory, Patterns(embedding_of(memory)))
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


# --- procedures --------------------------------------------------------------------------------------------------

DEPLOY = [("terminal", "run tests"), ("terminal", "build image"), ("deployer", "push to staging")]


def works(memory: Memory, session: str, outcome: str = "success", **scope: str) -> None:
    messages = [
        {"role": "tool", "content": f"{action}: finished in {session}", "metadata": {"tool": tool, "action": action}}
        for tool, action in DEPLOY
    ]
    messages[-1]["metadata"]["outcome"] = outcome  # type: ignore[index]
    memory.add(messages, session_id=session, **scope)


def procedures_in(path: Path) -> list[dict[str, object]]:
    sql = (
        "SELECT id, content, attributes ->> '$.steps' AS steps, attributes ->> '$.tools' AS tools, "
        "attributes ->> '$.successes' AS successes, attributes ->> '$.failures' AS failures FROM record "
        "WHERE kind = 'procedural' AND retired_at IS NULL AND head_pk IS NULL"
    )
    return table(path, sql)


def test_what_is_done_three_times_is_a_procedure(memory: Memory, path: Path) -> None:
    for session, outcome in (("one", "success"), ("two", "failure"), ("three", "success")):
        works(memory, session, outcome)
    assert dict(run_steps(memory, Procedures(embedding_of(memory))).counts) == {"made": 1}
    (found,) = procedures_in(path)
    assert found["steps"] == '["terminal run tests","terminal build image","deployer push to staging"]'
    assert found["tools"] == '["terminal","deployer"]'
    assert (found["successes"], found["failures"]) == (2, 1)
    assert run_steps(memory, Procedures(embedding_of(memory))).counts == {}


def test_a_procedure_counts_on_and_goes_with_its_turns(memory: Memory, path: Path) -> None:
    for session in ("one", "two", "three"):
        works(memory, session)
    run_steps(memory, Procedures(embedding_of(memory)))
    before = visible_state(path)
    works(memory, "four")
    report = run_steps(memory, Procedures(embedding_of(memory)))
    assert report.counts == {"updated": 1}
    assert procedures_in(path)[0]["successes"] == 4
    memory.undo(str(report.operation))
    assert procedures_in(path)[0]["successes"] == 3
    assert before.keys() <= visible_state(path).keys()
    memory.delete_all(session_id="one")
    memory.delete_all(session_id="two")
    assert run_steps(memory, Procedures(embedding_of(memory))).counts == {"retired": 1}
    assert procedures_in(path) == []


def test_procedures_of_two_scopes_are_two_people_s(memory: Memory, path: Path) -> None:
    works(memory, "one", user_id="ana")
    works(memory, "two", user_id="ana")
    works(memory, "three", user_id="ben")
    run_steps(memory, Procedures(embedding_of(memory)))
    assert procedures_in(path) == []


def test_orders_that_are_given_in_the_same_order_are_a_procedure(memory: Memory, path: Path) -> None:
    for session in ("one", "two", "three"):
        for said in ("Run the test suite", "Check the coverage report", "Push the branch to staging"):
            memory.add([{"role": "user", "content": said}], session_id=session)
    run_steps(memory, Procedures(embedding_of(memory)))
    (found,) = procedures_in(path)
    assert found["content"] == (
        "Usual steps: 1. Run the test suite; 2. Check the coverage report; 3. Push the branch to staging"
    )
