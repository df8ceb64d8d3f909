"""A graph of concepts drawn as trees in the terminal: each concept once, what leads to it again as a hint."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text
from rich.tree import Tree

from recollect.interfaces.cli.cells import DIM, ID, WARN, counted, short, text
from recollect.interfaces.drawing.concepts import Concepts, Link

TEXT_CHARS = 72
_AGAIN_CHARS = 40


def concept_graph(data: Mapping[str, Any]) -> RenderableType:
    """Trees of all that is connected, each from the concept asked about or the one with most relations."""
    graph = Concepts.from_dict(data)
    if not graph.nodes:
        return text("nothing is related yet", DIM)
    drawn: set[str] = set()
    trees = [_tree(graph, start, drawn) for start in _starts(graph) if start not in drawn]
    figures = f"{counted(len(graph.nodes), 'record')}, {counted(len(graph.links), 'relation')}"
    hint = f"; {graph.left_out} more: raise --limit" if graph.left_out else ""
    return Group(*trees, text(figures + hint, DIM))


def _starts(graph: Concepts) -> list[str]:
    most = sorted(graph.nodes, key=lambda node: -len(graph.links_of[node.id]))
    return [*([graph.root] if graph.root in graph.by_id else []), *(node.id for node in most)]


def _tree(graph: Concepts, start: str, drawn: set[str]) -> Tree:
    """What is connected with a concept, nearest first, so that nobody stands deeper than needed."""
    root = Tree(_node(graph, start))
    branches = {start: root}
    drawn.add(start)
    told: set[tuple[str, str]] = set()  # relations that are drawn already, by their id and other end
    waiting = deque([start])
    while waiting:
        here = waiting.popleft()
        for link in graph.links_of[here]:
            other = link.other(here)
            if (link.id, f"{link.source}{link.target}") in told:
                continue
            told.add((link.id, f"{link.source}{link.target}"))
            if other in drawn:
                branches[here].add(_arrow(link, here) + text(short(graph.by_id[other].text, _AGAIN_CHARS), DIM))
                continue
            drawn.add(other)
            branches[other] = branches[here].add(_arrow(link, here) + _node(graph, other))
            waiting.append(other)
    return root


def _node(graph: Concepts, id: str) -> Text:
    style = "bold" if id == graph.root else ""
    return Text.assemble(text(short(graph.by_id[id].text, TEXT_CHARS), style), "  ", (id[:8], ID))


def _arrow(link: Link, here: str) -> Text:
    """The relation as read from here; what was only guessed is marked, with how sure it is and its id to confirm."""
    label = text(link.label).plain
    drawn = f"—{label}—" if link.both_ways else f"—{label}→" if link.source == here else f"←{label}—"
    sure = f" ({link.confidence:.2f}? {link.id[:8]})" if link.auto_extracted else ""
    return Text(f"{drawn}{sure}  ", style=WARN)
