"""Turns that outlive a call: begun here, ended there, kept once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from contracts.store_backends import BACKENDS, DATABASES
from ticking import Ticking

import recollect
from recollect.errors import ContentTooLarge, NotFound, TurnOver, UsageError
from recollect.memory import Memory

ANA = {"user_id": "ana", "agent_id": "guide"}
SWITCHES = 40


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture(params=[name for name in DATABASES if BACKENDS[name].shared])
def servers(request: pytest.FixtureRequest, tmp_path: Path, clock: Ticking) -> Iterator[tuple[Memory, Memory]]:
    """Two servers on one store, as behind a load balancer."""
    url = BACKENDS[request.param].url(tmp_path)
    with (
        recollect.open(url, embedder="wordllama", clock=clock, background=False) as one,
        recollect.open(url, embedder="wordllama", clock=clock, background=False) as two,
    ):
        yield one, two


def said(memory: Memory, session: str = "s1", **scope: str) -> list[str]:
    """What is kept of a session, in its order."""
    found = memory.get_all(filters={"session_id": {"eq": session}}, kinds=["episodic"], limit=500, **(scope or ANA))
    return [record.content for record in reversed(found.records)]


def test_a_turn_is_begun_here_and_ended_there(servers: tuple[Memory, Memory]) -> None:
    one, two = servers
    helix = one.add("Ana moved from vim to Helix", user_id="ana").id
    turn = one.turns.begin("Which editor does Ana use now?", session_id="s1", **ANA)
    assert "Helix" in turn.messages[0]["content"]
    assert said(one) == [], "nothing is remembered before it is over"
    assert [hit.id for hit in two.turns.recall(turn.id, "vim")][:1] == [helix]
    two.turns.say(turn.id, tool="look", result="helix 26 is installed")
    done = two.turns.end(turn.id, f"She uses Helix #{helix[:8]}.")
    assert done.cited.ids == (helix,)
    assert said(one) == ["Which editor does Ana use now?", "helix 26 is installed", f"She uses Helix #{helix[:8]}."]
    assert [each.state for each in one.turns.status()] == ["ended"]
    assert done.operation is not None
    one.undo(done.operation)
    assert said(one) == []


def test_servers_share_a_mind(servers: tuple[Memory, Memory], clock: Ticking) -> None:
    one, two = servers
    lines = [
        "I am building the Atlas web shop with React.",
        "Atlas runs on a small Debian server.",
        "ok, now deploy it",
    ]
    for line, (first, second) in zip(lines, [(one, two), (two, one), (one, two)], strict=True):
        turn = first.turns.begin(line, session_id="s1", **ANA)
        clock.skip(1 / 24 / 60)
        second.turns.end(turn.id, "Noted, Atlas it is.")
    states = [memory.working.state(session_id="s1", **ANA) for memory in servers]
    assert states[0].certainty == pytest.approx(states[1].certainty)
    assert states[0].certainty > 0
    assert states[0].heard_at == states[1].heard_at
    one.working.clear(session_id="s1", **ANA)
    assert two.working.slots(session_id="s1", **ANA) == []


def test_ended_twice_it_is_kept_once(servers: tuple[Memory, Memory]) -> None:
    one, two = servers
    turn = one.turns.begin("Ana sails", session_id="s1", **ANA)
    first = one.turns.end(turn.id, "Nice.")
    again = two.turns.end(turn.id, "Nice.")
    assert again.operation == first.operation
    assert said(one) == ["Ana sails", "Nice."]


def test_of_many_who_end_a_turn_at_once_one_keeps_it(servers: tuple[Memory, Memory]) -> None:
    one, two = servers
    turn = one.turns.begin("Ana sails", session_id="s1", **ANA)
    operations: list[str | None] = []

    def end(memory: Memory) -> None:
        try:
            operations.append(memory.turns.end(turn.id, "Nice.").operation)
        except TurnOver:
            operations.append(None)

    threads = [threading.Thread(target=end, args=(memory,)) for memory in (one, two, one, two)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({each for each in operations if each}) == 1
    assert said(one) == ["Ana sails", "Nice."]


def test_an_aborted_turn_keeps_what_it_had_and_says_so_to_whoever_goes_on(servers: tuple[Memory, Memory]) -> None:
    one, two = servers
    turn = one.turns.begin("Move the ledger", caller="task", name="move", **ANA)
    one.turns.say(turn.id, tool="dump", result="3,000 rows")
    two.turns.abort(turn.id, reason="wrong database")
    with pytest.raises(TurnOver, match="aborted: wrong database; what it had is kept") as over:
        one.turns.say(turn.id, "go on")
    assert over.value.state == "aborted"
    with pytest.raises(TurnOver):
        one.turns.end(turn.id, "Done.")
    kept = said(one, "task:move")
    assert kept[0] == "Move the ledger"
    assert any("3,000 rows" in each for each in kept)
    assert any("stopped (wrong database)" in each for each in kept)
    gone = one.turns.begin("Never mind", session_id="s2", **ANA)
    assert one.turns.abort(gone.id, keep=False).operation is None
    assert said(one, "s2") == []


def test_upkeep_closes_what_nobody_goes_on_with(servers: tuple[Memory, Memory], clock: Ticking) -> None:
    one, two = servers
    left = one.turns.begin("Ana keeps bees", session_id="s1", **ANA)
    clock.skip(1)
    fresh = one.turns.begin("Ana keeps hens", session_id="s2", **ANA)
    told = two.maintain(dry_run=True)
    assert [item.id for item in told.items if item.did == "closed"] == [left.id]
    assert two.turns.status(state="open")[-1].id == left.id
    done = two.maintain()
    assert done.counts["closed"] == 1
    assert {each.id: each.state for each in one.turns.status()} == {left.id: "orphaned", fresh.id: "open"}
    assert said(one) == ["Ana keeps bees"]
    with pytest.raises(TurnOver, match="nobody went on"):
        one.turns.end(left.id)


def test_turns_are_their_callers_alone(servers: tuple[Memory, Memory]) -> None:
    one, _ = servers
    rex = one.scoped(agent_id="rex", project="shop")
    bo = one.scoped(agent_id="bo", project="shop")
    turn = rex.turns.begin("Close the queue", session_id="s1")
    for call in (
        lambda: bo.turns.end(turn.id),
        lambda: bo.turns.say(turn.id, "x"),
        lambda: bo.turns.recall(turn.id, "queue"),
        lambda: bo.turns.abort(turn.id),
        lambda: one.scoped(agent_id="rex").turns.end(turn.id),
        lambda: one.scoped(agent_id="rex", project="shop", policy="own").turns.end(turn.id),
    ):
        with pytest.raises(NotFound):
            call()
    assert bo.turns.status() == []
    assert one.scoped(project="shop").turns.status() == []
    assert [each.id for each in rex.turns.status(state="open")] == [turn.id]
    backend = one.scoped(may_add=["agent_id", "project"])
    assert backend.turns.end(turn.id, "Done.").turn.scope.agent_id == "rex"


@pytest.mark.parametrize(
    "given", [{}, {"answer": {"role": "user", "content": "me"}}, {"tool": ""}, {"tool": "x", "failed": 3}]
)
def test_what_makes_no_sense_changes_nothing(servers: tuple[Memory, Memory], given: dict[str, Any]) -> None:
    one, _ = servers
    turn = one.turns.begin("hello there", **ANA)
    with pytest.raises(UsageError):
        one.turns.say(turn.id, **given)
    assert one.turns.status()[0].said == 0


def test_a_turn_is_bounded(servers: tuple[Memory, Memory]) -> None:
    one, _ = servers
    turn = one.turns.begin("hello there", **ANA)
    with pytest.raises(ContentTooLarge):
        one.turns.say(turn.id, "x" * 2_000_001)
    assert one.turns.status()[0].state == "open"


def test_secrets_do_not_lie_in_open_turns(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    key = "sk-proj-" + "Ab3dE5gH7jK9mN1pQ3sT5vX7zB9dF1hJ3lN5pR7tV9xZ1bD3"
    with recollect.open(path, embedder="fake") as memory:
        turn = memory.turns.begin(f"my key is {key}", session_id="s1", **ANA)
        memory.turns.say(turn.id, tool="env", result=f"KEY={key}")
    assert key.encode() not in path.read_bytes()


def test_an_erased_person_leaves_no_open_turn(servers: tuple[Memory, Memory]) -> None:
    one, _ = servers
    turn = one.turns.begin("I live in Porto", session_id="s1", **ANA)
    one.add("Ana lives in Porto", user_id="ana")
    one.erase_user("ana")
    assert one.turns.status() == []
    with pytest.raises(NotFound):
        one.turns.end(turn.id)


def test_many_switches_between_agents_lose_nothing(servers: tuple[Memory, Memory]) -> None:
    one, two = servers
    agents = [f"agent{number}" for number in range(5)]
    for agent in agents:
        one.working.note(f"The plan of {agent} is {agent * 2}", session_id="s1", agent_id=agent)
        one.working.suspend(session_id="s1", agent_id=agent)
    before = None
    for number in range(SWITCHES):
        agent, memory = agents[number * 7 % 5], servers[number % 2]
        memory.working.resume(session_id="s1", agent_id=agent, **({"instead_of": before} if before else {}))
        turn = memory.turns.begin(f"Step {number} of {agent}", session_id="s1", agent_id=agent)
        servers[1 - number % 2].turns.say(turn.id, f"did {number}")
        if number % 10:
            two.turns.end(turn.id)
        before = agent
    one.working.resume(session_id="s1", agent_id="nobody", instead_of=before)
    assert one.turns.status(state="open") == []
    for agent in agents:
        kept = said(one, "s1", agent_id=agent)
        wanted = [number for number in range(SWITCHES) if agents[number * 7 % 5] == agent]
        assert [each for each in kept if each.startswith("Step")] == [f"Step {number} of {agent}" for number in wanted]
        assert {each for each in kept if each.startswith("did")} == {f"did {number}" for number in wanted}
        slots = one.working.slots(session_id="s1", agent_id=agent)
        assert any(slot.text == f"The plan of {agent} is {agent * 2}" for slot in slots)
        assert not any(f"The plan of {other} " in slot.text for slot in slots for other in agents if other != agent)


def test_a_block_can_be_stopped_with_what_it_has(tmp_path: Path) -> None:
    def sort(memory: Memory) -> None:
        with memory.turn("Sort the shelves", caller="task", name="sort", **ANA) as turn:
            turn.tool("sort", "half of them")
            turn.abort("it is late")
            raise KeyboardInterrupt

    with recollect.open(tmp_path / "m.db", embedder="fake") as memory:
        with pytest.raises(KeyboardInterrupt):
            sort(memory)
        assert any("stopped (it is late)" in each for each in said(memory, "task:sort"))
