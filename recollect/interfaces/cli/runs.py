"""Runs of upkeep drawn for people: what was done and why, how to take it back, and what ran before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from recollect.interfaces.cli.cells import BAD, DIM, GOOD, ID, WARN, bar, counted, day, ruled, short, short_id, text

_ITEMS_SHOWN = 30
_MARKS = {"done": ("✓", GOOD), "running": ("…", ID), "stopped": ("!", WARN), "interrupted": ("!", WARN)}


def run_report(data: Mapping[str, Any]) -> RenderableType:
    """One run, or the status of upkeep, which tells what was run before and what comes next."""
    if data["due"]:
        return Group(*_status(data))
    return Group(_head(data), *_done(data), *_problems(data), *_undo(data))


def _head(data: Mapping[str, Any]) -> Text:
    mark, style = ("·", DIM) if data["dry_run"] else _MARKS.get(data["state"], ("✗", BAD))
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
        table.add_row(item["step"], item["did"], text(short_id(item["id"]), DIM), text(short(item["reason"])))
    rest = Counter(item["did"] for item in data["items"][_ITEMS_SHOWN:])
    more = ", ".join(f"{count} {did}" for did, count in rest.most_common())
    return [table, *([text(f"… and {more}; all of them with -o json", DIM)] if more else [])]


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
        _, style = _MARKS.get(run["state"], ("✗", BAD))
        did = ", ".join(f"{count} {what}" for what, count in sorted(run["counts"].items()))
        state = text(run["state"], style)
        if run["problems"]:
            state.append(f"\n{counted(len(run['problems']), 'problem')}", WARN)
        table.add_row(day(run["started_at"]), run["verb"], state, text(did), text(short_id(run["operation"]), DIM))
    return table
