"""A graph of concepts laid out and drawn as SVG."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

import numpy as np
from numpy.typing import NDArray

from recollect.interfaces.drawing.concepts import Concept, ConceptLink, Concepts
from recollect.model.showable import in_html

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


SPACE = 105  # pixels a concept may have to each side of it, on average
MARGIN_X, MARGIN_Y = 120, 60
LINE_CHARS, LINES_MAX = 26, 2
TITLE_CHARS_MAX = 600  # what a pointer that rests on a concept is shown
_RADIUS, _RADIUS_MAX = 7.0, 16.0
_LINE_HEIGHT = 14
_COLOURS = {
    "contradicts": "#c0392b",
    "conflicts_with": "#c0392b",
    "supports": "#1e8449",
    "validates": "#1e8449",
    "depends_on": "#2e5fa3",
    "causes": "#2e5fa3",
    "caused_by": "#2e5fa3",
    "supersedes": "#8e44ad",
    "updates": "#8e44ad",
    "elaborates": "#b9770e",
    "exemplifies": "#b9770e",
    "summarizes": "#b9770e",
}
_PLAIN = "#7f8c8d"
_KINDS = {
    "episodic": "#d6eaf8",
    "semantic": "#fdebd0",
    "procedural": "#d5f5e3",
    "opinion": "#fadbd8",
    "entity": "#e8daef",
    "snippet": "#e5e8e8",
    "schema": "#fcf3cf",
}
_STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#1c2833;text-anchor:middle}.halo{stroke:#fff;stroke-width:4px;fill:#fff}"
    ".label{font-size:10px;fill:#566573}.halo.label{fill:#fff}.guess{stroke-dasharray:5 4}line{stroke-width:1.5}"
    "circle{stroke:#34495e;stroke-width:1.2}.root{stroke-width:3.5}"
)


def svg_of(graph: Concepts) -> str:
    """The picture. A dashed line was found automatically, an arrow says which way a relation is read."""
    side = SPACE * 2 * float(np.sqrt(max(1, len(graph.nodes))))
    width, height = side * 1.2 + 2 * MARGIN_X, side * 0.8 + 2 * MARGIN_Y
    points = laid_out(graph) * (side * 1.2, side * 0.8) + (MARGIN_X, MARGIN_Y)
    at = {node.id: (float(x), float(y)) for node, (x, y) in zip(graph.nodes, points, strict=True)}
    size = f'width="{width:.0f}" height="{height:.0f}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" {size} role="img">',
        f"<title>{in_html(_title(graph))}</title><style>{_STYLE}</style>",
        f"<defs>{''.join(_arrow(colour) for colour in sorted({_colour(link) for link in graph.links}))}</defs>",
        f'<rect {size} fill="#ffffff"/>',
        *(_line(link, at, graph) for link in graph.links),
        *(part for node in graph.nodes for part in _circle(node, at[node.id], graph)),
        "</svg>\n",
    ]
    return "\n".join(parts)


def _title(graph: Concepts) -> str:
    return f"{len(graph.nodes)} records and {len(graph.links)} relations"


def _line(link: ConceptLink, at: dict[str, tuple[float, float]], graph: Concepts) -> str:
    (x1, y1), (x2, y2) = at[link.source], at[link.target]
    length = float(np.hypot(x2 - x1, y2 - y1)) or 1.0
    gap = (_radius(link.target, graph) + 4) / length
    end_x, end_y = x2 - (x2 - x1) * gap, y2 - (y2 - y1) * gap
    arrow = "" if link.both_ways else f' marker-end="url(#{_arrow_id(_colour(link))})"'
    kind = ' class="guess"' if link.auto_extracted else ""
    about = f"{link.label}, confidence {link.confidence:.2f}" + (", found automatically" if link.auto_extracted else "")
    return (
        f'<g><title>{in_html(about)}</title><line x1="{x1:.1f}" y1="{y1:.1f}" x2="{end_x:.1f}" y2="{end_y:.1f}" '
        f'stroke="{_colour(link)}"{kind}{arrow}/>{_written(link.label, (x1 + x2) / 2, (y1 + y2) / 2 - 3, "label")}</g>'
    )


def _circle(node: Concept, point: tuple[float, float], graph: Concepts) -> Iterator[str]:
    x, y = point
    radius = _radius(node.id, graph)
    kind = ' class="root"' if node.id == graph.root else ""
    about = f"{node.text[:TITLE_CHARS_MAX]}\n{node.kind}, {node.category}\n{node.id}"
    yield f"<g><title>{in_html(about)}</title>"
    fill = _KINDS.get(node.kind, "#ffffff")
    yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{fill}"{kind}/>'
    for row, line in enumerate(_lines(node.text)):
        yield _written(line, x, y + radius + _LINE_HEIGHT * (row + 1))
    yield "</g>"


def _written(content: str, x: float, y: float, kind: str = "") -> str:
    """A text on a halo, so that lines below it do not cross it out."""
    shown = f'x="{x:.1f}" y="{y:.1f}">{in_html(content)}</text>'
    return f'<text class="halo {kind}" {shown}<text class="{kind}" {shown}'


def _lines(text: str) -> list[str]:
    return wrap(" ".join(text[:TITLE_CHARS_MAX].split()), LINE_CHARS, max_lines=LINES_MAX, placeholder=" …")


def _radius(id: str, graph: Concepts) -> float:
    return min(_RADIUS_MAX, _RADIUS + len(graph.links_of[id]))


def _colour(link: ConceptLink) -> str:
    return _COLOURS.get(link.label, _PLAIN)


def _arrow_id(colour: str) -> str:
    return f"to-{colour[1:]}"


def _arrow(colour: str) -> str:
    return (
        f'<marker id="{_arrow_id(colour)}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
        f'orient="auto"><path d="M0 0 8 4 0 8z" fill="{colour}"/></marker>'
    )
