"""What agents know and is strong becomes known to their project, their squad, or everybody."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ticking import Ticking

import recollect
from recollect.errors import AccessDenied, UsageError
from recollect.memory import Memory

REX = {"agent_id": "rex", "project": "shop"}
BO = {"agent_id": "bo", "project": "shop"}
PORT = "The old service listens on port 8421"


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def mem(tmp_path: Path, clock: Ticking) -> Iterator[Memory]:
    with recollect.open(tmp_path / "m.db", embedder="fake", background=False, clock=clock) as memory:
        yield memory


def texts(memory: Memory, **scope: Any) -> set[str]:
    """What a scope itself holds, without what it sees of wider ones."""
    wanted = {name: value for name, value in scope.items() if value is not None}
    return {each.content for each in memory.get_all(limit=1000, **scope) if dict(each.scope.items()) == wanted}


def test_what_an_agent_knows_becomes_known_to_its_project_and_says_where_it_came_from(mem: Memory) -> None:
    kept = mem.add(PORT, category="insight", tags=["ports"], metadata={"host": "a"}, importance=0.8, **REX)
    assert not mem.search("which port?", **BO).hits
    done = mem.promote(project="shop")
    assert (done.count, dict(done.scope.items())) == (1, {"project": "shop"})
    (told,) = done.records
    copy = mem.get(told.record)
    assert (copy.content, copy.category, copy.tags, copy.importance) == (PORT, "insight", ("ports",), 0.8)
    assert (copy.metadata["host"], copy.source) == ("a", "promoted")
    assert copy.attributes["promoted"] == {"record": kept.id, "from": {"project": "shop", "agent_id": "rex"}}
    assert mem.search("which port?", **BO)[0].content == PORT
    assert mem.get(kept.id).content == PORT, "the original stays"


def test_what_has_faded_is_not_handed_on_and_what_matters_is(mem: Memory, clock: Ticking) -> None:
    mem.add("The queue is called orders", importance=0.5, **REX)
    mem.add("Never restart the ledger by day", importance=0.9, **REX)
    clock.skip(40)
    done = mem.promote(project="shop")
    assert [each.content for each in done.records] == ["Never restart the ledger by day"]
    assert done.held_back == {"weak": 1}
    assert mem.promote(project="shop", strength_min=0.1).count == 1
    assert texts(mem, project="shop") == {"The queue is called orders", "Never restart the ledger by day"}


def test_what_was_only_said_is_worked_on_or_is_doubted_stays_where_it_is(mem: Memory) -> None:
    mem.add([{"role": "user", "content": "the gate code changed"}], session_id="s", **REX)
    mem.add("Half of the handlers are moved", category="work_state", **REX)
    mem.add("The cache may be stale", needs_review=True, **REX)
    mem.add("The pool is probably four", confidence=0.4, **REX)
    wrong = mem.add("The kiln is cold", **REX)
    mem.flag(wrong.id, reason="it is hot")
    mem.settle()
    done = mem.promote(project="shop")
    assert (done.count, done.operation) == (0, None)
    assert done.held_back == {"waits": 2, "unsure": 1}
    assert texts(mem, project="shop") == set()


def test_a_dry_run_says_the_same_and_changes_nothing(mem: Memory) -> None:
    mem.add(PORT, **REX)
    told = mem.promote(project="shop", dry_run=True)
    assert ([each.content for each in told.records], told.count, told.operation) == ([PORT], 1, None)
    assert told.records[0].record is None
    assert texts(mem, project="shop") == set()
    done = mem.promote(project="shop")
    assert [each.id for each in done.records] == [each.id for each in told.records]
    assert done.to_dict()["records"][0]["memory"] == PORT


def test_it_is_handed_on_once_and_not_again_where_somebody_deleted_it(mem: Memory) -> None:
    mem.add(PORT, **REX)
    done = mem.promote(project="shop")
    assert mem.promote(project="shop").held_back == {"known": 1}
    mem.delete(done.records[0].record)
    assert mem.promote(project="shop").held_back == {"known": 1}
    assert texts(mem, project="shop") == set()


def test_undo_takes_all_of_it_back_and_it_can_be_handed_on_anew(mem: Memory) -> None:
    for text in (PORT, "The new service listens on port 9000"):
        mem.add(text, **REX)
    done = mem.promote(project="shop")
    assert len(texts(mem, project="shop")) == 2
    mem.undo(done.operation)
    assert texts(mem, project="shop") == set()
    assert len(texts(mem, **REX)) == 2
    assert mem.promote(project="shop").count == 2


def test_what_two_agents_know_is_known_once(mem: Memory) -> None:
    mem.add(PORT, **REX)
    mem.add(PORT, **BO)
    mem.promote(project="shop")
    assert len([each for each in mem.get_all(project="shop") if each.content == PORT]) == 1


def test_a_wider_scope_that_says_the_same_is_told_nothing(mem: Memory) -> None:
    mem.add(PORT)
    mem.add(PORT, **REX)
    assert mem.promote(project="shop").held_back == {"known": 1}


@pytest.mark.parametrize(
    ("of", "call", "arrives"),
    [
        ({**REX, "squad": "ops"}, {"to": "squad", "project": "shop", "squad": "ops"}, {"squad": "ops"}),
        (REX, {"to": "squad", "project": "shop", "squad": "ops"}, {"squad": "ops"}),
        ({**REX, "squad": "web"}, {"to": "squad", "project": "shop", "squad": "ops"}, None),
        ({"project": "other", "squad": "ops"}, {"to": "squad", "project": "shop", "squad": "ops"}, None),
        ({"project": "other", "squad": "ops"}, {"to": "squad", "squad": "ops"}, {"squad": "ops"}),
        ({"project": "shop"}, {"to": "global", "project": "shop"}, {}),
        (BO, {"to": "global", "agent_id": "bo"}, {}),
        (BO, {"to": "project", "project": "shop", "agent_id": "rex"}, None),
        ({**REX, "user_id": "ana"}, {"to": "project", "project": "shop"}, None),
        ({**REX, "user_id": "ana"}, {"project": "shop", "user_id": "ana"}, {"project": "shop", "user_id": "ana"}),
        ({**REX, "user_id": "ana"}, {"project": "shop", "user_id": "ben"}, None),
        ({**REX, "channel": "dm"}, {"to": "global", "project": "shop"}, None),
        ({"project": "other", "agent_id": "cy"}, {"to": "project", "project": "shop"}, None),
    ],
)
def test_nothing_is_handed_on_beyond_what_was_named(
    mem: Memory, of: dict[str, str], call: dict[str, Any], arrives: dict[str, str] | None
) -> None:
    mem.add(PORT, **of)
    done = mem.promote(**call)
    assert done.count == (arrives is not None)
    held = [dict(each.scope.items()) for each in mem.get_all(reach="all") if each.source == "promoted"]
    assert held == ([] if arrives is None else [arrives])


def test_who_may_not_write_for_others_may_not_hand_on(mem: Memory) -> None:
    mem.add(PORT, **REX)
    worker, boss = mem.scoped(**BO), mem.scoped(agent_id="boss", project="shop", policy="project")
    for handle, to in ((worker, "project"), (worker, "global"), (boss, "global"), (boss, "squad")):
        with pytest.raises(AccessDenied):
            handle.promote(to)
    assert texts(mem, project="shop") == set()
    assert boss.promote().count == 1
    assert worker.search("which port?")[0].content == PORT


def test_a_boss_can_hand_on_what_it_found_itself_and_nothing_else(mem: Memory) -> None:
    boss = mem.scoped(agent_id="boss", project="shop", policy="project")
    boss.add("Two weeks are enough")
    mem.add(PORT, **REX)
    assert [each.content for each in boss.promote(agent_id="boss").records] == ["Two weeks are enough"]


def test_what_a_boss_may_not_read_it_cannot_hand_on(mem: Memory) -> None:
    """What is private to another agent in a channel is private there, also for who is bound to the channel."""
    mem.add(PORT, **BO, channel="dm")
    mem.add("Friday is quiet", project="shop", channel="dm")
    boss = mem.scoped(agent_id="boss", project="shop", channel="dm", policy="project")
    assert PORT not in {hit.content for hit in boss.search("which port?").hits}
    assert PORT not in {each.content for each in boss.promote(dry_run=True).records}
    assert boss.promote().count == 0


def test_who_names_nobody_is_asked_whose_memory_it_is_about(mem: Memory) -> None:
    for call in ({}, {"to": "squad", "project": "shop"}, {"to": "global"}, {"to": "everyone", "project": "shop"}):
        with pytest.raises(UsageError):
            mem.promote(**call)


def test_copies_can_wait_for_a_look(mem: Memory) -> None:
    mem.add(PORT, **REX)
    done = mem.promote(project="shop", review=True)
    (waiting,) = mem.review(project="shop")
    assert (waiting.why, waiting.id) == ("needs_review", done.records[0].record)
    mem.confirm(waiting.id)
    assert mem.review(project="shop") == []


def test_what_agents_are_not_trusted_with_waits_for_approval(tmp_path: Path) -> None:
    settings = {"security.approval": "wait"}
    with recollect.open(tmp_path / "m.db", embedder="fake", background=False, config=settings) as mem:
        mem.add("Deploys go through the gate", project="shop", agent_id="rex")
        mem.approve(mem.review()[0].id)
        boss = mem.scoped(agent_id="boss", project="shop", policy="project")
        assert boss.promote().count == 1
        assert not mem.search("how do deploys go?", **BO).hits, "kept apart until somebody approves"
        (waiting,) = [each for each in mem.review() if each.why == "approval"]
        mem.approve(waiting.id)
        assert mem.search("how do deploys go?", **BO)[0].content == "Deploys go through the gate"


def test_it_is_believed_as_far_as_the_agent_it_comes_from(mem: Memory) -> None:
    for number in range(4):
        wrong = mem.add(f"The kiln has {number} doors", **REX)
        mem.flag(wrong.id, reason="no")
    mem.add(PORT, **REX)
    done = mem.promote(project="shop")
    assert mem.get(done.records[0].record).confidence == pytest.approx(0.5 * mem.get(done.records[0].id).confidence)


def test_a_skill_is_handed_on_with_its_steps_and_counts(mem: Memory) -> None:
    rex = mem.scoped(**REX)
    rex.skills.teach("release", ["run the tests", "tag"], task="release the shop")
    rex.skills.done("release", success=True)
    mem.promote(project="shop")
    (skill,) = mem.scoped(**BO).skills.find("how do I release the shop?")
    assert (skill.name, skill.steps, skill.successes) == ("release", ("run the tests", "tag"), 1)


def test_the_strongest_go_first_and_the_rest_is_counted(mem: Memory) -> None:
    for number in range(5):
        mem.add(f"finding number {number}", importance=0.3 + number / 10, **REX)
    done = mem.promote(project="shop", limit=2)
    assert [each.content for each in done.records] == ["finding number 4", "finding number 3"]
    assert done.held_back == {"left": 3}
    assert mem.promote(project="shop").count == 3
