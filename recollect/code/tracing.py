"""Where data goes from a function on: the calls it makes, the calls these make, and why each way ends."""

from __future__ import annotations

from recollect.code.answers import item_of, page
from recollect.code.packed import KINDS
from recollect.code.questions import CodeQuestions, Wanted
from recollect.model.code import CodeAnswer, CodeItem

_CALLS = KINDS.index("calls")
_NODES_MAX = 2000
OUTSIDE = "calls nothing of the project"
SEEN = "shown above"
TOO_FAR = "goes on; ask for more depth"
UNKNOWN = "calls {} that could not be resolved"


def trace(questions: CodeQuestions, source: str, wanted: Wanted, *, depth: int) -> CodeAnswer:
    """The calls that a file's or function's data flows into, depth first; `note` says why a way ends."""
    target = questions.meant(source)
    graph = questions.graph
    seen: set[int] = set()
    items: list[CodeItem] = []
    starts = [node for node in target.nodes.tolist() if graph.outgoing.of(node).size] or target.nodes.tolist()[:1]
    waiting = [(node, -1, -1, 0) for node in reversed(starts)]
    while waiting and len(items) < _NODES_MAX:
        node, edge, via, at = waiting.pop()
        calls = _calls_of(questions, node)
        note = _ending(questions, node, calls, at=at, depth=depth, seen=node in seen)
        items.append(item_of(graph, node, edge=edge, via=via, depth=at, note=note))
        if not note:
            seen.add(node)
            waiting.extend((int(graph.target[each]), each, node, at + 1) for each in reversed(calls))
    shown, following = page(items, start=wanted.start, limit=wanted.limit, max_tokens=wanted.max_tokens)
    ends = sum(bool(item.note) for item in items)
    words = f"{len(items)} steps, {ends} ends"
    counts = {"total": len(items), "ends": ends}
    return CodeAnswer(asked=target.label, summary=words, items=shown, counts=counts, next=following)


def _calls_of(questions: CodeQuestions, node: int) -> list[int]:
    """The calls of a node in the order of its lines, each target once."""
    graph = questions.graph
    edges = [edge for edge in graph.outgoing.of(node).tolist() if graph.kind[edge] == _CALLS]
    first: dict[int, int] = {}
    for edge in sorted(edges, key=lambda edge: int(graph.line[edge])):
        first.setdefault(int(graph.target[edge]), edge)
    return list(first.values())


def _ending(questions: CodeQuestions, node: int, calls: list[int], *, at: int, depth: int, seen: bool) -> str:
    """Why nothing follows a node here; "" where something does."""
    if seen:
        return SEEN
    if not calls:
        loose = questions.unsure_calls(node)
        return UNKNOWN.format(f"{loose} thing{'s' if loose > 1 else ''}") if loose else OUTSIDE
    return TOO_FAR if at >= depth else ""
