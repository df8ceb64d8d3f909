"""Before the indexes are warm, and about what was believed earlier: the same ranking from the tables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from ticking import Ticking

from recollect import Memory
from recollect.index import follow
from recollect.recall.question.query import STRATEGIES
from recollect.wiring import open_memory

NOTES = [
    "Ana moved from vim to Helix",
    "Ben restarts the worker with svc restart billing",
    "The price cache has no expiry",
    "Releases are cut from main on Fridays",
    "Ana drinks green tea in the morning",
]
EFFECT, CAUSE = "Checkout was slow on Friday", "A nightly vacuum kept the disk busy"


class Both(NamedTuple):
    warm: Memory
    cold: Memory
    clock: Ticking

    def search(self, question: str, **given: Any) -> tuple[Any, Any]:
        warm, cold = self.warm.search(question, **given), self.cold.search(question, **given)
        assert warm.quality.level == "full"
        assert cold.quality.level == "text_plus_disk_vectors"
        return warm, cold


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    """The same store twice: in one memory the indexes are warm, in the other they never will be."""
    path: Path = tmp_path_factory.mktemp("cold") / "m.db"
    clock = Ticking()
    warm = open_memory(path, embedder="wordllama", clock=clock)
    warm.add(NOTES)
    effect, cause = (warm.add(content).id for content in (EFFECT, CAUSE))
    warm.relate(cause, effect, "causes")
    warm.add({"content": "Tokens are renewed hourly", "place": {"file_path": "src/auth.py"}})
    warm.add("Oats and rice", tags=["groceries"], category="errand", metadata={"shop": "Corner Market", "no": "a7"})
    turn = warm.add({"role": "user", "content": "I sold my boat in Bergen last summer", "name": "Ana"}).id
    fact = warm.add("Ana has no boat any more", kind="semantic").id
    warm.relate(fact, turn, "derived_from")
    patch = pytest.MonkeyPatch()
    patch.setattr(follow, "_WARM_DELAY_S", 3600)
    patch.setattr(follow, "SMALL_ROWS", -1)
    cold = open_memory(path, embedder="wordllama", clock=clock)
    yield Both(warm, cold, clock)
    cold.close()
    warm.close()
    patch.undo()


@pytest.mark.parametrize("rerank", [None, *STRATEGIES])
@pytest.mark.parametrize(
    "question", ["who moved from vim to Helix?", "restart the worker", "price cache expiry", "when are releases cut?"]
)
def test_clear_cases_have_the_same_first_hit(both: Both, question: str, rerank: str | None) -> None:
    warm, cold = both.search(question, rerank=rerank)
    assert warm[0].id == cold[0].id
    assert warm[0].score == pytest.approx(cold[0].score, abs=0.02)
    assert (warm.abstained, cold.abstained) == (False, False)


@pytest.mark.parametrize("question", ["groceries", "what errands are there?", "corner market"])
def test_what_a_record_is_filed_under_finds_it(both: Both, question: str) -> None:
    for found in both.search(question):
        assert found[0].content == "Oats and rice"
        assert not found.abstained


def test_a_tag_is_found_by_its_new_name_once_it_changed() -> None:
    with open_memory(":memory:", embedder=None) as memory:
        note = memory.add("Rye and spelt", tags=["cereals"]).id
        memory.update(note, tags=["grains"])
        assert memory.search("grains")[0].id == note
        assert memory.search("cereals").abstained


def test_relations_lead_as_far(both: Both) -> None:
    for found in both.search("why was checkout slow?"):
        assert [hit.content for hit in found][:2] == [EFFECT, CAUSE]


def test_places_hold(both: Both) -> None:
    for found in both.search("what about tokens?", place="auth.py"):
        assert [hit.content for hit in found] == ["Tokens are renewed hourly"]


def test_facts_stand_before_turns(both: Both) -> None:
    for found in both.search("did Ana sell her boat in Bergen?"):
        assert found[0].content == "Ana has no boat any more"
        assert [source.content for source in found[0].sources] == ["I sold my boat in Bergen last summer"]


def test_both_abstain(both: Both) -> None:
    for found in both.search("Which opera did Verdi write in Milan?"):
        assert found.abstained
        assert "'Verdi'" in found.reason


def test_a_cold_trace_is_consistent_too(both: Both) -> None:
    _, found = both.search("why was checkout slow?", explain=True)
    for hit in found:
        parts, moves = found.trace.hits[hit.id], found.trace.moves[hit.id]
        assert sum(step.contribution for step in parts) == pytest.approx(moves[0].score)
        assert moves[-1].score == hit.score
    assert any("disk" in note for note in found.trace.notes)


def test_what_was_believed_then_is_ranked_like_anything_else() -> None:
    clock = Ticking()
    with open_memory(":memory:", embedder="wordllama", clock=clock) as mem:
        home = mem.add("Ana lives in Oslo").id
        mem.add(NOTES)
        then = clock.skip(1)
        mem.update(home, content="Ana lives in Rome")
        mem.add("Ana lives on a boat")
        found = mem.search("where does Ana live?", known_at=then, explain=True)
        assert (found[0].content, found[0].version) == ("Ana lives in Oslo", 1)
        assert not found.abstained
        assert "Ana lives on a boat" not in {hit.content for hit in found}
        assert any("earlier versions" in note for note in found.missing)
        assert mem.search("where does Ana live?")[0].content != "Ana lives in Oslo"
        assert mem.search("which opera did Verdi write in Milan?", known_at=then).abstained
        assert not mem.search("where does Ana live?", known_at="2020-01-01")
