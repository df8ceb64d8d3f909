"""A map of a project in few words: its modules, where it is entered, and the symbols that most leans on."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from recollect.code.answers import item_of
from recollect.code.graph import CodeGraph, Numbers, is_test_path
from recollect.code.modules import ModuleFiles, modules_of
from recollect.code.packed import KINDS
from recollect.code.questions import CodeQuestions
from recollect.code.reach import Scores, ranked
from recollect.code.words import Beside, likely_files
from recollect.errors import UsageError
from recollect.model.code import CodeItem, CodeMap, CodeModule
from recollect.model.tokens import estimate_tokens

TOKENS_MIN = 100
KEY_SYMBOLS = 60
LIKELY_FILES = 8
_ENTRIES = 8
_ENTRY = "is_entrypoint_for"
_CALLS = KINDS.index("calls")
_ENTRY_NAMES = frozenset({"main", "cli", "app", "run", "serve"})
_ENTRY_FILES = frozenset({"__main__.py", "main.py", "cli.py", "manage.py"})


def project_map(
    questions: CodeQuestions, *, max_tokens: int, focus: str | None, known: Mapping[str, int], beside: Beside
) -> CodeMap:
    """What there is to know first. With a focus, what matters for that file or symbol, or for what some words say.

    `known` counts the trusted records about each file, `beside` names the files that go with one.
    """
    if not isinstance(max_tokens, int) or isinstance(max_tokens, bool) or max_tokens < TOKENS_MIN:
        raise UsageError(f"max_tokens is a number of tokens from {TOKENS_MIN} on")
    graph = questions.graph
    likely = likely_files(questions, focus, beside, most=LIKELY_FILES) if focus and len(focus.split()) > 1 else []
    favoured = _favoured(questions, focus, likely)
    rank = ranked(graph, questions.worth.of, favoured)
    modules = modules_of(graph, rank, questions.files)
    shown = _shown(graph, modules, rank, known)
    entries = _entry_points(graph, rank)
    keys = _key_symbols(graph, rank)
    text = _written(graph, modules, shown, entries, keys, likely, max_tokens)
    return CodeMap(
        text=text, tokens=estimate_tokens(text), modules=tuple(shown), items=tuple(keys), entry_points=tuple(entries)
    )


def _favoured(questions: CodeQuestions, focus: str | None, likely: list[str]) -> Numbers | None:
    """The nodes for whose sake a map is asked."""
    graph = questions.graph
    if likely:
        return np.array([graph.places[path] for path in likely if path in graph.places], dtype=np.int64)
    return questions.meant(focus).nodes if focus is not None else _sources(graph)


def _sources(graph: CodeGraph) -> np.ndarray[tuple[int], np.dtype[np.int64]] | None:
    """All that is no test: what only tests lean on does not matter most."""
    own = [node for at, path in enumerate(graph.paths) if not is_test_path(path) for node in graph.nodes_in(at)]
    return np.array(own, dtype=np.int64) if own else None


def _shown(graph: CodeGraph, modules: list[ModuleFiles], rank: Scores, known: Mapping[str, int]) -> list[CodeModule]:
    found: list[CodeModule] = []
    for each in modules:
        score = sum(float(rank[nodes.start : nodes.stop].sum()) for nodes in map(graph.nodes_in, each.files))
        found.append(
            CodeModule(
                path=each.name,
                files=len(each.files),
                symbols=each.symbols(graph),
                score=score,
                known=sum(known.get(graph.paths[file], 0) for file in each.files),
            )
        )
    return found


def _entry_points(graph: CodeGraph, rank: Scores) -> list[CodeItem]:
    """Where a program begins: as somebody said; files that are run; functions of such names that nothing calls."""
    found: list[tuple[float, int]] = [
        (2.0, each.source)
        for each in graph.said
        if each.kind == _ENTRY and graph.file_at(each.source) < graph.files_read
    ]
    for at, path in enumerate(graph.paths[: graph.files_read]):
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
    best = {node: score for score, node in reversed(found)}
    chosen = list(dict.fromkeys(node for _, node in found))[:_ENTRIES]
    return [item_of(graph, node, score=min(1.0, best[node])) for node in chosen]


def _key_symbols(graph: CodeGraph, rank: Scores) -> list[CodeItem]:
    order = np.argsort(-rank, kind="stable")
    chosen: list[int] = []
    for node in order.tolist():
        if node < graph.first[graph.files_read] and graph.symbol(node) and not graph.is_test(node):
            chosen.append(node)
        if len(chosen) >= KEY_SYMBOLS:
            break
    top = float(rank[chosen[0]]) if chosen else 1.0
    return [item_of(graph, node, score=float(rank[node]) / top if top else 0.0) for node in chosen]


def _written(
    graph: CodeGraph,
    modules: list[ModuleFiles],
    told: list[CodeModule],
    entries: list[CodeItem],
    keys: list[CodeItem],
    likely: list[str],
    max_tokens: int,
) -> str:
    """As text: files that fit the words it is asked for, every module, then as many of its key symbols as there is
    room for, the best first."""
    lines = [f"{graph.files_read} files, {int(graph.first[graph.files_read]) - graph.files_read} symbols"]
    if entries:
        lines.append("entry points: " + ", ".join(_short(item) for item in entries))
    if likely:
        shown = likely[: next((at for at in range(len(likely), 1, -1) if _tokens(likely[:at]) < max_tokens * 0.3), 1)]
        lines.append(f"for these words: {', '.join(shown)}")
    spent = estimate_tokens("\n".join(lines))
    heads: dict[str, str] = {}
    for module in told:
        known = f", {module.known} known" if module.known else ""
        head = f"{_named(module.path)} ({module.files} files, {module.symbols} symbols{known})"
        cost = estimate_tokens(head) + 1
        if spent + cost > max_tokens * 0.6:
            break
        heads[module.path] = head
        spent += cost
    owners = {graph.paths[file]: each.name for each in modules if each.name in heads for file in each.files}
    below: dict[str, list[str]] = {}
    for item in keys:
        owner = owners.get(item.path)
        line = f"  {item.symbol} {item.path.rpartition('/')[2]}:{item.line}"
        cost = estimate_tokens(line) + 1
        if owner is None or spent + cost > max_tokens:
            continue
        below.setdefault(owner, []).append(line)
        spent += cost
    for path, head in heads.items():
        lines += [head, *below.get(path, [])]
    return "\n".join(lines)


def _tokens(paths: list[str]) -> int:
    return estimate_tokens(", ".join(paths))


def _named(module: str) -> str:
    """A module as it is read: a folder has a slash, what is only a part of one has none."""
    return module if ": " in module else f"{module}/"


def _short(item: CodeItem) -> str:
    return f"{item.path}:{item.line}" + (f" {item.symbol}" if item.symbol else "")
