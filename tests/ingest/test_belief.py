"""`confirm`, `flag`, `feedback` and `correct`: what they change, what follows from it, and that undo takes all back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from properties.tables import open_quick, visible_state
from ticking import Ticking

from recollect import Memory
from recollect.errors import NotFound, ProviderError, RecollectError, StatementEnded, UsageError
from recollect.model.record import Record
from recollect.model.result import Receipt
from recollect.wiring import open_memory


@pytest.fixture
def mem() -> Iterator[Memory]:
    with open_memory(":memory:", embedder="fake", clock=Ticking()) as memory:
        yield memory


def record(memory: Memory, record_id: str) -> Record:
    found = memory.get(record_id)
    assert found is not None
    return found


def confidence(memory: Memory, record_id: str) -> float:
    return round(record(memory, record_id).confidence, 6)


# --- what each verb does --------------------------------------------------------------------------------------------


def test_a_confirmed_record_is_certain_strong_and_does_not_fade(mem: Memory) -> None:
    said = mem.add("Ana uses Helix", confidence=0.4).id
    mem.update(said, strength=0.2, needs_review=True, flagged=True)
    done = mem.confirm(said)
    now = record(mem, said)
    assert done.records == (now,)
    assert (now.confidence, now.strength, now.decay_rate) == (1.0, 1.0, 0.0)
    assert (now.user_verified, now.needs_review, now.flagged) == (True, False, False)


def test_what_is_added_may_wait_for_review_and_have_a_half_life_of_its_own(mem: Memory) -> None:
    said = mem.add("The cache is warm after two runs", needs_review=True, half_life_days=7).id
    now = record(mem, said)
    assert (now.needs_review, now.half_life_days) == (True, 7.0)
    assert [each.record.id for each in mem.review() if each.record] == [said]
    for wrong in ({"needs_review": "yes"}, {"half_life_days": -1}, {"half_life_days": "soon"}):
        with pytest.raises(UsageError):
            mem.add("Another thing", **wrong)


def test_a_record_stronger_than_new_does_not_lose_by_being_confirmed(mem: Memory) -> None:
    said = mem.add("Ana uses Helix").id
    mem.update(said, strength=1.4)
    assert mem.confirm(said).records[0].strength == 1.4


def test_a_flagged_record_waits_for_review_and_is_no_longer_confirmed(mem: Memory) -> None:
    said = mem.add("Ana uses Helix").id
    mem.confirm(said)
    now = mem.flag(said, reason="she never said that").records[0]
    assert (now.flagged, now.needs_review, now.user_verified, now.decay_rate) == (True, True, False, None)
    assert mem.operations(limit=1)[0].reason == "she never said that"


def test_a_flag_leaves_a_protection_that_nobodys_confirmation_gave(mem: Memory) -> None:
    said = mem.add("Ana uses Helix").id
    mem.update(said, decay_rate=0.0)
    assert mem.flag(said, reason="hm").records[0].decay_rate == 0.0


def test_feedback_counts_and_makes_no_version(mem: Memory) -> None:
    said = mem.add("Ana uses Helix").id
    for helpful in (True, False, True):
        mem.feedback(said, helpful=helpful, query="editor", reason="tried it")
    now = record(mem, said)
    assert (now.success_count, now.failure_count, now.version) == (2, 1, 1)
    assert [entry.operation.verb for entry in mem.history(said)] == ["add", "feedback", "feedback", "feedback"]


def test_a_persons_word_makes_a_version_so_that_what_was_believed_stays_known(mem: Memory) -> None:
    said = mem.add("Ana uses Helix", confidence=0.4).id
    mem.confirm(said)
    assert [(entry.record.confidence if entry.record else None) for entry in mem.history(said)] == [0.4, 1.0]


def test_a_correction_with_its_question_counts_against_the_old_record_only(mem: Memory) -> None:
    old = mem.add("Ana uses vim").id
    new = mem.correct(old, "Ana uses Helix", query="which editor?").id
    assert (record(mem, old).failure_count, record(mem, new).failure_count) == (1, 0)
    other = mem.add("Ben uses vim").id
    mem.correct(other, "Ben uses emacs")
    assert record(mem, other).failure_count == 0


def test_what_an_embedder_could_not_do_is_said_and_the_words_are_kept() -> None:
    class Down:
        name, dimensions, inline = "down:model", 4, True

        def embed(self, texts: Any) -> Any:
            raise ProviderError("no answer")

    with open_memory(":memory:", embedder=Down()) as memory:
        said = memory.add("Ana uses vim").id
        assert any("embedded" in note for note in memory.feedback(said, helpful=False, query="editor").missing)
        assert any("embedded" in note for note in memory.correct(said, "Ana uses Helix", query="editor").missing)


# --- refusals -------------------------------------------------------------------------------------------------------

BAD: dict[str, Callable[[Memory, str], Any]] = {
    "a flag without a reason": lambda m, i: m.flag(i, reason=None),  # type: ignore[arg-type]
    "an empty reason": lambda m, i: m.flag(i, reason="  "),
    "a verdict that is none": lambda m, i: m.feedback(i, helpful="yes"),  # type: ignore[arg-type]
    "a number for a verdict": lambda m, i: m.feedback(i, helpful=1),  # type: ignore[arg-type]
    "an empty question": lambda m, i: m.feedback(i, helpful=True, query=""),
    "a question that is no text": lambda m, i: m.correct(i, "new", query=3),  # type: ignore[arg-type]
    "no such record": lambda m, i: m.confirm("00000000-0000-4000-8000-000000000000"),
    "no id": lambda m, i: m.confirm("zzz"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_and_changes_nothing(tmp_path: Path, case: str) -> None:
    path = tmp_path / "m.db"
    with open_quick(path) as memory:
        said = memory.add("Ana uses vim").id
        before = visible_state(path), len(memory.operations())
        with pytest.raises(RecollectError) as refused:
            BAD[case](memory, said)
        assert isinstance(refused.value, NotFound if case.startswith("no ") else UsageError)
        assert (visible_state(path), len(memory.operations())) == before


@pytest.mark.parametrize("verb", ["confirm", "flag", "feedback"])
def test_what_a_handle_does_not_see_is_not_found(mem: Memory, verb: str) -> None:
    theirs = mem.add("Ben uses vim", user_id="ben").id
    more = {"confirm": {}, "flag": {"reason": "no"}, "feedback": {"helpful": True}}[verb]
    with pytest.raises(NotFound):
        getattr(mem.scoped(user_id="ana"), verb)(theirs, **more)
    getattr(mem.scoped(user_id="ben", actor="ben"), verb)(theirs, **more)
    done = mem.operations(limit=1)[0]
    assert (done.verb, done.actor, done.scope.user_id) == (verb, "ben", "ben")


# --- what follows ---------------------------------------------------------------------------------------------------


def pair(memory: Memory, label: str, *, edge_confidence: float = 1.0, **target: Any) -> tuple[str, str]:
    one, other = memory.add("one").id, memory.add("other", **{"confidence": 0.5, **target}).id
    memory.relate(one, other, label, confidence=edge_confidence)
    return one, other


@pytest.mark.parametrize(
    ("label", "after"),
    [
        ("validates", 0.65),
        ("required_with", 0.575),
        ("conflicts_with", 0.4),
        ("contradicts", 0.4),
        ("supersedes", 0.3),
        ("derived_from", 0.625),
        ("relates_to", 0.5),
    ],
)
def test_a_confirmation_moves_what_hangs_on_it(mem: Memory, label: str, after: float) -> None:
    """Belief in a sure record rises by 0.25 when it is confirmed: the relation passes on its share of that."""
    one, other = pair(mem, label)
    done = mem.confirm(one)
    assert confidence(mem, other) == after
    assert done.count == (1 if after == 0.5 else 2)


def test_a_well_believed_neighbour_is_never_pulled_down_by_good_news(mem: Memory) -> None:
    one, other = pair(mem, "validates", confidence=0.95)
    mem.confirm(one)
    assert confidence(mem, other) == 1.0


@pytest.mark.parametrize(("label", "after"), [("validates", 0.32), ("contradicts", 0.62), ("derived_from", 0.35)])
def test_a_flag_moves_them_the_other_way(mem: Memory, label: str, after: float) -> None:
    one, other = pair(mem, label)
    mem.flag(one, reason="made up")
    assert confidence(mem, other) == after


@pytest.mark.parametrize(
    ("label", "moves"), [("validates", False), ("supersedes", False), ("derived_from", True), ("contradicts", True)]
)
def test_belief_travels_in_the_direction_the_relation_means(mem: Memory, label: str, moves: bool) -> None:
    one, other = mem.add("one", confidence=0.5).id, mem.add("other").id
    mem.relate(one, other, label)
    mem.flag(other, reason="made up")
    assert (confidence(mem, one) != 0.5) is moves


def test_a_doubtful_relation_passes_on_less(mem: Memory) -> None:
    one, other = pair(mem, "validates", edge_confidence=0.5)
    mem.confirm(one)
    assert confidence(mem, other) == 0.575


def test_small_changes_stay_where_they_are(mem: Memory) -> None:
    one, other = pair(mem, "validates")
    assert mem.feedback(one, helpful=True).count == 1  # 0.05 · 0.6
    assert confidence(mem, other) == 0.5
    assert mem.feedback(one, helpful=False).count == 2  # -0.1 · 0.6
    assert confidence(mem, other) == 0.44


def test_a_persons_word_is_not_overruled_by_what_follows_from_another(mem: Memory) -> None:
    one, other = pair(mem, "contradicts")
    mem.confirm(other)
    mem.confirm(one)
    assert confidence(mem, other) == 1.0


def test_circles_and_several_ways_move_a_record_once_by_the_strongest(mem: Memory) -> None:
    a, b, c = (mem.add(text, confidence=0.5).id for text in "abc")
    for source, target, label in (
        (a, b, "validates"),
        (a, c, "validates"),
        (b, c, "required_with"),
        (c, a, "validates"),
    ):
        mem.relate(source, target, label)
    done = mem.confirm(a)  # from 0.5 to certain: belief rises by half
    assert (confidence(mem, a), confidence(mem, b), confidence(mem, c)) == (1.0, 0.8, 0.8)
    assert done.count == 3


def test_it_goes_on_hop_by_hop_and_ends(mem: Memory) -> None:
    chain = [mem.add(f"step {number}", confidence=0.5).id for number in range(6)]
    for one, other in pairwise(chain):
        mem.relate(one, other, "validates")
    mem.confirm(chain[0])
    levels = [confidence(mem, each) for each in chain]
    assert levels[1] > levels[2] > 0.5  # 0.5 · 0.6, then half of that · 0.6
    assert levels[3:] == [0.5, 0.5, 0.5]


def test_a_correction_costs_the_old_statement_and_what_was_derived_from_it(mem: Memory) -> None:
    old, derived = mem.add("the server is in Rome").id, mem.add("it is close to Ana").id
    mem.relate(derived, old, "derived_from")
    done = mem.correct(old, "the server is in Oslo")
    assert confidence(mem, old) == 0.4
    assert confidence(mem, derived) == 0.85
    assert confidence(mem, done.id) == 1.0
    assert done.count == 3


def test_nothing_moves_that_the_caller_does_not_see(mem: Memory) -> None:
    mine, theirs = mem.add("mine", user_id="ana").id, mem.add("theirs", user_id="ben", confidence=0.5).id
    mem.relate(mine, theirs, "validates")
    ana = mem.scoped(user_id="ana")
    assert ana.confirm(mine).count == 1
    assert confidence(mem, theirs) == 0.5
    ana.undo(ana.operations(limit=1)[0].id)
    assert not record(mem, mine).user_verified


def test_factors_and_threshold_are_settings() -> None:
    config = {"trust.propagation": {"validates": 0.0, "supports": 1.0}, "trust.propagation_min": 0.2}
    with open_memory(":memory:", embedder=None, config=config) as memory:
        one, other = pair(memory, "validates")
        memory.relate(one, third := memory.add("third", confidence=0.5).id, "supports")
        memory.confirm(one)
        assert (confidence(memory, other), confidence(memory, third)) == (0.5, 0.75)


# --- what has ended -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["confirm", "correct"])
def test_what_was_replaced_is_spoken_of_no_more_and_its_successor_is_named(mem: Memory, verb: str) -> None:
    first = mem.add("Ana lives in Oslo").id
    second = mem.correct(first, "Ana lives in Rome").id
    third = mem.correct(second, "Ana lives in Porto").id
    for ended in (first, second):
        with pytest.raises(StatementEnded, match=third) as refused:
            mem.confirm(ended) if verb == "confirm" else mem.correct(ended, "Ana lives in Bergen")
        assert (refused.value.code, refused.value.replaced_by) == ("E1012", (third,))
    assert [hit.id for hit in mem.get_all()] == [third]
    assert mem.confirm(third).count >= 1


def test_a_successor_that_the_caller_does_not_see_is_not_named(mem: Memory) -> None:
    wide = mem.add("the wifi is called atrium").id
    narrow = mem.add("the wifi is called courtyard", user_id="ana").id
    mem.relate(narrow, wide, "supersedes")
    assert mem.scoped(user_id="ben").confirm(wide).count == 1
    with pytest.raises(StatementEnded, match=narrow):
        mem.scoped(user_id="ana").confirm(wide)


def test_what_ended_by_itself_says_what_can_be_done(mem: Memory) -> None:
    sale = mem.add("the shop sells winter coats", valid_until="2026-05-01").id
    with pytest.raises(StatementEnded, match=r"ended on 2026-05-01.*clear="):
        mem.confirm(sale)
    mem.update(sale, clear=["valid_until"])
    assert mem.confirm(sale).records[0].user_verified


@pytest.mark.parametrize("begins", ["2026-06-01", "2026-05-13T12:10:00Z"])  # a plan; a clock that is ten minutes fast
def test_a_correction_of_what_begins_later_takes_the_wrong_statement_away(mem: Memory, begins: str) -> None:
    wrong = mem.add("The launch is in Berlin", valid_from=begins).id
    right = mem.correct(wrong, "The launch is in Oslo").id
    assert [hit.id for hit in mem.search("where is the launch?")] == [right]
    assert "Berlin" not in mem.context("where is the launch?", max_tokens=800).text
    assert [each.id for each in mem.get_all(as_of="2026-06-02")] == [right]
    assert record(mem, right).valid_from == mem.history(wrong)[0].record.valid_from  # type: ignore[union-attr]


def test_a_correction_after_the_clock_was_set_back_counts_from_then_on() -> None:
    clock = Ticking()
    with open_memory(":memory:", embedder="fake", clock=clock) as memory:
        wrong = memory.add("The launch is in Berlin").id
        clock.skip(-1)
        right = memory.correct(wrong, "The launch is in Oslo").id
        assert [hit.id for hit in memory.search("where is the launch?")] == [right]


@pytest.mark.parametrize("hard", [False, True])
def test_deleting_what_ended_a_statement_lifts_the_end(mem: Memory, hard: bool) -> None:
    old = mem.add("Ana lives in Oslo", valid_from="2026-01-01", valid_until="2027-01-01").id
    new = mem.correct(old, "Ana lives in Rome").id
    done = mem.delete(new, hard=hard)
    assert [(each.id, each.valid_until) for each in mem.get_all()] == [(old, mem.history(old)[0].record.valid_until)]  # type: ignore[union-attr]
    if not hard:
        mem.undo(done)
        assert [each.id for each in mem.get_all()] == [new]


def test_an_end_that_somebody_set_or_that_another_stands_for_is_not_lifted(mem: Memory) -> None:
    old, other = mem.add("Ana lives in Oslo").id, mem.add("Ana lives by the sea in Rome").id
    new = mem.correct(old, "Ana lives in Rome").id
    edge = mem.relate(other, old, "supersedes")
    mem.delete(new)
    assert record(mem, old).valid_until is not None
    mem.undo(mem.operations(limit=1)[0])
    mem.unrelate(edge)
    mem.update(old, valid_until="2026-05-12", valid_from="2026-01-01")
    mem.delete(new)
    assert str(record(mem, old).valid_until).startswith("2026-05-12")


# --- relations ------------------------------------------------------------------------------------------------------


def relation(memory: Memory, *, extracted: bool = True, confidence: float = 0.9, **scope: str) -> str:
    one, other = memory.add(["one", "other"], **scope).ids  # type: ignore[arg-type]
    return memory._engine.relating.relate(
        [(one, None, 0), (other, None, 1)], "supports", visible=None, confidence=confidence, auto_extracted=extracted
    )


def edge_of(memory: Memory, edge_id: str) -> tuple[bool, float] | None:
    """Whether it is a guess, and how sure; None once it is withdrawn."""
    with memory._engine.store.read() as tx:
        row = tx.sql.one("SELECT auto_extracted, confidence FROM edge WHERE id = ? AND retired_at IS NULL", (edge_id,))
    return None if row is None else (bool(row[0]), round(row[1], 6))


def test_a_confirmed_relation_counts_as_stated_and_does_not_fade() -> None:
    clock = Ticking()
    with open_memory(":memory:", embedder=None, clock=clock) as memory:
        edge = relation(memory)
        clock.skip(20)
        memory.prune()
        assert edge_of(memory, edge) == (True, pytest.approx(0.9 * 0.95**2))
        done = memory.confirm(edge)
        assert (done.ids, done.records, done.count) == ((edge,), (), 1)
        assert edge_of(memory, edge) == (False, 1.0)
        clock.skip(365)
        assert memory.prune()["decayed"] == 0
        assert edge_of(memory, edge) == (False, 1.0)


def test_a_relation_called_wrong_is_withdrawn_if_nobody_stated_it(mem: Memory) -> None:
    guessed, stated = relation(mem), relation(mem, extracted=False, confidence=0.8)
    mem.flag(guessed, reason="they only sound alike")
    mem.flag(stated, reason="they only sound alike")
    assert (edge_of(mem, guessed), edge_of(mem, stated)) == (None, (False, 0.4))


def test_whether_a_relation_helped_moves_it_until_pruning_would_drop_it(mem: Memory) -> None:
    guessed, stated = relation(mem, confidence=0.45), relation(mem, extracted=False, confidence=0.05)
    mem.feedback(guessed, helpful=True)
    assert edge_of(mem, guessed) == (True, 0.5)
    for expected in ((True, 0.4), (True, 0.3), None):
        mem.feedback(guessed, helpful=False)
        assert edge_of(mem, guessed) == expected
    mem.feedback(stated, helpful=False)
    assert edge_of(mem, stated) == (False, 0.0)


def test_a_question_is_not_remembered_with_a_relation_and_that_is_said(mem: Memory) -> None:
    assert any("records only" in note for note in mem.feedback(relation(mem), helpful=True, query="which?").missing)


@pytest.mark.parametrize("verb", ["confirm", "flag", "feedback"])
def test_a_relation_is_judged_by_who_sees_all_of_it(mem: Memory, verb: str) -> None:
    more = {"confirm": {}, "flag": {"reason": "no"}, "feedback": {"helpful": True}}[verb]
    edge = relation(mem, user_id="ben")
    with pytest.raises(NotFound):
        getattr(mem.scoped(user_id="ana"), verb)(edge, **more)
    getattr(mem.scoped(user_id="ben", actor="ben"), verb)(edge, **more)
    done = mem.operations(limit=1)[0]
    assert (done.verb, done.actor, done.scope.user_id) == (verb, "ben", "ben")


def test_a_withdrawn_relation_is_not_found(mem: Memory) -> None:
    edge = relation(mem)
    mem.unrelate(edge)
    with pytest.raises(NotFound):
        mem.confirm(edge)


@pytest.mark.parametrize("verb", ["confirm", "flag", "helpful", "unhelpful"])
@pytest.mark.parametrize("extracted", [True, False])
def test_undo_restores_a_relation_exactly(tmp_path: Path, verb: str, extracted: bool) -> None:
    path = tmp_path / "m.db"
    with open_quick(path) as memory:
        edge = relation(memory, extracted=extracted, confidence=0.35)
        before = visible_state(path)
        done = JUDGEMENTS[verb](memory, edge)
        assert visible_state(path) != before
        memory.undo(done.operation or "")
        assert visible_state(path) == before


# --- undo -----------------------------------------------------------------------------------------------------------

JUDGEMENTS: dict[str, Callable[[Memory, str], Receipt]] = {
    "confirm": lambda m, i: m.confirm(i),
    "flag": lambda m, i: m.flag(i, reason="wrong"),
    "helpful": lambda m, i: m.feedback(i, helpful=True, query="tea"),
    "unhelpful": lambda m, i: m.feedback(i, helpful=False, query="tea"),
    "correct": lambda m, i: m.correct(i, "better", query="tea"),
}


@pytest.mark.parametrize("verb", JUDGEMENTS)
def test_undo_restores_the_record_and_everything_that_followed(tmp_path: Path, verb: str) -> None:
    path = tmp_path / "m.db"
    with open_quick(path) as memory:
        said = memory.add("said", confidence=0.7).id
        memory.update(said, strength=0.3, decay_rate=0.2)
        for label in ("validates", "contradicts", "required_with", "supersedes"):
            memory.relate(said, memory.add(label, confidence=0.6).id, label)
        memory.relate(memory.add("derived", confidence=0.6).id, said, "derived_from")
        before = visible_state(path)
        done = JUDGEMENTS[verb](memory, said)
        after = visible_state(path)
        assert before != after
        back = memory.undo(done.operation or "")
        assert visible_state(path) == before
        assert record(memory, said).strength == 0.3
        memory.undo(back.operation or "")
        assert {key: value for key, value in visible_state(path).items() if "label" not in value} == {
            key: value for key, value in after.items() if "label" not in value
        }
