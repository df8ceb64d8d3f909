"""A project divided into modules that somebody can keep in mind: by folders, by package files, by communities.

Folders are joined with the one above, the deepest and least ones first, until few are left; a folder with a package
file of its own is joined later. A folder with very many files is divided by who uses whom, since its name says nothing
about them.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from typing import NamedTuple

import numpy as np

from recollect.code.graph import CodeGraph
from recollect.code.reach import FilePairs, Scores

MODULES_MAX = 24
DIVIDED_FROM = 60  # files of one folder
_COMMUNITY_MIN = 5  # files; smaller ones stay with the folder
_COMMUNITIES_MAX = 6  # of one folder
_ROUNDS = 20
_PACKAGE = 0.5  # of a level of folders: so much later a folder with a package file is joined
_PACKAGE_FILES = frozenset(
    "__init__.py package.json tsconfig.json go.mod Cargo.toml pom.xml build.gradle mod.rs index.ts index.js".split()
)


class ModuleFiles(NamedTuple):
    """A module: what it is called, and the places of its files."""

    name: str
    files: list[int]

    def symbols(self, graph: CodeGraph) -> int:
        return sum(len(graph.nodes_in(file)) - 1 for file in self.files)


def modules_of(graph: CodeGraph, rank: Scores, pairs: FilePairs) -> list[ModuleFiles]:
    """The modules, those that most leans on first."""
    count = graph.files_read
    weights = np.add.reduceat(rank, graph.first[:count]) if count else np.empty(0)
    found: list[ModuleFiles] = []
    for name, files in _joined_folders(graph.paths[:count], weights).items():
        found += _divided(graph, name, sorted(files), weights, pairs)
    return sorted(found, key=lambda each: (-float(weights[each.files].sum()), each.name))


def _joined_folders(paths: list[str], weights: Scores) -> dict[str, list[int]]:
    """Folders with their files, the least ones joined with those above until there are few."""
    folders: dict[str, list[int]] = {}
    for at, path in enumerate(paths):
        folders.setdefault(_folder_of(path), []).append(at)
    packages = {_folder_of(path) for path in paths if path.rpartition("/")[2] in _PACKAGE_FILES}
    scores = {name: float(weights[files].sum()) for name, files in folders.items()}

    def place(name: str) -> tuple[float, str]:
        return scores[name] - name.count("/") + (_PACKAGE if name in packages else 0.0), name

    waiting = [place(name) for name in folders if name != "."]
    heapify(waiting)
    while len(folders) > MODULES_MAX and waiting:
        told = heappop(waiting)
        name = told[1]
        if name not in folders or told != place(name):  # it was joined, or has grown since
            continue
        above = _folder_of(name)
        folders.setdefault(above, []).extend(folders.pop(name))
        scores[above] = scores.get(above, 0.0) + scores.pop(name)
        if above != ".":
            heappush(waiting, place(above))
    return folders


def _folder_of(path: str) -> str:
    return path.rpartition("/")[0] or "."


def _divided(graph: CodeGraph, name: str, files: list[int], weights: Scores, pairs: FilePairs) -> list[ModuleFiles]:
    """A folder, or its communities and what is in none; each is called by the file that most leans on."""
    direct = [at for at in files if _folder_of(graph.paths[at]) == name]
    if len(direct) < DIVIDED_FROM:
        return [ModuleFiles(name, files)]
    groups = [each for each in communities(direct, pairs) if len(each) >= _COMMUNITY_MIN][:_COMMUNITIES_MAX]
    if len(groups) < 2:
        return [ModuleFiles(name, files)]
    found: list[ModuleFiles] = []
    for each in groups:
        head = max(each, key=lambda at: (weights[at], -at))
        found.append(ModuleFiles(f"{name}: around {graph.paths[head].rpartition('/')[2]}", each))
    taken = {at for each in groups for at in each}
    rest = [at for at in files if at not in taken]
    return [*found, *([ModuleFiles(name, rest)] if rest else [])]


def communities(files: Sequence[int], pairs: FilePairs) -> list[list[int]]:
    """Files that use each other more than others, the largest group first.

    Each file takes the label that most of what it is joined with has, in turn, until none changes. What nearly every
    file uses says nothing about any, so a file weighs the less the more are joined with it.
    """
    inside = np.zeros(max((int(pairs.source.max(initial=0)), int(pairs.target.max(initial=0)), *files)) + 1, dtype=bool)
    inside[list(files)] = True
    among = np.flatnonzero(inside[pairs.source] & inside[pairs.target])
    beside: dict[int, list[tuple[int, float]]] = {at: [] for at in files}
    for one, other, worth in zip(
        pairs.source[among].tolist(), pairs.target[among].tolist(), pairs.worth[among].tolist(), strict=True
    ):
        beside[one].append((other, worth))
        beside[other].append((one, worth))
    labels = {at: at for at in files}
    for _ in range(_ROUNDS):
        changed = False
        for at in files:
            votes: dict[int, float] = {}
            for other, worth in beside[at]:
                votes[labels[other]] = votes.get(labels[other], 0.0) + worth / len(beside[other])
            best = min(votes, key=lambda label: (-votes[label], label), default=labels[at])
            changed |= best != labels[at]
            labels[at] = best
        if not changed:
            break
    groups: dict[int, list[int]] = {}
    for at in files:
        groups.setdefault(labels[at], []).append(at)
    return sorted(groups.values(), key=lambda each: (-len(each), each))
