"""What a caller may not see looks, and takes, like what is not there."""

from __future__ import annotations

import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from interfaces.rest_server import bearer, client, token
from starlette.testclient import TestClient

import recollect
from recollect.errors import RecollectError
from recollect.memory import Memory

NOWHERE = "0b6f2a52-6c0b-4d55-9a3e-2f1f6a1d7c11"
Ask = Callable[[Memory, str, str], Any]

# What takes an id, and another of the caller's own where it takes two.
BY_ID: dict[str, Ask] = {
    "get": lambda m, id_, _: m.get(id_),
    "history": lambda m, id_, _: m.history(id_),
    "related": lambda m, id_, _: m.related(id_),
    "related further": lambda m, id_, _: m.related(id_, depth=3, reach="project"),
    "path": lambda m, id_, own: m.path(own, id_),
    "path from": lambda m, id_, own: m.path(id_, own),
    "explain": lambda m, id_, _: m.explain(id_),
    "contradictions": lambda m, id_, _: m.contradictions(id_),
    "update": lambda m, id_, _: m.update(id_, content="mine"),
    "delete": lambda m, id_, _: m.delete(id_),
    "delete for good": lambda m, id_, _: m.delete(id_, hard=True),
    "correct": lambda m, id_, _: m.correct(id_, "mine"),
    "confirm": lambda m, id_, _: m.confirm(id_),
    "flag": lambda m, id_, _: m.flag(id_, reason="no"),
    "feedback": lambda m, id_, _: m.feedback(id_, helpful=False),
    "relate": lambda m, id_, own: m.relate(own, id_, "relates_to"),
    "short id": lambda m, id_, _: m.get(id_[:8]),
    "undo": lambda m, id_, _: m.undo(id_),
}
# What takes words: those of another's record, or of none.
BY_WORDS: dict[str, Ask] = {
    "search": lambda m, word, _: {**m.search(word).to_dict(), "quality": None},  # how long it took
    "list": lambda m, word, _: m.get_all(filters={"content": {"contains": word}}).records,
    "entity": lambda m, word, _: m.entity(word),
    "entities": lambda m, word, _: m.entities(),
    "timeline": lambda m, word, _: m.timeline(word),
    "contradictions": lambda m, word, _: m.contradictions(word),
    "sessions": lambda m, word, _: m.get_all(session_id=word).records,
    "assess": lambda m, word, _: m.assess(word).to_dict(),
}


@pytest.fixture(scope="module")
def world() -> Iterator[tuple[Memory, Memory, str, str, str]]:
    """(the owner's memory, Ana's handle, Ben's record, Ana's, an operation of Ben's).

    Without an embedder: the vector of a word that nobody said is near to something all the same.
    """
    with recollect.open(":memory:", embedder=None, config={"upkeep.scheduled": False}) as mem:
        own = mem.add("Ana keeps bees", user_id="ana", infer=False).id
        for number in range(20):
            mem.add(f"A note of Ana's on tea {number}", user_id="ana", infer=False)
        theirs = mem.add("Wolfgang Zyx keeps the quarterly vault code", user_id="ben", session_id="Zyx")
        mem.relate(theirs.id, mem.add("more of it", user_id="ben", infer=False).id, "supports")
        yield mem, mem.scoped(user_id="ana"), theirs.id, own, theirs.operation or ""


def answered(call: Callable[[], Any], *hide: str) -> str:
    try:
        said = repr(call())
    except RecollectError as error:
        said = f"{type(error).__name__} {error}"
    for each in hide:
        said = said.replace(each, "ID").replace(each[:8], "ID")
    return said


@pytest.mark.parametrize("verb", BY_ID)
def test_an_id_of_another_is_answered_like_one_of_nobody(
    world: tuple[Memory, Memory, str, str, str], verb: str
) -> None:
    owner, ana, theirs, own, operation = world
    asked = operation if verb == "undo" else theirs
    hidden = answered(lambda: BY_ID[verb](ana, asked, own), asked)
    missing = answered(lambda: BY_ID[verb](ana, NOWHERE, own), NOWHERE)
    assert hidden == missing
    assert "AccessDenied" not in hidden
    assert owner.get(theirs).version == 1  # type: ignore[union-attr]


@pytest.mark.parametrize("verb", BY_WORDS)
def test_words_of_another_find_what_words_of_nobody_find(
    world: tuple[Memory, Memory, str, str, str], verb: str
) -> None:
    _, ana, theirs, own, _ = world
    hidden = answered(lambda: BY_WORDS[verb](ana, "Zyx", own), "Zyx")
    missing = answered(lambda: BY_WORDS[verb](ana, "Qyx", own), "Qyx")
    assert theirs not in hidden
    assert "Wolfgang" not in hidden
    assert hidden == missing


@pytest.mark.parametrize("verb", ["get", "history", "related", "explain", "update"])
def test_a_denial_takes_as_long_as_nothing_there(world: tuple[Memory, Memory, str, str, str], verb: str) -> None:
    """In turns, by the fastest tenth of many: what is left is the work and not the machine."""
    _, ana, theirs, own, _ = world
    took: dict[str, list[float]] = {theirs: [], NOWHERE: []}
    for _ in range(300):
        for id_, times in took.items():
            began = time.perf_counter()
            answered(lambda asked=id_: BY_ID[verb](ana, asked, own))  # type: ignore[misc]
            times.append(time.perf_counter() - began)
    hidden, missing = (statistics.mean(sorted(times)[:30]) for times in took.values())
    assert abs(hidden - missing) < max(0.25 * missing, 20e-6), (hidden, missing)


@pytest.fixture
def rest(tmp_path: Path) -> Iterator[TestClient]:
    with client(tmp_path / "m.db", loopback=False) as found:
        yield found


def test_over_http_the_document_is_the_same_too(rest: TestClient) -> None:
    memory: Memory = rest.memory  # type: ignore[attr-defined]
    theirs = memory.add("Ben keeps the vault code", user_id="ben").id
    who = bearer(token(memory, "read", "write", "admin", user_id="ana"))
    for method, path, more in (
        ("GET", "/v1/memories/{}", {}),
        ("GET", "/v1/memories/{}/history", {}),
        ("PATCH", "/v1/memories/{}", {"json": {"content": "x"}}),
        ("DELETE", "/v1/memories/{}", {}),
        ("GET", "/v1/graph?id={}", {}),
        ("POST", "/v1/verbs/explain", {"json": {"id": "{}"}}),
        ("POST", "/v1/verbs/path", {"json": {"a": "{}", "b": "{}"}}),
    ):

        def told(
            id_: str, method: str = method, path: str = path, more: dict[str, Any] = more
        ) -> tuple[int, dict[str, Any]]:
            body = {"json": {name: value.format(id_) for name, value in more["json"].items()}} if more else {}
            answer = rest.request(method, path.format(id_), headers=who, **body)  # type: ignore[arg-type]
            said = {name: str(value).replace(id_, "ID") for name, value in answer.json().items() if name != "instance"}
            return answer.status_code, said

        assert told(theirs) == told(NOWHERE)
        assert told(theirs)[0] in (200, 404)


def test_naming_a_scope_that_was_not_granted_is_refused_whether_it_exists_or_not(rest: TestClient) -> None:
    """E4001 tells nothing about data: it is about what the caller said."""
    memory: Memory = rest.memory  # type: ignore[attr-defined]
    memory.add("Ben keeps the vault code", user_id="ben")
    who = bearer(token(memory, "read", user_id="ana"))
    there, nowhere = (rest.get("/v1/memories", params={"user_id": name}, headers=who).json() for name in ("ben", "nob"))
    assert there["code"] == nowhere["code"] == "E4001"
    assert there["detail"].replace("ben", "nob") == nowhere["detail"]


def test_denials_are_in_the_audit_and_say_nothing_of_what_was_asked(rest: TestClient) -> None:
    memory: Memory = rest.memory  # type: ignore[attr-defined]
    who = bearer(token(memory, "read", name="laptop", user_id="ana"))
    asked = {"query": "the quetzalcoatlus", "user_id": "ben"}
    assert rest.post("/v1/memories/search", json=asked, headers=who).status_code == 403
    assert rest.post("/v1/memories", json={"content": "the quetzalcoatlus"}, headers=who).status_code == 403
    assert rest.get("/v1/stats", headers=bearer("rcl_wrong")).status_code == 401
    handle = memory.scoped(user_id="ana", actor="helper")
    with pytest.raises(RecollectError):
        handle.get_all(project="atlas")
    with pytest.raises(RecollectError):
        handle.get_all(reach="all")
    entries = memory.audit(limit=50)
    told = Counter((entry.event, entry.caller) for entry in entries)
    assert told["access_denied", "token laptop"] >= 1
    assert told["access_denied", "helper"] >= 1
    assert any(entry.event == "token_refused" for entry in entries)
    assert "quetzalcoatlus" not in str([entry.to_dict() for entry in entries])
