"""Where the concepts of a graph go: links pull, concepts push each other away (Fruchterman and Reingold).

The same graph is laid out the same every time: it starts from a circle in the order given, and no chance is involved.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recollect.interfaces.drawing.concepts import Concepts

Points = NDArray[np.float64]
_STEPS_MIN, _STEPS_MAX, _PUSHES_MAX = 60, 250, 20_000  # a large graph takes fewer steps, each of which costs more
_GRAVITY = 0.8  # towards the middle, so that parts without a link between them stay in the picture
_LEAST = 1e-3


def laid_out(graph: Concepts) -> Points:
    """One point for each concept, in a square from (0, 0) to (1, 1)."""
    count = len(graph.nodes)
    if count < 2:
        return np.full((count, 2), 0.5)
    place = {node.id: at for at, node in enumerate(graph.nodes)}
    pairs = np.array([(place[link.source], place[link.target]) for link in graph.links], dtype=np.int64).reshape(-1, 2)
    angle = 2 * np.pi * np.arange(count) / count
    points = np.column_stack((np.cos(angle), np.sin(angle)))
    ideal = 2.0 / np.sqrt(count)
    steps = max(_STEPS_MIN, min(_STEPS_MAX, _PUSHES_MAX // count))
    for step in range(steps):
        heat = 0.2 * (1 - step / steps) ** 2 + _LEAST
        points += _limited(_forces(points, pairs, ideal), heat)
    return _fitted(points)


def _forces(points: Points, pairs: NDArray[np.int64], ideal: float) -> Points:
    apart = points[:, None, :] - points[None, :, :]
    square = np.maximum((apart**2).sum(axis=2), _LEAST**2)
    forces = (apart * (ideal**2 / square)[:, :, None]).sum(axis=1)
    if len(pairs):
        along = points[pairs[:, 0]] - points[pairs[:, 1]]
        pull = along * (np.linalg.norm(along, axis=1) / ideal)[:, None]
        np.subtract.at(forces, pairs[:, 0], pull)
        np.add.at(forces, pairs[:, 1], pull)
    return np.asarray(forces - _GRAVITY * points)


def _limited(forces: Points, most: float) -> Points:
    length = np.maximum(np.linalg.norm(forces, axis=1, keepdims=True), _LEAST)
    return np.asarray(forces / length * np.minimum(length, most))


def _fitted(points: Points) -> Points:
    low, high = points.min(axis=0), points.max(axis=0)
    return np.asarray((points - low) / np.maximum(high - low, _LEAST))
