"""What a caller sees beside its own, as one word over its grant; and who a call is by, which no argument says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from interfaces.rest_server import bearer, client, token
from starlette.testclient import TestClient

import recollect
from recollect.errors import AccessDenied, UsageError
from recollect.interfaces.cli.entry import main
from recollect.interfaces.issuing import issue
from recollect.memory import Memory
from recollect.model.scope import OwnScope, Scope
from recollect.verbs.toolsets.run import bound
from recollect.verbs.toolsets.run import run as run_tool

ROWS = {
    "global": {},
    "rex": {"agent_id": "rex"},
    "max": {"agent_id": "max"},
    "atlas": {"project": "atlas"},
    "rex in atlas": {"project": "atlas", "agent_id": "rex"},
    "max in atlas": {"project": "atlas", "agent_id": "max"},
    "ana in atlas": {"project": "atlas", "user_id": "ana"},
}


@pytest.fixture
def mem() -> Iterator[Memory]:
    with recollect.open(":memory:", embedder="fake", config={"upkeep.scheduled": False}) as memory:
        for word, where in ROWS.items():
            memory.add(f"note: {word}", infer=False, **where)  # type: ignore[arg-type]
        yield memory


def seen(handle: Memory, **more: Any) -> set[str]:
    """What lists and searches both show."""
    listed = {record.content.removeprefix("note: ") for record in handle.get_all(limit=50, **more)}
    found = {hit.content.removeprefix("note: ") for hit in handle.search("note", top_k=50, **more)}
    assert listed == found
    return listed


def test_own_sees_what_it_holds_and_nothing_else(mem: Memory) -> None:
    assert seen(mem.scoped(agent_id="rex", policy="own")) == {"rex"}
    assert seen(mem.scoped(project="atlas", agent_id="rex", policy="own")) == {"rex in atlas"}
    rex = mem.scoped(agent_id="rex", may_add={"project": ["atlas"]}, policy="own")
    assert seen(rex, project="atlas") == {"rex", "rex in atlas"}


def test_own_and_global_sees_broader_records_and_not_those_of_others(mem: Memory) -> None:
    rex = mem.scoped(project="atlas", agent_id="rex", policy="own+global")
    assert seen(rex) == {"global", "rex", "atlas", "rex in atlas"}
    with pytest.raises(AccessDenied, match="policy is own"):
        rex.get_all(reach="project")


def test_project_sees_the_project_by_itself_and_changes_only_its_own(mem: Memory) -> None:
    boss = mem.scoped(project="atlas", policy="project")
    assert seen(boss) == {"global", "atlas", "rex in atlas", "max in atlas"}
    assert seen(boss, reach="scope") == {"global", "atlas"}
    theirs = mem.get_all(project="atlas", agent_id="max", filters={"agent_id": "max"}).records
    other = next(record for record in theirs if record.content == "note: max in atlas")
    assert boss.get(other.id) is not None
    assert len(boss.history(other.id)) == 1
    with pytest.raises(recollect.errors.NotFound):
        boss.update(other.id, content="mine")
    with pytest.raises(AccessDenied):
        boss.add("in the name of rex", agent_id="rex")
    assert boss.delete_all(dry_run=True).count == 1


def test_owner_is_for_the_owner_alone(mem: Memory) -> None:
    assert mem.scoped(policy="owner").grant.owner
    with pytest.raises(AccessDenied, match="wider"):
        mem.scoped(user_id="ana").scoped(policy="owner")
    with pytest.raises(UsageError, match="not for tools"):
        bound(mem, policy="owner")


def test_a_squad_is_looked_at_as_a_project_is(mem: Memory) -> None:
    notes = {"rex in ops": {"agent_id": "rex"}, "max in ops": {"agent_id": "max", "project": "atlas"}, "ops": {}}
    for text, scope in notes.items():
        mem.add(f"note: {text}", squad="ops", **scope)
    mem.add("note: private", squad="ops", user_id="ana")
    mem.add("note: web", squad="web", agent_id="rex")

    def looked(handle: Memory, **named: str) -> set[str]:
        found = handle.get_all(limit=50, **named)
        return {each.content.removeprefix("note: ") for each in found if each.scope.squad is not None}

    assert looked(mem, squad="ops", reach="squad") == {"ops", "rex in ops", "max in ops"}
    assert looked(mem, squad="ops", project="atlas", reach="squad") == {"ops", "max in ops"}
    assert looked(mem, project="atlas", reach="squad") == set()
    member = mem.scoped(squad="ops", agent_id="rex")
    assert looked(member) == {"ops", "rex in ops"}
    assert looked(member, reach="squad") == {"ops", "rex in ops", "max in ops"}
    for policy in ("own", "own+global"):
        with pytest.raises(AccessDenied):
            mem.scoped(squad="ops", policy=policy).get_all(reach="squad")
    with mem.scoped(squad="ops", agent_id="cy").turn("what does the note say?", caller="round", session_id="s") as turn:
        assert "max in ops" in turn.window.text
        turn.answer("It names ops.")


def test_a_handle_hands_on_no_wider_policy_than_it_has(mem: Memory) -> None:
    own = mem.scoped(agent_id="rex", policy="own")
    for wider in ("own+global", "project"):
        with pytest.raises(AccessDenied):
            own.scoped(policy=wider)
    assert seen(own.scoped()) == {"rex"}
    assert seen(mem.scoped(agent_id="rex", policy="own+global").scoped(policy="own")) == {"rex"}


@pytest.mark.parametrize(
    "given",
    [{"policy": "own"}, {"policy": "project"}, {"policy": "Own", "user_id": "a"}, {"policy": 7, "user_id": "a"}],
)
def test_a_policy_that_means_nothing_is_refused(mem: Memory, given: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="policy"):
        mem.scoped(**given)


def test_an_own_scope_is_a_scope_with_a_floor() -> None:
    own = OwnScope(user_id="ana", project="atlas", floor=Scope(user_id="ana"))
    assert own.sees(Scope(user_id="ana"))
    assert own.sees(Scope(user_id="ana", project="atlas"))
    assert not own.sees(Scope(project="atlas"))
    assert not own.sees(Scope())
    assert set(own.visible_keys()) == {Scope(user_id="ana").key, Scope(user_id="ana", project="atlas").key}


def test_tools_have_policies(mem: Memory) -> None:
    def found(policy: str | None) -> set[str]:
        answer = run_tool("search_memories", {"query": "note"}, {"agent_id": "rex"}, memory=mem, policy=policy)
        return {row["text"].removeprefix("note: ") for row in answer["results"]}

    assert found("own") == {"rex"}
    assert found(None) == found("own+global") == {"rex", "global"}


def test_two_who_see_differently_share_no_mind(mem: Memory) -> None:
    """What the one was shown would stand in the other's window."""
    wide, own = mem.scoped(agent_id="rex"), mem.scoped(agent_id="rex", policy="own")
    wide.context("note", session_id="s")
    assert any("global" in slot.text for slot in wide.working.slots(session_id="s"))
    assert not any("global" in slot.text for slot in own.working.slots(session_id="s"))
    assert own.working.state(session_id="s").session_id == "s"


# --- over the network --------------------------------------------------------------------------------------------


@pytest.fixture
def rest(tmp_path: Path) -> Iterator[TestClient]:
    with client(tmp_path / "m.db", loopback=False) as found:
        yield found


def of(rest: TestClient) -> Memory:
    found: Memory = rest.memory  # type: ignore[attr-defined]
    return found


def test_the_command_line_makes_tokens_with_policies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import json

    create = ["token", "create", "--db", str(tmp_path / "m.db"), "-o", "json"]
    for words, policy, rights in (
        ([], "own+global", ["read"]),
        (["--policy", "own", "--agent-id", "rex"], "own", ["read"]),
        (["--policy", "project", "--project", "atlas", "--rights", "write"], "project", ["read", "write"]),
        (["--policy", "owner"], "owner", ["read", "write", "admin"]),
    ):
        assert main([*create, *words]) == 0
        made = json.loads(capsys.readouterr().out)
        assert (made["policy"], made["rights"]) == (policy, rights)
    for wrong in (["--policy", "all"], ["--policy", "own"], ["--policy", "owner", "--user-id", "a"], ["--rights", ""]):
        assert main([*create, *wrong]) == 2


def test_a_token_sees_by_its_policy(rest: TestClient) -> None:
    memory = of(rest)
    for word, where in ROWS.items():
        memory.add(f"note: {word}", infer=False, **where)  # type: ignore[arg-type]

    def listed(policy: str | None, **held: str) -> set[str]:
        headers = bearer(token(memory, "read", policy=policy, name=f"{policy} {held}", **held))
        answer = rest.get("/v1/memories", headers=headers, params={"limit": 50})
        return {row["memory"].removeprefix("note: ") for row in answer.json()["results"]}

    assert listed("own", agent_id="rex") == {"rex"}
    assert listed("own+global", agent_id="rex") == {"rex", "global"}
    assert listed("project", project="atlas") == {"global", "atlas", "rex in atlas", "max in atlas"}
    headers = bearer(token(memory, "read", policy="own+global", project="atlas"))
    refused = rest.get("/v1/memories", headers=headers, params={"reach": "project"})
    assert (refused.status_code, refused.json()["code"]) == (403, "E4001")


def test_a_new_token_reads_and_changes_nothing(rest: TestClient) -> None:
    made = rest.post("/v1/tokens", json={}, headers=bearer(token(of(rest), "admin", may_add="*", name="owner"))).json()
    assert made["rights"] == ["read"]
    refused = rest.post("/v1/memories", json={"content": "x"}, headers=bearer(made["token"]))
    assert (refused.status_code, refused.json()["code"]) == (403, "E4001")
    assert of(rest).stats()["records"] == 0


def test_what_a_token_wrote_is_found_by_its_name_and_erased(rest: TestClient) -> None:
    memory = of(rest)
    memory.add("said here", user_id="ana")
    hook = bearer(token(memory, "read", "write", name="webhook:42", user_id="ana"))
    for number in range(3):
        forged = {"content": f"from outside {number}", "source": "here", "attributes": {"actor": "somebody"}}
        assert rest.post("/v1/memories", json=forged, headers=hook).status_code == 201
    theirs: Any = {"actor": "token webhook:42"}
    found = memory.get_all(filters=theirs, reach="all")
    assert {record.content for record in found} == {f"from outside {number}" for number in range(3)}
    assert {hit.content for hit in memory.search("outside", filters=theirs, reach="all")} == {
        f"from outside {number}" for number in range(3)
    }
    memory.delete_all(filters=theirs, reach="all", hard=True)
    assert [record.content for record in memory.get_all(reach="all")] == ["said here"]


IDENTITY = {"user_id": "ben", "agent_id": "max", "project": "beta", "channel": "c", "squad": "s"}


@pytest.mark.parametrize("name", IDENTITY)
def test_no_argument_header_or_address_says_who_is_calling(rest: TestClient, name: str) -> None:
    """Each way in which a call could claim to be another; what it wrote is by the token, and in its scope."""
    memory = of(rest)
    claim = {name: IDENTITY[name]}
    memory.add("theirs alone", infer=False, **claim)  # type: ignore[arg-type]
    held = {"user_id": "ana"} if name != "user_id" else {"agent_id": "rex"}
    who = bearer(token(memory, "read", "write", "admin", name="laptop", **held))
    refused = [
        rest.get("/v1/memories", params=claim, headers=who),
        rest.post("/v1/memories", json={"content": "x", **claim}, headers=who),
        rest.post("/v1/memories/search", json={"query": "theirs", **claim}, headers=who),
        rest.post("/v1/context", json={"prompt": "theirs", "session_id": "s", **claim}, headers=who),
        rest.get("/v1/events", params=claim, headers=who),
        rest.get("/v1/export", params=claim, headers={**who, "X-Recollect-Passphrase": "long and secret"}),
        rest.post("/v1/verbs/compact", json={"summary": "- x", "session_id": "s", **claim}, headers=who),
    ]
    assert {(each.status_code, each.json()["code"]) for each in refused} == {(403, "E4001")}
    header = {**who, f"X-Recollect-{name}": IDENTITY[name], name: IDENTITY[name], "X-Forwarded-User": "ben"}
    answer = rest.post("/v1/memories/search", json={"query": "theirs alone"}, headers=header)
    assert answer.json()["results"] == []
    unknown = rest.post("/v1/memories", json={"content": "x", "actor": "owner"}, headers=who)
    assert unknown.status_code == 422
    metadata = {name: IDENTITY[name], "actor": "owner"}
    made = rest.post("/v1/memories", json={"content": "mine", "metadata": metadata}, headers=header).json()["ids"][0]
    stored = memory.get(made)
    assert stored is not None
    assert dict(stored.scope.items()) == held
    assert memory.history(made)[0].operation.actor == "token laptop"


def test_the_environment_of_a_client_is_not_its_identity(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rest: TestClient
) -> None:
    """A variable fills in who a shell acts for; through a door with a grant it says nothing."""
    memory = of(rest)
    memory.add("theirs alone", user_id="ben")
    monkeypatch.setenv("RECOLLECT_USER_ID", "ben")
    monkeypatch.setenv("RECOLLECT_AGENT_ID", "max")
    headers = bearer(token(memory, "read", user_id="ana"))
    assert rest.get("/v1/memories", headers=headers).json()["results"] == []
    assert memory.scoped(user_id="ana").get_all().records == ()
    answer = run_tool("search_memories", {"query": "theirs"}, {"user_id": "ana"}, memory=memory)
    assert answer["results"] == []


@pytest.mark.parametrize(
    "claim",
    [{"user_id": "ben"}, {"userId": "ben"}, {"user": "ben"}, {"agent_id": "max"}, {"agentId": "max"}],
)
def test_a_tool_that_names_another_is_refused_by_every_set(mem: Memory, claim: dict[str, str]) -> None:
    for tool, arguments in (
        ("search_memories", {"query": "note"}),
        ("memory_search", {"query": "note"}),
        ("search_memory", {"query": "note"}),
        ("get_context", {"prompt": "note"}),
        ("add_memory", {"content": "x"}),
    ):
        with pytest.raises(recollect.RecollectError) as error:
            run_tool(tool, {**arguments, **claim}, {"squad": "s"}, memory=mem)
        assert error.value.code in ("E4001", "E4005")
    assert len(mem.get_all(reach="all", limit=50).records) == len(ROWS)


def test_the_address_of_an_mcp_server_asks_for_less_and_never_for_more(mem: Memory) -> None:
    from starlette.datastructures import QueryParams

    from recollect.interfaces.mcp.binding import binding, narrowed
    from recollect.interfaces.rest.callers import ALL_RIGHTS, AdmittedCaller

    here = binding(mem, tools="default")

    def as_caller(grant: Memory, asked: str) -> Memory:
        caller = AdmittedCaller(memory=grant, rights=ALL_RIGHTS)
        return narrowed(here, {"recollect.caller": caller}, QueryParams(asked)).memory

    rex = mem.scoped(agent_id="rex", policy="own+global")
    assert seen(as_caller(rex, "")) == {"rex", "global"}
    assert seen(as_caller(rex, "policy=own")) == {"rex"}
    assert seen(as_caller(mem, "agent_id=rex&policy=own")) == {"rex"}
    for wider in ("policy=project", "policy=owner", "policy=all"):
        with pytest.raises(recollect.RecollectError):
            as_caller(rex, wider)
    with pytest.raises(AccessDenied):
        as_caller(mem.scoped(agent_id="rex", policy="own"), "policy=own%2Bglobal")


def test_an_mcp_server_on_the_command_line_is_never_the_owner(tmp_path: Path) -> None:
    for words in (["--policy", "owner"], ["--policy", "everything"], ["--policy", "own"], ["--policy", "project"]):
        assert main(["mcp", "--db", str(tmp_path / "m.db"), *words]) == 2
    assert not (tmp_path / "m.db").exists()


def test_whoever_holds_the_whole_store_is_counted_by_their_token_as_a_tool(mem: Memory) -> None:
    whole = Memory(mem._opened, actor="token backend", caller="token 7")
    assert whole.caller is None
    assert whole.scoped(user_id="ana").caller == whole.scoped(user_id="ben").caller == "token 7"


def test_what_comes_over_the_network_stays_out_of_the_mind_of_a_talk_here(rest: TestClient) -> None:
    """A hook that knows the name of a session does not put its words into the window of who talks in it."""
    memory = of(rest)
    made = issue(memory, {"user_id": "ana"}, name="hook", rights="write")
    here = memory.scoped(user_id="ana")
    here.context("what about tea?", session_id="s")
    there = Memory(memory._opened, grant=made.token.grant, actor="token hook", caller="token hook")
    there.working.note("ignore the tea", session_id="s")
    assert [slot.text for slot in there.working.slots(session_id="s")] == ["ignore the tea"]
    assert here.working.slots(session_id="s") == []
