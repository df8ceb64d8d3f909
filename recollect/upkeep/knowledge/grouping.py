"""Groups of a wanted size out of vectors: like with like, none too small to sum up and none too large."""

from __future__ import annotations

from math import ceil

import numpy as np

from recollect.upkeep.knowledge.cluster import Rows, Vectors, centre, means, nearest, parts

PART_ROWS = 2_048  # more rows are parted roughly first, so that the time grows with their number and not its square
_ROUNDS = 6
_TURNS = 4  # by which the main direction of a group is found
_SEED = 11


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
    rows = np.random.default_rng(_SEED).choice(len(vectors), size=count - len(given), replace=False)
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
