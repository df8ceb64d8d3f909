"""What the engine asks of a database.

A store hands out transactions; the modules beside this one (`records`, `edges`, `journal` …) say what is done
inside them, in portable SQL. Reads never wait for writes. Writes are queued, applied by one thread in the order
given, committed in groups, and acknowledged only when they are durable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

T = TypeVar("T")
Row = tuple[Any, ...]
Params = Sequence[Any]


class Tx(Protocol):
    """Statements inside one transaction. Parameters are always bound, never written into the SQL."""

    def all(self, sql: str, params: Params = ()) -> list[Row]: ...
    def each(self, sql: str, params: Params = ()) -> Iterator[Row]: ...
    def one(self, sql: str, params: Params = ()) -> Row | None: ...
    def value(self, sql: str, params: Params = ()) -> Any:
        """First column of the first row, or None."""

    def run(self, sql: str, params: Params = ()) -> int:
        """Run a statement; the number of rows it changed."""

    def many(self, sql: str, rows: Iterable[Params]) -> None: ...
    def insert(self, sql: str, params: Params = ()) -> int:
        """Insert one row; its integer key."""

    def pk_list(self, pks: Iterable[int]) -> Any:
        """Bind many integers as one parameter, used as `IN carray(?)`."""


class Store(Protocol):
    """A database and its transactions."""

    def read(self) -> AbstractContextManager[Tx]:
        """A consistent snapshot for reading, from any thread."""

    def write(self, work: Callable[[Tx], T]) -> T:
        """Run `work` in a write transaction and return its result once that is durable.

        Several calls may share a commit. If `work` raises, exactly its own changes are undone and the error
        comes back here. It must not wait for anything but the transaction.
        """

    def change_seq(self) -> int:
        """The newest entry of the change feed, other processes' writes included. Cheap enough for every search."""

    @property
    def inherited(self) -> bool:
        """Whether this came into the process by a fork: then it is the parent's, and not to be used."""

    def checkpoint(self) -> None:
        """Fold the write-ahead log into the file."""

    def scrub(self) -> None:
        """Leave no byte of deleted rows in any file. Takes as long as copying the store."""

    def size_bytes(self) -> int: ...

    def close(self) -> None:
        """Finish what was queued, then let go of the file. Idempotent."""
