"""A server on a store, as `recollect serve` starts it. Says its port when it listens."""

from __future__ import annotations

import sys

from recollect.interfaces.cli import main

if __name__ == "__main__":
    sys.exit(main(["serve", "--db", sys.argv[1], "--port", sys.argv[2], "--embedder", "fake", "--quiet"]))
