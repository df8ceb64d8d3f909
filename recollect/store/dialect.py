"""The store's own words in its statements.

Statements are SQL that SQLite and PostgreSQL both read: `ON CONFLICT DO NOTHING` and `DO UPDATE` for what may be there
already, `RETURNING`, `?` and `?2` for what is bound. What they say about the domain again and again is written once,
here:

    LIVE(r)           the row is believed: nothing has retired it
    HEAD(r)           the row is the current version of its record, not one of its past
    HOLDS(r, ?)       what the row says has not ended at the moment that is bound

What databases say differently are the words that each spells in its own way (`store.sqlite.dialect`), once for every
statement:

    x IN KEYS(?)      x is one of many integers, bound as one parameter by `Sql.keys`
    EACH_KEY(?) k     those integers as rows of one column, `k.value`
    EACH_ITEM(?) i    the items of a JSON list as rows of one column, `i.value`
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_MEANINGS = {"LIVE": r"\1.retired_at IS NULL", "HEAD": r"\1.head_pk IS NULL"}
_MEANT = [
    *((re.compile(rf"\b{word}\((\w+)\)"), meaning) for word, meaning in _MEANINGS.items()),
    (re.compile(r"\bHOLDS\((\w+), (\?\d*)\)"), r"(\1.valid_until IS NULL OR \1.valid_until > \2)"),
]
_SPELLED = re.compile(r"\b(KEYS|EACH_KEY|EACH_ITEM)\(")


def spell(sql: str, spelling: Mapping[str, str]) -> str:
    """The statement in plain SQL, with a database's own spelling of the words in which databases differ."""
    for word, meaning in _MEANT:
        sql = word.sub(meaning, sql)
    return _SPELLED.sub(lambda found: f"{spelling[found[1]]}(", sql)
