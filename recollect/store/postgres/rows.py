"""Row-level security as a second lock: a read for some scopes sees no row of another, whatever its statement says.

Every statement has the condition of its scopes; that is the first lock. With `store.scoped_role` a read transaction for
some scopes takes on that role and names them in a setting of the transaction (`recollect.scopes`). The role owns no
table, so policies bind it. Both end with the transaction: a pooler in transaction mode may stand between. A table that
is in none of the lists below is not granted at all.

Terms of texts have no policy, only the grant: PostgreSQL uses no GIN index below a policy, as `@@` is not leakproof.
Whoever forgot the condition there would see terms and numbers of rows, and no text.
"""

from __future__ import annotations

from collections.abc import Iterable

import psycopg
from psycopg import sql as composing

from recollect.errors import StoreError
from recollect.store.base import Row
from recollect.store.postgres.connection import ServerOpening, setting_up

_SCOPES = "(SELECT nullif(current_setting('recollect.scopes', TRUE), ''))::BIGINT[]"  # asked for once a statement
_MINE = f"scope_pk = ANY ({_SCOPES})"
_OF_A_RECORD = "EXISTS (SELECT 1 FROM record r WHERE r.pk = record_pk)"  # by the policy of `record`
_BY_HAND = {
    "scope": f"pk = ANY ({_SCOPES})",
    "edge": "EXISTS (SELECT 1 FROM member m WHERE m.edge_pk = edge.pk)",
    "edge_before": "EXISTS (SELECT 1 FROM member m WHERE m.edge_pk = edge_before.edge_pk)",
    "journal": "EXISTS (SELECT 1 FROM operation o WHERE o.pk = operation_pk)",
    "sealed_vector": "EXISTS (SELECT 1 FROM record r WHERE r.sealed = sealed_vector.ref)",
}
_OPEN = ("space", "change", "near_state", "record_text", "record_text_totals")  # nothing of a record, or no text
_WITHHELD = ("access_token",)  # whose rows have a scope and are nobody's to read


def guard(db: psycopg.Connection[Row], opening: ServerOpening) -> None:
    """See that the role which is set may read, and only rows of the scopes that are named. For the owner."""
    schema, role = opening.schema, opening.settings.scoped_role
    with db.transaction():
        db.execute(f"SELECT pg_advisory_xact_lock({opening.lock})")
        db.execute(setting_up(schema, opening.settings.statement_timeout_s))
        _check(db, schema, role)
        if not _is_guarded(db, schema, role):
            where, who = (composing.Identifier(name).as_string(None) for name in (schema, role))
            db.execute(f"GRANT USAGE ON SCHEMA {where} TO {who}")
            for table in _tables(db, schema):
                guard_table(db, table, role)


def taken_on(role: str, scope_pks: Iterable[int]) -> str:
    """What makes the rest of a transaction see these scopes alone."""
    who, listed = composing.Identifier(role).as_string(None), ",".join(map(str, scope_pks))
    return f"SET LOCAL recollect.scopes = '{{{listed}}}'; SET LOCAL ROLE {who}"


def _check(db: psycopg.Connection[Row], schema: str, role: str) -> None:
    """Refuse a role that is not there, may not be taken on, or is bound by no policy."""
    found = db.execute(
        "SELECT pg_has_role(current_user, r.oid, 'MEMBER'), r.rolsuper OR r.rolbypassrls, "
        "pg_has_role(r.oid, (SELECT nspowner FROM pg_namespace WHERE nspname = $2), 'MEMBER') "
        "FROM pg_roles r WHERE r.rolname = $1",
        (role, schema),
    ).fetchone()
    if found is None:
        raise StoreError(f"store.scoped_role: there is no role {role}; have it made: CREATE ROLE {role} NOLOGIN")
    member, bypasses, owns = found
    if not member:
        raise StoreError(f"store.scoped_role: this login may not take on {role}; have it granted: GRANT {role} TO …")
    if bypasses or owns:
        raise StoreError(f"store.scoped_role: policies do not bind {role}; name a role that owns nothing")


def guard_table(db: psycopg.Connection[Row], table: str, role: str) -> None:
    """The grant and the policy of one table, made anew if they are not there."""
    columns = {
        row[0]
        for row in db.execute(
            "SELECT attname FROM pg_attribute WHERE attrelid = $1::REGCLASS AND attnum > 0 AND NOT attisdropped",
            (table,),
        )
    }
    name, who = composing.Identifier(table).as_string(None), composing.Identifier(role).as_string(None)
    condition = _BY_HAND.get(table) or (
        _MINE if "scope_pk" in columns else _OF_A_RECORD if "record_pk" in columns else None
    )
    if table in _WITHHELD or (condition is None and table not in _OPEN):
        return
    db.execute(f"GRANT SELECT ON {name} TO {who}")
    if condition is not None:
        db.execute(f"ALTER TABLE {name} ENABLE ROW LEVEL SECURITY")
        db.execute(f"DROP POLICY IF EXISTS {who} ON {name}")
        db.execute(f"CREATE POLICY {who} ON {name} FOR SELECT TO {who} USING ({condition})")


def _is_guarded(db: psycopg.Connection[Row], schema: str, role: str) -> bool:
    """Whether every table that the role is to read has its grant, and its policy where it needs one."""
    row = db.execute(
        "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 "
        "AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> ALL ($3) AND "
        "(c.relname = ANY ($4) OR EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid "
        "AND a.attname IN ('scope_pk', 'record_pk') AND NOT a.attisdropped)) AND NOT "
        "(has_table_privilege($2, c.oid, 'SELECT') AND (c.relname = ANY ($5) OR EXISTS "
        "(SELECT 1 FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = $2)))",
        (schema, role, list(_WITHHELD), [*_BY_HAND, *_OPEN], list(_OPEN)),
    ).fetchone()
    return bool(row and row[0] == 0)


def _tables(db: psycopg.Connection[Row], schema: str) -> list[str]:
    rows = db.execute(
        "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 "
        "AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1",
        (schema,),
    )
    return [str(row[0]) for row in rows]
