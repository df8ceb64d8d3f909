"""One connection to PostgreSQL, and the statements run on it.

Whatever a transaction needs is set in it and ends with it (`SET LOCAL`), so that a pooler which hands out servers for
single transactions may stand in between.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import psycopg
from psycopg import sql as composing
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from recollect.config.storage import StoreSettings
from recollect.errors import UsageError
from recollect.store.base import Params, Row, Tx
from recollect.store.postgres.dialect import spelled
from recollect.store.postgres.text import PostgresText
from recollect.store.postgres.values import KeyArray, adapt

if TYPE_CHECKING:
    from recollect.store.moving import Moving
    from recollect.store.near import NearSearch
    from recollect.store.postgres.near import NearKnown

DEFAULT_SCHEMA = "recollect"
ERASURE_DUE = "scrub_due"  # the key in `meta` under which the newest unfinished erasure is noted
VERSION_MIN = 140_000
_EACH_ROWS = 2_000  # fetched at a time by `each`
_SCHEMA = re.compile(r"[a-z_][a-z0-9_]{0,62}")
_KEY_COLUMNS = {"change": "seq", "evolution_log": "id", "sealed": "ref"}
_INTO = re.compile(r"\s*INSERT INTO (\w+)")
_names = count(1)
# A peer that is gone without a word is noticed within half a minute; the system's own default is hours.
_GIVEN = {
    "application_name": "recollect",
    "keepalives_idle": "15",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "30000",
}


@dataclass(frozen=True, kw_only=True)
class ServerOpening:
    """How to open a database. What the URL keeps secret never appears in a repr, a log or an error."""

    conninfo: str = field(repr=False)
    schema: str = DEFAULT_SCHEMA
    settings: StoreSettings = field(default=StoreSettings(), repr=False)
    create: bool = True  # where there is no store yet
    moving: bool = False  # it may have been moved away, or be half full

    @classmethod
    def of(cls, url: str, settings: StoreSettings, *, create: bool = True, moving: bool = False) -> ServerOpening:
        """From a URL as libpq reads it, and `schema=NAME` among its parameters."""
        parts = urlsplit(url)
        asked = parse_qsl(parts.query, keep_blank_values=True)
        schema = next((value for name, value in asked if name == "schema"), settings.db_schema)
        if not _SCHEMA.fullmatch(schema) or schema.startswith("pg_"):
            raise UsageError("schema= takes small letters, digits and _, at most 63, and does not begin with pg_")
        rest = urlencode([(name, value) for name, value in asked if name != "schema"])
        try:
            plain = urlunsplit((parts.scheme, parts.netloc, parts.path, rest, ""))
            known = conninfo_to_dict(plain)
        except (psycopg.ProgrammingError, ValueError):
            raise UsageError(
                "this is no URL of a PostgreSQL database; one looks like postgresql://USER:PASSWORD@HOST:5432/NAME"
            ) from None
        given = {"connect_timeout": str(max(2, int(settings.connect_timeout_s))), **_GIVEN}
        return cls(
            conninfo=make_conninfo(plain, **{k: v for k, v in given.items() if k not in known}),
            schema=schema,
            settings=settings,
            create=create,
            moving=moving,
        )

    @property
    def place(self) -> str:
        """Where it is, for people: without the password."""
        known = conninfo_to_dict(self.conninfo)
        host = f"{known.get('host') or 'local'}:{known.get('port') or 5432}"
        return f"postgresql://{host}/{known.get('dbname') or ''}?schema={self.schema}"

    @property
    def folder_name(self) -> str:
        """The name of a folder on this machine that is for this schema alone."""
        known = conninfo_to_dict(self.conninfo)
        parts = (known.get("host") or "local", known.get("port") or 5432, known.get("dbname") or "", self.schema)
        return re.sub(r"[^A-Za-z0-9._-]+", "_", "-".join(str(part) for part in parts)).strip(".")

    @property
    def lock(self) -> int:
        """The number of the advisory lock that whoever writes to this schema holds."""
        return self.lock_of("")

    @property
    def channel(self) -> str:
        """Where it is told that somebody has written."""
        return f"recollect_{self.lock & 0xFFFF_FFFF_FFFF_FFFF:016x}"

    def lock_of(self, what: str) -> int:
        """The number of the advisory lock of something else that one process of this schema does at a time."""
        told = f"recollect:{self.schema}{what and ':'}{what}"
        return int.from_bytes(hashlib.blake2b(told.encode(), digest_size=8).digest(), "big", signed=True)


def connect(opening: ServerOpening) -> psycopg.Connection[Row]:
    """A connection on which transactions are begun by hand."""
    db = psycopg.connect(opening.conninfo, **connection_options(opening.settings))
    adapt(db)
    return db


def connection_options(settings: StoreSettings) -> dict[str, Any]:
    return {
        "autocommit": True,
        "cursor_factory": psycopg.RawCursor,
        "prepare_threshold": 5 if settings.prepared_statements else None,
    }


@lru_cache(maxsize=256)
def setting_up(schema: str, timeout_s: float) -> str:
    """What each transaction sets for itself."""
    name = composing.Identifier(schema).as_string(None)
    return f"SET LOCAL search_path = {name}; SET LOCAL statement_timeout = {int(timeout_s * 1000)}"


def run_together(db: psycopg.Connection[Row], *statements: str) -> psycopg.Cursor[Row]:
    """Several statements without parameters in one round trip."""
    return db.execute("; ".join(statements))


class PostgresStatements:
    """Statements on one connection; see `store.base.Sql`."""

    __slots__ = ("db", "near", "told")

    def __init__(self, db: psycopg.Connection[Row], near: NearKnown | None = None) -> None:
        self.db = db
        self.near = near  # where vectors can be searched
        self.told = False  # whether the feed was told something since this was last set

    def _execute(self, sql: str, params: Params) -> psycopg.Cursor[Row]:
        return self.db.execute(spelled(sql), params or None, binary=True)

    def all(self, sql: str, params: Params = ()) -> list[Row]:
        return self._execute(sql, params).fetchall()

    def each(self, sql: str, params: Params = ()) -> Iterator[Row]:
        name = f"each_{next(_names)}"
        with psycopg.RawServerCursor(self.db, name) as cursor:
            cursor.itersize = _EACH_ROWS
            cursor.execute(spelled(sql), params or None, binary=True)
            yield from cursor

    def one(self, sql: str, params: Params = ()) -> Row | None:
        return self._execute(sql, params).fetchone()

    def value(self, sql: str, params: Params = ()) -> Any:
        row = self.one(sql, params)
        return row[0] if row else None

    def run(self, sql: str, params: Params = ()) -> int:
        return max(0, self._execute(sql, params).rowcount)

    def many(self, sql: str, rows: Iterable[Params]) -> None:
        with self.db.cursor() as cursor:
            cursor.executemany(spelled(sql), rows)

    def insert(self, sql: str, params: Params = ()) -> int:
        table = _INTO.match(sql)
        assert table is not None
        found = self.value(f"{sql} RETURNING {_KEY_COLUMNS.get(table[1], 'pk')}", params)
        return int(found)

    def keys(self, pks: Iterable[int]) -> Any:
        return KeyArray(pks)

    def next_key(self, table: str) -> int:
        column = _KEY_COLUMNS.get(table, "pk")
        return int(
            self.value(
                f"SELECT 1 + greatest((SELECT max({column}) FROM {table}), "
                "(SELECT last FROM key_given WHERE name = ?), 0)",
                (table,),
            )
        )

    def skip_keys(self, table: str, up_to: int) -> None:
        self.run(
            "INSERT INTO key_given (name, last) VALUES (?, ?) "
            "ON CONFLICT (name) DO UPDATE SET last = greatest(key_given.last, excluded.last)",
            (table, up_to),
        )

    def defer_references(self) -> None:
        self.run("SET CONSTRAINTS ALL DEFERRED")

    def note_change(self) -> None:
        self.told = True

    def note_erasure(self, mark: str) -> None:
        self.run(
            "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            (ERASURE_DUE, mark),
        )

    def tables_with(self, column: str) -> list[str]:
        rows = self.all(
            "SELECT table_name FROM information_schema.columns WHERE table_schema = current_schema() "
            "AND column_name = ? AND table_name IN (SELECT tablename FROM pg_tables WHERE schemaname = "
            "current_schema()) "
            'ORDER BY table_name COLLATE "C"',
            (column,),
        )
        return [row[0] for row in rows]

    def near_search(self, tx: Tx) -> NearSearch:
        from recollect.store.postgres.near import PostgresNear  # needs numpy

        return PostgresNear(tx)

    def text_search(self, tx: Tx) -> PostgresText:
        return PostgresText(tx)

    def moving(self, tx: Tx) -> Moving:
        from recollect.store.postgres.moving import PostgresMoving  # seldom asked for

        return PostgresMoving(tx)
