"""The command line. `main` is the console script; everything heavy loads only when a verb runs."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. What coding clients call at every step of an agent loads nothing of the others."""
    words = sys.argv[1:] if argv is None else argv
    if len(words) > 1 and words[0] == "hook" and not words[1].startswith("-"):
        from recollect.hook.process import main as hook

        return hook(words[1:])
    from recollect.interfaces.cli.entry import main as run

    return run(argv)
