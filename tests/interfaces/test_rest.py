"""REST: the verbs as paths, with the names and answers of Python, and problem documents where something is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from interfaces.rest_server import client
from starlette.testclient import TestClient

from recollect import errors
from recollect.interfaces.rest.problems import STATUS, status_of
from recollect.interfaces.rest.routes import routes
from recollect.verbs.table import VERBS

UNKNOWN = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
def rest(tmp_path: Path) -> Iterator[TestClient]:
    with client(tmp_path / "m.db") as found:
        yield found


def added(rest: TestClient, content: str, **more: Any) -> str:
    answer = rest.post("/v1/memories", json={"content": content, **more})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["ids"][0])


def refused(answer: Any, status: int, code: str) -> dict[str, Any]:
    """A problem document, and nothing that should not be in one."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem: dict[str, Any] = answer.json()
    assert problem["status"] == status
    assert problem["code"] == code
    assert problem["instance"].removeprefix("urn:request:") == answer.headers["x-request-id"]
    assert "Traceback" not in answer.text
    return problem


def test_what_is_added_is_found_with_the_answers_of_python(rest: TestClient) -> None:
    record = added(rest, "Ana moved from vim to Helix", user_id="ana", tags=["editor"])
    found = rest.post("/v1/memories/search", json={"query": "which editor does Ana use?", "user_id": "ana"}).json()
    same = rest.memory.search("which editor does Ana use?", user_id="ana").to_dict()  # type: ignore[attr-defined]
    assert found["results"][0]["id"] == record
    assert found["results"][0].keys() == same["results"][0].keys()
    assert found.keys() == same.keys()


def test_records_are_read_changed_and_forgotten(rest: TestClient) -> None:
    record = added(rest, "Ana uses vim")
    path = f"/v1/memories/{record}"
    assert rest.get(path).json()["memory"] == "Ana uses vim"
    assert rest.patch(path, json={"content": "Ana uses Helix", "tags": ["editor"]}).status_code == 200
    assert rest.get(path).json()["content"] == "Ana uses Helix"
    assert [each["operation"]["verb"] for each in rest.get(f"{path}/history").json()["results"]] == ["add", "update"]
    gone = rest.delete(path, params={"reason": "asked to"})
    refused(rest.get(path), 404, "E2005")
    assert rest.post("/v1/undo", json={"operation": gone.json()["operation"]}).status_code == 200
    assert rest.get(path).status_code == 200


def test_nothing_new_is_no_201(rest: TestClient) -> None:
    added(rest, "Ana uses Helix", kind="semantic")
    again = rest.post("/v1/memories", json={"content": "Ana uses Helix", "kind": "semantic"})
    assert (again.status_code, again.json()["count"]) == (200, 0)
    assert [each["event"] for each in again.json()["results"]] == ["NONE"]
    assert rest.post("/v1/memories", json={"content": []}).status_code in (200, 422)


def test_a_listing_comes_in_pages(rest: TestClient) -> None:
    wanted = [added(rest, f"Ben counts to {number}", project="atlas", tags=["count"]) for number in range(5)]
    seen: list[str] = []
    cursor: str | None = None
    while True:
        query = {"project": "atlas", "limit": 2, "tags": ["count"], **({"cursor": cursor} if cursor else {})}
        page = rest.get("/v1/memories", params=query).json()
        seen += [each["id"] for each in page["results"]]
        cursor = page["cursor"]
        if cursor is None:
            break
    assert seen == wanted[::-1]
    refused(rest.get("/v1/memories", params={"cursor": "none of ours"}), 422, "E2004")


def test_a_query_string_takes_lists_numbers_and_objects(rest: TestClient) -> None:
    added(rest, "Checkout needs a load test", metadata={"points": 3})
    added(rest, "Login needs a test", metadata={"points": 1})
    found = rest.get("/v1/memories", params={"filters": '{"metadata.points": {"gte": 2}}', "limit": "10"}).json()
    assert [each["metadata"]["points"] for each in found["results"]] == [3]
    for wrong in ({"limit": "many"}, {"filters": "{"}, {"nonsense": "1"}, {"limit": "0"}):
        assert rest.get("/v1/memories", params=wrong).status_code == 422


def test_a_version_is_an_etag_and_guards_against_lost_updates(rest: TestClient) -> None:
    record = added(rest, "Ana lives in Oslo")
    path = f"/v1/memories/{record}"
    tag = rest.get(path).headers["etag"]
    assert tag == '"1"'
    assert rest.get(path, headers={"if-none-match": tag}).status_code == 304
    mine = rest.patch(path, json={"content": "Ana lives in Rome"}, headers={"if-match": tag})
    assert mine.headers["etag"] == '"2"'
    theirs = rest.patch(path, json={"content": "Ana lives in Bern"}, headers={"if-match": tag})
    refused(theirs, 412, "E1011")
    refused(rest.delete(path, headers={"if-match": tag}), 412, "E1011")
    refused(rest.delete(path, headers={"if-match": "yesterday's"}), 412, "E4005")
    assert rest.get(path).json()["memory"] == "Ana lives in Rome"
    assert rest.delete(path, headers={"if-match": '"2"'}).status_code == 200


def test_the_graph_is_the_strongest_relations_or_what_is_near_a_record(rest: TestClient) -> None:
    cause, effect = added(rest, "The price cache has no expiry"), added(rest, "Customers saw stale prices")
    edge = rest.post("/v1/verbs/relate", json={"source": cause, "target": effect, "label": "causes"}).json()["edge"]
    assert [each["id"] for each in rest.get("/v1/graph").json()["edges"]] == [edge]
    near = rest.get("/v1/graph", params={"id": cause, "depth": 1, "labels": ["causes"]}).json()
    assert [each["id"] for each in near["results"]] == [effect]
    refused(rest.post("/v1/verbs/relate", json={"source": effect, "target": cause, "label": "causes"}), 409, "E4006")


def test_entities_stats_health_and_upkeep_answer(rest: TestClient) -> None:
    added(rest, "Ana Ruiz met Ben in Lisbon", project="atlas")
    assert isinstance(rest.get("/v1/entities", params={"limit": 5, "project": "atlas"}).json()["results"], list)
    refused(rest.get("/v1/entities/Nobody Known"), 404, "E2005")
    assert rest.get("/v1/stats").json()["records"] >= 1
    assert rest.get("/v1/health").json()["status"] in ("ok", "attention")
    assert rest.post("/v1/consolidate", json={"dry_run": True}).json()["dry_run"] is True
    assert rest.post("/v1/consolidate").status_code == 200  # no body is an empty one


def test_every_verb_has_a_path_but_those_that_touch_files(rest: TestClient) -> None:
    covered = {route.verb for route in routes()} | {"related"}
    assert all(verb.on_files for verb in VERBS if verb.name not in covered)
    assert rest.post("/v1/verbs/ingest", json={"path_or_text": "/etc/passwd"}).status_code == 404


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{", 400, "E4005"),
        (b"\xff\xfe", 400, "E4005"),
        (b"[1]", 422, "E4005"),
        (b'"text"', 422, "E4005"),
        (b'{"query": 5}', 422, "E4005"),
        (b'{"query": "x", "top_k": "ten"}', 422, "E4005"),
        (b'{"query": "x", "top_k": 0}', 422, "E4005"),
        (b'{"query": "x", "nonsense": 1}', 422, "E4005"),
        (b"{}", 422, "E4005"),
        (b'{"query": "x", "as_of": "once upon a time"}', 422, "E2004"),
        (b'{"query": "x", "filters": {"metadata.a": {"like": 1}}}', 422, "E2004"),
        (b'{"query": "\\u0000"}', 422, "E2004"),
        (b"[" * 100_000, 400, "E4005"),
    ],
)
def test_a_body_that_makes_no_sense_is_a_problem_and_nothing_else(
    rest: TestClient, body: bytes, status: int, code: str
) -> None:
    answer = rest.post("/v1/memories/search", content=body, headers={"content-type": "application/json"})
    refused(answer, status, code)


def test_a_body_that_is_not_json_is_not_read(rest: TestClient) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        answer = rest.post("/v1/memories", content=b'{"content": "x"}', headers={"content-type": kind})
        refused(answer, 415, "E4005")
    assert rest.get("/v1/stats").json()["records"] == 0


def test_paths_and_methods_that_are_not_there(rest: TestClient) -> None:
    refused(rest.get("/v1/nothing"), 404, "E2005")
    refused(rest.get("/v1/memories/../../etc/passwd"), 404, "E2005")
    refused(rest.get(f"/v1/memories/{UNKNOWN}"), 404, "E2005")
    refused(rest.get("/v1/memories/not-an-id"), 404, "E2005")
    answer = rest.put("/v1/memories", json={})
    refused(answer, 405, "E4005")
    assert answer.headers["allow"] == "GET, POST"


def test_injected_text_is_only_text(rest: TestClient) -> None:
    added(rest, "Robert'); DROP TABLE record;--", user_id="ben")
    for query in ('" OR 1=1 --', "NEAR(a b) AND *", "'; DROP TABLE record;--", 'a" NOT "b', "{}[]()^~*:\\"):
        assert rest.post("/v1/memories/search", json={"query": query, "user_id": "ben"}).status_code == 200
    assert rest.get("/v1/memories", params={"user_id": "x' OR '1'='1"}).json()["results"] == []
    assert rest.get("/v1/stats").json()["records"] == 1


def test_a_bug_of_ours_is_a_500_without_its_words(rest: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("Ana's secret")

    monkeypatch.setattr("recollect.memory.Memory.stats", broken)
    answer = rest.get("/v1/stats")
    problem = refused(answer, 500, "E5000")
    assert "secret" not in answer.text
    assert "bug" in problem["detail"]


def test_every_error_of_the_tree_has_a_status() -> None:
    tree = [
        each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, errors.RecollectError)
    ]
    assert all(400 <= status_of(error) < 600 for error in tree)
    assert set(STATUS) <= set(tree)
    retryable = [error for error in tree if error.retryable]
    assert {status_of(error) for error in retryable} <= {429, 503, 504}


def test_an_id_of_the_caller_is_kept_if_it_is_harmless(rest: TestClient) -> None:
    assert rest.get("/v1/stats", headers={"x-request-id": "trace-12345678"}).headers["x-request-id"] == "trace-12345678"
    assert rest.get("/v1/stats", headers={"x-request-id": "a\tb"}).headers["x-request-id"] != "a\tb"


def test_every_problem_is_shown_as_it_is_answered(rest: TestClient) -> None:
    for path, operations in rest.get("/openapi.json").json()["paths"].items():
        for operation in operations.values():
            for status, answer in operation["responses"].items():
                if int(status) >= 400:
                    (told,) = answer["content"].values()
                    assert told["example"]["status"] == int(status), path
                    assert told["example"]["type"] == f"urn:recollect:{told['example']['code']}"


def test_the_document_describes_every_operation(rest: TestClient) -> None:
    document = rest.get("/openapi.json").json()
    operations = [each for path in document["paths"].values() for each in path.values()]
    ids = [each["operationId"] for each in operations]
    assert len(ids) == len(set(ids))
    assert all(each["tags"] and each["summary"] and {"200", "201"} & set(each["responses"]) for each in operations)
    body = document["paths"]["/v1/memories/search"]["post"]["requestBody"]["content"]["application/json"]
    assert body["schema"]["required"] == ["query"]
    assert body["example"]["query"]
    page = rest.get("/docs")
    assert page.headers["content-type"].startswith("text/html")
    assert "/v1/memories/search" in page.text


@pytest.mark.parametrize("filled", [False, True])
def test_reasoning_about_names_of_code(tmp_path: Path, filled: bool) -> None:
    with client(tmp_path / "m.db") as rest:
        if filled:
            rest.post(
                "/v1/memories", json={"content": ["write_queue drains before close", "src/write_queue.py is Ana's"]}
            )
        for question in ("write_queue", "_", "Why does write_queue wait for Ana?", "src/write_queue.py"):
            answer = rest.post("/v1/verbs/reason", json={"question": question})
            assert answer.status_code == 200, answer.text
            assert answer.json()["question"] == question
