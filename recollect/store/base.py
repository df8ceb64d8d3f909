"""What the engine asks of a database.

A `Store` hands out transactions. A transaction (`Tx`) offers the tables in words of the domain: typed groups such as
`tx.records` or `tx.jobs`, one module beside this one for each. Their statements are shared by all databases; what a
database says differently is behind `Sql`, and no SQL is written outside this package.

Reads never wait for writes. Writes are queued, applied by one thread in the order given, committed in groups, and
acknowledged only when they are durable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from recollect.errors import RecollectError
    from recollect.model.audit import AuditedCall
    from recollect.model.query import Criteria
    from recollect.outage import Outage
    from recollect.store.accesses import Accesses
    from recollect.store.accounts import AccountRows
    from recollect.store.agent_work import AgentWorkRows
    from recollect.store.anchors import AnchorRows
    from recollect.store.arrivals import Arrivals
    from recollect.store.audit import AuditRows, AuditSeal
    from recollect.store.before import Before
    from recollect.store.bus import BusRows
    from recollect.store.candidates import Candidates
    from recollect.store.changes import Changes
    from recollect.store.code import CodeRows
    from recollect.store.criteria import Visibility
    from recollect.store.documents import Documents
    from recollect.store.doubts import Doubts
    from recollect.store.edges import Edges
    from recollect.store.endings import Endings
    from recollect.store.enriched import Enriched
    from recollect.store.entities import Entities
    from recollect.store.erase import Erasure
    from recollect.store.exports import Exports
    from recollect.store.feedback import Feedback
    from recollect.store.figures import FigureRows
    from recollect.store.imprints import ImprintRows
    from recollect.store.indexed import IndexedRows
    from recollect.store.jobs import Jobs
    from recollect.store.journal import Journal
    from recollect.store.leaving import Leaving
    from recollect.store.looks import Looks
    from recollect.store.marks import Marks
    from recollect.store.mentions import Mentions
    from recollect.store.meta import Meta
    from recollect.store.minds import MindRows
    from recollect.store.moving import Moving
    from recollect.store.names import Names
    from recollect.store.near import NearKeeper, NearSearch
    from recollect.store.network import NetworkRows
    from recollect.store.observed import ObservedRows
    from recollect.store.patterns import Patterns
    from recollect.store.profiles import Profiles
    from recollect.store.questions import Questions
    from recollect.store.records import Records
    from recollect.store.relations import Relations
    from recollect.store.runs import Runs
    from recollect.store.sayings import Sayings
    from recollect.store.scopes import Scopes
    from recollect.store.sealed import SealedFields
    from recollect.store.sessions import Sessions
    from recollect.store.shown import ShownRecords
    from recollect.store.signals import SignalRows
    from recollect.store.statements import Statements
    from recollect.store.stretches import Stretches
    from recollect.store.summaries import Summaries
    from recollect.store.textual import TextSearch
    from recollect.store.tokens import AccessTokens
    from recollect.store.traverse import Paths
    from recollect.store.tuning import Tuning
    from recollect.store.turns import TurnRows
    from recollect.store.undo import Undoing
    from recollect.store.validity import ValidityOfRecords
    from recollect.store.vectors import Vectors

T = TypeVar("T")
Row = tuple[Any, ...]
Params = Sequence[Any]


class Sql(Protocol):
    """Statements on one connection. Parameters are always bound, never written into the SQL.

    The text is SQL that every database reads, with a few words of the store's own (`store.dialect`) where they differ.
    """

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

    def keys(self, pks: Iterable[int]) -> Any:
        """Bind many integers as one parameter, used as `IN KEYS(?)`; an empty list matches nothing."""

    def next_key(self, table: str) -> int:
        """The key that the next row of a table gets. Keys of rows that are gone are never given again."""

    def skip_keys(self, table: str, up_to: int) -> None:
        """Never give keys up to this one to rows of a table."""

    def defer_references(self) -> None:
        """Check at the end of the transaction, not before, that what rows refer to is there."""

    def note_change(self) -> None:
        """Say that this transaction tells the change feed something, for others who wait for that."""

    def note_erasure(self, mark: str) -> None:
        """Note that bytes of what this transaction erases are still to be wiped; `mark` tells it from others."""

    def tables_with(self, column: str) -> list[str]:
        """The tables that have a column of this name."""

    def text_search(self, tx: Tx) -> TextSearch:
        """The database's own text index."""

    def near_search(self, tx: Tx) -> NearSearch:
        """The database's own way to the nearest vectors."""

    def moving(self, tx: Tx) -> Moving:
        """The rows of every table as they are, in the database's words."""


# Where each group lives. They are loaded when they are first used: some need numpy, which no list of records waits for.
_GROUPS = {
    "accesses": ("accesses", "Accesses"),
    "accounts": ("accounts", "AccountRows"),
    "agent_work": ("agent_work", "AgentWorkRows"),
    "anchors": ("anchors", "AnchorRows"),
    "arrivals": ("arrivals", "Arrivals"),
    "audit": ("audit", "AuditRows"),
    "before": ("before", "Before"),
    "bus": ("bus", "BusRows"),
    "candidates": ("candidates", "Candidates"),
    "changes": ("changes", "Changes"),
    "code": ("code", "CodeRows"),
    "criteria": ("criteria", "Visibility"),
    "documents": ("documents", "Documents"),
    "doubts": ("doubts", "Doubts"),
    "edges": ("edges", "Edges"),
    "endings": ("endings", "Endings"),
    "enriched": ("enriched", "Enriched"),
    "entities": ("entities", "Entities"),
    "erasure": ("erase", "Erasure"),
    "exports": ("exports", "Exports"),
    "feedback": ("feedback", "Feedback"),
    "figures": ("figures", "FigureRows"),
    "imprints": ("imprints", "ImprintRows"),
    "indexed": ("indexed", "IndexedRows"),
    "jobs": ("jobs", "Jobs"),
    "journal": ("journal", "Journal"),
    "leaving": ("leaving", "Leaving"),
    "looks": ("looks", "Looks"),
    "marks": ("marks", "Marks"),
    "mentions": ("mentions", "Mentions"),
    "meta": ("meta", "Meta"),
    "minds": ("minds", "MindRows"),
    "paths": ("traverse", "Paths"),
    "names": ("names", "Names"),
    "network": ("network", "NetworkRows"),
    "observed": ("observed", "ObservedRows"),
    "patterns": ("patterns", "Patterns"),
    "profiles": ("profiles", "Profiles"),
    "questions": ("questions", "Questions"),
    "records": ("records", "Records"),
    "relations": ("relations", "Relations"),
    "runs": ("runs", "Runs"),
    "sayings": ("sayings", "Sayings"),
    "scopes": ("scopes", "Scopes"),
    "sealed": ("sealed", "SealedFields"),
    "sessions": ("sessions", "Sessions"),
    "shown": ("shown", "ShownRecords"),
    "signals": ("signals", "SignalRows"),
    "statements": ("statements", "Statements"),
    "stretches": ("stretches", "Stretches"),
    "summaries": ("summaries", "Summaries"),
    "tokens": ("tokens", "AccessTokens"),
    "tuning": ("tuning", "Tuning"),
    "turns": ("turns", "TurnRows"),
    "undoing": ("undo", "Undoing"),
    "validity": ("validity", "ValidityOfRecords"),
    "vectors": ("vectors", "Vectors"),
}


@cache
def _class_of(name: str) -> Callable[[Tx], Any]:
    module, kind = _GROUPS[name]
    found: Callable[[Tx], Any] = getattr(import_module(f"recollect.store.{module}"), kind)
    return found


class Tx:
    """One transaction: the tables of a store in words of the domain."""

    __slots__ = ("__dict__", "sql")

    call: AuditedCall | None = None  # the call that this is written for; None: upkeep's
    audit_seal: AuditSeal | None = None  # how a vault keeps the key of the audit; None: there is none

    if TYPE_CHECKING:
        accesses: Accesses
        accounts: AccountRows
        agent_work: AgentWorkRows
        anchors: AnchorRows
        arrivals: Arrivals
        audit: AuditRows
        before: Before
        bus: BusRows
        candidates: Candidates
        changes: Changes
        code: CodeRows
        criteria: Visibility
        documents: Documents
        doubts: Doubts
        edges: Edges
        endings: Endings
        enriched: Enriched
        entities: Entities
        erasure: Erasure
        exports: Exports
        feedback: Feedback
        figures: FigureRows
        imprints: ImprintRows
        indexed: IndexedRows
        jobs: Jobs
        journal: Journal
        leaving: Leaving
        looks: Looks
        marks: Marks
        mentions: Mentions
        meta: Meta
        minds: MindRows
        moving: Moving
        paths: Paths
        names: Names
        network: NetworkRows
        near: NearSearch
        observed: ObservedRows
        patterns: Patterns
        profiles: Profiles
        questions: Questions
        records: Records
        relations: Relations
        runs: Runs
        sayings: Sayings
        scopes: Scopes
        sealed: SealedFields
        sessions: Sessions
        shown: ShownRecords
        signals: SignalRows
        statements: Statements
        stretches: Stretches
        summaries: Summaries
        text: TextSearch
        tokens: AccessTokens
        tuning: Tuning
        turns: TurnRows
        undoing: Undoing
        validity: ValidityOfRecords
        vectors: Vectors

    def __init__(self, sql: Sql, *, snapshot: bool = False) -> None:
        self.sql = sql  # for the groups alone: no statement is written outside this package
        self.snapshot = snapshot  # nothing changes while it is read

    if not TYPE_CHECKING:  # a name that is no group is a mistake that mypy finds

        def __getattr__(self, name: str) -> Any:
            if name == "text":
                group: Any = self.sql.text_search(self)
            elif name == "near":
                group = self.sql.near_search(self)
            elif name == "moving":
                group = self.sql.moving(self)
            elif name in _GROUPS:
                group = _class_of(name)(self)
            else:
                raise AttributeError(name)
            setattr(self, name, group)  # found without this detour from now on
            return group


class Group:
    """Some tables of one transaction. Methods say what is done or asked in words of the domain."""

    __slots__ = ("sql", "tx")

    def __init__(self, tx: Tx) -> None:
        self.tx = tx
        self.sql = tx.sql


@dataclass(frozen=True)
class PageKey:
    """The key of a vault's pages: 32 bytes. Unlike a key that a caller gives as it is, it encrypts every byte of the
    file, its header too; with the others, eight bytes of the header (page size, version of the format) stay plain."""

    raw: bytes = field(repr=False)


@dataclass(frozen=True)
class HeldPages:
    """The pages of a store in memory, which somebody keeps: read from `content`, handed to `keep` when it is closed."""

    content: bytes | None = field(repr=False)  # None: a new store
    bytes_max: int
    keep: Callable[[bytes], None] = field(repr=False)


# What of a store may be missing for a while.
WRITES, TEXT_INDEX, ROWS, SERVER = "writes", "text index", "rows", "server"

FileKey = bytes | str | PageKey | HeldPages | None


class Store(Protocol):
    """A database and its transactions."""

    def read(self, seen_by: Criteria | None = None) -> AbstractContextManager[Tx]:
        """A consistent snapshot for reading, from any thread.

        `seen_by` is who reads, where rows of other scopes have no business in this transaction: a database that can
        keeps them from its statements, if that is set (`store.scoped_role`). Statements have their conditions anyway.
        """

    def write(self, work: Callable[[Tx], T]) -> T:
        """Run `work` in a write transaction and return its result once that is durable.

        Several calls may share a commit. If `work` raises, exactly its own changes are undone and the error
        comes back here. It must not wait for anything but the transaction.
        """

    def aside(self, work: Callable[[Tx], T]) -> T:
        """Run `work` in a write transaction that waits for no other write, where a database can do that.

        For what takes one row that nobody else may have, such as a job. It gives no keys and tells the feed nothing.
        """

    audit_seal: AuditSeal | None  # how a vault keeps the key of the audit

    def change_seq(self) -> int:
        """The newest entry of the change feed, other processes' writes included. Cheap enough for every search."""

    def listen(self) -> None:
        """Begin to hear of what others write, where a database tells; else `stirred` is always true."""

    def stirred(self) -> bool:
        """Whether anybody may have written since this was last asked."""

    @property
    def inherited(self) -> bool:
        """Whether this came into the process by a fork: then it is the parent's, and not to be used."""

    @property
    def near(self) -> NearKeeper | None:
        """What keeps vectors where the database itself can search them; None where it never can."""

    def checkpoint(self) -> None:
        """Fold the write-ahead log into the file."""

    def scrub(self) -> None:
        """Leave no byte of deleted rows in any file. Takes as long as copying the store."""

    @property
    def scrub_due(self) -> bool:
        """Whether bytes of something erased may still be in a file."""

    def size_bytes(self) -> int: ...

    @property
    def path(self) -> Path | None:
        """The file, or None where there is none."""

    @property
    def place(self) -> str:
        """What opens it, for people: without a secret."""

    @property
    def in_memory(self) -> bool:
        """Whether it ends with this process."""

    @property
    def encrypted(self) -> bool: ...

    def change_file(
        self, key: FileKey, copy: Path, switch: Callable[[], None], rewrite: Callable[[Tx], None] | None = None
    ) -> None:
        """Write all that is stored into a copy under another key, and go on with that one; None makes it plain.

        `switch` puts the copy into the place of the file; nobody else has the file open then. `rewrite` changes rows of
        the copy before. Calls wait meanwhile. If anything fails, the store goes on with the file and the key it had.
        """

    @property
    def queue_depth(self) -> int:
        """How many writes wait."""

    @property
    def readers_idle(self) -> int | None:
        """How many further reads could begin at once; None where the database decides that."""

    @property
    def lost(self) -> bool:
        """Whether the file was removed or replaced while it was open here: then nothing more is written."""

    @property
    def written(self) -> bool:
        """Whether anything was written through this store since it was opened."""

    @property
    def trouble(self) -> RecollectError | None:
        """Why the newest write failed, if that was the fault of the store: no space, no rights, no file."""

    @property
    def outages(self) -> Mapping[str, Outage[RecollectError]]:
        """What of the store cannot be had, and since when: `WRITES`; in a file `TEXT_INDEX` and `ROWS`; `SERVER`."""

    def spare(self, readers: bool, pages: bool) -> None:
        """Do with one connection that waits for reads, and with small caches of pages; or with as many as are set."""

    def free_bytes(self) -> int | None:
        """What is left on the disk; None where there is no disk, or the system does not tell."""

    def back_up(self, target: Path, going_on: Callable[[], bool] = lambda: True) -> None:
        """Write a whole copy of one moment into a new file under the same key, read it back and see that it is sound.

        The store goes on being used meanwhile. `Interrupted` when it may not go on.
        """

    def newest_in_backup(self, path: Path) -> tuple[str, int] | None:
        """(id, time) of the last operation that a backup of this store holds; None if it does not tell."""

    def check_backup(self, path: Path) -> list[str]:
        """What is wrong with a backup of this store, in words; empty if nothing is."""

    @property
    def was_left_open(self) -> bool:
        """Whether the last process that had the store open ended without closing it."""

    def faults(self) -> list[str]:
        """What is wrong with what is stored, in the database's words; empty if nothing is. Reads all of it."""

    def rows_are_sound(self) -> bool:
        """Whether whatever is wrong is only in what is worked out of the rows, which `mend` makes anew."""

    def mend(self) -> bool:
        """Make anew what is worked out of the rows; whether everything is sound afterwards. For `rows_are_sound`."""

    def dangling_rows(self) -> int:
        """How many rows point at a row that is not there."""

    def take_as_is(self, on: bool) -> None:
        """While on, rows are taken as they come: no trigger works, no reference is checked. For filling a new store."""

    def check_references(self) -> None:
        """`StoreDamaged` if a row that was taken as it came refers to one that is not there."""

    def close(self) -> None:
        """Finish what was queued, then let go of the file. Idempotent."""
