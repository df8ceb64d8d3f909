"""Answers about what is known, drawn for people: explanations, conclusions, timelines, entities, concepts."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from recollect.interfaces.cli.views.cells import (
    BAD,
    DIM,
    GOOD,
    ID,
    WARN,
    bar,
    counted,
    day,
    missing,
    ruled,
    short,
    short_id,
    text,
)
from recollect.interfaces.drawing.concepts import ConceptLink, Concepts
from recollect.model.showable import inert

_LEVELS = {"confident": GOOD, "uncertain": WARN, "unknown": BAD}
_CHAINS = {
    "derived_from": "rests on",
    "derived_into": "what rests on it",
    "replaced": "stands in for",
    "replaced_by": "replaced by",
    "supported_by": "supported by",
    "contradicted_by": "contradicted by",
}
_BAR = 12


def explanation(data: Mapping[str, Any]) -> RenderableType:
    """A record, why it is believed, and the chains it hangs in."""
    record = data["record"]
    parts: list[RenderableType] = [
        Text.assemble((short_id(record["id"]), ID), f"  {record['kind']}"),
        text(record["content"], "bold"),
        *(text(f"· {each}") for each in data["because"]),
    ]
    if data["entities"]:
        parts.append(Text.assemble(("names ", DIM), text(", ".join(data["entities"]))))
    for name, title in _CHAINS.items():
        parts += _chain(title, data[name])
    return Group(*parts)


def _chain(title: str, records: Sequence[Mapping[str, Any]]) -> list[RenderableType]:
    if not records:
        return []
    table = ruled("when", title)
    for row in records:
        said = Group(text(short(row["content"])), text(short_id(row["id"]), DIM))
        table.add_row(day(row["event_time"] or row["created_at"]), said)
    return [table]


def fading(data: Mapping[str, Any]) -> RenderableType:
    """What is about to be forgotten, the soonest first."""
    if not data["results"]:
        return text("nothing is about to be forgotten", DIM)
    table = ruled("fades", "strength", "memory")
    for row in data["results"]:
        said = Group(text(short(row["memory"])), text(short_id(row["id"]), DIM))
        left = f"{bar(row['strength'] / (row['full'] or 1.0), _BAR)} {row['strength']:.2f}"
        table.add_row(day(row["fades_at"]), left, said)
    return Group(table, text("keep one with: recollect confirm ID", DIM))


def waiting(data: Mapping[str, Any]) -> RenderableType:
    """What waits for a person's word, the most pressing first."""
    if not data["results"]:
        return text("nothing waits for your word", DIM)
    table = ruled("why", "because", "memory")
    for row in data["results"]:
        said = Group(text(short(row["memory"] or "")), text(short_id(row["id"]), DIM))
        table.add_row(row["why"], text(short(row["reason"], 120)), said)
    return Group(
        table, text("decide with: recollect confirm, correct, flag, delete, or answer or dismiss a question", DIM)
    )


def questions(data: Mapping[str, Any]) -> RenderableType:
    """What to ask, the most important first."""
    if not data["results"]:
        return text("nothing to ask now", DIM)
    table = ruled("kind", "question")
    for row in data["results"]:
        table.add_row(row["kind"], Group(text(row["text"], "bold"), text(short_id(row["id"]), DIM)))
    return table


def assessment(data: Mapping[str, Any]) -> RenderableType:
    """How well a question can be answered."""
    level = Text(data["level"], _LEVELS.get(data["level"], ""))
    head = Text.assemble(level, f"  {bar(data['confidence'], _BAR)} {data['confidence']:.0%}")
    return Group(head, *(text(f"· {each}") for each in data["reasons"]))


def page(data: Mapping[str, Any]) -> RenderableType:
    """A page about a time."""
    parts: list[RenderableType] = [text(data["title"], "bold")]
    for section in data["sections"]:
        parts += [text(""), text(section["heading"], "bold")]
        for line in section["lines"]:
            told = text(f"  {line['text']}")
            parts.append(told if line["id"] is None else Text.assemble(told, " ", (short_id(line["id"]), ID)))
    if not data["sections"]:
        parts.append(text("nothing is known of this time", DIM))
    return Group(*parts)


def knowledge_map(data: Mapping[str, Any]) -> RenderableType:
    """The areas of what is known, those known best first."""
    if not data["domains"]:
        return text("there is no map yet; recollect maintain draws it", DIM)
    table = ruled("area", "records", "confidence", "fresh", "in doubt", "newest")
    for row in data["domains"]:
        sure = f"{bar(row['confidence'], _BAR)} {row['confidence']:.0%}"
        name = Group(text(row["label"], "bold"), text(short(row["summary"]), DIM))
        table.add_row(
            name, str(row["records"]), sure, f"{row['freshness']:.0%}", f"{row['uncertainty']:.0%}", day(row["newest"])
        )
    beside = f", {counted(data['unmapped'], 'record')} not on the map yet" if data["unmapped"] else ""
    return Group(table, text(f"known on the whole {data['coverage']:.0%}{beside}", DIM))


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
    parts += [_inquiry_tree(data["tree"]), *_evidence(data["results"], set(data["citations"]))]
    return Group(*parts, text(_summary(data), DIM), *missing(data))


def _inquiry_tree(root: Mapping[str, Any]) -> Tree:
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


_MARKS = {
    "beginning": ("●", ID),
    "addition": ("+", ""),
    "correction": ("↻", WARN),
    "reinforcement": ("✓", GOOD),
}
_PEAK = "▲"
_UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60))


def timeline(data: Mapping[str, Any]) -> RenderableType:
    """Steps, oldest first: when, what sort of change, and what it replaced; then the busiest stretches."""
    if not data["results"]:
        return Group(text(f"nothing is known about {data['topic']}", DIM), *missing(data))
    steps = Table.grid(padding=(0, 2))
    for event in data["results"]:
        mark, style = _MARKS.get(event["transition"], ("·", ""))
        busy = _PEAK if _in_a_peak(event["at"], data["peaks"]) else " "
        steps.add_row(
            day(event["at"]), text(busy, WARN), Text(mark, style), text(event["transition"], DIM), _what(event)
        )
    return Group(steps, *map(_peak, data["peaks"]), *missing(data))


def _what(event: Mapping[str, Any]) -> RenderableType:
    said: list[RenderableType] = [text(event["memory"], "bold")]
    if event["replaced"]:
        said.append(text(f"instead of: {short(event['replaced'])}", DIM))
    after = f" · {later(event['since_s'])}" if event["since_s"] else ""
    after += f" · until {day(event['ended_at']).partition(' ')[0]}" if event.get("ended_at") else ""
    said.append(text(f"{short_id(event['id'])}{after}", DIM))
    return Group(*said)


def later(seconds: float) -> str:
    """`3 days later`: whole numbers of the largest unit that fits."""
    for unit, length in _UNITS:
        if seconds >= length:
            return f"{counted(int(seconds // length), unit)} later"
    return "at once"


def _in_a_peak(moment: str, peaks: Sequence[Mapping[str, Any]]) -> bool:
    return any(peak["start"] <= moment < peak["end"] for peak in peaks)


def _peak(peak: Mapping[str, Any]) -> Text:
    return text(f"{_PEAK} {counted(peak['events'], 'step')} from {day(peak['start'])} to {day(peak['end'])}", WARN)


def entities(data: Mapping[str, Any]) -> RenderableType:
    """The most mentioned first."""
    if not data["results"]:
        return text("no entity is known here", DIM)
    table = ruled("name", "type", "mentions", "last seen", "also called")
    for each in data["results"]:
        others = short(", ".join(each["aliases"]))
        table.add_row(
            text(each["name"], "bold"), each["type"], str(each["mention_count"]), day(each["last_seen"]), text(others)
        )
    return table


def profile(data: Mapping[str, Any]) -> RenderableType:
    """One entity: names, company, and the records that say most and latest."""
    seen = f"{counted(data['mention_count'], 'mention')} from {day(data['first_seen'])} to {day(data['last_seen'])}"
    parts: list[RenderableType] = [
        Text.assemble(text(data["name"], "bold"), f"  {data['type']}  ", (data["id"], ID)),
        text(seen, DIM),
    ]
    if data["summary"]:
        parts.append(text(data["summary"]))
    parts += _line("also called", data["aliases"])
    parts += _line("together with", [f"{each['name']} ({each['count']})" for each in data["together"]])
    parts += _line("similar to", [f"{each['name']} ({each['similarity']:.2f})" for each in data["similar"]])
    told = {row["id"] for row in data["telling"]}
    newer = [row for row in data["newest"] if row["id"] not in told]
    return Group(*parts, *_records("telling", data["telling"]), *_records("newest", newer))


def _line(title: str, names: Sequence[str]) -> list[RenderableType]:
    return [Text.assemble((f"{title}: ", DIM), text(", ".join(names)))] if names else []


def _records(title: str, rows: Sequence[Mapping[str, Any]]) -> list[RenderableType]:
    if not rows:
        return []
    table = ruled("when", title)
    for row in rows:
        table.add_row(day(row["event_time"] or row["created_at"]), text(row["content"]))
    return [table]


TEXT_CHARS = 72
_AGAIN_CHARS = 40


def concept_graph(data: Mapping[str, Any]) -> RenderableType:
    """Trees of all that is connected, each from the concept asked about or the one with most relations."""
    graph = Concepts.from_dict(data)
    if not graph.nodes:
        return text("nothing is related yet", DIM)
    drawn: set[str] = set()
    trees = [_concept_tree(graph, start, drawn) for start in _starts(graph) if start not in drawn]
    figures = f"{counted(len(graph.nodes), 'record')}, {counted(len(graph.links), 'relation')}"
    hint = f"; {graph.left_out} more: raise --limit" if graph.left_out else ""
    return Group(*trees, text(figures + hint, DIM))


def _starts(graph: Concepts) -> list[str]:
    most = sorted(graph.nodes, key=lambda node: -len(graph.links_of[node.id]))
    return [*([graph.root] if graph.root in graph.by_id else []), *(node.id for node in most)]


def _concept_tree(graph: Concepts, start: str, drawn: set[str]) -> Tree:
    """What is connected with a concept, nearest first, so that nobody stands deeper than needed."""
    root = Tree(_node(graph, start))
    branches = {start: root}
    drawn.add(start)
    told: set[tuple[str, str]] = set()  # relations that are drawn already, by their id and other end
    waiting = deque([start])
    while waiting:
        here = waiting.popleft()
        for link in graph.links_of[here]:
            other = link.other(here)
            if (link.id, f"{link.source}{link.target}") in told:
                continue
            told.add((link.id, f"{link.source}{link.target}"))
            if other in drawn:
                branches[here].add(_arrow(link, here) + text(short(graph.by_id[other].text, _AGAIN_CHARS), DIM))
                continue
            drawn.add(other)
            branches[other] = branches[here].add(_arrow(link, here) + _node(graph, other))
            waiting.append(other)
    return root


def _node(graph: Concepts, id: str) -> Text:
    style = "bold" if id == graph.root else ""
    return Text.assemble(text(short(graph.by_id[id].text, TEXT_CHARS), style), "  ", (id[:8], ID))


def _arrow(link: ConceptLink, here: str) -> Text:
    """The relation as read from here; what was only guessed is marked, with how sure it is and its id to confirm."""
    label = text(link.label).plain
    drawn = f"—{label}—" if link.both_ways else f"—{label}→" if link.source == here else f"←{label}—"
    sure = f" ({link.confidence:.2f}? {link.id[:8]})" if link.auto_extracted else ""
    return Text(f"{drawn}{sure}  ", style=WARN)


def context_window(data: Mapping[str, Any]) -> RenderableType:
    """The text as it would be sent, lines as they are; figures only where a person looks."""
    whole = Text(inert(data["text"]), no_wrap=True, overflow="ignore")
    if not sys.stdout.isatty():  # what is piped goes to a model; what a person should know goes beside it
        for each in data["missing"]:
            print(f"! {inert(each)}", file=sys.stderr)
        return whole
    table = ruled("part", "tokens", "of", "records")
    for part in data["parts"]:
        shown = [item["detail"] for item in part["items"]]
        table.add_row(part["name"], str(part["tokens"]), str(part["budget"]), _by_detail(shown))
    exactly = "" if data["exact"] else "about "
    took = f"{exactly}{data['tokens']} of {data['limit']} tokens with the prompt, {data['mode']}"
    return Group(whole, Text(), *([table] if data["parts"] else []), text(took, DIM), *missing(data))


def _by_detail(shown: list[str]) -> str:
    return ", ".join(f"{shown.count(detail)} {detail.replace('_', ' ')}" for detail in dict.fromkeys(shown))
