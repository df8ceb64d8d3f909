"""Moving a store to another place: from a file into a database server and back, while it goes on being used.

Rows are copied in portions; what is written meanwhile is noted by the source itself and brought after. When both hold
the same, table by table, the last writes are brought while the source takes none, and the source says where the store
is from then on. Each portion is kept together with how far it came, so a move that was killed goes on where it was.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from recollect.clock import SECOND_US, now_us
from recollect.config import Config, LiveConfig
from recollect.errors import NotFound, StoreError, UsageError
from recollect.ids import new_id
from recollect.ingest.progress import report
from recollect.security.access import Access, KeyGiven, access_to
from recollect.store.base import Row, Store, Tx
from recollect.store.meta import ABOUT_MOVES, FILLED_FROM, MOVED_TO
from recollect.store.moving import MovedTable, MoveState, RowPrinter, RowsPrint, next_limit
from recollect.store.open import is_server, open_store, store_path

_WATCHED = f"{ABOUT_MOVES}watched"  # in the store that is moved: the number of the move, and where to
_MADE_BY_OPENING = ("meta", "scope", "space", "audit", "job", "run")  # rows that are no sign of use
_FIRST_ROWS, _NOTES, _TAIL_NOTES, _ROUNDS, _REPAIRS = 200, 2_000, 200, 50, 2


@dataclass(frozen=True, kw_only=True)
class MoveReport:
    """What a move did. `tables` says how many rows each holds and their print, which both places have alike."""

    did: str  # moved, would move, taken back
    source: str
    target: str
    rows: int = 0
    tables: Mapping[str, RowsPrint] = field(default_factory=dict)
    resumed: bool = False
    written_meanwhile: int = 0
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        tables = {name: told._asdict() for name, told in self.tables.items()}
        return {**{name: getattr(self, name) for name in self.__dataclass_fields__}, "tables": tables}


def move(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str] | None = None,
    *,
    key: KeyGiven = None,
    dry_run: bool = False,
    cancel: bool = False,
    config: Mapping[str, Any] | None = None,
) -> MoveReport:
    """Move a store to another place: a file to PostgreSQL, back, or between two of a kind. Everything is moved.

    The source can be used and written meanwhile; at the end it says where the store is and takes no writes any more.
    Called again with the same places, a move that was interrupted goes on. `dry_run` looks at both places and changes
    neither. `cancel` takes a move back: an unfinished one is forgotten and its target emptied; a finished one leaves
    the source as it was when it was moved. `key` opens an encrypted source, whose target is then encrypted alike.
    """
    chosen = LiveConfig(config).current
    places = _places(source, target, chosen, cancel=cancel)
    access = access_to(places[0], key)
    with ExitStack() as stack:
        here = _opened(stack, places[0], access, chosen, create=False)
        if cancel:
            return _taken_back(here, _target_if_there(stack, places[1], access, chosen))
        assert places[1] is not None
        _check_secrets(here, places[1], access)
        if dry_run:
            return _looked_at(here, _target_if_there(stack, places[1], access, chosen), places[1])
        there = _opened(stack, places[1], access, chosen, create=True)
        return _Move(here, there).run()


def _places(
    source: str | os.PathLike[str], target: str | os.PathLike[str] | None, config: Config, *, cancel: bool
) -> tuple[str, str | None]:
    here = store_path(source, config)
    there = None if target is None else store_path(target, config)
    if there is None and not cancel:
        raise UsageError("say where to move the store: a path, or the URL of a PostgreSQL database")
    if ":memory:" in (here, there):
        raise UsageError("a store in memory ends with its process: it cannot be moved, nor be moved into")
    if here == there:
        raise UsageError("source and target are the same place")
    return here, there


def _opened(stack: ExitStack, place: str, access: Access, config: Config, *, create: bool) -> Store:
    store = open_store(place, key=access.pages, config=config, create=create, moving=True)
    stack.callback(store.close)
    return store


def _target_if_there(stack: ExitStack, place: str | None, access: Access, config: Config) -> Store | None:
    try:
        return None if place is None else _opened(stack, place, access, config, create=False)
    except NotFound:
        return None


def _check_secrets(source: Store, target: str, access: Access) -> None:
    """What only a key opens stays under a key: a server keeps none."""
    vault = source.path is not None and os.path.exists(f"{source.path}.vault")
    if is_server(target) and (access.pages is not None or vault):
        raise UsageError(
            "the source is encrypted or has a vault, and a database server keeps neither: what is sealed could not be "
            "opened there. Make it plain first (recollect vault migrate --to plain --open), and have the server's disk "
            "encrypted; nothing was changed"
        )


def _keep_vault(source: Store, target: Store) -> None:
    """A file's header of keys beside the new file, too: the same key opens both."""
    if source.path is None or target.path is None or not os.path.exists(f"{source.path}.vault"):
        return
    place = Path(f"{target.path}.vault")
    descriptor = os.open(place, os.O_CREAT | os.O_WRONLY | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(Path(f"{source.path}.vault").read_bytes())
        file.flush()
        os.fsync(file.fileno())


def _looked_at(source: Store, target: Store | None, place: str) -> MoveReport:
    """What a move would find. Raises where it would be refused."""
    if target is not None:
        _standing(source, target)
    with source.read() as tx:
        tables = {each.name: RowsPrint(tx.moving.count(each), "") for each in tx.moving.tables()}
    told = place if target is None and not is_server(place) else (target.place if target else "a new schema")
    return MoveReport(did="would move", source=source.place, target=told, rows=_sum(tables), tables=tables)


def _sum(tables: Mapping[str, RowsPrint]) -> int:
    return sum(told.rows for told in tables.values())


def _standing(source: Store, target: Store) -> tuple[str, MoveState | None, bool]:
    """(number of the move under way at the source or "", its state at the target, whether it is switched)."""
    with source.read() as tx:
        moved_to, watched = tx.meta.text(MOVED_TO), _watched(tx)
    with target.read() as tx:
        state, filled_from, format_ = tx.moving.state(), tx.meta.text(FILLED_FROM), tx.moving.format()
        used = _used(tx) if filled_from is None else []
    same = state is not None and state.id == watched.get("id")
    if moved_to is not None and not same:
        raise UsageError(f"this store was moved to {moved_to} already; --cancel takes it into use again")
    if watched and watched["to"] != target.place:
        raise UsageError(f"this store is being moved to {watched['to']}: finish that, or take it back with --cancel")
    if filled_from not in (None, source.place):
        raise UsageError(f"the target is being filled from {filled_from}: finish that, or take it back with --cancel")
    if used:
        raise UsageError(
            f"the target is not empty ({', '.join(used[:5])}): give another file, database or schema; "
            "nothing was changed"
        )
    if not same or (state is not None and state.format != format_ and moved_to is None):
        state = None  # it begins anew
    return watched.get("id", ""), state, moved_to is not None


def _used(tx: Tx) -> list[str]:
    """The tables in which somebody's use has left rows."""
    return [
        table.name
        for table in tx.moving.tables()
        if table.name not in _MADE_BY_OPENING and tx.moving.portion(table, None, 1)
    ]


def _taken_back(source: Store, target: Store | None) -> MoveReport:
    with source.read() as tx:
        moved_to, watched = tx.meta.text(MOVED_TO), _watched(tx)
    if moved_to is None and not watched:
        raise UsageError("no move of this store is under way, and it was not moved")
    warnings = []
    if target is not None and moved_to is None:
        _empty(source, target)
    elif moved_to is None:
        warnings.append(f"what was brought to {watched['to']} is still there; name it, too, to have it emptied")
    else:
        warnings.append(f"what was written to {moved_to} since the move is not here")

    def forget(tx: Tx) -> None:
        tx.moving.unwatch()
        tx.meta.forget(MOVED_TO)
        tx.meta.forget(_WATCHED)

    source.write(forget)
    return MoveReport(did="taken back", source=source.place, target=moved_to or watched["to"], warnings=tuple(warnings))


def _empty(source: Store, target: Store) -> None:
    with target.read() as tx:
        filled_from = tx.meta.text(FILLED_FROM)
    if filled_from != source.place:
        return
    target.take_as_is(True)
    target.write(lambda tx: tx.moving.clear(tx.moving.tables()))
    target.take_as_is(False)
    target.write(lambda tx: tx.moving.forget_state())


class _Move:
    """One move, from its first step or from where an earlier process left it."""

    def __init__(self, source: Store, target: Store) -> None:
        self._source, self._target = source, target
        self._begun = now_us()
        self._brought = 0
        self._done = self._total = 0

    def run(self) -> MoveReport:
        id_, state, switched = _standing(self._source, self._target)
        self._tables = self._shared_tables()
        resumed = state is not None
        self._state = state._replace(runner=new_id()) if state is not None else self._new_state(id_)
        if switched:
            self._finish()
            prints: dict[str, RowsPrint] = {}
        else:
            self._begin(anew=not resumed)
            self._copy()
            self._catch_up()
            prints = self._verified()
            self._switch()
            self._finish()
        return MoveReport(
            did="moved",
            source=self._source.place,
            target=self._target.place,
            rows=_sum(prints),
            tables=prints,
            resumed=resumed,
            written_meanwhile=self._brought,
            seconds=round((now_us() - self._begun) / SECOND_US, 3),
        )

    def _shared_tables(self) -> list[MovedTable]:
        """The tables that are moved, with the columns that both databases have."""
        with self._source.read() as tx:
            mine, format_ = {table.name: table for table in tx.moving.tables()}, tx.moving.format()
        with self._target.read() as tx:
            theirs = {table.name: table for table in tx.moving.tables()}
            assert tx.moving.format() == format_  # opening brings both to the newest
        names = [name for name in mine if name in theirs]
        return [
            mine[name]._replace(columns=tuple(each for each in mine[name].columns if each in theirs[name].columns))
            for name in names
        ]

    def _new_state(self, id_: str) -> MoveState:
        with self._target.read() as tx:
            return MoveState(id_ or new_id(), new_id(), tx.moving.format(), {})

    def _begin(self, *, anew: bool) -> None:
        """Note at both places what is under way, watch the source, and have the target take rows as they come."""

        def fill(tx: Tx) -> None:
            tx.meta.note(FILLED_FROM, self._source.place)
            tx.moving.keep_state(self._state)

        def watch(tx: Tx) -> None:
            noted = {"id": self._state.id, "to": self._target.place}
            tx.meta.note(_WATCHED, orjson.dumps(noted).decode())
            tx.moving.watch(self._tables)

        self._target.write(fill)
        self._target.take_as_is(True)
        if anew:
            self._fill(lambda tx: tx.moving.clear(self._tables))
        self._source.write(watch)

    def _fill(self, work: Any) -> None:
        """Write to the target, unless somebody else goes on with this move by now."""

        def alone(tx: Tx) -> None:
            now = tx.moving.state()
            if now is None or now.runner != self._state.runner:
                raise _others()
            work(tx)

        self._target.write(alone)

    def _copy(self) -> None:
        with self._source.read() as tx:
            self._total = sum(tx.moving.count(table) for table in self._tables)
        for table in self._tables:
            self._copy_table(table)

    def _copy_table(self, table: MovedTable) -> None:
        copied, limit = self._state.copied, _FIRST_ROWS
        while copied.get(table.name, "") is not None:
            noted = copied.get(table.name)
            with self._source.read() as tx:
                rows = tx.moving.portion(table, table.read(noted) if noted else None, limit)
            copied[table.name] = table.written(table.key_of(rows[-1])) if rows else None

            def add(tx: Tx, rows: Sequence[Row] = rows) -> None:
                tx.moving.add(table, rows)
                tx.moving.keep_state(self._state)

            self._fill(add)
            limit = next_limit(rows, limit) if rows else limit
            self._done += len(rows)
            report(min(self._done, self._total), max(1, self._total))

    def _catch_up(self) -> None:
        """Bring what was written since the copy began, until little is left."""
        for _ in range(_ROUNDS):
            with self._source.read() as tx:
                notes = self._bring_noted(tx)
            self._source.write(lambda tx, notes=notes: tx.moving.forget_noted(notes))  # type: ignore[misc]
            if len(notes) < _TAIL_NOTES:
                return

    def _bring_noted(self, tx: Tx, *, looked_at: bool = False) -> list[int]:
        """Bring every row that was noted as it is in this transaction; the numbers of the notes."""
        if _watched(tx).get("id") != self._state.id:
            raise _others()
        tables, numbers = {table.name: table for table in self._tables}, list[int]()
        while notes := tx.moving.noted(numbers[-1] if numbers else 0, _NOTES):
            numbers += [note.seq for note in notes]
            keys: dict[str, dict[Row, None]] = {}
            for note in notes:
                keys.setdefault(note.table, {})[tables[note.table].read(note.key)] = None
            found = [
                (tables[name], list(some), tx.moving.rows(tables[name], list(some))) for name, some in keys.items()
            ]

            def bring(there: Tx, found: Any = found) -> None:
                for table, keys, rows in found:
                    there.moving.bring(table, keys, rows)

            self._fill(bring)
            if looked_at:
                self._look_at(found)
        self._brought += len(numbers)
        return numbers

    def _look_at(self, brought: Sequence[tuple[MovedTable, list[Row], list[Row]]]) -> None:
        """See that rows which were just brought are what they are at the source."""
        with self._target.read() as tx:
            for table, keys, rows in brought:
                if _print_of(tx.moving.rows(table, keys)) != _print_of(rows):
                    raise _differs([table.name])

    def _verified(self) -> dict[str, RowsPrint]:
        """Compare every row of both places as they are at one moment. A table that differs is copied once more."""
        self._target.write(lambda tx: tx.text.purge())
        prints: dict[str, RowsPrint] = {}
        with self._source.read() as tx:
            notes = self._bring_noted(tx)
            for table in self._tables:
                prints[table.name] = wanted = tx.moving.print_of(table)
                for _ in range(_REPAIRS):
                    if self._there(table) == wanted:
                        break
                    self._copy_anew(tx, table)
                else:
                    raise _differs([table.name])
        self._source.write(lambda tx: tx.moving.forget_noted(notes))
        return prints

    def _there(self, table: MovedTable) -> RowsPrint:
        with self._target.read() as tx:
            return tx.moving.print_of(table)

    def _copy_anew(self, tx: Tx, table: MovedTable) -> None:
        """A table as a transaction sees it. Rows without a key change places when their file is rewritten."""
        self._fill(lambda there: there.moving.clear([table]))
        last, limit = None, _FIRST_ROWS
        while rows := tx.moving.portion(table, last, limit):
            self._fill(lambda there, rows=rows: there.moving.add(table, rows))
            last, limit = table.key_of(rows[-1]), next_limit(rows, limit)

    def _switch(self) -> None:
        """Bring the last writes while no other can be made, and say at the source where the store is now."""
        _keep_vault(self._source, self._target)

        def leave(tx: Tx) -> None:
            self._bring_noted(tx, looked_at=True)
            given = tx.moving.keys_given()
            self._fill(lambda there: there.moving.take_keys(given, self._tables))
            tx.moving.unwatch()
            tx.meta.note(MOVED_TO, self._target.place)

        self._source.write(leave)

    def _finish(self) -> None:
        """Open the target to everybody."""
        self._target.take_as_is(False)
        self._target.write(lambda tx: tx.moving.forget_state())
        self._target.check_references()
        self._source.write(lambda tx: tx.meta.forget(_WATCHED))


def _watched(tx: Tx) -> dict[str, str]:
    """The move that is under way, as its source notes it: its number, and where to."""
    noted: dict[str, str] = orjson.loads(tx.meta.text(_WATCHED) or "{}")
    return noted


def _others() -> UsageError:
    return UsageError("another process goes on with this move, or has ended it; `recollect move` again tells which")


def _print_of(rows: Sequence[Row]) -> RowsPrint:
    printer = RowPrinter()
    printer.take(rows)
    return printer.told


def _differs(tables: Sequence[str]) -> StoreError:
    return StoreError(
        f"what arrived differs from what was sent ({', '.join(tables)}); the source goes on as it was. Run the same "
        "command again; if it stays so, take the move back with --cancel and report it"
    )
