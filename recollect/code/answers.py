"""From nodes to answers: ranked, a page at a time, within a number of tokens, hubs folded into their folders."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from recollect.code.graph import CodeGraph, is_test_path
from recollect.code.packed import RESOLVED
from recollect.code.reach import ReachedNodes
from recollect.ids import ID_CHARS
from recollect.model.code import CodeItem, CodeModule
from recollect.model.tokens import estimate_tokens

MODULES_SHOWN = 12
TESTS_SHOWN = 20


def item_of(graph: CodeGraph, node: int, *, edge: int = -1, via: int = -1, **more: object) -> CodeItem:
    """A node as answers show it."""
    first, last = graph.lines(node)
    said = graph.said_on(edge)
    if said is not None:
        more = {"note": f"{said.kind}, said in #{said.said[:ID_CHARS]}", **more}
    return CodeItem(
        path=graph.path(node),
        symbol=graph.symbol(node),
        kind=graph.kind_of(node),
        line=first,
        end_line=last,
        via=graph.label(via) if via >= 0 else "",
        at=int(graph.line[edge]) if edge >= 0 else 0,
        resolved=str(RESOLVED[graph.resolved[edge]]) if edge >= 0 else "exact",
        **more,  # type: ignore[arg-type]
    )


def page(
    items: Sequence[CodeItem], *, start: int, limit: int, max_tokens: int | None
) -> tuple[tuple[CodeItem, ...], int | None]:
    """Some of the items from a place on, and the place where the others begin."""
    chosen = list(items[start : start + limit])
    if max_tokens is not None:
        chosen = chosen[: fitting(chosen, max_tokens)]
    end = start + len(chosen)
    return tuple(chosen), end if end < len(items) else None


def fitting(items: Iterable[CodeItem], max_tokens: int) -> int:
    """How many items stay within a number of tokens; one at least."""
    count = spent = 0
    for item in items:
        spent += estimate_tokens(line_of(item))
        if spent > max_tokens and count:
            break
        count += 1
    return count


def line_of(item: CodeItem) -> str:
    """An item as a line of text."""
    where = f"{item.path}:{item.line}"
    note = f" ({item.note})" if item.note else ""
    return f"{where} {item.symbol}{note}" if item.symbol else f"{where}{note}"


def folded(items: Iterable[CodeItem]) -> tuple[CodeModule, ...]:
    """Items as the folders they are in, those that matter most first."""
    files: dict[str, set[str]] = {}
    symbols: dict[str, int] = {}
    scores: dict[str, float] = {}
    for item in items:
        folder = item.path.rpartition("/")[0] or "."
        files.setdefault(folder, set()).add(item.path)
        symbols[folder] = symbols.get(folder, 0) + bool(item.symbol)
        scores[folder] = scores.get(folder, 0.0) + item.score
    order = sorted(files, key=lambda folder: (-scores[folder], folder))[:MODULES_SHOWN]
    return tuple(
        CodeModule(path=folder, files=len(files[folder]), symbols=symbols[folder], score=scores[folder])
        for folder in order
    )


def folded_nodes(graph: CodeGraph, found: ReachedNodes) -> tuple[CodeModule, ...]:
    """The same for nodes that no item is made of."""
    if not len(found.nodes):
        return ()
    names, folder_of_file = graph.folders
    files = graph.file_of_nodes(found.nodes)
    folders = folder_of_file[files]
    scores = np.bincount(folders, weights=found.scores, minlength=len(names))
    symbols = np.bincount(folders[found.nodes != graph.first[files]], minlength=len(names))
    within = np.zeros(len(graph.paths), dtype=bool)
    within[files] = True
    counts = np.bincount(folder_of_file[within], minlength=len(names))
    order = sorted(np.flatnonzero(counts).tolist(), key=lambda at: (-scores[at], names[at]))[:MODULES_SHOWN]
    return tuple(
        CodeModule(path=names[at], files=int(counts[at]), symbols=int(symbols[at]), score=float(scores[at]))
        for at in order
    )


def tests_among(items: Iterable[CodeItem]) -> list[str]:
    """Files of tests, best first."""
    return list(dict.fromkeys(item.path for item in items if is_test_path(item.path)))
