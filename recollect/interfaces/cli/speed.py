"""`recollect bench`: how fast this machine remembers and recalls, on a store that is thrown away."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from recollect.errors import UsageError
from recollect.interfaces.cli.answer import CommandAnswer
from recollect.interfaces.cli.options import command, context, field, shared_of

if TYPE_CHECKING:
    from recollect.memory import Memory

NAME = "bench"
HELP = "Measure adding and searching on this machine, on a store that is thrown away."
RECORDS, RECORDS_MAX = 1_000, 100_000
_SEARCHES, _SINGLES, _PORTION = 200, 50, 500
_WINDOWS, _WINDOW_TOKENS = 20, 1_000
_SEED = 7
_PEOPLE = ("Ana", "Ben", "Cleo", "Dan", "Eva", "Finn")
_DID = ("moved to", "prefers", "no longer uses", "wrote about", "asked for", "was surprised by", "fixed", "tested")
_THINGS = (
    "Helix",
    "the parser",
    "dark bread",
    "the night train",
    "a green bicycle",
    "SQLite",
    "the harbour",
    "chess",
    "the old printer",
    "oat milk",
    "the login page",
    "a kiln",
    "the release notes",
    "Lisbon",
)


def register(app: typer.Typer, *, panel: str, full: bool) -> None:
    """Add the command to the application; complete when it is among the words of the line."""
    app.command(NAME, help=HELP, rich_help_panel=panel)(command(NAME, _fields() if full else [], _bench))


def _fields() -> list[Any]:
    from recollect.interfaces.cli import options

    many = f"Records to measure with; at most {RECORDS_MAX:,}."
    return [context(), field("records", int, typer.Option(RECORDS, "--records", "-n", help=many)), *options.shared()]


def _bench(ctx: typer.Context, records: int, **given: Any) -> CommandAnswer:
    opened = shared_of(ctx, given)
    if not 1 <= records <= RECORDS_MAX:
        raise UsageError(f"--records must be 1 to {RECORDS_MAX}, not {records}")
    from recollect.interfaces.cli.progress import progress_bar
    from recollect.wiring import open_memory

    more = {} if opened["embedder"] is None else {"embedder": opened["embedder"]}
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as folder:
        begun = time.perf_counter()
        with open_memory(Path(folder) / "bench.db", **more) as memory, progress_bar(NAME):
            opening = _Figure("open a new store", [time.perf_counter() - begun])
            figures = [opening, *_measured(memory, records)]
            size = memory.stats()["size_bytes"]
    rows = [figure.to_dict() for figure in figures]
    return CommandAnswer(data={"records": records, "size_bytes": size, "figures": rows}, sort="Bench")


class _Figure:
    """Times of one kind of call, in seconds; `each`: how many records one call took in."""

    def __init__(self, name: str, seconds: list[float], each: int = 1) -> None:
        self.name, self.seconds, self.each = name, sorted(seconds), each

    def to_dict(self) -> dict[str, Any]:
        total = sum(self.seconds)
        return {
            "what": self.name,
            "calls": len(self.seconds),
            "median_ms": round(self._at(0.5), 3),
            "p95_ms": round(self._at(0.95), 3),
            "per_second": round(len(self.seconds) * self.each / total, 1),
        }

    def _at(self, share: float) -> float:
        return 1000 * self.seconds[min(int(share * len(self.seconds)), len(self.seconds) - 1)]


def _measured(memory: Memory, records: int) -> list[_Figure]:
    chance = random.Random(_SEED)
    texts = [_sentence(chance, number) for number in range(records)]
    bulk = [_timed(memory.add, texts[start : start + _PORTION]) for start in range(0, records, _PORTION)]
    single = [_timed(memory.add, _sentence(chance, records + number)) for number in range(_SINGLES)]
    settling = _timed(memory.settle)
    memory.search("warm up")
    questions = [f"what about {chance.choice(_PEOPLE)} and {chance.choice(_THINGS)}?" for _ in range(_SEARCHES)]
    found = [_timed(memory.search, question) for question in questions]
    tasks = [f"Plan with {chance.choice(_PEOPLE)}" for _ in range(_WINDOWS)]
    context = [_timed(memory.context, task, max_tokens=_WINDOW_TOKENS) for task in tasks]
    return [
        _Figure(f"add {min(_PORTION, records)} at once", bulk, each=min(_PORTION, records)),
        _Figure("add one", single),
        _Figure("settle: read, relate, embed", [settling], each=records + _SINGLES),
        _Figure("search", found),
        _Figure(f"context of {_WINDOW_TOKENS:,} tokens", context),
    ]


def _sentence(chance: random.Random, number: int) -> str:
    return f"{chance.choice(_PEOPLE)} {chance.choice(_DID)} {chance.choice(_THINGS)}, note {number}"


def _timed(call: Callable[..., Any], *given: Any, **named: Any) -> float:
    begun = time.perf_counter()
    call(*given, **named)
    return time.perf_counter() - begun
