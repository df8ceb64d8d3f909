"""The command line. `main` is the console script; everything heavy loads only when a verb runs."""

from recollect.interfaces.cli.entry import main

__all__ = ["main"]
