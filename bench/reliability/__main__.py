"""`python -m bench.reliability`: the proofs that take long, one after the other, and the figures they end with.

python -m bench.reliability                          all of them, for hours
python -m bench.reliability --only soak --minutes 60
python -m bench.reliability --only steps,scopes --set RECOLLECT_STEPS=1000000

What each proves stands in docs/reliability.md. A proof is a command; it prints its figures.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
PYTEST = (sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", "-m", "slow")


@dataclass(frozen=True)
class Proof:
    """One of them. `settings` say how much of it is done; what the environment says counts for more."""

    what: str
    command: tuple[str, ...]
    figures: str  # of the lines that are told
    settings: Mapping[str, str] = field(default_factory=dict)


PROOFS = {
    "disk": Proof(
        "the disk fails at each call of a life, in six ways",
        (*PYTEST, "tests/faults/test_bad_disk.py"),
        r"\w+: \d+ lives with a failure .*",
    ),
    "sectors": Proof(
        "sectors of the file hold something else than was written",
        (*PYTEST, "tests/faults/test_damaged_rows.py", "tests/faults/test_rescue.py"),
        r"\d+ files with damaged sectors.*",
        {"RECOLLECT_FILES": "2000"},
    ),
    "kills": Proof(
        "SIGKILL in the middle of each long work",
        (*PYTEST, "tests/faults/test_works_killed.py"),
        r"[\w ]+: \d+ points, killed at \d+",
        {"RECOLLECT_KILLS": "400"},
    ),
    "steps": Proof(
        "every verb in any order, beside a model",
        (*PYTEST, "tests/properties/test_every_verb.py"),
        r"\d+ steps of \d+ verbs.*",
        {"RECOLLECT_STEPS": "1000000"},
    ),
    "scopes": Proof(
        "calls through every door by callers with random grants",
        (*PYTEST, "tests/properties/test_grants.py"),
        r"\d+ calls by .*",
        {"RECOLLECT_CALLS": "1000000"},
    ),
    "readers": Proof(
        "texts made to be hard to read, through every reader",
        (*PYTEST, "tests/properties/test_readers.py"),
        r"\d+ texts .*",
        {"RECOLLECT_TEXTS": "20000"},
    ),
    "soak": Proof(
        "readers, writers, upkeep, copies and exports at once",
        (sys.executable, "-m", "bench.reliability.soak"),
        r"(rss_mb|kept|[\d.]+ minutes).*",
    ),
}


def main() -> int:
    options = _options()
    environment = os.environ | dict(each.split("=", 1) for each in options.set)
    failed = []
    for name in options.only:
        proof = PROOFS[name]
        more = ("--minutes", str(options.minutes)) if name == "soak" else ()
        settings = {key: environment.get(key, value) for key, value in proof.settings.items()}
        told = " ".join(f"{key}={value}" for key, value in settings.items())
        print(f"── {name}: {proof.what}  {told}", flush=True)
        if not _ran((*proof.command, *more), environment | settings, re.compile(proof.figures)):
            failed.append(name)
    print(f"failed: {', '.join(failed)}" if failed else "all of it held")
    return 1 if failed else 0


def _ran(command: tuple[str, ...], environment: Mapping[str, str], figures: re.Pattern[str]) -> bool:
    """Run one, tell its figures as they come, and all of what it said if it failed."""
    begun = time.monotonic()
    said: list[str] = []
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            said.append(line)
            if found := figures.search(line):
                print(f"   {found[0]}", flush=True)
    if process.returncode:
        print("".join(said))
    print(f"   {'held' if not process.returncode else 'FAILED'} in {time.monotonic() - begun:.0f} s", flush=True)
    return process.returncode == 0


def _options() -> argparse.Namespace:
    def names(given: str) -> list[str]:
        unknown = set(given.split(",")) - PROOFS.keys()
        if unknown:
            raise argparse.ArgumentTypeError(f"no such proof: {', '.join(sorted(unknown))}")
        return given.split(",")

    parser = argparse.ArgumentParser(prog="python -m bench.reliability", description=__doc__.split("\n")[0])
    parser.add_argument("--only", type=names, default=list(PROOFS), help=f"of {', '.join(PROOFS)}")
    parser.add_argument("--minutes", type=float, default=60.0, help="of the soak")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="how much of a proof is done")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
