"""Answers drawn for people. Each function takes plain data, as JSON would show it, and gives something to print."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from recollect.interfaces.cli import explain
from recollect.interfaces.cli.cells import (
    BAD,
    DIM,
    GOOD,
    ID,
    WARN,
    counted,
    day,
    line,
    missing,
    ruled,
    short,
    text,
    written,
)
from recollect.interfaces.cli.concept_tree import concept_graph
from recollect.interfaces.cli.entities import entities, profile
from recollect.interfaces.cli.evolution import timeline
from recollect.interfaces.cli.figures import findings, report, setting, settings
from recollect.interfaces.cli.knowing import assessment, explanation, fading, knowledge_map, questions, waiting
from recollect.interfaces.cli.models_view import model, models, providers
from recollect.interfaces.cli.reasoning import reasoning
from recollect.interfaces.cli.runs import run_report
from recollect.interfaces.cli.setup_view import setup
from recollect.interfaces.cli.speed import bench
from recollect.interfaces.cli.token_table import new_token, tokens
from recollect.interfaces.cli.window import context_window

_ROWS_SHOWN = 10  # of a write; the rest is counted
_FACTS_SHOWN = ("category", "tier", "speaker", "session_id", "user_id", "agent_id", "project", "squad", "channel",
              "source", "tags", "confidence", "importance", "version", "event_time", "valid_from", "valid_until",
              "created_at", "updated_at", "metadata", "attributes", "place")  # fmt: skip


def draw(sort: str, data: Any) -> RenderableType:
    """The drawing for a sort of answer; figures for a sort nobody drew yet."""
    name = sort.removesuffix(" | None")
    drawing: Callable[[Any], RenderableType] = _DRAWINGS.get(name, report)
    return drawing(data)


def recollection(data: Mapping[str, Any]) -> RenderableType:
    """Hits, best first, each with what it rests on and, if asked, how it got there."""
    trace = data.get("trace") or explain.NOTHING
    table = ruled("score", "when", "kind", "memory")
    for hit in data["results"]:
        kind = hit["kind"] if hit["category"] == hit["kind"] else f"{hit['kind']}\n{hit['category']}"
        table.add_row(f"{hit['score']:.3f}", day(hit["event_time"] or hit["created_at"]), kind, _hit(hit, trace))
    parts = [*explain.question(trace.get("plan", explain.NOTHING)), *([table] if data["results"] else [])]
    if data["abstained"]:
        nearest = "; what comes nearest is shown" if data["results"] else ""
        parts.append(text(f"no answer here: {data['reason']}{nearest}", WARN))
    elif data["reason"]:
        parts.append(text(data["reason"], DIM))
    quality = data["quality"]
    figures = f"{len(data['results'])} of {quality['candidates']} candidates in {quality['latency_ms']:.1f} ms"
    parts.append(text(f"{figures}, {quality['level']}", DIM))
    if trace:
        parts += explain.quality(quality, trace["notes"])
    return Group(*parts, *missing(data))


def hybrid(data: Mapping[str, Any]) -> RenderableType:
    """Hits, and how long each step took."""
    stages = ", ".join(f"{name} {took:.1f}" for name, took in data["quality"]["stages_ms"].items())
    return Group(recollection(data), *([text(f"ms: {stages}", DIM)] if stages else []))


def receipt(data: Mapping[str, Any]) -> RenderableType:
    """What a write did, and the operation that takes it back."""
    mark, tail = ("·", " would change") if data["dry_run"] else ("✓", "")
    parts: list[RenderableType] = [Text.assemble((mark, GOOD), f" {counted(data['count'], 'record')}{tail}")]
    words = {row["id"]: row["memory"] for row in data["results"] if row["memory"]}
    parts += [
        Text.assemble("  ", (each, ID), "  ", text(short(words.get(each, "")))) for each in data["ids"][:_ROWS_SHOWN]
    ]
    if len(data["ids"]) > _ROWS_SHOWN:
        parts.append(text(f"  … and {len(data['ids']) - _ROWS_SHOWN} more", DIM))
    parts += [text(f"  merged into {each}", DIM) for each in data["merged"][:_ROWS_SHOWN]]
    if len(data["merged"]) > _ROWS_SHOWN:
        parts.append(text(f"  … and {len(data['merged']) - _ROWS_SHOWN} more stayed as they were", DIM))
    parts += [text(f"  skipped item {each['index']}: {each['reason']}", WARN) for each in data["skipped"]]
    parts += [text(f"  flag: {each}", WARN) for each in data["flags"]]
    parts += missing(data)
    if data["operation"]:
        parts.append(text(f"  undo with: recollect undo {data['operation']}", DIM))
    return Group(*parts)


def record(data: Mapping[str, Any]) -> RenderableType:
    """One record with everything worth knowing about it."""
    facts = Table.grid(padding=(0, 2))
    for name in _FACTS_SHOWN:
        given = data.get(name)
        if given not in (None, "", [], {}):
            facts.add_row(text(name, DIM), text(written(given, name)))
    head = Text.assemble((data["id"], ID), f"  {data['kind']}")
    return Group(head, text(data["content"], "bold"), facts)


def page(data: Mapping[str, Any]) -> RenderableType:
    """A page of records."""
    if not data["results"]:
        return text("nothing is stored here", DIM)
    table = _records(data["results"])
    more = [text(f"more with: --cursor {data['cursor']}", DIM)] if data.get("cursor") else []
    return Group(table, *more)


def history(data: Mapping[str, Any]) -> RenderableType:
    """What happened to a record, oldest first."""
    table = ruled("when", "did", "version", "memory")
    for entry in data["results"]:
        done, version = entry["operation"], entry["record"]
        why = f"\n{done['reason']}" if done["reason"] else ""
        content = text(version["content"]) if version else text("erased", BAD)
        number = f"{version['version']}" if version else ""
        table.add_row(
            day(done["at"]), text(done["verb"] + (" (undone)" if done["undone"] else "") + why), number, content
        )
    return table


def operations(data: Mapping[str, Any]) -> RenderableType:
    """The journal, newest first."""
    table = ruled("when", "did", "records", "operation")
    for done in data["results"]:
        verb = text(done["verb"] + (" (undone)" if done["undone"] else ""), DIM if done["undone"] else "")
        table.add_row(day(done["at"]), verb, str(done["count"]), text(done["id"], ID))
    return table if data["results"] else text("nothing was done yet", DIM)


def neighbourhood(data: Mapping[str, Any]) -> RenderableType:
    """Records around a record, and the relations between them."""
    if not data["results"]:
        return text("nothing is related", DIM)
    words = {row["id"]: short(row["content"], 40) for row in data["results"]}
    edges = [_edge(each, words) for each in data["edges"] if each["members"]]
    return Group(_records(data["results"], depth=True), *edges)


def edge(data: Mapping[str, Any]) -> RenderableType:
    """The id of a new relation."""
    return Text.assemble(("✓", GOOD), " related by ", (data.get("edge", ""), ID))


def _edge(edge: Mapping[str, Any], words: Mapping[str, str]) -> Text:
    *first, last = [words.get(member["id"], member["id"]) for member in edge["members"]]
    return Text.assemble("  ", text(" + ".join(first)), (f"  —{edge['label']}→  ", WARN), text(last), f"  {edge['id']}")


def _hit(hit: Mapping[str, Any], trace: Mapping[str, Any]) -> RenderableType:
    parts: list[RenderableType] = [text(hit["memory"], "bold")]
    about = [hit["id"], f"trust {hit['trust']['composite']:.2f}"]
    about += [f"{name} {hit[key]}" for name, key in (("by", "speaker"), ("session", "session_id")) if hit[key]]
    parts.append(text(" · ".join(about), DIM))
    for source in hit["sources"]:
        if source["id"] != hit["id"]:
            who = f"{source['speaker']}: " if source["speaker"] else ""
            when = day(source["event_time"] or source["created_at"])
            parts.append(text(f"↳ {when} {who}{short(source['content'])}", DIM))
    return Group(*parts, *(explain.story(trace, hit["id"]) if trace else ()))


def _records(rows: Iterable[Mapping[str, Any]], *, depth: bool = False) -> Table:
    table = ruled(*(["hops"] if depth else []), "when", "kind", "memory")
    for row in rows:
        cells = [str(row["depth"])] if depth else []
        content = Group(text(row["content"]), text(row["id"], DIM))
        table.add_row(*cells, day(row["event_time"] or row["created_at"]), row["kind"], content)
    return table


_DRAWINGS: dict[str, Callable[[Any], RenderableType]] = {
    "Recollection": recollection, "Receipt": receipt, "Record": record, "Page": page, "Neighbourhood": neighbourhood,
    "ContextWindow": context_window,
    "list[HistoryEntry]": history, "list[Operation]": operations, "list[Finding]": findings, "str": edge,
    "Report": report, "Timeline": timeline, "EntityProfile": profile, "list[Entity]": entities,
    "Settings": settings, "Setting": setting, "Models": models, "Model": model, "Providers": providers,
    "ConceptGraph": concept_graph, "HybridQuery": hybrid,
    "RunReport": run_report, "Explanation": explanation, "list[FadingRecord]": fading, "list[Waiting]": waiting,
    "list[Question]": questions, "Assessment": assessment, "KnowledgeMap": knowledge_map, "Reasoning": reasoning,
    "Setup": setup, "Bench": bench,
    "Completion": lambda data: line(f"completion for {data['shell']} is in {data['path']}; open a new shell to use it"),
    "Path": lambda data: line(data["path"]), "NewToken": new_token, "Tokens": tokens,
}  # fmt: skip
