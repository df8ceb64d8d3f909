"""Where data goes from a function on: into the calls it makes, back to who called it, along flows that were said.

What a function is given goes on into its calls, in the order of its lines. What it returns goes to its callers, and
there into the calls that follow; of a function that was called on the way, the caller is the step above. Every way ends
with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from recollect.code.answers import item_of, page
from recollect.code.graph import FLOWS
from recollect.code.packed import KINDS
from recollect.code.questions import CodeQuestions, Wanted
from recollect.model.code import CodeAnswer, CodeItem

Returns = Callable[[str, str], bool]  # whether a symbol of a file gives something back

_CALLS = KINDS.index("calls")
_FLOWS = KINDS.index(FLOWS)
STEPS_MAX = 2000
CALLERS_MAX = 20  # of one function that are followed
OUTSIDE = "calls nothing of the project"
SEEN = "shown above"
TOO_FAR = "goes on; ask for more depth"
UNKNOWN = "calls {} that could not be resolved"
RETURNED = "gets what is returned"


class _DataStep(NamedTuple):
    """A node that data comes to. `back`: by a return, at a line after which the node goes on."""

    node: int
    edge: int = -1
    via: int = -1
    depth: int = 0
    back: bool = False
    line: int = 0


def trace(questions: CodeQuestions, source: str, wanted: Wanted, *, depth: int, returns: Returns) -> CodeAnswer:
    """The steps from a file or function on, depth first; `note` says how data comes there, and why a way ends."""
    target = questions.meant(source)
    graph = questions.graph
    seen: set[tuple[int, bool]] = set()
    items: list[CodeItem] = []
    starts = [node for node in target.nodes.tolist() if graph.outgoing.of(node).size] or target.nodes.tolist()[:1]
    waiting = [_DataStep(node) for node in reversed(starts)]
    ends = 0
    while waiting and len(items) < STEPS_MAX:
        step = waiting.pop()
        following = list(_following(questions, step, up=step.back or step.edge < 0, returns=returns))
        key = (step.node, step.back)
        ending = _ending(questions, step, following, depth=depth, seen=key in seen)
        items.append(_told(questions, step, ending))
        ends += bool(ending)
        if not ending:
            seen.add(key)
            waiting.extend(reversed(following))
    shown, after = page(items, start=wanted.start, limit=wanted.limit, max_tokens=wanted.max_tokens)
    notes = (f"only the first {STEPS_MAX} steps were followed",) if waiting else ()
    return CodeAnswer(
        asked=target.label,
        summary=f"{len(items)} steps, {ends} ends",
        items=shown,
        counts={"total": len(items), "ends": ends},
        notes=notes,
        next=after,
    )


def _following(questions: CodeQuestions, step: _DataStep, *, up: bool, returns: Returns) -> Iterator[_DataStep]:
    """What data does next: calls in the order of lines, each target once; flows that were said; what is returned."""
    graph, node, further = questions.graph, step.node, step.depth + 1
    calls = [edge for edge in graph.outgoing.of(node).tolist() if graph.kind[edge] == _CALLS]
    first: dict[int, int] = {}
    for edge in sorted(calls, key=lambda edge: int(graph.line[edge])):
        if int(graph.line[edge]) >= step.line and int(graph.target[edge]) != step.via:
            first.setdefault(int(graph.target[edge]), edge)
    for target, edge in first.items():
        yield _DataStep(target, edge, node, further)
    users = graph.incoming.of(node).tolist()
    for edge in users:
        if graph.kind[edge] == _FLOWS:
            yield _DataStep(int(graph.source[edge]), edge, node, further)
    if up and returns(graph.path(node), graph.symbol(node)):
        callers = [edge for edge in users if graph.kind[edge] == _CALLS][:CALLERS_MAX]
        for edge in callers:
            yield _DataStep(int(graph.source[edge]), edge, node, further, back=True, line=int(graph.line[edge]))


def _told(questions: CodeQuestions, step: _DataStep, ending: str) -> CodeItem:
    """A step as it is shown: how data came there, and why it ends there."""
    said = questions.graph.said_on(step.edge) if step.edge >= 0 else None
    item = item_of(questions.graph, step.node, edge=step.edge, via=step.via, depth=step.depth)
    how = RETURNED if step.back else item.note if said is not None else ""
    note = "; ".join(part for part in (how, ending) if part)
    return item_of(questions.graph, step.node, edge=step.edge, via=step.via, depth=step.depth, note=note)


def _ending(questions: CodeQuestions, step: _DataStep, following: list[_DataStep], *, depth: int, seen: bool) -> str:
    """Why nothing follows a step; "" where something does."""
    if seen:
        return SEEN
    if not following:
        loose = questions.unsure_calls(step.node)
        return UNKNOWN.format(f"{loose} thing{'s' if loose > 1 else ''}") if loose else OUTSIDE
    return TOO_FAR if step.depth >= depth else ""
