"""Answers about records, drawn for people: hits, receipts, records, histories and what is near them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.text import Text

from recollect.interfaces.cli.views import FOLDED, FULL, SHORT
from recollect.interfaces.cli.views.cells import (
    BAD,
    DIM,
    GOOD,
    ID,
    WARN,
    bar,
    counted,
    day,
    grid,
    missing,
    short,
    short_id,
    text,
    written,
)
from recollect.interfaces.places import placed
from recollect.interfaces.validity import standing

_LINES = 4  # of a folded text
_INDENT = 2


class Folded:
    """A text of which the first lines are shown; how many more there are is said."""

    def __init__(self, content: str, style: str = "", lines: int = _LINES) -> None:
        self._text = text(content.rstrip(), style)
        self._lines = lines

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = self._text.wrap(console, options.max_width)
        if len(lines) <= self._lines + 1:  # a line that says "one more line" would take its place
            yield self._text
            return
        told = [line for line in lines if line.plain.strip()]  # of a few lines none is spent on nothing
        if len(told) <= self._lines + 1:
            yield from told
            return
        yield from told[: self._lines]
        yield text(f"… {len(told) - self._lines} more lines", DIM)


def entry(
    row: Mapping[str, Any],
    look: str,
    *,
    figures: Iterable[str] = (),
    under: Iterable[RenderableType] = (),
    style: str = "",
) -> RenderableType:
    """One record. `figures` stand beside its id, `under` below it."""
    content = row.get("memory") or row["content"]
    when = day(row["event_time"] or row["created_at"])
    if look == SHORT:
        shown = Text(no_wrap=True, overflow="ellipsis")
        beside = " ".join((*figures, when.partition(" ")[0]))
        ended = f"({standing(row)})  " if standing(row) else ""
        told = text(short(content, 400))
        return shown.append_text(Text.assemble((short_id(row["id"]), ID), f"  {beside}  ", (ended, WARN), told))
    whole = text(content.rstrip(), style) if look == FULL else Folded(content, style)
    place = placed(row.get("place"))
    about = Text(style=DIM)
    if place:
        about.append_text(text(f"{place}  "))
    about.append(short_id(row["id"]), ID)
    about.append_text(text(" · ".join(("", *figures, when, *_who(row)))))
    if ended := standing(row):
        about.append_text(text(f" · {ended}", WARN))
    return Group(whole, Padding(Group(about, *under), (0, 0, 0, _INDENT)))


def _who(row: Mapping[str, Any]) -> list[str]:
    """What sort it is, who said it and where."""
    kind = str(row["category"] if row.get("category") not in (None, "", row["kind"]) else row["kind"])
    said = [f"by {row['speaker']}"] if row.get("speaker") else []
    return [kind, *said, *([f"session {row['session_id']}"] if row.get("session_id") else [])]


NOTHING: Mapping[str, Any] = {}
_WORTH_SHOWN = 0.0005  # what would be drawn as 0.000 is left out
_SOURCES = {"text": "words", "vector": "meaning", "graph": "relations", "temporal": "time"}


def question_told(plan: Mapping[str, Any]) -> list[RenderableType]:
    """How the question was read; nothing where it was empty and there was nothing to read."""
    if not plan:
        return []
    asks = "" if plan["asks"] == "general" else f", asks {plan['asks']}"
    said = [f"read as {plan['kind']}{asks} (certainty {plan['certainty']:.2f})"]
    said += ["complex"] if plan["complex"] else []
    said += [f"“{plan['when']}” is {_windows(plan['windows'])}"] if plan["windows"] else []
    leans = [f"{_SOURCES.get(name, name)} ×{lean:.2g}" for name, lean in plan["lean"].items() if abs(lean - 1) > 0.005]
    said += ["leans on " + ", ".join(leans)] if leans else []
    return [text(" · ".join(said), DIM)]


def story(trace: Mapping[str, Any], hit_id: str) -> list[RenderableType]:
    """What found one hit, what spoke for it, over which relations it came, and how each step moved it."""
    facts = grid(2)
    found_by = trace["found_by"].get(hit_id)
    if found_by:
        facts.add_row(text("found by", DIM), text(" · ".join(f"{name} #{place}" for name, place in found_by.items())))
    parts = [step for step in trace["hits"].get(hit_id, ()) if step["contribution"] >= _WORTH_SHOWN]
    if parts:
        facts.add_row(text("worth", DIM), _parts(parts, _most(trace)))
    moves = trace["moves"].get(hit_id)
    if moves:
        facts.add_row(text("rank", DIM), text(moved(moves)))
    if hit_id in trace["via"]:
        facts.add_row(text("came", DIM), text(trace["via"][hit_id]))
    return [facts] if facts.row_count else []


def moved(moves: Sequence[Mapping[str, Any]]) -> str:
    """`4 → 2 by belief (kind +0.020) → 1 by current`: the places of a hit; a step that changed nothing is left out."""
    first, *later = moves
    said = str(first["rank"]) if first["step"] == "rank" else f"{first['rank']} by {first['step']}"
    rank = first["rank"]
    for move in later:
        by = ", ".join(f"{name} {what:+.3f}" for name, what in move["by"].items() if abs(what) >= _WORTH_SHOWN)
        if by or move["rank"] != rank:
            said += f" → {move['rank']} by {move['step']}" if move["rank"] != rank else f", {move['step']}"
            said += f" ({by})" if by else ""
        rank = move["rank"]
    return said


def quality_told(figures: Mapping[str, Any], notes: Sequence[str]) -> list[RenderableType]:
    """What the search cost and how good it thinks its answer is."""
    stages = " · ".join(f"{name} {spent:.1f}" for name, spent in figures["stages_ms"].items() if spent >= 0.05)
    judged = (
        f"order by {figures['strategy']} · relevancy {figures['relevancy']:.2f} · nDCG {figures['ndcg']:.2f} · "
        f"answerable {figures['answerable']:.2f}"
    )
    lines = [judged, *([f"ms: {stages}"] if stages else []), *notes]
    return [text(line, DIM) for line in lines]


def _most(trace: Mapping[str, Any]) -> float:
    """The greatest part of any hit: bars of all hits are shares of it, so that they can be compared."""
    return max(float(step["contribution"]) for steps in trace["hits"].values() for step in steps)


def _parts(parts: Sequence[Mapping[str, Any]], most: float) -> RenderableType:
    """What each part put in, the most first; bars are shares of `most`."""
    drawn = grid(1)
    ordered = sorted(parts, key=lambda step: -float(step["contribution"]))
    for step in ordered:
        worth = step["contribution"]
        drawn.add_row(text(step["source"]), f"{worth:.3f}", text(bar(worth / most), GOOD), text(_place(step), DIM))
    return drawn


def _place(step: Mapping[str, Any]) -> str:
    return "best of all" if step["rank"] == 1 else f"#{step['rank']}"


def _windows(windows: Sequence[Sequence[str | None]]) -> str:
    return " or ".join(_window(start, end) for start, end in windows)


def _window(start: str | None, end: str | None) -> str:
    if start is None:
        return f"before {day(end)}"
    return f"{day(start)} to {day(end)}" if end is not None else f"from {day(start)} on"


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


def recollection(data: Mapping[str, Any], look: str = FOLDED) -> RenderableType:
    """Hits, best first, each with what it rests on and, if asked, how it got there."""
    trace = data.get("trace") or {}
    parts = question_told(trace["plan"]) if trace.get("plan") else []
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
        parts += quality_told(quality, trace["notes"])
    return Group(*parts, *missing(data))


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
    facts = grid(2)
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
    rows = (entry(row, look, figures=_hops(row)) for row in data["results"])
    return Group(*rows, *edges)


def _hops(row: Mapping[str, Any]) -> tuple[str, ...]:
    """How far from the record that was asked for; nothing where none was."""
    return () if row["depth"] is None else (counted(row["depth"], "hop"),)


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
    under += story(trace, hit["id"]) if trace else []
    figures = (f"score {hit['score']:.2f}", f"trust {hit['trust']['composite']:.2f}")
    return entry(hit, look, figures=figures, under=under, style="bold")


_DONE = {"UPDATE": "changed", "DELETE": "forgotten", "UNDO": "put back as before", "ADD": "remembered"}
