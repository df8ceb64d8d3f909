"""Rows of records: how they are made, revised, retired and found again."""

from __future__ import annotations

import pytest

from recollect.errors import NotFound
from recollect.ids import new_id
from recollect.language.terms import terms_of
from recollect.model.columns import COLUMNS, RecordRow
from recollect.model.filters import parse_filters
from recollect.model.query import Criteria
from recollect.model.scope import Reach, Scope
from recollect.store.base import Store, Tx
from recollect.store.rows import content_hash

NOW = 1_000_000


@pytest.fixture
def store(database: Store) -> Store:
    return database


def row(content: str = "x", *, at: int = NOW, scope_pk: int = 1, **values: object) -> RecordRow:
    return RecordRow(
        id=new_id(),
        scope_pk=scope_pk,
        content=content,
        content_hash=content_hash(content),
        created_at=at,
        updated_at=at,
        recorded_at=at,
        **values,
    )


def insert(store: Store, *rows: RecordRow, at: int = NOW) -> list[int]:
    def work(tx: Tx) -> list[int]:
        tx.scopes.ensure(Scope())
        op = tx.journal.begin("add", at=at)
        return list(tx.records.insert(op, rows, [terms_of(one.content) for one in rows]))

    return store.write(work)


def revise(store: Store, pk: int, at: int, **new: object) -> None:
    store.write(lambda tx: tx.records.revise(tx.journal.begin("update", at=at), pk, new))


def known(store: Store, at: int) -> list[str]:
    with store.read() as tx:
        return [r.content for _, r in tx.records.page(Criteria(known_at=at), now=at, limit=99, before_pk=None)]


def test_keys_of_ids_come_in_the_order_asked(store: Store) -> None:
    rows = [row(text) for text in "abc"]
    insert(store, *rows)
    first, second, third = (one.id for one in rows)
    with store.read() as tx:
        assert tx.records.pks_of([third, first, new_id(), second]) == [3, 1, 2]


def test_keys_are_consecutive_and_never_used_again(store: Store) -> None:
    assert insert(store, row("a"), row("b"), row("c")) == [1, 2, 3]
    store.write(lambda tx: tx.sql.run("DELETE FROM record WHERE pk = 3"))
    assert insert(store, row("d")) == [4]


def test_what_goes_in_comes_out(store: Store) -> None:
    given = row(
        "Ada",
        kind="opinion",
        category="taste",
        tier="session",
        tags='["a"]',
        metadata='{"n":1}',
        event_time=5,
        valid_from=6,
        valid_until=7,
        confidence=0.5,
        importance=0.25,
        strength=2.0,
        valence=-0.5,
        arousal=0.5,
        subject="s",
        predicate="p",
        object="o",
        source="src",
        role="user",
        speaker="Ada",
        needs_review=1,
        security="sensitive",
        place='{"file_path":"a.py","line_range":[1,2]}',
        facets='{"diataxis_type":"howto"}',
        provenance_sessions='["s1","s2"]',
        half_life_days=3.0,
    )
    (pk,) = insert(store, given)
    with store.read() as tx:
        columns = tx.records.columns_of(pk)
        record = tx.records.load([pk])[pk]
    assert columns == {name: getattr(given, name) for name in COLUMNS}
    assert (record.place.line_range, record.facets.diataxis_type) == ((1, 2), "howto")
    assert (record.affect.valence, record.affect.dominance) == (-0.5, 0.0)
    assert (record.provenance_sessions, record.needs_review, record.user_verified) == (("s1", "s2"), True, False)


def test_a_revision_keeps_its_key_and_sets_the_old_version_aside(store: Store) -> None:
    (pk,) = insert(store, row("one"))
    revise(store, pk, NOW + 10, content="two")
    revise(store, pk, NOW + 20, importance=0.9)
    with store.read() as tx:
        versions = tx.records.versions(pk)
        current = tx.records.load([pk])[pk]
    assert [(v.version, v.content, v.importance) for v in versions] == [
        (1, "one", 0.5),
        (2, "two", 0.5),
        (3, "two", 0.9),
    ]
    assert len({v.id for v in versions}) == 1
    assert [v.retired_at is None for v in versions] == [False, False, True]
    assert versions[0].retired_at == versions[1].recorded_at
    assert versions[-1] == current


def test_every_moment_knows_exactly_one_version(store: Store) -> None:
    (pk,) = insert(store, row("one"))
    revise(store, pk, NOW + 10, content="two")
    store.write(lambda tx: tx.records.retire(tx.journal.begin("delete", at=NOW + 20), [pk]))
    assert [known(store, NOW + at) for at in (-1, 0, 9, 10, 19, 20)] == [[], ["one"], ["one"], ["two"], ["two"], []]


def test_a_revision_moves_the_terms_of_the_text_index(store: Store) -> None:
    (pk,) = insert(store, row("oslo"))
    revise(store, pk, NOW + 10, content="rome")

    def found(word: str, known_at: int | None = None) -> list[int]:
        criteria = Criteria(scope=Scope(), reach=Reach.ALL, known_at=known_at)
        with store.read() as tx:
            return [key for key, _ in tx.text.search([word], criteria, now=NOW + 20, limit=9)]

    assert found("rome") == [pk]
    assert found("oslo") == []
    assert len(found("oslo", NOW + 5)) == 1  # the old version is found by its own words
    assert pk not in found("oslo", NOW + 5)


def test_retiring_twice_changes_nothing_the_second_time(store: Store) -> None:
    pks = insert(store, row("a"), row("b"))
    retire = lambda at: store.write(lambda tx: tx.records.retire(tx.journal.begin("delete", at=at), pks))  # noqa: E731
    assert retire(NOW + 1) == pks
    assert retire(NOW + 2) == []
    with store.read() as tx:
        assert {tx.records.columns_of(pk)["retired_at"] for pk in pks} == {NOW + 1}


def test_changes_are_announced_in_as_few_entries_as_their_keys_allow(store: Store) -> None:
    pks = insert(store, *(row(str(i)) for i in range(10)))
    before = store.change_seq()
    gone = [pk for pk in pks if pk != 5]
    store.write(lambda tx: tx.records.retire(tx.journal.begin("delete", at=NOW), gone))
    with store.read() as tx:
        told = [(c.topic, c.first_pk, c.last_pk) for c in tx.changes.since(before, 99)]
    assert told == [("record", 1, 4), ("record", 6, 10)]


def test_a_record_is_found_by_id_only_where_it_is_visible(store: Store) -> None:
    ana = store.write(lambda tx: tx.scopes.ensure(Scope(user_id="ana")))
    mine = row("ana's", scope_pk=ana)
    (pk,) = insert(store, mine)
    with store.read() as tx:
        assert tx.records.find_pk(mine.id, now=NOW) == pk
        assert tx.records.find_pk(mine.id, Criteria(scope=Scope(user_id="ana", project="p")), now=NOW) == pk
        for scope in (Scope(), Scope(user_id="ben"), Scope(project="ana")):
            with pytest.raises(NotFound):
                tx.records.find_pk(mine.id, Criteria(scope=scope), now=NOW)


def test_a_retired_record_is_found_only_when_asked_for(store: Store) -> None:
    one = row("x")
    (pk,) = insert(store, one)
    store.write(lambda tx: tx.records.retire(tx.journal.begin("delete", at=NOW), [pk]))
    with store.read() as tx:
        with pytest.raises(NotFound):
            tx.records.find_pk(one.id, now=NOW)
        assert tx.records.find_pk(one.id, now=NOW, live=False) == pk


def test_pages_go_back_from_the_newest(store: Store) -> None:
    insert(store, *(row(str(i)) for i in range(5)))
    with store.read() as tx:
        page = tx.records.page(Criteria(), now=NOW, limit=2, before_pk=None)
        rest = tx.records.page(Criteria(), now=NOW, limit=9, before_pk=page[-1][0])
    assert [r.content for _, r in page + rest] == ["4", "3", "2", "1", "0"]


CRITERIA = [
    (Criteria(), {"plain", "opinion", "later"}),
    (Criteria(kinds=("opinion",)), {"opinion"}),
    (Criteria(kinds=()), set()),
    (Criteria(categories=("taste",)), {"opinion"}),
    (Criteria(tiers=("archive",)), {"archived"}),
    (Criteria(filters=parse_filters({"tier": {"in": ["archive", "task"]}})), {"archived"}),
    (Criteria(tags=("a",)), {"opinion"}),
    (Criteria(tags=("a", "z")), set()),
    (Criteria(as_of=NOW - 50), {"plain", "opinion", "over"}),
    (Criteria(as_of=NOW + 1_000), {"plain", "opinion", "later"}),
    (Criteria(after=NOW + 5), {"later"}),
    (Criteria(before=NOW), {"opinion"}),
    (Criteria(reach=Reach.ALL), {"plain", "opinion", "later", "ana's"}),
    (Criteria(scope=Scope(user_id="ana"), reach=Reach.INSIDE), {"ana's"}),
    (Criteria(session_id="s"), set()),
]


@pytest.mark.parametrize(("criteria", "expected"), CRITERIA, ids=[str(i) for i in range(len(CRITERIA))])
def test_criteria_decide_which_rows_count(store: Store, criteria: Criteria, expected: set[str]) -> None:
    ana = store.write(lambda tx: (tx.scopes.ensure(Scope()), tx.scopes.ensure(Scope(user_id="ana")))[1])
    insert(
        store,
        row("plain"),
        row("opinion", kind="opinion", category="taste", tags='["a","b"]', event_time=NOW - 10),
        row("archived", tier="archive"),
        row("over", valid_until=NOW - 10),
        row("later", valid_from=NOW + 500, event_time=NOW + 5),
        row("ana's", scope_pk=ana),
    )
    with store.read() as tx:
        pks = tx.records.matching(criteria, now=NOW)
        assert {r.content for r in tx.records.load(pks).values()} == expected
        assert tx.records.matching(criteria, now=NOW, among=[*pks, 999]) == pks
        assert tx.records.matching(criteria, now=NOW, limit=1) == pks[:1]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Ana lives in Oslo", "ana  LIVES in\noslo ", True),
        ("café", "cafe\u0301", True),
        ("ﬁne", "fine", True),
        ("straße", "STRASSE", True),
        ("Ana lives in Oslo", "Ana lives in Rome", False),
        ("ab c", "a bc", False),
    ],
)
def test_a_hash_ignores_case_spacing_and_unicode_form_only(one: str, other: str, same: bool) -> None:
    assert (content_hash(one) == content_hash(other)) is same
