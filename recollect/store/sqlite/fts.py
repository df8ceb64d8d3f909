"""The text index on disk: every row's terms in FTS5, written with the row, searched when the one in memory is cold.

FTS5 scores every row that holds any of the words, which takes long for common words; only the rarest of a question
are asked for, since they decide the ranking.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from recollect.store.base import Tx
from recollect.store.criteria import Clause

RARE_TERMS_MAX = 8
ROWS_SCORED_MAX = 20_000  # stop adding terms once this many rows would have to be scored


def configure(tx: Tx) -> None:
    """What the schema sets for a new index: segments merge sixteen at a time, not a little at every write."""
    tx.run("INSERT INTO record_text (record_text, rank) VALUES ('automerge', 0)")


def put(tx: Tx, rows: Iterable[tuple[int, Sequence[str]]]) -> None:
    """Index new rows."""
    tx.many("INSERT INTO record_text (rowid, terms) VALUES (?, ?)", ((pk, " ".join(terms)) for pk, terms in rows))


def replace(tx: Tx, pk: int, terms: Sequence[str]) -> None:
    tx.run("DELETE FROM record_text WHERE rowid = ?", (pk,))
    put(tx, [(pk, terms)])


def drop(tx: Tx, pks: Sequence[int]) -> None:
    tx.run("DELETE FROM record_text WHERE rowid IN carray(?)", (tx.pk_list(pks),))


def purge(tx: Tx) -> None:
    """Rewrite the index so that no term of a dropped row is left in any of its segments."""
    tx.run("INSERT INTO record_text (record_text) VALUES ('optimize')")


def search(tx: Tx, terms: Sequence[str], clause: Clause, *, limit: int) -> list[tuple[int, float]]:
    """(pk, BM25) of the best rows that meet the clause and hold one of the rarer terms."""
    rare = _rarest(tx, terms)
    if not rare or limit <= 0:
        return []
    sql, params = clause
    match = " OR ".join(f'"{term}"' for term in rare)
    rows = tx.all(
        "SELECT f.rowid, -bm25(record_text) AS score FROM record_text f JOIN record r ON r.pk = f.rowid "
        f"WHERE record_text MATCH ? AND {sql} ORDER BY score DESC, f.rowid DESC LIMIT ?",
        [match, *params, limit],
    )
    return [(int(pk), float(score)) for pk, score in rows]


def holders(tx: Tx, terms: Sequence[str]) -> dict[str, int]:
    """In how many rows, past versions included, each of the terms that occur stands; rarest first."""
    if not terms:
        return {}
    marks = ", ".join("?" * len(terms))
    return dict(tx.all(f"SELECT term, doc FROM record_vocabulary WHERE term IN ({marks}) ORDER BY doc", list(terms)))


def unseen(tx: Tx, counted: dict[str, int], clause: Clause) -> set[str]:
    """Which of these counted terms, rarest first, stand in no row that meets the clause.

    Terms of very many rows are not looked at: that others use a common word too tells nothing about them.
    """
    sql, params = clause
    found: set[str] = set()
    rows = 0
    for term, documents in counted.items():
        rows += documents
        if rows > ROWS_SCORED_MAX:
            break
        held = tx.value(
            f"SELECT 1 FROM record_text f JOIN record r ON r.pk = f.rowid WHERE record_text MATCH ? AND {sql} LIMIT 1",
            [f'"{term}"', *params],
        )
        if held is None:
            found.add(term)
    return found


def _rarest(tx: Tx, terms: Sequence[str]) -> list[str]:
    """The terms that occur, rarest first, as many as can be scored in good time; at least one."""
    counted = holders(tx, terms)
    # FTS5 folds a few letters of its own, so a term of another script may be there under another spelling: ask for it.
    chosen = [term for term in terms if term not in counted and not term.isascii()][:RARE_TERMS_MAX]
    rows = 0
    for term, documents in list(counted.items())[: RARE_TERMS_MAX - len(chosen)]:
        rows += documents
        if chosen and rows > ROWS_SCORED_MAX:
            break
        chosen.append(term)
    return chosen
