"""Questions about a project's code: who depends on what, who calls it, what it calls, how two things are joined."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from recollect.code.answers import TESTS_SHOWN, folded, folded_nodes, item_of, page, tests_among
from recollect.code.graph import CodeGraph
from recollect.code.naming import Meant, meant
from recollect.code.packed import KINDS
from recollect.code.reach import EdgeWorth, FilePairs, ReachedNodes, best_first, file_pairs, part_of, reached, way
from recollect.config.coding import CodeGraphSettings
from recollect.errors import UsageError
from recollect.model.code import CodeAnswer, CodeItem, Resolved

_CALLS = KINDS.index("calls")
WAY_STEPS_MAX = 12
DEPTH_MAX = 10
FILES_MAX = 50  # of an answer about which records are looked for


class Wanted(NamedTuple):
    """How much of an answer is wanted."""

    limit: int
    start: int = 0
    max_tokens: int | None = None
    possible: bool = False


class CodeQuestions:
    """Answers from one snapshot of a graph."""

    def __init__(self, graph: CodeGraph, root: Path, settings: CodeGraphSettings) -> None:
        self.graph = graph
        self.root = root
        self.worth = EdgeWorth(graph, settings)

    @cached_property
    def files(self) -> FilePairs:
        """Which file depends on which, by the best edge of each pair."""
        return file_pairs(self.graph, self.worth.of)

    def meant(self, asked: str) -> Meant:
        return meant(self.graph, asked, self.root)

    # What a change reaches, and what something rests on

    def impact(self, asked: str, wanted: Wanted, *, depth: int) -> CodeAnswer:
        """What depends on a file or symbol, directly and through others."""
        target = self.meant(asked)
        return self._told_reach(target, self._reaching(target, depth, back=True), wanted, what="dependent")

    def dependencies(self, asked: str, wanted: Wanted, *, depth: int) -> CodeAnswer:
        """What a file or symbol depends on, directly and through others."""
        target = self.meant(asked)
        return self._told_reach(target, self._reaching(target, depth, back=False), wanted, what="dependency")

    def files_of(self, asked: str, answer: CodeAnswer) -> dict[str, frozenset[str]]:
        """The files of a question and of its answer, those asked for first, with the symbols that count; none: all."""
        target = self.meant(asked)
        symbols = [self.graph.symbol(node) for node in target.nodes.tolist()]
        told = [(self.graph.paths[file], "" if target.whole else each) for file in target.files for each in symbols]
        told += [(item.path, item.symbol) for item in answer.items]
        found: dict[str, set[str]] = {}
        for path, symbol in told:
            if path in found or len(found) < FILES_MAX:
                found.setdefault(path, set()).add(symbol)
        return {path: frozenset(() if "" in each else each) for path, each in found.items()}

    def _reaching(self, target: Meant, depth: int, *, back: bool) -> ReachedNodes:
        if depth > DEPTH_MAX:
            raise UsageError(f"max_depth is a number from 1 to {DEPTH_MAX}")
        graph = self.graph
        if target.whole:
            return self._files_reaching(target, depth, back=back)
        adjacency, far = (graph.incoming, graph.source) if back else (graph.outgoing, graph.target)
        return best_first(reached(len(graph), target.nodes, adjacency, far, self.worth.of, depth=depth))

    def _files_reaching(self, target: Meant, depth: int, *, back: bool) -> ReachedNodes:
        files = self.files
        adjacency, far = (files.incoming, files.source) if back else (files.outgoing, files.target)
        starts = np.array(target.files, dtype=np.int64)
        found = reached(len(self.graph.paths), starts, adjacency, far, files.worth, depth=depth)
        first = self.graph.first
        return best_first(found._replace(nodes=first[found.nodes], via=first[found.via], by=files.edge[found.by]))

    def items(self, found: ReachedNodes) -> list[CodeItem]:
        """What a walk came to."""
        return [
            item_of(self.graph, node, edge=edge, via=via, score=score, depth=depth)
            for node, edge, via, score, depth in zip(
                found.nodes.tolist(),
                found.by.tolist(),
                found.via.tolist(),
                found.scores.tolist(),
                found.depths.tolist(),
                strict=True,
            )
        ]

    def _told_reach(self, target: Meant, found: ReachedNodes, wanted: Wanted, *, what: str) -> CodeAnswer:
        """An answer from arrays: items are made of those that are shown, the others are counted."""
        graph, total = self.graph, len(found.nodes)
        chosen = self.items(part_of(found, wanted.start, wanted.start + wanted.limit))
        shown, _ = page(chosen, start=0, limit=wanted.limit, max_tokens=wanted.max_tokens)
        end = wanted.start + len(shown)
        files = graph.file_of_nodes(found.nodes)
        tests = list(dict.fromkeys(files[graph.tests[files]].tolist()))
        direct = int((found.depths == 1).sum())
        unsure = self._unsure_uses(target) if what == "dependent" else []
        more = f", {len(unsure)} more possible" if unsure else ""
        word = {"dependent": "dependents", "dependency": "dependencies"}[what] if total != 1 else what
        return CodeAnswer(
            asked=target.label,
            summary=f"{total} {word} ({direct} direct){more}; {len(tests)} of them test files",
            items=shown,
            modules=folded_nodes(graph, part_of(found, end, total)),
            tests=tuple(graph.paths[file] for file in tests[:TESTS_SHOWN]),
            possible=tuple(self._possible(unsure)[: wanted.limit]) if wanted.possible else (),
            counts={
                "total": total,
                "direct": direct,
                "transitive": total - direct,
                "tests": len(tests),
                "possible": len(unsure),
            },
            score=float(found.scores.sum()),
            next=end if end < total else None,
        )

    def _unsure_uses(self, target: Meant) -> list[int]:
        """Edges that may mean one of the nodes, and may not: ambiguous ones, and methods of that name on who knows."""
        graph = self.graph
        edges: dict[int, None] = {}
        own = set(target.nodes.tolist())
        for node in target.nodes.tolist():
            edges.update(dict.fromkeys(graph.maybe_incoming.of(node).tolist()))
            symbol = graph.symbol(node)
            if "." in symbol and graph.kind_of(node) == "function":
                edges.update(dict.fromkeys(graph.possible_callers(symbol.rpartition(".")[2]).tolist()))
        return [edge for edge in edges if int(graph.source[edge]) not in own]

    def _possible(self, edges: list[int]) -> list[CodeItem]:
        graph = self.graph
        items = [
            item_of(graph, int(graph.source[edge]), edge=edge, score=float(self.worth.of[edge]), depth=1)
            for edge in edges
        ]
        items = [_as_ambiguous(item) for item in items]
        return sorted(items, key=lambda item: (-item.score, item.path, item.line, item.at))

    def _told(
        self, target: Meant, items: list[CodeItem], possible: list[CodeItem], wanted: Wanted, *, what: str
    ) -> CodeAnswer:
        shown, following = page(items, start=wanted.start, limit=wanted.limit, max_tokens=wanted.max_tokens)
        direct = sum(item.depth == 1 for item in items)
        tests = tests_among(items)
        more = f", {len(possible)} more possible" if possible else ""
        rest = items[wanted.start + len(shown) :]
        plural = {"caller": "callers", "callee": "callees"}
        word = what if len(items) == 1 else plural[what]
        return CodeAnswer(
            asked=target.label,
            summary=f"{len(items)} {word}{more}",
            items=shown,
            modules=folded(rest) if rest else (),
            tests=tuple(tests[:TESTS_SHOWN]),
            possible=tuple(possible[: wanted.limit]) if wanted.possible else (),
            counts={
                "total": len(items),
                "direct": direct,
                "transitive": len(items) - direct,
                "tests": len(tests),
                "possible": len(possible),
            },
            score=sum(item.score for item in items),
            next=following,
        )

    # Calls

    def callers(self, asked: str, wanted: Wanted) -> CodeAnswer:
        """Where something is called."""
        return self._called(self.meant(asked), wanted, back=True)

    def callees(self, asked: str, wanted: Wanted) -> CodeAnswer:
        """What something calls."""
        return self._called(self.meant(asked), wanted, back=False)

    def _called(self, target: Meant, wanted: Wanted, *, back: bool) -> CodeAnswer:
        graph = self.graph
        adjacency, far = (graph.incoming, graph.source) if back else (graph.outgoing, graph.target)
        own = set(target.nodes.tolist())
        found: dict[tuple[int, int], CodeItem] = {}
        for node in target.nodes.tolist():
            for edge in adjacency.of(node).tolist():
                other = int(far[edge])
                if graph.kind[edge] == _CALLS and (other not in own or not back):
                    score = float(self.worth.of[edge])
                    item = item_of(graph, other, edge=edge, via=node, score=score, depth=1)
                    found.setdefault((other, int(graph.line[edge]) if back else node), item)
        items = sorted(found.values(), key=lambda item: (-item.score, item.path, item.line, item.at))
        possible = self._possible(self._unsure_uses(target)) if back else self._loose_calls(own)
        return self._told(target, items, possible, wanted, what="caller" if back else "callee")

    def _loose_calls(self, own: set[int]) -> list[CodeItem]:
        """What some nodes call without it being known what that is."""
        graph = self.graph
        unsure = np.flatnonzero((graph.resolved >= 2) & (graph.kind == _CALLS) & np.isin(graph.source, list(own)))
        found: list[CodeItem] = []
        for edge in unsure.tolist():
            shown = graph.edge(edge, self.worth.weights, self.worth.trust)
            kind = graph.kind_of(int(graph.target[edge])) if shown.target_path else "unknown"
            item = CodeItem(
                path=shown.target_path,
                symbol=shown.target_symbol,
                kind=kind,
                line=shown.line,
                at=shown.line,
                score=shown.confidence,
                resolved=shown.resolved,
            )
            found.append(item)
        return found

    def unsure_calls(self, node: int) -> int:
        """How many calls of a node could not be resolved."""
        graph = self.graph
        return int(((graph.source == node) & (graph.kind == _CALLS) & (graph.resolved >= 2)).sum())

    def path(self, first: str, second: str) -> CodeAnswer:
        """A shortest chain of dependencies from one thing to another, in either direction."""
        start, goal = self.meant(first), self.meant(second)
        graph = self.graph
        for one, other in ((start, goal), (goal, start)):
            found = way(
                one.nodes, set(other.nodes.tolist()), graph.outgoing, graph.target, most=WAY_STEPS_MAX
            ) or self._way_of_files(one, other)
            if found:
                items = [item_of(graph, node, edge=edge, depth=at) for at, (node, edge) in enumerate(found)]
                words = f"{one.label} depends on {other.label} in {len(items) - 1} steps"
                return CodeAnswer(asked=f"{first} → {second}", summary=words, items=tuple(items))
        return CodeAnswer(asked=f"{first} → {second}", summary="neither depends on the other, as far as is known")

    def _way_of_files(self, one: Meant, other: Meant) -> list[tuple[int, int]] | None:
        """Where symbols are not joined, their files may be."""
        files = self.files
        found = way(
            np.array(one.files, dtype=np.int64), set(other.files), files.outgoing, files.target, most=WAY_STEPS_MAX
        )
        if not found:
            return None
        first = self.graph.first
        return [(int(first[place]), int(files.edge[pair]) if pair >= 0 else -1) for place, pair in found]

    # Names

    def find(self, name: str, wanted: Wanted) -> CodeAnswer:
        """Files and symbols by a part of their name: those that are called so first."""
        graph, part = self.graph, name.lower()
        found: list[tuple[tuple[int, int, str], int]] = []
        for file, path in enumerate(graph.paths):
            for at, (symbol, *_) in enumerate(graph.symbols_of(file)):
                label = (symbol or path).lower()
                if part in label:
                    last = label.rpartition("." if symbol else "/")[2]
                    exact = last == part or label == part
                    rank = 0 if exact else 1 if last.startswith(part) else 2 if part in last else 3
                    found.append(((rank, len(label), f"{path}::{symbol}"), graph.nodes_in(file)[at]))
        found.sort()
        chosen = [item_of(graph, node, score=1 / (1 + key[0])) for key, node in found[wanted.start :][: wanted.limit]]
        shown, _ = page(chosen, start=0, limit=wanted.limit, max_tokens=wanted.max_tokens)
        end = wanted.start + len(shown)
        return CodeAnswer(
            asked=name,
            summary=f"{len(found)} found",
            items=shown,
            counts={"total": len(found)},
            next=end if end < len(found) else None,
        )

    def outline(self, path: str, wanted: Wanted) -> CodeAnswer:
        """What a file defines, in its order."""
        target = self.meant(path)
        nodes = (
            target.nodes.tolist()
            if not target.whole
            else [node for file in target.files for node in self.graph.nodes_in(file) if self.graph.symbol(node)]
        )
        items = [item_of(self.graph, node, depth=self.graph.symbol(node).count(".")) for node in nodes]
        items.sort(key=lambda item: (item.path, item.line))
        shown, following = page(items, start=wanted.start, limit=wanted.limit, max_tokens=wanted.max_tokens)
        words = f"{len(items)} definitions in {len(target.files)} file{'s' if len(target.files) > 1 else ''}"
        counts = {"total": len(items)}
        return CodeAnswer(asked=target.label, summary=words, items=shown, counts=counts, next=following)


def _as_ambiguous(item: CodeItem) -> CodeItem:
    """A use that a name alone speaks for: possible, one of all that are called so."""
    if item.resolved != Resolved.UNRESOLVED:
        return item
    plain = {name: getattr(item, name) for name in CodeItem.__slots__}
    return CodeItem(**{**plain, "resolved": str(Resolved.AMBIGUOUS), "note": "by name alone"})
