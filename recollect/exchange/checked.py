"""Lines of an export held against what they may be, before anything of them is stored.

Every value is of its sort, every text is text, every reference leads to a row of the file, keys ascend. What is wrong
is told with the number of the line.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from recollect.errors import UsageError
from recollect.exchange.lines import read_rows
from recollect.exchange.source import ImportSource
from recollect.exchange.values import values_of
from recollect.store.tables import TABLES, Table


class ExportLine(NamedTuple):
    """A row of an export, as the database will hold it."""

    table: Table
    values: dict[str, Any]
    done: int  # bytes read so far


class Keys:
    """The keys of one table in a file, ascending, in eight bytes each."""

    def __init__(self) -> None:
        self.all = array("q")

    def __contains__(self, key: int) -> bool:
        at = bisect_left(self.all, key)
        return at < len(self.all) and self.all[at] == key

    def add(self, key: int) -> None:
        if self.all and key <= self.all[-1]:
            raise UsageError(f"the key {key} comes after {self.all[-1]}; keys must ascend, and each stands once")
        self.all.append(key)


class Ids:
    """The ids of a file by the first half of each, in eight bytes; that two of them agree by chance does not happen."""

    def __init__(self) -> None:
        self._heads = array("Q")

    def add(self, line: ExportLine) -> None:
        if "id" in line.values and line.table.columns["id"].sort == "id" and line.values.get("head_pk") is None:
            self._heads.append(int(line.values["id"].replace("-", "")[:16], 16))

    def check(self) -> None:
        heads = np.sort(np.frombuffer(self._heads, dtype=np.uint64))
        if (heads[1:] == heads[:-1]).any():
            twice = int(heads[1:][heads[1:] == heads[:-1]][0])
            raise UsageError(f"the id that begins with {twice >> 32:08x} stands for two things in the file")


class ExportSurvey(NamedTuple):
    """What a sound file holds: how many rows of each table, and what all of it hashes to."""

    counts: dict[str, int]
    digest: str


def rows_of(source: ImportSource, ended: Callable[[str], None] = lambda digest: None) -> Iterator[ExportLine]:
    """The rows of a file, each checked by itself."""
    for number, raw, done in read_rows(source.start(), ended):
        try:
            yield ExportLine(*values_of(raw), done)
        except UsageError as error:
            raise type(error)(f"line {number}: {error.message}") from None


def survey(source: ImportSource, watch: Callable[[int], None]) -> ExportSurvey:
    """Read all of a file without storing any of it. An error if it is unsound."""
    keys = {table.name: Keys() for table in TABLES if table.keyed}
    ahead: dict[str, set[int]] = {name: set() for name in keys}
    counts: dict[str, int] = {}
    digests: list[str] = []
    ids = Ids()
    last = 0
    for number, line in enumerate(rows_of(source, digests.append), start=2):
        try:
            last = _in_order(line.table, last)
            _note_references(line, keys, ahead)
            ids.add(line)
        except UsageError as error:
            raise type(error)(f"line {number}: {error.message}") from None
        counts[line.table.name] = counts.get(line.table.name, 0) + 1
        watch(line.done)
    ids.check()
    for name, wanted in ahead.items():
        for key in islice((key for key in wanted if key not in keys[name]), 1):
            raise UsageError(f"a line refers to the {name} {key}, which is not in the file")
    return ExportSurvey(counts, digests[0])


def _in_order(table: Table, last: int) -> int:
    at = TABLES.index(table)
    if at < last:
        raise UsageError(f"a {table.name} must come before any {TABLES[last].name}")
    return at


def _note_references(line: ExportLine, keys: dict[str, Keys], ahead: dict[str, set[int]]) -> None:
    table, values = line.table, line.values
    if table.keyed:
        keys[table.name].add(values["pk"])
    for name, column in table.columns.items():
        key = values.get(name)
        if column.refers and key is not None and key not in keys[column.refers]:
            if column.refers != table.name or name == "head_pk":
                raise UsageError(f"{name} refers to the {column.refers} {key}, which is not in the file before it")
            ahead[table.name].add(key)
