"""Which record names which entity, in which words.

What a new record names needs no journal: a mention lives and dies with its record. Only when what a record names
changes, because its text did or because two entities turned out to be one, is the old state noted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson

from recollect.model.entity import fold
from recollect.store import changes
from recollect.store.base import Group
from recollect.store.journal import Op
from recollect.store.rows import from_json, to_json

# An alias that a record gave counts as long as the record lives and names the entity; a stated one always does.
ALIAS_COUNTS = (
    "(a.record_pk IS NULL OR EXISTS (SELECT 1 FROM mention given JOIN record r ON r.pk = given.record_pk "
    "AND LIVE(r) WHERE given.record_pk = a.record_pk AND given.entity_pk = a.entity_pk))"
)
_INSERT = "INSERT INTO mention (record_pk, entity_pk, surface) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"


class Mentions(Group):
    """Which record names which entity, and how."""

    def note(self, rows: Iterable[tuple[int, int, str | None]]) -> None:
        """New records name entities: (record, entity, as written)."""
        self.sql.many(_INSERT, rows)

    def learn(self, rows: Iterable[tuple[int, str, int]]) -> None:
        """Records call entities by names that are new for them: (entity, folded name, record)."""
        self.sql.many("INSERT INTO alias (entity_pk, folded, record_pk) VALUES (?, ?, ?)", rows)

    def of_record(self, record_pk: int) -> dict[int, str | None]:
        """The entities that a record names, with the words it uses."""
        return dict(self.sql.all("SELECT entity_pk, surface FROM mention WHERE record_pk = ?", (record_pk,)))

    def replace(self, op: Op, record_pk: int, new: Mapping[int, str | None]) -> None:
        """A record whose text changed names these entities from now on."""
        old = self.of_record(record_pk)
        for entity_pk in sorted(old.keys() | new.keys()):
            if entity_pk not in new:
                self._set(op, record_pk, entity_pk, None)
            elif entity_pk not in old or old[entity_pk] != new[entity_pk]:
                self._set(op, record_pk, entity_pk, {"noted": True, "surface": new[entity_pk]})

    def move(self, op: Op, from_pk: int, to_pk: int, among: Sequence[int] | None = None) -> int:
        """What records (None: all) say of one entity, they say of another from now on; how many there were.

        A record that names both keeps its words for the second. Names learned from these records move along.
        """
        sql, params = "SELECT record_pk, surface FROM mention WHERE entity_pk = ?", [from_pk]
        if among is not None:
            sql, params = f"{sql} AND record_pk IN KEYS(?)", [from_pk, self.sql.keys(among)]
        moving = self.sql.all(f"{sql} ORDER BY record_pk", params)
        for record_pk, surface in moving:
            self._set(op, record_pk, from_pk, None)
            if (
                self.sql.value("SELECT 1 FROM mention WHERE record_pk = ? AND entity_pk = ?", (record_pk, to_pk))
                is None
            ):
                self._set(op, record_pk, to_pk, {"noted": True, "surface": surface})
        self.sql.run(
            "INSERT INTO alias (entity_pk, folded, record_pk) SELECT ?, a.folded, a.record_pk FROM alias a "
            "WHERE a.entity_pk = ? AND a.record_pk IN KEYS(?) AND NOT EXISTS (SELECT 1 FROM alias own "
            "WHERE own.entity_pk = ? AND own.folded = a.folded AND own.record_pk = a.record_pk)",
            (to_pk, from_pk, self.sql.keys([row[0] for row in moving]), to_pk),
        )
        return len(moving)

    def restore(self, op: Op, record_pk: int, entity_pk: int, before: Mapping[str, Any]) -> None:
        """Put one mention back as the journal has it; nothing when the record was erased since."""
        if self.sql.value("SELECT 1 FROM record WHERE pk = ?", (record_pk,)) is not None:
            self._set(op, record_pk, entity_pk, before if before["noted"] else None)

    def _set(self, op: Op, record_pk: int, entity_pk: int, new: Mapping[str, Any] | None) -> None:
        row = self.sql.one("SELECT surface FROM mention WHERE record_pk = ? AND entity_pk = ?", (record_pk, entity_pk))
        before = {"noted": row is not None, "surface": None if row is None else row[0]}
        op.changed("mention", [record_pk], before, other_pk=entity_pk)
        self.sql.run("DELETE FROM mention WHERE record_pk = ? AND entity_pk = ?", (record_pk, entity_pk))
        if new is not None:
            self.sql.run(_INSERT, (record_pk, entity_pk, new["surface"]))

    def names_given(self, record_pks: Sequence[int]) -> dict[int, set[str]]:
        """The entities that these records name, or named in any version, each with the folded names they used.

        Before the journal forgets these records: it alone knows what an earlier text of theirs named.
        """
        keys = self.sql.keys(record_pks)
        rows = self.sql.all(
            "SELECT entity_pk, surface FROM mention WHERE record_pk IN KEYS(?) UNION ALL "
            "SELECT other_pk, JSON_TEXT(before, '$.surface') FROM journal WHERE relation = 'mention' AND "
            "first_pk IN KEYS(?) "
            "UNION ALL SELECT entity_pk, folded FROM alias WHERE record_pk IN KEYS(?)",
            (keys, keys, keys),
        )
        given: dict[int, set[str]] = {}
        for pk, name in rows:
            given.setdefault(pk, set()).update(() if name is None else (fold(name),))
        return given

    def forget(self, given: Mapping[int, set[str]]) -> None:
        """After records were erased: entities that nothing names any more go, and of the others the names only they
        used.

        To be called with what `names_given` said of the erased records. What a record still names, or did in a version
        that an undo can bring back, stays. Not journalled, as an erasure is for good.
        """
        said, gone = self._said(given), []
        for pk in sorted(given):
            row = self.sql.one("SELECT name, aliases FROM entity WHERE pk = ?", (pk,))
            if row is None:
                continue
            if pk not in said:
                gone.append(pk)
                continue
            surfaces = said[pk]
            kept = {fold(name) for name in surfaces if name is not None}
            if None in surfaces:  # named without words of its own, so by all the names it has
                kept |= {fold(name) for name in (row[0], *from_json(row[1], []))}
            unsaid = given[pk] - kept
            self._unname(pk, unsaid, next((name for name in surfaces if name is not None), None))
        gone += self._nameless()
        self._remove(gone)

    def _said(self, pks: Iterable[int]) -> dict[int, dict[str | None, None]]:
        """Of each entity that is named: by which words, the most used first; None stands for none in particular."""
        keys = self.sql.keys(pks)
        rows = self.sql.all(
            "SELECT entity_pk, surface FROM mention WHERE entity_pk IN KEYS(?) GROUP BY 1, 2 ORDER BY count(*) "
            "DESC, 2 NULLS FIRST",
            (keys,),
        )
        rows += self.sql.all(
            "SELECT DISTINCT other_pk, JSON_TEXT(before, '$.surface') FROM journal WHERE relation = 'mention' "
            "AND other_pk IN KEYS(?) AND JSON_TYPE(before, '$.noted') = 'true'",
            (keys,),
        )
        said: dict[int, dict[str | None, None]] = {}
        for pk, surface in rows:
            said.setdefault(pk, {})[surface] = None
        return said

    def _unname(self, pk: int, unsaid: set[str], instead: str | None) -> None:
        """Take names away from an entity and from what the journal says of it; its own is replaced by one in use."""
        name, aliases = self.sql.all("SELECT name, aliases FROM entity WHERE pk = ?", (pk,))[0]
        now = _without({"name": name, "aliases": aliases}, unsaid, instead)
        if now != {"name": name, "aliases": aliases}:
            self.sql.run(
                "UPDATE entity SET name = ?, folded = ?, aliases = ? WHERE pk = ?",
                (now["name"], fold(now["name"]), now["aliases"], pk),
            )
            self.tx.changes.announce("entity", pk, pk)
        listed = orjson.dumps(sorted(unsaid)).decode()
        self.sql.run(
            "DELETE FROM alias WHERE entity_pk = ? AND folded IN (SELECT value FROM EACH_ITEM(?))", (pk, listed)
        )
        images = self.sql.all(
            "SELECT pk, before FROM journal WHERE relation = 'entity' AND before IS NOT NULL AND first_pk = ?", (pk,)
        )
        for image_pk, text in images:
            before = orjson.loads(text)
            image = _without(before, unsaid, instead)
            image.pop("summary", None)  # made of what was said, also by the records that went
            if not image:
                self.sql.run("DELETE FROM journal WHERE pk = ?", (image_pk,))
            elif image != before:
                self.sql.run("UPDATE journal SET before = ? WHERE pk = ?", (orjson.dumps(image).decode(), image_pk))

    def _nameless(self) -> list[int]:
        """Entities that were recognised in texts of which none is left, in no version and no image."""
        rows = self.sql.all(
            "SELECT pk FROM entity e WHERE found = 1 AND NOT EXISTS (SELECT 1 FROM mention m WHERE m.entity_pk = e.pk) "
            "AND pk NOT IN (SELECT other_pk FROM journal WHERE relation = 'mention' AND JSON_TYPE(before, "
            "'$.noted') = 'true') ORDER BY pk"
        )
        return [row[0] for row in rows]

    def _remove(self, pks: Iterable[int]) -> None:
        going = sorted(set(pks))
        keys = self.sql.keys(going)
        self.sql.run(
            "DELETE FROM journal WHERE relation = 'entity' AND first_pk = last_pk AND first_pk IN KEYS(?)", (keys,)
        )
        self.sql.run("DELETE FROM entity WHERE pk IN KEYS(?)", (keys,))
        for first, last in changes.spans(going):
            self.tx.changes.announce("entity", first, last)


def _without(values: dict[str, Any], unsaid: set[str], instead: str | None) -> dict[str, Any]:
    """Columns of an entity, or an image of some, without these names."""
    out = dict(values)
    if instead is not None:
        out |= {"name": instead} if fold(out.get("name") or "") in unsaid else {}
        out |= {"folded": fold(instead)} if out.get("folded") in unsaid else {}
    if out.get("aliases"):
        out["aliases"] = to_json([alias for alias in from_json(out["aliases"], []) if fold(alias) not in unsaid])
    return out
