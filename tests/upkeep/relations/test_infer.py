"""What follows from what is known, and what goes when a premise goes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties.tables import assert_sound, open_quick, visible_state
from upkeep.upkeep_runs import Crash, abandon, dying_at, embedding_of, run_steps, table

from recollect.memory import Memory
from recollect.store.relations import Link
from recollect.upkeep.relations.infer import CHAIN_MAX, InferStep, follows


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


@pytest.fixture
def memory(path: Path) -> Iterator[Memory]:
    with open_quick(path) as opened:
        yield opened


def infer(memory: Memory, **more: object) -> dict[str, int]:
    return dict(run_steps(memory, InferStep(embedding_of(memory)), **more).counts)


def chain(memory: Memory, *names: str, label: str = "depends_on", confidence: float = 1.0) -> list[str]:
    ids = [memory.add(f"{name} is one of the services").id for name in names]
    for one, two in pairwise(ids):
        memory.relate(one, two, label, confidence=confidence)
    return ids


def inferred(path: Path) -> set[tuple[str, str, str]]:
    sql = (
        "SELECT a.content AS a, e.label AS label, b.content AS b FROM edge e "
        "JOIN member m ON m.edge_pk = e.pk AND m.position = 0 JOIN record a ON a.pk = m.record_pk "
        "JOIN member n ON n.edge_pk = e.pk AND n.position = 1 JOIN record b ON b.pk = n.record_pk "
        "WHERE e.retired_at IS NULL AND e.auto_extracted = 1 AND e.attributes ->> '$.method' = 'transitive'"
    )
    return {(row["a"].split()[0], row["label"], row["b"].split()[0]) for row in table(path, sql)}


def test_a_relation_carries_over(memory: Memory, path: Path) -> None:
    first, _, last = chain(memory, "Shop", "Billing", "Vault")
    assert infer(memory) == {"linked": 1}
    assert inferred(path) == {("Shop", "depends_on", "Vault")}
    (edge,) = (each for each in memory.related(first, labels=["depends_on"], depth=1).edges if each.target == last)
    assert edge.auto_extracted
    assert len(edge.attributes["inferred_from"]) == 2
    assert infer(memory) == {}
    assert_sound(path)


def test_labels_that_do_not_carry_over_do_not(memory: Memory, path: Path) -> None:
    chain(memory, "Shop", "Billing", "Vault", label="supports")
    assert infer(memory) == {}


def test_a_conclusion_is_no_surer_than_its_premises(memory: Memory, path: Path) -> None:
    chain(memory, "Shop", "Billing", "Vault", confidence=0.8)  # 0.64 together
    assert infer(memory) == {}
    chain(memory, "Desk", "Lamp", "Socket", confidence=0.9)
    assert infer(memory) == {"linked": 1}
    assert table(path, "SELECT confidence FROM edge WHERE attributes ->> '$.method' = 'transitive'") == [
        {"confidence": pytest.approx(0.81)}
    ]


def test_a_chain_is_at_most_five_long(memory: Memory, path: Path) -> None:
    chain(memory, *"ABCDEFG")
    infer(memory)
    infer(memory)
    found = inferred(path)
    assert ("A", "depends_on", "F") in found
    assert ("A", "depends_on", "G") not in found
    assert (
        max(
            row["chain"]
            for row in table(path, "SELECT attributes ->> '$.chain' AS chain FROM edge WHERE attributes IS NOT NULL")
        )
        == 5
    )


def test_nothing_leads_back_to_where_it_starts(memory: Memory, path: Path) -> None:
    chain(memory, "Shop", "Billing", "Vault", "Shop2", label="located_in")
    ids = [row["id"] for row in table(path, "SELECT id FROM record ORDER BY pk")]
    memory.relate(ids[3], ids[0], "located_in")  # an open label may form a circle
    infer(memory)
    assert all(a != b for a, _, b in inferred(path))


def test_what_follows_goes_with_a_premise_and_comes_back_with_it(memory: Memory, path: Path) -> None:
    _, middle, _ = chain(memory, "Shop", "Billing", "Vault")
    infer(memory)
    gone = memory.delete(middle)
    assert infer(memory) == {"retired": 1}
    assert inferred(path) == set()
    memory.undo(str(gone.operation))
    assert infer(memory) == {"linked": 1}


def test_what_somebody_took_away_is_not_inferred_again(memory: Memory, path: Path) -> None:
    chain(memory, "Shop", "Billing", "Vault")
    infer(memory)
    (edge,) = table(path, "SELECT id FROM edge WHERE attributes ->> '$.method' = 'transitive'")
    memory.unrelate(edge["id"])
    assert infer(memory) == {}


def test_undo_takes_conclusions_back_exactly(memory: Memory, path: Path) -> None:
    chain(memory, "Shop", "Billing", "Vault")
    memory.add("The billing service depends on Redis")
    memory.add("Redis depends on the vault")
    before = visible_state(path)
    report = run_steps(memory, InferStep(embedding_of(memory)))
    assert report.counts == {"linked": 1, "made": 1}
    memory.undo(str(report.operation))
    assert visible_state(path) == before
    assert infer(memory) == {"linked": 1, "made": 1}


def test_scopes_are_not_mixed(memory: Memory, path: Path) -> None:
    memory.add("The billing service depends on Redis", user_id="ana")
    memory.add("Redis depends on the vault", user_id="ben")
    a = memory.add("The shop", user_id="ana").id
    b = memory.add("The till", user_id="ana").id
    c = memory.add("The bank", user_id="ben").id
    memory.relate(a, b, "depends_on")
    memory.relate(b, c, "depends_on")
    assert infer(memory) == {}


def test_statements_follow_from_statements(memory: Memory, path: Path) -> None:
    ids = [memory.add(text).id for text in ("Ana lives in Porto", "Porto is in Portugal", "Portugal is in Europe")]
    infer(memory)
    rows = table(path, "SELECT content, source FROM record WHERE attributes ->> '$.method' = 'transitive'")
    assert {row["content"] for row in rows} == {"Ana lives in Portugal", "Porto is in Europe", "Ana lives in Europe"}
    assert {row["source"] for row in rows} == {"inferred"}
    memory.delete(ids[1])
    infer(memory)
    infer(memory)
    left = table(
        path, "SELECT content FROM record WHERE attributes ->> '$.method' = 'transitive' AND retired_at IS NULL"
    )
    assert left == []


def test_a_statement_that_is_denied_proves_nothing(memory: Memory, path: Path) -> None:
    memory.add("The billing service does not depend on Redis")
    memory.add("Redis depends on the vault")
    assert infer(memory) == {}


def test_a_process_that_dies_leaves_nothing_half_done(
    memory: Memory, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chain(memory, "Shop", "Billing", "Vault")
    memory.add("The billing service depends on Redis")
    memory.add("Redis depends on the vault")
    for portion in (0, 1):
        with dying_at(monkeypatch, portion), pytest.raises(Crash):
            infer(memory)
        abandon(path)
    infer(memory)
    assert len(inferred(path)) == 1
    assert len(table(path, "SELECT 1 FROM record WHERE source = 'inferred' AND retired_at IS NULL")) == 1


@given(
    st.lists(
        st.tuples(st.integers(0, 6), st.integers(0, 6), st.floats(0.5, 1.0)), max_size=20, unique_by=lambda t: t[:2]
    )
)
def test_conclusions_rest_on_what_is_there(pairs: list[tuple[int, int, float]]) -> None:
    links = [Link(at, f"e{at}", "part_of", one, two, sure, 1 + at % 3, ()) for at, (one, two, sure) in enumerate(pairs)]
    by_id = {link.id: link for link in links}
    known = {(link.source, link.target) for link in links}
    for new in follows(links, 0.7):
        first, second = (by_id[premise] for premise in new.premises)
        assert (first.source, second.target) == (new.source, new.target)
        assert first.target == second.source
        assert 0.7 <= new.confidence <= min(first.confidence, second.confidence)
        assert new.chain == first.chain + second.chain <= CHAIN_MAX
        assert new.source != new.target
        assert {(new.source, new.target), (new.target, new.source)} & known == set()
