"""Tokens end when they should, whatever the clock says; the owner makes and ends them over HTTP."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from interfaces.rest_server import bearer, client, token
from starlette.testclient import TestClient
from ticking import Ticking

from recollect.clock import DAY_US, from_us
from recollect.errors import UsageError
from recollect.interfaces.issuing import ending, issued
from recollect.interfaces.rest import callers
from recollect.memory import Memory

HOUR_US = DAY_US // 24


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def rest(tmp_path: Path, clock: Ticking, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    monkeypatch.setattr(callers, "TRUSTED_S", 0.0)
    with client(tmp_path / "m.db", loopback=False, clock=clock, config={"upkeep.scheduled": False}) as found:
        yield found


def of(rest: TestClient) -> Memory:
    found: Memory = rest.memory  # type: ignore[attr-defined]
    return found


def refused(answer: Any, code: str, status: int = 401) -> None:
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text


def test_a_token_is_over_when_its_time_is(rest: TestClient, clock: Ticking) -> None:
    who = bearer(token(of(rest), "read", expires_at=clock.now + DAY_US))
    assert rest.get("/v1/stats", headers=who).status_code == 200
    clock.skip(days=1.01)
    answer = rest.get("/v1/stats", headers=who)
    refused(answer, "E4011")
    assert "invalid_token" in answer.headers["www-authenticate"]
    events = [entry.event for entry in of(rest)._opened.audit.entries(limit=5)]
    assert "token_refused" in events
    assert [each["expired"] for each in issued(of(rest))] == [True]


def test_a_token_that_was_just_checked_ends_all_the_same(
    rest: TestClient, clock: Ticking, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A token is not looked up again for a second; its end is known meanwhile."""
    monkeypatch.setattr(callers, "TRUSTED_S", 600.0)
    who = bearer(token(of(rest), "read", expires_at=clock.now + DAY_US))
    assert rest.get("/v1/stats", headers=who).status_code == 200
    clock.skip(days=2)
    refused(rest.get("/v1/stats", headers=who), "E4011")


def test_a_request_that_has_begun_is_finished_and_the_next_one_refused(
    rest: TestClient, clock: Ticking, monkeypatch: pytest.MonkeyPatch
) -> None:
    who = bearer(token(of(rest), "read", "write", expires_at=clock.now + DAY_US))
    whole = Memory.add

    def slow(self: Memory, *given: Any, **more: Any) -> Any:
        clock.skip(days=2)
        return whole(self, *given, **more)

    monkeypatch.setattr(Memory, "add", slow)
    assert rest.post("/v1/memories", json={"content": "half way"}, headers=who).status_code == 201
    refused(rest.post("/v1/memories", json={"content": "too late"}, headers=who), "E4011")
    assert [record.content for record in of(rest).get_all()] == ["half way"]


def test_a_clock_that_is_set_back_revives_no_token(rest: TestClient, clock: Ticking) -> None:
    who = bearer(token(of(rest), "read", expires_at=clock.now + DAY_US))
    other = bearer(token(of(rest), "read", name="another"))
    clock.skip(days=2)
    assert rest.get("/v1/stats", headers=other).status_code == 200  # a time that the server sees
    clock.skip(days=-1.9)
    refused(rest.get("/v1/stats", headers=who), "E4011")


def test_a_clock_that_is_set_back_while_nothing_runs_revives_no_token(tmp_path: Path, clock: Ticking) -> None:
    """The store remembers the latest time it has seen: by the use of a token, or by a write."""
    path, quiet = tmp_path / "m.db", {"upkeep.scheduled": False}
    for seen in ("a token", "a write"):
        with client(path, loopback=False, clock=clock, config=quiet) as rest:
            who = bearer(token(of(rest), "read", name=f"short {seen}", expires_at=clock.now + DAY_US))
            long = bearer(token(of(rest), "read", name=f"long {seen}"))
            clock.skip(days=2)
            if seen == "a write":
                of(rest).add("something")
            else:
                assert rest.get("/v1/stats", headers=long).status_code == 200
                until = time.monotonic() + 10
                while noted(of(rest)) is None and time.monotonic() < until:
                    time.sleep(0.01)
        clock.skip(days=-1.9)
        with client(path, loopback=False, clock=clock, config=quiet) as rest:
            refused(rest.get("/v1/stats", headers=who), "E4011")
            assert rest.get("/v1/stats", headers=long).status_code == 200
        clock.skip(days=3)


def noted(memory: Memory) -> str | None:
    with memory._opened.store.read() as tx:
        return tx.meta.text("clock_seen")


def test_the_hour_of_last_use_is_known_and_not_written_with_every_request(rest: TestClient, clock: Ticking) -> None:
    memory = of(rest)
    who = bearer(token(memory, "read", name="laptop"))
    engine = memory._opened
    written = []
    whole = engine.store.write

    def counted(work: Any) -> Any:
        written.append(1)
        return whole(work)

    engine.store.write = counted  # type: ignore[method-assign]
    for _ in range(30):
        assert rest.get("/v1/stats", headers=who).status_code == 200
    until = time.monotonic() + 10
    while used_at(memory) is None and time.monotonic() < until:
        time.sleep(0.01)
    assert len(written) <= 2, "one for the use, at most one for the audit"
    found = used_at(memory)
    assert found is not None
    assert (found.minute, found.second) == (0, 0)
    assert abs((from_us(clock.now) - found).total_seconds()) < 3600


def used_at(memory: Memory) -> Any:
    with memory._opened.store.read() as tx:
        return tx.tokens.listed()[0].used_at


# --- made and ended over HTTP --------------------------------------------------------------------------------------


@pytest.fixture
def owner(rest: TestClient) -> dict[str, str]:
    return bearer(token(of(rest), "read", "write", "admin", may_add="*", name="owner"))


def test_the_owner_makes_lists_and_ends_tokens(rest: TestClient, owner: dict[str, str], clock: Ticking) -> None:
    wish = {"name": "phone", "user_id": "ana", "rights": ["read", "write"], "policy": "own", "expires": "30d"}
    made = rest.post("/v1/tokens", json=wish, headers=owner)
    assert made.status_code == 201
    text = made.json()["token"]
    left = datetime.fromisoformat(made.json()["expires_at"]) - from_us(clock.now)
    assert abs(left.total_seconds() - 30 * 86_400) < 1
    assert rest.post("/v1/memories", json={"content": "x"}, headers=bearer(text)).status_code == 201
    listed = rest.get("/v1/tokens", headers=owner)
    assert text.split("_", 2)[2] not in listed.text
    assert {each["name"] for each in listed.json()["tokens"]} == {"owner", "phone"}
    gone = rest.delete("/v1/tokens/phone", headers=owner)
    assert gone.json()["revoked_at"]
    refused(rest.get("/v1/stats", headers=bearer(text)), "E4001")
    refused(rest.delete("/v1/tokens/nobody", headers=owner), "E2005", 404)
    events = [entry.event for entry in of(rest)._opened.audit.entries(limit=50)]
    assert {"token_made", "token_revoked"} <= set(events)


@pytest.mark.parametrize(
    "rights",
    [{"rights": ("read", "write")}, {"rights": ("read", "write", "admin"), "user_id": "ana"}, {"rights": ("admin",)}],
)
def test_nobody_but_the_owner_touches_tokens(rest: TestClient, rights: dict[str, Any]) -> None:
    words = {name: value for name, value in rights.items() if name != "rights"}
    who = bearer(token(of(rest), *rights["rights"], **words))
    refused(rest.get("/v1/tokens", headers=who), "E4001", 403)
    refused(rest.post("/v1/tokens", json={"policy": "owner"}, headers=who), "E4001", 403)
    refused(rest.delete("/v1/tokens/owner", headers=who), "E4001", 403)
    refused(rest.get("/v1/tokens"), "E4001", 401)


@pytest.mark.parametrize(
    "wish",
    [
        {"policy": "everything"},
        {"rights": ["fly"]},
        {"rights": []},
        {"rights": 7},
        {"expires": "yesterday"},
        {"expires": "soonish maybe"},
        {"may_add": {"team": "*"}},
        {"name": ""},
        {"nmae": "x"},
        {"policy": "project"},
        {"policy": "owner", "user_id": "ana"},
        {"user_id": 5},
    ],
)
def test_a_wish_that_makes_no_sense_makes_no_token(
    rest: TestClient, owner: dict[str, str], wish: dict[str, Any]
) -> None:
    answer = rest.post("/v1/tokens", json=wish, headers=owner)
    if wish == {"name": ""}:  # unnamed: it gets a name
        assert answer.status_code == 201
        return
    assert answer.status_code == 422, answer.text
    assert len(rest.get("/v1/tokens", headers=owner).json()["tokens"]) == 1


def test_how_long_a_token_lasts_is_said_in_short_or_in_words(clock: Ticking) -> None:
    now = clock.now
    assert ending("30d", now=now) == now + 30 * DAY_US
    assert ending("12h", now=now) == now + 12 * HOUR_US
    assert ending("in 30 days", now=now) is not None
    assert ending("2030-01-01", now=now) is not None
    assert ending(None, now=now) is None
    with pytest.raises(UsageError):
        ending("30 parsecs", now=now)
