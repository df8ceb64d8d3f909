"""`python -m bench.quality`: how much of the evidence is found, and how well texts are understood on the way in.

python -m bench.quality                         everything
python -m bench.quality --set locomo,timeqa     some sets: retrieval, beside BM25, vectors and their fusion
python -m bench.quality --set perception        times, affect, questions, names, repeats, speed of what comes in
python -m bench.quality --set everyday          ordinary questions about months of chat, and facts that change
python -m bench.quality --set personal          personal data and secrets: found, and not seen where there are none
python -m bench.quality --set pairs             files of a repository that go together
python -m bench.quality --set injection         texts that instruct their reader, and ordinary ones taken for such
python -m bench.quality --set code              imports and calls of Python packages, beside grimp and jedi
python -m bench.quality --set code_typescript   imports and calls of TypeScript packages, beside the compiler
python -m bench.quality --set code_go           calls and types of Go packages, beside the compiler
python -m bench.quality --set code_java         calls and types of the JDK's library, beside javac
python -m bench.quality --set work              simulated agents: patterns that were planted; with memory and without
python -m bench.quality --set code_rust         calls of Rust crates, beside rustdoc
python -m bench.quality --set code_c,code_cpp   calls of C and C++ projects, beside clang
python -m bench.quality --set upkeep            current truth over 90 days, forgetting, what is known
python -m bench.quality --set datetime          one of those
python -m bench.quality --set locomo --url postgresql://… --setting 'index.search="database"'
python -m bench.quality --embedder sentence-transformers:/models/minilm
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.quality import kinds, sets
from bench.quality.figures import is_missed, table_of
from bench.quality.goals import GOALS
from bench.quality.measures import interval
from bench.quality.rankers import Bm25, Engine, Fused, Ranker, Vectors
from bench.quality.run import MEASURES, Tally, run

BASELINE_EMBEDDER = "wordllama"
_KNOWN = (*sets.FILES, *kinds.KINDS)
TABLE_WIDTH = 110  # where there is no terminal to ask


def main() -> int:
    options = _options()
    console = Console(width=None if sys.stdout.isatty() else TABLE_WIDTH)
    report: dict[str, Any] = {}
    missed = 0
    for name in options.set:
        if name in kinds.KINDS:
            missed += _perceived(name, options, console, report)
            continue
        conversations = sets.load(name)
        tallies: dict[str, Tally] = {}
        for label, ranker in _rankers(options).items():
            with console.status(f"{name}: {label}"):
                tallies[label] = run(ranker, conversations)
        console.print(_table(name, tallies))
        averages = tallies["recollect"].averages()
        missed += sum(averages.get(measure, 0.0) < goal for measure, goal in GOALS[name].items())
        report[name] = {label: tally.averages() for label, tally in tallies.items()}
        report[name]["categories"] = {
            category: sum(values) / len(values) for category, values in tallies["recollect"].categories.items()
        }
    if options.json is not None:
        options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 1 if options.strict and missed else 0


def _perceived(name: str, options: argparse.Namespace, console: Console, report: dict[str, Any]) -> int:
    """One measure besides retrieval; how many of its goals are missed."""
    with console.status(name):
        figures = kinds.measured(name, baselines=not options.alone)
    console.print(table_of(name, kinds.KINDS[name].baseline, figures))
    report[name] = {each.name: {"value": each.value, "baseline": each.baseline, "of": each.note} for each in figures}
    return sum(is_missed(name, each) for each in figures)


def _rankers(options: argparse.Namespace) -> dict[str, Ranker]:
    chosen: dict[str, Ranker] = {}
    if not options.alone:
        chosen["BM25"] = Bm25()
        chosen["vectors"] = Vectors(BASELINE_EMBEDDER)
        chosen["RRF of both"] = Fused(Bm25(), Vectors(BASELINE_EMBEDDER))
    chosen["recollect"] = Engine(options.embedder, dict(options.setting), options.url)
    return chosen


def _table(name: str, tallies: dict[str, Tally]) -> Table:
    asked = len(tallies["recollect"].values["R@10"])
    low, high = interval(tallies["recollect"].values["R@10"])
    table = Table(title=f"{name}: {asked} questions, R@10 within {low:.3f} … {high:.3f}", title_justify="left")
    table.add_column("ranker", no_wrap=True)
    for measure in MEASURES:
        table.add_column(measure, justify="right", no_wrap=True)
    table.add_column("ms", justify="right", no_wrap=True)
    for label, tally in tallies.items():
        found = tally.averages()
        median = sorted(tally.query_ms)[len(tally.query_ms) // 2]
        table.add_row(label, *(_number(found.get(measure)) for measure in MEASURES), f"{median:.1f}")
    table.add_row("goal", *(_number(GOALS[name].get(measure)) for measure in MEASURES), "", style="dim")
    return table


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.quality", description="Quality beside baselines.")
    parser.add_argument(
        "--set", type=_names, default=list(_KNOWN), help=f"of {', '.join(_KNOWN)}; or {', '.join(kinds.GROUPS)}"
    )
    parser.add_argument("--embedder", help="another than the default, as prefix:model")
    parser.add_argument("--setting", type=_setting, action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--url", help="a PostgreSQL database in which the engine keeps each conversation in a schema")
    parser.add_argument("--alone", action="store_true", help="without the baselines")
    parser.add_argument("--json", type=Path, metavar="PATH", help="also write the figures there")
    parser.add_argument("--strict", action="store_true", help="exit with 1 when a goal is missed")
    return parser.parse_args()


def _names(text: str) -> list[str]:
    chosen = [each for name in text.split(",") for each in kinds.GROUPS.get(name, (name,))]
    if unknown := set(chosen) - set(_KNOWN):
        raise argparse.ArgumentTypeError(f"unknown set {sorted(unknown)[0]!r}; known: {', '.join(_KNOWN)}")
    return chosen


def _setting(text: str) -> tuple[str, Any]:
    name, _, value = text.partition("=")
    return name, json.loads(value)


if __name__ == "__main__":
    sys.exit(main())
