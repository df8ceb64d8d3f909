"""Answers drawn for people. Each function takes plain data, as JSON would show it, and gives something to print."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from recollect.interfaces.cli.answer import printable

_GOOD, _BAD, _WARN, _DIM, _ID = "green", "red", "yellow", "dim", "cyan"
_ROW_SHOWN = ("category", "tier", "speaker", "session_id", "user_id", "agent_id", "project", "squad", "channel",
              "source", "tags", "confidence", "importance", "version", "event_time", "valid_from", "valid_until",
              "created_at", "updated_at", "metadata", "attributes", "place")  # fmt: skip


def draw(sort: str, data: Any) -> RenderableType:
    """The drawing for a sort of answer; figures for a sort nobody drew yet."""
    name = sort.removesuffix(" | None")
    return _DRAWINGS.get(name, _report)(data)


def day(moment: str | None) -> str:
    """The date of an ISO time, with the hour when it has one."""
    if not moment:
        return ""
    date, _, clock = moment.partition("T")
    return date if clock.startswith("00:00:00") else f"{date} {clock[:5]}"


def text(content: Any, style: str = "") -> Text:
    """Text as it is: no markup is read, and nothing in it steers the terminal."""
    return Text(printable(str(content)), style=style)


def recollection(data: Mapping[str, Any]) -> RenderableType:
    """Hits, best first, each with what it rests on and, if asked, how it got there."""
    steps = (data.get("trace") or {}).get("hits", {})
    table = _table("score", "when", "kind", "memory")
    for hit in data["results"]:
        kind = hit["kind"] if hit["category"] == hit["kind"] else f"{hit['kind']}\n{hit['category']}"
        table.add_row(
            f"{hit['score']:.3f}", day(hit["event_time"] or hit["created_at"]), kind, _hit(hit, steps.get(hit["id"]))
        )
    parts: list[RenderableType] = [table] if data["results"] else []
    if data["abstained"] or not data["results"]:
        parts.append(text(data["reason"] or "nothing stored answers that", _WARN))
    quality = data["quality"]
    figures = f"{len(data['results'])} of {quality['candidates']} candidates in {quality['latency_ms']:.1f} ms"
    parts.append(text(f"{figures}, {quality['level']}", _DIM))
    return Group(*parts, *_missing(data))


def receipt(data: Mapping[str, Any]) -> RenderableType:
    """What a write did, and the operation that takes it back."""
    verb = "would change" if data["dry_run"] else "changed"
    parts: list[RenderableType] = [
        Text.assemble((_tick(data["dry_run"]), _GOOD), f" {verb} {_counted(data['count'], 'record')}")
    ]
    for row in data["results"][:10]:
        parts.append(Text.assemble("  ", (row["id"], _ID), "  ", text(_short(row["memory"]))))
    shown = {row["id"] for row in data["results"]}
    parts += [Text.assemble("  ", (each, _ID)) for each in data["ids"][:10] if each not in shown]
    if len(data["ids"]) > 10:
        parts.append(text(f"  … and {len(data['ids']) - 10} more", _DIM))
    parts += [text(f"  merged into {each}", _DIM) for each in data["merged"]]
    parts += [text(f"  skipped item {each['index']}: {each['reason']}", _WARN) for each in data["skipped"]]
    parts += [text(f"  flag: {each}", _WARN) for each in data["flags"]]
    parts += _missing(data)
    if data["operation"]:
        parts.append(text(f"  undo with: recollect undo {data['operation']}", _DIM))
    return Group(*parts)


def record(data: Mapping[str, Any]) -> RenderableType:
    """One record with everything worth knowing about it."""
    facts = Table.grid(padding=(0, 2))
    for name in _ROW_SHOWN:
        value = data.get(name)
        if value not in (None, "", [], {}):
            facts.add_row(text(name, _DIM), text(_value(name, value)))
    head = Text.assemble((data["id"], _ID), f"  {data['kind']}")
    return Group(head, text(data["content"], "bold"), facts)


def page(data: Mapping[str, Any]) -> RenderableType:
    """A page of records."""
    if not data["results"]:
        return text("nothing is stored here", _DIM)
    table = _records(data["results"])
    more = [text(f"more with: --cursor {data['cursor']}", _DIM)] if data.get("cursor") else []
    return Group(table, *more)


def history(data: Mapping[str, Any]) -> RenderableType:
    """What happened to a record, oldest first."""
    table = _table("when", "did", "version", "memory")
    for entry in data["results"]:
        done, version = entry["operation"], entry["record"]
        why = f"\n{done['reason']}" if done["reason"] else ""
        content = text(version["content"]) if version else text("erased", _BAD)
        number = f"{version['version']}" if version else ""
        table.add_row(day(done["at"]), text(done["verb"] + (" (undone)" if done["undone"] else "") + why), number, content)
    return table


def operations(data: Mapping[str, Any]) -> RenderableType:
    """The journal, newest first."""
    table = _table("when", "did", "records", "operation")
    for done in data["results"]:
        verb = text(done["verb"] + (" (undone)" if done["undone"] else ""), _DIM if done["undone"] else "")
        table.add_row(day(done["at"]), verb, str(done["count"]), text(done["id"], _ID))
    return table if data["results"] else text("nothing was done yet", _DIM)


def neighbourhood(data: Mapping[str, Any]) -> RenderableType:
    """Records around a record, and the relations between them."""
    if not data["results"]:
        return text("nothing is related", _DIM)
    words = {row["id"]: _short(row["content"], 40) for row in data["results"]}
    edges = [
        Text.assemble(
            "  ", text(" + ".join(words.get(m["id"], m["id"][:8]) for m in edge["members"][:-1])),
            (f"  —{edge['label']}→  ", _WARN), text(words.get(edge["members"][-1]["id"], edge["members"][-1]["id"][:8])),
            (f"  {edge['id']}", _DIM),
        )
        for edge in data["edges"]
        if edge["members"]
    ]  # fmt: skip
    return Group(_records(data["results"], depth=True), *edges)


def findings(data: Mapping[str, Any]) -> RenderableType:
    """What the doctor saw, with cures."""
    table = Table.grid(padding=(0, 2))
    for each in data["findings"]:
        mark = Text("✓", _GOOD) if each["ok"] else Text("✗", _BAD)
        detail = text(each["detail"])
        if each["cure"]:
            detail.append(f"\n→ {printable(each['cure'])}", _WARN)
        table.add_row(mark, text(each["check"]), detail)
    return table


def edge(data: Mapping[str, Any]) -> RenderableType:
    """The id of a new relation."""
    return Text.assemble(("✓", _GOOD), " related by ", (data.get("edge", ""), _ID))


def settings(data: Mapping[str, Any]) -> RenderableType:
    """Settings with their values, origins and ranges."""
    table = _table("setting", "value", "from", "range")
    for row in data["settings"]:
        changed = row["origin"] != "default"
        unit = f" {row['unit']}" if row["unit"] else ""
        origin = text(row["origin"], _WARN if changed else _DIM)
        table.add_row(text(row["key"], _ID), text(_value("", row["value"]) + unit), origin, text(row["range"], _DIM))
    return Group(table, *(text(each, _WARN) for each in data["warnings"]))


def setting(data: Mapping[str, Any]) -> RenderableType:
    """One setting."""
    unit = f" {data['unit']}" if data["unit"] else ""
    about = f"{data['doc']}\nfrom {data['origin']}, default {_value('', data['default'])}, range {data['range']}"
    return Group(text(_value("", data["value"]) + unit, "bold"), text(about, _DIM))


def models(data: Mapping[str, Any]) -> RenderableType:
    """Embedders."""
    table = _table("embedder", "installed", "")
    for row in data["embedders"]:
        state = Text("✓", _GOOD) if row["installed"] else Text("✗", _BAD)
        note = f"configured as {data['configured']}" if row["configured"] else row["install"] or ""
        table.add_row(text(row["embedder"], _ID), state, text(note, _GOOD if row["configured"] else _DIM))
    return table


def _report(data: Mapping[str, Any]) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    for name, value in data.items():
        if name in ("warnings", "operation") or value is None:
            continue
        table.add_row(text(name.replace("_", " "), _DIM), _figure(value))
    parts: list[RenderableType] = [table, *(text(f"! {each}", _WARN) for each in data.get("warnings", ()))]
    if data.get("operation"):
        parts.append(text(f"undo with: recollect undo {data['operation']}", _DIM))
    return Group(*parts)


def _figure(value: Any) -> RenderableType:
    if isinstance(value, Mapping):
        return text(", ".join(f"{name} {_value('', each)}" for name, each in value.items()) or "none")
    if isinstance(value, list) and value and isinstance(value[0], Mapping):
        return text("\n".join(", ".join(f"{name} {each}" for name, each in row.items()) for row in value))
    return text(_value("", value), _GOOD if value == "ok" else "")


def _hit(hit: Mapping[str, Any], steps: Iterable[Mapping[str, Any]] | None) -> RenderableType:
    parts: list[RenderableType] = [text(hit["memory"], "bold")]
    about = [hit["id"], f"trust {hit['trust']['composite']:.2f}"]
    about += [f"{name} {hit[key]}" for name, key in (("by", "speaker"), ("session", "session_id")) if hit[key]]
    parts.append(text(" · ".join(about), _DIM))
    for source in hit["sources"]:
        if source["id"] != hit["id"]:
            who = f"{source['speaker']}: " if source["speaker"] else ""
            when = day(source["event_time"] or source["created_at"])
            parts.append(text(f"↳ {when} {who}{_short(source['content'])}", _DIM))
    if steps:
        parts.append(_steps(steps))
    return Group(*parts)


def _steps(steps: Iterable[Mapping[str, Any]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, header_style=_DIM, style=_DIM, pad_edge=False)
    for name in ("source", "rank", "score", "worth"):
        table.add_column(name, justify="left" if name == "source" else "right")
    for step in steps:
        table.add_row(text(step["source"]), str(step["rank"]), f"{step['score']:.4f}", f"{step['contribution']:.4f}")
    return table


def _records(rows: Iterable[Mapping[str, Any]], *, depth: bool = False) -> Table:
    table = _table(*(["hops"] if depth else []), "when", "kind", "memory")
    for row in rows:
        cells = [str(row["depth"])] if depth else []
        content = Group(text(row["content"]), text(row["id"], _DIM))
        table.add_row(*cells, day(row["event_time"] or row["created_at"]), row["kind"], content)
    return table


def _table(*columns: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False)
    for name in columns:
        table.add_column(name, overflow="fold", no_wrap=name in ("score", "when", "hops"))
    return table


def _missing(data: Mapping[str, Any]) -> list[RenderableType]:
    return [text(f"! without {each}", _WARN) for each in data.get("missing", ())]


def _value(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {each}" for key, each in value.items())
    if isinstance(value, float):
        return f"{value:g}"
    return day(value) if name.endswith(("_at", "_time", "_from", "_until")) else str(value)


def _short(content: str, chars: int = 90) -> str:
    line = " ".join(content.split())
    return line if len(line) <= chars else line[: chars - 1] + "…"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _tick(dry: bool) -> str:
    return "·" if dry else "✓"


_DRAWINGS: dict[str, Callable[[Any], RenderableType]] = {
    "Recollection": recollection, "Receipt": receipt, "Record": record, "Page": page, "Neighbourhood": neighbourhood,
    "list[HistoryEntry]": history, "list[Operation]": operations, "list[Finding]": findings, "str": edge,
    "Report": _report, "Settings": settings, "Setting": setting, "Models": models,
    "Path": lambda data: text(data["path"]),
}  # fmt: skip
