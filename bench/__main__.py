"""`python -m bench`: measure, beside the floor, against the goals.

python -m bench                              everything at 1,000, 10,000 and 100,000 records
python -m bench --size 1000000 --only reads  one group at another size
python -m bench --quick --json figures.json  a minute's look, for programs
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console

from bench import bus, code, hooks, oracles, processes, reads, report, server, starts, upkeep, windows, writes
from bench.goals import verdicts
from bench.measure import Figure
from bench.plan import FULL, QUICK, Plan

GROUPS = ("writes", "reads", "windows", "upkeep", "starts", "server", "processes", "hooks", "oracles", "code", "bus")
_SIZES = (1_000, 10_000, 100_000)
_QUICK_SIZES = (300,)


def main() -> int:
    options = _options()
    plan = QUICK if options.quick else FULL
    console = Console()
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="recollect-bench-", dir=options.folder) as folder:
        for title, found in _measure(Path(folder), options.size, options.only, plan, console):
            report.show(found, console, title=title)
            figures += found
    if options.json is not None:
        report.write(options.json, figures, quick=options.quick)
    missed = sum(not met for figure in figures for _, met in verdicts(figure))
    return 1 if options.strict and missed else 0


def _measure(
    folder: Path, sizes: list[int], only: list[str], plan: Plan, console: Console
) -> Iterator[tuple[str, list[Figure]]]:
    """A title and its figures, a table's worth at a time."""
    once: list[Figure] = []
    if "starts" in only:
        with console.status("starting"):
            once += starts.measure_once(folder, plan)
    if "processes" in only:
        with console.status("several writers on one file"):
            once += processes.measure_once(folder, plan)
    if "hooks" in only:
        with console.status("hooks of coding clients"):
            once += hooks.measure_once(folder, plan)
    if "oracles" in only:
        with console.status("probing scores and time"):
            once += oracles.measure_once(folder, plan)
    if "code" in only:
        with console.status("a graph of code"):
            once += code.measure_once(folder, plan)
    if "bus" in only:
        with console.status("agents that tell each other"):
            once += bus.measure_once(folder, plan)
    if once:
        yield "whatever the size", once
    for size in sizes if set(only) - {"hooks", "oracles", "code", "bus"} else ():
        place = folder / str(size)
        place.mkdir()
        with console.status(f"{size:,} records: loading"):
            found = writes.load(place, size, plan)
        found = found if "writes" in only else []
        for name, measure in (
            ("reads", reads.measure),
            ("windows", windows.measure),
            ("starts", starts.measure),
            ("writes", writes.measure),
            ("upkeep", upkeep.measure),
            ("server", server.measure),
            ("processes", processes.measure),
        ):
            if name in only:
                with console.status(f"{size:,} records: {name}"):
                    found += measure(place, size, plan)
        yield f"{size:,} records", sorted(found, key=lambda figure: GROUPS.index(figure.group))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Speed, measured beside its floor.")
    parser.add_argument("--size", type=_numbers, help="records, several with commas (default 1000,10000,100000)")
    parser.add_argument("--only", type=_groups, default=list(GROUPS), help=f"groups: {', '.join(GROUPS)}")
    parser.add_argument("--json", type=Path, metavar="PATH", help="also write the figures there")
    parser.add_argument("--quick", action="store_true", help="few records, few repetitions: does it run at all")
    parser.add_argument("--folder", type=Path, help="where the stores are made; a disk, not a RAM disk")
    parser.add_argument("--strict", action="store_true", help="exit with 1 when a goal is missed")
    options = parser.parse_args()
    if options.size is None:
        options.size = list(_QUICK_SIZES if options.quick else _SIZES)
    return options


def _numbers(text: str) -> list[int]:
    sizes = [int(part.replace("_", "")) for part in text.split(",")]
    if any(size < 1 for size in sizes):
        raise argparse.ArgumentTypeError("sizes are positive")
    return list(dict.fromkeys(sizes))


def _groups(text: str) -> list[str]:
    chosen = text.split(",")
    if unknown := set(chosen) - set(GROUPS):
        raise argparse.ArgumentTypeError(f"unknown group {sorted(unknown)[0]!r}; known: {', '.join(GROUPS)}")
    return chosen


if __name__ == "__main__":
    sys.exit(main())
