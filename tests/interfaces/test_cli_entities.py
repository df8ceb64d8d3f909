"""Entities drawn for people."""

from __future__ import annotations

from io import StringIO
from typing import Any

from rich.console import Console, RenderableType

from recollect.interfaces.cli.views import draw

ANA: dict[str, Any] = {
    "id": "e1",
    "name": "Ana Ruiz",
    "type": "person",
    "aliases": ["Ana"],
    "summary": None,
    "mention_count": 2,
    "first_seen": "2026-05-01T00:00:00+00:00",
    "last_seen": "2026-05-13T12:00:00+00:00",
}
SAID = {"id": "r1", "content": "Ana sails", "event_time": None, "created_at": "2026-05-13T12:00:00+00:00"}


def drawn(thing: RenderableType) -> str:
    console = Console(width=120, record=True, file=StringIO())
    console.print(thing)
    return console.export_text()


def test_a_list_shows_names_and_how_often() -> None:
    shown = drawn(draw("list[Entity]", {"results": [ANA]}))
    assert "Ana Ruiz" in shown
    assert "2026-05-13 12:00" in shown
    assert "known" in drawn(draw("list[Entity]", {"results": []}))


def test_a_profile_shows_company_and_each_record_once() -> None:
    more = {
        "together": [{"name": "Ben", "count": 3}],
        "similar": [{"name": "Oslo", "similarity": 0.5}],
        "telling": [SAID],
        "newest": [SAID],
    }
    shown = drawn(draw("EntityProfile | None", ANA | more))
    assert "Ben (3)" in shown
    assert "Oslo (0.50)" in shown
    assert shown.count("Ana sails") == 1
