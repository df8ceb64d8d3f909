"""LangGraph's store over ours: its own store beside it, graphs that use it, and what ours adds."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore
from ticking import Ticking

import recollect
from recollect.aio import AsyncMemory
from recollect.compat.langgraph import RecollectStore
from recollect.compat.langgraph.items import ItemPlace, draft
from recollect.errors import AccessDenied, InvalidQuery, UsageError

ANA, BEN = ("memories", "ana"), ("memories", "ben")
MINUTE = 1 / 1440  # of a day


@pytest.fixture
def store(memory: recollect.Memory) -> RecollectStore:
    return RecollectStore(memory)


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def timed(tmp_path: Path, clock: Ticking) -> Iterator[recollect.Memory]:
    with recollect.open(tmp_path / "t.db", embedder="fake", clock=clock) as memory:
        yield memory


def keys(found: list[Any]) -> list[str]:
    return [item.key for item in found]


# -- the same as LangGraph's own store --

FILLED: list[PutOp] = [
    PutOp(ANA, "1", {"text": "likes tea", "score": 3, "color": "red", "place": {"city": "Rome", "zip": 1}}),
    PutOp(ANA, "2", {"text": "likes coffee", "score": 4.5, "color": "blue", "tags": ["a", "b"], "on": True}),
    PutOp(BEN, "1", {"text": "likes tea", "score": -1, "color": "red", "place": {"city": "Oslo"}, "gone": None}),
    PutOp(("memories",), "root", {"a.b": 1, "text": "", "names": []}),
    PutOp(("docs", "v1", "en"), "intro", {"title": "Welcome", "topics": "hello"}),
    PutOp(("docs", "v2", "en"), "intro", {}),
    PutOp(("docs2",), "x", {"deep": {"deeper": {"deepest": [1, {"two": 2}]}}}),
]
READS: list[Any] = [
    GetOp(ANA, "1"),
    GetOp(ANA, "nothing"),
    GetOp(("nowhere",), "1"),
    GetOp(("docs", "v2", "en"), "intro"),
    GetOp(("memories",), "root"),
    GetOp(("docs2",), "x"),
    SearchOp(ANA),
    SearchOp(("memories",)),
    SearchOp(()),
    SearchOp(("mem",)),
    SearchOp(("docs",)),
    SearchOp((), filter={"color": "red"}),
    SearchOp((), filter={"color": "red", "score": {"$gt": 0}}),
    SearchOp((), filter={"score": 3}),
    SearchOp((), filter={"score": {"$ne": 3}}),
    SearchOp(ANA, filter={"score": {"$gte": 3, "$lt": 4}}),
    SearchOp(ANA, filter={"score": {"$lte": 4.5}}),
    SearchOp((), filter={"tags": ["a", "b"]}),
    SearchOp((), filter={"tags": ["a"]}),
    SearchOp((), filter={"on": True}),
    SearchOp((), filter={"place": {"city": "Rome"}}),
    SearchOp((), filter={"place": {"city": {"$ne": "Rome"}}}),
    SearchOp((), filter={"gone": None}),
    SearchOp((), filter={"a.b": 1}),
    SearchOp((), filter={"topics": None}),
    SearchOp((), filter={"topics": "hello"}),
    SearchOp((), filter={"place": {}}),
    SearchOp((), filter={}),
    SearchOp((), filter={"color": {"$eq": "red"}}),
    SearchOp((), filter={"deep": {"deeper": {"deepest": [1, {"two": 2}]}}}),
    ListNamespacesOp(),
    ListNamespacesOp(max_depth=1),
    ListNamespacesOp(max_depth=2),
    ListNamespacesOp(limit=2, offset=1),
    ListNamespacesOp((MatchCondition("prefix", ("docs",)),)),
    ListNamespacesOp((MatchCondition("suffix", ("en",)),)),
    ListNamespacesOp((MatchCondition("prefix", ("docs", "*", "en")),)),
    ListNamespacesOp((MatchCondition("suffix", ("*", "en")),)),
    ListNamespacesOp((MatchCondition("prefix", ("memories",)), MatchCondition("suffix", ("ana",)))),
    ListNamespacesOp((MatchCondition("prefix", ("docs", "v1", "en", "more")),)),
]


def plain(result: Any) -> Any:
    """A result without times; what a search without a question finds has no order in either."""
    if isinstance(result, list) and result and not isinstance(result[0], tuple):
        return sorted((item.namespace, item.key, repr(item.value), item.score) for item in result)
    return result if result is None or isinstance(result, list) else (result.namespace, result.key, result.value)


@pytest.mark.parametrize("op", READS, ids=repr)
def test_reads_answer_as_langgraphs_own_store_does(op: Any, store: RecollectStore) -> None:
    own = InMemoryStore()
    own.batch(FILLED)
    store.batch(FILLED)
    assert plain(store.batch([op])[0]) == plain(own.batch([op])[0])


_NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="$"), max_size=3)  # no operators
_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=3),
    max_leaves=5,
)
_LABELS = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="."), min_size=1, max_size=4)
_PUTS = st.builds(
    PutOp,
    st.tuples(st.sampled_from(["a", "b"]), _LABELS),
    st.sampled_from(["k1", "k2", "ü"]),
    st.none() | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=4), _VALUES, max_size=3),
    index=st.sampled_from([None, False]),
    ttl=st.none(),
)


@given(batches=st.lists(st.lists(_PUTS, max_size=4), max_size=4))
def test_whatever_is_put_comes_back(batches: list[list[PutOp]]) -> None:
    own = InMemoryStore()
    with recollect.open(":memory:", embedder="fake") as memory:
        store = RecollectStore(memory)
        for ops in batches:
            own.batch(ops)
            store.batch(ops)
        places = {(op.namespace, op.key) for ops in batches for op in ops}
        for namespace, key in places:
            assert plain(store.get(namespace, key)) == plain(own.get(namespace, key))
        assert plain(store.search((), limit=100)) == plain(own.search((), limit=100))


@given(value=_VALUES, wanted=_VALUES)
def test_filters_agree_with_langgraphs(value: Any, wanted: Any) -> None:
    own, op = InMemoryStore(), SearchOp((), filter={"x": wanted})
    put = PutOp(("a",), "k", {"x": value})
    own.batch([put])
    with recollect.open(":memory:", embedder="fake") as memory:
        store = RecollectStore(memory)
        store.batch([put])
        assert len(store.batch([op])[0]) == len(own.batch([op])[0])  # type: ignore[arg-type]


# -- in a graph --


class State(TypedDict):
    said: str
    answer: str


def test_a_compiled_graph_remembers_between_threads(store: RecollectStore) -> None:
    def answer(state: State, config: RunnableConfig, *, store: BaseStore) -> dict[str, str]:
        namespace = ("memories", config["configurable"]["user_id"])
        found = store.search(namespace, query=state["said"], limit=1)
        if not state["said"].endswith("?"):
            store.put(namespace, str(len(found)), {"text": state["said"]})
        return {"answer": found[0].value["text"] if found else "nothing"}

    async def answer_async(state: State, config: RunnableConfig, *, store: BaseStore) -> dict[str, str]:
        found = await store.asearch(("memories", config["configurable"]["user_id"]), query=state["said"])
        return {"answer": f"{len(found)}"}

    def built(node: Any) -> Any:
        builder = StateGraph(State)
        builder.add_node("answer", node)
        builder.add_edge(START, "answer")
        builder.add_edge("answer", END)
        return builder.compile(checkpointer=InMemorySaver(), store=store)

    def of(user: str, thread: str) -> Any:
        return {"configurable": {"user_id": user, "thread_id": thread}}

    graph = built(answer)
    assert graph.invoke({"said": "I like green tea"}, of("ana", "t1"))["answer"] == "nothing"
    assert graph.invoke({"said": "which tea do I like?"}, of("ana", "t2"))["answer"] == "I like green tea"
    assert graph.invoke({"said": "which tea do I like?"}, of("ben", "t3"))["answer"] == "nothing"
    assert asyncio.run(built(answer_async).ainvoke({"said": "tea?"}, of("ana", "t4")))["answer"] == "1"


def test_awaited(memory: recollect.Memory) -> None:
    async def run() -> None:
        store = RecollectStore(AsyncMemory(memory))
        await asyncio.gather(*(store.aput(ANA, str(n), {"text": f"tea number {n}"}) for n in range(8)))
        assert len(await store.asearch(ANA, query="tea")) == 8
        assert (await store.aget(ANA, "3")).value == {"text": "tea number 3"}  # type: ignore[union-attr]
        await store.adelete(ANA, "3")
        assert await store.aget(ANA, "3") is None
        assert await store.alist_namespaces() == [ANA]

    asyncio.run(run())


# -- search --


def test_a_question_finds_the_best_first(store: RecollectStore) -> None:
    for key, text in enumerate(("Ana drinks green tea", "the office is in Lisbon", "green is a color")):
        store.put(ANA, str(key), {"text": text})
    found = store.search(ANA, query="who drinks green tea?")
    assert found[0].key == "0"
    assert found[0].score is not None
    scores = [item.score or 0.0 for item in found]
    assert scores == sorted(scores, reverse=True)
    assert keys(store.search(ANA, query="who drinks green tea?", limit=1, offset=1)) == keys(found[1:2])
    assert store.search(ANA, query="tea", limit=0) == []
    assert keys(store.search(("memories",), query="green tea", filter={"text": "green is a color"})) == ["2"]


def test_the_same_text_under_two_keys_is_found_twice(store: RecollectStore) -> None:
    for key in ("1", "2"):
        store.put(ANA, key, {"text": "Ana drinks green tea"})
    store.put(BEN, "1", {"text": "Ana drinks green tea"})
    assert sorted(keys(store.search(ANA, query="green tea"))) == ["1", "2"]


def test_what_is_searched_can_be_chosen(memory: recollect.Memory) -> None:
    store = RecollectStore(memory, fields=["title", "parts[*].text"])
    store.put(ANA, "chosen", {"title": "harvest", "note": "zebra", "parts": [{"text": "apples"}, {"text": "pears"}]})
    store.put(ANA, "own", {"title": "harvest", "note": "zebra"}, index=["note"])
    store.put(ANA, "hidden", {"title": "harvest", "note": "zebra"}, index=False)
    assert keys(store.search(ANA, query="pears"))[:1] == ["chosen"]
    assert keys(store.search(ANA, query="zebra"))[:1] == ["own"]
    assert "hidden" not in keys(store.search(ANA, query="harvest hidden"))
    assert set(keys(store.search(ANA))) == {"chosen", "own", "hidden"}
    assert store.get(ANA, "hidden") is not None


def test_long_values_are_kept_whole(store: RecollectStore, memory: recollect.Memory) -> None:
    long = {"text": "Ana likes tea. " * 2_000}
    store.put(ANA, "long", long)
    assert store.get(ANA, "long").value == long  # type: ignore[union-attr]
    with pytest.raises(UsageError, match="at most"):
        store.put(ANA, "larger", {"text": "x" * 100_000})
    assert store.get(ANA, "larger") is None


def test_lists_are_paged(store: RecollectStore) -> None:
    store.batch([PutOp(ANA, f"{n:03}", {"n": n}) for n in range(60)])
    seen = [key for at in range(0, 80, 20) for key in keys(store.search(ANA, limit=20, offset=at))]
    assert sorted(seen) == [f"{n:03}" for n in range(60)]
    assert len(store.search(ANA, filter={"n": {"$gte": 30}}, limit=100)) == 30


# -- who sees what --


def test_no_other_search_meets_the_items(store: RecollectStore, memory: recollect.Memory) -> None:
    store.put(ANA, "1", {"text": "Ana drinks green tea"})
    memory.add("Ben drinks green tea", user_id="ben")
    assert list(memory.search("green tea")) == []
    assert [hit.content for hit in memory.search("green tea", user_id="ben")] == ["Ben drinks green tea"]
    assert list(memory.search("green tea", user_id="ana")) == []
    assert len(store.search((), query="green tea")) == 1


def test_stores_of_different_scopes_have_nothing_in_common(memory: recollect.Memory) -> None:
    shared, mine, others = (RecollectStore(memory, **scope) for scope in ({}, {"user_id": "ana"}, {"user_id": "ben"}))
    shared.put(("docs",), "k", {"text": "tea for all"})
    mine.put(("docs",), "k", {"text": "tea of ana"})
    assert others.get(("docs",), "k") is None
    assert others.search((), query="tea") == others.search(()) == others.list_namespaces() == []
    mine.delete(("docs",), "k")
    assert shared.get(("docs",), "k").value == {"text": "tea for all"}  # type: ignore[union-attr]
    assert mine.get(("docs",), "k") is None


def test_items_can_be_a_users_ordinary_memories(memory: recollect.Memory) -> None:
    store = RecollectStore(memory, user_id="ana", channel=None)
    store.put(("notes",), "1", {"text": "Ana drinks green tea"})
    assert [hit.content for hit in memory.search("green tea", user_id="ana")] == ["Ana drinks green tea"]
    memory.add("Ana likes trains", user_id="ana")
    assert keys(store.search((), query="what does Ana like?")) == ["1"]  # what is no item is none
    with pytest.raises(UsageError, match="everybody would see"):
        RecollectStore(memory, channel=None)


def test_a_scoped_handle_stays_in_its_scope(memory: recollect.Memory) -> None:
    channel = {"channel": "langgraph"}
    inside, outside = (RecollectStore(memory.scoped(project=name, may_add=channel)) for name in ("atlas", "zeus"))
    inside.put(("docs",), "k", {"text": "tea"})
    assert outside.search((), query="tea") == []
    with pytest.raises(AccessDenied, match="may_add="):
        RecollectStore(memory.scoped(project="atlas"))
    with pytest.raises(AccessDenied):
        RecollectStore(memory.scoped(user_id="ana", may_add=channel), user_id="ben")
    RecollectStore(memory.scoped(user_id="ana"), channel=None).put(("docs",), "k", {"text": "coffee"})
    assert [item.value["text"] for item in inside.search(("docs",))] == ["tea"]


# -- history --


def test_changes_have_a_history_and_can_be_undone(store: RecollectStore, memory: recollect.Memory) -> None:
    store.put(ANA, "1", {"text": "tea", "n": 1})
    first = store.get(ANA, "1")
    store.put(ANA, "1", {"text": "coffee"})
    second = store.get(ANA, "1")
    assert first is not None
    assert second is not None
    assert (second.value, second.created_at) == ({"text": "coffee"}, first.created_at)
    assert second.updated_at > first.updated_at
    store.delete(ANA, "1")
    assert store.get(ANA, "1") is None
    assert store.search(ANA, query="coffee") == []
    for expected in (second, first):
        memory.undo(memory.operations(limit=1)[0].id if expected is second else memory.operations(limit=3)[-1].id)
        assert store.get(ANA, "1").value == expected.value  # type: ignore[union-attr]


def test_what_is_changed_by_hand_is_honoured(store: RecollectStore, memory: recollect.Memory) -> None:
    store.put(ANA, "1", {"text": "Ana drinks tea"})
    store.put(ANA, "2", {"text": "Ana drinks tea", "n": 1})
    one, two = (memory.get_all(reach="all", filters={"attributes.langgraph.key": key})[0].id for key in ("1", "2"))
    memory.update(one, content="Ana drinks cocoa")
    memory.update(two, metadata={"text": "Ana drinks milk", "n": 2})
    assert store.get(ANA, "1").value == {"text": "Ana drinks cocoa"}  # type: ignore[union-attr]
    assert store.get(ANA, "2").value == {"text": "Ana drinks milk", "n": 2}  # type: ignore[union-attr]
    memory.correct(one, "Ana drinks water")
    assert store.get(ANA, "1").value == {"text": "Ana drinks water"}  # type: ignore[union-attr]
    memory.delete(two)
    assert keys(store.search(ANA)) == ["1"]


def test_upkeep_leaves_items_alone(timed: recollect.Memory, clock: Ticking) -> None:
    store = RecollectStore(timed)
    ops = [PutOp(ANA, str(n), {"text": "I live in Lisbon" if n % 2 else "I live in Rome"}) for n in range(6)]
    store.batch(ops)
    clock.skip(days=3_000)
    timed.maintain()
    assert sorted(keys(store.search(ANA))) == [op.key for op in ops]
    assert len(store.search(ANA, query="Where do I live?")) == 6


# -- time to live --


def test_items_expire_and_reading_keeps_them(timed: recollect.Memory, clock: Ticking) -> None:
    store = RecollectStore(timed, ttl={"default_ttl": 10})
    store.put(ANA, "kept", {"text": "tea"})
    store.put(ANA, "left", {"text": "tea"})
    store.put(ANA, "always", {"text": "tea"}, ttl=None)
    for _ in range(3):
        clock.skip(days=6 * MINUTE)
        assert store.get(ANA, "kept") is not None
        assert keys(store.search(ANA, query="tea", filter={"text": "tea"}, refresh_ttl=False)).count("kept") == 1
    assert store.get(ANA, "left") is None
    assert set(keys(store.search(ANA, query="tea"))) == {"kept", "always"}
    clock.skip(days=9 * MINUTE)
    assert store.get(ANA, "kept", refresh_ttl=False) is not None
    clock.skip(days=2 * MINUTE)
    assert keys(store.search(ANA)) == ["always"]
    store.put(ANA, "left", {"text": "new"})
    assert store.get(ANA, "left").value == {"text": "new"}  # type: ignore[union-attr]
    clock.skip(days=11 * MINUTE)
    store.put(ANA, "always", {"text": "tea"}, ttl=1)
    store.put(ANA, "always", {"text": "tea"}, ttl=None)
    clock.skip(days=1)
    assert keys(store.search(ANA)) == ["always"]


def test_a_read_that_comes_at_once_writes_nothing(timed: recollect.Memory) -> None:
    store = RecollectStore(timed, ttl={"default_ttl": 60})
    store.put(ANA, "1", {"text": "tea"})
    before = len(timed.operations(limit=100))
    for _ in range(5):
        store.get(ANA, "1")
    assert len(timed.operations(limit=100)) == before


# -- what makes no sense --


def test_bad_input_is_refused_and_changes_nothing(store: RecollectStore) -> None:
    good = PutOp(ANA, "good", {"text": "tea"})
    for bad in (
        PutOp(ANA, "1", {"x": object()}),
        PutOp(ANA, "1", "text"),
        PutOp((), "1", {}),
        PutOp(("a.b",), "1", {}),  # type: ignore[arg-type]
        PutOp(ANA, "1", {1: 2}),
        PutOp(ANA, "1", {}, ttl=0),
        PutOp(ANA, "1", {"x": float("nan")}),
        "nonsense",  # type: ignore[dict-item]
    ):
        with pytest.raises((UsageError, InvalidNamespaceError)):
            store.batch([good, bad])  # type: ignore[list-item]
    assert store.search(()) == []
    with pytest.raises(InvalidNamespaceError):
        store.put(("langgraph",), "1", {})
    with pytest.raises(InvalidQuery, match="Unsupported operator"):
        store.search((), filter={"x": {"$in": [1]}})
    for wrong in ({"limit": -1}, {"offset": -1}, {"limit": "3"}):
        with pytest.raises(UsageError):
            store.search((), **wrong)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="needs an open memory"):
        RecollectStore("memory.db")  # type: ignore[arg-type]


def test_many_threads_put_one_key_once(store: RecollectStore) -> None:
    threads = [threading.Thread(target=store.put, args=(ANA, "1", {"n": n})) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.search(ANA)) == 1
    store.delete(ANA, "1")
    assert store.get(ANA, "1") is None


def test_two_writers_that_never_heard_of_each_other(memory: recollect.Memory) -> None:
    """Two processes may put a key at the same moment: the newest counts, and deleting deletes both."""
    one, two = RecollectStore(memory), RecollectStore(memory)
    place = ItemPlace(ANA, "1")
    message = draft(place, {"n": 1}, fields=None, ttl=None, now=datetime.now(UTC)).message()
    for n in (1, 2):
        one.memory.add([{**message, "metadata": {"n": n}}], infer=False)
    assert two.get(*place).value == {"n": 2}  # type: ignore[union-attr]
    two.put(*place, {"n": 3})
    assert [item.value for item in one.search(ANA)] == [{"n": 3}]
    one.memory.add([message], infer=False)
    two.delete(*place)
    assert one.search(ANA) == []


def test_without_the_library_the_cure_is_named() -> None:
    program = "import sys; sys.modules['langgraph'] = None; import recollect.compat.langgraph"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "MissingExtra" in done.stderr
    assert "pip install 'recollect[langgraph]'" in done.stderr
