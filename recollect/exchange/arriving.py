"""Rows of a file on their way into a store: how each comes in, where it is then, and what came of it so far.

What a store works out of such rows is made anew: terms, the sense of statements, and the work that is left for later.
"""

from __future__ import annotations

import hashlib
import uuid
from array import array
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from recollect.exchange.private_lines import ORIGINALS
from recollect.ingest.embedding import EMBED_JOB
from recollect.ingest.requests import request_reading
from recollect.model.columns import COLUMNS, RecordRow, SealedBox
from recollect.model.scope import DIMENSIONS, Scope
from recollect.store import changes, records
from recollect.store.base import Tx
from recollect.store.journal import Op
from recollect.store.rows import content_hash

CONFLICTS_SHOWN = 20
_KEYED = ("scope", "session", "record", "entity", "edge", "space")
Rows = Sequence[dict[str, Any]]
Sealing = Callable[[Mapping[str, Any], Mapping[str, Any]], tuple[SealedBox, dict[str, Any]]]
_NO_KEY = 2**62  # above any
_SESSION_COLUMNS = ("id", "started_at", "last_turn_at", "consolidated_at", "attributes")
_REFERRED = (("session_pk", "session"), ("head_pk", "record"), ("turn_pk", "record"))


@dataclass(slots=True)
class ArrivedRows:
    """Rows of one table of the file by their keys, and where they are in the store. Negative: it was there before."""

    keys: array[int] = field(default_factory=lambda: array("q"))
    pks: array[int] = field(default_factory=lambda: array("q"))

    def add(self, key: int, pk: int) -> None:
        self.keys.append(key)
        self.pks.append(pk)

    def pk(self, key: int | None) -> int | None:
        """The row, whether it is new or not."""
        found = self._at(key)
        return None if found is None else abs(found)

    def new(self, key: int | None) -> int | None:
        """The row, if it came in with this import."""
        found = self._at(key)
        return found if found is not None and found > 0 else None

    def up_to(self, key: int) -> int:
        """The last row that came in with a key up to this one; 0 for none."""
        at = bisect_right(self.keys, key) - 1
        while at >= 0 and self.pks[at] < 0:
            at -= 1
        return self.pks[at] if at >= 0 else 0

    def cut(self, count: int) -> None:
        del self.keys[count:], self.pks[count:]

    def _at(self, key: int | None) -> int | None:
        if key is None:
            return None
        at = bisect_right(self.keys, key) - 1
        return self.pks[at] if at >= 0 and self.keys[at] == key else None


@dataclass(slots=True, kw_only=True)
class Merged:
    """What an import did."""

    operation: str | None = None
    records: int = 0
    versions: int = 0
    unchanged: int = 0
    edges: int = 0
    entities: int = 0
    sessions: int = 0
    conflicts: list[str] = field(default_factory=list)
    conflict_count: int = 0
    circles: int = 0

    @property
    def nothing(self) -> bool:
        return not (self.records or self.versions or self.edges or self.entities or self.sessions)


class Mark(NamedTuple):
    """How far a new session or scope was gone over, in keys of the file."""

    table: str
    pk: int
    consolidated_to: int
    asked_to: int


@dataclass(slots=True, kw_only=True)
class Came:
    """Rows that an interrupted import of the same file has stored: they are to be completed, not left alone."""

    records: list[tuple[int, int]] = field(default_factory=list)  # spans of keys, ascending
    edges: list[tuple[int, int]] = field(default_factory=list)

    def has(self, spans: list[tuple[int, int]], pk: int) -> bool:
        at = bisect_right(spans, (pk, 2**63)) - 1
        return at >= 0 and pk <= spans[at][1]


@dataclass(slots=True, kw_only=True)
class Arriving:
    """One import under way. Everything lands inside the scope `inside`; `bound`, exactly in it."""

    inside: Scope
    bound: bool
    sealed: Sealing
    came: Came | None = None
    rows: dict[str, ArrivedRows] = field(default_factory=lambda: {name: ArrivedRows() for name in _KEYED})
    marks: list[Mark] = field(default_factory=list)
    turns: list[tuple[int, int]] = field(default_factory=list)  # statements before their turns: (pk, key of the turn)
    edges_before: int = 0  # the newest keys of the store when it began
    entities_before: int = 0
    differing: set[int] | None = None  # of a file nobody vouches for: its records that say something else here
    bereft: set[int] = field(default_factory=set)  # relations that lost a member, by their keys in the file
    out: Merged = field(default_factory=Merged)

    def put_by(self) -> Callable[[], None]:
        """What brings back the state of now: a transaction may be tried again, and must not find itself half done."""
        counts = {name: len(known.keys) for name, known in self.rows.items()}
        marks, turns, out = len(self.marks), len(self.turns), deepcopy(self.out)

        def back() -> None:
            for name, known in self.rows.items():
                known.cut(counts[name])
            del self.marks[marks:], self.turns[turns:]
            self.out = deepcopy(out)

        return back

    def pk(self, table: str, key: int | None) -> int | None:
        return self.rows[table].pk(key)

    def new(self, table: str, key: int | None) -> int | None:
        return self.rows[table].new(key)

    def came_before(self, table: str, pk: int) -> bool:
        """Whether a row that is here came with the part of this import that was stored before."""
        if self.came is None:
            return False
        return table == "entity" or self.came.has(self.came.records if table == "record" else self.came.edges, pk)

    def free_id(self, tx: Tx, table: str, row: dict[str, Any]) -> str:
        """The id of a row, or one made of it, if that is taken by something not seen from here: nobody learns of it."""
        given: str = row["id"]
        if not self.bound:
            return given
        scope_pk = tx.arrivals.scope_of_id(table, given)
        if scope_pk is None or scope_pk in (tx.scopes.visible(self.inside) or []):
            return given
        return derived_id(self.inside.key, given)


def take_scopes(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    for row in rows:
        own = {} if state.bound else dict(scope_of(row).items())
        scope = Scope(**own | dict(state.inside.items()))
        known = tx.scopes.find(scope)
        pk = tx.scopes.ensure(scope)
        state.rows["scope"].add(row["pk"], pk)
        if known is None or _came_before(state, tx, "scope", pk):
            state.marks.append(Mark("scope", pk, row.get("consolidated_to", 0), 0))
    return 0


def take_sessions(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    for row in rows:
        scope_pk = state.pk("scope", row["scope_pk"])
        found = tx.arrivals.session(row["id"], scope_pk)
        if found is not None:
            state.rows["session"].add(row["pk"], -found)
            if _came_before(state, tx, "session", found):
                state.marks.append(Mark("session", found, row.get("consolidated_to", 0), row.get("asked_to", 0)))
            continue
        own = {name: row[name] for name in _SESSION_COLUMNS if name in row}
        pk = tx.arrivals.insert_one("session", own | {"scope_pk": scope_pk})
        state.rows["session"].add(row["pk"], pk)
        state.marks.append(Mark("session", pk, row.get("consolidated_to", 0), row.get("asked_to", 0)))
        state.out.sessions += 1
    return 0


def _came_before(state: Arriving, tx: Tx, table: str, pk: int) -> bool:
    """Whether a scope or session holds nothing but what the interrupted part of this import brought."""
    if state.came is None:
        return False
    first = state.came.records[0][0] if state.came.records else _NO_KEY
    return not tx.arrivals.any_record_before(table, pk, first)


def take_records(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    """Records that are not there yet, and the versions of those; how many records there were."""
    first = tx.arrivals.next_key("record")
    fresh: list[dict[str, Any]] = []
    for row in rows:
        found = _settled(state, tx, row)
        if found is None:
            found = first + len(fresh)
            fresh.append(_placed(state, row, found))
            state.rows["record"].add(row["pk"], found)
        else:
            state.rows["record"].add(row["pk"], found if state.came_before("record", found) else -found)
    if not fresh:
        return 0
    seal_rows(tx, fresh, state.sealed)
    tx.arrivals.insert("record", fresh)
    index_records(tx, [(row["pk"], row) for row in fresh])
    op.inserted("record", first, first + len(fresh) - 1)
    tx.changes.announce("record", first, first + len(fresh) - 1)
    heads = sum(row.get("head_pk") is None for row in fresh)
    state.out.records += heads
    state.out.versions += len(fresh) - heads
    return heads


def _placed(state: Arriving, row: dict[str, Any], pk: int) -> dict[str, Any]:
    """The row under its new key, with the keys here of all it refers to."""
    placed = row | {
        "pk": pk,
        "scope_pk": state.pk("scope", row["scope_pk"]),
        "content_hash": content_hash(row["content"]),
    }
    for name, table in _REFERRED:
        if row.get(name) is not None:
            placed[name] = state.pk(table, row[name])
    if row.get("turn_pk") is not None and placed["turn_pk"] is None:
        state.turns.append((pk, row["turn_pk"]))
    return placed


def _settled(state: Arriving, tx: Tx, row: dict[str, Any]) -> int | None:
    """The row of the store that stands for one of the file, which is then not stored."""
    if row.get("head_pk") is not None:
        return _settled_version(state, tx, row)
    row["id"] = state.free_id(tx, "record", row)
    found = tx.arrivals.held_record(row["id"])
    if found is None or state.came_before("record", found.pk):
        return None if found is None else found.pk
    if (found.content, found.version) == (row["content"], row["version"]):
        state.out.unchanged += 1
    else:
        if state.differing is not None:
            state.differing.add(row["pk"])
        state.out.conflict_count += 1
        state.out.conflicts += [row["id"]] if len(state.out.conflicts) < CONFLICTS_SHOWN else []
    return found.pk


def _settled_version(state: Arriving, tx: Tx, row: dict[str, Any]) -> int | None:
    """Versions come with their record; of one that was here before, only those that an interruption left out."""
    head = state.pk("record", row["head_pk"])
    row["id"] = tx.arrivals.record_id(head) or row["id"]
    there = tx.arrivals.held_version(head, row["version"], row["content"])
    if there is not None:
        return there
    return None if state.new("record", row["head_pk"]) is not None else head


def take_gaps(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    new = [row | {"record_pk": state.new("record", row["record_pk"])} for row in rows]
    tx.arrivals.insert("gap", [row for row in new if row["record_pk"] is not None], again=True)
    return 0


def take_before(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    """What was thought before of records that are new here."""
    new = [row | {"record_pk": state.new("record", row["record_pk"])} for row in rows]
    tx.arrivals.insert("record_before", [row for row in new if row["record_pk"] is not None], again=True)
    return 0


def take_feedback(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    """What people said about records that came in counts as long as this import holds."""
    for row in rows:
        pk = state.new("record", row["record_pk"])
        if pk is not None and not tx.arrivals.judged(pk, op, row["at"], row["terms"]):
            tx.arrivals.insert("feedback", [row | {"record_pk": pk, "operation_pk": op.pk}])
    return 0


def take_spaces(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    """Vectors are taken over where this store has the same model's; never from whoever does not own the store."""
    for row in [] if state.bound else rows:
        space = tx.vectors.find_space(row["name"])
        if space is not None and (space.dimensions, space.dtype) == (row["dimensions"], row["dtype"]):
            state.rows["space"].add(row["pk"], space.pk)
    return 0


def take_vectors(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    tx.arrivals.insert("vector", _vectors_placed(state, rows), again=True)
    return 0


def take_sentence_vectors(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    tx.arrivals.insert("sentence_vectors", _vectors_placed(state, rows), again=True)
    return 0


def _vectors_placed(state: Arriving, rows: Rows) -> Rows:
    """Rows of vectors by the keys that their space and their record have here; those without both are left out."""
    found = [
        row | {"space_pk": state.pk("space", row["space_pk"]), "record_pk": state.new("record", row["record_pk"])}
        for row in rows
    ]
    return [row for row in found if row["space_pk"] is not None and row["record_pk"] is not None]


def take_entities(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    for row in rows:
        scope_pk = state.pk("scope", row["scope_pk"])
        id_ = state.free_id(tx, "entity", row)
        found = tx.arrivals.entity(row | {"id": id_}, scope_pk, up_to_pk=state.entities_before)
        if found is not None:
            state.rows["entity"].add(row["pk"], found if state.came_before("entity", found) else -found)
            continue
        own = row | {"id": id_, "scope_pk": scope_pk}
        del own["pk"]
        pk = tx.arrivals.insert_one("entity", own)
        state.rows["entity"].add(row["pk"], pk)
        _move_origin(state, tx, pk)
        if not row.get("found"):  # what was recognised in texts is there as long as they are
            op.inserted("entity", pk, pk)
        tx.changes.announce("entity", pk, pk)
        state.out.entities += 1
    return 0


def _move_origin(state: Arriving, tx: Tx, pk: int) -> None:
    """An entity that was split off another remembers which one; here that one has another key."""
    came_from = tx.arrivals.split_from(pk)
    if came_from is not None:
        origin = state.pk("entity", came_from if isinstance(came_from, int) else None)
        tx.arrivals.set_split_from(pk, origin)


def take_aliases(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    for row in rows:
        named_by, entity_pk = row.get("record_pk"), state.pk("entity", row["entity_pk"])
        learned = named_by is not None and state.new("record", named_by) is not None
        if learned or (named_by is None and state.new("entity", row["entity_pk"]) is not None):
            tx.arrivals.alias(entity_pk, row["folded"], state.pk("record", named_by))
    return 0


def take_mentions(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    new = [
        {
            "record_pk": state.new("record", row["record_pk"]),
            "entity_pk": state.pk("entity", row["entity_pk"]),
            "surface": row.get("surface"),
        }
        for row in rows
    ]
    tx.arrivals.insert("mention", [row for row in new if row["record_pk"] is not None], again=True)
    return 0


def take_edges(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    """Relations that are not there yet; their members come after them."""
    first = tx.arrivals.next_key("edge")
    fresh: list[dict[str, Any]] = []
    for row in rows:
        id_ = derived_id(state.inside.key, row["id"]) if _is_hidden(state, tx, row["id"]) else row["id"]
        found = tx.arrivals.edge(id_)
        if found is not None:
            state.rows["edge"].add(row["pk"], found if state.came_before("edge", found) else -found)
            continue
        state.rows["edge"].add(row["pk"], first + len(fresh))
        fresh.append(row | {"pk": first + len(fresh), "id": id_})
    if fresh:
        tx.arrivals.insert("edge", fresh)
        op.inserted("edge", first, first + len(fresh) - 1)
        state.out.edges += len(fresh)
    return 0


def take_edges_before(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    """What was thought before of relations that are new here."""
    new = [row | {"edge_pk": state.new("edge", row["edge_pk"])} for row in rows]
    tx.arrivals.insert("edge_before", [row for row in new if row["edge_pk"] is not None], again=True)
    return 0


def _is_hidden(state: Arriving, tx: Tx, edge_id: str) -> bool:
    """Whether the id is taken by a relation that is not seen from here."""
    if not state.bound:
        return False
    return tx.arrivals.edge_is_hidden(edge_id, tx.scopes.visible(state.inside) or [])


def take_members(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    """Members of relations that are new here. A file nobody vouches for relates nothing to what it contradicts."""
    if state.differing:
        state.bereft |= {row["edge_pk"] for row in rows if row["record_pk"] in state.differing}
        rows = [row for row in rows if row["record_pk"] not in state.differing]
    found = [
        row | {"edge_pk": state.new("edge", row["edge_pk"]), "record_pk": state.pk("record", row["record_pk"])}
        for row in rows
    ]
    new = [row for row in found if row["edge_pk"] is not None]
    tx.arrivals.insert("member", new, again=True)
    for first, last in changes.spans(sorted({row["edge_pk"] for row in new})):
        tx.changes.announce("edge", first, last)
    return 0


def seal_rows(tx: Tx, rows: Rows, sealed: Sealing) -> None:
    """Give rows that show less than they said a box with the rest, now that they have their ids."""
    boxes = []
    for row in rows:
        originals = row.pop(ORIGINALS, None)
        if originals:
            box, columns = sealed(row, originals)
            row.update(columns)
            boxes.append(box)
    if boxes:
        tx.sealed.put(boxes)


def derived_id(*parts: str) -> str:
    """A UUID made of texts, so that an import that is run again finds what it stored."""
    data = hashlib.blake2b("\0".join(parts).encode(), digest_size=16).digest()
    return str(uuid.UUID(bytes=data, version=4))


def index_records(tx: Tx, rows: Sequence[tuple[int, Mapping[str, Any]]]) -> None:
    """Make records that were just inserted findable by their words, and known by what they say."""
    from recollect.ingest.dedupe import note_text  # reads tables of words

    tx.text.put(((pk, records.searched_terms(row)) for pk, row in rows))
    for pk, row in rows:
        if row.get("head_pk") is None and row.get("retired_at") is None:
            note_text(tx, pk, _as_row(row))


def request_work(tx: Tx, *, now: int) -> None:
    """Have vectors made, and what was never read read."""
    tx.jobs.enqueue_once(EMBED_JOB, now=now)
    if tx.arrivals.any_unread():
        request_reading(tx, now=now)


def scope_of(row: Mapping[str, Any]) -> Scope:
    """The scope that a line names."""
    return Scope(**{name: row.get(name) for name in DIMENSIONS})


def _as_row(row: Mapping[str, Any]) -> RecordRow:
    return RecordRow(**{name: value for name, value in row.items() if name in _NAMES})


_NAMES = frozenset(COLUMNS)
