"""Answers drawn for people. Each function takes plain data, as JSON would show it, and gives something to print."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

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
    short,
    short_id,
    text,
    written,
)
from recollect.interfaces.cli.entries import FOLDED, FULL, SHORT, Folded, entry

_ROWS_SHOWN, _FILES_ROWS_SHOWN = 10, 3  # of a write, and of one that read files; the rest is counted
_FACTS_SHOWN = (
    "category",
    "tier",
    "speaker",
    "session_id",
    "user_id",
    "agent_id",
    "project",
    "squad",
    "channel",
    "source",
    "tags",
    "confidence",
    "importance",
    "version",
    "event_time",
    "valid_from",
    "valid_until",
    "created_at",
    "updated_at",
    "metadata",
    "attributes",
    "place",
)


def draw(sort: str, data: Any, look: str = FOLDED) -> RenderableType:
    """The drawing for a sort of answer; figures for a sort nobody drew yet. `look`: how long texts are shown."""
    name = sort.removesuffix(" | None")
    if name in _LISTS:
        return _LISTS[name](data, look)
    if name in _OWN:
        return _OWN[name](data)
    module, _, function = _ELSEWHERE.get(name, "figures.report").partition(".")
    drawing: Callable[[Any], RenderableType] = getattr(import_module(f"recollect.interfaces.cli.{module}"), function)
    return drawing(data)


def recollection(data: Mapping[str, Any], look: str = FOLDED) -> RenderableType:
    """Hits, best first, each with what it rests on and, if asked, how it got there."""
    trace = data.get("trace") or {}
    parts = _explained("question", trace["plan"]) if trace.get("plan") else []
    parts += [_hit(hit, trace, look) for hit in data["results"]]
    if look == SHORT and data["results"] and not data["abstained"]:
        return Group(*parts, *missing(data))
    if data["abstained"]:
        nearest = "; what comes nearest is shown" if data["results"] else ""
        parts.append(text(f"no answer here: {data['reason']}{nearest}", WARN))
    elif data["reason"]:
        parts.append(text(data["reason"], DIM))
    quality = data["quality"]
    if data["results"] or trace:
        figures = f"{len(data['results'])} of {quality['candidates']} candidates in {quality['latency_ms']:.1f} ms"
        parts.append(text(f"{figures}, {quality['level']}", DIM))
    if trace:
        parts += _explained("quality", quality, trace["notes"])
    return Group(*parts, *missing(data))


def _explained(part: str, *given: Any) -> list[RenderableType]:
    """A part of the story of an answer; few ask for it."""
    from recollect.interfaces.cli import explain

    told: list[RenderableType] = getattr(explain, part)(*given)
    return told


def hybrid(data: Mapping[str, Any], look: str = FOLDED) -> RenderableType:
    """Hits, and how long each step took."""
    stages = ", ".join(f"{name} {took:.1f}" for name, took in data["quality"]["stages_ms"].items())
    return Group(recollection(data, look), *([text(f"ms: {stages}", DIM)] if stages else []))


def receipt(data: Mapping[str, Any]) -> RenderableType:
    """What a write did, and how to take it back."""
    parts: list[RenderableType] = [_did(data)]
    words = {row["id"]: row["memory"] for row in data["results"] if row["memory"]}
    again = set(data["merged"])
    fresh = [each for each in data["ids"] if each not in again] + list(data.get("statements", ()))
    shown = _FILES_ROWS_SHOWN if data.get("files") else _ROWS_SHOWN
    parts += [_line_of(each, words.get(each, "")) for each in fresh[:shown]]
    if len(fresh) > shown:
        parts.append(text(f"  … and {len(fresh) - shown:,} more", DIM))
    which = "" if data.get("files") else " item {index}:"  # the reason names the file
    parts += [
        text(f"  skipped{which.format(index=each['index'])} {each['reason']}", WARN)
        for each in data["skipped"][:_ROWS_SHOWN]
    ]
    if len(data["skipped"]) > _ROWS_SHOWN:
        parts.append(text(f"  … and {len(data['skipped']) - _ROWS_SHOWN:,} more were skipped", WARN))
    parts += [text(f"  flag: {each}", WARN) for each in data["flags"]]
    parts += missing(data)
    return Group(*parts, *undo_hint(data))


def _did(data: Mapping[str, Any]) -> Text:
    """`✓ remembered 1 record, and 2 statements read from it; 3 were known already`."""
    event = next((row["event"] for row in data["results"]), "ADD")
    merged, drawn = len(data["merged"]), len(data.get("statements", ()))
    if event not in ("ADD", "NONE") or data["dry_run"]:
        mark, tail = ("·", " would be") if data["dry_run"] else ("✓", "")
        if data.get("undone"):
            return Text.assemble(
                (mark, GOOD), f" took back {data['undone']['verb']}: {counted(data['count'], 'record')}"
            )
        return Text.assemble((mark, GOOD), f" {counted(data['count'], 'record')}{tail} {_DONE.get(event, 'changed')}")
    kept = len(set(data["ids"]) - set(data["merged"]))
    files = data.get("files", 0)
    known = _known(data, merged, files)
    if not kept and (known or data["skipped"]):
        if known:
            return Text.assemble(("·", DIM), f" nothing new: {known}")
        return Text.assemble(("✗", BAD), " nothing was remembered")
    said = f" remembered {counted(kept, 'record')}" + (f" of {counted(files, 'file')}" if files else "")
    said += f", and {counted(drawn, 'statement')} read from {'it' if kept == 1 else 'them'}" if drawn else ""
    return Text.assemble(("✓", GOOD), said, f"; {known}" if known else "")


def _known(data: Mapping[str, Any], merged: int, files: int) -> str:
    """What was there before: of files those that say nothing new, otherwise records."""
    same = data.get("files_unchanged", 0)
    if same:
        of = "" if same == files else f" of {files:,}"
        return f"{same:,}{of} {'file' if files == 1 else 'files'} unchanged"
    return f"{counted(merged, 'record')} {'was' if merged == 1 else 'were'} known already" if merged else ""


def _line_of(id_: str, words: str) -> Text:
    line = Text(no_wrap=True, overflow="ellipsis")
    return line.append_text(Text.assemble("  ", (short_id(id_), ID), "  ", text(short(words, 400))))


def undo_hint(data: Mapping[str, Any]) -> list[RenderableType]:
    """How to take it back, where that can be done: not what was only tried, nor what was erased for good."""
    if not data.get("operation") or data.get("dry_run") or data.get("final"):
        return []
    again = "do it again" if data.get("undone") else "undo"
    return [text(f"  {again} with: recollect undo {short_id(data['operation'])}", DIM)]


def record(data: Mapping[str, Any]) -> RenderableType:
    """One record with everything worth knowing about it."""
    from rich.table import Table

    facts = Table.grid(padding=(0, 2))
    for name in _FACTS_SHOWN:
        given = data.get(name)
        if given not in (None, "", [], {}):
            facts.add_row(text(name, DIM), text(written(given, name)))
    head = Text.assemble((data["id"], ID), f"  {data['kind']}")
    return Group(head, text(data["content"], "bold"), facts)


def page(data: Mapping[str, Any], look: str = FOLDED) -> RenderableType:
    """A page of records."""
    if not data["results"]:
        return text(data.get("reason") or "nothing is stored here", DIM)
    more = [text(f"more with: --cursor {data['cursor']}", DIM)] if data.get("cursor") else []
    return Group(*(entry(row, look) for row in data["results"]), *more)


def history(data: Mapping[str, Any], look: str = FOLDED) -> RenderableType:
    """What happened to a record, oldest first."""
    parts: list[RenderableType] = []
    for each in data["results"]:
        done, version = each["operation"], each["record"]
        number = f" · version {version['version']}" if version else ""
        why = f" · {done['reason']}" if done["reason"] else ""
        undone = " (undone)" if done["undone"] else ""
        about = Text.assemble(
            (day(done["at"]), DIM),
            f"  {done['verb']}{undone}",
            text(f"{number}{why}", DIM),
            "  ",
            (short_id(done["id"]), ID),
        )
        content = version["content"] if version else ""
        if look == SHORT:
            parts.append(Text(no_wrap=True, overflow="ellipsis").append_text(about.append(f"  {short(content, 400)}")))
            continue
        said: RenderableType = Folded(content) if look == FOLDED else text(content)
        parts += [about, Padding(said if version else text("forgotten", BAD), (0, 0, 0, 2))]
    return Group(*parts) if parts else text("nothing happened to it", DIM)


def operations(data: Mapping[str, Any], look: str = FOLDED) -> RenderableType:
    """The journal, newest first, each with the first words of what it was about."""
    lines = [_operation(done, whole=look == FULL) for done in data["results"]]
    hint = text("take the last one back with: recollect undo; another one with its id", DIM)
    return Group(*lines, *([] if look == SHORT else [hint])) if lines else text("nothing was done yet", DIM)


def _operation(done: Mapping[str, Any], *, whole: bool) -> Text:
    undone = " (undone)" if done["undone"] else ""
    by = f" by {done['actor']}" if done["actor"] else ""
    about = done.get("about") or done["reason"] or ""
    more = f" +{done['count'] - 1:,}" if done["count"] > 1 else ""
    line = Text(no_wrap=not whole, overflow="fold" if whole else "ellipsis", style=DIM if undone else "")
    return line.append_text(
        Text.assemble(
            (short_id(done["id"]), ID),
            f"  {day(done['at'])}  ",
            (f"{done['verb']}{undone}{by}", "bold"),
            f"{more}  ",
            text(about if whole else short(about, 400)),
        )
    )


def neighbourhood(data: Mapping[str, Any], look: str = FOLDED) -> RenderableType:
    """Records around a record, and the relations between them."""
    if not data["results"]:
        return text("nothing is related", DIM)
    words = {row["id"]: short(row["content"], 40) for row in data["results"]}
    edges = [_edge(each, words) for each in data["edges"] if each["members"]]
    rows = (entry(row, look, figures=(counted(row["depth"], "hop"),)) for row in data["results"])
    return Group(*rows, *edges)


def edge(data: Mapping[str, Any]) -> RenderableType:
    """The id of a new relation."""
    return Text.assemble(("✓", GOOD), " related by ", (short_id(data.get("edge")), ID))


def _edge(edge: Mapping[str, Any], words: Mapping[str, str]) -> Text:
    *first, last = [words.get(member["id"], short_id(member["id"])) for member in edge["members"]]
    label, id_ = (f"  —{edge['label']}→  ", WARN), (short_id(edge["id"]), DIM)
    return Text.assemble("  ", text(" + ".join(first)), label, text(last), "  ", id_)


def _hit(hit: Mapping[str, Any], trace: Mapping[str, Any], look: str) -> RenderableType:
    if look == SHORT:
        return entry(hit, look, figures=(f"{hit['score']:.2f}",))
    under: list[RenderableType] = []
    for source in hit["sources"]:
        if source["id"] != hit["id"]:
            who = f"{source['speaker']}: " if source["speaker"] else ""
            when = day(source["event_time"] or source["created_at"])
            under.append(text(f"↳ {when} {who}{short(source['content'])}", DIM))
    under += _explained("story", trace, hit["id"]) if trace else []
    figures = (f"score {hit['score']:.2f}", f"trust {hit['trust']['composite']:.2f}")
    return entry(hit, look, figures=figures, under=under, style="bold")


_DONE = {"UPDATE": "changed", "DELETE": "forgotten", "UNDO": "put back as before", "ADD": "remembered"}
_LISTS: dict[str, Callable[[Any, str], RenderableType]] = {
    "Recollection": recollection,
    "HybridQuery": hybrid,
    "Page": page,
    "Neighbourhood": neighbourhood,
    "list[HistoryEntry]": history,
    "list[Operation]": operations,
}
_OWN: dict[str, Callable[[Any], RenderableType]] = {
    "Receipt": receipt,
    "Record": record,
    "str": edge,
    "Completion": lambda data: line(f"completion for {data['shell']} is in {data['path']}; open a new shell to use it"),
    "Path": lambda data: line(data["path"]),
}
_ELSEWHERE = {  # module.function, imported when there is something to draw
    "ContextWindow": "window.context_window",
    "list[Finding]": "figures.findings",
    "Report": "figures.report",
    "Timeline": "evolution.timeline",
    "EntityProfile": "entities.profile",
    "list[Entity]": "entities.entities",
    "Settings": "figures.settings",
    "Setting": "figures.setting",
    "SettingChanged": "figures.setting_changed",
    "Models": "models_view.models",
    "Model": "models_view.model",
    "Providers": "models_view.providers",
    "ConceptGraph": "concept_tree.concept_graph",
    "RunReport": "runs.run_report",
    "Explanation": "knowing.explanation",
    "list[FadingRecord]": "knowing.fading",
    "list[Waiting]": "knowing.waiting",
    "list[Question]": "knowing.questions",
    "Assessment": "knowing.assessment",
    "KnowledgeMap": "knowing.knowledge_map",
    "Reasoning": "reasoning.reasoning",
    "Setup": "setup_view.setup",
    "Bench": "speed.bench",
    "NewToken": "token_table.new_token",
    "Tokens": "token_table.tokens",
    "Imported": "sentences.imported",
    "Exported": "sentences.exported",
    "Settled": "sentences.settled",
    "Erased": "sentences.erased",
}
