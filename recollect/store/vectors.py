"""Embedding spaces and their vectors: rows, not search.

A space belongs to one model. Vectors are kept as half-precision floats: for unit vectors the error of a cosine is
below 1e-3, and the file is half the size. Those of single sentences, of which there are several times as many, are kept
as bytes with a scale each: there the error is below 1e-2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.errors import DimensionMismatch
from recollect.store import changes
from recollect.store.base import Group
from recollect.store.journal import Op
from recollect.store.sealed import WITHHELD

_DTYPES = {"f16": np.float16, "f32": np.float32}
_STEPS = 127.0  # on each side of zero, of a number that is kept as a byte
_SCALE_MIN = 1e-12  # a row of zeros has no scale of its own
_SCALE_BYTES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """One model's vectors. `building` ones are filled in the background and searched as far as they go."""

    pk: int
    name: str
    dimensions: int
    dtype: str
    state: str

    def encode_all(self, rows: NDArray[np.float32]) -> list[bytes]:
        """What is stored of each row."""
        if rows.shape[1:] != (self.dimensions,):
            raise DimensionMismatch(
                f"space {self.name!r} holds vectors of {self.dimensions} numbers, these have {rows.shape[1:]}; "
                "the embedder changed: give it another name"
            )
        return [row.tobytes() for row in rows.astype(_DTYPES[self.dtype])]

    def encode(self, vector: NDArray[np.float32]) -> bytes:
        """What is stored of one vector."""
        return self.encode_all(vector[None, :])[0]

    def decode(self, blobs: Sequence[bytes]) -> NDArray[np.float32]:
        """One float32 row per blob."""
        flat = np.frombuffer(b"".join(blobs), dtype=_DTYPES[self.dtype])
        return flat.reshape(len(blobs), self.dimensions).astype(np.float32)

    def encode_sentences(self, rows: NDArray[np.float32]) -> bytes:
        """What is stored of the vectors of one record's sentences: their scales, then their bytes."""
        assert rows.shape[1:] == (self.dimensions,)
        scales = np.maximum(np.abs(rows).max(axis=1, initial=0.0) / _STEPS, _SCALE_MIN).astype("<f4")
        steps: bytes = np.rint(rows / scales[:, None]).astype(np.int8).tobytes()
        return bytes(scales.tobytes()) + steps


class SentenceVectors(NamedTuple):
    """Vectors of the sentences of several records: of each record in the order of its text, in ascending order."""

    pks: NDArray[np.int64]  # whose sentence each row is
    rows: NDArray[np.float32]


_SELECT = "SELECT pk, name, dimensions, dtype, state FROM space"
_SAID = f"NOT {WITHHELD}"  # what only stands for what is sealed has no vector here


class Vectors(Group):
    """Vectors of records, by space."""

    def spaces(self) -> list[Space]:
        """Every space that is searched: active first, then those being built."""
        return [_space_of(row) for row in self.sql.all(f"{_SELECT} WHERE state <> 'retired' ORDER BY state, pk")]

    def find_space(self, name: str) -> Space | None:
        row = self.sql.one(f"{_SELECT} WHERE name = ?", (name,))
        return _space_of(row) if row else None

    def ensure_space(self, name: str, dimensions: int, *, at: int) -> Space:
        """The space of a model. The first one is active; a further one is building until `reembed` has filled it."""
        found = self._sound(name, dimensions)
        if found is None:
            state = "building" if self.sql.value("SELECT 1 FROM space WHERE state = 'active'") else "active"
            self.sql.run(
                "INSERT INTO space (name, dimensions, state, created_at) VALUES (?, ?, ?, ?)",
                (name, dimensions, state, at),
            )
            found = self.find_space(name)
            assert found is not None
        if found.state == "retired":
            self.sql.run("UPDATE space SET state = 'building' WHERE pk = ?", (found.pk,))
            return Space(pk=found.pk, name=name, dimensions=dimensions, dtype=found.dtype, state="building")
        return found

    def check_dimensions(self, name: str, dimensions: int) -> None:
        """Refuse a model that kept its name but changed its vectors: they must never meet."""
        self._sound(name, dimensions)

    def _sound(self, name: str, dimensions: int) -> Space | None:
        found = self.find_space(name)
        if found is not None and found.dimensions != dimensions:
            raise DimensionMismatch(
                f"{name!r} now gives {dimensions} numbers a vector, the store has {found.dimensions} from it; "
                "give the changed model another name"
            )
        return found

    def promote(self, *space_pks: int) -> None:
        """Make filled spaces the active ones; all others are retired, their vectors dropped."""
        old = [
            row[0] for row in self.sql.all("SELECT pk FROM space WHERE state <> 'retired'") if row[0] not in space_pks
        ]
        for pk in space_pks:
            self.sql.run("UPDATE space SET state = 'active' WHERE pk = ?", (pk,))
        for pk in old:
            self.sql.run("UPDATE space SET state = 'retired' WHERE pk = ?", (pk,))
            self.sql.run("DELETE FROM vector WHERE space_pk = ?", (pk,))
            self.sql.run("DELETE FROM sentence_vectors WHERE space_pk = ?", (pk,))

    def put(
        self,
        space: Space,
        rows: Sequence[tuple[int, bytes]],
        *,
        sentences: Mapping[int, bytes] | None = None,
        announce: bool = True,
    ) -> None:
        """Store encoded vectors (ascending pks) and, unless the records themselves are new, tell the feed.

        `sentences` are those of records among them, encoded; a record whose sentences are not given has none any more.
        """
        if not rows:
            return
        self.sql.many(
            "INSERT INTO vector (space_pk, record_pk, data) VALUES (?, ?, ?) "
            "ON CONFLICT (space_pk, record_pk) DO UPDATE SET data = excluded.data",
            ((space.pk, pk, data) for pk, data in rows),
        )
        if sentences is not None:
            self.sql.run(
                "DELETE FROM sentence_vectors WHERE space_pk = ? AND record_pk IN KEYS(?)",
                (space.pk, self.sql.keys([pk for pk, _ in rows])),
            )
            self.sql.many(
                "INSERT INTO sentence_vectors (space_pk, record_pk, data) VALUES (?, ?, ?)",
                ((space.pk, pk, sentences[pk]) for pk, _ in rows if pk in sentences),
            )
        if announce:
            for first, last in changes.spans([pk for pk, _ in rows]):
                self.tx.changes.announce("vector", first, last, space.pk)

    def sentences(self, space: Space, pks: Iterable[int]) -> SentenceVectors:
        """The vectors of the sentences of these records; of one with a single sentence there are none."""
        found = self.sql.all(
            "SELECT record_pk, data FROM sentence_vectors WHERE space_pk = ? AND record_pk IN KEYS(?) "
            "ORDER BY record_pk",
            (space.pk, self.sql.keys(pks)),
        )
        each = _SCALE_BYTES + space.dimensions
        found = [(pk, data) for pk, data in found if len(data) % each == 0]  # others came with a damaged file
        counts = [len(data) // each for _, data in found]
        cut = [count * _SCALE_BYTES for count in counts]
        scales = np.frombuffer(b"".join(data[:at] for (_, data), at in zip(found, cut, strict=True)), dtype="<f4")
        steps = np.frombuffer(b"".join(data[at:] for (_, data), at in zip(found, cut, strict=True)), dtype=np.int8)
        rows = steps.reshape(-1, space.dimensions).astype(np.float32)
        rows *= scales[:, None]
        owners = np.fromiter((pk for pk, _ in found), dtype=np.int64, count=len(found))
        return SentenceVectors(owners.repeat(counts), rows)

    def replace(self, op: Op, record_pk: int, new: dict[int, bytes]) -> None:
        """Give a revised record its new vectors and note the old ones; spaces without a new one lose theirs."""
        held = self.sql.all("SELECT space_pk FROM vector WHERE record_pk = ?", (record_pk,))
        for space_pk in sorted({row[0] for row in held} | new.keys()):
            self._note(op, space_pk, record_pk)
            self.write(space_pk, record_pk, new.get(space_pk))

    def _note(self, op: Op, space_pk: int, record_pk: int) -> None:
        """Note in the journal what a record has in a space."""
        data: bytes | None = self.sql.value(
            "SELECT data FROM vector WHERE space_pk = ? AND record_pk = ?", (space_pk, record_pk)
        )
        sentences: bytes | None = self.sql.value(
            "SELECT data FROM sentence_vectors WHERE space_pk = ? AND record_pk = ?", (space_pk, record_pk)
        )
        image = {"data": None if data is None else data.hex()}
        if sentences is not None:
            image["sentences"] = sentences.hex()
        op.changed("vector", [record_pk], image, other_pk=space_pk)

    def restore(self, op: Op, space_pk: int, record_pk: int, image: Mapping[str, str | None]) -> None:
        """Give a record the vectors that the journal noted, and note those it has."""
        self._note(op, space_pk, record_pk)
        data, sentences = (
            None if image.get(name) is None else bytes.fromhex(str(image[name])) for name in ("data", "sentences")
        )
        self.write(space_pk, record_pk, data, sentences)

    def write(self, space_pk: int, record_pk: int, data: bytes | None, sentences: bytes | None = None) -> None:
        """Set or drop one record's vector, and those of its sentences, and tell the feed."""
        for table, value in (("vector", data), ("sentence_vectors", sentences)):
            self.sql.run(f"DELETE FROM {table} WHERE space_pk = ? AND record_pk = ?", (space_pk, record_pk))
            if value is not None:
                self.sql.run(
                    f"INSERT INTO {table} (space_pk, record_pk, data) VALUES (?, ?, ?)", (space_pk, record_pk, value)
                )
        self.tx.changes.announce("vector", record_pk, record_pk, space_pk)

    def load(self, space: Space, pks: Iterable[int]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Keys and vectors, in ascending order, of those that have one."""
        return _stack(
            space,
            self.sql.all(
                "SELECT record_pk, data FROM vector WHERE space_pk = ? AND record_pk IN KEYS(?) ORDER BY record_pk",
                (space.pk, self.sql.keys(pks)),
            ),
        )

    def load_span(self, space: Space, first_pk: int, last_pk: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Keys and vectors of live current records in a span of keys."""
        return _stack(
            space,
            self.sql.all(
                "SELECT v.record_pk, v.data FROM vector v JOIN record r ON r.pk = v.record_pk "
                "WHERE v.space_pk = ? AND v.record_pk BETWEEN ? AND ? AND LIVE(r) ORDER BY v.record_pk",
                (space.pk, first_pk, last_pk),
            ),
        )

    def without_vector(self, space: Space, *, limit: int, after_pk: int = 0) -> list[tuple[int, str]]:
        """(pk, content) of live records that this space does not hold yet."""
        rows = self.sql.all(
            f"SELECT r.pk, r.content FROM record r WHERE r.pk > ? AND LIVE(r) AND {_SAID} AND NOT EXISTS "
            "(SELECT 1 FROM vector v WHERE v.space_pk = ? AND v.record_pk = r.pk) ORDER BY r.pk LIMIT ?",
            (after_pk, space.pk, limit),
        )
        return [(int(pk), str(content)) for pk, content in rows]

    def given(self, span: tuple[int, int] | None = None) -> list[tuple[int, str]]:
        """The vectors that callers gave their live records as an attribute, as text: of all, or of a span of keys."""
        where, params = ("1 = 1", ()) if span is None else ("r.pk BETWEEN ? AND ?", span)
        rows = self.sql.all(
            "SELECT r.pk, JSON_TEXT(r.attributes, '$.embedding') FROM record r WHERE HEAD(r) AND LIVE(r) "
            f"AND r.tier <> 'archive' AND JSON_TYPE(r.attributes, '$.embedding') = 'text' AND {where} "
            "ORDER BY r.pk",
            params,
        )
        return [(row[0], row[1]) for row in rows]

    def coverage(self, space: Space) -> tuple[int, int]:
        """(live records with a vector in this space, live records)."""
        have = self.sql.value(
            "SELECT count(*) FROM vector v JOIN record r ON r.pk = v.record_pk WHERE v.space_pk = ? AND LIVE(r)",
            (space.pk,),
        )
        return int(have), int(self.sql.value(f"SELECT count(*) FROM record r WHERE LIVE(r) AND {_SAID}"))

    def exchange(self, op: Op, space: Space, record_pk: int, data: bytes) -> bool:
        """Put another vector in the place of a record's own; False if it has none."""
        sql = "SELECT 1 FROM vector WHERE space_pk = ? AND record_pk = ?"
        if self.sql.value(sql, (space.pk, record_pk)) is None:
            return False
        self._note(op, space.pk, record_pk)
        self.write(space.pk, record_pk, data)
        return True


def _stack(space: Space, rows: list[tuple[int, bytes]]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    pks = np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))
    return pks, space.decode([row[1] for row in rows])


def _space_of(row: Sequence[object]) -> Space:
    pk, name, dimensions, dtype, state = row
    return Space(pk=int(str(pk)), name=str(name), dimensions=int(str(dimensions)), dtype=str(dtype), state=str(state))
