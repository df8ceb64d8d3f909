"""Settings, models, the vault and clients over HTTP: for the owner alone, written as the shell does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from interfaces.rest_server import bearer, client, listening, token
from interfaces.test_rest_access import memory_of
from starlette.testclient import TestClient

from recollect.interfaces.rest import settings as served

HERE = {"client": ("127.0.0.1", 50_000)}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine of its own: a home, a file of settings, no variable that overrules it."""
    place = tmp_path / "home"
    (place / ".cursor").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(place))
    (place / ".recollect").mkdir()
    for name in ("RECOLLECT_CONFIG", "RECOLLECT_EMBEDDER", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    return place


@pytest.fixture
def rest(home: Path, tmp_path: Path) -> Iterator[TestClient]:
    with client(tmp_path / "m.db") as found:
        yield found


def setting(rest: TestClient, key: str) -> dict[str, Any]:
    (found,) = [each for each in rest.get("/v1/settings").json()["settings"] if each["key"] == key]
    return dict(found)


def test_every_setting_is_told_with_range_meaning_and_origin(rest: TestClient) -> None:
    told = setting(rest, "recall.top_k")
    assert (told["type"], told["origin"], told["live"], told["section"]) == ("int", "default", True, "recall")
    assert told["doc"]
    assert " to " in told["range"]
    assert setting(rest, "decay.half_life_days")["type"] == "table"


def test_a_change_is_written_and_acts_at_once(rest: TestClient, home: Path) -> None:
    done = rest.patch("/v1/settings/recall.top_k", json={"value": 7})
    assert (done.status_code, done.json()["acts"], done.json()["value"]) == (200, "now", 7)
    assert "top_k = 7" in (home / ".recollect" / "config.toml").read_text()
    assert memory_of(rest).config.recall.top_k == 7
    assert setting(rest, "recall.top_k")["origin"].startswith("file")
    back = rest.delete("/v1/settings/recall.top_k").json()
    assert (back["origin"], back["acts"]) == ("default", "now")
    assert memory_of(rest).config.recall.top_k != 7
    assert [each.detail for each in memory_of(rest).audit(event="policy_changed")][:1] == [{"setting": "recall.top_k"}]


def test_what_waits_for_the_next_start_is_said(rest: TestClient) -> None:
    done = rest.patch("/v1/settings/serve.threads", json={"value": 9}).json()
    assert (done["acts"], done["at_next_start"]) == ("next_start", 9)
    told = setting(rest, "serve.threads")
    assert (told["waits"], told["at_next_start"], told["value"]) == (True, 9, 4)
    assert rest.delete("/v1/settings/serve.threads").json()["acts"] == "now"


def test_a_row_of_a_table_is_changed(rest: TestClient) -> None:
    done = rest.patch("/v1/settings/decay.half_life_days.work_state", json={"value": 3}).json()
    assert (done["value"]["work_state"], done["acts"]) == (3.0, "now")


@pytest.mark.parametrize(
    ("key", "value"), [("recall.top_k", -1), ("recall.top_k", "many"), ("recall.nothing", 1), ("decay", 1)]
)
def test_what_does_not_fit_is_refused_and_changes_nothing(rest: TestClient, home: Path, key: str, value: Any) -> None:
    refused = rest.patch(f"/v1/settings/{key}", json={"value": value})
    assert refused.status_code == 422, refused.text
    assert not (home / ".recollect" / "config.toml").exists()
    assert rest.patch("/v1/settings/recall.top_k", json={"value": [1]}).status_code == 422
    assert rest.patch("/v1/settings/recall.top_k", json={}).status_code == 422


def test_a_secret_is_written_and_never_shown(rest: TestClient, home: Path) -> None:
    done = rest.patch("/v1/settings/llm_key", json={"value": "sk-secret-4711"})
    assert done.status_code == 200
    assert "sk-secret-4711" in (home / ".recollect" / "config.toml").read_text()
    for told in (done.text, rest.get("/v1/settings").text, rest.get("/v1/audit").text):
        assert "4711" not in told
    assert (home / ".recollect" / "config.toml").stat().st_mode & 0o077 == 0


def test_a_variable_that_overrules_the_file_is_said(rest: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_RECALL__TOP_K", "12")
    done = rest.patch("/v1/settings/recall.top_k", json={"value": 7}).json()
    assert (done["acts"], done["value"]) == ("overruled", 12)


def test_only_the_owner_sees_and_changes_settings(rest: TestClient) -> None:
    for rights, scope in ((("read", "write"), {}), (("admin",), {"project": "atlas"})):
        who = bearer(token(memory_of(rest), *rights, **scope))
        for path in ("/v1/settings", "/v1/models", "/v1/vault", "/v1/clients"):
            assert rest.get(path, headers=who).status_code == 403, path
        assert rest.patch("/v1/settings/recall.top_k", json={"value": 7}, headers=who).status_code == 403
        assert rest.delete("/v1/settings/recall.top_k", headers=who).status_code == 403
        assert rest.post("/v1/clients/cursor", json={"write": True}, headers=who).status_code == 403


def test_changes_over_http_can_be_forbidden(home: Path, tmp_path: Path) -> None:
    with client(tmp_path / "m.db", config={"serve.change_settings": False}) as rest:
        assert rest.get("/v1/settings").json()["may_change"] is False
        assert rest.patch("/v1/settings/recall.top_k", json={"value": 7}).status_code == 403
        assert rest.post("/v1/clients/cursor", json={}).status_code == 403
    with client(tmp_path / "m.db") as rest:
        assert rest.patch("/v1/settings/serve.change_settings", json={"value": False}).status_code == 403


def test_a_file_that_is_broken_is_said_and_the_old_settings_hold(rest: TestClient, home: Path) -> None:
    (home / ".recollect" / "config.toml").write_text("[recall\n")
    assert rest.get("/v1/settings").json()["problem"]
    assert rest.patch("/v1/settings/recall.top_k", json={"value": 7}).status_code == 422
    assert (home / ".recollect" / "config.toml").read_text() == "[recall\n"


def test_a_server_takes_in_what_the_shell_wrote(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served, "LOOK_EVERY_S", 0.01)
    import httpx

    with listening(tmp_path / "m.db") as port:
        (home / ".recollect" / "config.toml").write_text("[recall]\ntop_k = 5\n")
        for _ in range(500):
            told = httpx.get(f"http://127.0.0.1:{port}/v1/settings").json()["settings"]
            if any(each["key"] == "recall.top_k" and each["value"] == 5 for each in told):
                break
        else:
            raise AssertionError("the file was not taken in")


def test_models_are_told_with_their_state_and_the_providers(rest: TestClient) -> None:
    told = rest.get("/v1/models").json()
    assert [each["role"] for each in told["models"]] == ["llm", "embedder", "reranker"]
    assert told["models"][0]["state"] == "none"
    assert {"provider", "installed", "install", "role"} <= set(told["providers"][0])
    assert told["embedding"]["pending"] == 0


def test_what_protects_the_store_is_told(rest: TestClient) -> None:
    told = rest.get("/v1/vault").json()
    assert (told["encrypted"], told["vault"]) == (False, False)
    assert "secrets" in told


def test_a_client_is_connected_and_taken_out_again(home: Path, tmp_path: Path) -> None:
    with client(tmp_path / "m.db") as rest, TestClient(rest.app, base_url="http://127.0.0.1:7077", **HERE) as here:
        assert rest.get("/v1/clients").json() == {"here": False, "clients": []}
        assert rest.post("/v1/clients/cursor", json={"write": True}).status_code == 403
        told = {each["client"]: each for each in here.get("/v1/clients").json()["clients"]}
        assert (told["cursor"]["there"], told["cursor"]["connected"], told["codex"]["there"]) == (True, False, False)
        seen = here.post("/v1/clients/cursor", json={}).json()
        assert (seen["dry_run"], seen["clients"][0]["did"], seen["clients"][0]["written"]) == (True, "add", False)
        assert not (home / ".cursor" / "mcp.json").exists()
        done = here.post("/v1/clients/cursor", json={"write": True}).json()["clients"][0]
        assert done["written"]
        entry = json.loads((home / ".cursor" / "mcp.json").read_text())["mcpServers"]["recollect"]
        assert entry["args"][-2:] == ["--db", str(tmp_path / "m.db")]
        again = {each["client"]: each for each in here.get("/v1/clients").json()["clients"]}
        assert again["cursor"]["connected"]
        here.post("/v1/clients/cursor", json={"remove": True, "write": True})
        assert "recollect" not in (home / ".cursor" / "mcp.json").read_text()
        assert here.post("/v1/clients/nobody", json={}).status_code == 422
        assert here.post("/v1/clients/cursor", json={"writ": True}).status_code == 422


def test_the_audit_is_read_page_by_page(rest: TestClient) -> None:
    for at in range(5):
        memory_of(rest).add(f"note {at}")
    first = rest.get("/v1/audit", params={"limit": 3, "event": "memory_written"}).json()["results"]
    rest_of = rest.get(
        "/v1/audit", params={"limit": 9, "event": "memory_written", "older_than": first[-1]["number"]}
    ).json()["results"]
    assert [each["number"] for each in first + rest_of] == sorted(
        (each["number"] for each in first + rest_of), reverse=True
    )
    assert len(first + rest_of) == 5


def test_a_report_of_an_erasure_is_checked_over_http(rest: TestClient) -> None:
    rest.post("/v1/memories", json={"content": "Ben keeps a heron", "user_id": "ben"})
    done = rest.post("/v1/verbs/erase", json={"user_id": "ben"}).json()
    told = rest.post("/v1/erasure/verify", json={"report": done, "user_id": "ben"}).json()
    assert (told["genuine"], told["about"], told["found"]) == (True, True, 0)
    done["report"] |= {"records": 7, "files": [{"no": "file of ours"}]}
    told = rest.post("/v1/erasure/verify", json={"report": done["report"]}).json()
    assert (told["genuine"], told["found"]) == (False, None)
    for wrong in ({}, {"report": "text"}, {"report": {"kind": "other"}}, {"report": done, "user": "ben"}):
        assert rest.post("/v1/erasure/verify", json=wrong).status_code == 422
    reading = bearer(token(memory_of(rest), "read", "write", "admin", user_id="ana"))
    assert rest.post("/v1/erasure/verify", json={"report": done}, headers=reading).status_code == 403
