"""Upkeep from the shell: runs with their reasons, what is due, why something is believed, what is about to fade."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from commands import Run
from rich.console import Console, RenderableType

import recollect
from recollect.interfaces.cli.views import draw

pytestmark = pytest.mark.usefixtures("environment")

RUN: dict[str, Any] = {
    "id": "r",
    "verb": "decay",
    "operation": "o1",
    "state": "done",
    "started_at": "2026-05-13T12:00:00+00:00",
    "finished_at": "2026-05-13T12:00:01+00:00",
    "dry_run": False,
    "counts": {"archived": 2},
    "progress": 1.0,
    "items": [{"step": "decay", "did": "archived", "id": f"a{n}", "reason": "not used for 90 days"} for n in range(2)],
    "problems": [],
    "history": [],
    "due": {},
}


def drawn(thing: RenderableType) -> str:
    console = Console(width=120, record=True, file=StringIO())
    console.print(thing)
    return console.export_text()


def test_a_run_shows_what_it_did_why_and_how_to_undo_it() -> None:
    shown = drawn(draw("RunReport", RUN))
    for word in ("decay", "2 archived", "a0", "not used for 90 days", "recollect undo o1"):
        assert word in shown
    dry = drawn(draw("RunReport", RUN | {"dry_run": True, "operation": None}))
    assert "would have" in dry
    assert "undo with" not in dry
    stopped = drawn(draw("RunReport", RUN | {"state": "stopped", "progress": 0.42, "problems": ["no model"]}))
    assert "stopped at 42%" in stopped
    assert "! no model" in stopped


def test_of_very_many_things_the_first_are_shown_and_the_rest_counted() -> None:
    many = [{"step": "s", "did": "made" if n % 2 else "merged", "id": f"id{n}", "reason": ""} for n in range(100)]
    shown = drawn(draw("RunReport", RUN | {"items": many}))
    assert "id29" in shown
    assert "id30" not in shown
    assert "35 merged" in shown


def test_status_shows_progress_history_and_what_is_due() -> None:
    status = RUN | {
        "state": "running",
        "progress": 0.5,
        "history": [RUN | {"problems": ["one"]}],
        "due": {"maintain": "2026-05-14T01:00:00+00:00"},
    }
    shown = drawn(draw("RunReport", status))
    for word in ("decay is under way", "50%", "1 problem", "maintain 2026-05-14 01:00"):
        assert word in shown
    never = RUN | {"state": "none", "due": {"maintain": "2026-05-14T01:00:00+00:00"}}
    assert "nothing was run yet" in drawn(draw("RunReport", never))


def test_maintain_in_the_shell(run: Run) -> None:
    run("add", "Ana moved from vim to Helix")
    assert "nothing was run yet" in run("maintain", "--status").out
    assert run("maintain", "--dry-run").code == 0
    assert run("maintain", "--status", "-o", "json").data["state"] == "none", "a dry run is not noted"
    done = run("maintain", "-o", "json").data
    assert (done["state"], done["verb"]) == ("done", "maintain")
    assert run("maintain", "--status", "-o", "json").data["id"] == done["id"]
    for verb in ("consolidate", "decay", "replay"):
        assert run(verb, "--dry-run", "-o", "json").data["verb"] == verb
    assert "maintain" in run("maintain", "--status", "-n", "3").out


def test_why_how_sure_and_for_how_long(run: Run) -> None:
    run("add", "Ana moved from vim to Helix")
    with recollect.open(embedder="fake") as memory:
        record = memory.get_all().records[0]
        memory.flag(record.id, reason="she never said that")
    told = run("explain", record.id)
    assert told.code == 0
    assert record.content in told.out
    assert "confidence" in told.out
    assert run("explain", record.id, "-o", "json").data["record"]["id"] == record.id
    assert run("explain", "00000000-0000-4000-8000-000000000000").code == 2
    assert record.id[:8] in run("review").out
    assert "nothing is about to be forgotten" in run("weak").out
    assert run("assess", "where is the harbour?", "-o", "json").data["level"] in ("confident", "uncertain", "unknown")
    assert "·" in run("assess", "which editor does Ana use?").out
    assert run("questions").code == 0
    assert run("knowledge").code == 0
    assert run("dismiss", "00000000-0000-4000-8000-000000000000").code == 2


def test_drawings_of_what_is_known() -> None:
    record = {
        "id": "r1",
        "kind": "semantic",
        "content": "Ana sails",
        "event_time": None,
        "created_at": "2026-05-13T12:00:00+00:00",
    }
    chains: dict[str, Any] = {
        key: [] for key in ("derived_into", "replaced", "replaced_by", "supported_by", "contradicted_by")
    }
    why = {"record": record, "because": ["said twice"], "entities": ["Ana"], "derived_from": [record | {"id": "t1"}]}
    shown = drawn(draw("Explanation", why | chains))
    for word in ("said twice", "names Ana", "rests on", "t1"):
        assert word in shown
    fades = {"id": "r1", "memory": "Ana sails", "strength": 0.1, "full": 0.8, "fades_at": "2026-06-01T00:00:00+00:00"}
    assert "2026-06-01" in drawn(draw("list[FadingRecord]", {"results": [fades]}))
    wait = {"id": "r1", "why": "flagged", "reason": "it was flagged as wrong", "memory": "Ana sails"}
    assert "flagged" in drawn(draw("list[Waiting]", {"results": [wait]}))
    assert "nothing waits" in drawn(draw("list[Waiting]", {"results": []}))
    ask = {"id": "q1", "kind": "missing", "text": "Where does Ana live?"}
    assert "Where does Ana live?" in drawn(draw("list[Question]", {"results": [ask]}))
    sure = {"level": "confident", "confidence": 0.9, "domain": None, "reasons": ["it was found"]}
    assert "90%" in drawn(draw("Assessment", sure))
    area = {
        "label": "Sailing",
        "summary": "Boats",
        "records": 7,
        "confidence": 0.5,
        "freshness": 1.0,
        "uncertainty": 0.1,
        "newest": "2026-05-13T12:00:00+00:00",
    }
    chart = drawn(draw("KnowledgeMap", {"domains": [area], "coverage": 0.5, "unmapped": 3}))
    assert "Sailing" in chart
    assert "3 records not on the map" in chart
