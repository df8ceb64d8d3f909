"""A story told session by session, with nothing done about it but what a test asks for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from properties.tables import open_quick
from ticking import Ticking
from upkeep.upkeep_runs import table

from recollect.memory import Memory

QUIET = {"upkeep.after_session": False}
STORY = (
    "I live in Lisbon. I use vim.",
    "I work for Acme. I like jazz.",
    "I moved to Porto. I'm employed at Acme.",
    "I switched from vim to Helix. I'm a big fan of jazz.",
    "My rent is 900 euros a month.",
    "I live in Berlin now.",
    "My rent went up to 950 euros a month.",
    "I own a red bike.",
    "I have a red bicycle.",
)


def opened(path: Path, **more: Any) -> tuple[Memory, Ticking]:
    clock = Ticking()
    return open_quick(path, clock=clock, config={**QUIET, **more.pop("config", {})}, **more), clock


def tell(memory: Memory, clock: Ticking, texts: tuple[str, ...] = STORY, user: str = "ana") -> None:
    for number, text in enumerate(texts):
        clock.skip(1)
        said = {"role": "user", "name": "Ana", "content": text}
        memory.add([said], session_id=f"s{number}", user_id=user)
    clock.skip(1)


def sessions(path: Path) -> list[tuple[str, bool]]:
    found = table(path, "SELECT id, consolidated_at IS NOT NULL AS done FROM session ORDER BY pk")
    return [(row["id"], bool(row["done"])) for row in found]
