"""A map of a project in few words: its modules, where it is entered, and the symbols that most leans on."""

from __future__ import annotations

import numpy as np

from recollect.code.answers import item_of
from recollect.code.graph import CodeGraph, is_test_path
from recollect.code.packed import KINDS
from recollect.code.questions import CodeQuestions
from recollect.code.reach import Scores, ranked
from recollect.errors import UsageError
from recollect.model.code import CodeItem, CodeMap, CodeModule
from recollect.model.tokens import estimate_tokens

TOKENS_MIN = 100
MODULES_MAX = 24
KEY_SYMBOLS = 60
_ENTRIES = 8
_CALLS = KINDS.index("calls")
_ENTRY_NAMES = frozenset({"main", "cli", "app", "run", "serve"})
_ENTRY_FILES = frozenset({"__main__.py", "main.py", "cli.py", "manage.py"})


def project_map(questions: CodeQuestions, *, max_tokens: int, focus: str | None) -> CodeMap:
    """What there is to know first. With a focus, what matters for that file or symbol."""
    if not isinstance(max_tokens, int) or isinstance(max_tokens, bool) or max_tokens < TOKENS_MIN:
        raise UsageError(f"max_tokens is a number of tokens from {TOKENS_MIN} on")
    graph = questions.graph
    favoured = questions.meant(focus).nodes if focus is not None else _sources(graph)
    rank = ranked(graph, questions.worth.of, favoured)
    modules = _modules(graph, rank)
    entries = _entry_points(graph, rank)
    keys = _key_symbols(graph, rank)
    text = _written(graph, modules, entries, keys, max_tokens)
    return CodeMap(
        text=text, tokens=estimate_tokens(text), modules=modules, items=tuple(keys), entry_points=tuple(entries)
    )


def _sources(graph: CodeGraph) -> np.ndarray[tuple[int], np.dtype[np.int64]] | None:
    """All that is no test: what only tests lean on does not matter most."""
    own = [node for at, path in enumerate(graph.paths) if not is_test_path(path) for node in graph.nodes_in(at)]
    return np.array(own, dtype=np.int64) if own else None


def _modules(graph: CodeGraph, rank: Scores) -> tuple[CodeModule, ...]:
    """Folders, joined with the one above where they are small, until there are few enough to read."""
    files: dict[str, int] = {}
    symbols: dict[str, int] = {}
    scores: dict[str, float] = {}
    for at, path in enumerate(graph.paths):
        folder = path.rpartition("/")[0] or "."
        nodes = graph.nodes_in(at)
        files[folder] = files.get(folder, 0) + 1
        symbols[folder] = symbols.get(folder, 0) + len(nodes) - 1
        scores[folder] = scores.get(folder, 0.0) + float(rank[nodes.start : nodes.stop].sum())
    while len(files) > MODULES_MAX:
        inner = [folder for folder in files if folder != "."]
        small = min(inner, key=lambda folder: (scores[folder] - folder.count("/"), folder))
        above = small.rpartition("/")[0] or "."
        files[above] = files.get(above, 0) + files.pop(small)
        symbols[above] = symbols.get(above, 0) + symbols.pop(small)
        scores[above] = scores.get(above, 0.0) + scores.pop(small)
    order = sorted(files, key=lambda folder: (-scores[folder], folder))
    return tuple(
        CodeModule(path=folder, files=files[folder], symbols=symbols[folder], score=scores[folder]) for folder in order
    )


def _entry_points(graph: CodeGraph, rank: Scores) -> list[CodeItem]:
    """Where a program begins: files that are run, and functions of such names that nothing of the project calls."""
    found: list[tuple[float, int]] = []
    for at, path in enumerate(graph.paths):
        if is_test_path(path):
            continue
        first = graph.nodes_in(at).start
        if path.rpartition("/")[2] in _ENTRY_FILES:
            found.append((1.0, first))
        for node in graph.nodes_in(at):
            called = any(graph.kind[edge] == _CALLS for edge in graph.incoming.of(node).tolist())
            if graph.symbol(node) in _ENTRY_NAMES and not called and graph.outgoing.of(node).size:
                found.append((0.5, node))
    found.sort(key=lambda each: (-each[0], graph.path(each[1]).count("/"), graph.label(each[1])))
    return [item_of(graph, node, score=score) for score, node in found[:_ENTRIES]]


def _key_symbols(graph: CodeGraph, rank: Scores) -> list[CodeItem]:
    order = np.argsort(-rank, kind="stable")
    chosen: list[int] = []
    for node in order.tolist():
        if graph.symbol(node) and not graph.is_test(node):
            chosen.append(node)
        if len(chosen) >= KEY_SYMBOLS:
            break
    top = float(rank[chosen[0]]) if chosen else 1.0
    return [item_of(graph, node, score=float(rank[node]) / top if top else 0.0) for node in chosen]


def _written(
    graph: CodeGraph, modules: tuple[CodeModule, ...], entries: list[CodeItem], keys: list[CodeItem], max_tokens: int
) -> str:
    """As text: every module first, then as many of its key symbols as there is room for, the best first."""
    lines = [f"{len(graph.paths)} files, {len(graph) - len(graph.paths)} symbols"]
    if entries:
        lines.append("entry points: " + ", ".join(_short(item) for item in entries))
    spent = estimate_tokens("\n".join(lines))
    heads: dict[str, str] = {}
    for module in modules:
        head = f"{module.path}/ ({module.files} files, {module.symbols} symbols)"
        cost = estimate_tokens(head) + 1
        if spent + cost > max_tokens * 0.6:
            break
        heads[module.path] = head
        spent += cost
    below: dict[str, list[str]] = {}
    for item in keys:
        owner = _module_of(item.path, heads)
        line = f"  {item.symbol} {item.path.rpartition('/')[2]}:{item.line}"
        cost = estimate_tokens(line) + 1
        if owner is None or spent + cost > max_tokens:
            continue
        below.setdefault(owner, []).append(line)
        spent += cost
    for path, head in heads.items():
        lines += [head, *below.get(path, [])]
    return "\n".join(lines)


def _module_of(path: str, known: dict[str, str]) -> str | None:
    folder = path.rpartition("/")[0] or "."
    while folder not in known:
        if folder == ".":
            return None
        folder = folder.rpartition("/")[0] or "."
    return folder


def _short(item: CodeItem) -> str:
    return f"{item.path}:{item.line}" + (f" {item.symbol}" if item.symbol else "")
