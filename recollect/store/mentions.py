"""Which record names which entity, in which words.

What a new record names needs no journal: a mention lives and dies with its record. Only when what a record names
changes, because its text did or because two entities turned out to be one, is the old state noted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from recollect.model.entity import fold
from recollect.store.base import Tx
from recollect.store.journal import Op

# An alias that a record gave counts as long as the record lives and names the entity; a stated one always does.
ALIAS_COUNTS = (
    "(a.record_pk IS NULL OR EXISTS (SELECT 1 FROM mention given JOIN record r ON r.pk = given.record_pk "
    "AND r.retired_at IS NULL WHERE given.record_pk = a.record_pk AND given.entity_pk = a.entity_pk))"
)
_INSERT = "INSERT INTO mention (record_pk, entity_pk, surface) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"


def note(tx: Tx, rows: Iterable[tuple[int, int, str | None]]) -> None:
    """New records name entities: (record, entity, as written)."""
    tx.many(_INSERT, rows)


def learn(tx: Tx, rows: Iterable[tuple[int, str, int]]) -> None:
    """Records call entities by names that are new for them: (entity, folded name, record)."""
    tx.many("INSERT INTO alias (entity_pk, folded, record_pk) VALUES (?, ?, ?)", rows)


def of_record(tx: Tx, record_pk: int) -> dict[int, str | None]:
    """The entities that a record names, with the words it uses."""
    return dict(tx.all("SELECT entity_pk, surface FROM mention WHERE record_pk = ?", (record_pk,)))


def replace(tx: Tx, op: Op, record_pk: int, new: Mapping[int, str | None]) -> None:
    """A record whose text changed names these entities from now on."""
    old = of_record(tx, record_pk)
    for entity_pk in sorted(old.keys() | new.keys()):
        if entity_pk not in new:
            _set(tx, op, record_pk, entity_pk, None)
        elif entity_pk not in old or old[entity_pk] != new[entity_pk]:
            _set(tx, op, record_pk, entity_pk, {"noted": True, "surface": new[entity_pk]})


def move(tx: Tx, op: Op, from_pk: int, to_pk: int, among: Sequence[int] | None = None) -> int:
    """What records (None: all) say of one entity, they say of another from now on; how many there were.

    A record that names both keeps its words for the second. Names learned from these records move along.
    """
    sql, params = "SELECT record_pk, surface FROM mention WHERE entity_pk = ?", [from_pk]
    if among is not None:
        sql, params = f"{sql} AND record_pk IN carray(?)", [from_pk, tx.pk_list(among)]
    moving = tx.all(f"{sql} ORDER BY record_pk", params)
    for record_pk, surface in moving:
        _set(tx, op, record_pk, from_pk, None)
        if tx.value("SELECT 1 FROM mention WHERE record_pk = ? AND entity_pk = ?", (record_pk, to_pk)) is None:
            _set(tx, op, record_pk, to_pk, {"noted": True, "surface": surface})
    tx.run(
        "INSERT INTO alias (entity_pk, folded, record_pk) SELECT ?, a.folded, a.record_pk FROM alias a "
        "WHERE a.entity_pk = ? AND a.record_pk IN carray(?) AND NOT EXISTS (SELECT 1 FROM alias own "
        "WHERE own.entity_pk = ? AND own.folded = a.folded AND own.record_pk = a.record_pk)",
        (to_pk, from_pk, tx.pk_list([row[0] for row in moving]), to_pk),
    )
    return len(moving)


def restore(tx: Tx, op: Op, record_pk: int, entity_pk: int, before: Mapping[str, Any]) -> None:
    """Put one mention back as the journal has it; nothing when the record was erased since."""
    if tx.value("SELECT 1 FROM record WHERE pk = ?", (record_pk,)) is not None:
        _set(tx, op, record_pk, entity_pk, before if before["noted"] else None)


def _set(tx: Tx, op: Op, record_pk: int, entity_pk: int, new: Mapping[str, Any] | None) -> None:
    row = tx.one("SELECT surface FROM mention WHERE record_pk = ? AND entity_pk = ?", (record_pk, entity_pk))
    before = {"noted": row is not None, "surface": None if row is None else row[0]}
    op.changed("mention", [record_pk], before, other_pk=entity_pk)
    tx.run("DELETE FROM mention WHERE record_pk = ? AND entity_pk = ?", (record_pk, entity_pk))
    if new is not None:
        tx.run(_INSERT, (record_pk, entity_pk, new["surface"]))


def forget(tx: Tx, entity_pks: Iterable[int]) -> None:
    """After records were erased: entities that nothing names any more go too, and names that only they used.

    To be called with the entities that the erased records named. Not journalled, as an erasure is for good.
    """
    for pk in sorted(set(entity_pks)):
        row = tx.one("SELECT folded, found FROM entity WHERE pk = ?", (pk,))
        if row is None:
            continue
        surfaces = tx.all(
            "SELECT surface, count(*) FROM mention WHERE entity_pk = ? AND surface IS NOT NULL GROUP BY surface "
            "ORDER BY 2 DESC, 1",
            (pk,),
        )
        still_said = {fold(surface) for surface, _ in surfaces}
        aliases = {name for (name,) in tx.all("SELECT folded FROM alias WHERE entity_pk = ?", (pk,))}
        if {row[0], *aliases} <= still_said:
            continue  # no name of it went, so what the journal says of it may stay
        tx.run("DELETE FROM journal WHERE relation = 'entity' AND before IS NOT NULL AND first_pk = ?", (pk,))
        if not surfaces:
            tx.run("DELETE FROM entity WHERE pk = ?", (pk,))
        elif row[1] and row[0] not in still_said:
            name = surfaces[0][0]
            tx.run("UPDATE entity SET name = ?, folded = ? WHERE pk = ?", (name, fold(name), pk))
