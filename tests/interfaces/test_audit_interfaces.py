"""The audit by the ways in: who called is told by the token or the channel, and who may read it by the token."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("mcp")
from commands import Run
from rest_server import bearer, client, token

import recollect
from recollect.interfaces.mcp.binding import binding
from recollect.memory import Memory
from recollect.verbs.toolsets.run import answer


def test_who_calls_is_told_by_the_way_in(tmp_path: Path) -> None:
    with client(tmp_path / "m.db", config={"serve.require_token": True}) as server:
        memory: Memory = server.memory  # type: ignore[attr-defined]
        ana, owner = (
            token(memory, name="ana's", user_id="ana"),
            token(memory, "admin", "read", "write", name="boss", may_add="*"),
        )
        server.post("/v1/memories", json={"content": "Ana keeps bees"}, headers=bearer(ana))
        server.post("/v1/memories/search", json={"query": "bees"}, headers=bearer(ana))
        assert server.get("/v1/stats", headers=bearer("rcl_0123456789ab_" + "x" * 43)).status_code == 401
        assert server.get("/v1/stats").status_code == 401
        assert server.post("/v1/verbs/doctor", json={}, headers=bearer(ana)).status_code == 403
        reader = token(memory, "read", name="reader")
        assert server.post("/v1/memories", json={"content": "x"}, headers=bearer(reader)).status_code == 403
        told = server.get("/v1/audit", headers=bearer(owner)).json()["results"]
        seen = {(each["caller"], each["channel"], each["event"]) for each in told}
        assert ("token ana's", "rest", "memory_written") in seen
        assert ("token ana's", "rest", "memory_searched") in seen
        assert ("token ana's", "rest", "access_denied") in seen
        assert ("token reader", "rest", "access_denied") in seen
        assert ("unknown", "rest", "token_refused") in seen
        mine = server.get("/v1/audit", headers=bearer(ana)).json()["results"]
        assert mine
        assert {each["caller"] for each in mine} == {"token ana's"}
        assert server.get("/v1/audit/verify", headers=bearer(ana)).status_code == 403
        assert server.get("/v1/audit/verify", headers=bearer(owner)).json()["ok"] is True


def test_tokens_exports_imports_and_keys_leave_entries_of_their_own(tmp_path: Path, run: Run) -> None:
    run("add", "bees")
    run("token", "create", "--name", "ci")
    run("token", "revoke", "ci")
    run("export", str(tmp_path / "copy.jsonl"), "--yes")
    run("import", str(tmp_path / "copy.jsonl"))
    told = run("-o", "json", "audit", "--limit", "50").data["results"]
    events = {each["event"] for each in told}
    assert events >= {"token_made", "token_revoked", "export_created", "import_attempted"}
    assert {(each["caller"], each["channel"]) for each in told if each["event"] == "token_made"} == {("owner", "cli")}
    assert run("audit", "--verify").code == 0
    assert "owner (cli)" in run("audit", "--event", "token_made").out


def test_the_shell_says_that_the_audit_was_changed(tmp_path: Path, run: Run) -> None:
    import apsw

    run("add", "bees")
    run("search", "bees")
    assert run("audit", "--verify").code == 0
    database = apsw.Connection(str(tmp_path / "memory.db"))
    database.execute("UPDATE audit SET caller = 'somebody else' WHERE event = 'memory_written'")
    database.close()
    done = run("audit", "--verify")
    assert done.code == 1
    assert "entry 1" in done.out


def test_a_client_of_mcp_is_told_from_the_program_it_runs_in(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "m.db", embedder="fake") as memory:
        view = binding(memory, tools="default", scope={"user_id": "ana"})
        for name, arguments in (("add_memory", {"content": "Ana keeps bees"}), ("search_memories", {"query": "bees"})):
            answer(view.tools[name], arguments, view.memory)
        noted = [(each.event, each.caller, each.channel, each.scope) for each in memory.audit()]
        assert ("memory_written", "mcp", "mcp", "user_id=3:ana;") in noted
        assert ("memory_searched", "mcp", "mcp", "user_id=3:ana;") in noted
