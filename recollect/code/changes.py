"""What a diff touches: the symbols whose lines it changes, and what depends on those."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from recollect.code.answers import TESTS_SHOWN, folded, item_of, page, tests_among
from recollect.code.questions import CodeQuestions, Wanted
from recollect.code.reach import best_first, reached
from recollect.errors import UsageError
from recollect.model.code import CodeAnswer

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_RANGE = re.compile(r"[A-Za-z0-9][\w./~^@{}+-]*")
GIT_SECONDS_MAX = 10
DIFF_CHARS_MAX = 20_000_000


class Touched(NamedTuple):
    """Lines of a file as it is now."""

    path: str
    first: int
    last: int


def changes(questions: CodeQuestions, given: str, wanted: Wanted, *, depth: int) -> CodeAnswer:
    """What a diff, or the difference between two commits, changes and reaches."""
    diff = given if "\n@@" in given or given.startswith(("diff --git ", "--- ")) else _diff_of(questions.root, given)
    touched = list(_touched(diff))
    graph = questions.graph
    nodes: dict[int, None] = {}
    unknown: dict[str, None] = {}
    for path, first, last in touched:
        place = graph.places.get(path)
        if place is None:
            unknown[path] = None
            continue
        inside = [
            node for node in graph.nodes_in(place) if graph.symbol(node) and _meet(graph.lines(node), first, last)
        ]
        innermost = [n for n in inside if not any(graph.symbol(o).startswith(f"{graph.symbol(n)}.") for o in inside)]
        nodes.update(dict.fromkeys(innermost or [int(graph.first[place])]))
    starts = np.array(sorted(nodes), dtype=np.int64)
    found = reached(len(graph), starts, graph.incoming, graph.source, questions.worth.of, depth=depth)
    changed = [item_of(graph, node, depth=0, note="changed") for node in nodes]
    items = [*changed, *questions.items(best_first(found))]
    shown, following = page(items, start=wanted.start, limit=wanted.limit, max_tokens=wanted.max_tokens)
    tests = tests_among(items)
    rest = items[wanted.start + len(shown) :]
    files = len({item.path for item in changed})
    words = f"{len(changed)} changed in {files} files, {len(items) - len(changed)} dependents; {len(tests)} test files"
    notes = (f"{len(unknown)} changed files are not in the graph",) if unknown else ()
    return CodeAnswer(
        asked="a diff" if diff is given else given,
        summary=words,
        items=shown,
        modules=folded(rest) if rest else (),
        tests=tuple(tests[:TESTS_SHOWN]),
        counts={"changed": len(changed), "dependents": len(items) - len(changed), "tests": len(tests)},
        score=sum(item.score for item in items[len(changed) :]),
        notes=notes,
        next=following,
    )


def _meet(lines: tuple[int, int], first: int, last: int) -> bool:
    return lines[0] <= last and first <= lines[1]


def _touched(diff: str) -> Iterator[Touched]:
    """The lines that a unified diff leaves changed, or next to which it took some away."""
    path = ""
    for line in diff.splitlines():
        if line.startswith("+++ "):
            name = line[4:].split("\t")[0].strip('"')
            path = "" if name == "/dev/null" else name.removeprefix("b/")
        elif path and (hunk := _HUNK.match(line)):
            first, count = int(hunk[3]), int(hunk[4] or 1)
            yield Touched(path, max(1, first), max(1, first + max(count, 1) - 1))


def _diff_of(root: Path, asked: str) -> str:
    """The difference that git knows by a range, a commit, or nothing: what is not committed."""
    asked = asked.strip()
    if asked and not _RANGE.fullmatch(asked):
        raise UsageError("give a diff, or a range of commits such as main..HEAD")
    command = ["git", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "diff", "-U0", "--no-color"]
    command += ["--no-ext-diff", "--no-textconv", "--end-of-options", asked or "HEAD", "--"]
    calm = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            command,
            cwd=root,
            env=calm,
            capture_output=True,
            timeout=GIT_SECONDS_MAX,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except FileNotFoundError:
        raise UsageError("git is not installed; give the diff itself") from None
    except subprocess.TimeoutExpired:
        raise UsageError(f"git took longer than {GIT_SECONDS_MAX} s; give the diff itself") from None
    if done.returncode:
        raise UsageError("git knows no such range here; give a range of commits, or the diff itself")
    return done.stdout[:DIFF_CHARS_MAX].decode("utf-8", "replace")
