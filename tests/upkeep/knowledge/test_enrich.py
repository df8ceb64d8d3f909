"""Entities that are named often get a summary; it says nothing that the reader of the entity may not see."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from fake_llm import Answering, broken
from properties.tables import looking_at, open_quick, visible_state
from upkeep.upkeep_runs import Crash, abandon, dying_at, holds, run_steps, table

from recollect.memory import Memory
from recollect.upkeep.knowledge.enrich import EnrichStep

SAID = ["Ana Ruiz lives in Porto", "Ana Ruiz plays the cello", "Ana Ruiz works at the harbour office"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


@pytest.fixture
def memory(path: Path) -> Iterator[Memory]:
    with open_quick(path) as opened:
        yield opened


def tell(memory: Memory, *said: str, **scope: str) -> list[str]:
    return [memory.add(each, **scope).id for each in said]


def summaries(path: Path) -> dict[str, str | None]:
    return {row["name"]: row["summary"] for row in table(path, "SELECT name, summary FROM entity")}


def test_three_mentions_make_a_summary(memory: Memory, path: Path) -> None:
    tell(memory, *SAID[:2])
    assert run_steps(memory, EnrichStep()).counts == {}
    tell(memory, SAID[2])
    assert run_steps(memory, EnrichStep()).counts == {"enriched": 1}
    found = summaries(path)["Ana Ruiz"]
    assert found is not None
    assert all(part in found for part in ("person", "lives in Porto", "plays the cello", "harbour office"))
    assert memory.entity("Ana Ruiz").entity.summary == found
    assert run_steps(memory, EnrichStep()).counts == {}


def test_undo_takes_it_back(memory: Memory, path: Path) -> None:
    tell(memory, *SAID)
    before, named = visible_state(path), summaries(path)
    report = run_steps(memory, EnrichStep())
    assert summaries(path) != named
    memory.undo(str(report.operation))
    assert (visible_state(path), summaries(path)) == (before, named)
    assert run_steps(memory, EnrichStep()).counts == {"enriched": 1}


def test_it_is_written_anew_when_much_more_is_known(memory: Memory, path: Path) -> None:
    tell(memory, *SAID)
    run_steps(memory, EnrichStep())
    tell(memory, "Ana Ruiz collects old maps of Lisbon")
    assert run_steps(memory, EnrichStep()).counts == {"enriched": 1}
    assert "old maps" in str(summaries(path)["Ana Ruiz"])


@pytest.mark.parametrize("hard", [False, True])
def test_what_is_deleted_is_told_no_more(memory: Memory, path: Path, hard: bool) -> None:
    ids = tell(memory, *SAID, "Ana Ruiz keeps zanzibari parrots")
    run_steps(memory, EnrichStep())
    assert "zanzibari" in str(summaries(path)["Ana Ruiz"])
    memory.delete(ids[3], hard=hard)
    assert "zanzibari" not in str(summaries(path)["Ana Ruiz"])  # at once, not with the next run
    if hard:
        assert holds(path, "zanzibari") == []
    assert run_steps(memory, EnrichStep()).counts == {"enriched": 1}
    assert "zanzibari" not in str(summaries(path)["Ana Ruiz"])
    assert "Porto" in str(summaries(path)["Ana Ruiz"])


def test_a_summary_that_was_replaced_leaves_no_trace_in_the_journal(memory: Memory, path: Path) -> None:
    ids = tell(memory, *SAID, "Ana Ruiz keeps zanzibari parrots")
    run_steps(memory, EnrichStep())
    tell(memory, *(f"Ana Ruiz knows the {place} well" for place in ("harbour", "library", "market")))
    run_steps(memory, EnrichStep())
    memory.delete(ids[3], hard=True)
    assert holds(path, "zanzibari") == []


def test_what_a_narrower_scope_says_stays_there(memory: Memory, path: Path) -> None:
    tell(memory, *SAID)
    tell(memory, "Ana Ruiz owes Ben a secret thousand", user_id="ben")
    run_steps(memory, EnrichStep())
    assert "secret" not in str(summaries(path)["Ana Ruiz"])


def test_what_is_confidential_is_not_told(memory: Memory, path: Path) -> None:
    tell(memory, *SAID)
    secret = memory.add("Ana Ruiz has the code 4711 for the vault").id
    with looking_at(path) as db:
        db.execute("UPDATE record SET security = 'confidential' WHERE id = ?", (secret,))
    run_steps(memory, EnrichStep())
    assert "4711" not in str(summaries(path)["Ana Ruiz"])


def test_the_mean_direction_follows_the_records(memory: Memory, path: Path) -> None:
    tell(memory, *SAID)
    run_steps(memory, EnrichStep())
    with memory._engine.store.read() as tx:
        (space,) = tx.vectors.spaces()
        pk = tx.sql.value("SELECT pk FROM entity WHERE name = 'Ana Ruiz'")
        scope_pk = tx.sql.value("SELECT scope_pk FROM entity WHERE pk = ?", (pk,))
        _, rows = tx.vectors.load(
            space, [row[0] for row in tx.sql.all("SELECT record_pk FROM mention WHERE entity_pk = ?", (pk,))]
        )
        direction = tx.enriched.centroids(scope_pk, space)[pk]
    mean = rows.mean(axis=0)
    np.testing.assert_allclose(direction, mean / np.linalg.norm(mean), atol=2e-3)


def test_a_process_that_dies_leaves_nothing_half_done(
    memory: Memory, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(memory, *SAID)
    with dying_at(monkeypatch, 0), pytest.raises(Crash):
        run_steps(memory, EnrichStep())
    assert summaries(path)["Ana Ruiz"] is None
    assert table(path, "SELECT 1 FROM enriched") == []
    abandon(path)
    assert run_steps(memory, EnrichStep()).counts == {"enriched": 1}


def test_a_model_writes_it_and_a_broken_one_does_not(memory: Memory, path: Path) -> None:
    tell(memory, *SAID)
    run_steps(memory, EnrichStep(Answering(lambda prompt: "Ana Ruiz lives in Porto and plays the cello.")))
    assert summaries(path)["Ana Ruiz"] == "Ana Ruiz lives in Porto and plays the cello."
    tell(memory, *(f"Ana Ruiz knows the {place} well" for place in ("harbour", "library", "market")))
    report = run_steps(memory, EnrichStep(Answering(broken)))
    assert report.counts == {"enriched": 1}
    assert str(summaries(path)["Ana Ruiz"]).startswith("Ana Ruiz (person): ")
