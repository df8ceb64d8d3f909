"""The store's own words in its statements.

Statements are SQL that SQLite and PostgreSQL both read: `ON CONFLICT DO NOTHING` and `DO UPDATE` for what may be there
already, `RETURNING`, `IS NOT DISTINCT FROM`, `?` and `?2` for what is bound. What they say about the domain again and
again is written once, here:

    LIVE(r)               the row is believed: nothing has retired it
    HEAD(r)               the row is the current version of its record, not one of its past
    HOLDS(r, ?)           what the row says has not ended at the moment that is bound

What databases say differently are the words that each spells in its own way (`store.sqlite.dialect`), once for every
statement:

    x IN KEYS(?)          x is one of many integers, bound as one parameter by `Sql.keys`
    EACH_KEY(?) k         those integers as rows of one column, `k.value`
    EACH_ITEM(x) i        the items of a JSON list as rows of one column, `i.value`
    JSON_AT(x, path)      what stands at a path (`$.a.b`) of a JSON value, as the database has it; x ->> '$.a' too
    JSON_TYPE(x, path)    of what type that is: text, integer, real, true, false, null, array, object; NULL for nothing
    JSON_PUT, JSON_DROP   the JSON value with something else at a path, or without what is there
    JSON_OF, JSON_LIST    an object of names and values; a list of the values of rows
    FOLDED(x)             a text without its case, as Python's `casefold` has it
    PLACE_IN(x, y)        where y stands in x, from 1 on; 0 for nowhere
    BY_INDEX(name)        after a table: this index is to be used, where a database can be told
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

_MEANINGS = {"LIVE": r"\1.retired_at IS NULL", "HEAD": r"\1.head_pk IS NULL"}
_MEANT = [
    *((re.compile(rf"\b{word}\((\w+)\)"), meaning) for word, meaning in _MEANINGS.items()),
    (re.compile(r"\bHOLDS\((\w+), (\?\d*)\)"), r"(\1.valid_until IS NULL OR \1.valid_until > \2)"),
]
FUNCTIONS = (
    "KEYS",
    "EACH_KEY",
    "EACH_ITEM",
    "JSON_AT",
    "JSON_TYPE",
    "JSON_PUT",
    "JSON_DROP",
    "JSON_OF",
    "JSON_LIST",
    "FOLDED",
    "PLACE_IN",
)
_FUNCTION = re.compile(rf"\b({'|'.join(FUNCTIONS)})\(")
_INDEX = re.compile(r"\bBY_INDEX\((\w+)\)")


def spell(sql: str, functions: Mapping[str, str], index: Callable[[str], str]) -> str:
    """The statement in plain SQL, with a database's own spelling of the words in which databases differ."""
    for word, meaning in _MEANT:
        sql = word.sub(meaning, sql)
    sql = _INDEX.sub(lambda found: index(found[1]), sql)
    return _FUNCTION.sub(lambda found: f"{functions[found[1]]}(", sql)
