"""Which vectors lie close together: pairs of near neighbours, and what hangs together by them.

Rows are unit vectors, or zero where there is none. Few rows are compared each with each; many only within cells of
rows that point the same way, each row in several, so that a hundred thousand take seconds. What is found that way is
nearly all there is: two rows that are alike and share no cell are missed. `groups` cuts vectors into groups of a wanted
size: like with like, none too small to sum up and none too large.
"""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
Vectors = NDArray[np.float32]

EXACT_MAX = 4_096  # rows compared each with each
NEIGHBOURS = 16  # of a row that count: enough to hold a cluster together, few enough to bound the graph
_BLOCK = 1_024  # rows compared at once
_CELL_ROWS = 384  # rows of a cell, on average, before each row goes into several
_CELLS_OF_A_ROW = 3
_CELL_ROUNDS = 2
_SEED = 7  # the same rows fall into the same cells every night


class Pairs(NamedTuple):
    """Rows that are alike: `left` < `right`, each pair once."""

    left: Rows
    right: Rows
    similarity: NDArray[np.float32]


def near_pairs(vectors: Vectors, *, least: float, neighbours: int = NEIGHBOURS) -> Pairs:
    """Pairs of rows with a cosine of at least `least`, of every row its nearest ones."""
    count = len(vectors)
    if count <= EXACT_MAX:
        found = [_pairs_in(vectors, np.arange(count), least, neighbours)]
    else:
        found = [_pairs_in(vectors, cell, least, neighbours) for cell in _cells(vectors)]
    left, right, similarity = (np.concatenate(column) for column in zip(*found, strict=True))
    _, first = np.unique(left * count + right, return_index=True)
    return Pairs(left[first], right[first], similarity[first])


def connected(count: int, left: Rows, right: Rows) -> Rows:
    """For each of `count` rows the lowest row that it hangs together with by these pairs (union-find, all at once)."""
    lowest = np.arange(count, dtype=np.int64)
    while True:
        ends = lowest[left], lowest[right]
        if (ends[0] == ends[1]).all():
            return lowest
        low = np.minimum(*ends)
        for end in ends:
            np.minimum.at(lowest, end, low)
        while (lowest[lowest] != lowest).any():
            lowest = lowest[lowest]


def clusters(vectors: Vectors, *, least: float, size_min: int, kinds: Rows | None = None) -> list[Rows]:
    """Rows that hang together by pairs of at least `least`, in clusters of at least `size_min`, ascending.

    With `kinds` only rows of one kind are put together. A chain of pairs may lead far: a row that is not like the
    middle of its cluster is left out of it.
    """
    if not len(vectors):
        return []
    left, right, _ = near_pairs(vectors, least=least)
    if kinds is not None:
        same = kinds[left] == kinds[right]
        left, right = left[same], right[same]
    found = []
    for rows in parts(connected(len(vectors), left, right), size_min=size_min):
        kept = rows[nearness(vectors, rows) >= least]
        if len(kept) >= size_min:
            found.append(kept)
    return found


def parts(labels: Rows, *, size_min: int = 1) -> list[Rows]:
    """The rows of each label, ascending, of labels with at least so many."""
    order = np.argsort(labels, kind="stable")
    bounds = np.flatnonzero(np.diff(labels[order])) + 1
    return [part for part in np.split(order, bounds) if len(part) >= size_min]


def centre(vectors: Vectors) -> Vectors:
    """The mean direction of rows; zero if they have none."""
    mean = vectors.mean(axis=0)
    norm = float(np.linalg.norm(mean))
    return np.asarray(mean / norm if norm > 0 else mean, dtype=np.float32)


def nearness(vectors: Vectors, rows: Rows) -> NDArray[np.float32]:
    """How like the middle of them each of these rows is."""
    return np.asarray(vectors[rows] @ centre(vectors[rows]), dtype=np.float32)


def _pairs_in(vectors: Vectors, cell: Rows, least: float, neighbours: int) -> Pairs:
    """The pairs among rows that are compared each with each."""
    own = vectors[cell]
    found: list[tuple[Rows, Rows, NDArray[np.float32]]] = []
    for start in range(0, len(cell), _BLOCK):
        alike = own[start : start + _BLOCK] @ own.T
        here = np.arange(start, start + len(alike))
        alike[np.arange(len(alike)), here] = -1.0
        if len(cell) > neighbours:
            bound = np.partition(alike, len(cell) - neighbours, axis=1)[:, len(cell) - neighbours, None]
            alike[alike < bound] = -1.0
        row, other = np.nonzero(alike >= least)
        found.append((cell[here[row]], cell[other], alike[row, other]))
    if not found:
        return Pairs(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float32))
    one, two, similarity = (np.concatenate(column) for column in zip(*found, strict=True))
    return Pairs(np.minimum(one, two), np.maximum(one, two), similarity)


def _cells(vectors: Vectors) -> list[Rows]:
    """Rows that point roughly the same way; each row is in several cells."""
    count = max(2, len(vectors) // _CELL_ROWS)
    chosen = np.random.default_rng(_SEED).choice(len(vectors), size=count, replace=False)
    middles = vectors[np.sort(chosen)]
    for _ in range(_CELL_ROUNDS):
        middles = means(vectors, nearest(vectors, middles, 1)[:, 0], middles)
    places = nearest(vectors, middles, min(_CELLS_OF_A_ROW, count))
    rows = np.repeat(np.arange(len(vectors)), places.shape[1])
    return [rows[part] for part in parts(places.ravel())]


def nearest(vectors: Vectors, middles: Vectors, count: int) -> Rows:
    """For each row the `count` middles that it is most like, in no order."""
    out = np.empty((len(vectors), count), dtype=np.int64)
    for start in range(0, len(vectors), _BLOCK):
        alike = vectors[start : start + _BLOCK] @ middles.T
        if count == 1:
            out[start : start + _BLOCK, 0] = alike.argmax(axis=1)
        else:
            out[start : start + _BLOCK] = np.argpartition(alike, -count, axis=1)[:, -count:]
    return out


def means(vectors: Vectors, labels: Rows, before: Vectors) -> Vectors:
    """The mean direction of the rows of each label; that of `before` where there are none."""
    order = np.argsort(labels, kind="stable")
    present, first = np.unique(labels[order], return_index=True)
    sums = np.add.reduceat(vectors[order], first, axis=0)
    norms = np.linalg.norm(sums, axis=1, keepdims=True)
    out = before.copy()
    out[present] = np.where(norms > 0, sums / np.maximum(norms, 1e-12), before[present])
    return out


# --- groups of a wanted size -----------------------------------------------------------------------------------------

PART_ROWS = 2_048  # more rows are parted roughly first, so that the time grows with their number and not its square
_ROUNDS = 6
_TURNS = 4  # by which the main direction of a group is found
_GROUP_SEED = 11


def groups(vectors: Vectors, *, size_min: int, size_max: int, seeds: Vectors | None = None) -> list[Rows]:
    """Rows in groups of `size_min` to `size_max`, as far as there are so many; every row is in one.

    `seeds` are directions that groups begin with, the first ones first: what they stand for is kept together.
    """
    count = len(vectors)
    if count <= size_max:
        return [np.arange(count)] if count else []
    if count > 2 * PART_ROWS:
        return _in_parts(vectors, size_min, size_max, seeds)
    wanted = max(1, round(2 * count / (size_min + size_max)))
    labels = _around(vectors, _starts(vectors, wanted, seeds))
    labels = _without_small(vectors, labels, size_min)
    return [piece for group in parts(labels) for piece in _pieces(vectors, group, size_max)]


def _in_parts(vectors: Vectors, size_min: int, size_max: int, seeds: Vectors | None) -> list[Rows]:
    middles = _starts(vectors, ceil(len(vectors) / PART_ROWS), None)
    labels = _without_small(vectors, _around(vectors, middles), size_min)
    rough = [piece for part in parts(labels) for piece in _pieces(vectors, part, 2 * PART_ROWS)]
    homes = np.zeros(0, dtype=np.int64)
    if seeds is not None and len(seeds):
        homes = nearest(seeds, np.array([centre(vectors[part]) for part in rough]), 1)[:, 0]
    found = []
    for at, part in enumerate(rough):
        own = seeds[homes == at] if seeds is not None and len(seeds) else None
        found += [part[rows] for rows in groups(vectors[part], size_min=size_min, size_max=size_max, seeds=own)]
    return found


def _starts(vectors: Vectors, count: int, seeds: Vectors | None) -> Vectors:
    """Where groups begin: at the seeds, and at rows taken at random for the rest."""
    given = seeds[:count] if seeds is not None and len(seeds) else vectors[:0]
    rows = np.random.default_rng(_GROUP_SEED).choice(len(vectors), size=count - len(given), replace=False)
    return np.concatenate([given, vectors[np.sort(rows)]]).astype(np.float32)


def _around(vectors: Vectors, middles: Vectors) -> Rows:
    """Each row's group after a few rounds of k-means on the sphere."""
    labels = nearest(vectors, middles, 1)[:, 0]
    for _ in range(_ROUNDS):
        middles = means(vectors, labels, middles)
        again = nearest(vectors, middles, 1)[:, 0]
        if (again == labels).all():
            break
        labels = again
    return labels


def _without_small(vectors: Vectors, labels: Rows, size_min: int) -> Rows:
    """Rows of groups that are too small go to the nearest one that is not; all together if there is none."""
    present, places, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    large = np.flatnonzero(sizes >= size_min)
    if not len(large):
        return np.zeros(len(vectors), dtype=np.int64)
    middles = means(vectors, places, np.zeros((len(present), vectors.shape[1]), dtype=np.float32))
    out = places.astype(np.int64)
    lost = np.flatnonzero(sizes[places] < size_min)
    if len(lost):
        out[lost] = large[nearest(vectors[lost], middles[large], 1)[:, 0]]
    return out


def _pieces(vectors: Vectors, rows: Rows, size_max: int) -> list[Rows]:
    """A group cut across its main direction into pieces of about the same size, none larger than `size_max`."""
    if len(rows) <= size_max:
        return [rows]
    own = vectors[rows] - vectors[rows].mean(axis=0)
    direction = own[np.argmax((own * own).sum(axis=1))]
    for _ in range(_TURNS):
        direction = own.T @ (own @ direction)
        direction = direction / (float(np.linalg.norm(direction)) or 1.0)
    order = np.argsort(own @ direction, kind="stable")
    return [np.sort(rows[piece]) for piece in np.array_split(order, ceil(len(rows) / size_max))]
