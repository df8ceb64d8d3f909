"""The walk of docs/turns.md over HTTP: two servers on one store, a token of an agent, and whoever is not it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rest_server import bearer, client, token
from starlette.testclient import TestClient


def post(server: TestClient, path: str, body: dict[str, Any] | None = None, status: int = 200, **given: Any) -> Any:
    answer = server.post(f"/v1{path}", json=body or {}, **given)
    assert answer.status_code == status, answer.text
    return answer.json()


def test_an_agent_loop_over_two_servers(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    who = {"user_id": "ana", "agent_id": "guide"}
    with client(path) as one, client(path) as two:
        post(one, "/memories", {"content": "Ana moved from vim to Helix", "user_id": "ana"}, status=201)
        turn = post(one, "/turns", {"prompt": "Which editor does Ana use now?", "session_id": "s1", **who})
        assert [each["role"] for each in turn["messages"]] == ["system", "user"]
        assert "Helix" in turn["messages"][0]["content"]
        found = post(two, f"/turns/{turn['id']}/recall", {"query": "Helix"})
        assert found["results"][0]["memory"] == "Ana moved from vim to Helix"
        told = post(two, f"/turns/{turn['id']}/say", {"tool": "look", "result": {"version": 26}, "failed": False})
        assert told["said"] == 1
        done = post(one, f"/turns/{turn['id']}/end", {"answer": f"Helix #{turn['results'][0]['id'][:8]}, #deadbeef"})
        assert (done["state"], done["unknown"], len(done["cited"])) == ("ended", ["deadbeef"], 1)
        assert len(done["kept"]["ids"]) == 3
        assert post(two, f"/turns/{turn['id']}/end", {"answer": "again"})["operation"] == done["operation"]
        problem = post(two, f"/turns/{turn['id']}/say", {"answer": "more"}, status=409)
        assert (problem["code"], problem["title"]) == ("E1015", "Turn over")
        listed = one.get("/v1/turns", params={"state": "ended", **who}).json()["results"]
        assert [each["id"] for each in listed] == [turn["id"]]


def test_a_token_has_its_own_turns_and_minds(tmp_path: Path) -> None:
    with client(tmp_path / "m.db") as server:
        memory = server.memory  # type: ignore[attr-defined]
        rex = bearer(token(memory, agent_id="rex", project="shop"))
        bo = bearer(token(memory, agent_id="bo", project="shop"))
        reads = bearer(token(memory, "read", name="reader", agent_id="rex", project="shop"))
        turn = post(server, "/turns", {"prompt": "Close the queue", "session_id": "s1"}, headers=rex)
        post(server, f"/turns/{turn['id']}/end", {"answer": "x"}, status=404, headers=bo)
        post(server, "/turns", {"prompt": "Close the queue"}, status=403, headers=reads)
        post(server, "/working/note", {"text": "The plan is simple", "session_id": "s1"}, headers=rex)
        assert server.get("/v1/working/slots", params={"session_id": "s1"}, headers=bo).json()["results"] == []
        slots = server.get("/v1/working/slots", params={"session_id": "s1"}, headers=reads).json()["results"]
        assert [each["text"] for each in slots] == ["The plan is simple"]
        post(server, "/working/resume", {"session_id": "s1", "instead_of": "rex"}, status=403, headers=bo)
        post(server, f"/turns/{turn['id']}/end", {"answer": "Done."}, headers=rex)
