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
    EACH_ITEM(x) i        the items of a JSON list of texts as rows of one column, `i.value`; a path may follow
    JSON_TEXT(x, path)    the text at a path (`$.a.b`) of a JSON value; NULL for nothing
    JSON_INT(x, path)     the whole number there; 1 and 0 for true and false
    JSON_NUMBER(x, path)  the number there, whole or not
    JSON_PART(x, path)    the JSON that a name of the outermost object has
    JSON_TYPE(x, path)    of what type that is: text, integer, real, true, false, null, array, object; NULL for nothing
    JSON_AT(x, path)      what stands there, whatever it is, to be compared with …
    JSON_VALUE(y)         … a value that is bound, or a column, or …
    EACH_VALUE(x) v       … the items of a JSON list, `v.value`; a path may follow
    JSON_PUT, JSON_DROP   an object with another value for one of its names (AS_JSON(y) if that is JSON), or without it
    JSON_OF, JSON_LIST    an object of a name and a JSON part; a list of the texts of rows
    FOLDED(x)             a text without its case, as Python's `casefold` has it
    ASCII_LOWER(x)        a text with the letters A to Z made small, and no other
    NOCASE(x)             a column or a bound text, to be compared without regard to the case of these letters
    PLACE_IN(x, y)        where y stands in x, from 1 on; 0 for nowhere
    LARGER, SMALLER       of two values; NULL if one of them is
    CROSS JOIN t ON       joined in this order, where a database can be told
    IN_ORDER(x, y)        of a query over one that is sorted so: it stays sorted, which some databases have to be told
    HELD, UNHELD          at the end of a query: nobody else changes these rows until this has ended; only rows that
                          nobody else holds. Nothing where one transaction writes at a time
    BY_INDEX(name)        after a table: this index is to be used, where a database can be told
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

ALL = (1 << 63) - 1  # as a limit: none
_MEANINGS = {"LIVE": r"\1.retired_at IS NULL", "HEAD": r"\1.head_pk IS NULL"}
_MEANT = [
    *((re.compile(rf"\b{word}\((\w+)\)"), meaning) for word, meaning in _MEANINGS.items()),
    (re.compile(r"\bHOLDS\((\w+), (\?\d*)\)"), r"(\1.valid_until IS NULL OR \1.valid_until > \2)"),
]
FUNCTIONS = (
    "KEYS",
    "EACH_KEY",
    "EACH_ITEM",
    "EACH_VALUE",
    "JSON_TEXT",
    "JSON_INT",
    "JSON_NUMBER",
    "JSON_PART",
    "JSON_TYPE",
    "JSON_AT",
    "JSON_VALUE",
    "JSON_PUT",
    "AS_JSON",
    "JSON_DROP",
    "JSON_OF",
    "JSON_LIST",
    "FOLDED",
    "ASCII_LOWER",
    "PLACE_IN",
    "LARGER",
    "SMALLER",
)
_FUNCTION = re.compile(rf"\b({'|'.join(FUNCTIONS)})\(")
_INDEX = re.compile(r"\bBY_INDEX\((\w+)\)")


_ORDER = re.compile(r"\bIN_ORDER\(([^()]+)\)")
_NOCASE = re.compile(r"\bNOCASE\(([\w.?]+)\)")


_HOLDING = re.compile(r"\b(?:UN)?HELD\b")


class DialectSpelling(NamedTuple):
    """How a database writes the words: functions by name, and templates for what stands in brackets."""

    functions: Mapping[str, str]
    by_index: str  # of the name of an index
    order: str  # of what a query stays sorted by
    nocase: str  # of a column or a parameter
    held: str  # rows that are kept from others
    unheld: str  # … and the rows that no one keeps


def spell(sql: str, to: DialectSpelling) -> str:
    """The statement in plain SQL, with a database's own spelling of the words in which databases differ."""
    for word, meaning in _MEANT:
        sql = word.sub(meaning, sql)
    sql = _INDEX.sub(lambda found: to.by_index.format(found[1]), sql)
    sql = _ORDER.sub(lambda found: to.order.format(found[1]), sql)
    sql = _NOCASE.sub(lambda found: to.nocase.format(found[1]), sql)
    sql = _HOLDING.sub(lambda found: to.held if found[0] == "HELD" else to.unheld, sql)
    return _FUNCTION.sub(lambda found: f"{to.functions[found[1]]}(", sql)
