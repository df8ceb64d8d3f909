"""Whether what hooks are to find stands as things are now. Every process that ends looks, so this imports little."""

from __future__ import annotations

from pathlib import Path

from recollect.clock import DAY_US, Clock
from recollect.config import Config
from recollect.hook.failure import print_of_bytes
from recollect.store.base import Store, Tx

MADE = "made"  # the file that says as of what hints were made


def basis(store: Store, tx: Tx, config: Config, clock: Clock) -> str:
    """What hints depend on, as one text: what is stored, what was seen, what is set."""
    chosen = [config.observe, config.user, config.decay.half_life_days, config.codegraph.pair_surety]
    day = clock() // DAY_US  # ages are told in days
    parts = (store.change_seq(), tx.observed.state(), tx.code.state(), day)
    return f"{' '.join(map(str, parts))} {print_of_bytes(repr(chosen).encode())}"


def is_made_of(folder: Path, state: str) -> bool:
    """Whether the hints in a folder were made of that."""
    try:
        return (folder / MADE).read_bytes() == state.encode()
    except OSError:
        return False


def is_current(store: Store, config: Config, clock: Clock, folder: Path) -> bool:
    """Whether nothing has to be made anew for hooks: one look at the store."""
    if store.encrypted:  # of which nothing is written outside
        return True
    with store.read() as tx:
        return is_made_of(folder, basis(store, tx, config, clock))
