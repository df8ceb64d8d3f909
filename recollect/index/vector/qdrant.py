"""Vectors in Qdrant: inside this process, or on a server that others run.

What is sent to a server is vectors and numbers of rows, no text. The collection is this process's own and goes when it
ends; one that a killed process left is removed by the next on the same machine.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from recollect.errors import ProviderUnavailable
from recollect.index.base import Pks, Scored, Selection
from recollect.index.vector.filtering import hunted
from recollect.index.vector.flat import NOTHING, Vectors, best, last_of_each, unit

_SENT_AT_ONCE = 256
_NARROW = 2_000  # keys of allowed rows that are handed to the query
_FETCH_MAX = 10_000
_METRICS = {"cosine": "COSINE", "dot": "DOT", "l2": "EUCLID"}


class QdrantVectors:
    """The back end `qdrant`. One thread applies, any thread searches. `ProviderUnavailable`: no server answers."""

    def __init__(self, dimensions: int, *, precision: str, metric: str, url: str, name: str) -> None:
        """Without `url` the collection lives in this process. `name` tells the spaces of stores apart."""
        client, self._models = _library()
        self._dimensions, self._metric = dimensions, metric
        self._client = client(url=url, check_compatibility=False) if url else client(":memory:")
        mine = f"recollect-{_digest(socket.gethostname())}-{_digest(name)}-"
        self._name = f"{mine}{os.getpid()}-{id(self):x}"
        with _reaching(url):
            self._drop_left(mine)
            self._client.create_collection(
                self._name,
                vectors_config=self._models.VectorParams(
                    size=dimensions,
                    distance=getattr(self._models.Distance, _METRICS[metric]),
                    datatype={"f32": "float32", "f16": "float16"}[precision],
                ),
                quantization_config=None,
            )
        self._url = url
        self._held: set[int] = set()

    def _drop_left(self, mine: str) -> None:
        """Remove collections of processes of this machine that are no more."""
        for each in self._client.get_collections().collections:
            if each.name.startswith(mine) and not _alive(int(each.name.removeprefix(mine).partition("-")[0])):
                self._client.delete_collection(each.name)

    @property
    def dimensions(self) -> int:
        return self._dimensions

    def count(self) -> int:
        return len(self._held)

    def apply(self, puts: tuple[Pks, Vectors] | None, deletes: Sequence[int]) -> None:
        pks, vectors = last_of_each(puts, self._dimensions)
        coming = pks.tolist()
        leaving = [pk for pk in set(deletes).difference(coming) if pk in self._held]
        with _reaching(self._url):
            if leaving:
                chosen = self._models.PointIdsList(points=leaving)
                self._client.delete(self._name, points_selector=chosen, wait=True)
                self._held.difference_update(leaving)
            for start in range(0, len(coming), _SENT_AT_ONCE):
                ids, rows = coming[start : start + _SENT_AT_ONCE], vectors[start : start + _SENT_AT_ONCE]
                batch = self._models.Batch(ids=ids, vectors=rows.tolist())
                self._client.upsert(self._name, points=batch, wait=True)
                self._held.update(ids)

    def search(self, query: Vectors, *, limit: int, among: Selection) -> Scored:
        direction = unit(query)
        if direction is None or limit <= 0 or not among.count or not self._held:
            return NOTHING
        narrow = among.count < among.total and among.count <= _NARROW
        return hunted(
            limit,
            among,
            nearest=partial(self._nearest, direction),
            compared=partial(self._compared, direction, limit),
            worth=lambda fetch: not narrow and fetch <= min(_FETCH_MAX, len(self._held)),
        )

    def _nearest(self, direction: Vectors, count: int, among: Any = None) -> Scored:
        with _reaching(self._url):
            points = self._client.query_points(
                self._name, query=direction.tolist(), limit=count, query_filter=among, with_payload=False
            ).points
        pks = np.array([point.id for point in points], dtype=np.int64)
        scores = np.array([point.score for point in points], dtype=np.float32)
        near = 1.0 - scores**2 / 2 if self._metric == "l2" else scores
        return best(pks, np.asarray(near, dtype=np.float32), count)

    def _compared(self, direction: Vectors, limit: int, pks: Pks | None) -> Scored:
        if pks is None:
            return self._nearest(direction, min(limit, len(self._held)))
        among = self._models.Filter(must=[self._models.HasIdCondition(has_id=pks.tolist())])
        return self._nearest(direction, min(limit, len(pks)), among)

    def vectors(self, pks: Pks) -> Vectors:
        out = np.zeros((len(pks), self._dimensions), dtype=np.float32)
        wanted = [pk for pk in pks.tolist() if pk in self._held]
        if wanted:
            with _reaching(self._url):
                found = self._client.retrieve(self._name, ids=wanted, with_vectors=True, with_payload=False)
            rows = {point.id: point.vector for point in found}
            for at, pk in enumerate(pks.tolist()):
                if pk in rows:
                    out[at] = rows[pk]
        return out

    def relieve(self) -> None: ...

    def close(self) -> None:
        with suppress(Exception):  # a server that is gone keeps nothing we could remove now
            self._client.delete_collection(self._name)
        self._client.close()

    def save(self, path: Path, *, space: str, watermark: int) -> bool:
        return False


class _reaching:  # noqa: N801 - reads as a word where it is used
    """What the library raises when no server answers, in our words."""

    def __init__(self, url: str) -> None:
        self._url = url

    def __enter__(self) -> None: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        if error is not None and self._url and isinstance(error, Exception):
            raise ProviderUnavailable(
                f"Qdrant at {self._url} does not answer ({type(error).__name__}): start it, or set index.backend=auto"
            ) from error


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:12]


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _library() -> tuple[Any, Any]:
    from qdrant_client import QdrantClient, models

    return QdrantClient, models
