"""mem0's calls over our store: its shapes, its rules about whose a memory is, its errors."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.compat.mem0 import AsyncMemory, AsyncMemoryClient, Memory, MemoryClient, ValidationError
from recollect.errors import AccessDenied, ConfigInvalid, InvalidQuery, NotFound, UsageError

SAID = [
    {"role": "system", "content": "You are a helpful assistant"},
    {"role": "user", "content": "I live in Lisbon and I work as a nurse."},
    {"role": "assistant", "content": "How nice! And the weekends?"},
    {"role": "user", "content": "Sure, thanks"},
]
ITEM = {"id", "memory", "hash", "metadata", "created_at", "updated_at"}


@pytest.fixture
def mem0(tmp_path: Path) -> Iterator[Memory]:
    with Memory(memory=recollect.open(tmp_path / "m.db", embedder="fake")) as opened:
        yield opened
        opened.recollect.close()


def texts(answer: dict[str, Any]) -> list[str]:
    return [row["memory"] for row in answer["results"]]


def test_messages_become_statements(mem0: Memory) -> None:
    made = mem0.add(SAID, user_id="ana", run_id="s1", metadata={"team": "core"})["results"]
    assert [row["event"] for row in made] == ["ADD", "ADD"]
    assert [row["memory"] for row in made] == ["The user lives in Lisbon", "The user works as a nurse"]
    listed = mem0.get_all(filters={"user_id": "ana"})["results"]
    assert {row["id"] for row in listed} == {row["id"] for row in made}
    assert all(row.keys() >= ITEM and "score" not in row for row in listed)
    assert (listed[0]["metadata"], listed[0]["user_id"], listed[0]["run_id"]) == ({"team": "core"}, "ana", "s1")


def test_a_search_answers_with_what_was_drawn_and_with_the_turn_where_nothing_was(mem0: Memory) -> None:
    mem0.add(SAID, user_id="ana")
    found = mem0.search("where does she live, in Lisbon?", filters={"user_id": "ana"})["results"]
    assert found[0]["memory"] == "The user lives in Lisbon"
    assert 0 < found[0]["score"] <= 1
    said = [row["memory"] for row in found]
    assert "I live in Lisbon and I work as a nurse." not in said
    assert "How nice! And the weekends?" in said
    assert "You are a helpful assistant" not in said


def test_a_forgotten_statement_does_not_come_back_as_its_turn(mem0: Memory) -> None:
    for row in mem0.add(SAID, user_id="ana")["results"]:
        mem0.delete(row["id"])
    assert not any("Lisbon" in text for text in texts(mem0.search("Lisbon nurse", filters={"user_id": "ana"})))


def test_a_text_and_messages_taken_as_they_are(mem0: Memory) -> None:
    assert texts(mem0.add("Loves hiking on weekends", user_id="ana")) == ["Loves hiking on weekends"]
    made = mem0.add([*SAID, {"role": "user", "name": "Ana", "content": "Bye"}], user_id="ana", infer=False)["results"]
    assert [(row["memory"], row["role"], row["actor_id"]) for row in made][-1] == ("Bye", "user", "Ana")
    assert len(made) == 4
    assert len(mem0.get_all(filters={"user_id": "ana"})["results"]) == 5
    assert texts(mem0.get_all(filters={"user_id": "ana", "actor_id": "Ana"})) == ["Bye"]
    assert mem0.add("Loves hiking on weekends", user_id="ana")["results"][0]["event"] == "NONE"
    assert mem0.add([], user_id="ana") == {"results": []} == mem0.add(SAID[:1], user_id="ana")


def test_ids_narrow_as_in_mem0(mem0: Memory) -> None:
    """What was written with more ids is found with fewer, never the other way round, and never by others."""
    mem0.add("tea for everybody", user_id="ana")
    mem0.add("tea with rex", user_id="ana", agent_id="rex")
    mem0.add("tea on monday", user_id="ana", run_id="monday")
    mem0.add("tea for ben", user_id="ben")
    everything = {"tea for everybody", "tea with rex", "tea on monday"}
    assert set(texts(mem0.search("tea", filters={"user_id": "ana"}))) == everything
    assert set(texts(mem0.search("tea", user_id="ana", limit=10))) == everything  # as mem0 had it before 2.0
    assert texts(mem0.search("tea", filters={"user_id": "ana", "agent_id": "rex"})) == ["tea with rex"]
    assert texts(mem0.get_all(filters={"run_id": "monday"})) == ["tea on monday"]
    mem0.delete_all(user_id="ana", agent_id="rex")
    assert set(texts(mem0.get_all(filters={"user_id": "ana"}))) == everything - {"tea with rex"}
    mem0.delete_all(user_id="ana")
    assert texts(mem0.get_all(filters={"user_id": "ben"})) == ["tea for ben"]


def test_a_scoped_handle_stays_in_its_scope(memory: recollect.Memory) -> None:
    inside = Memory(memory=memory.scoped(project="atlas", may_add={"user_id": ["ana"]}))
    inside.add("tea at work", user_id="ana")
    Memory(memory=memory.scoped(project="zeus", may_add=("user_id",))).add("tea elsewhere", user_id="ana")
    assert texts(inside.search("tea", filters={"user_id": "ana"})) == ["tea at work"]
    for call in (
        inside.reset,
        lambda: inside.add("tea", user_id="ben"),
        lambda: inside.search("tea", filters={"user_id": "ben"}),
        lambda: inside.get_all(filters={"agent_id": "rex"}),
        lambda: inside.delete_all(user_id="ben"),
    ):
        with pytest.raises(AccessDenied):
            call()


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"team": "core"}, {"a", "b"}),
        ({"year": {"gte": 2025}}, {"b", "c"}),
        ({"team": {"in": ["web", "none"]}}, {"c"}),
        ({"note": "*"}, {"c"}),
        ({"OR": [{"year": 2024}, {"team": "web"}]}, {"a", "c"}),
        ({"AND": [{"team": "core"}, {"year": {"lt": 2025}}]}, {"a"}),
        ({"NOT": [{"team": "web"}, {"year": 2024}]}, {"b"}),
        ({"note": {"icontains": "HELLO"}}, {"c"}),
    ],
)
def test_filters(mem0: Memory, filters: dict[str, Any], expected: set[str]) -> None:
    mem0.add("a", user_id="ana", metadata={"team": "core", "year": 2024})
    mem0.add("b", user_id="ana", metadata={"team": "core", "year": 2025})
    mem0.add("c", user_id="ana", metadata={"team": "web", "year": 2026, "note": "hello there"})
    mem0.add("c", user_id="ben", metadata={"team": "core", "year": 2026})
    assert set(texts(mem0.get_all(filters={"user_id": "ana", **filters}))) == expected


def test_update_delete_history(mem0: Memory) -> None:
    made = mem0.add("Ana uses vim", user_id="ana", metadata={"team": "core"})["results"][0]["id"]
    assert mem0.update(made, text="Ana uses Helix", metadata={"since": 2026, "user_id": "ben"}) == {
        "message": "Memory updated successfully!"
    }
    held = mem0.get(made)
    assert held is not None
    assert (held["memory"], held["metadata"], held["user_id"]) == (
        "Ana uses Helix",
        {"team": "core", "since": 2026},
        "ana",
    )
    mem0.update(made, data="Ana uses Kakoune")
    assert mem0.delete(made) == {"message": "Memory deleted successfully!"}
    assert mem0.get(made) is None
    rows = mem0.history(made)
    assert [(row["event"], row["old_memory"], row["new_memory"], row["is_deleted"]) for row in rows] == [
        ("ADD", None, "Ana uses vim", False),
        ("UPDATE", "Ana uses vim", "Ana uses Helix", False),
        ("UPDATE", "Ana uses Helix", "Ana uses Kakoune", False),
        ("DELETE", "Ana uses Kakoune", None, True),
    ]
    mem0.recollect.undo(rows[-1]["id"])  # the id of a row is that of its operation
    assert mem0.get(made) is not None


def test_what_expires_is_hidden(mem0: Memory) -> None:
    yesterday = (datetime.now(UTC) - timedelta(days=1)).date()
    old = mem0.add("ticket for the fair", user_id="ana", expiration_date=yesterday)["results"][0]["id"]
    mem0.add("ticket for the ferry", user_id="ana", expiration_date="2999-12-31")
    whose = {"user_id": "ana"}
    assert texts(mem0.search("ticket", filters=whose)) == ["ticket for the ferry"]
    assert texts(mem0.get_all(filters=whose)) == ["ticket for the ferry"]
    assert len(mem0.get_all(filters=whose, show_expired=True)["results"]) == 2
    held = mem0.get(old)
    assert held is not None
    assert (held["expiration_date"], held["metadata"]) == (yesterday.isoformat(), None)
    mem0.update(old, expiration_date=None)
    assert len(mem0.get_all(filters=whose)["results"]) == 2


def test_procedures(mem0: Memory) -> None:
    steps = [{"role": "user", "content": "Deploy"}, {"role": "assistant", "content": "Ran make release"}]
    made = mem0.add(steps, agent_id="rex", memory_type="procedural_memory")["results"]
    assert [row["memory"] for row in made] == ["user: Deploy\nassistant: Ran make release"]


def test_reset_erases(mem0: Memory) -> None:
    made = mem0.add("Ana uses vim", user_id="ana")["results"][0]["id"]
    mem0.reset()
    assert mem0.get_all(filters={"user_id": "ana"}) == {"results": []}
    assert mem0.history(made) == []


def test_bad_input_is_refused_as_mem0_does(mem0: Memory) -> None:
    missing = "00000000-0000-4000-8000-000000000000"
    assert mem0.get(missing) is None
    assert mem0.get("nothing") is None
    assert mem0.history(missing) == []
    with pytest.raises(ValidationError) as refused:
        mem0.add("nobody's")
    assert (refused.value.error_code, bool(refused.value.suggestion)) == ("VALIDATION_001", True)
    with pytest.raises(ValidationError, match="memory_type"):
        mem0.add("x", user_id="ana", memory_type="other")
    with pytest.raises(ValidationError, match="messages must be"):
        mem0.add(12, user_id="ana")  # type: ignore[arg-type]
    for id_ in (missing, "nothing"):
        with pytest.raises(NotFound, match="not found"):
            mem0.delete(id_)
        with pytest.raises(NotFound, match="valid 'memory_id'"):
            mem0.update(id_, text="x")
    with pytest.raises(UsageError, match="At least one of text"):
        mem0.update(missing)
    with pytest.raises(UsageError, match="At least one filter"):
        mem0.delete_all()
    for wrong in ({}, {"team": "core"}, {"OR": [{"user_id": "ana"}]}):
        with pytest.raises(UsageError, match="at least one of"):
            mem0.get_all(filters=wrong)
    with pytest.raises(InvalidQuery, match="Unsupported metadata filter operator"):
        mem0.search("x", filters={"user_id": "ana", "team": {"$regex": "."}})
    with pytest.raises(UsageError, match="query"):
        mem0.search("  ", filters={"user_id": "ana"})
    with pytest.raises(UsageError, match="top_k"):
        mem0.search("x", filters={"user_id": "ana"}, top_k=-1)
    for bad in (" ", "two words"):
        with pytest.raises(UsageError, match="user_id"):
            mem0.add("x", user_id=bad)
    with pytest.raises(UsageError, match="expiration_date"):
        mem0.add("x", user_id="ana", expiration_date="tomorrow")


def test_configuration(tmp_path: Path) -> None:
    config = {
        "vector_store": {"provider": "qdrant", "config": {"path": str(tmp_path / "v"), "collection_name": "c"}},
        "llm": {"provider": "openai", "config": {"model": "gpt-4o"}},
        "version": "v1.1",
    }
    with pytest.warns(UserWarning, match=r"llm .*vector_store.provider; vector_store.config.collection_name") as told:
        opened = Memory.from_config(config, embedder="fake")
    assert len(told) == 1
    assert told[0].filename == __file__
    with opened:
        opened.add("kept on disk", user_id="ana")
    quiet = {"vector_store": {"config": {"path": tmp_path / "v"}}}
    with Memory(quiet, embedder="fake") as again:  # a warning would be an error
        assert texts(again.get_all(filters={"user_id": "ana"})) == ["kept on disk"]
    with pytest.raises(ConfigInvalid):
        Memory.from_config("qdrant")  # type: ignore[arg-type]
    with pytest.raises(ConfigInvalid):
        Memory.from_config({"vector_store": "qdrant"})


def test_awaited(memory: recollect.Memory) -> None:
    async def run() -> dict[str, Any]:
        async with AsyncMemory(memory=memory) as mem0:
            await asyncio.gather(*(mem0.add(f"tea number {n}", user_id="ana") for n in range(8)))
            return await mem0.search("tea", filters={"user_id": "ana"})

    assert len(asyncio.run(run())["results"]) == 8


def test_the_clients_shape(memory: recollect.Memory) -> None:
    client = MemoryClient("key", memory=memory)
    for n in range(5):
        client.add(f"tea number {n}", user_id="ana", output_format="v1.1")
    page = client.get_all(filters={"user_id": "ana"}, page=2, page_size=2)
    assert (page["count"], page["next"], page["previous"], len(page["results"])) == (5, "page=3", "page=1", 2)
    first, second = (row["id"] for row in page["results"])
    client.batch_update([{"memory_id": first, "text": "coffee"}])
    client.batch_delete([{"memory_id": second}])
    assert client.get(second) is None
    assert texts(client.search("coffee", filters={"user_id": "ana"}, top_k=1)) == ["coffee"]
    with pytest.raises(NotFound, match="nothing was changed"):
        client.batch_update([{"memory_id": first, "text": "cocoa"}, {"memory_id": second, "text": "x"}])
    with pytest.raises(UsageError, match="twice"):
        client.batch_delete([{"memory_id": first}, {"memory_id": first}])
    assert texts(client.search("coffee", filters={"user_id": "ana"}, top_k=1)) == ["coffee"]
    client.delete_users(user_id="ana")
    assert asyncio.run(AsyncMemoryClient(memory=memory).get_all(filters={"user_id": "ana"}))["count"] == 0


# -- beside the real library --


@pytest.fixture
def theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """mem0 itself, with an embedder that counts letters and no language model."""
    library = _library(tmp_path, monkeypatch)
    main = library.memory.main

    class Letters:
        def embed(self, text: str, memory_action: str | None = None) -> list[float]:
            return [float(text.count(chr(97 + n))) + 0.01 for n in range(26)]

        def embed_batch(self, texts: list[str], memory_action: str | None = None) -> list[list[float]]:
            return [self.embed(text) for text in texts]

    monkeypatch.setattr(main.EmbedderFactory, "create", lambda *_: Letters())
    monkeypatch.setattr(main.LlmFactory, "create", lambda *_: None)
    opened = library.Memory.from_config(
        {
            "vector_store": {"provider": "qdrant", "config": {"path": str(tmp_path / "q"), "embedding_model_dims": 26}},
            "history_db_path": str(tmp_path / "h.db"),
        }
    )
    yield opened
    opened.vector_store.client.close()
    opened.close()


VERBS = ["add", "get", "get_all", "search", "update", "delete", "delete_all", "history", "reset"]
OF_CLIENTS = [*VERBS, "delete_users", "batch_update", "batch_delete"]


@pytest.mark.parametrize("name", [*VERBS, "from_config"])
@pytest.mark.parametrize("kind", [Memory, AsyncMemory], ids=lambda kind: kind.__name__)
def test_every_argument_of_mem0_is_taken(kind: Any, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = getattr(_library(tmp_path, monkeypatch), kind.__name__)
    wanted = inspect.signature(getattr(real, name)).parameters
    taken = inspect.signature(getattr(kind, name)).parameters
    for argument in wanted.values():
        if argument.kind is not argument.VAR_KEYWORD and argument.name not in ("self", "llm"):  # one asks a given model
            assert argument.name in taken
            assert argument.kind == taken[argument.name].kind
    assert inspect.iscoroutinefunction(getattr(kind, name)) is inspect.iscoroutinefunction(getattr(real, name))


@pytest.mark.parametrize("name", OF_CLIENTS)
@pytest.mark.parametrize("kind", [MemoryClient, AsyncMemoryClient], ids=lambda kind: kind.__name__)
def test_every_argument_of_mem0s_clients_is_taken(
    kind: Any, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = getattr(_library(tmp_path, monkeypatch), kind.__name__)
    taken = inspect.signature(getattr(kind, name))
    arguments = [each for each in inspect.signature(getattr(real, name)).parameters.values() if each.name != "self"]
    placed = [each for each in arguments if each.kind is each.POSITIONAL_OR_KEYWORD and each.default is each.empty]
    named = {each.name: None for each in arguments if each not in placed and each.kind is not each.VAR_KEYWORD}
    taken.bind(None, *(None for _ in placed), **named)  # raises for what is not taken


SCRIPT: list[Callable[[Any], Any]] = [
    lambda m: m.add("I drink tea", user_id="ana", agent_id="rex", run_id="r1", infer=False),
    lambda m: m.add({"role": "user", "content": "I eat rice"}, user_id="ana", infer=False, metadata={"n": 1}),
    lambda m: m.add(
        [{"role": "system", "content": "Be nice"}, {"role": "assistant", "content": "Hello"}],
        user_id="ana",
        infer=False,
        metadata={"n": 2, "tag": "x"},
    ),
    lambda m: m.add([{"role": "user", "name": "Ana", "content": "I know Ben"}], run_id="r2", infer=False),
    lambda m: _sorted(m.get_all(filters={"user_id": "ana"})),
    lambda m: _sorted(m.get_all(filters={"user_id": "ana", "run_id": "r1"})),
    lambda m: _sorted(m.get_all(filters={"user_id": "ana", "n": {"gte": 2}})),
    lambda m: _sorted(m.get_all(filters={"user_id": "ana", "tag": {"in": ["x", "y"]}})),
    lambda m: _sorted(m.get_all(filters={"user_id": "ana", "AND": [{"n": 1}]})),
    lambda m: _sorted(m.get_all(filters={"user_id": "ana", "OR": [{"n": 1}, {"n": 2}]})),
    lambda m: _sorted(m.get_all(filters={"user_id": "ana", "NOT": [{"n": 1}]})),
    lambda m: _sorted(m.get_all(filters={"run_id": "r2"})),
    lambda m: len(m.get_all(filters={"user_id": "ana"}, top_k=2)["results"]),
    lambda m: m.search("I know Ben", filters={"run_id": "r2"}, top_k=1),
    lambda m: m.search("I know Ben", filters={"user_id": "nobody"}),
    lambda m: m.update(_first(m, "r2"), metadata={"seen": True}),
    lambda m: m.get(_first(m, "r2")),
    lambda m: m.update(_first(m, "r2"), text="I know Bea", expiration_date="2999-01-01"),
    lambda m: m.history(_first(m, "r2")),
    lambda m: _sorted(m.get_all(filters={"run_id": "r2"})),
    lambda m: m.delete_all(run_id="r2"),
    lambda m: m.get_all(filters={"run_id": "r2"}),
    lambda m: m.delete_all(user_id="ana", agent_id="rex"),
    lambda m: _sorted(m.get_all(filters={"user_id": "ana"})),
]


def test_the_same_calls_give_the_same_answers(mem0: Memory, theirs: Any) -> None:
    for number, call in enumerate(SCRIPT):
        assert _shape(call(mem0)) == _shape(call(theirs)), f"step {number} of the script"


def _sorted(answer: dict[str, Any]) -> list[Any]:
    return sorted(answer["results"], key=lambda row: str(row["memory"]))


def _first(memory: Any, run: str) -> str:
    return str(memory.get_all(filters={"run_id": run})["results"][0]["id"])


def test_the_same_calls_give_the_same_shapes(mem0: Memory, theirs: Any) -> None:
    answers = []
    for each in (mem0, theirs):
        made = each.add(
            [{"role": "user", "name": "Ana", "content": "I drink tea"}],
            user_id="ana",
            infer=False,
            metadata={"team": "core"},
        )
        id_ = made["results"][0]["id"]
        whose = {"user_id": "ana"}
        found = each.search("I drink tea", filters=whose)
        answers.append(
            [
                made,
                each.get(id_),
                each.get_all(filters=whose),
                found,
                each.get_all(filters={"user_id": "ben"}),
                each.update(id_, text="I drink coffee"),
                each.delete(id_),
                each.history(id_),
                each.get(id_),
                each.delete_all(user_id="ana"),
                each.reset(),
            ]
        )
    ours, real = ([_shape(answer) for answer in given] for given in answers)
    assert ours == real


def test_missing_ids_are_the_same_errors(mem0: Memory, theirs: Any) -> None:
    missing = "00000000-0000-4000-8000-000000000000"
    for call in (
        lambda m: m.delete(missing),
        lambda m: m.update(missing, text="x"),
        lambda m: m.delete_all(),
        lambda m: m.search("x"),
        lambda m: m.get_all(),
        lambda m: m.update(missing),
    ):
        with pytest.raises(ValueError, match=r"\w") as real:
            call(theirs)
        with pytest.raises(ValueError, match=r"\w") as ours:
            call(mem0)
        assert str(real.value) in str(ours.value)


def _shape(value: Any) -> Any:
    """What a program can rely on: keys, types, texts that are not made up on the spot."""
    if isinstance(value, dict):
        return {key: _shape(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_shape(each) for each in value]
    made_up = isinstance(value, float) or (isinstance(value, str) and (len(value) in (32, 36) or value[:2] == "20"))
    return type(value).__name__ if made_up else value


def _library(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The library, with everything it writes in a folder of its own, and told not to report home."""
    monkeypatch.setenv("MEM0_DIR", str(folder))
    monkeypatch.setenv("MEM0_TELEMETRY", "False")
    return import_module("mem0")
