"""Which nodes somebody means: a path, a folder, a symbol, `path::symbol`. What is not clear is asked back."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import numpy as np

from recollect.code.graph import CodeGraph, Numbers
from recollect.errors import NotFound, UsageError, nearest, shown

_CHOICES_SHOWN = 5


class Meant(NamedTuple):
    """What is meant: its nodes, and how it is called. `whole` files, not symbols of them."""

    label: str
    nodes: Numbers
    files: tuple[int, ...]
    whole: bool


def meant(graph: CodeGraph, asked: str, root: Path) -> Meant:
    """The nodes that a text names. One that fits several symbols is refused with their names: none is preferred."""
    path, _, symbol = asked.partition("::")
    if symbol:
        return _symbol_in(graph, _relative(path, root), symbol)
    files = _files(graph, _relative(asked, root))
    if files:
        nodes = np.concatenate([np.array(graph.nodes_in(file), dtype=np.int64) for file in files])
        return Meant(_relative(asked, root), nodes, files, True)
    return _symbol(graph, asked)


def _relative(path: str, root: Path) -> str:
    """From the root, with slashes; what lies outside is named by nobody."""
    given = os.path.normpath(path.replace("\\", "/"))
    if os.path.isabs(given):
        real = os.path.realpath(given)
        if real != str(root) and not real.startswith(f"{root}{os.sep}"):
            raise UsageError("that path lies outside of the project")
        given = os.path.relpath(real, root)
    if given.startswith(".."):
        raise UsageError("that path lies outside of the project")
    return "" if given == "." else given


def _files(graph: CodeGraph, path: str) -> tuple[int, ...]:
    place = graph.places.get(path)
    if place is not None:
        return (place,)
    if not path:
        return tuple(range(len(graph.paths)))
    inside = f"{path.rstrip('/')}/"
    return tuple(at for at, each in enumerate(graph.paths) if each.startswith(inside))


def _symbol_in(graph: CodeGraph, path: str, symbol: str) -> Meant:
    place = graph.places.get(path)
    if place is None:
        raise NotFound(f"no file {shown(path, 80)} was taken in")
    for node in graph.nodes_in(place):
        if graph.symbol(node) == symbol:
            return Meant(graph.label(node), parts_of(graph, node), (place,), False)
    names = [graph.symbol(node) for node in graph.nodes_in(place)]
    raise NotFound(f"{shown(path, 80)} has no symbol {shown(symbol, 80)}{_like(symbol, names)}")


def _symbol(graph: CodeGraph, asked: str) -> Meant:
    named = graph.named(asked.rpartition(".")[2])
    found = [node for node in named if graph.symbol(node) == asked]
    found = found or [node for node in named if _fits(graph, node, asked)]
    if not found:
        raise NotFound(f"no file or symbol is called {shown(asked, 80)}{_like(asked, [*graph.paths, *graph.names])}")
    if len(found) > 1:
        some = ", ".join(graph.label(node) for node in found[:_CHOICES_SHOWN])
        more = f" and {len(found) - _CHOICES_SHOWN} more" if len(found) > _CHOICES_SHOWN else ""
        raise UsageError(f"{len(found)} symbols are called {shown(asked, 80)}: {some}{more}; name one as path::symbol")
    node = found[0]
    return Meant(graph.label(node), parts_of(graph, node), (graph.file_at(node),), False)


def _fits(graph: CodeGraph, node: int, asked: str) -> bool:
    """Whether a name with dots is the end of a node's whole name, its module included."""
    module = graph.path(node).rpartition(".")[0].removesuffix("/__init__").replace("/", ".")
    return f".{module}.{graph.symbol(node)}".endswith(f".{asked}")


def parts_of(graph: CodeGraph, node: int) -> Numbers:
    """A symbol with what is defined in it; what calls a class calls how it is made, so that counts as the class."""
    symbol = graph.symbol(node)
    inside = f"{symbol}."
    file = graph.file_at(node)
    found = [each for each in graph.nodes_in(file) if each == node or graph.symbol(each).startswith(inside)]
    if symbol.endswith((".__init__", ".__new__")):
        owner = symbol.rpartition(".")[0]
        found += [each for each in graph.nodes_in(file) if graph.symbol(each) == owner]
    return np.array(found, dtype=np.int64)


def _like(asked: str, known: list[str]) -> str:
    return nearest(asked, known) if len(known) < _SUGGESTED_FROM_MAX else ""


_SUGGESTED_FROM_MAX = 20_000
