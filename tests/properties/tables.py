"""The tables as an outsider reads them, and what must be true of them at any time.

Everything here looks at the file through a connection of its own, so that a test compares what the engine says
with what is stored rather than with itself.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import apsw
import numpy as np
from hypothesis import settings

import recollect
from recollect.language.passages import passages_of
from recollect.language.terms import telling, terms_of
from recollect.memory import Memory
from recollect.model.edge import rule_of
from recollect.model.labels import label_terms
from recollect.providers.embedders.fake import FakeEmbedder

DEEP = os.environ.get("HYPOTHESIS_PROFILE") == "deep"
TIMES = {"broad": 4, "deep": 20}.get(os.environ.get("HYPOTHESIS_PROFILE", ""), 1)
QUICK = {"store.durable": False}  # survives a killed process, not a power cut: what property tests need
BOOKKEEPING = {"access_count", "access_sessions", "last_access", "strength"}
WAIT_S = 20.0

State = dict[str, Any]


def examples(count: int, **more: Any) -> settings:
    """That many examples in a quick run, four times as many in a broad one, twenty times in a deep one."""
    return settings(max_examples=count * TIMES, deadline=None, **more)


def open_quick(path: Path | str, **more: Any) -> Memory:
    config = {**QUICK, **more.pop("config", {})}
    return recollect.open(path, **{"embedder": "fake", "config": config, **more})


def wait_until(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < deadline, f"waited {WAIT_S:g} s for {what}"
        time.sleep(0.005)


@contextmanager
def looking_at(path: Path | str) -> Iterator[apsw.Connection]:
    db = apsw.Connection(str(path))
    try:
        db.set_busy_timeout(10_000)
        yield db
    finally:
        db.close()


def rows(db: apsw.Connection, sql: str, *params: Any) -> list[dict[str, Any]]:
    cursor = db.execute(sql, params)
    out = []
    for row in cursor:
        names = [column[0] for column in cursor.get_description()]
        out.append(dict(zip(names, row, strict=True)))
    return out


def counts(path: Path | str) -> dict[str, int]:
    """Rows of every table but the audit: what a refused call may not change. That it was refused is noted there."""
    with looking_at(path) as db:
        names = [
            name
            for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
            if not name.startswith(("audit", "record_text", "record_vocabulary", "sqlite_"))
        ]
        found = {name: db.execute(f"SELECT count(*) FROM {name}").get for name in names}
        return found | {"meta": db.execute("SELECT count(*) FROM meta WHERE key NOT LIKE 'audit%'").get}


def visible_state(path: Path | str) -> State:
    """Every live record and edge by id, oldest first, each with all its values, its vectors and its indexed words.

    Of a record also the questions it was judged for, as far as that holds.
    """
    with looking_at(path) as db:
        keys = dict(db.execute("SELECT pk, key FROM scope"))
        words = _indexed_terms(db)
        vectors: dict[int, dict[int, bytes]] = {}
        for space_pk, record_pk, data in db.execute("SELECT space_pk, record_pk, data FROM vector"):
            vectors.setdefault(record_pk, {})[space_pk] = data
        judged: dict[int, list[tuple[Any, ...]]] = {}
        for pk, *said in db.execute(
            "SELECT f.record_pk, f.at, f.helpful, f.model, f.vector, f.terms FROM feedback f JOIN operation o "
            "ON o.pk = f.operation_pk WHERE o.undone_by IS NULL ORDER BY f.pk"
        ):
            judged.setdefault(pk, []).append(tuple(said))
        state: State = {}
        for row in rows(db, "SELECT * FROM record WHERE head_pk IS NULL AND retired_at IS NULL ORDER BY pk"):
            pk = row.pop("pk")
            values = {name: value for name, value in row.items() if name not in BOOKKEEPING}
            values |= {"scope": keys[row["scope_pk"]], "vectors": vectors.get(pk), "terms": words.get(pk)}
            values["judged"] = judged.get(pk)
            state[row["id"]] = values
        ids = dict(db.execute("SELECT pk, id FROM record WHERE head_pk IS NULL"))
        for row in rows(db, "SELECT * FROM edge WHERE retired_at IS NULL ORDER BY pk"):
            pk = row.pop("pk")
            members = db.execute("SELECT record_pk, role, position FROM member WHERE edge_pk = ?", (pk,))
            state[row["id"]] = {**row, "members": sorted((ids[m], role, at) for m, role, at in members)}
        return state


def _indexed_terms(db: apsw.Connection) -> dict[int, set[str]]:
    db.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.indexed USING fts5vocab (main, record_text, instance)")
    found: dict[int, set[str]] = {}
    for term, pk in db.execute("SELECT term, doc FROM temp.indexed"):
        found.setdefault(pk, set()).add(term)
    return found


def assert_sound(path: Path | str) -> None:
    """Pages, references, ids, indexed words and vectors are what they should be. For texts in plain ASCII."""
    with looking_at(path) as db:
        assert db.execute("PRAGMA integrity_check").get == "ok"
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
        assert db.execute("SELECT id FROM record WHERE head_pk IS NULL GROUP BY id HAVING count(*) > 1").get is None
        stray = (
            "SELECT c.pk FROM record c JOIN record h ON h.pk = c.head_pk WHERE h.id <> c.id OR h.head_pk IS NOT NULL"
        )
        assert db.execute(stray).get is None, "a past version belongs to another record"
        searched = db.execute("SELECT pk, content, category, tags, metadata FROM record")
        words = {pk: {*terms_of(content), *label_terms(*labels)} for pk, content, *labels in searched}
        assert _indexed_terms(db) == {pk: terms for pk, terms in words.items() if terms}
        live = dict(db.execute("SELECT pk, content FROM record WHERE retired_at IS NULL"))
        embedded = "SELECT v.record_pk, v.data, s.dimensions FROM vector v JOIN space s ON s.pk = v.space_pk"
        for pk, data, dimensions in db.execute(embedded):
            if pk in live:
                expected = FakeEmbedder(dimensions=dimensions).embed([live[pk]])[0].astype(np.float16).tobytes()
                assert data == expected, f"row {pk} has the vector of another text"


def assert_indexes_agree(memory: Memory) -> None:
    """The indexes in memory hold exactly the live rows of the tables, with the values they have there."""
    indexes = memory._engine.indexes
    wait_until(lambda: indexes.warm, "the indexes to warm up")
    with indexes._feeding:  # the index thread moves rows about; it waits meanwhile
        _agree(memory, indexes)


def _agree(memory: Memory, indexes: Any) -> None:
    assert indexes.current(), "the indexes are far behind a small store"
    with memory._engine.store.read() as tx:
        live = tx.sql.all(
            "SELECT pk, scope_pk, kind, category, tier, coalesce(session_pk, 0), coalesce(event_time, created_at), "
            "valid_from, valid_until, content, coalesce(speaker, role), tags, metadata FROM record "
            "WHERE retired_at IS NULL ORDER BY pk"
        )
        spaces = tx.sql.all("SELECT pk, dimensions FROM space WHERE state <> 'retired'")
        vectors = tx.sql.all(
            "SELECT v.space_pk, v.record_pk, v.data FROM vector v JOIN record r ON r.pk = v.record_pk "
            "WHERE r.retired_at IS NULL ORDER BY v.record_pk"
        )
        edges = tx.sql.all(
            "SELECT pk, label, weight * confidence, valid_from, valid_until FROM edge WHERE retired_at IS NULL"
        )
        last = max((row[0] for row in live), default=0)
        drawn = {row.pk for row in tx.indexed.records(1, last) if row.drawn}
        members: dict[int, list[tuple[int, str]]] = {}
        for edge_pk, record_pk, role in tx.sql.all("SELECT edge_pk, record_pk, role FROM member"):
            members.setdefault(edge_pk, []).append((record_pk, role))
    _columns_agree(indexes.columns, live)
    _forward_agrees(indexes.forward, live, drawn)
    _graph_agrees(indexes.graph, edges, members)
    everything = indexes.columns.select(scope_pks=None, now=-(2**61))
    holders: dict[str, set[int]] = {}
    for row in live:
        if row[7] is None or row[7] != row[8]:  # what ended when it began is in no selection
            for term in (*terms_of(row[9]), *_labels(row)):
                holders.setdefault(term, set()).add(row[0])
    assert indexes.text.count() == len(live)
    for term, pks in holders.items():
        assert set(indexes.text.search([term], limit=20_000, among=everything).pks.tolist()) == pks, term
    for space_pk, dimensions in spaces:
        own = [(pk, data) for space, pk, data in vectors if space == space_pk]
        index = indexes.vectors.get(space_pk)
        assert (index.count() if index else 0) == len(own)
        if own and index is not None:
            stored = np.array([np.frombuffer(data, dtype=np.float16) for _, data in own], dtype=np.float32)
            assert stored.shape == (len(own), dimensions)
            np.testing.assert_allclose(index.vectors(np.array([pk for pk, _ in own])), stored, atol=8e-3)  # eight bits


def _columns_agree(columns: Any, live: list[tuple[Any, ...]]) -> None:
    early = -(2**61)  # nothing has ended by then, but for what ends when it begins
    live = [row for row in live if row[7] is None or row[7] != row[8]]

    def check(found: Any, expected: set[int], what: str) -> None:
        assert set(found.pks().tolist()) == expected, what
        assert found.count == len(expected), what

    check(columns.select(scope_pks=None, now=early), {row[0] for row in live}, "rows")
    filters = ((1, "scope_pks"), (2, "kinds"), (3, "categories"), (4, "tiers"), (5, "session_pks"))
    for at, name in filters:
        for value in {row[at] for row in live}:
            chosen = {"scope_pks": None, "now": early, name: [value]}
            check(columns.select(**chosen), {row[0] for row in live if row[at] == value}, f"{name} {value!r}")
    for moment in {row[6] for row in live}:
        check(columns.select(scope_pks=None, now=early, after=moment), {r[0] for r in live if r[6] >= moment}, "after")
        check(columns.select(scope_pks=None, now=early, before=moment), {r[0] for r in live if r[6] < moment}, "before")
    for moment in {value for row in live for value in row[7:9] if value is not None}:
        true_then = {
            row[0] for row in live if (row[7] is None or row[7] <= moment) and (row[8] is None or row[8] > moment)
        }
        check(columns.select(scope_pks=None, now=early, as_of=moment), true_then, "as_of")


def _labels(row: tuple[Any, ...]) -> list[str]:
    return label_terms(row[3], row[11], row[12])


def _forward_agrees(forward: Any, live: list[tuple[Any, ...]], drawn: set[int]) -> None:
    """The telling terms of every row by passage, how many rows hold each, who said it, and the turns around it.

    Rows that were drawn from others say nothing of their own: their words are not counted.
    """
    said = {row[0]: [telling(terms_of(passage)) for passage in passages_of(row[9])] for row in live}
    for row in live:
        said[row[0]][-1].extend(_labels(row))
    pks = np.array(sorted(said), dtype=np.int64)
    assert forward.count() == len(live) - len(drawn)
    terms = sorted({term for passages in said.values() for passage in passages for term in passage})
    by_code = dict(zip(forward.term_ids(terms).tolist(), terms, strict=True))
    found: dict[int, list[list[str]]] = {pk: [[] for _ in passages] for pk, passages in said.items()}
    for row, code, number in zip(*(column.tolist() for column in forward.words(pks)[:3]), strict=True):
        found[int(pks[row])][number].append(by_code[code])
    assert found == said
    who = {row[0]: None if row[0] in drawn else row[10] for row in live}
    own = {pk: passages for pk, passages in said.items() if pk not in drawn}
    held = (
        {*(t for passage in passages for t in passage), *terms_of(who[pk] or "")} for pk, passages in own.items()
    )  # a row holds the name of who said it too
    holders = Counter(term for each in held for term in each)
    assert forward.holders(forward.term_ids(terms)).tolist() == [holders[term] for term in terms]
    spoken = sum(len(passage) for passages in own.values() for passage in passages)
    assert forward.length_mean() == max(1.0, spoken / max(1, len(own)))
    codes = forward.spoken_by(pks)
    names = {code: name for name, code in forward.speakers_of(codes).items()}
    assert [names.get(code) for code in codes.tolist()] == [who[row[0]] for row in live]
    turns: dict[int, list[int]] = {}
    for row in live:
        if row[2] == "episodic" and row[5]:
            turns.setdefault(row[5], []).append(row[0])
    before = {later: pk for own in turns.values() for pk, later in pairwise(own)}
    assert forward.before(pks).tolist() == [before.get(pk, 0) for pk in pks.tolist()]
    after = {pk: later for later, pk in before.items()}
    assert forward.after(pks).tolist() == [after.get(pk, 0) for pk in pks.tolist()]


def _graph_agrees(graph: Any, edges: list[tuple[Any, ...]], members: dict[int, list[tuple[int, str]]]) -> None:
    """One hop from every record, along the relations and against them, whenever anything begins or ends."""
    pks = sorted({pk for own in members.values() for pk, _ in own})
    moments = {0, 2**61, *(moment for edge in edges for moment in edge[3:5] if moment is not None)}
    assert graph.count() == len(edges)
    for at in moments:
        out, both = set(), set()
        for pk, label, strength, begin, end in edges:
            if (begin is not None and begin > at) or (end is not None and end <= at):
                continue
            for here, role in members[pk]:
                for there, other in members[pk]:
                    arc = (here, pk, there, float(np.float32(strength)))
                    if here != there:
                        both.add(arc)
                        if rule_of(label).symmetric or (role in ("subject", "cause") and other in ("object", "effect")):
                            out.add(arc)
        for direction, expected in (("both", both), ("out", out)):
            arcs = graph.hop(pks, direction=direction, at=at)
            columns = (arcs.start, arcs.edge, arcs.end, arcs.strength)
            assert set(zip(*(column.tolist() for column in columns), strict=True)) == expected, direction


@contextmanager
def cold(memory: Memory) -> Iterator[None]:
    """Searches inside go to the disk, as they do before the indexes are warm."""
    indexes = memory._engine.indexes
    wait_until(lambda: indexes.warm, "the indexes to warm up")
    indexes.current = lambda: False  # type: ignore[method-assign]
    try:
        yield
    finally:
        del indexes.current
