"""Whatever a caller hands in: an answer or an error of ours, never half a write, and the store goes on working."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from operator import mul
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from properties.tables import assert_sound, counts, examples, open_quick
from recollect.errors import ContentTooLarge, InvalidQuery, NotFound, RecollectError, UsageError
from recollect.memory import Memory

NOBODY = "00000000-0000-4000-8000-000000000000"
DEEP_LIST: list[Any] = []
for _ in range(60):
    DEEP_LIST = [DEEP_LIST]
DEEP_FILTER: dict[str, Any] = {"metadata.a": 1}
for _ in range(60):
    DEEP_FILTER = {"NOT": DEEP_FILTER}

texts = st.one_of(
    st.sampled_from(
        [
            "",
            " ",
            "\t\n",
            "\x00",
            "a\x00b",
            "\ud800",
            "a\udfffb",
            "\u202e",
            "'; DROP TABLE record; --",
            "%",
            "_",
            "%_%",
            '"',
            "'",
            "`",
            "*",
            "(",
            ")",
            "NEAR(",
            "NEAR(a b, 5)",
            "OR",
            "AND NOT",
            "^",
            "-",
            ":",
            "a:b",
            "terms:x",
            '"a" OR "b"',
            "a*",
            "{",
            "}",
            "[",
            "\\",
            "$",
            "$.a",
            "😀",
            "مرحبا",
            "日本語のテキスト",
            "\ufeff",
            "null",
            "None",
            "NaN",
            "1",
            "-1",
            "1e999",
            NOBODY,
            NOBODY.upper(),
            "{" + NOBODY + "}",
            "not-a-uuid",
        ]
    ),
    st.text(max_size=20),
    st.builds(mul, st.sampled_from(["a", "é", "𝔘", "a b "]), st.sampled_from([3_000, 9_000])),
)
numbers = st.one_of(
    st.sampled_from(
        [
            0,
            1,
            -1,
            2**31,
            2**63 - 1,
            2**63,
            -(2**63),
            2**64,
            10**30,
            True,
            False,
            0.5,
            1.5,
            -0.1,
            float("nan"),
            float("inf"),
            float("-inf"),
            1e308,
            5e-324,
            -0.0,
        ]
    ),
    st.integers(),
    st.floats(),
    st.builds(pow, st.just(10), st.just(5000)),  # more digits than Python prints
)
times = st.sampled_from(
    [
        "yesterday",
        "2026-13-45",
        "0000-00-00",
        "9999-12-31T23:59:59Z",
        "0001-01-01T00:00:00+14:00",
        "in Smarch",
        "2026-02-30",
        "99999",
        "-1 days ago",
        "9999 years ago",
        "next year",
        "24:00",
        "2026-05-03T25:00:00Z",
        datetime(1, 1, 1),
        datetime(9999, 12, 31, tzinfo=UTC),
        "last week",
        "in March 9999",
        "9999",
        "9999-12",
    ]
)
odd = st.sampled_from(
    [
        None,
        b"",
        b"\xff\xfe",
        b"bytes",
        object(),
        [],
        {},
        (),
        set(),
        [None],
        [[]],
        {"a": object()},
        {1: 2},
        [b"x"],
        DEEP_LIST,
        {"a": DEEP_LIST},
        lambda: None,
        Exception,
        range(3),
        1j,
        "a",
        ["a", "b"],
        ["a"] * 100,
        {"\ud800": 1},
        {"a": "\ud800"},
        {"a": float("nan")},
        {"a": 2**70},
    ]
)
large = st.builds(lambda letter: {"a": letter * 70_000}, st.just("b"))
anything = st.one_of(texts, numbers, times, odd, large)

leaves = st.one_of(
    anything,
    st.dictionaries(
        st.sampled_from(["eq", "ne", "gt", "lte", "in", "nin", "contains", "icontains", "exists", "like", ""]),
        st.one_of(anything, st.lists(anything, max_size=3)),
        max_size=2,
    ),
)
fields = st.one_of(
    st.sampled_from(
        [
            "id",
            "kind",
            "content",
            "importance",
            "flagged",
            "created_at",
            "tags",
            "user_id",
            "metadata.a",
            "metadata.a.b",
            "metadata.",
            "metadata",
            "metadata.a\\b",
            'metadata.a"b',
            "metadata.\ud800",
            "retired_at",
            "rowid",
            "1=1",
            "place.path",
            "session_id",
            "version",
        ]
    ),
    texts,
)
filters = st.one_of(
    anything,
    st.sampled_from([DEEP_FILTER, {"AND": []}, {"OR": {}}, {"NOT": []}, {"NOT": [{}, {}]}, {"AND": "x"}]),
    st.recursive(
        st.dictionaries(fields, leaves, max_size=2),
        lambda inner: st.one_of(
            st.builds(lambda parts: {"AND": parts}, st.lists(inner, max_size=3)),
            st.builds(lambda parts: {"or": parts}, st.lists(inner, max_size=3)),
            st.builds(lambda part: {"NOT": part}, inner),
        ),
        max_leaves=5,
    ),
)
messages = st.one_of(
    anything,
    st.dictionaries(st.sampled_from(["role", "content", "name", "timestamp", "metadata", "kind", "junk"]), anything),
    st.lists(st.dictionaries(st.sampled_from(["role", "content", "name", "metadata"]), anything), max_size=3),
)
SCOPE = dict.fromkeys(("user_id", "project", "channel"), anything)
FIELDS = dict.fromkeys(
    (
        "kind",
        "category",
        "importance",
        "confidence",
        "tags",
        "metadata",
        "valid_from",
        "valid_until",
        "source",
        "tier",
        "attributes",
    ),
    anything,
)
READ = {
    **SCOPE,
    "kinds": anything,
    "categories": anything,
    "tiers": anything,
    "tags": anything,
    "filters": filters,
    "session_id": anything,
    "as_of": anything,
    "known_at": anything,
    "after": anything,
    "before": anything,
    "reach": anything,
}
WALK = {**SCOPE, "as_of": anything, "known_at": anything}
EDGE = {
    **SCOPE,
    "weight": anything,
    "confidence": anything,
    "evidence": anything,
    "valid_from": anything,
    "valid_until": anything,
    "family": anything,
}
CURSORS = st.one_of(
    anything,
    st.sampled_from(["r1", "x", base64.urlsafe_b64encode(b"r" + b"9" * 30).decode(), "cjE", "cg", "cjE=", "é"]),
    st.binary(max_size=12).map(lambda raw: base64.urlsafe_b64encode(b"r" + raw).decode()),
)

# verb -> (positional arguments, keyword arguments); "ID" stands for a record that exists, now and then.
VERBS: dict[str, tuple[list[Any], dict[str, Any]]] = {
    "add": ([messages], {**SCOPE, **FIELDS, "timestamp": anything, "session_id": anything, "run_id": anything}),
    "update": (["ID"], {**SCOPE, **FIELDS, "content": anything, "event_time": anything, "flagged": anything}),
    "correct": (["ID", anything], {**SCOPE, "reason": anything}),
    "delete": (["ID"], {**SCOPE, "reason": anything}),
    "delete_all": ([], {**SCOPE, "filters": filters, "session_id": anything, "dry_run": st.just(True)}),
    "search": ([anything], {**READ, "top_k": anything, "threshold": anything, "max_tokens": anything}),
    "get": (["ID"], SCOPE),
    "get_all": ([], {**READ, "limit": anything, "cursor": CURSORS}),
    "history": (["ID"], SCOPE),
    "operations": ([], {**SCOPE, "limit": anything}),
    "undo": (["ID"], SCOPE),
    "relate": (["ID", "ID", anything], EDGE),
    "unrelate": (["ID"], SCOPE),
    "related": (["ID"], {**WALK, "labels": anything, "depth": anything, "direction": anything}),
    "path": (["ID", "ID"], {**WALK, "max_depth": anything}),
    "contradictions": (["ID"], WALK),
    "dependencies": (["ID"], WALK),
    "stats": ([], SCOPE),
}


class Shop:
    """One store for many calls; opened once, as opening is not what is tested here."""

    def __init__(self, memory: Memory, path: Path) -> None:
        self.memory = memory
        self.path = path

    def attempt(self, call: Callable[[], Any]) -> None:
        """An answer or one of our errors; after an error every table has as many rows as before."""
        self.memory._engine.access.flush()
        before = counts(self.path)
        try:
            call()
        except RecollectError:
            assert counts(self.path) == before


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    path = tmp_path_factory.mktemp("shop") / "m.db"
    with open_quick(path) as memory:
        memory._engine.worker.close()  # what jobs write in the meantime is not what a refused call wrote
        yield Shop(memory, path)
        kept = memory.add("the store still works", user_id="last").id
        assert memory.search("still works", user_id="last")[0].id == kept
        assert [one for one in memory.doctor() if not one.ok and one.check not in ("disk", "vectors")] == []


@pytest.mark.parametrize("verb", VERBS)
@examples(30)
@given(data=st.data())
def test_bad_arguments_end_in_our_errors(shop: Shop, verb: str, data: st.DataObject) -> None:
    """Some arguments sound, some not: whatever is wrong is said, and nothing is half done."""
    memory = shop.memory
    known = memory.add("sound", tags=["t"], session_id="s").id
    positional, keywords = VERBS[verb]
    ids = st.one_of(st.just(known), st.just(known), anything)
    args = [data.draw(ids if strategy == "ID" else strategy) for strategy in positional]
    chosen = data.draw(st.lists(st.sampled_from(sorted(keywords)), max_size=3, unique=True)) if keywords else []
    given_ = {name: data.draw(keywords[name]) for name in chosen}
    shop.attempt(lambda: getattr(memory, verb)(*args, **given_))


@examples(30)
@given(members=st.one_of(anything, st.lists(st.one_of(anything, st.lists(anything, max_size=4)), max_size=4)))
def test_bad_members_end_in_our_errors(shop: Shop, members: Any) -> None:
    shop.attempt(lambda: shop.memory.relate(members=members))


@examples(30)
@given(role=anything, position=anything)
def test_bad_roles_and_positions_end_in_our_errors(shop: Shop, role: Any, position: Any) -> None:
    a, b = shop.memory.add(["a", "b"]).ids
    shop.attempt(lambda: shop.memory.relate(members=[(a, role, position), (b, "object")]))
    shop.attempt(lambda: shop.memory.relate(members=[(a, None), (a, role), (b, "object")]))


@examples(25)
@given(actor=anything, user=anything)
def test_bad_handles_end_in_our_errors(shop: Shop, actor: Any, user: Any) -> None:
    shop.attempt(lambda: shop.memory.scoped(actor=actor, user_id=user).add("x"))


@examples(30)
@given(query=texts)
def test_any_text_is_a_question(shop: Shop, query: str) -> None:
    """Operators of query languages are words like others: no question is an error but an empty or broken one."""
    try:
        found = shop.memory.search(query)
    except InvalidQuery:
        assert not query.strip() or "\x00" in query or any("\ud800" <= ch <= "\udfff" for ch in query)
    else:
        assert len(found) <= 10


# --- the cases people meet ----------------------------------------------------------------------------------------

REFUSED: dict[str, tuple[type[RecollectError], Callable[[Memory], Any]]] = {
    "empty": (UsageError, lambda m: m.add("")),
    "blank": (UsageError, lambda m: m.add(" \n\t")),
    "nothing": (UsageError, lambda m: m.add([])),
    "NUL": (UsageError, lambda m: m.add("a\x00b")),
    "lone surrogate": (UsageError, lambda m: m.add("\ud800")),
    "not UTF-8": (UsageError, lambda m: m.add(b"\xff\xfe")),
    "over 8 KiB": (ContentTooLarge, lambda m: m.add("x" * 8193)),
    "over 8 KiB in bytes": (ContentTooLarge, lambda m: m.add("é" * 4097)),
    "NaN": (UsageError, lambda m: m.add("x", importance=float("nan"))),
    "NaN inside": (UsageError, lambda m: m.add("x", metadata={"a": [float("inf")]})),
    "out of range": (UsageError, lambda m: m.add("x", confidence=1.01)),
    "a flag for a number": (UsageError, lambda m: m.add("x", confidence=True)),
    "unknown kind": (UsageError, lambda m: m.add("x", kind="rumour")),
    "deep metadata": (UsageError, lambda m: m.add("x", metadata={"a": DEEP_LIST})),
    "large metadata": (ContentTooLarge, lambda m: m.add("x", metadata={"a": "b" * 70_000})),
    "huge number": (UsageError, lambda m: m.add("x", metadata={"a": 2**70})),
    "huge weight": (UsageError, lambda m: m.relate(NOBODY, NOBODY, weight=10**400)),
    "huge top_k": (UsageError, lambda m: m.search("x", top_k=10**5000)),
    "impossible date": (InvalidQuery, lambda m: m.add("x", timestamp="2026-02-30")),
    "ends before it begins": (UsageError, lambda m: m.add("x", valid_from="2026-05-02", valid_until="2026-05-01")),
    "one bad in a batch": (UsageError, lambda m: m.add(["fine", ""])),
    "unknown message key": (UsageError, lambda m: m.add({"role": "user", "content": "x", "colour": "red"})),
    "no such record": (NotFound, lambda m: m.update(NOBODY, content="x")),
    "not an id": (NotFound, lambda m: m.delete("7")),
    "no such operation": (NotFound, lambda m: m.undo(NOBODY)),
    "nothing to update": (UsageError, lambda m: m.update(NOBODY)),
    "empty topic": (InvalidQuery, lambda m: m.timeline(" ")),
    "question no text": (UsageError, lambda m: m.search(5)),
    "unknown field": (InvalidQuery, lambda m: m.get_all(filters={"colour": "red"})),
    "unknown operator": (InvalidQuery, lambda m: m.get_all(filters={"kind": {"like": "x%"}})),
    "deep filter": (InvalidQuery, lambda m: m.get_all(filters=DEEP_FILTER)),
    "wide filter": (InvalidQuery, lambda m: m.get_all(filters={"OR": [{"metadata.a": n} for n in range(300)]})),
    "surrogate in a filter": (InvalidQuery, lambda m: m.get_all(filters={"metadata.a": "\ud800"})),
    "foreign cursor": (InvalidQuery, lambda m: m.get_all(cursor="cursor")),
    "huge cursor": (InvalidQuery, lambda m: m.get_all(cursor=base64.urlsafe_b64encode(b"r" + b"9" * 30).decode())),
    "empty user": (UsageError, lambda m: m.add("x", user_id="")),
    "surrogate in a user": (UsageError, lambda m: m.search("x", user_id="\ud800")),
    "two sessions": (UsageError, lambda m: m.add("x", session_id="a", run_id="b")),
    "delete everything by accident": (UsageError, lambda m: m.delete_all()),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_refused_in_words_and_changes_nothing(shop: Shop, case: str) -> None:
    error, call = REFUSED[case]
    before = counts(shop.path)
    with pytest.raises(error) as caught:
        call(shop.memory)
    assert len(caught.value.message) > 10
    assert caught.value.code.startswith("E")
    assert counts(shop.path) == before


def test_every_listed_value_of_a_filter_may_be_used(memory: Memory) -> None:
    """The limit on values is ours, not one of the database that shows up below it."""
    wanted = memory.add("x", metadata={"n": 999}).id
    for leaf in ({"metadata.n": {"in": list(range(1000))}}, {"id": {"in": [wanted] * 1000}}):
        assert [record.id for record in memory.get_all(filters=leaf)] == [wanted]
    many = {"OR": [{"metadata.n": {"in": list(range(1000))}} for _ in range(40)]}
    assert [record.id for record in memory.get_all(filters=many)] == [wanted]


def test_text_comes_back_as_it_went_in(memory: Memory) -> None:
    for text in (
        "é\u0301",
        "日本語",
        "😀" * 10,
        "\u202eabc",
        "a\r\nb\tc",
        "  padded  ",
        "'; DROP TABLE record; --",
        "%_*",
    ):
        record = memory.get(memory.add(text, metadata={text: text}, tags=[text], user_id=text).id)
        assert record is not None
        assert (record.content, record.metadata, record.tags) == (text, {text: text}, (text,))
        assert record.scope.user_id == text
    assert_references(memory)


def assert_references(memory: Memory) -> None:
    findings = {finding.check: finding.ok for finding in memory.doctor()}
    assert findings["integrity"]
    assert findings["references"]
    assert findings["text index"]


def test_a_refused_batch_stores_nothing(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with open_quick(path) as memory:
        before = counts(path)
        with pytest.raises(UsageError, match="item 499"):
            memory.add([*(f"fine {number}" for number in range(499)), "\x00"])
        assert counts(path) == before
    assert_sound(path)
