"""Reports drawn for people: figures, findings, runs, settings, models, tokens and clients."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from recollect.ids import is_id
from recollect.interfaces.cli.views.cells import (
    BAD,
    DIM,
    GOOD,
    ID,
    WARN,
    bar,
    counted,
    day,
    line,
    ruled,
    short,
    short_id,
    text,
    written,
)
from recollect.model.grant import ANY
from recollect.model.scope import DIMENSIONS
from recollect.model.showable import inert


def report(data: Mapping[str, Any]) -> RenderableType:
    """Named figures, one a line, and what needs a hand."""
    table = Table.grid(padding=(0, 2))
    for name, value in data.items():
        if name in ("warnings", "operation") or value is None or (name == "degraded" and not value):
            continue
        table.add_row(text(name.replace("_", " "), DIM), _figure(value, name))
    parts: list[RenderableType] = [table, *(text(f"! {each}", WARN) for each in data.get("warnings", ()))]
    if data.get("operation"):
        parts.append(text(f"undo with: recollect undo {short_id(data['operation'])}", DIM))
    return Group(*parts)


def findings(data: Mapping[str, Any]) -> RenderableType:
    """What the doctor saw, with cures."""
    table = Table.grid(padding=(0, 2))
    for each in data["findings"]:
        mark = Text("✓", GOOD) if each["ok"] else Text("✗", BAD)
        detail = text(f"cured: {each['detail']}" if each["fixed"] else each["detail"])
        if each["cure"]:
            detail.append(f"\n→ {inert(each['cure'])}", WARN)
        table.add_row(mark, text(each["check"]), text("" if each["ok"] else each["code"] or ""), detail)
    return table


WIDE = 100  # columns from which a setting fits into one row of a table


class SettingsList:
    """Settings with their values, where these come from and what each does: a table, or lines where that is narrow."""

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self._rows = rows

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self._table() if options.max_width >= WIDE else Group(*map(self._lines, self._rows))

    def _table(self) -> RenderableType:
        table = ruled("setting", "value", "from", "what it does")
        table.columns[0].no_wrap = True
        table.columns[1].max_width = 26
        for row in self._rows:
            table.add_row(text(row["key"], ID), text(_with_unit(row)), _origin(row), text(row["doc"], DIM))
        return table

    def _lines(self, row: Mapping[str, Any]) -> RenderableType:
        head = Text.assemble(text(row["key"], ID), " = ", text(_with_unit(row)))
        if row["origin"] != "default":
            head.append_text(Text.assemble(" (", _origin(row), ")"))
        return Group(head, Padding(text(row["doc"], DIM), (0, 0, 0, 2)))


def settings(data: Mapping[str, Any]) -> RenderableType:
    """Settings with their values, where these come from and what each does."""
    warned = [text(f"! {each}", WARN) for each in data["warnings"]]
    shown = SettingsList(data["settings"]) if data["settings"] else text("every setting has its default", DIM)
    return Group(shown, *warned)


def setting(data: Mapping[str, Any]) -> RenderableType:
    """One setting, with everything that is known about it."""
    facts = {
        "from": data["origin"],
        "default": written(data["default"]),
        "range": data["range"],
        "takes effect": "at once" if data["live"] else "when the memory is opened again",
    }
    table = Table.grid(padding=(0, 2))
    for name, value in facts.items():
        table.add_row(text(name, DIM), text(value))
    head = Text.assemble(text(data["key"], ID), " = ", text(_with_unit(data), "bold"))
    return Group(head, text(data["doc"]), table, *(text(f"! {each}", WARN) for each in data.get("warnings", ())))


def _with_unit(row: Mapping[str, Any]) -> str:
    unit = f" {row['unit']}" if row["unit"] and row["value"] is not None else ""
    return written(row["value"]) + unit


def _origin(row: Mapping[str, Any]) -> Text:
    """Where a value comes from, in a word; which file or variable it is, one setting by itself tells."""
    return text(row["origin"].partition(" ")[0], DIM if row["origin"] == "default" else WARN)


def setting_changed(data: Mapping[str, Any]) -> RenderableType:
    """What holds now, and where it was written; what wins over the file is named."""
    did = "is now" if data["changed"] else "is already"
    unit = f" {data['unit']}" if data["unit"] else ""
    head = Text.assemble(("✓", GOOD), f" {data['key']} {did} ", text(written(data["value"]) + unit, "bold"))
    parts = [head, text(f"  in {data['path']}", DIM)]
    if data["origin"].startswith("environment"):
        parts.append(text(f"! {data['origin']} wins over the file", WARN))
    return Group(*parts)


def _figure(value: Any, name: str) -> RenderableType:
    if name in ("oldest", "newest"):
        return text(day(value))
    if name.endswith("bytes") and isinstance(value, int):
        return text(f"{value:,}")
    if isinstance(value, Mapping):
        return text(", ".join(f"{name} {written(each)}" for name, each in value.items()) or "none")
    if isinstance(value, list) and value and isinstance(value[0], Mapping):
        return text("\n".join(", ".join(f"{name} {each}" for name, each in row.items()) for row in value))
    return text(written(value, name), GOOD if value == "ok" else "")


_ITEMS_SHOWN = 30
_RUN_MARKS = {"done": ("✓", GOOD), "running": ("…", ID), "stopped": ("!", WARN), "interrupted": ("!", WARN)}


def run_report(data: Mapping[str, Any]) -> RenderableType:
    """One run, or the status of upkeep, which tells what was run before and what comes next."""
    if data["due"]:
        return Group(*_status(data))
    return Group(_head(data), *_done(data), *_problems(data), *_undo(data))


def _head(data: Mapping[str, Any]) -> Text:
    mark, style = ("·", DIM) if data["dry_run"] else _RUN_MARKS.get(data["state"], ("✗", BAD))
    would = " would have" if data["dry_run"] else ""
    what = ", ".join(f"{count} {did}" for did, count in sorted(data["counts"].items())) or "nothing to do"
    state = "" if data["state"] == "done" else f" ({data['state']} at {data['progress']:.0%})"
    return Text.assemble((mark, style), f" {data['verb']}{would}{state}: ", text(what, "bold"))


def _done(data: Mapping[str, Any]) -> list[RenderableType]:
    """What was done, with reasons; of many things of one sort the first."""
    if not data["items"]:
        return []
    table = ruled("step", "did", "to", "because")
    for item in data["items"][:_ITEMS_SHOWN]:
        table.add_row(item["step"], item["did"], text(_to(item["id"]), DIM), text(short(item["reason"])))
    rest = Counter(item["did"] for item in data["items"][_ITEMS_SHOWN:])
    more = ", ".join(f"{count} {did}" for did, count in rest.most_common())
    return [table, *([text(f"… and {more}; all of them with -o json", DIM)] if more else [])]


def _to(id_: str) -> str:
    return short_id(id_) if is_id(id_) else id_  # a setting goes by its whole name


def _problems(data: Mapping[str, Any]) -> list[RenderableType]:
    return [text(f"! {each}", WARN) for each in data["problems"]]


def _undo(data: Mapping[str, Any]) -> list[RenderableType]:
    return [text(f"undo with: recollect undo {short_id(data['operation'])}", DIM)] if data["operation"] else []


def _status(data: Mapping[str, Any]) -> list[RenderableType]:
    runs = [run for run in (data, *data["history"]) if run["state"] != "none"]
    parts: list[RenderableType] = [_runs(runs)] if runs else [text("nothing was run yet", DIM)]
    if data["state"] == "running":
        share = f"{bar(data['progress'])} {data['progress']:.0%}"
        parts.insert(0, Text.assemble(f"{data['verb']} is under way  ", (share, ID)))
    coming = ", ".join(f"{verb} {day(at)}" for verb, at in sorted(data["due"].items(), key=lambda each: each[1]))
    return [*parts, text(f"due: {coming} (UTC), where a memory is served or open with upkeep.scheduled", DIM)]


def _runs(runs: Sequence[Mapping[str, Any]]) -> RenderableType:
    table = ruled("when", "run", "state", "did", "operation")
    for run in runs:
        _, style = _RUN_MARKS.get(run["state"], ("✗", BAD))
        did = ", ".join(f"{count} {what}" for what, count in sorted(run["counts"].items()))
        state = text(run["state"], style)
        if run["problems"]:
            state.append(f"\n{counted(len(run['problems']), 'problem')}", WARN)
        table.add_row(day(run["started_at"]), run["verb"], state, text(did), text(short_id(run["operation"]), DIM))
    return table


_SKIPPED_SHOWN = 10


def imported(data: Mapping[str, Any]) -> RenderableType:
    """`✓ 30 records imported from mem0; 2 were here already`."""
    said = _mark(data, f"{counted(data['count'], 'record')} {'would be ' if data['dry_run'] else ''}imported")
    said.append(f" from {data['format']}" if data["format"] != "jsonl" else "")
    more = [
        f"{data[name]:,} {words}"
        for name, words in (
            ("unchanged", "were here already"),
            ("merged", "say what others said"),
            ("versions", "earlier versions"),
            ("conflicts", "differ from what is here and were left alone"),
            ("skipped_count", "skipped"),
        )
        if data.get(name)
    ]
    said.append("".join(f"; {each}" for each in more))
    parts: list[RenderableType] = [said]
    beside = ", ".join(counted(data[name], one) for name, one in _BESIDE if data.get(name))
    parts += [text(f"  with {beside}", DIM)] if beside else []
    parts += [text(f"  skipped {_reason(each)}", WARN) for each in data.get("skipped", ())[:_SKIPPED_SHOWN]]
    return Group(*parts, *_rest(data))


def exported(data: Mapping[str, Any]) -> RenderableType:
    """`✓ 11 records written to out.jsonl (21 kB)`."""
    sealed = ", sealed" if data.get("encrypted") else ""
    where = "stdout" if data["path"] == "-" else data["path"]
    said = _mark(data, f"{counted(data['count'], 'record')} written to {where} ({_size(data['bytes'])}{sealed})")
    if not data.get("complete", True):
        said.append("; not all of the store", DIM)
    return Group(said, *_rest(data))


def settled(data: Mapping[str, Any]) -> RenderableType:
    """How much was waiting."""
    if not data["jobs"]:
        return Group(text("nothing was waiting to be done", DIM), *_rest(data))
    return Group(_mark(data, f"{counted(data['jobs'], 'job')} done; nothing waits any more"), *_rest(data))


def erased(data: Mapping[str, Any]) -> RenderableType:
    """What of a person is gone for good."""
    gone = ", ".join(counted(data[name], one) for name, one in _GONE if data.get(name)) or "nothing"
    return Group(_mark(data, f"{gone} {'would be ' if data['dry_run'] else ''}erased for good"), *_rest(data))


_BESIDE = (("sessions", "session"), ("edges", "relation"), ("entities", "name"))
_GONE = (
    ("count", "record"),
    ("versions", "earlier version"),
    ("sessions", "session"),
    ("entities", "name"),
    ("operations", "operation"),
)


def _mark(data: Mapping[str, Any], said: str) -> Text:
    mark = ("·", DIM) if data.get("dry_run") else ("✓", GOOD)
    return Text.assemble(mark, " ", text(said))


def _rest(data: Mapping[str, Any]) -> list[RenderableType]:
    parts: list[RenderableType] = [text(f"! {each}", WARN) for each in data.get("warnings", ())]
    if data.get("operation") and not data.get("dry_run"):
        parts.append(text(f"  undo with: recollect undo {short_id(data['operation'])}", DIM))
    return parts


def _reason(each: Any) -> str:
    return f"item {each['index']}: {each['reason']}" if isinstance(each, Mapping) and "reason" in each else str(each)


def _size(count: int) -> str:
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} bytes"


_TITLES = {"llm": "language model", "embedder": "embedder", "reranker": "reranker"}
_MODEL_MARKS = {
    "ready": ("✓", GOOD),
    "down": ("✗", BAD),
    "refused": ("✗", BAD),
    "unknown": ("?", WARN),
    "none": ("·", DIM),
}


def models(data: Mapping[str, Any]) -> RenderableType:
    """The models in use: state, cause and cure, speed, size, and what each is for."""
    table = Table.grid(padding=(0, 2))
    for row in data["models"]:
        mark, style = _MODEL_MARKS[row["state"]]
        table.add_row(Text(mark, style), text(_TITLES[row["role"]]), _about(row))
    return Group(table, *(text(each, WARN) for each in data["warnings"]))


def _about(row: Mapping[str, Any]) -> Text:
    if row["name"] is None:
        return text(f"none; set one with {row['setting']}", DIM)
    lines = text(row["name"], ID)
    took = "" if row["latency_ms"] is None else f" ({row['latency_ms']:g} ms)"
    lines.append_text(text(f"\n{row['state']}: {row['detail']}{took}"))
    if row["cure"]:
        lines.append_text(text(f"\n→ {row['cure']}", WARN))
    for more in _more(row):
        lines.append_text(text(f"\n{more}", DIM))
    return lines


def _more(row: Mapping[str, Any]) -> Iterator[str]:
    able = row["capabilities"]
    if able is not None:
        can = ", ".join(name for name in ("tools", "vision", "thinking") if able[name]) or "text alone"
        guess = "" if able["known"] else " (a careful guess)"
        yield f"window {able['window_tokens']:,} tokens, {can}{guess}"
    for use in row["used_for"]:
        off = "" if use["on"] else f" (off: {use['setting']})"
        yield f"{', '.join(use['verbs'])}: {use['what']}{off}"
    yield f"set by {row['setting']}, {row['origin']}"


def providers(data: Mapping[str, Any]) -> RenderableType:
    """Every provider, and how to get its library."""
    table = ruled("model", "provider", "installed", "")
    for row in data["providers"]:
        state = Text("✓", GOOD) if row["installed"] else Text("✗", BAD)
        ships = f"ships: {row['dimensions']} dimensions, {row['size_mb']} MB" if row["size_mb"] else ""
        told = "; ".join(each for each in ("in use" if row["in_use"] else "", ships, row["install"] or "") if each)
        table.add_row(text(_TITLES[row["role"]]), text(row["provider"], ID), state, text(told, DIM))
    return table


def model(data: Mapping[str, Any]) -> RenderableType:
    """What is known about one language model."""
    able = [name for name in ("tools", "vision", "thinking") if data[name]]
    counted = f"counted exactly ({data['tokenizer']})" if data["exact_tokens"] else "estimated"
    rows = [
        ("provider", data["provider"]),
        ("window", f"{data['window_tokens']:,} tokens"),
        ("longest answer", f"{data['output_tokens']:,} tokens"),
        ("can do", ", ".join(able) or "text alone"),
        ("tokens", counted),
    ]
    if data["input_price"] is not None:
        price = f"{data['input_price']:g} in, {data['output_price'] or 0:g} out"
        rows.append(("dollars for a million", price))
    table = ruled("model", data["model"])
    for name, value in rows:
        table.add_row(text(name, DIM), text(value))
    where = f"{data['source']}, {data['matched']}" if data["matched"] else data["source"]
    return Group(table, text(f"from {where}", DIM) if data["known"] else text(f"a careful guess ({where})", WARN))


def new_token(data: Mapping[str, Any]) -> RenderableType:
    """The one time a token is shown."""
    return Group(
        text(data["token"], "bold"),
        Text.assemble((data["name"], ID), text(f": {', '.join(data['rights'])} {_scope(data)} ({data['policy']})")),
        text("Only its hash is kept: copy it now. Send it as `Authorization: Bearer …`.", DIM),
    )


def tokens(data: Mapping[str, Any]) -> RenderableType:
    """Who may come in, as whom, and until when."""
    if not data["tokens"]:
        return text("no tokens; `recollect token create` makes one", DIM)
    table = ruled("name", "id", "rights", "scope", "policy", "used", "state")
    for each in data["tokens"]:
        table.add_row(
            text(each["name"], ID),
            text(each["id"], DIM),
            text(", ".join(each["rights"])),
            text(_scope(each)),
            text(each["policy"] or "as before", "" if each["policy"] else DIM),
            text(each["used_at"][:10]) if each["used_at"] else text("never", DIM),
            _state(each),
        )
    return table


def _scope(token: Mapping[str, Any]) -> str:
    """Whom it acts for: what it holds, and what it may add to that."""
    held = ", ".join(f"{name}={value}" for name, value in token["scope"].items()) or "what is everybody's"
    if set(token["may_add"]) | set(token["scope"]) >= set(DIMENSIONS) and all(map(_any, token["may_add"].values())):
        return f"{held}, and anybody it names"
    added = "; ".join(f"{name}={','.join(values)}" for name, values in token["may_add"].items())
    return f"{held}, may add {added}" if added else held


def _any(values: Sequence[str]) -> bool:
    return ANY in values


def _state(token: Mapping[str, Any]) -> Text:
    if token["revoked_at"]:
        return Text(f"revoked {day(token['revoked_at'])}", BAD)
    if token.get("expired"):
        return Text(f"expired {day(token['expires_at'])}", BAD)
    return Text(f"until {day(token['expires_at'])}" if token["expires_at"] else "open", GOOD)


_SAID = {
    "add": ("+", "would be added", "added"),
    "change": ("~", "would be changed", "changed"),
    "remove": ("-", "would be removed", "removed"),
    "same": ("✓", "is there already", "is there already"),
    "absent": ("·", "is not there", "is not there"),
    "refused": ("✗", "left alone", "left alone"),
}
_COLOURS = {"+": GOOD, "-": BAD, "@": ID}


def setup(data: Mapping[str, Any]) -> RenderableType:
    """One paragraph a client, with the lines that differ."""
    if not data["clients"]:
        if data["command"][1:2] == ["hooks"]:
            return text(f"None of these was found: {', '.join(data['looked_for'])}. Name one with --client.", WARN)
        return Group(
            text(f"None of these was found: {', '.join(data['looked_for'])}.", WARN),
            text("Name one with --client, or paste this into the client of your choice:", DIM),
            _pasted(data["command"]),
        )
    parts = [part for each in data["clients"] for part in _client(each, data["dry_run"])]
    waits = any(each["diff"] and not each["written"] for each in data["clients"])
    if data["dry_run"] and waits:
        parts += [Text(), text("Nothing was written. The same with --write does it, and keeps the old files.", DIM)]
    return Group(*parts)


def _client(each: Mapping[str, Any], dry_run: bool) -> list[RenderableType]:
    mark, would, did = _SAID[each["did"]]
    style = BAD if each["did"] == "refused" else GOOD
    whose = each["title"] if each["what"] == "server" else f"{each['title']}, {each['what']}"
    head = Text.assemble((mark, style), f" {whose}: ", would if dry_run else did, "  ", text(each["path"], DIM))
    parts: list[RenderableType] = [head]
    if each["problem"]:
        parts.append(text(f"  {each['problem']}; correct it and run this again", WARN))
    if each["written"]:
        kept = f"the old file is {each['backup']}; " if each["backup"] else ""
        parts.append(text(f"  {kept}{each['next']}", DIM))
        return parts
    return [*parts, *(text(f"  {line}", _COLOURS.get(line[:1], "")) for line in each["diff"][2:])]


def _pasted(command: list[str]) -> Text:
    entry = {"mcpServers": {"recollect": {"command": command[0], "args": command[1:]}}}
    return text(json.dumps(entry, indent=2, ensure_ascii=False))


def bench(data: Mapping[str, Any]) -> RenderableType:
    """The figures as a table."""
    table = ruled("what", "calls", "median ms", "p95 ms", "a second")
    for row in data["figures"]:
        slow, slowest, rate = f"{row['median_ms']:.2f}", f"{row['p95_ms']:.2f}", f"{row['per_second']:,.0f}"
        table.add_row(row["what"], str(row["calls"]), slow, slowest, rate)
    size = f"{data['records']:,} records, {data['size_bytes'] / 1e6:.1f} MB"
    return Group(table, text(f"{size}; timings vary with load", DIM))


def move(data: Mapping[str, Any]) -> RenderableType:
    """Where a store is now, and how much of what was brought there."""
    parts: list[RenderableType] = [line(f"{data['did']}: {data['source']} -> {data['target']}")]
    if data["tables"]:
        filled = {name: told["rows"] for name, told in data["tables"].items() if told["rows"]}
        table = ruled("table", "rows")
        for name, rows in sorted(filled.items(), key=lambda each: (-each[1], each[0])):
            table.add_row(name, f"{rows:,}")
        parts.append(table)
    if data["did"] == "moved":
        told = f"{data['rows']:,} rows, alike in both places; {data['written_meanwhile']:,} written meanwhile"
        parts.append(text(f"{told}; {data['seconds']:g} s", DIM))
    return Group(*parts, *(text(each, DIM) for each in data["warnings"]))


def completion(data: Mapping[str, Any]) -> RenderableType:
    """Where the completion of a shell was put."""
    return line(f"completion for {data['shell']} is in {data['path']}; open a new shell to use it")


def support_bundle(data: Mapping[str, Any]) -> RenderableType:
    """Where the bundle is, and what the doctor found while it was made."""
    codes = " ".join(each or "?" for each in data["wrong"])
    found = f"the doctor found {codes}; recollect doctor says what to do" if codes else "the doctor found nothing wrong"
    return Group(line(data["path"]), text(f"{found}; nothing that was stored or asked is in it", DIM))


def path(data: Mapping[str, Any]) -> RenderableType:
    """Where a file is."""
    return line(data["path"])
