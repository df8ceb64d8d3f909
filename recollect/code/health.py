"""How well a project's code is known, in figures for people who look after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from recollect.code.graph import CodeGraph
from recollect.code.modules import modules_of
from recollect.code.packed import KINDS, RESOLVED
from recollect.code.questions import CodeQuestions
from recollect.code.reach import ranked
from recollect.code.said import SaidRecord
from recollect.model.code import Resolved
from recollect.model.said_of_code import LINK

_CALLS = KINDS.index("calls")
_UNSURE = [RESOLVED.index(Resolved.AMBIGUOUS), RESOLVED.index(Resolved.UNRESOLVED)]


def health_of(questions: CodeQuestions, said: Sequence[SaidRecord], *, known: Mapping[str, int]) -> dict[str, Any]:
    """Module by module what is known, and what was said. `known` counts the trusted records about each file."""
    graph = questions.graph
    calls, resolved = _calls_by_file(graph)
    modules = [
        {
            "module": each.name,
            "files": len(each.files),
            "symbols": each.symbols(graph),
            "calls": int(calls[each.files].sum()),
            "resolved": round(float(resolved[each.files].sum() / max(1, calls[each.files].sum())), 3),
            "files_known": sum(graph.paths[file] in known for file in each.files),
            "known": sum(known.get(graph.paths[file], 0) for file in each.files),
        }
        for each in modules_of(graph, ranked(graph, questions.worth.of), questions.files)
    ]
    links = sum(each.row.category == LINK for each in said)
    counting = sum(each.holds for each in said)
    return {
        "modules": modules,
        "files_known": sum(path in known for path in graph.paths[: graph.files_read]),
        "said": {"notes": len(said) - links, "links": links, "waiting_or_gone": len(said) - counting},
    }


def _calls_by_file(graph: CodeGraph) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """How many calls each file makes, and of how many the target is known: those out of the project are none."""
    which = np.flatnonzero(graph.kind == _CALLS)
    files = graph.file_of_nodes(graph.source[which])
    unsure = np.isin(graph.resolved[which], _UNSURE)
    count = len(graph.paths)
    return np.bincount(files, minlength=count), np.bincount(files[~unsure], minlength=count)
