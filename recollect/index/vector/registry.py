"""Which vector back ends there are, what each can do, and which one a space gets.

A row here, a module beside this one and an entry in the contract of `tests/index/vector` are all a back end needs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from recollect.config import LiveConfig
from recollect.config.storage import VECTOR_BACKENDS, IndexSettings
from recollect.errors import ConfigInvalid, MissingExtra, StoreDamaged
from recollect.index.base import BackendChoice, GrowingVectors, Pressure, Stamp, VectorBody, VectorIndex
from recollect.index.vector.adaptive import AdaptiveVectors
from recollect.index.vector.files import GRAPH_FORM, SCAN_FORM, stamp_of

AUTO = "auto"
GRAPH_ROWS_MIN = 400_000  # from here on a scan of codes takes longer than a search is to take: 3 ms
# A graph costs .5 ms a row once, a scan 8 ms a search of a million rows: a search for each so many rows pays for it.
ROWS_PER_SEARCH = 60
_LINK_BYTES = 4
_KEY_BYTES = 16
_SETTLED_AT_ONCE, _SETTLED_SLOWLY = 4_096, 64


class IndexPlace(NamedTuple):
    """Where an index of a store may have files, None where it may not, and what tells the store from others."""

    folder: Path | None
    store_id: str


class BackendSkills(NamedTuple):
    """What a back end can do, as it says itself."""

    place: str  # where vectors are: memory, file or server
    exact: bool  # the nearest by what is kept are found for certain
    precisions: tuple[str, ...]  # the first is taken unless one is set
    metrics: tuple[str, ...]
    filters: bool  # allowed rows are told to it; else more are fetched and filtered
    saved: bool  # kept in a file for the next start
    rows_max: int  # up to how many it is sensible
    portion: int  # rows that are added in a few milliseconds
    extra: str = ""  # of the package, where it needs a library of its own, and that library
    library: str = ""


class Backend(NamedTuple):
    """One row of the registry."""

    capabilities: BackendSkills
    make: Callable[[BackendChoice, int, IndexSettings, IndexPlace], VectorBody]


def _flat(choice: BackendChoice, dimensions: int, settings: IndexSettings, place: IndexPlace) -> VectorBody:
    from recollect.index.vector.scanned import ScannedVectors

    return ScannedVectors(dimensions, precision=choice.precision, metric=choice.metric, folder=place.folder)


def _usearch(choice: BackendChoice, dimensions: int, settings: IndexSettings, place: IndexPlace) -> VectorBody:
    from recollect.index.vector.hnsw import HnswVectors

    return HnswVectors(dimensions, settings=settings, dtype=choice.precision)


def _mapped(choice: BackendChoice, dimensions: int, settings: IndexSettings, place: IndexPlace) -> VectorBody:
    from recollect.index.vector.mapped import MappedVectors

    return MappedVectors(dimensions, settings=settings, precision=choice.precision, folder=place.folder)


def _table(choice: BackendChoice, dimensions: int, settings: IndexSettings, place: IndexPlace) -> VectorBody:
    from recollect.index.vector.in_table import TableVectors

    return TableVectors(dimensions, precision=choice.precision, metric=choice.metric, folder=place.folder)


def _faiss(choice: BackendChoice, dimensions: int, settings: IndexSettings, place: IndexPlace) -> VectorBody:
    from recollect.index.vector.faiss_lists import FaissVectors

    return FaissVectors(dimensions, precision=choice.precision, metric=choice.metric)


def _qdrant(choice: BackendChoice, dimensions: int, settings: IndexSettings, place: IndexPlace) -> VectorBody:
    from recollect.index.vector.qdrant import QdrantVectors

    return QdrantVectors(
        dimensions, precision=choice.precision, metric=choice.metric, url=settings.qdrant_url, name=place.store_id
    )


_UNIT = ("cosine", "dot", "l2")  # all rank rows of length 1 alike
BACKENDS: dict[str, Backend] = {
    "flat": Backend(
        BackendSkills(
            "memory",
            True,
            ("binary", "f16", "i8", "f32", "pq"),
            (*_UNIT, "hamming"),
            filters=True,
            saved=True,
            rows_max=4_000_000,
            portion=_SETTLED_AT_ONCE,
        ),
        _flat,
    ),
    "usearch": Backend(
        BackendSkills(
            "memory",
            False,
            ("f16", "i8", "f32"),
            _UNIT,
            filters=False,
            saved=True,
            rows_max=10_000_000,
            portion=_SETTLED_SLOWLY,
        ),
        _usearch,
    ),
    "mapped": Backend(
        BackendSkills(
            "file",
            False,
            ("i8", "f16", "f32"),
            _UNIT,
            filters=False,
            saved=True,
            rows_max=10_000_000,
            portion=_SETTLED_SLOWLY,
        ),
        _mapped,
    ),
    "sqlite-vec": Backend(
        BackendSkills(
            "file",
            True,
            ("f32", "i8", "binary"),
            (*_UNIT, "hamming"),
            filters=True,
            saved=False,
            rows_max=200_000,
            portion=_SETTLED_AT_ONCE,
            extra="sqlite-vec",
            library="sqlite_vec",
        ),
        _table,
    ),
    "faiss": Backend(
        BackendSkills(
            "memory",
            False,
            ("i8", "f32", "f16", "pq"),
            _UNIT,
            filters=True,
            saved=False,
            rows_max=10_000_000,
            portion=_SETTLED_AT_ONCE,
            extra="faiss",
            library="faiss",
        ),
        _faiss,
    ),
    "qdrant": Backend(
        BackendSkills(
            "server",
            False,
            ("f16", "f32"),
            _UNIT,
            filters=True,
            saved=False,
            rows_max=100_000_000,
            portion=_SETTLED_AT_ONCE,
            extra="qdrant",
            library="qdrant_client",
        ),
        _qdrant,
    ),
}
assert {AUTO, *BACKENDS} == set(VECTOR_BACKENDS)
_COARSE = BackendChoice("flat", "binary")
_GRAPH = BackendChoice("usearch", "i8")


def bytes_per_vector(choice: BackendChoice, dimensions: int, settings: IndexSettings = IndexSettings()) -> int:
    """Bytes of memory that a vector takes for good; what lies in a file and is read as needed is not counted."""
    number = {"f32": 4.0, "f16": 2.0, "i8": 1.0, "pq": 0.25, "binary": 0.125}[choice.precision]
    if choice.backend in ("sqlite-vec", "mapped", "qdrant"):
        return 0
    links = 2 * settings.hnsw_m * _LINK_BYTES if choice.backend == "usearch" else 0
    return int(dimensions * number) + links + _KEY_BYTES


class Registry:
    """The `VectorBackends` of one open store."""

    def __init__(self, config: LiveConfig, place: IndexPlace) -> None:
        self._config = config
        self._place = place

    def leave_files(self) -> None:
        """Have no files any more: the store is about to be encrypted."""
        self._place = self._place._replace(folder=None)

    def choose(
        self,
        space: str,
        *,
        rows: int,
        searches: int = 0,
        pressure: Pressure = Pressure.NORMAL,
        now: BackendChoice | None = None,
    ) -> BackendChoice:
        """By size, memory and use where nothing is set.

        Codes with rows in a file are the least memory there is and are made at once, so they are what everything
        begins as. A graph is built where a scan takes long, it is searched so often that building it pays, and memory
        is not short.
        """
        wanted = _set_for(space, self._config.current.index)
        if wanted.backend != AUTO:
            in_memory = BACKENDS[wanted.backend].capabilities.place == "memory"
            return _COARSE if pressure and in_memory and wanted.metric != "hamming" else wanted
        graph = _GRAPH._replace(metric=wanted.metric)
        pays = now == graph or searches * ROWS_PER_SEARCH >= rows  # one that was built is kept
        if rows >= GRAPH_ROWS_MIN and pays and not pressure and wanted.metric != "hamming":
            return graph
        return _COARSE._replace(metric=wanted.metric)

    def make(self, choice: BackendChoice, space: str, dimensions: int) -> GrowingVectors:
        return self._growing(choice, space, dimensions)

    def view(self, path: Path, *, space: str, dimensions: int) -> tuple[VectorIndex, Stamp]:
        settings = self._config.current.index
        if stamp_of(path).form == SCAN_FORM:
            from recollect.index.vector.scanned import ScannedVectors

            return ScannedVectors.load(path, space=space, dimensions=dimensions, folder=self._place.folder)
        from recollect.index.vector.hnsw import HnswVectors

        return HnswVectors.view(path, space=space, dimensions=dimensions, settings=settings)

    def load(self, path: Path, *, space: str, dimensions: int) -> tuple[GrowingVectors, Stamp]:
        name, found = space.partition("/")[2], stamp_of(path)
        was = BackendChoice("usearch", found.dtype) if found.form == GRAPH_FORM else None
        choice = self.choose(name, rows=found.count, now=was)
        form = {"flat": SCAN_FORM, "usearch": GRAPH_FORM, "mapped": GRAPH_FORM}.get(choice.backend)
        if (form, choice.precision) != (found.form, found.dtype):
            raise StoreDamaged(f"{path.name} holds {found.form}/{found.dtype}, and {choice} is chosen: it is made anew")
        body, stamp = self._read(path, choice, space, dimensions)
        return self._growing(choice, name, dimensions, body), stamp

    def _read(self, path: Path, choice: BackendChoice, space: str, dimensions: int) -> tuple[VectorBody, Stamp]:
        settings, folder = self._config.current.index, self._place.folder
        if choice.backend == "flat":
            from recollect.index.vector.scanned import ScannedVectors

            return ScannedVectors.load(path, space=space, dimensions=dimensions, folder=folder, metric=choice.metric)
        if choice.backend == "mapped":
            from recollect.index.vector.mapped import MappedVectors

            return MappedVectors.load(path, space=space, dimensions=dimensions, settings=settings)
        from recollect.index.vector.hnsw import HnswVectors

        return HnswVectors.load(path, space=space, dimensions=dimensions, settings=settings)

    def _growing(
        self, choice: BackendChoice, space: str, dimensions: int, body: VectorBody | None = None
    ) -> AdaptiveVectors:
        settings, backend = self._config.current.index, BACKENDS[choice.backend]
        place = self._place._replace(store_id=f"{self._place.store_id}/{space}")
        return AdaptiveVectors(
            dimensions,
            choice=choice,
            make=partial(backend.make, choice, dimensions, settings, place),
            portion=backend.capabilities.portion,
            flat_max=settings.flat_max,
            body=body,
        )


def _set_apart(space: str, settings: IndexSettings) -> list[str]:
    """What is set for this space alone, as `backend/precision/metric`."""
    for each in filter(None, (part.strip() for part in settings.spaces.split(","))):
        name, _, wanted = each.partition("=")
        if space == name.strip() or space.startswith(f"{name.strip()}:"):
            return [word.strip() for word in wanted.split("/")]
    return []


def _set_for(space: str, settings: IndexSettings) -> BackendChoice:
    """What is set, whole: `auto` stays where nothing was. `ConfigInvalid`: it does not go together."""
    apart = _set_apart(space, settings)
    backend, precision, metric = (*apart, *(settings.backend, settings.precision, settings.metric)[len(apart) :])[:3]
    if backend == AUTO:
        known = BACKENDS["flat"].capabilities
        if precision == AUTO:
            return BackendChoice(AUTO, AUTO, _one_of("metric", metric, known.metrics, "auto"))
        backend = "flat"
    if backend not in BACKENDS:
        raise ConfigInvalid(f"index.spaces: no back end {backend!r}; there are {', '.join(BACKENDS)}")
    known = BACKENDS[backend].capabilities
    if known.library and find_spec(known.library) is None:
        raise MissingExtra(f"index.backend={backend} needs: pip install 'recollect[{known.extra}]'")
    metric = _one_of("metric", metric, known.metrics, backend)
    if metric == "hamming" and precision == AUTO:
        precision = "binary"
    precision = known.precisions[0] if precision == AUTO else _one_of("precision", precision, known.precisions, backend)
    if (metric == "hamming") > (precision == "binary"):
        raise ConfigInvalid(f"index.metric: hamming compares signs, so it goes with binary, not with {precision}")
    return BackendChoice(backend, precision, metric)


def _one_of(what: str, value: str, known: tuple[str, ...], backend: str) -> str:
    if value not in known:
        raise ConfigInvalid(f"index.{what}: {backend} has {', '.join(known)}, not {value}")
    return value
