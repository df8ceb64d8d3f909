"""Reasoning drawn for people: the answer, the tree of questions with what each found, and the evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text
from rich.tree import Tree

from recollect.interfaces.cli.cells import DIM, GOOD, ID, WARN, counted, day, missing, ruled, short, short_id, text

_HITS_SHOWN = 3  # of one question
_EVIDENCE_SHOWN = 10
_STATES = {"sufficient": GOOD, "gaps": WARN, "complex": WARN}
_WHY = {
    "part": "part",
    "compared": "compared",
    "inner": "about whom",
    "event": "event",
    "counted": "each time",
    "bridge": "by name",
    "gap": "gap",
    "sub_question": "part",
}


def reasoning(data: Mapping[str, Any]) -> RenderableType:
    """The answer, how it came about, and what it rests on."""
    parts: list[RenderableType] = []
    if data["answer"]:
        parts += [text(data["answer"], "bold"), Text("")]
    parts += [_tree(data["tree"]), *_evidence(data["results"], set(data["citations"]))]
    return Group(*parts, text(_summary(data), DIM), *missing(data))


def _tree(root: Mapping[str, Any]) -> Tree:
    drawn = Tree(_question(root), guide_style=DIM)
    _grow(drawn, root)
    return drawn


def _grow(drawn: Tree, node: Mapping[str, Any]) -> None:
    led_to = {each["target"] for each in node["followed"]}
    hits = [hit for hit in node["hits"] if hit["id"] not in led_to and hit["score"] > 0]
    for hit in hits[:_HITS_SHOWN]:
        drawn.add(_hit(hit))
    if len(hits) > _HITS_SHOWN:
        drawn.add(text(f"… and {counted(len(hits) - _HITS_SHOWN, 'record')} more", DIM))
    by_id = {hit["id"]: hit for hit in node["hits"]}
    for each in node["followed"]:
        label = Text.assemble((f"—{each['edge']['label']}→ ", WARN), _hit(by_id[each["target"]]))
        drawn.add(label)
    for child in node["children"]:
        _grow(drawn.add(_question(child)), child)


def _question(node: Mapping[str, Any]) -> Text:
    judged = node["judgement"]
    why = _WHY.get(node["why"])
    said = "; ".join(judged["reasons"]) or "; ".join(judged["gaps"])
    return Text.assemble(
        (f"{why}: " if why else "", DIM),
        text(node["question"], "bold"),
        "  ",
        (judged["state"], _STATES.get(judged["state"], "")),
        text(f"  {short(said, 90)}" if said else "", DIM),
        *([text(f"\n{node['answer']}", "italic")] if node["answer"] and node["depth"] else []),
    )


def _hit(hit: Mapping[str, Any]) -> Text:
    return Text.assemble(
        (short_id(hit["id"]), ID), f"  {hit['score']:.2f}  {day(hit['when'])}  ", text(short(hit["memory"]))
    )


def _evidence(hits: Sequence[Mapping[str, Any]], cited: set[str]) -> list[RenderableType]:
    if not hits:
        return [text("nothing stored here bears on it", WARN)]
    table = ruled("score", "when", "evidence")
    for hit in hits[:_EVIDENCE_SHOWN]:
        mark = Text("✓ ", GOOD) if hit["id"] in cited else Text("")
        said = Group(Text.assemble(mark, text(short(hit["memory"], 160))), text(short_id(hit["id"]), DIM))
        table.add_row(f"{hit['score']:.3f}", day(hit["event_time"] or hit["created_at"]), said)
    left = len(hits) - _EVIDENCE_SHOWN
    return [table, *([text(f"… and {counted(left, 'record')} more", DIM)] if left > 0 else [])]


def _summary(data: Mapping[str, Any]) -> str:
    asked = sum(1 for step in data["steps"] if step["kind"] in ("recall", "sub_question", "bridge"))
    said = f"{counted(asked, 'question')}, {data['depth']} deep, ended: {data['stopped']}"
    if data["calls"]:
        said += f" · {counted(data['calls'], 'call')} to {data['model']}, about {data['tokens']} tokens"
    return said
