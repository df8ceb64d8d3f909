"""Criteria as SQL over `record r`: scope first, then time, then the rest. All values are bound."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import orjson

from recollect.limits import SPAN_MAX
from recollect.model.filters import FieldType, Filter, Leaf, mentions
from recollect.model.query import Criteria
from recollect.model.record import PERCEIVED
from recollect.store import before
from recollect.store.base import Group

Clause = tuple[str, list[Any]]

_LISTED = "SELECT value FROM EACH_VALUE(?)"
_NO_VALUE = f"CAST('{chr(0xFFFF)}' AS TEXT)"  # no text that anybody stores
_INFINITE = (float("inf"), float("-inf"))  # nothing stored equals them, and JSON cannot say them
_COMPARE = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
# The version believed at a time: it had been recorded, was not yet retired, no later one overlaps it (after an undo
# the restored version began earlier than the one it replaced), and the record was not deleted just then.
_KNOWN_AT = (
    "r.recorded_at <= ? AND (LIVE(r) OR r.retired_at > ?) AND NOT EXISTS (SELECT 1 FROM record later "
    "WHERE later.head_pk = coalesce(r.head_pk, r.pk) AND later.pk <> r.pk AND later.recorded_at > r.recorded_at "
    "AND later.recorded_at <= ? AND later.retired_at > ?) AND NOT EXISTS (SELECT 1 FROM gap g "
    "WHERE g.record_pk = coalesce(r.head_pk, r.pk) AND g.from_at <= ? AND g.until_at > ?)"
)
# Who stored the record, by the operation that the journal notes for its first row.
_HEAD = "coalesce(r.head_pk, r.pk)"
_ACTOR = (
    "(SELECT o.actor FROM journal j JOIN operation o ON o.pk = j.operation_pk WHERE j.relation = 'record' "
    f"AND j.before IS NULL AND j.first_pk BETWEEN {_HEAD} - {SPAN_MAX - 1} AND {_HEAD} AND j.last_pk >= {_HEAD} "
    "ORDER BY j.pk LIMIT 1)"
)


class Visibility(Group):
    """Which rows a reader may see, as a condition."""

    def where(self, criteria: Criteria, *, now: int, times: bool = True) -> Clause:
        """A condition that is true exactly for the rows the criteria allow. `times=False` leaves the two times out."""
        parts: list[str] = []
        params: list[Any] = []

        def also(sql: str, *values: Any) -> None:
            parts.append(sql)
            params.extend(values)

        visible = self.tx.scopes.visible(criteria.scope, criteria.reach)
        if visible is not None:
            also(f"r.scope_pk IN ({', '.join(map(str, visible)) or 'NULL'})")
        if times:
            _add_times(criteria, now, also)
        self._add_labels(criteria, also, hide_archive=times)
        if criteria.filters is not None:
            sql, values = filter_sql(criteria.filters, criteria.known_at if times else None)
            also(sql, *values)
        return (" AND ".join(f"({part})" for part in parts) or "1 = 1", params)

    def _add_labels(self, criteria: Criteria, also: Callable[..., None], *, hide_archive: bool) -> None:
        for column, values in (
            ("kind", criteria.kinds),
            ("category", criteria.categories),
            ("tier", criteria.tiers),
        ):
            if values is not None:
                also(f"r.{column} IN ({', '.join('?' * len(values)) or 'NULL'})", *values)
        if criteria.tiers is None and hide_archive and not mentions(criteria.filters, "tier"):
            also("r.tier <> 'archive'")
        if not criteria.drawn:
            also("r.turn_pk IS NULL")
        if criteria.session_id is not None:
            also("r.session_pk IN (SELECT pk FROM session WHERE id = ?)", criteria.session_id)
        if criteria.session_pks is not None:
            also(f"r.session_pk IN ({', '.join(map(str, criteria.session_pks)) or 'NULL'})")
        for tag in criteria.tags or ():
            also("EXISTS (SELECT 1 FROM EACH_ITEM(r.tags) WHERE value = ?)", tag)


def _add_times(criteria: Criteria, now: int, also: Callable[..., None]) -> None:
    if criteria.known_at is None:
        also("LIVE(r)")
    else:
        also(_KNOWN_AT, *[criteria.known_at] * 6)
    if criteria.as_of is not None:
        begins = before.record_column("valid_from", criteria.known_at)
        also(f"r.valid_from IS NULL OR {begins} <= ?", criteria.as_of)
        also("HOLDS(r, ?)", criteria.as_of)
    elif not criteria.ended:  # what ends when it begins never holds, not even until then
        also("r.valid_until IS NULL OR (r.valid_until > ? AND r.valid_from IS DISTINCT FROM r.valid_until)", now)
    if criteria.after is not None:
        also("coalesce(r.event_time, r.created_at) >= ?", criteria.after)
    if criteria.before is not None:
        also("coalesce(r.event_time, r.created_at) < ?", criteria.before)


def filter_sql(tree: Filter, known_at: int | None = None) -> Clause:
    """A filter tree as SQL. A comparison with a missing value is false, so that NOT of it is true."""
    if isinstance(tree, Leaf):
        sql, params = _leaf_sql(tree, known_at)
        return f"coalesce({sql}, FALSE)", params
    clauses = [filter_sql(part, known_at) for part in tree.parts]
    params = [value for _, values in clauses for value in values]
    if tree.operator == "not":
        return f"NOT ({clauses[0][0]})", params
    return f" {tree.operator.upper()} ".join(f"({sql})" for sql, _ in clauses), params


def _leaf_sql(leaf: Leaf, known_at: int | None) -> Clause:
    if leaf.type is FieldType.JSON:
        return _json_sql(leaf, before.record_column(leaf.path[0], known_at))
    if leaf.type is FieldType.LIST:
        return _list_sql(leaf)
    if leaf.type is FieldType.SCOPE:
        expression = f"(SELECT s.{leaf.path[0]} FROM scope s WHERE s.pk = r.scope_pk)"
    elif leaf.path == ("actor",):
        expression = _ACTOR
    elif leaf.path == ("session_id",):
        expression = "(SELECT n.id FROM session n WHERE n.pk = r.session_pk)"
    else:
        expression = before.record_column(leaf.path[0], known_at)
    return _scalar_sql(expression, [], leaf)


def _scalar_sql(expression: str, bound: list[Any], leaf: Leaf) -> Clause:
    operator, value = leaf.operator, leaf.value
    if operator == "exists":
        return f"{expression} IS {'NOT ' if value else ''}NULL", bound
    if operator in ("eq", "ne"):
        return _equals(expression, bound, leaf, "?")
    if operator in ("in", "nin"):
        return _among(f"JSON_VALUE({expression})", expression, bound, leaf)
    if operator == "contains":
        return f"PLACE_IN({expression}, ?) > 0", [*bound, value]
    if operator == "icontains":
        return f"PLACE_IN(FOLDED({expression}), FOLDED(?)) > 0", [*bound, value]
    return f"{expression} {_COMPARE[operator]} ?", [*bound, value]


def _equals(expression: str, bound: list[Any], leaf: Leaf, param: str) -> Clause:
    negated = leaf.operator == "ne"
    if leaf.value is None:
        return f"{expression} IS {'NOT ' if negated else ''}NULL", bound
    return f"{expression} IS {'' if negated else 'NOT '}DISTINCT FROM {param}", [*bound, leaf.value]


def _among(compared: str, expression: str, bound: list[Any], leaf: Leaf) -> Clause:
    found, params = f"coalesce({compared} IN ({_LISTED}), FALSE)", [*bound, _as_list(leaf.value)]
    if None in leaf.value:
        found, params = f"({found} OR {expression} IS NULL)", [*params, *bound]
    return (f"NOT {found}" if leaf.operator == "nin" else found), params


def _json_sql(leaf: Leaf, column: str) -> Clause:
    """Inside a JSON column. Order compares like with like: a number is never less than a text."""
    path = "$" + "".join(f".{orjson.dumps(key).decode()}" for key in leaf.path[1:])  # a backslash is an escape there
    if leaf.path[0] == "metadata" and leaf.path[1] in PERCEIVED:
        own = f"JSON_TYPE(r.metadata, '$.{leaf.path[1]}') IS NULL"
        column = f"(CASE WHEN {own} THEN r.perceived ELSE r.metadata END)"
    if leaf.operator in ("contains", "icontains"):
        same = "FOLDED(value) = FOLDED(?)" if leaf.operator == "icontains" else "value = JSON_VALUE(?)"
        each = "EACH_ITEM" if leaf.operator == "icontains" else "EACH_VALUE"
        text, params = _scalar_sql(f"JSON_TEXT({column}, ?)", [path], leaf)
        element = f"EXISTS (SELECT 1 FROM {each}({column}, ?) WHERE {same})"
        sql = f"CASE JSON_TYPE({column}, ?) WHEN 'array' THEN {element} WHEN 'text' THEN {text} ELSE FALSE END"
        return sql, [path, path, leaf.value, *params]
    if leaf.operator == "exists":
        return f"JSON_AT({column}, ?) IS {'NOT ' if leaf.value else ''}NULL", [path]
    if leaf.operator in _COMPARE:
        read, types = (
            ("JSON_TEXT", "('text')") if isinstance(leaf.value, str) else ("JSON_NUMBER", "('integer', 'real')")
        )
        sql, params = _scalar_sql(f"{read}({column}, ?)", [path], leaf)
        return f"JSON_TYPE({column}, ?) IN {types} AND {sql}", [path, *params]
    # A list or an object equals no text, not even the one it is written as.
    several = f"JSON_TYPE({column}, ?) IN ('array', 'object')"
    plain = f"(CASE WHEN {several} THEN JSON_VALUE({_NO_VALUE}) ELSE JSON_AT({column}, ?) END)"
    if leaf.operator in ("in", "nin"):
        return _among(plain, plain, [path, path], leaf)
    return _equals(plain, [path, path], leaf, "JSON_VALUE(?)")


def _list_sql(leaf: Leaf) -> Clause:
    """Tags and the like: a list meets a condition when one of its items does; `ne` and `nin` when none does."""
    column = f"r.{leaf.path[0]}"
    if leaf.operator == "exists":
        return f"{column} IS {'NOT ' if leaf.value else ''}NULL", []
    if leaf.operator == "icontains":
        each, test, param = "EACH_ITEM", "FOLDED(item.value) = FOLDED(?)", leaf.value
    else:
        each, test = "EACH_VALUE", f"item.value IN ({_LISTED})"
        param = _as_list(leaf.value if isinstance(leaf.value, tuple) else (leaf.value,))
    found = f"EXISTS (SELECT 1 FROM {each}({column}) item WHERE {test})"
    return (f"NOT {found}" if leaf.operator in ("ne", "nin") else found), [param]


def _as_list(values: Iterable[Any]) -> str:
    """Many values as one parameter: the database bounds parameters and the depth of expressions, we bound values."""
    return orjson.dumps([value for value in values if value is not None and value not in _INFINITE]).decode()
