"""Stores of other designs, read as if they were exports of ours: a folder of RFC-014, a database of SPEC-02.

Unlike what other programs export, these hold records with ids, times and relations, and all of that is kept. The rows
go through the same checks as those of any file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from recollect.errors import UsageError, shown
from recollect.exchange.formats import hypergraph, topology
from recollect.exchange.formats.made_rows import MadeRows
from recollect.exchange.lines import LineWriter
from recollect.exchange.source import ImportSource
from recollect.exchange.temporary import temporary_file
from recollect.store.foreign import is_database

NAMES = (topology.NAME, hypergraph.NAME)


class Converted(NamedTuple):
    """A store of another design as lines of ours, and what was left out of it."""

    source: ImportSource
    format: str
    notes: tuple[str, ...]


@contextmanager
def converted(given: Any, format: str | None, *, now: int, private: bool) -> Iterator[Converted | None]:
    """The store that a path names, if it is one of these; None for everything else."""
    made = _made(given, format)
    if made is None:
        yield None
        return
    with temporary_file(private=private) as file:
        writer = LineWriter(file)
        writer.header({"complete": False, "made_of": made.format})
        for row in made.lines(now):
            writer.row(row)
        writer.end()
        notes = tuple(dict.fromkeys(made.notes))
        yield Converted(ImportSource(file, os.path.basename(os.fspath(given)), None), made.format, notes)


def _made(given: Any, format: str | None) -> MadeRows | None:
    if format is not None and format not in NAMES:
        return None
    if not isinstance(given, str | os.PathLike) or not os.fspath(given) or "\x00" in str(given):
        return None
    path = Path(os.path.expanduser(os.fspath(given)))
    folder = path.parent if path.name == topology.NODES else path
    if format in (None, topology.NAME) and path.exists() and topology.is_folder(folder):
        return topology.read_folder(folder)
    if format in (None, hypergraph.NAME) and is_database(path):
        if hypergraph.is_database(str(path)):
            return hypergraph.read_database(str(path))
        raise UsageError(
            f"{path.name} is a SQLite database, but none of SPEC-02's: it has no nodes, hyperedges and membership. "
            "Of a store of ours, import what `export` wrote"
        )
    if format is not None:
        raise UsageError(f"{path.name} is no store of format {shown(format, 40)}")
    return None


def is_foreign(path: str) -> bool:
    """Whether a path names a database of SPEC-02's own schema."""
    there = Path(os.path.expanduser(path))
    return is_database(there) and hypergraph.is_database(str(there))
