"""What agents write that are not trusted waits: nobody is told of it before somebody approves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.errors import AccessDenied, ConfigInvalid, UsageError
from recollect.memory import Memory

RULES = "agent_id=scraper: wait, agent_id=boss project=shop: approve"
SAID = "The wholesale price of tea is 12 euros a kilo"
ASKED = "What does tea cost?"


@pytest.fixture
def mem(tmp_path: Path) -> Iterator[Memory]:
    config = {"security.approval_in": RULES}
    with recollect.open(tmp_path / "m.db", embedder="fake", config=config, background=False) as memory:
        yield memory


@pytest.fixture
def scraper(mem: Memory) -> Memory:
    return mem.scoped(agent_id="scraper", project="shop")


@pytest.fixture
def boss(mem: Memory) -> Memory:
    return mem.scoped(agent_id="boss", project="shop", policy="project")


def shown(mem: Memory) -> bool:
    """Whether any read tells of it."""
    told = [
        *(hit.content for hit in mem.search(ASKED, reach="all")),
        *(hit.content for hit in mem.search(ASKED, agent_id="scraper", project="shop")),
        mem.context(ASKED, agent_id="scraper", project="shop").text,
        mem.context(ASKED, agent_id="boss", project="shop", reach="project").text,
    ]
    return any("12 euros" in each for each in told)


@pytest.mark.parametrize("way", ["add", "turn", "turns", "compact", "bulk", "messages"])
def test_whatever_way_it_comes_it_waits(mem: Memory, scraper: Memory, way: str) -> None:
    if way == "add":
        assert scraper.add(SAID).flags == ("approval:waits",)
    elif way == "messages":
        scraper.add([{"role": "user", "content": f"I know this: {SAID}."}], session_id="s1")
    elif way == "bulk":
        scraper.add([f"{SAID}, sort {number}" for number in range(501)])
    elif way == "turn":
        with scraper.turn("Look up tea", session_id="s1") as turn:
            turn.answer(SAID)
    elif way == "turns":
        scraper.turns.end(scraper.turns.begin("Look up tea", session_id="s1").id, SAID)
    else:
        scraper.compact(f"- {SAID}", session_id="s1")
    mem.settle()
    mem.maintain()
    assert not shown(mem)
    assert mem.stats()["records"] >= 1
    waiting = [each for each in mem.review(reach="all", limit=1_000) if each.why == "approval"]
    assert any("12 euros" in str(each.record and each.record.content) for each in waiting)


def test_an_owner_agent_approves_and_undo_keeps_it_apart_again(mem: Memory, scraper: Memory, boss: Memory) -> None:
    kept = scraper.add(SAID).id
    assert [each.id for each in boss.review() if each.why == "approval"] == [kept]
    done = boss.approve(kept)
    mem.settle()
    assert shown(mem)
    assert mem.get(kept).confidence == pytest.approx(1.0)
    assert not mem.get(kept).user_verified
    assert done.operation is not None
    mem.undo(done.operation)
    assert not shown(mem)
    mem.approve(kept)
    assert shown(mem)
    with pytest.raises(UsageError, match="does not wait"):
        mem.approve(kept)


def test_what_is_refused_is_gone_and_can_wait_again(mem: Memory, scraper: Memory, boss: Memory) -> None:
    kept = scraper.add(SAID).id
    done = boss.refuse(kept, reason="a made up price")
    assert mem.get(kept) is None or mem.get(kept).retired_at is not None
    assert [each for each in mem.review(reach="all") if each.why == "approval"] == []
    assert done.operation is not None
    mem.undo(done.operation)
    assert [each.id for each in mem.review(reach="all") if each.why == "approval"] == [kept]
    assert not shown(mem)


def test_nobody_approves_for_themselves(mem: Memory, scraper: Memory) -> None:
    kept = scraper.add(SAID).id
    other = mem.scoped(agent_id="reader", project="shop", policy="project")
    for handle in (scraper, other):
        for call in (handle.approve, handle.refuse):
            with pytest.raises(AccessDenied):
                call(kept)
    for change in (
        lambda: scraper.confirm(kept),
        lambda: scraper.update(kept, tier="longterm"),
        lambda: scraper.update(kept, attributes={}, needs_review=False),
        lambda: scraper.correct(kept, "Tea is free"),
    ):
        with pytest.raises(AccessDenied):
            change()
    with pytest.raises(UsageError):
        scraper.publish(kept, topics=["prices"])
    assert not shown(mem)


def test_others_are_not_concerned(mem: Memory) -> None:
    mem.add("Ana sails", user_id="ana")
    rex = mem.scoped(agent_id="rex", project="shop")
    kept = rex.add("Rex knows the port is 8421")
    assert kept.flags == ()
    assert rex.correct(kept.id, "Rex knows the port is 8422").flags == ()
    with pytest.raises(UsageError, match="does not wait"):
        mem.approve(kept.id)


def test_all_agents_wait_if_that_is_wanted_and_people_do_not(tmp_path: Path) -> None:
    config = {"security.approval": "wait", "security.approval_in": "agent_id=boss: none"}
    with recollect.open(tmp_path / "m.db", embedder="fake", config=config) as mem:
        assert mem.add("Ana sails", user_id="ana").flags == ()
        assert mem.add("Ben sails", agent_id="rex").flags == ("approval:waits",)
        assert mem.add("Cy sails", agent_id="boss").flags == ()


def test_a_rule_that_means_nothing_is_refused(tmp_path: Path) -> None:
    with (
        recollect.open(tmp_path / "m.db", embedder="fake", config={"security.approval_in": "boss: yes"}) as mem,
        pytest.raises(ConfigInvalid, match="approval_in"),
    ):
        mem.add("Ana sails", agent_id="rex")


def test_what_waits_still_waits_where_an_export_is_restored(mem: Memory, scraper: Memory, tmp_path: Path) -> None:
    waiting, let_in = scraper.add(SAID).id, scraper.add("Tea comes in bags").id
    mem.approve(let_in)
    mem.export(tmp_path / "all.jsonl")
    with recollect.open(":memory:", embedder="fake", background=False) as other:
        other.import_(tmp_path / "all.jsonl")
        assert not shown(other)
        assert [each.id for each in other.review() if each.why == "approval"] == [waiting]
        assert other.get(let_in).tier == "longterm"
        other.approve(waiting)
        assert shown(other)
