"""What an agent should know before it edits a file that much depends on: how much, which tests to run, and which files
change with it. Read from the tables of the code graph: no graph is loaded, no git is run.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recollect.clock import SECOND_US
from recollect.code.graph import is_test_path
from recollect.code.packed import DEPENDENT
from recollect.code.together import pairs_of
from recollect.config import Config
from recollect.model.scope import Scope
from recollect.store.base import Tx
from recollect.store.code import ProjectRow

FILES_MAX = 200  # of a project that are prepared: those that sessions touched first, then the widest
WIDEST_MAX = 1_000  # that are looked at
TESTS_TOLD, PAIRS_TOLD = 4, 3
PAIR_WEIGHT = 0.6
TOGETHER_MIN = 3  # occasions of a pair, before it is told
SESSIONS_MAX = 60


class WideFile(NamedTuple):
    """A file with a wide reach, and what is told of it."""

    path: str
    text: str


def project_here(tx: Tx, root: str, scope: Scope) -> ProjectRow | None:
    """The indexed project of a folder, if it is the one of this scope."""
    found = tx.code.project(root) if root else None
    return found if found is not None and tx.observed.project_at(root) == scope.project else None


def wide_files(tx: Tx, project: ProjectRow, scope: Scope, config: Config, *, now: int) -> list[WideFile]:
    """The files of a project with a wide reach, as they are told."""
    least = config.observe.reach_files
    if least == 0:
        return []
    widest = tx.code.widest(project.pk, dependents_min=least, row_bytes=DEPENDENT.itemsize, limit=WIDEST_MAX)
    scope_pk = tx.scopes.find(scope)
    accesses = [] if scope_pk is None else tx.observed.accesses(scope_pk, sessions_max=SESSIONS_MAX)
    touched = dict.fromkeys(row.subject for row in reversed(accesses))
    ordered = sorted((path for path in widest if not is_test_path(path)), key=lambda path: path not in touched)
    return [WideFile(path, _told(tx, project, path, widest[path], config, now)) for path in ordered[:FILES_MAX]]


def _told(tx: Tx, project: ProjectRow, path: str, file_pk: int, config: Config, now: int) -> str:
    dependents = np.frombuffer(tx.code.closure(file_pk) or b"", dtype=DEPENDENT)
    direct = int((dependents["depth"] == 1).sum())
    near = dependents[np.argsort(dependents["depth"], kind="stable")]
    paths = tx.code.paths(near["file"].tolist())
    tests = [named for pk in near["file"].tolist() if (named := paths.get(pk)) and is_test_path(named)]
    settings = config.codegraph
    pairs = [
        pair.path
        for pair in pairs_of(tx, project, path, settings, now_s=now // SECOND_US)
        if pair.weight > PAIR_WEIGHT and pair.together >= TOGETHER_MIN
    ]
    told = [f"{path}: {len(dependents)} files depend on it, {direct} directly."]
    if pairs:
        told.append(f"Files that change with it: {', '.join(pairs[:PAIRS_TOLD])}.")
    if tests:
        more = f" and {len(tests) - TESTS_TOLD} more" if len(tests) > TESTS_TOLD else ""
        told.append(f"Tests to run: {', '.join(tests[:TESTS_TOLD])}{more}.")
    return " ".join(told)
