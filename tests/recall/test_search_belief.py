"""What is believed, used, fitting and current moves an answer, and never decides over what it is about."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from ticking import Ticking

from recall.watched_searches import pk_of
from recollect import Memory
from recollect.errors import UsageError
from recollect.wiring import open_memory

EDITOR = "which editor does Ana use now?"


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def mem(clock: Ticking) -> Iterator[Memory]:
    with open_memory(":memory:", embedder="wordllama", clock=clock) as memory:
        yield memory


def contents(found: Any) -> list[str]:
    return [hit.content for hit in found]


def scores(found: Any) -> dict[str, float]:
    return {hit.id: hit.score for hit in found}


# --- the work and the moment ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("phase", "first", "last"),
    [
        ("planning", "requirement", "error_pattern"),
        ("coding", "gotcha", "decision"),
        ("debugging", "gotcha", "requirement"),
        ("insights", "decision", "error_pattern"),
        ("spec", "requirement", "error_pattern"),
    ],
)
def test_a_phase_puts_the_categories_in_its_order(mem: Memory, phase: str, first: str, last: str) -> None:
    for category in ("gotcha", "requirement", "decision", "error_pattern"):
        mem.add(f"The parser {category} concerns quotes", category=category)
    found = mem.search("parser quotes", phase=phase)
    assert (found[0].category, found[-1].category) == (first, last)


def test_a_phase_does_not_make_another_topic_an_answer(mem: Memory) -> None:
    mem.add("The parser needs every quote closed", category="decision")
    mem.add("Ovens need an hour to heat up", category="gotcha")
    assert mem.search("what does the parser need?", phase="coding")[0].category == "decision"


def test_an_unknown_phase_or_mood_is_refused(mem: Memory) -> None:
    with pytest.raises(UsageError, match=r"'dreaming'.*coding"):
        mem.search("parser", phase="dreaming")
    with pytest.raises(UsageError, match="mood"):
        mem.search("parser", mood=1.5)


def test_a_mood_prefers_what_felt_alike(mem: Memory) -> None:
    glad, sad = mem.add("the demo on Monday went like this").id, mem.add("the demo on Friday went like that").id
    for record_id, valence in ((glad, 0.9), (sad, -0.9)):
        pk = pk_of(mem, record_id)
        mem._engine.store.write(
            lambda tx, pk=pk, valence=valence: tx.sql.run("UPDATE record SET valence = ? WHERE pk = ?", (valence, pk))
        )
    plain, up, down = (scores(mem.search("how did the demo go?", mood=mood)) for mood in (None, 0.9, -0.9))
    assert up[glad] > plain[glad]
    assert up[sad] <= plain[sad] + 0.001  # having been found before moves scores a little
    assert down[sad] > plain[sad]
    assert mem.search("how did the demo go?", mood=0.9)[0].id == glad
    assert mem.search("how did the demo go?", mood=-0.9)[0].id == sad


# --- what people say ------------------------------------------------------------------------------------------------


def test_confirmed_before_plain_before_flagged(mem: Memory) -> None:
    flagged, plain, confirmed = (mem.add(f"the gate code is {colour}").id for colour in ("blue", "green", "brown"))
    before = {hit.id: hit.trust for hit in mem.search("gate code")}
    mem.confirm(confirmed)
    mem.flag(flagged, reason="nobody has seen it")
    found = mem.search("gate code")
    assert [hit.id for hit in found] == [confirmed, plain, flagged]
    after = {hit.id: hit.trust for hit in found}
    assert after[confirmed].accuracy > before[confirmed].accuracy
    assert after[flagged].accuracy < before[flagged].accuracy
    assert after[confirmed].composite > after[plain].composite > after[flagged].composite


def test_what_helped_rises_among_equals_and_what_did_not_falls(mem: Memory) -> None:
    first, second, third = (mem.add(f"the gate code is {colour}").id for colour in ("blue", "green", "brown"))
    for _ in range(3):
        mem.feedback(second, helpful=True)
        mem.feedback(first, helpful=False)
    found = mem.search("gate code")
    assert [hit.id for hit in found] == [second, third, first]
    assert found[0].trust.accuracy > found[1].trust.accuracy > found[2].trust.accuracy


def test_belief_does_not_outweigh_what_was_asked(mem: Memory) -> None:
    mem.add("the gate code is blue")
    mem.confirm(mem.add("the canteen serves soup on Mondays").id)
    assert contents(mem.search("what is the gate code?"))[0] == "the gate code is blue"


def test_undone_judgements_leave_no_trace(mem: Memory) -> None:
    record_id = mem.add("the gate code is blue").id
    before = mem.search("gate code")[0].trust.accuracy
    receipt = mem.flag(record_id, reason="nobody has seen it")
    assert mem.search("gate code")[0].trust.accuracy < before
    mem.undo(receipt.operation)
    assert mem.search("gate code")[0].trust.accuracy == before


# --- no help for such a question ------------------------------------------------------------------------------------


@pytest.fixture
def vim(mem: Memory) -> str:
    """Said to be no answer to which editor Ana uses now."""
    record_id = mem.add("Ana uses vim for everything").id
    mem.add("Ana knows Helix, vim and Zed")
    mem.feedback(record_id, helpful=False, query=EDITOR)
    return record_id


def found_ids(found: Any) -> set[str]:
    return {hit.id for hit in found}


def test_what_was_no_help_is_left_out_of_questions_like_that(mem: Memory, vim: str) -> None:
    assert vim not in found_ids(mem.search(EDITOR))
    assert vim not in found_ids(mem.search("what editor is Ana using now?"))
    assert vim in found_ids(mem.search("what does Ana know about vim?"))
    notes = mem.search(EDITOR, explain=True).trace.notes
    assert any(note.startswith("feedback: 1 ") for note in notes)


def test_it_is_left_out_for_ninety_days(mem: Memory, vim: str, clock: Ticking) -> None:
    clock.skip(89)
    assert vim not in found_ids(mem.search(EDITOR))
    clock.skip(2)
    assert vim in found_ids(mem.search(EDITOR))


def test_the_past_is_answered_whole(mem: Memory, vim: str, clock: Ticking) -> None:
    assert vim in found_ids(mem.search(EDITOR, as_of="tomorrow"))
    assert vim in found_ids(mem.search(EDITOR, known_at=clock.skip(0)))


def test_a_later_good_word_brings_it_back(mem: Memory, vim: str) -> None:
    mem.feedback(vim, helpful=True, query=EDITOR)
    assert vim in found_ids(mem.search(EDITOR))


def test_without_an_embedder_words_tell_questions_apart(clock: Ticking) -> None:
    with open_memory(":memory:", embedder=None, clock=clock) as mem:
        record_id = mem.add("Ana uses vim for everything").id
        mem.feedback(record_id, helpful=False, query=EDITOR)
        assert not mem.search(EDITOR)
        assert record_id in found_ids(mem.search("vim for everything"))


# --- current truth --------------------------------------------------------------------------------------------------


def test_a_corrected_statement_is_found_only_by_its_time(mem: Memory) -> None:
    old = mem.add("Ana lives in Oslo", valid_from="2024-01-01").id
    mem.correct(old, "Ana lives in Rome")
    assert contents(mem.search("where does Ana live?")) == ["Ana lives in Rome"]
    assert contents(mem.search("where does Ana live?", as_of="2025-06-01")) == ["Ana lives in Oslo"]


def test_an_update_stands_above_what_it_updates(mem: Memory) -> None:
    older = mem.add({"role": "user", "content": "the release is on Friday"}).id
    newer = mem.add({"role": "user", "content": "actually it will be Monday instead"}).id
    assert mem.search("when is the release?")[0].id == older
    mem.relate(newer, older, "updates")
    found = mem.search("when is the release?", explain=True)
    assert [hit.id for hit in found][:2] == [newer, older]
    assert "current" in [move.step for move in found.trace.moves[newer]]
    assert mem.search("when was the release originally?")[0].id == older


# --- use ------------------------------------------------------------------------------------------------------------


def test_what_is_used_comes_first_among_equals(clock: Ticking) -> None:
    with open_memory(":memory:", embedder=None, clock=clock) as mem:  # by words alone the two are equal
        used, newer = (mem.add(f"the gate code is {colour}").id for colour in ("blue", "green"))
        assert [hit.id for hit in mem.search("gate code")] == [newer, used]
        for _ in range(30):
            mem.search("the blue gate code", top_k=1)
        mem._engine.access.flush()
        assert mem.get(used).access_count == 31
        found = mem.search("gate code", explain=True)
        assert [hit.id for hit in found] == [used, newer]
        assert found.trace.moves[used][-1].by["use"] > found.trace.moves[newer][-1].by["use"]


def test_a_session_counts_once_however_often_it_asks(mem: Memory) -> None:
    record_id = mem.add("the gate code is blue").id
    for session in ("s1", "s1", "s2", None):
        mem.search("gate code", asked_in=session)
    mem._engine.access.flush()
    mem.search("gate code", asked_in="s2")
    mem._engine.access.flush()
    with mem._engine.store.read() as tx:
        counted = tx.sql.one("SELECT access_count, access_sessions FROM record WHERE pk = ?", (pk_of(mem, record_id),))
    assert tuple(counted) == (5, 2)
