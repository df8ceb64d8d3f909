"""Who may come in, as whom, and from where."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

import apsw
import pytest
from interfaces import mounting
from interfaces.rest_server import bearer, client, token
from starlette.testclient import TestClient

import recollect
from recollect.errors import AccessDenied, NotFound, UsageError
from recollect.interfaces import serving
from recollect.interfaces.rest import callers
from recollect.interfaces.rest.origins import is_loopback
from recollect.memory import Memory
from recollect.store.sqlite.migrate import migrate, steps


@pytest.fixture
def open_rest(tmp_path: Path) -> Iterator[TestClient]:
    """A server others can reach: every request needs a token."""
    with client(tmp_path / "m.db", loopback=False) as found:
        yield found


@pytest.fixture
def local(tmp_path: Path) -> Iterator[TestClient]:
    with client(tmp_path / "m.db") as found:
        yield found


def memory_of(rest: TestClient) -> Memory:
    found: Memory = rest.memory  # type: ignore[attr-defined]
    return found


def denied(answer: Any, status: int) -> None:
    assert answer.status_code == status, answer.text
    assert answer.json()["code"] == "E4001"


def test_off_loopback_nobody_comes_in_without_a_token(open_rest: TestClient) -> None:
    for path in ("/v1/memories", "/v1/stats", "/v1/events", "/metrics", "/nothing"):
        answer = open_rest.get(path)
        denied(answer, 401)
        assert answer.headers["www-authenticate"].startswith("Bearer")
    assert open_rest.get("/v1/health").json() == {"status": "ok", "warnings": [], "operation": None}
    assert open_rest.get("/docs").status_code == 200


@pytest.mark.parametrize(
    "wrong", ["Bearer nonsense", "Bearer ", "Basic YTpi", "Bearer rcl_000000000000_" + "A" * 43, "Bearer \xff\xfe", "x"]
)
def test_a_wrong_token_opens_nothing(open_rest: TestClient, wrong: str) -> None:
    denied(open_rest.get("/v1/stats", headers={"authorization": wrong.encode("latin-1")}), 401)
    denied(open_rest.get("/v1/health", headers={"authorization": wrong.encode("latin-1")}), 401)


def test_half_of_a_right_token_opens_nothing(open_rest: TestClient) -> None:
    text = token(memory_of(open_rest), "read")
    assert open_rest.get("/v1/stats", headers=bearer(text)).status_code == 200
    other = "A" if text[-2] != "A" else "B"
    denied(open_rest.get("/v1/stats", headers=bearer(text[:-2] + other + text[-1])), 401)
    denied(open_rest.get("/v1/stats", headers=bearer(text[:16])), 401)


def test_of_a_token_only_a_hash_is_kept(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "m.db", embedder="fake") as memory:
        text = token(memory, "read", name="laptop")
    secret = text.split("_", 2)[2].encode()
    assert all(secret not in file.read_bytes() for file in tmp_path.iterdir())


def test_a_token_sees_its_scope_and_nothing_else(open_rest: TestClient) -> None:
    memory = memory_of(open_rest)
    mine = memory.add("Ana keeps the spare key under the pot", user_id="ana").id
    theirs = memory.add("Ben keeps the spare key in the shed", user_id="ben").id
    ana = bearer(token(memory, "read", "write", user_id="ana"))
    found = open_rest.post("/v1/memories/search", json={"query": "where is the spare key?"}, headers=ana).json()
    assert [each["id"] for each in found["results"]] == [mine]
    for method, path in (("GET", ""), ("PATCH", ""), ("DELETE", ""), ("GET", "/history")):
        more = {"json": {"content": "x"}} if method == "PATCH" else {}
        answer = open_rest.request(method, f"/v1/memories/{theirs}{path}", headers=ana, **more)  # type: ignore[arg-type]
        assert answer.status_code == 404, "what is not visible is not found, rather than forbidden"
        assert answer.json()["code"] == "E2005"
    assert memory.get(theirs) is not None


def test_scope_arguments_may_narrow_and_never_leave(open_rest: TestClient) -> None:
    memory = memory_of(open_rest)
    atlas = bearer(token(memory, "read", "write", project="atlas"))
    wider = {"content": "x", "project": "other"}
    denied(open_rest.post("/v1/memories", json=wider, headers=atlas), 403)
    denied(open_rest.get("/v1/memories", params={"project": "other"}, headers=atlas), 403)
    denied(open_rest.get("/v1/memories", params={"reach": "all"}, headers=atlas), 403)
    denied(open_rest.get("/v1/events", params={"project": "other"}, headers=atlas), 403)
    denied(open_rest.get("/v1/graph", params={"project": "other"}, headers=atlas), 403)
    assert memory.stats()["records"] == 0


def test_a_token_names_no_dimension_that_was_not_granted(open_rest: TestClient) -> None:
    memory = memory_of(open_rest)
    plans = memory.add("Phoenix: layoffs in June", project="phoenix").id
    mallory = bearer(token(memory, "read", "write", "admin", user_id="mallory"))
    path, more = f"/v1/memories/{plans}", {"project": "phoenix"}
    denied(open_rest.get(path, params=more, headers=mallory), 403)
    denied(open_rest.get("/v1/memories", params=more, headers=mallory), 403)
    denied(open_rest.post("/v1/memories/search", json={"query": "June", **more}, headers=mallory), 403)
    denied(open_rest.patch(path, json={"content": "mine", **more}, headers=mallory), 403)
    denied(open_rest.delete(path, params={"hard": True, **more}, headers=mallory), 403)
    denied(open_rest.post("/v1/memories", json={"content": "x", **more}, headers=mallory), 403)
    denied(open_rest.get("/v1/events", params=more, headers=mallory), 403)
    denied(open_rest.get("/v1/export", params={"plain": True, **more}, headers=mallory), 403)
    refused = open_rest.get(path, params=more, headers=mallory).json()
    assert refused["code"] == "E4001"
    assert "holds user_id='mallory' and may add nothing" in refused["detail"]
    assert memory.get(plans).version == 1  # type: ignore[union-attr]


def test_a_token_adds_what_it_was_granted(open_rest: TestClient) -> None:
    memory = memory_of(open_rest)
    atlas = bearer(token(memory, "read", "write", project="atlas", may_add={"user_id": ["ana"], "agent_id": "*"}))
    for named in ({"user_id": "ana"}, {"agent_id": "rex"}, {"agent_id": "max", "user_id": "ana"}):
        made = open_rest.post("/v1/memories", json={"content": "x", **named}, headers=atlas).json()["ids"][0]
        assert dict(memory.get(made).scope.items()) == {"project": "atlas", **named}  # type: ignore[union-attr]
    for named in ({"user_id": "ben"}, {"squad": "s"}, {"project": "beta"}):
        denied(open_rest.post("/v1/memories", json={"content": "x", **named}, headers=atlas), 403)


def test_a_token_that_holds_nothing_is_nobody_unless_it_may_add(open_rest: TestClient) -> None:
    memory = memory_of(open_rest)
    memory.add("Ana uses Helix", user_id="ana")
    plain, anyone = bearer(token(memory, "read")), bearer(token(memory, "read", may_add="*"))
    assert open_rest.get("/v1/memories", headers=plain).json()["results"] == []
    denied(open_rest.get("/v1/memories", params={"user_id": "ana"}, headers=plain), 403)
    assert len(open_rest.get("/v1/memories", params={"user_id": "ana"}, headers=anyone).json()["results"]) == 1
    lone = bearer(token(memory, "read", "write", "admin"))
    denied(open_rest.get("/v1/memories", params={"reach": "all"}, headers=lone), 403)
    denied(open_rest.post("/v1/verbs/erase_user", json={"user_id": "ana"}, headers=lone), 403)


def test_rights_are_read_write_and_admin(open_rest: TestClient) -> None:
    memory = memory_of(open_rest)
    record = memory.add("Ana uses Helix").id
    reader, writer = (bearer(token(memory, *rights)) for rights in (("read",), ("read", "write")))
    admin = bearer(token(memory, "read", "write", "admin", may_add="*"))
    denied(open_rest.post("/v1/memories", json={"content": "x"}, headers=reader), 403)
    denied(open_rest.patch(f"/v1/memories/{record}", json={"content": "x"}, headers=reader), 403)
    assert open_rest.get(f"/v1/memories/{record}", headers=reader).status_code == 200
    denied(open_rest.delete(f"/v1/memories/{record}", params={"hard": True}, headers=writer), 403)
    denied(open_rest.post("/v1/verbs/doctor", json={}, headers=writer), 403)
    denied(open_rest.post("/v1/verbs/delete_all", json={"project": "atlas"}, headers=writer), 403)
    assert open_rest.post("/v1/verbs/doctor", json={}, headers=admin).status_code == 200
    assert open_rest.delete(f"/v1/memories/{record}", params={"hard": True}, headers=admin).status_code == 200


def test_an_admin_of_a_part_is_no_owner(open_rest: TestClient) -> None:
    admin = bearer(token(memory_of(open_rest), "read", "write", "admin", project="atlas"))
    denied(open_rest.post("/v1/verbs/doctor", json={}, headers=admin), 403)
    denied(open_rest.get("/metrics", headers=admin), 403)
    denied(open_rest.get("/v1/memories", params={"reach": "all"}, headers=admin), 403)


def test_tokens_of_older_stores_keep_what_was_promised(tmp_path: Path) -> None:
    """One without a scope acts for anyone; one with a scope may add nothing to it."""
    path = tmp_path / "m.db"
    db = apsw.Connection(str(path))
    migrate(db, str(path), list(takewhile(lambda step: step[1] != "grants", steps())))
    db.execute("INSERT INTO scope (pk, key) VALUES (7, ''), (8, 'x')")
    db.execute("UPDATE scope SET user_id = 'ana' WHERE pk = 8")
    secrets = {name: "s" * 42 + name[0] for name in ("anyone", "bound")}
    for name, scope in (("anyone", 7), ("bound", 8)):
        hashed = hashlib.sha256(secrets[name].encode()).hexdigest()
        db.execute(
            "INSERT INTO access_token (id, name, hash, scope_pk, rights, made_at) VALUES (?, ?, ?, ?, ?, 1)",
            (f"{scope:012x}", name, hashed, scope, '["admin","read","write"]'),
        )
    db.close()
    with client(path, loopback=False) as rest:
        memory_of(rest).add("Ben keeps bees", user_id="ben")
        anyone, bound = (bearer(f"rcl_{scope:012x}_{secrets[name]}") for name, scope in (("anyone", 7), ("bound", 8)))
        assert len(rest.get("/v1/memories", params={"user_id": "ben"}, headers=anyone).json()["results"]) == 1
        assert len(rest.get("/v1/memories", params={"reach": "all"}, headers=anyone).json()["results"]) == 1
        denied(rest.get("/v1/memories", params={"project": "atlas"}, headers=bound), 403)


def test_who_wrote_something_is_in_its_history(open_rest: TestClient) -> None:
    memory = memory_of(open_rest)
    headers = bearer(token(memory, name="laptop"))
    record = open_rest.post("/v1/memories", json={"content": "Ana uses Helix"}, headers=headers).json()["ids"][0]
    assert memory.history(record)[0].operation.actor == "token laptop"


def test_a_revoked_token_is_over_soon(open_rest: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(callers, "TRUSTED_S", 0.0)
    memory = memory_of(open_rest)
    headers = bearer(token(memory, name="laptop"))
    assert open_rest.get("/v1/stats", headers=headers).status_code == 200
    engine = memory._opened
    engine.store.write(lambda tx: tx.tokens.revoke("laptop", at=engine.clock()))
    denied(open_rest.get("/v1/stats", headers=headers), 401)


def test_tokens_end_when_they_expire_and_names_are_unique(memory: Memory) -> None:
    engine = memory._opened
    now = engine.clock()
    text = token(memory, "read", name="short", expires_at=now + 1_000_000)
    with engine.store.read() as tx:
        assert tx.tokens.verified(text, now=now) is not None
        assert tx.tokens.verified(text, now=now + 2_000_000) is None
        assert tx.tokens.usable(now=now)
        assert not tx.tokens.usable(now=now + 2_000_000)
    with pytest.raises(UsageError, match="already"):
        token(memory, "read", name="short")
    with pytest.raises(UsageError, match="expired"):
        token(memory, "read", name="past", expires_at=now - 1)
    with pytest.raises(NotFound, match="token list"):
        engine.store.write(lambda tx: tx.tokens.revoke("nobody", at=now))


def test_a_person_who_is_erased_takes_their_tokens_along(memory: Memory) -> None:
    ana, ben = token(memory, "read", user_id="ana"), token(memory, "read", user_id="ben")
    memory.erase_user("ana")
    engine = memory._opened
    with engine.store.read() as tx:
        assert tx.tokens.verified(ana, now=engine.clock()) is None
        assert tx.tokens.verified(ben, now=engine.clock()) is not None


def test_guessing_tokens_is_slowed_down(open_rest: TestClient) -> None:
    text = token(memory_of(open_rest), "read")
    answers = [open_rest.get("/v1/stats", headers=bearer(f"guess {number}")) for number in range(65)]
    assert answers[0].status_code == 401
    assert answers[-1].status_code == 429
    assert int(answers[-1].headers["retry-after"]) >= 1
    assert open_rest.get("/v1/stats", headers=bearer(text)).status_code == 200, "whoever is right is let in"
    assert open_rest.get("/v1/stats", headers=bearer("guess")).status_code == 429


def test_on_loopback_the_owner_needs_no_token(local: TestClient) -> None:
    assert local.get("/v1/memories", params={"reach": "all"}).status_code == 200
    ana = bearer(token(memory_of(local), "read", user_id="ana"))
    denied(local.get("/v1/memories", params={"reach": "all"}, headers=ana), 403)
    denied(local.get("/v1/stats", headers=bearer("wrong")), 401)


def test_on_loopback_a_token_can_be_asked_for(tmp_path: Path) -> None:
    with client(tmp_path / "m.db", config={"serve.require_token": True}) as rest:
        denied(rest.get("/v1/stats"), 401)
        assert rest.get("/v1/stats", headers=bearer(token(memory_of(rest), "read"))).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "evil.example:7077",
        "",
        "[::2]:7077",
        "[::1]evil.example:7077",
        "[::1].evil.example",
        "localhost:7077:1",
        "localhost:evil",
        "127.0.0.1:7077@evil.example",
        "[localhost]:7077",
    ],
)
def test_a_name_that_was_rebound_gets_nothing(local: TestClient, host: str) -> None:
    denied(local.get("/v1/memories", headers={"host": host}), 403)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:7077", "127.0.0.1:1", "[::1]:7077"])
def test_names_of_this_machine_are_served(local: TestClient, host: str) -> None:
    assert local.get("/v1/memories", headers={"host": host}).status_code == 200


def test_another_name_can_be_configured(tmp_path: Path) -> None:
    with client(tmp_path / "m.db", config={"serve.hosts": "memory.lan, other.lan"}) as rest:
        assert rest.get("/v1/stats", headers={"host": "memory.lan:7077"}).status_code == 200
        denied(rest.get("/v1/stats", headers={"host": "third.lan"}), 403)


def test_pages_of_other_sites_get_nothing(local: TestClient) -> None:
    own = {"host": "127.0.0.1:7077"}
    for foreign in (
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://["},
        {"origin": "http://127.0.0.1:8000"},
        {"sec-fetch-site": "cross-site"},
    ):
        denied(local.post("/v1/memories", json={"content": "x"}, headers={**own, **foreign}), 403)
    same = {**own, "origin": "http://127.0.0.1:7077", "sec-fetch-site": "same-origin"}
    assert local.post("/v1/memories", json={"content": "x"}, headers=same).status_code == 201
    link = {**own, "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert local.get("/", headers=link).status_code == 200


def test_what_comes_through_a_proxy_needs_a_token(local: TestClient) -> None:
    denied(local.get("/v1/stats", headers={"x-forwarded-for": "203.0.113.9"}), 401)


def test_a_token_is_no_password(open_rest: TestClient) -> None:
    text = token(memory_of(open_rest), "read")
    password = {"authorization": "Basic " + b64encode(f"anybody:{text}".encode()).decode()}
    denied(open_rest.get("/v1/stats", headers=password), 401)


def test_what_is_mounted_beside_rest_passes_the_same_gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.interfaces.rest.beside.MODULE", "interfaces.mounting")
    mounting.LIFE.clear()
    with client(tmp_path / "m.db", loopback=False) as rest:
        memory_of(rest).add("Ana's own note", user_id="ana")
        denied(rest.post("/mcp", json={}), 401)
        ana = bearer(token(memory_of(rest), "read", user_id="ana"))
        assert mounting.LIFE == [], "nobody asked for it yet"
        for _ in range(2):
            assert rest.post("/mcp", json={}, headers=ana).json() == {"records": 1, "rights": ["read"]}
        assert mounting.LIFE == ["begins"]
    assert mounting.LIFE == ["begins", "ends"]


def test_off_loopback_it_does_not_start_without_any_token(memory: Memory) -> None:
    with pytest.raises(AccessDenied, match="token create"):
        serving.require_tokens(memory)
    token(memory, "read")
    serving.require_tokens(memory)


def test_loopback_is_told_from_other_addresses() -> None:
    assert all(map(is_loopback, ("127.0.0.1", "127.1.2.3", "::1", "localhost")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "192.168.1.5", "example.org")))
